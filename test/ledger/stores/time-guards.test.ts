import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { TIME } from '../../../src/ledger/stores/sqlite/schema/time-sql.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { ACCOUNT, admitted, answered, batchNamed, DAY_MS, NOON_MS } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { attempt as attemptOf, batchKeyed, type Cells, first } from './raw.ts';
import { ELSEWHERE, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: the database itself refuses an intent that is dated before what an answer has confirmed, or after what the
 * confirmed time and the uptime since allow, whatever the code does: its date is the day whose budget it takes.
 * Method: raw SQL on the file, around the code, as in `guards.test.ts`.
 */
const HOUR_MS = 3_600_000;

const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
await ledger.atBoot({ id: 'first', uptimeMs: 1_000 }, NOON_MS);
const batch = await batchNamed(ledger, 'a');
const freshSince = { foundMs: NOON_MS + 2 * HOUR_MS };
await batchNamed(ledger, 'fresh', { createdAtMs: NOON_MS + 2 * HOUR_MS, freshSince });
await batchNamed(ledger, 'ahead', { createdAtMs: NOON_MS + 365 * DAY_MS, freshSince });
await batchNamed(ledger, 'play', { sandbox: true, accountIdentity: 'sandbox-provider' });
const BOUGHT = await answered(ledger, batch, 'bought');
const OPEN = await admitted(ledger, batch, 'open', { uptimeMs: 1_000 });
await ledger.keepConfirmedTime({ atMs: NOON_MS + HOUR_MS, uptimeMs: 1_000 + HOUR_MS }, ACCOUNT);
await ledger.atBoot({ id: 'second', uptimeMs: 500 }, NOON_MS + 2 * HOUR_MS);
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

// Numbered in the order in which they were seen above.
const [FIRST, SECOND] = [1, 2];

const attempt = (cells: Cells): string => first(cells);
const refresh = (at: number, batchName: string): string =>
  attemptOf(BOUGHT, { kind: "'refresh'", sees: BOUGHT, at, batch: batchKeyed(`key-${batchName}`) });

const REAL_BATCH = `INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation,
    input_path, input_sha256, input_rows, settings, created_at)
  SELECT 99, 99, 'key-real', 1, 'real', 'open', account, 'data', 0, vendor, operation, 'x', 'x', 1, '{}', 1 FROM batches LIMIT 1`;

const REFUSED: readonly Refusal[] = [
  ['an intent of yesterday', 'attempts_confirmed', attempt({ at: NOON_MS - DAY_MS })],
  [
    'an intent of before the confirmed time, in another boot',
    'attempts_confirmed',
    attempt({ at: NOON_MS, boot: SECOND, uptime: 900 }),
  ],
  [
    'an intent of tomorrow, when the machine has not been up for so long',
    'attempts_dated',
    attempt({ at: NOON_MS + DAY_MS, boot: FIRST, uptime: 2 * HOUR_MS }),
  ],
  [
    'an intent that is behind the uptime',
    'attempts_dated',
    attempt({ at: NOON_MS + 2 * HOUR_MS, boot: FIRST, uptime: 20 * HOUR_MS }),
  ],
  [
    'an intent of a day before the one that was spent, in a boot in which no answer told the time',
    'attempts_day',
    `UPDATE boots SET refuted_at = confirmed_at, confirmed_at = NULL, confirmed_uptime = NULL;
     ${attempt({ at: NOON_MS - DAY_MS, boot: FIRST, uptime: 1_000 + HOUR_MS })}`,
  ],
  [
    'buying anew for a batch that began in the future',
    'attempts_future',
    refresh(NOON_MS + 3 * HOUR_MS, 'ahead'),
  ],
  [
    'moving an attempt to another boot',
    'attempts_no_update',
    `UPDATE attempts SET boot = 2 WHERE id = ${OPEN}`,
  ],
  [
    'changing the uptime of an attempt',
    'attempts_no_update',
    `UPDATE attempts SET uptime = 2 WHERE id = ${OPEN}`,
  ],
  [
    'a boot that begins with a confirmed time',
    'boots_beginning',
    "INSERT INTO boots VALUES (9, 'x', 0, 0, 1, 1, NULL, NULL, 0)",
  ],
  [
    'taking a confirmed time back',
    'boots_confirming',
    'UPDATE boots SET confirmed_at = NULL, confirmed_uptime = NULL WHERE id = 1',
  ],
  [
    'forgetting a time that was refuted',
    'boots_refuting',
    `UPDATE boots SET refuted_at = ${NOON_MS}; UPDATE boots SET refuted_at = NULL`,
  ],
  [
    'a time that a sandbox told',
    'boots_telling',
    `UPDATE boots SET confirmed_at = ${NOON_MS + DAY_MS}, told_by = (SELECT account FROM batches WHERE key = 'key-play') WHERE id = 1`,
  ],
  [
    'a time that nobody told',
    'boots_telling',
    `UPDATE boots SET confirmed_at = ${NOON_MS + DAY_MS}, told_by = NULL WHERE id = 1`,
  ],
  [
    'a first batch that costs money while a time holds that a sandbox told',
    'batches_timing',
    `UPDATE batches SET sandbox = 1; ${REAL_BATCH}`,
  ],
  [
    'setting a confirmed time back',
    'boots_confirming',
    `UPDATE boots SET confirmed_at = ${NOON_MS}, confirmed_uptime = 0 WHERE id = 1`,
  ],
  [
    'a confirmed time that goes on more slowly than the machine',
    'boots_confirming',
    `UPDATE boots SET confirmed_uptime = ${30 * HOUR_MS} WHERE id = 1`,
  ],
  ['another name for a boot', 'boots_kept', "UPDATE boots SET boot = 'x' WHERE id = 1"],
  ['forgetting a boot', 'boots_no_delete', 'DELETE FROM boots WHERE id = 2'],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_promise, guard, sql) => expectRefusal(database, guard, sql));

  test('nothing that is in order: now, later in the boot, in another boot, a batch that is old enough', () => {
    tryOut(database, attempt({ at: NOON_MS + HOUR_MS }));
    tryOut(database, attempt({ at: NOON_MS + DAY_MS, boot: FIRST, uptime: 1_000 + DAY_MS }));
    tryOut(database, attempt({ at: NOON_MS + 40 * DAY_MS, boot: SECOND, uptime: 900 }));
    tryOut(database, refresh(NOON_MS + 2 * HOUR_MS, 'fresh'));
    tryOut(database, `UPDATE boots SET confirmed_at = ${NOON_MS + DAY_MS} WHERE id = 1`);
    tryOut(database, REAL_BATCH);
    tryOut(
      database,
      `UPDATE boots SET refuted_at = confirmed_at, confirmed_at = NULL, confirmed_uptime = NULL WHERE id = 1`,
    );
  });

  test('by every guard of time that there is', () => {
    expect(untested(database, REFUSED, TIME, ELSEWHERE.time)).toEqual([]);
  });
});
