import type Database from 'better-sqlite3';
import { expect } from 'vitest';

/** What must not be possible, the guard of the database that refuses it, and how it is tried. */
export type Refusal = readonly [promise: string, guard: string, sql: string];

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

/** Guards of topics that have tests of their own, and stand in files of other topics. */
export const ELSEWHERE = {
  acts: ['acts_no_update', 'acts_no_delete'],
  agreements: ['agreements_no_update', 'agreements_no_delete'],
  changes: [
    ...['notes_retracting_change', 'batches_plan_kept', 'planned_no_update', 'planned_no_delete'],
    ...['subjects_unchanged', 'subjects_no_delete', 'changes_no_update', 'changes_no_delete'],
  ],
  erasures: ['erasures_kept', 'erasures_no_delete', 'erased_no_update', 'erased_no_delete'],
  copies: ['copies_no_update', 'copies_no_delete'],
  holds: ['holds_no_update', 'holds_no_delete'],
  notices: ['notices_no_update', 'notices_no_delete'],
  prices: ['attempts_price', 'prices_no_delete'],
  readings: [
    ...['notes_read', 'notes_reading', 'notes_reading_change', 'notes_reading_pays', 'notes_retracting_read'],
  ],
} as const;

/** Guards that are in a script or in a list, and are named by no refusal. */
export function untested(
  database: Database.Database,
  refusals: readonly Refusal[],
  script: string,
  more: readonly string[] = [],
): readonly string[] {
  const tested = new Set(refusals.map(([, guard]) => guard));
  return guardsOf(database)
    .filter((name) => more.includes(name) || new RegExp(`CREATE TRIGGER ${name}\\b`).test(script))
    .filter((name) => !tested.has(name));
}

/** The triggers that refuse something. */
export function guardsOf(database: Database.Database): readonly string[] {
  return database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%RAISE%' ORDER BY name",
    )
    .pluck()
    .all();
}

/** Does something that guards refuse, and leaves the guards as they were: what finds it then is not their absence. */
export function pastGuards(database: Database.Database, guards: readonly string[], sql: string): void {
  const texts = guards.map((guard) =>
    database.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(guard),
  );
  for (const guard of guards) database.exec(`DROP TRIGGER ${guard}`);
  database.exec(sql);
  for (const text of texts) database.exec(text ?? '');
}
