/**
 * Goal: a batch goes on with the rows with which it began, whatever a later version would guess of its list; and one that was
 * begun before anything was guessed goes on without a guess.
 * Method: a workbook with titles and totals, opened beside a ledger whose batches say what they had found.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { FoundLayout } from '../../src/core/reading.ts';
import { openInput } from '../../src/files/input.ts';
import { jobSettings, readSettings } from '../../src/job/job-settings.ts';
import type { Batch, LedgerReader } from '../../src/ledger/ledger.ts';
import { inputFolder, rowsOf } from './formats/sheets.ts';
import { bookOf, textRow } from './formats/workbook-file.ts';

const ROWS = [
  textRow(1, 'Domain', 'Contact'),
  textRow(2, 'acme.com', 'a@acme.com'),
  textRow(3, 'beta.com', 'b@beta.com'),
  textRow(5, 'Grand total', '2'),
];
const OTHER = [textRow(1, 'Domain'), textRow(2, 'delta.com')].join('');
const BOOK = bookOf({ rows: ROWS.join(''), otherSheets: [{ name: 'Other', rows: OTHER }] });

/** A ledger with one batch over the workbook. */
function ledgerWith(path: string, settings: Batch['settings'], inputRows: number) {
  const inputSha256 = createHash('sha256').update(BOOK).digest('hex');
  const batch = { id: 'b', inputPath: path, inputSha256, inputRows, settings } as unknown as Batch;
  return { batches: async () => [batch] } as Pick<LedgerReader, 'batches'>;
}

const settingsWith = (layout: FoundLayout): Batch['settings'] =>
  jobSettings({ name: 'x', operation: {} } as never, {
    columns: {},
    nullNames: {},
    answerPlace: {},
    outputName: undefined,
    outputPath: undefined,
    isOfOther: false,
    layout,
    read: {},
  });

const KEPT = { left_out: [{ rows: '3', text: '' }] };

test.each<[string, FoundLayout, readonly number[]]>([
  ['that was read without a guess has the line of totals as a row', {}, [2, 3, 5]],
  ['whose guess was another is read by that one', KEPT, [2, 5]],
  ['that an earlier program took from another sheet is read from that', { sheet: 'Other' }, [2]],
])('the list of a batch %s', async (_what, layout, expected) => {
  const path = await (await inputFolder())(BOOK, 'book.xlsx');
  const settings = settingsWith(layout);
  const ledger = ledgerWith(path, settings, expected.length);
  const { sheet, survey } = await openInput(path, {}, ledger);
  expect((await rowsOf(sheet)).map(({ row }) => row)).toEqual(expected);
  expect([survey.rows, sheet.layout]).toEqual([expected.length, layout]);
  // What is exported from the ledger alone is read so as well.
  const exported = await openInput(path, readSettings(settings));
  expect((await rowsOf(exported.sheet)).map(({ row }) => row)).toEqual(expected);
});

test('a list without a batch is read as it looks, and so is one that is told to be read in another way', async () => {
  const path = await (await inputFolder())(BOOK, 'book.xlsx');
  expect((await openInput(path, {})).survey.rows).toBe(2);
  const told = await openInput(path, { header_row: '1' }, ledgerWith(path, settingsWith({}), 3));
  expect(told.survey.rows).toBe(2);
});
