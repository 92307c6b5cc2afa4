/**
 * Goal: a workbook as people make it, with titles, groups, totals and a second table, is worked on without a word about how it is
 * read; what was guessed is said.
 * Method: the real command before the sandbox as a vendor, over the register's real charities in a workbook of a real library.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { readSheet } from 'read-excel-file/node';
import { expect, test } from 'vitest';
import writeExcel from 'write-excel-file/node';
import { type Desk, openDesk } from './desk.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const CHARITIES = parse(readFileSync(join(FIXTURES, 'charities.csv'))).slice(0, 6) as string[][];

/** Their ABNs as numbers, as Excel keeps them, between what somebody has written around them. */
async function deskWithReport(): Promise<Desk> {
  const desk = await openDesk();
  const [, ...rows] = CHARITIES;
  const table = rows.map(([abn, name, , town], at) => [Number(abn), name, town, (at + 1) * 10]);
  const sheet = [
    ['Our charities', null, null, '3 Nov 2026'],
    [],
    ['Register', null, 'Ours', null],
    ['ABN', 'Name', 'Town', 'Donated'],
    ...table,
    [],
    ['Total', null, null, 150],
    [],
    ['Size', 'Meaning'],
    ['Small', 'below 500,000'],
    ['Large', 'from 3,000,000'],
  ];
  await writeFile(
    desk.place.path('report.xlsx'),
    await writeExcel(sheet as never, { sheet: 'Q4' }).toBuffer(),
  );
  return desk;
}

const RUN = ['run', 'enrich-company', 'report.xlsx', '--budget', '1000'];

test('only the rows of its table are asked about, the rest stays where it was, and all guesses are said', async () => {
  const desk = await deskWithReport();
  const { code, stderr } = await desk.type(RUN);
  expect(code).toBe(0);
  expect(stderr).toContain('The column names come from row 4 ("ABN", "Name", "Town", "Donated");');
  expect(stderr).toContain('5 rows (11-15: Total, Size, Small, Large) are no contacts and are left out;');
  expect(await desk.requests()).toBe(5);
  const output = await readSheet(readFileSync(desk.place.path('report.enriched.xlsx')), { trim: false });
  const status = (output[3] ?? []).indexOf('_status');
  expect(output.map((row) => [row[0], row[3], row[status] ?? null])).toEqual([
    ['Our charities', '3 Nov 2026', null],
    [null, null, null],
    ['Register', null, null],
    ['ABN', 'Donated', '_status'],
    ...CHARITIES.slice(1).map(([abn], at) => [Number(abn), (at + 1) * 10, 'matched']),
    [null, null, null],
    ['Total', 150, null],
    [null, null, null],
    ['Size', null, null],
    ['Small', null, null],
    ['Large', null, null],
  ]);
});

test.each([
  [['--header-row', '4-9'], /--header-row 4-9 cannot be read\.\nGive one row, such as 3,/],
  [['--rows', 'x'], /--rows x cannot be read\./],
  [['--rows', '2-9'], /--rows begins with row 2, and row 4 is the header\./],
  [['--header-row', '10'], /row 10 is blank, so it cannot be the header\./],
  [['--rows', '300-400'], /report\.xlsx has no row from 300 to 400\./],
  [
    ['--country', 'Australia'],
    /--country Australia cannot be read\.\nWrite a country as two letters, such as AU\./,
  ],
])('what cannot be meant is refused before anything is bought: %j', async (flags, fact) => {
  const desk = await deskWithReport();
  const { code, stderr } = await desk.type([...RUN, ...flags]);
  expect([code, await desk.requests()]).toEqual([2, 0]);
  expect(stderr).toMatch(fact);
});
