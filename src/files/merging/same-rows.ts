import { hash } from 'node:crypto';
import type { ValuedRow } from '../../core/format.ts';
import type { RowNumber } from '../../core/row.ts';
import type { OnExisting } from '../../job/job.ts';
import type { OpenedFile } from '../input.ts';
import { isUnreadCopy } from '../json-copy.ts';
import type { CellKind } from '../quality/cell-issues.ts';

/**
 * Finds the rows of a result in a file that its user has sorted, cut or added to since: by what was sent for them, then by identifiers
 * however they are written. Among rows that say the same their other cells tell which is which, and then their order.
 */

export type Cells = (column: string) => string;

/** What a store knows of a result. */
export interface Known {
  /** Input → column. */
  readonly columns: Readonly<Record<string, string>>;
  /** What was sent for each row of the list, by its hash, and for how many rows. */
  readonly sent: ReadonlyMap<RowNumber, number>;
  readonly counts: ReadonlyMap<number, number>;
  /** The columns of answers, with what the job said of one of the user's that is called so. */
  readonly answers: ReadonlyMap<string, OnExisting>;
  /** The columns that her list had, and none of ours. */
  readonly hers: ReadonlySet<string>;
  /** Rows as they were in the list, where they were not erased. */
  readonly before: ReadonlyMap<RowNumber, Cells>;
}

export interface Table extends OpenedFile {
  readonly header: readonly string[];
  cellsOf(row: Pick<ValuedRow, 'cells'>): Cells;
}

export async function tableOf(file: OpenedFile): Promise<Table> {
  const header = await file.sheet.header();
  const at = new Map(header.map((name, place) => [name, place]));
  return {
    ...file,
    header,
    cellsOf:
      ({ cells }) =>
      (column) =>
        cells[at.get(column) ?? -1] ?? '',
  };
}

/** Without those that cannot be read: nobody knows which of their cells belongs to which column. */
export async function* rowsOf({ sheet }: Table): AsyncIterable<ValuedRow> {
  for await (const group of sheet.groups())
    for (const row of group) if (row.unreadable === undefined && !isUnreadCopy(row.object, [])) yield row;
}

export interface Identifier {
  readonly column: string;
  readonly kind: CellKind | undefined;
}

export interface MergeColumns {
  /** Whether the result is an output; else it is a file of rows that need attention. */
  readonly isOutput: boolean;
  /** Columns of an output that the other file gets or has of ours, in their order. */
  readonly added: readonly string[];
  /** The columns of the user that both have. */
  readonly own: readonly string[];
  readonly identifiers: readonly Identifier[];
}

export interface Line {
  /** For a row that needs attention: its number in the list. */
  readonly row: RowNumber;
  /** The hash of its cells that are sent; undefined where no store knows which they are. */
  readonly own: number | undefined;
  /** Its identifiers however they are written; blank where it has none. */
  readonly key: string;
  /** Its other cells; undefined where they say nothing. */
  readonly other: string | undefined;
}

export interface ResultLine extends Line {
  readonly source: ValuedRow;
  readonly cell: Cells;
  /** What was sent for it, which may have been mended since; undefined where that is not known. */
  readonly sent: number | undefined;
  /** What it was told. What was paid for an answer is another thing in each row that got it. */
  readonly answer: string;
}

const textOf = (cells: readonly string[]): string => hash('sha256', JSON.stringify(cells), 'base64');

/**
 * What was sent for a row, as 48 bits of a hash, which a number holds: of one that cannot be read over all its cells.
 * @param columns input → column.
 */
export function sentOf(columns: Readonly<Record<string, string>>, header: readonly string[]) {
  const places = Object.values(columns).map((column) => header.indexOf(column));
  return ({ cells, unreadable }: Pick<ValuedRow, 'cells' | 'unreadable'>): number => {
    const sent = unreadable === undefined ? places.map((at) => cells[at] ?? '') : cells;
    return hash('sha256', JSON.stringify(sent), 'buffer').readUIntBE(0, 6);
  };
}

export function lineReader(
  table: Table,
  { identifiers, own }: MergeColumns,
  known: Known | undefined,
): (row: ValuedRow, before?: Cells) => Line {
  const ownOf = known && sentOf(known.columns, table.header);
  const others = own.filter((name) => !identifiers.some(({ column }) => column === name));
  return (source, before) => {
    const cell = table.cellsOf(source);
    const names = identifiers.map(({ column, kind }) => identityOf(kind, cell(column)));
    const cells = others.map(before ?? cell);
    return {
      ...{ row: source.row, own: ownOf?.(source) },
      key: names.every((name) => name === '') ? '' : JSON.stringify(names),
      other: cells.every((text) => text.trim() === '') ? undefined : textOf(cells),
    };
  };
}

