import type Database from 'better-sqlite3';
import { expect } from 'vitest';

/** What must not be possible, the guard of the database that refuses it, and how it is tried. */
export type Refusal = readonly [promise: string, guard: string, sql: string];

/** What is done before each commit: totals move by what was written, and a cap refuses it. */
export const BOOK = 'DELETE FROM unbooked;';

/** Refused, and not any more once the guard is taken out, so that nothing else is what refuses it. */
export function expectRefusal(database: Database.Database, guard: string, sql: string): void {
  expect(() => tryOut(database, sql)).toThrow(/money rule|UNIQUE constraint/);
  const kind = guard.endsWith('_open') ? 'INDEX' : 'TRIGGER';
  tryOut(database, `DROP ${kind} ${guard}; ${sql}`);
}

/** Leaves nothing behind, so that each test finds the same ledger with all of its guards. */
export function tryOut(database: Database.Database, sql: string): void {
  database.exec('BEGIN');
  try {
    database.exec(sql);
  } finally {
    database.exec('ROLLBACK');
  }
}

/** Guards of the database that no refusal names, of all or of those in a script. */
export function untested(
  database: Database.Database,
  script: string | undefined,
  refusals: readonly Refusal[],
): readonly string[] {
  const tested = new Set(refusals.map(([, guard]) => guard));
  return database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => script === undefined || new RegExp(`CREATE TRIGGER ${name}\\b`).test(script))
    .filter((name) => !tested.has(name));
}

/** The number of an ending in the table of closures. @param answer in SQL. */
export function endingOf(kind: string, answer: string): number {
  const endings = ['settled no_match', 'settled found', 'settled refused'];
  const others = ['not_sent', 'paused', 'stopped', 'in_doubt'];
  return [...endings, ...others].indexOf(answer === 'NULL' ? kind : `${kind} ${answer.replaceAll("'", '')}`);
}
