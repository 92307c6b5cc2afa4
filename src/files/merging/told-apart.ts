import { hash } from 'node:crypto';
import type { ValuedRow } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import { isUnreadCopy } from '../json-copy.ts';
import { ROWS_SAMPLED } from './likely-identifiers.ts';
import { type IntoLine, type Matches, matchRows, type ResultLine } from './matching.ts';
import {
  identityOf,
  type KnownColumns,
  type MergeColumns,
  mergeColumns,
  type NamedRows,
} from './merge-columns.ts';
import type { SourceRow, TableOf, TableRow } from './merge-table.ts';
import { OtherCells } from './other-cells.ts';
import { isOpen, NO_ROW, type Place, placesOf } from './result-places.ts';

export interface Known extends KnownColumns {
  /** The hashes of what each row was finished from, one for each job. */
  readonly sentAs: ReadonlyMap<RowNumber, readonly number[]>;
  /** Whether nobody has edited the result since we wrote it. */
  readonly isAsWritten: boolean;
  /** The cells of each row of the list as it was, in the order of `before`; undefined where it is not there any more. */
  readonly listed: ReadonlyMap<RowNumber, readonly string[]> | undefined;
}

export interface ToldApart {
  readonly columns: MergeColumns;
  readonly results: readonly ResultRow[];
  readonly lines: readonly IntoLine[];
  readonly matches: Matches;
}

/** @throws StopError `input` where the two do not belong together. */
export async function tellApart(from: TableOf, to: TableOf, known: Known | undefined): Promise<ToldApart> {
  const said = await from.rows();
  const columns = mergeColumns(named(from, said), named(to, await to.rows(ROWS_SAMPLED)), known);
  const telling: Telling = { columns, others: new OtherCells(columns, to.header, known), known };
  const results = resultRows(from, said, telling);
  const lines = await linesOf(to, telling);
  const sentAs = isSentKnown(known) ? sentTexts(known) : undefined;
  const matches = matchRows(results, lines, sentAs, telling.others.isWhole);
  return { columns, results, lines, matches };
}

function named({ path, header }: TableOf, rows: readonly SourceRow[]): NamedRows {
  return { path, header, rows: rows.map(({ cell }) => cell) };
}

/** Finds the rows of the other file that say what a row of the result says, or what was sent for it. */
export function rowsAlike(
  { columns, lines }: Pick<ToldApart, 'columns' | 'lines'>,
  known: Known | undefined,
): (line: ResultRow) => readonly RowNumber[] {
  const named = lines.filter(({ key }) => key !== '');
  const [byKey, byInput] = [Map.groupBy(named, ({ key }) => key), Map.groupBy(named, ({ input }) => input)];
  const sentAs = sentTexts(known);
  return (line) => {
    const now = byKey.get(keyOf(columns, line.cell)) ?? [];
    const before = byInput.get(sentAs.get(line.row) ?? '') ?? [];
    return [...new Set([...now, ...before])].map(({ row }) => row);
  };
}

export interface ResultRow extends ResultLine, TableRow {
  /** As a row of the other file has it. */
  readonly input: string;
  /** The number by which the user knows it: its own in an output, and that of the list else, where it can be read. */
  readonly shown: RowNumber;
}

interface Telling {
  readonly columns: MergeColumns;
  readonly others: OtherCells;
  readonly known: Known | undefined;
}

function resultRows(from: TableOf, said: readonly SourceRow[], telling: Telling): readonly ResultRow[] {
  const { columns, others, known } = telling;
  const rows = said
    .filter(({ source }) => !isUnread(source, columns))
    .map(({ source, ...own }) => {
      const row = columns.isOutput ? source.row : numberIn(own.cell('_row'));
      const shown = row === NO_ROW ? source.row : row;
      return { ...own, row, shown, input: inputOf(from, source, telling) };
    });
  const places = columns.isOutput ? placesIn(rows, telling) : rows.map(({ row }) => row);
  return rows.map((own, at) => {
    const place = places[at] ?? NO_ROW;
    const row = typeof place === 'number' ? place : NO_ROW;
    const before = known?.before && beforeIn(known, row);
    const told = { key: keyOf(columns, own.cell), input: own.input, other: others.of(before ?? own.cell) };
    const answer = isSentKnown(known) ? '' : answerOf(columns, own.cell);
    return { ...own, ...(place === 'unclear' ? UNCLEAR : told), answer, row };
  });
}

