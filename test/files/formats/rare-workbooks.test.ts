import { readFileSync } from 'node:fs';
import readBook, { type Row } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import xlsx from '../../../src/files/formats/xlsx.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { allOf, inputFolder, rowByRow } from './sheets.ts';
import { partsOf, type ZipPart, zipOf } from './workbook-file.ts';

/**
 * Goal: whatever rare thing a workbook has, the answers stand beside her rows, and all else in it is as it was.
 * Method: workbooks with one rare thing each, most of a library and then patched by hand; those that programs have saved are the matter
 * of `cli/workbooks.test.ts`, a filter and a table to the letter that of `own-copy.test.ts`. The cells are read by
 * a library that shares nothing with ours, every other part is compared byte for byte, and the sheet itself without our cells.
 */

interface Rare {
  /** A workbook of another program; left out: one of a library, with the parts and the changes below. */
  readonly book?: string;
  readonly rows?: readonly (readonly (string | number | null)[])[];
  /** What is put into a part in the place of something else. */
  readonly changed?: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  readonly parts?: readonly ZipPart[];
  /** Row of the header, and the rows that are asked about. */
  readonly list: readonly [header: number, first: number, last: number];
  /** Parts that say the range of a filter or a table once more. */
  readonly grown?: readonly string[];
  readonly said?: RegExp;
}

const SHEET = 'xl/worksheets/sheet1.xml';
const LINKS = 'xl/worksheets/_rels/sheet1.xml.rels';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const LIST = [
  ['ABN', 'Name', 'Mail'],
  ['51824753556', 'Acme', 'a@acme.com'],
  ['33051775556', 'Beta', 'b@beta.com'],
  ['53004085616', 'Ceta', 'c@ceta.com'],
];
const PLAIN: Rare = { rows: LIST, list: [1, 2, 4] };

/** Something that stands behind the cells of the sheet. */
const behind = (xml: string): Rare => ({
  ...PLAIN,
  changed: { [SHEET]: [['</worksheet>', `${xml}</worksheet>`]] },
});