/** How an identifier is told from others: without what people write it differently by. */
function identityOf(kind: CellKind | undefined, cell: string): string {
  const text = cell.normalize('NFKC').trim().toLowerCase();
  if (kind === 'abn') return text.replaceAll(/\D/g, '') || text;
  if (kind === 'website' || kind === 'domain' || kind === 'profile_url')
    return text.replace(/^https?:\/\/(?:www\.)?|^www\./, '').replace(/\/+$/, '');
  return text.replaceAll(/\s+/g, ' ');
}

export function resultRows(
  from: Table,
  said: readonly ValuedRow[],
  columns: MergeColumns,
  known: Known | undefined,
): readonly ResultLine[] {
  const lineOf = lineReader(from, columns, known);
  const told = columns.added.filter((name) => name !== '_credits' && name !== '_source');
  return said.map((source) => {
    const cell = from.cellsOf(source);
    const number = columns.isOutput ? source.row : Number(cell('_row')) || source.row;
    const line = lineOf(source, columns.isOutput ? undefined : known?.before.get(number));
    // An output says itself what was sent for a row. One that says what was sent for none was mended, so its answer is to something else.
    const isSent = line.own !== undefined && known?.counts.has(line.own);
    const sent = columns.isOutput ? (isSent ? line.own : undefined) : known?.sent.get(number);
    const answer = textOf(told.map(cell));
    return { ...line, row: number, source, cell, sent, answer };
  });
}

export type Pairs = ReadonlyMap<RowNumber, ResultLine>;

/** What a row says; undefined where it is not to be found by that. */
type Say<Item> = (item: Item) => string | number | undefined;

export function matchRows(
  results: readonly ResultLine[],
  lines: readonly Line[],
  { isOutput }: MergeColumns,
  known: Known | undefined,
): Pairs {
  const keyOf = ({ key }: Line): string => key;
  const isListed = ({ own }: Line): boolean => own !== undefined && known?.counts.has(own) === true;
  const ways: readonly (readonly [Say<ResultLine>, Say<Line>])[] = [
    [({ sent }) => sent, ({ own }) => own],
    [(one) => (one.own === one.sent ? one.key : undefined), keyOf],
    // She has mended it in her own file as well, where that is not what was sent for another row.
    [
      ({ key }) => (isOutput || key === '' ? undefined : key),
      (line) => (isListed(line) ? undefined : line.key),
    ],
  ];
  const pairs = new Map<RowNumber, ResultLine>();
  const matched = new Set<ResultLine>();
  for (const [ofResult, ofLine] of ways) {
    const there = grouped(
      lines.filter(({ row }) => !pairs.has(row)),
      ofLine,
    );
    const left = results.filter((one) => !matched.has(one));
    for (const [said, ones] of grouped(left, ofResult)) {
      const listed = typeof said === 'number' ? known?.counts.get(said) : undefined;
      for (const [one, line] of pairsOf(ones, there.get(said) ?? [], listed, isOutput)) {
        pairs.set(line.row, one);
        matched.add(one);
      }
    }
  }
  return pairs;
}

/** @param listed how many rows of the list said the same, where that is known. */
function pairsOf(
  ones: readonly ResultLine[],
  lines: readonly Line[],
  listed: number | undefined,
  isOutput: boolean,
): readonly (readonly [ResultLine, Line])[] {
  // Rows that were told other things have no answer for each other, but where each of them is one that was sent so.
  const isAlike = new Set(ones.map(({ answer }) => answer)).size === 1 || ones.length <= (listed ?? 0);
  const mayOrder = isAlike || !isOutput;
  const left = [new Set(ones), new Set(lines)] as const;
  const found: (readonly [ResultLine, Line])[] = [];
  const pair = (some: readonly ResultLine[], there: readonly Line[]): void => {
    for (const [at, one] of some.entries()) {
      const line = there[at];
      if (line === undefined) return;
      found.push([one, line]);
      left[0].delete(one);
      left[1].delete(line);
    }
  };
  const same = grouped(lines, ({ other }) => other);
  for (const [other, some] of grouped(ones, (one) => one.other)) {
    const there = same.get(other) ?? [];
    if (mayOrder || (some.length === 1 && there.length === 1)) pair(some, there);
  }
  // Rows without an identifier are told apart by their other cells alone.
  if (lines.some(({ key }) => key === '')) return found;
  const isOnly = (listed ?? ones.length) === 1 && lines.length === 1;
  if (isOnly || (isOutput && isAlike)) pair([...left[0]], [...left[1]]);
  return found;
}

function grouped<Item>(
  items: readonly Item[],
  sayOf: Say<Item>,
): ReadonlyMap<string | number, readonly Item[]> {
  const groups = Map.groupBy(items, sayOf);
  groups.delete(undefined);
  return groups as Map<string | number, Item[]>;
}
