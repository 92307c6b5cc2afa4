/**
 * Goal: who opens the ledger with `sqlite3` or `psql` finds the tables and moves that `docs/internals/ledger.md` says.
 * Method: the page's tables are compared with those of the schema.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ATTEMPT_MOVES, keptTables, ROW_MOVES } from '../../src/ledger/schema.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/internals/ledger.md'), 'utf8');

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
  const told = tableUnder('Tables').map(([table = '', , columns = '']) => [
    table,
    ...columns.matchAll(/`(\w+)`/g),
  ]);
  const names = told.map(([table, ...columns]) => [table, ...columns.map(([, name]) => name)].join(' '));
  const kept = keptTables().map(({ table, columns }) => [`\`${table}\``, ...Object.keys(columns)].join(' '));
  expect(names.toSorted()).toEqual(kept.toSorted());
});