/** Something that stands behind the cells and leads to a part of its own. */
const linked = (xml: string, parts: readonly ZipPart[]): Rare => ({
  ...PLAIN,
  changed: {
    [SHEET]: [['</worksheet>', `${xml}</worksheet>`]],
    [LINKS]: [
      [
        '</Relationships>',
        `${parts.map(({ name }, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${typeOf(name)}" Target="/${name}"/>`).join('')}</Relationships>`,
      ],
    ],
  },
  parts,
});
const typeOf = (name: string): string => /(table|comments|vmlDrawing|drawing)/.exec(name)?.[1] ?? 'other';

const table = (id: number, ref: string, names: readonly string[], more = ''): ZipPart => ({
  name: `xl/tables/table${id}.xml`,
  content: `<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="${id}" name="T${id}" displayName="T${id}" ref="${ref}"${more}><tableColumns count="${names.length}">${names.map((name, at) => `<tableColumn id="${at + 1}" name="${name}"/>`).join('')}</tableColumns></table>`,
});

const BOOKS: Readonly<Record<string, Rare>> = {
  'titles above the header': {
    rows: [['Our leads'], ['3 Nov 2026', null, 'draft'], ...LIST],
    list: [3, 4, 6],
  },
  'a title merged over the whole table': {
    rows: [['Our leads'], ...LIST],
    changed: { [SHEET]: [['</worksheet>', '<mergeCells><mergeCell ref="A1:H1"/></mergeCells></worksheet>']] },
    list: [2, 3, 5],
  },
  'a table without a header': {
    ...linked('<tableParts><tablePart r:id="rId1"/></tableParts>', [
      table(1, 'A2:C4', ['Column1', 'Column2', 'Column3'], ' headerRowCount="0"'),
    ]),
    said: /stand beside the table "T1" and not in it: a sort of it/,
  },
  'a filter that begins below the header': behind('<autoFilter ref="A2:C4"/>'),
  macros: { book: 'macros.xlsm', list: [1, 2, 4] },
  'a table, a note and a protected sheet of a script': {
    ...{ book: 'script.xlsx', list: [1, 2, 4] },
    grown: ['xl/tables/table1.xml'],
  },
};

async function bytesOf({ book, rows = LIST, changed = {}, parts = [] }: Rare): Promise<Buffer> {
  if (book !== undefined) return readFileSync(new URL(`./books/${book}`, import.meta.url));
  const written = await writeExcel(rows.map((row) => [...row]) as never, { sheet: 'Leads' }).toBuffer();
  const made = partsOf(written).map(({ name, text }) => ({
    name,
    content: (changed[name] ?? []).reduce((all, [from, to]) => {
      expect(all, `${name} has no ${from}`).toContain(from);
      return all.replace(from, () => to);
    }, text),
  }));
  return zipOf([...made, ...parts]);
}

const OURS =
  /<(?:x:)?c r="[A-Z]+\d+"(?: s="\d+")? t="inlineStr"><is><t xml:space="preserve">(?:_answer|answer of \d+)<\/t><\/is><\/c>/g;

/** A sheet without our cells, and without what has to say how far it reaches. */
function withoutOurs(xml: string): string {
  return xml
    .replaceAll(OURS, '')
    .replaceAll(/<c r="[A-Z]+\d+"[^>]*\/>/g, '')
    .replaceAll(/ spans="\d+:\d+"/g, '')
    .replace(/<dimension [^>]*>/, '')
    .replace(/<cols>.*<\/cols>/s, '')
    .replace(/(<autoFilter ref="[A-Z]+\d+:)[A-Z]+/, '$1');
}

/** A cell as the other library reads it, and where it stands. */
const cellsOf = (rows: readonly Row[]): ReadonlyMap<string, unknown> =>
  new Map(
    rows.flatMap((row, at) =>
      row.flatMap((cell, place) => (cell === null ? [] : [[`${at + 1}/${place}`, cell] as const])),
    ),
  );

test.each(Object.entries(BOOKS))(
  'a workbook with %s has the answers beside her rows, and all else as it was',
  async (_what, rare) => {
    const before = await bytesOf(rare);
    const write = await inputFolder();
    const sheet = await xlsx.open(new InputFile(await write(before, rare.book ?? 'book.xlsx')), {});
    const notes: string[] = [];
    const note = (sentence: string): void => void notes.push(sentence);
    const answers = rowByRow(({ row }) => [`answer of ${row}`]);
    const options = { columns: ['_answer'], dropped: new Set<string>(), note };
    const after = Buffer.concat(await allOf(sheet.copy(options, answers)));

    expect(notes).toEqual(rare.said === undefined ? [] : [expect.stringMatching(rare.said)]);
    const [was, is] = [partsOf(before), partsOf(after)];
    expect(is.map(({ name }) => name)).toEqual(was.map(({ name }) => name));
    const other = was.filter(({ content }, at) => is[at]?.content.equals(content) !== true);
    const [own = '', ...more] = other.map(({ name }) => name).filter((name) => !rare.grown?.includes(name));
    expect([own, more]).toEqual([expect.stringMatching(/^xl\/worksheets\/sheet\d\.xml$/), []]);
    const textIn = (parts: typeof was): string => parts.find(({ name }) => name === own)?.text ?? '';
    expect(withoutOurs(textIn(is))).toBe(withoutOurs(textIn(was)));

    const [cellsBefore, cellsAfter] = await Promise.all([readBook(before), readBook(after)]);
    const [header, first, last] = rare.list;
    const found: number[] = [];
    for (const [at, { data }] of cellsAfter.entries()) {
      const [hers, now] = [cellsOf(cellsBefore[at]?.data ?? []), cellsOf(data)];
      for (const [place, cell] of hers) expect(now.get(place)).toEqual(cell);
      const added = [...now].filter(([place]) => !hers.has(place));
      for (const [place, cell] of added) {
        const row = Number(place.split('/')[0]);
        expect(cell).toBe(row === header ? '_answer' : `answer of ${row}`);
        found.push(row);
      }
      // All in one column, right of what she has in these rows.
      expect(new Set(added.map(([place]) => place.split('/')[1])).size).toBeLessThanOrEqual(1);
    }
    const asked = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const blank = new Set(rare.rows?.flatMap((row, at) => (row.length === 0 ? [at + 1] : [])));
    expect(found).toEqual([header, ...asked.filter((row) => !blank.has(row))]);
  },
);