/** The number of a row in the list as a file of rows that need attention has it, which may have been edited. */
function numberIn(cell: string): RowNumber {
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : NO_ROW;
}

/** All that a row was told. What was paid for an answer is another thing in each row that got it. */
function answerOf({ added, answered }: MergeColumns, cell: TableRow['cell']): string {
  const told = [...added, ...answered].filter((name) => !/^_(?:credits|source)(?:_|$)/.test(name));
  return hash('sha256', JSON.stringify(told.map(cell)), 'base64');
}

/** Which rows of the list these are. Of rows that were sent alike their other cells tell which is which, where the list is known. */
function placesIn(
  rows: readonly (TableRow & { readonly row: RowNumber; readonly input: string })[],
  { others, known }: Telling,
): readonly Place[] {
  const sentAs = sentTexts(known);
  const [once, several] = [new Set<string>(), new Set<string>()];
  for (const sent of sentAs.values()) (once.has(sent) ? several : once).add(sent);
  const textOf = (input: string, cell: TableRow['cell'] | undefined): string =>
    cell === undefined || !several.has(input) ? input : `${input} ${others.of(cell)}`;
  const said = rows.map(({ row, input, cell }) => ({
    row,
    input: textOf(input, known?.listed && cell),
    isOpen: isOpen(cell('_status')),
  }));
  const listed = [...sentAs].map(
    ([row, sent]) => [row, textOf(sent, known && beforeIn(known, row))] as const,
  );
  return placesOf(said, new Map(listed));
}

/** No row of a file is found by this. */
const UNCLEAR = { key: '', input: '', other: undefined };

/** What could not be read in the list is no row of a copy either, though it can be read there. */
function isUnread({ object }: ValuedRow, { identifiers }: MergeColumns): boolean {
  return isUnreadCopy(
    object,
    identifiers.map(({ column }) => column),
  );
}

export function beforeIn({ before, listed }: Known, row: RowNumber): TableRow['cell'] | undefined {
  const cells = listed?.get(row);
  return cells && ((column) => cells[before?.indexOf(column) ?? -1] ?? '');
}

/** What a row says where it is sent; where nobody knows what was sent, what its identifiers say to the letter. */
function inputOf(table: TableOf, row: ValuedRow, { columns, known }: Telling): string {
  if (known !== undefined) return table.inputOf(row);
  const { cell } = table.rowOf(row);
  return JSON.stringify(columns.identifiers.map(({ column }) => cell(column)));
}

export function sentTexts(known: Known | undefined): ReadonlyMap<RowNumber, string> {
  return new Map([...(known?.sentAs ?? [])].map(([row, inputs]) => [row, inputs.join(' ')]));
}

const isSentKnown = (known: Known | undefined): boolean => known !== undefined && known.sentAs.size > 0;

async function linesOf(to: TableOf, telling: Telling): Promise<readonly IntoLine[]> {
  const lines: IntoLine[] = [];
  for await (const group of to.groups())
    for (const row of group) {
      if (isUnread(row, telling.columns)) continue;
      const { cell } = to.rowOf(row);
      const [key, other] = [keyOf(telling.columns, cell), telling.others.of(cell)];
      lines.push({ row: row.row, key, input: inputOf(to, row, telling), other });
    }
  return lines;
}

function keyOf({ identifiers }: MergeColumns, cell: (column: string) => string): string {
  const texts = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
  return texts.every((text) => text === '') ? '' : JSON.stringify(texts);
}
