import { describe, expect, test } from 'vitest';
import type { ReadOptions, Sheet } from '../../src/core/format.ts';
import { rowRangeText } from '../../src/core/row.ts';
import csv from '../../src/files/formats/csv.ts';
import xlsx from '../../src/files/formats/xlsx.ts';
import { InputFile, openFile } from '../../src/files/input.ts';
import { copied, inputFolder, rowsOf } from './formats/sheets.ts';
import { bookOf } from './formats/workbook-file.ts';

/**
 * Goal: a list is read from where it begins: no company of it is taken for the name of a column, no title for a company; and
 * where only a person can say it, she is asked.
 * Method: small lists as people and programs make them, each as text and as a workbook, held against the row of the header,
 * its names and the number of the first row of the list.
 */

interface List {
  readonly what: string;
  /** Cells between `|`, as every row has them; a blank line is a blank row. */
  readonly rows: string;
  /** The row of the header, `0` where there is none, or `asked`. */
  readonly header: string;
  readonly names?: string;
  readonly first?: number;
}

const LISTS: readonly List[] = [
  // A header on the first row.
  { what: 'a plain list', rows: 'Company|Email\nAcme|a@acme.com\nBeta|b@beta.com', header: '1' },
  { what: 'one column', rows: 'Website\nacme.com\nbeta.com', header: '1' },
  { what: 'one column of words', rows: 'Company\nAcme\nBeta', header: '1' },
  { what: 'no rows yet', rows: 'Company|Email|Phone', header: '1', first: 0 },
  { what: 'words that nobody knows, above numbers', rows: 'Kahui|Rahinga\nAcme|12\nBeta|40', header: '1' },
  { what: 'another language', rows: 'Firma|Ort|PLZ\nAcker|Ulm|89073\nBauer|Bonn|53111', header: '1' },
  {
    what: 'an index of a program, without a name',
    rows: '|Name|Email\n0|Acme|a@acme.com\n1|Beta|b@beta.com',
    header: '1',
    names: '|Name|Email',
  },
  { what: 'two columns of a name', rows: 'Name|Email|Email\nAcme|a@acme.com|x@acme.com', header: '1' },
  { what: 'an output of ours', rows: 'Xx|_status|_row\nAcme|matched|2\nBeta|matched|3', header: '1' },
  // Titles above it.
  { what: 'one title', rows: 'Our leads\nCompany|Email\nAcme|a@acme.com\nBeta|b@beta.com', header: '2' },
  {
    what: 'two titles and a blank row',
    rows: 'Leads of March\nby Jo\n\nCompany|Email\nAcme|a@acme.com\nBeta|b@beta.com',
    header: '4',
  },
  {
    what: 'lines of a report',
    rows: 'Leads\nRegion:|NSW\nSource: CRM\n\nFirm|Mail|Size\nAcme|a@acme.com|10\nBeta|b@beta.com|9',
    header: '5',
  },
  {
    what: 'names in two rows',
    rows: 'ABN|Contact||Office|\n|Name|Mail|Name|Mail\n51824753556|Jo|jo@acme.com|Al|al@acme.com',
    header: '1-2',
    names: 'ABN|Contact Name|Contact Mail|Office Name|Office Mail',
    first: 3,
  },
  { what: 'a title above a column of words', rows: 'Our prospects\nCompany\nAcme\nBeta', header: '2' },
  { what: 'titles above an output of ours', rows: 'Leads\nMarch\nXx|_status\nAcme|matched', header: '3' },
  {
    what: 'a title as wide as two columns',
    rows: 'Export of Jo|Region East\nName|Email\nAcme|a@acme.com\nBeta|b@beta.com',
    header: '2',
  },
  {
    what: 'titles above words that nobody knows',
    rows: 'Kaute\nPipiri\nKahui|Rahinga|Tau\nAcme|12|9\nBeta|40|3',
    header: '3',
  },
  { what: 'blank rows above', rows: '\n\nCompany|Email\nAcme|a@acme.com', header: '3' },
  // No header.
  { what: 'addresses alone', rows: 'a@acme.com\nb@beta.com\nc@ceta.com', header: '0', names: 'A' },
  { what: 'ABNs alone', rows: '51824753556\n53004085616', header: '0', names: 'A' },
  { what: 'sites alone', rows: 'acme.com\nbeta.com', header: '0', names: 'A' },
  { what: 'companies with sites', rows: 'Acme|acme.com\nBeta|beta.com', header: '0', names: 'A|B' },
  {
    what: 'companies by their form',
    rows: 'Acme Pty Ltd\nBeta Pty Ltd\nCeta Trust',
    header: '0',
    names: 'A',
  },
  {
    what: 'states that come again',
    rows: 'Acme|NSW\nBeta|NSW\nCeta|VIC\nDelta|NSW',
    header: '0',
    names: 'A|B',
  },
  { what: 'a blank row above', rows: '\na@acme.com\nb@beta.com', header: '0', names: 'A', first: 2 },
  // What only a person knows.
  { what: 'words above words', rows: 'Acme|Sydney\nBeta|Perth\nCeta|Hobart', header: 'asked' },
  { what: 'a column of words', rows: 'Acme\nBeta\nCeta', header: 'asked' },
  { what: 'a title above companies', rows: 'Our leads\nAcme|acme.com\nBeta|beta.com', header: 'asked' },
  { what: 'a header of one name above numbers', rows: 'Name||\nA|1|2\nB|3|4', header: 'asked' },
];

