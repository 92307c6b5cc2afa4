/**
 * Goal: who opens the ledger with `sqlite3` or `psql` finds the tables and moves that `docs/internals/ledger.md` says, who reads a statement
 * knows which table each name stands for, and a row moves as the page has it, whatever the code does: a final outcome stays as it is.
 * Method: the page's tables are compared with those of the schema; each move of a row is then tried in SQL.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ATTEMPT_MOVES, keptTables, ROW_MOVES } from '../../src/ledger/schema.ts';
import { DATABASES } from './plain.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs/internals/ledger.md'), 'utf8');

/** The cells of each line of a table of the page. */
const tableUnder = (heading: string): readonly (readonly string[])[] =>
  [...(PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gm)]
    .map(([, line = '']) => line.split(' | '))
    .slice(1);

function movesUnder(heading: string, states: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const to = new Map<string, Set<string>>();
  for (const [from = '', into = ''] of tableUnder(heading))
    for (const state of from.split(', '))
      for (const next of into === 'any' ? states.filter((other) => other !== state) : into.split(', '))
        if (next !== '–') to.set(state, (to.get(state) ?? new Set()).add(next));
  return Object.fromEntries(states.map((state) => [state, [...(to.get(state) ?? [])].toSorted()]));
}

const sorted = (moves: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(moves).map(([from, to]) => [from, [...to].toSorted()]));

test('the page has the moves of the tables, and no other', () => {
  expect(movesUnder('How an attempt moves', Object.keys(ATTEMPT_MOVES))).toEqual(sorted(ATTEMPT_MOVES));
  expect(movesUnder('How a row moves', Object.keys(ROW_MOVES))).toEqual(sorted(ROW_MOVES));
});

test('the page has all tables and their columns', () => {
  const told = tableUnder('Tables').map(([table = '', , , columns = '']) => [
    table,
    ...columns.matchAll(/`(\w+)`/g),
  ]);
  const names = told.map(([table, ...columns]) => [table, ...columns.map(([, name]) => name)].join(' '));
  const kept = keptTables().map(({ table, columns }) => [`\`${table}\``, ...Object.keys(columns)].join(' '));
  expect(names.toSorted()).toEqual(kept.toSorted());
});

test('statements call a table by its name, or as the page says', () => {
  const calledAs = new Map(
    tableUnder('Tables').map(([table = '', as = '']) => [table.slice(1, -1), as.slice(1, -1)]),
  );
  const texts = globSync('src/ledger/**/*.ts', { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  // Words of SQL are in capitals.
  const called = [PAGE, ...texts].flatMap((text) => [
    ...text.matchAll(/\b(?:FROM|JOIN)\s+(\w+) (?:AS )?([a-z_]+)\b/g),
  ]);
  const known = called.filter(([, table = '']) => calledAs.has(table));
  expect(known.length).toBeGreaterThan(200);
  const others = known.filter(([, table = '', as = '']) => !`${as}_`.startsWith(`${calledAs.get(table)}_`));
  expect(others.map(([found]) => found)).toEqual([]);
});

const STATES = Object.keys(ROW_MOVES) as (keyof typeof ROW_MOVES)[];
const BATCH = '0000000b';
const REFUSAL = 'money rule: a row moves as the protocol says, and a final outcome stays as it is';

test.each(DATABASES)(
  'each move that the list has is made, and every other one is refused, as is what else an outcome rests on, on %s',
  async (_, open) => {
    const tables = await open();
    await tables.batch(BATCH);
    let newest = 9;
    const rowThatIs = async (state: keyof typeof ROW_MOVES): Promise<number> => {
      newest += 1;
      const sql = 'INSERT INTO rows (batch, row, state) VALUES (?, ?, ?)';
      await tables.transaction((inside) => inside.rows(sql, [BATCH, newest, state]));
      return newest;
    };
    const set = (row: number, what: string) =>
      tables.transaction((inside) =>
        inside.rows(`UPDATE rows SET ${what} WHERE batch = ? AND row = ?`, [BATCH, row]),
      );
    for (const from of STATES)
      for (const to of STATES.filter((state) => state !== from)) {
        const moved = set(await rowThatIs(from), `state = '${to}'`);
        const move = `from ${from} to ${to}`;
        if ((ROW_MOVES[from] as readonly string[]).includes(to))
          await expect(moved, move).resolves.toEqual([]);
        else await expect(moved, move).rejects.toThrow(REFUSAL);
      }
    const [one, two] = [await tables.bought(BATCH, 'one'), await tables.bought(BATCH, 'two')];
    const row = await rowThatIs('pending');
    await set(row, `state = 'matched', matched_by = 'abn', attempt = ${one}, findings = '[]'`);
    for (const other of [`attempt = ${two}`, `matched_by = 'name'`, 'row = 99'])
      await expect(set(row, other)).rejects.toThrow(REFUSAL);
    await set(row, `findings = NULL`);
    const deleted = tables.transaction((sql) => sql.rows('DELETE FROM rows WHERE batch = ?', [BATCH]));
    await expect(deleted).rejects.toThrow('money rule: nothing is deleted');
  },
);
