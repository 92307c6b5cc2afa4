import { stringify } from 'csv-stringify/sync';
import type { CellsFor, CopyOptions, Sheet } from '../../core/format.ts';
import { DELIMITERS } from '../../core/reading.ts';
import { erasedRow, type InputRow } from '../../core/row.ts';
import { readSettings } from '../../job/job-settings.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { endingOf, isJsonLinesName } from '../../lib/file-name.ts';
import { calledPath } from '../called.ts';
import { valueRows } from '../header.ts';
import type { Input } from '../input.ts';
import { jsonCopy } from '../json-copy.ts';
import { PART_ROWS, rowParts } from '../kept-rows.ts';
import { saidHeader } from '../shape/list-start.ts';
import { workbookCopy } from '../workbook-copy.ts';

/** The list from which an output is made: as its file has it, or as the ledger keeps it. */
export interface ListSource extends Pick<Input, 'path'> {
  /** Absent where the rows come from the ledger. */
  readonly file?: Pick<Input['file'], 'requireContent'>;
  readonly sheet: Pick<Sheet, 'header' | 'layout' | 'start' | 'groups' | 'copy'>;
  readonly survey: Input['survey'];
}

/**
 * The list of a batch from the cells that the ledger keeps, for a file that is gone or has other content now.
 * It is a new table of values; formats, formulas and other parts of the file are not kept.
 * @returns undefined where not all rows were submitted: then nothing was bought for the list either.
 */
export function keptList(ledger: LedgerReader, batch: Batch): ListSource | undefined {
  const { inputPath: path, inputSha256: sha256, inputRows: rows, header, isSubmitted, settings } = batch;
  if (isSubmitted !== true) return undefined;
  const read = readSettings(settings);
  const layout = read.asBefore ?? {};
  const called = calledPath(path, layout);
  const { delimiter = endingOf(path) === '.tsv' ? 'tab' : 'comma' } = read;
  const table = {
    header: async () => header,
    layout,
    start: { header: saidHeader(read) ?? { first: 1, last: 1 }, isFound: false },
    groups: () => keptRows(ledger, batch),
  };
  const isWorkbook = ['.xlsx', '.xlsm'].includes(endingOf(called));
  const copy: Sheet['copy'] = (options, cellsFor) => {
    if (isJsonLinesName(called)) return jsonCopy(table, options, cellsFor);
    return isWorkbook
      ? workbookCopy(table, options, cellsFor)
      : csvCopy(table, DELIMITERS[delimiter], options, cellsFor);
  };
  return { path, survey: { sha256, header, rows }, sheet: { ...table, copy } };
}

/** The list, as it was submitted. Rows that a plan has behind the list do not belong to it. */
async function* keptRows(ledger: LedgerReader, { id, inputRows: left }: Batch) {
  const { single } = PART_ROWS;
  for await (const part of rowParts(single, (from) => ledger.rowsAt(id, { from }, single))) {
    const rows = part.slice(0, left).map(({ row }) => row);
    const cells = await ledger.cellsOf(id, rows);
    yield rows.map((row): InputRow => cells.get(row) ?? erasedRow(row));
    left -= rows.length;
    if (left === 0) return;
  }
}

async function* csvCopy(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  delimiter: string,
  options: CopyOptions,
  cellsFor: CellsFor,
): AsyncIterable<Buffer> {
  const textOf = (lines: string[][]): Buffer => Buffer.from(stringify(lines, { delimiter }));
  const kept = (await sheet.header()).filter((name) => !options.dropped.has(name));
  yield textOf([[...kept, ...options.columns]]);
  for await (const rows of valueRows(sheet, options, cellsFor))
    yield textOf(rows.map(({ own, ours, surplus }) => [...own, ...ours, ...surplus]));
}

export const keptWords = ({ id, inputPath }: Batch): string =>
  `${inputPath} is gone, or has changed since batch ${id} worked on it, ` +
  'so the output is made of the cells that the store keeps of it.';