const cellsOf = (rows: string): string[][] =>
  rows.split('\n').map((row) => (row === '' ? [] : row.split('|')));

/** Every row with as many cells, as programs write text: a shorter one could not be read. */
function asText(rows: string): string {
  const all = cellsOf(rows);
  const width = Math.max(...all.map((cells) => cells.length));
  return all
    .map((cells) =>
      cells.length === 0 ? '' : Array.from({ length: width }, (_, at) => cells[at] ?? '').join(';'),
    )
    .join('\n');
}

function asBook(rows: string): Buffer {
  const cell = (text: string, address: string): string => {
    if (text === '') return '';
    return /^\d{1,10}$/.test(text)
      ? `<c r="${address}"><v>${text}</v></c>`
      : `<c r="${address}" t="inlineStr"><is><t>${text.replaceAll('&', '&amp;')}</t></is></c>`;
  };
  const xml = cellsOf(rows).map((cells, at) => {
    const all = cells.map((text, place) => cell(text, `${String.fromCharCode(65 + place)}${at + 1}`));
    return cells.length === 0 ? '' : `<row r="${at + 1}">${all.join('')}</row>`;
  });
  return bookOf({ rows: xml.join('') });
}

async function opened(kind: 'text' | 'workbook', rows: string, options: ReadOptions = {}): Promise<Sheet> {
  const write = await inputFolder();
  return kind === 'text'
    ? csv.open(new InputFile(await write(asText(rows), 'list.csv')), { delimiter: 'semicolon', ...options })
    : xlsx.open(new InputFile(await write(asBook(rows), 'list.xlsx')), options);
}

describe.each(['text', 'workbook'] as const)('as %s', (kind) => {
  test.each(LISTS)('$what', async ({ rows, header, names, first }) => {
    const sheet = await opened(kind, rows);
    if (header === 'asked') {
      expect(sheet.start.readings?.length).toBeGreaterThan(1);
      return;
    }
    expect({ asked: sheet.start.readings, header: rowRangeText(sheet.start.header) }).toEqual({
      asked: undefined,
      header,
    });
    const said = cellsOf(names ?? rows)[names === undefined ? Number(header) - 1 : 0] ?? [];
    expect(await sheet.header()).toEqual(said.filter(Boolean));
    const numbers = (await rowsOf(sheet)).map(({ row }) => row);
    expect(numbers[0] ?? 0).toBe(first ?? Number(header) + 1);
    const asSaid = await opened(kind, rows, { header_row: header });
    expect(await rowsOf(asSaid)).toEqual(await rowsOf(sheet));
  });
});

test('columns that a job names are no matter of doubt', async () => {
  const sheet = await opened('text', 'Acme|Sydney\nBeta|Perth', { wanted: ['Sydney'] });
  expect([rowRangeText(sheet.start.header), sheet.start.readings]).toEqual(['1', undefined]);
});

test('whoever opens a list for a command is told of both readings, each with its flag', async () => {
  const write = await inputFolder();
  const path = await write('Acme;Sydney\nBeta;Perth\n');
  await expect(openFile(path)).rejects.toMatchObject({
    code: 'input',
    exitCode: 2,
    message: `${path}: it is not clear where the list begins.`,
    next: 'Say which it is with --header-row 1: row 1 (Acme, Sydney) names the columns; or --header-row 0: no row names the columns, and row 1 (Acme, Sydney) is the first of the list. In a job it is `header_row` under `read:`.',
  });
  expect(await (await openFile(path, { header_row: '0' })).sheet.header()).toEqual(['A', 'B']);
});

test('a list without a header comes back as a new workbook, because all its rows move down', async () => {
  const sheet = await opened('workbook', 'Acme|acme.com\nBeta|beta.com');
  const notes: string[] = [];
  const bytes = await copied(sheet, ['n'], ({ row }) => [`${row}`], { note: (note) => notes.push(note) });
  const write = await inputFolder();
  const copy = await xlsx.open(new InputFile(await write(bytes, 'copy.xlsx')), {});
  expect(await copy.header()).toEqual(['A', 'B', 'n']);
  expect((await rowsOf(copy)).map(({ row, cells }) => [row, ...cells])).toEqual([
    [2, 'Acme', 'acme.com', '1'],
    [3, 'Beta', 'beta.com', '2'],
  ]);
  expect(notes.join()).toContain('no row of it has the names of the columns');
});
