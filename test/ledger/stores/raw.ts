import type { Kind } from '../../../src/ledger/rules/moves.ts';
import { NOON_MS } from './book.ts';

/**
 * Entries in raw SQL, for tests that go around the code. Cells are SQL. All sums are 0, because no guard looks at them.
 */
export type Cells = Readonly<Record<string, number | string>>;

/** The number of the next entry, and that of the newest. */
export const NEWEST = `(SELECT max(booked, coalesce((SELECT max(id) FROM attempts), 0), coalesce((SELECT max(id) FROM ends), 0),
  coalesce((SELECT max(id) FROM notes), 0)) FROM book)`;
export const NEXT = `(${NEWEST} + 1)`;

export const batchKeyed = (key: string): string => `(SELECT id FROM batches WHERE key = '${key}')`;

export const quoted = (word: string): string => `'${word}'`;

export function insertion(table: string, cells: Cells): string {
  return `INSERT INTO ${table} (${Object.keys(cells).join(', ')}) VALUES (${Object.values(cells).join(', ')});`;
}

/** A call of a new key; its first attempt comes next. */
export function call(cells: Cells = {}): string {
  const asked = { account: 1, operation: "'x'", parameters: "'{}'" };
  const { id = NEXT } = cells;
  return insertion('calls', { id, key: 'randomblob(32)', ...asked, sum: 0, open: id, head: id, ...cells });
}

/** @param of the number of the call. */
export function attempt(of: number | string, cells: Cells = {}): string {
  const asked = { batch: batchKeyed('key-a'), row: 2, reserved: 1, at: NOON_MS };
  return insertion('attempts', { id: NEXT, kind: "'intent'", call: of, ...asked, sum: 0, ...cells });
}

/** A new call with its first attempt. */
export const first = (cells: Cells = {}, asked: Cells = {}): string => call(asked) + attempt(NEXT, cells);

const callOf = (attemptNumber: number | string): string =>
  `(SELECT call FROM attempts WHERE id = ${attemptNumber})`;

export function reply(of: number | string, cells: Cells = {}): string {
  const came = { at: NOON_MS, status: 200, headers: "'{}'", body: "x''" };
  return insertion('replies', { of, call: callOf(of), ...came, sum: 0, content_sum: 0, ...cells });
}

/** What is not said is as the rules have it. */
export function end(of: number | string, kind: Kind, cells: Cells = {}): string {
  const said: Cells =
    kind === 'answered'
      ? { said: "'found'", status: 200, spent: 1 }
      : { said: kind === 'unsold' ? "'not_sent'" : 'NULL', spent: 0, words: "'x'" };
  const common = { of, id: NEXT, kind: quoted(kind), call: callOf(of), at: NOON_MS, estimated: 0, sum: 0 };
  return insertion('ends', { ...common, ...said, ...cells });
}

export const answer = (of: number | string, cells: Cells = {}): string =>
  reply(of, 'status' in cells ? { status: cells.status ?? 0 } : {}) + end(of, 'answered', cells);

export function note(kind: string, of: number | string, cells: Cells = {}): string {
  const moves = { spent: 0, held: 0 };
  const common = { id: NEXT, kind: quoted(kind), call: callOf(of), of, at: NOON_MS, estimated: 0, sum: 0 };
  return insertion('notes', { ...common, ...moves, ...cells });
}

/** Books all that was written since the last group, as is done before each commit. */
export const BOOK = `INSERT INTO groups (id, first, sum) SELECT ${NEWEST}, booked + 1, 0 FROM book WHERE unbooked IS NOT NULL;`;
