import { basename } from 'node:path';
import { stop } from '../../core/errors.ts';
import type {
  CellsFor,
  CopyOptions,
  Correction,
  FileBytes,
  Format,
  Position,
  PositionedRow,
  ReadOptions,
  Sheet,
  Survey,
} from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import type { InputRow } from '../../core/row.ts';
import { rowRangeText } from '../../core/row-range.ts';
import { Corrections } from '../corrections.ts';
import { tableInputRow, workbookCopy } from '../workbook-copy.ts';
import { type Book, readBook, sheetsMeant } from './xlsx/book.ts';
import { type OwnSource, ownCopy, ownCorrected } from './xlsx/own-copy.ts';
import { chooseTable, tableRows } from './xlsx/table.ts';
import { tablesOf } from './xlsx/table-part.ts';

/**
 * Excel workbooks: the table on one of their sheets, its cells as a user would type them, its rows by the numbers that
 * Excel shows. Rows stream; only the texts that they share are held in memory. A copy is the same workbook with cells added, or
 * where that cannot be a new one of that sheet alone, by value. Macros (`.xlsm`) are never run.
 */
const xlsx: Format = { name: 'xlsx', extensions: ['.xlsx', '.xlsm'], open };
export default xlsx;

async function open(file: FileBytes, options: ReadOptions): Promise<Sheet> {
  refuseTextOptions(file.path, options);
  const digest = { sha256: await file.sha256(), bytes: await file.size() };
  const book = await readBook(file);
  const { tab, table } = await chooseTable(
    book,
    sheetsMeant(book, options.sheet ?? options.asBefore?.sheet),
    options,
  );
  const source = { book, tab, table, tables: await tablesOf(book, tab, table.frame.tables) };
  return {
    tabs: book.sheets.map((each) => ({ name: each.name, isHidden: each.isHidden, isRead: each === tab })),
    notes: table.notes,
    layout: table.layout,
    top: table.top,
    headerRow: rowRangeText(table.header),
    ...present({ whyNew: obstacleIn(book) }),
    survey: (onRow) => survey(source, digest, onRow),
    header: async () => table.columns.names,
    groups: (from) => groups(source, from),
    copy: (copyOptions, cellsFor) => copy(source, copyOptions, cellsFor),
    corrected: (corrections, note) => corrected(source, corrections, note),
  };
}

/** @throws StopError `input`: a user who names these takes the file for another. */
function refuseTextOptions(path: string, { encoding, delimiter }: ReadOptions): void {
  if (encoding === undefined && delimiter === undefined) return;
  const fact = `${path} is an Excel workbook, which has neither an encoding nor delimiters.`;
  throw stop('input', fact, 'Leave them out.');
}

async function survey(
  source: OwnSource,
  digest: Pick<Survey, 'sha256' | 'bytes'>,
  onRow?: (row: InputRow) => void,
): Promise<Survey> {
  const { tab, table } = source;
  if (onRow !== undefined) for await (const group of inputRows(source)) for (const row of group) onRow(row);
  const encoding = `Excel workbook, sheet ${JSON.stringify(tab.name)}`;
  return { ...digest, encoding, delimiter: 'cells', header: table.columns.names, rows: table.rows };
}

/** The file has no offset at which a row could be found, so those before it are passed over. */
async function* groups(source: OwnSource, from?: Position): AsyncIterable<readonly PositionedRow[]> {
  for await (const group of inputRows(source)) {
    yield group.flatMap((each) => {
      const { row } = each;
      return row < (from?.row ?? 0) ? [] : [{ ...each, position: { row, byteOffset: 0, lines: row - 1 } }];
    });
  }
}

async function* inputRows({ book, tab, table }: OwnSource): AsyncIterable<readonly InputRow[]> {
  for await (const group of tableRows(book, tab, table)) {
    const rows = group.filter(({ kind }) => kind === 'row');
    yield rows.map((row) => tableInputRow(row, table.columns));
  }
}

/** The user's own workbook with ours in it; where that is not wanted or cannot be, a new one of the sheet, by value. */
async function* copy(source: OwnSource, options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer> {
  const { book, tab, table } = source;
  if (options.isPart !== true && options.byValue !== true) {
    const made = await madeOf(source, options.note, () => ownCopy(source, options, cellsFor));
    if (made !== undefined) return yield* made;
  }
  // A few rows of it, such as those that need attention, are nothing that anybody takes for the workbook.
  if (options.isPart !== true) options.note?.(table.loss);
  const rows = (): ReturnType<typeof tableRows> => tableRows(book, tab, table);
  yield* workbookCopy({ sheetName: tab.name, columns: table.columns, rows }, options, cellsFor);
}

/** The user's own workbook; undefined where nothing can be written into it, which is said. */
async function madeOf(
  { book }: OwnSource,
  note: CopyOptions['note'],
  make: () => ReturnType<typeof ownCopy>,
): Promise<AsyncIterable<Buffer> | undefined> {
  const obstacle = obstacleIn(book);
  const made = obstacle?.fact ?? (await make());
  if (typeof made !== 'string') return made;
  const next = obstacle === undefined ? '' : ` To have them in it: ${obstacle.next}.`;
  const name = basename(book.archive.path);
  note?.(`${name} stays as it is, because ${made}; our columns come in a new workbook beside it.${next}`);
  return undefined;
}

/** Why nothing may be written into this workbook; undefined where something may. */
function obstacleIn({ isSigned, isShared, archive: { oddNames } }: Book): Sheet['whyNew'] {
  if (isSigned) {
    const next = 'remove the signature in Excel under File, Info, View Signatures';
    return { fact: 'it has a digital signature, which would become invalid', next };
  }
  if (oddNames !== undefined) return { fact: oddNames, next: 'save it again in Excel' };
  if (!isShared) return undefined;
  const next = 'end the sharing in Excel under Review, Unshare Workbook';
  return { fact: 'it is a shared workbook of the old kind, with a log of every cell', next };
}

/** The workbook with what is corrected as text in it, as it was typed; or a new one like a copy by value. */
async function* corrected(
  source: OwnSource,
  list: readonly Correction[],
  note: CopyOptions['note'],
): AsyncIterable<Buffer> {
  const made = await madeOf(source, note, () => ownCorrected(source, list, note));
  if (made !== undefined) return yield* made;
  const { book, tab, table } = source;
  note?.(table.loss);
  const { columns } = table;
  const corrections = new Corrections(book.archive.path, columns.names, list);
  async function* rows(): ReturnType<typeof tableRows> {
    for await (const group of tableRows(book, tab, table)) {
      yield group.map((row) => {
        const made = row.kind === 'row' ? corrections.take(tableInputRow(row, columns)) : undefined;
        if (made === undefined) return row;
        const cells = [...row.cells];
        for (const [at, { text }] of made) cells[columns.places[at] ?? at] = { kind: 'text', text };
        return { ...row, cells };
      });
    }
    corrections.requireAllMade();
  }
  const nothing = { columns: [], dropped: new Set<string>() };
  yield* workbookCopy({ sheetName: tab.name, columns, rows }, nothing, async (each) => each.map(() => []));
}
