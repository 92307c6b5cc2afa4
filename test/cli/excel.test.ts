/**
 * Goal: somebody with a workbook gets a workbook back, and somebody with a CSV file gets one on demand.
 * Method: the real command before the sandbox as a vendor; what it writes is read by a library that only reads.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { type Desk, openDesk } from './desk.ts';

/** Real numbers of real companies, as Excel keeps them: as numbers. */
const LEADS = [
  ['ABN', 'Name', 'Since'],
  [51_824_753_556, 'One', new Date('2001-02-28T00:00:00Z')],
  [],
  [33_051_775_556, '=Two', null],
  ['51 824 753 557', 'Wrong', null],
  [51_824_753_556, 'One again', null],
];

async function deskWithLeads(options = {}): Promise<Desk> {
  const desk = await openDesk(options);
  const bytes = await writeExcel(LEADS, { sheet: 'Leads', dateFormat: 'dd/mm/yyyy' }).toBuffer();
  await writeFile(desk.place.path('leads.xlsx'), bytes);
  return desk;
}

const RUN = ['run', 'enrich-company', 'leads.xlsx', '--budget', '1000'];

/** Rows as lists of cells, without the columns of the answers. */
async function cellsIn(desk: Desk, file: string, columns: readonly string[]): Promise<unknown[][]> {
  const [header = [], ...rows] = await readSheet(readFileSync(desk.place.path(file)), { trim: false });
  return rows.map((row) => columns.map((name) => row[header.indexOf(name)]));
}

test('a workbook comes back as a workbook, its cells as they were, and so does the file of what needs attention', async () => {
  const desk = await deskWithLeads();
  const { code, stderr } = await desk.type(RUN);
  expect(code).toBe(3);
  expect(stderr).not.toContain('leads.xlsx comes back');
  const output = await cellsIn(desk, 'leads.enriched.xlsx', ['ABN', 'Name', 'Since', '_status', '_credits']);
  expect(output).toEqual([
    [51_824_753_556, 'One', new Date('2001-02-28T00:00:00Z'), 'matched', 1],
    [null, null, null, null, null],
    [33_051_775_556, '=Two', null, 'matched', 1],
    ['51 824 753 557', 'Wrong', null, 'invalid', 0],
    [51_824_753_556, 'One again', null, 'matched', 0],
  ]);
  const attention = await cellsIn(desk, 'leads.enriched.needs-attention.xlsx', ['ABN', '_row', '_reason']);
  expect(attention.filter(([abn]) => abn !== null)).toEqual([
    ['51 824 753 557', 5, expect.stringContaining('checksum')],
  ]);
  expect(await desk.requests()).toBe(2);
});

test('a cell of a CSV file that Excel wrote as a formula is in a workbook the text that it shows', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'ABN,Site\n="51824753556","=""a.example"""\n');
  const run = ['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'list.enriched.xlsx'];
  expect((await desk.type(run)).code).toBe(0);
  expect(await cellsIn(desk, 'list.enriched.xlsx', ['ABN', 'Site', '_status'])).toEqual([
    ['51824753556', 'a.example', 'matched'],
  ]);
});

test('what cannot be read or written as a workbook is refused before anything is bought', async () => {
  const desk = await deskWithLeads();
  for (const name of ['leads.xls', 'leads.ods']) await desk.write(name, 'not looked into');
  await desk.write('list.csv', 'ABN\n51824753556\n');
  for (const [words, fact] of [
    [
      [...RUN, '-o', 'out.csv'],
      /The output is an Excel workbook, but the name .*out\.csv says otherwise\.\nGive it the ending \.xlsx or \.jsonl\./,
    ],
    [
      ['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'out.xls'],
      /The output is text in columns, but the name .*out\.xls says otherwise\.\nGive it the ending \.xlsx, \.csv or \.jsonl\./,
    ],
    [[...RUN, '--sheet', 'Lead'], /leads\.xlsx has no sheet "Lead"\.\nDid you mean Leads\?/],
    [
      ['run', 'enrich-company', 'leads.xls', '--budget', '9'],
      /ends in "\.xls", which Rowonce cannot read\.\nOpen it in Excel and save it as \.xlsx: File, Save As, Excel Workbook\./,
    ],
    [
      ['plan', 'leads.ods'],
      /ends in "\.ods", which Rowonce cannot read\.\nOpen it in LibreOffice or Excel and save it as \.xlsx\./,
    ],
  ] as const) {
    const { code, stderr } = await desk.type(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(fact);
  }
  expect(await desk.requests()).toBe(0);
});
