import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, validateFileName, type ZipFile } from 'yauzl';
import { messageOf, NoListError, StopError, stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';
import { foreignWords } from '../../../core/plain-text.ts';
import { OLD_EXCEL } from '../../called.ts';
import { type XmlListener, XmlReader } from './xml.ts';

/** Names, styles and links: some kilobytes, in a workbook with thousands of styles a few megabytes. */
const MOST_BYTES = 32 * 1024 * 1024;

const MOST_BYTES_PACKED = 512 * 1024 * 1024;

/** All parts together; a sheet, the largest of them, has a limit of its own. */
const MOST_BYTES_UNPACKED = 8 * 1000 ** 3;

/**
 * The parts of a workbook, which is a zip archive. The archive's directory says how long each part is when
 * unpacked. That length is held against a limit before anything is unpacked, and no part may become longer: a
 * file of some kilobytes cannot fill the memory or keep the program busy for hours.
 */
export class Archive {
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, list: readonly Entry[]) {
    this.path = path;
    this.#zip = zip;
    this.#entries = new Map(list.map((entry) => [keyOf(nameOf(entry)), entry]));
  }

  /** @throws StopError `input` when the file is no archive, or one that is protected by a password. */
  static async open(file: FileBytes): Promise<Archive> {
    const { path } = file;
    const bytes = await packedBytes(file);
    if (bytes.indexOf(OLD_EXCEL) === 0) throw isClosed(path);
    // Names are keys here, and never paths on the disk.
    const zip = await fromBufferPromise(bytes, { decodeStrings: false }).catch(() => undefined);
    if (zip === undefined) throw unreadableBook(path, 'it is cut off, or not a workbook at all');
    return new Archive(path, zip, await entriesOf(path, zip));
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** Every part as it is unpacked, but for folders. */
  parts(): readonly { readonly name: string; readonly key: string; readonly bytes: AsyncIterable<Buffer> }[] {
    const parts = [...this.#entries].map(([key, entry]) => ({ key, entry, name: nameOf(entry) }));
    const files = parts.filter(({ name }) => !name.endsWith('/'));
    return files.map(({ key, entry, name }) => ({ name, key, bytes: this.#unpacked(entry) }));
  }

  /**
   * Reads every part to its end.
   * @throws StopError `input` for one whose bytes are not what they were when it was packed.
   */
  async requireSound(): Promise<void> {
    for (const { bytes } of this.parts()) for await (const _ of bytes);
  }

  /**
   * The text of a part, in order, read no faster than it is taken.
   * @throws StopError `input` when there is no such part, it is longer than the limit, or its bytes are not
   * what they were when it was packed.
   */
  async *chunks(name: string, mostBytes = MOST_BYTES): AsyncIterable<string> {
    const entry = this.#entries.get(keyOf(name));
    if (entry === undefined) throw unreadableBook(this.path, `its part ${name} is missing`);
    if (entry.uncompressedSize > mostBytes) {
      const would = `its part ${name} would unpack to ${entry.uncompressedSize} bytes`;
      throw tooLarge(`${this.path}: ${would}`, mostBytes);
    }
    // A byte-order mark is handed on, because a copy keeps it; what reads XML passes over it.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    try {
      for await (const bytes of this.#unpacked(entry)) yield decoder.decode(bytes, { stream: true });
      yield decoder.decode();
    } catch (error) {
      throw unreadableAt(this.path, `its part ${name}`, error);
    }
  }

  /** The whole text of a small part. */
  async text(name: string): Promise<string> {
    let text = '';
    for await (const chunk of this.chunks(name)) text += chunk;
    return text;
  }

  /** Tells a part's elements. */
  async readPart(name: string, listener: XmlListener, mostBytes = MOST_BYTES): Promise<void> {
    const xml = new XmlReader(listener);
    try {
      for await (const chunk of this.chunks(name, mostBytes)) xml.write(chunk);
      xml.end();
    } catch (error) {
      throw unreadableAt(this.path, `its part ${name}`, error);
    }
  }

  /** The library holds the length against what was said, and leaves the checksum to us. */
  async *#unpacked(entry: Entry): AsyncIterable<Buffer> {
    let checksum = 0;
    try {
      const stream: AsyncIterable<Buffer> = await this.#zip.openReadStreamPromise(entry);
      for await (const bytes of stream) {
        checksum = crc32(bytes, checksum);
        yield bytes;
      }
      if (checksum !== entry.crc32) throw new Error('its checksum fails');
    } catch (error) {
      throw unreadableAt(this.path, `its part ${nameOf(entry)}`, error);
    }
  }
}

/** The whole file, which is small beside what it unpacks to. */
async function packedBytes(file: FileBytes): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.chunks()) {
    length += chunk.length;
    if (length > MOST_BYTES_PACKED) throw tooLarge(`${file.path} is too large`, MOST_BYTES_PACKED);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (fact: string, mostBytes: number): StopError =>
  stop('input', `${fact}; the most is ${mostBytes}.`, 'Save the sheet as CSV, which may have any size.');

async function entriesOf(path: string, zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let unpacked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw isClosed(path);
      unpacked += entry.uncompressedSize;
      if (unpacked > MOST_BYTES_UNPACKED) throw tooLarge(`${path} would unpack to more`, MOST_BYTES_UNPACKED);
      requireName(path, nameOf(entry));
      entries.push(entry);
    }
  } catch (error) {
    // The library refuses one of the two ways to encrypt before it lets us see the part.
    throw messageOf(error).includes('encryption')
      ? isClosed(path)
      : unreadableAt(path, 'its directory', error);
  }
  return entries;
}

const MOST_BYTES_OF_NAME = 65_535;

/**
 * A copy of the workbook has the same parts, and no archive may have a part of such a name.
 * @throws StopError `input`
 */
function requireName(path: string, name: string): void {
  const isLong = Buffer.byteLength(name) > MOST_BYTES_OF_NAME;
  const fault = name === '' || isLong ? 'no name can be so long, or blank' : validateFileName(name);
  if (fault !== null) throw unreadableBook(path, `its directory is damaged (${foreignWords(fault)})`);
}

/** Some programs write `\` between folders. */
function nameOf(entry: Entry): string {
  return entry.fileNameRaw.toString().replaceAll('\\', '/').replace(/^\//, '');
}

/** A part is known whatever letters the name has that refers to it. */
export function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}

/** @param detail a clause that says what is wrong, and where. */
export function unreadableBook(path: string, detail: string): StopError {
  const next = 'Open it in Excel and save it again as .xlsx, or save the sheet as CSV.';
  return new NoListError(path, `is not a readable Excel workbook: ${detail}.`, next);
}

/** @param place as `its part xl/workbook.xml`. */
export function unreadableAt(path: string, place: string, error: unknown): StopError {
  if (error instanceof StopError) return error;
  return unreadableBook(path, `${place} is damaged (${messageOf(error)})`);
}

function isClosed(path: string): StopError {
  const fact = 'is protected by a password, or from before Excel 2007 (.xls).';
  const next =
    'Open it in Excel, remove the password under File, Info, Protect Workbook, and save it as .xlsx.';
  return new NoListError(path, fact, next);
}
