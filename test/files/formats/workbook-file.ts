import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Makes workbooks by hand, for what no library writes. It shares nothing with the program that is tested. */

export interface ZipPart {
  readonly name: string;
  readonly content: string | Buffer;
  /** What the directory says instead of the truth. */
  readonly claimedBytes?: number;
  readonly claimedChecksum?: number;
  readonly flags?: number;
  readonly stored?: boolean;
}

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedBytes, claimedChecksum, flags = 0, stored = false } of parts) {
    const bytes = Buffer.from(content);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(flags, 2);
    about.writeUInt16LE(stored ? 0 : 8, 4);
    about.writeUInt32LE(claimedChecksum ?? crc32(bytes), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(claimedBytes ?? bytes.length, 18);
    about.writeUInt16LE(Buffer.byteLength(name), 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name), packed]);
    files.push(file);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), about, place, Buffer.from(name)]));
    offset += file.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, directory, end]);
}

export interface WrittenBook {
  /** What stands in `sheetData` of the first sheet. */
  readonly rows: string;
  /** What stands behind `sheetData`. */
  readonly behind?: string;
  readonly texts?: string;
  /** Of the custom formats, numbered from 164 on; style 1 is the first of them. */
  readonly formats?: readonly string[];
  readonly properties?: string;
  /** Tabs behind the first, blank where they have no rows. */
  readonly otherSheets?: readonly {
    readonly name: string;
    readonly state?: string;
    readonly rows?: string;
  }[];
}

const links = (lines: string): string => `<Relationships>${lines}</Relationships>`;
const link = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="http://example.org/relationships/${type}" Target="${target}"/>`;

/** The sheet `Leads` is the first. */
export function bookParts({
  rows,
  behind = '',
  texts = '',
  formats = [],
  properties = '',
  otherSheets = [],
}: WrittenBook): readonly ZipPart[] {
  const tabs = otherSheets.map(
    ({ name, state = 'visible' }, index) =>
      `<sheet name="${name}" state="${state}" r:id="rId${index + 10}"/>`,
  );
  const codes = formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode='${code}'/>`);
  const styles = formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`);
  return [
    { name: '_rels/.rels', content: links(link('rId1', 'officeDocument', 'xl/workbook.xml')) },
    {
      name: 'xl/workbook.xml',
      content: `<workbook>${properties}<sheets><sheet name="Leads" r:id="rId1"/>${tabs.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: links(
        [
          link('rId1', 'worksheet', '/xl/worksheets/sheet1.xml'),
          link('rId2', 'sharedStrings', 'sharedStrings.xml'),
          link('rId3', 'styles', 'styles.xml'),
          ...otherSheets.map((_, index) =>
            link(`rId${index + 10}`, 'worksheet', `worksheets/other${index}.xml`),
          ),
        ].join(''),
      ),
    },
    { name: 'xl/sharedStrings.xml', content: `<sst>${texts}</sst>` },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    },
    ...otherSheets.map(({ rows: content = '' }, index) => ({
      name: `xl/worksheets/other${index}.xml`,
      content: `<worksheet><sheetData>${content}</sheetData></worksheet>`,
    })),
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet><sheetData>${rows}</sheetData>${behind}</worksheet>`,
    },
  ];
}

export function bookOf(book: WrittenBook): Buffer {
  return zipOf(bookParts(book));
}

/** A row of inline texts, `A`, `B` and so on. */
export function textRow(number: number, ...texts: readonly string[]): string {
  const cells = texts.map(
    (text, index) =>
      `<c r="${String.fromCharCode(65 + index)}${number}" t="inlineStr"><is><t>${text}</t></is></c>`,
  );
  return `<row r="${number}">${cells.join('')}</row>`;
}

/** A part of an archive. */
export interface ReadPart {
  readonly name: string;
  readonly content: Buffer;
  readonly text: string;
}

/** The parts of an archive in the order of its directory, read by hand. */
export function partsOf(archive: Buffer): readonly ReadPart[] {
  const parts: ReadPart[] = [];
  const end = archive.lastIndexOf('PK\x05\x06');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
    const place = archive.readUInt32LE(at + 42);
    const start = place + 30 + archive.readUInt16LE(place + 26) + archive.readUInt16LE(place + 28);
    const packed = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    const content = archive.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed);
    if (crc32(content) !== archive.readUInt32LE(at + 16)) throw new Error('a checksum fails');
    parts.push({
      name: archive.toString('utf8', at + 46, at + 46 + nameLength),
      content,
      text: content.toString(),
    });
    at += 46 + nameLength + extraLength + archive.readUInt16LE(at + 32);
  }
  return parts;
}
