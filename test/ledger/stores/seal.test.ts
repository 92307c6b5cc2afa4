import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { closeAttempt, recordReply } from '../../../src/ledger/ledger.ts';
import { happened, WRONG_COUNTED } from '../../../src/ledger/stores/sqlite/verify-counts.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { personOf } from '../../../src/run/tasks/erase.ts';
import { proof, some } from '../../combinations.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  MATCHED,
  replyWith,
  settle,
  stateOf,
} from './book.ts';
import { freshLedger, freshPlace, openStore } from './places.ts';
import { pastGuards } from './refusals.ts';
import {
  buy,
  closedStore,
  DAMAGED,
  flip,
  isSealed,
  killed,
  type Ledger,
  placesOf,
  writeBeside,
} from './sealed.ts';
import { openAsAfterCrash } from './sides.ts';

/**
 * Goal: rot of the disk is noticed before anything follows from it, and a store that is sound is not checked in full for
 * nothing.
 * Method: ledgers with many pages, which are closed in order; bits flipped in their files by hand, at rest or while the
 * store is open.
 */

/** Where the newest copy of these bytes stands in the ledger. */
function placeOf(place: string, text: string | Buffer): number {
  const at = readFileSync(join(place, 'ledger.db')).lastIndexOf(text);
  expect(at).toBeGreaterThan(0);
  return at;
}

describe('a seal', () => {
  proof(
    'is that of the ledger, however often its log has begun anew, and also of a store that was opened with one',
    async () => {
      const place = await closedStore(80);
      expect(await isSealed(place)).toBe(true);
      const before = statSync(join(place, 'ledger.db')).size;
      const ledger = await openStore(sqlite, place);
      await buy(ledger, await batchNamed(ledger, 'b'), 'later', 120);
      await ledger.close();
      expect(statSync(join(place, 'ledger.db')).size).toBeGreaterThan(before);
      expect(await isSealed(place)).toBe(true);
    },
  );

  test('is broken by a single bit anywhere in the ledger', async () => {
    const place = await closedStore(20);
    const { size } = statSync(join(place, 'ledger.db'));
    for (let at = 5; at < size; at += Math.floor(size / 40)) {
      flip(place, 'ledger.db', at);
      expect(await isSealed(place)).toBe(false);
      flip(place, 'ledger.db', at);
    }
    expect(await isSealed(place)).toBe(true);
  });

  test('that is missing, torn or altered costs a full check and nothing else', async () => {
    const place = await closedStore(20);
    const seal = join(place, 'seal');
    const whole = readFileSync(seal);
    for (const content of [
      Buffer.alloc(0),
      whole.subarray(0, 50),
      whole.map((byte, at) => byte ^ (at === 70 ? 1 : 0)),
    ]) {
      writeFileSync(seal, content);
      expect(await isSealed(place)).toBe(false);
      await (await openStore(sqlite, place)).close();
      expect(await isSealed(place)).toBe(true);
    }
    rmSync(seal);
    await (await openStore(sqlite, place)).close();
    expect(await isSealed(place)).toBe(true);
  });

  test('of a small ledger is held against its bytes, whatever the file system says of its times', async () => {
    const place = await closedStore(20);
    const { atime, mtime } = statSync(join(place, 'ledger.db'));
    flip(place, 'ledger.db', placeOf(place, 'call7'));
    utimesSync(join(place, 'ledger.db'), atime, mtime);
    expect(await isSealed(place)).toBe(false);
  });

  test('does not make right what rotted while the store was open', async () => {
    const place = await closedStore(60);
    const ledger = await openStore(sqlite, place);
    const batch = await batchNamed(ledger, 'b');
    await answered(ledger, batch, 'later');
    flip(place, 'ledger.db', placeOf(place, 'call7'));
    await ledger.close();
    expect(await isSealed(place)).toBe(false);
  });
});

describe('after a kill', () => {
  /** So many calls fill the log more than twice. */
  const CALLS = 120;

  /** What a kill leaves now and then of a run over a store that was closed once; the last is the newest there is. */
  async function kills(): Promise<readonly string[]> {
    const place = await closedStore(20);
    const ledger = await openStore(sqlite, place);
    const left: string[] = [];
    for (let part = 0; part < 4; part += 1) {
      await buy(ledger, await batchNamed(ledger, `part ${part}`), `part ${part} `, CALLS / 4);
      left.push(killed(place));
    }
    await ledger.close();
    return left;
  }

  const newestOf = (places: readonly string[]): string => places.at(-1) ?? expect.fail('the run was killed');

  test('a store is not checked in full, wherever its log was, and its next run is no other', async () => {
    const places = await kills();
    for (const place of places) expect(await isSealed(place)).toBe(true);
    const saltsOf = (place: string): string =>
      readFileSync(join(place, 'ledger.db-wal')).toString('hex', 16, 24);
    expect(new Set(places.map(saltsOf)).size).toBeGreaterThan(2);
    const newest = newestOf(places);
    const ledger = await openStore(sqlite, newest);
    await buy(ledger, await batchNamed(ledger, 'next'), 'next', CALLS / 2);
    expect(await isSealed(killed(newest))).toBe(true);
    await ledger.close();
    expect(await isSealed(newest)).toBe(true);
    await openAsAfterCrash(newest);
  });

  test('a bit that flipped in what was moved out of the log is found, and one by which the log says that the ledger is huge', async () => {
    const places = await kills();
    for (const place of places) {
      const { size } = statSync(join(place, 'ledger.db'));
      let found = 0;
      for (let at = 5; at < size; at += Math.floor(size / 40)) {
        flip(place, 'ledger.db', at);
        // SQLite reads a page from the log if that has it.
        if (!(await isSealed(place))) found += 1;
        flip(place, 'ledger.db', at);
      }
      expect(found).toBeGreaterThan(5);
      expect(await isSealed(place)).toBe(true);
    }
    const newest = newestOf(places);
    const log = join(newest, 'ledger.db-wal');
    const bytes = readFileSync(log);
    const salts = bytes.readBigUInt64BE(16);
    let last = 32;
    while (bytes.length > last + 2 * 4120 && bytes.readBigUInt64BE(last + 4120 + 8) === salts) last += 4120;
    for (const at of [last, last + 4]) {
      flip(newest, 'ledger.db-wal', at, 0x80);
      await expect(openStore(sqlite, killed(newest))).rejects.toMatchObject(DAMAGED);
      flip(newest, 'ledger.db-wal', at, 0x80);
    }
    expect(await isSealed(newest)).toBe(true);
  });

  test('what another program wrote behind the last commit is checked in full', async () => {
    const place = newestOf(await kills());
    // The log stays as long as somebody has the ledger open.
    const reader = new Database(join(place, 'ledger.db'), { readonly: true });
    writeBeside(place);
    expect(await isSealed(place)).toBe(false);
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
    reader.close();
    await expect(openStore(sqlite, place)).rejects.toMatchObject(DAMAGED);
  });

  test('an erasure writes the ledger anew and leaves a seal, and none of what another program wrote before or after it', async () => {
    for (const when of ['never', 'before', 'after']) {
      const place = await closedStore(20);
      const options = { waitForLockMs: 0, clock: systemClock, create: false, command: 'erase' };
      await sqlite.erasing?.(place, options, async (eraser) => {
        if (when === 'before') writeBeside(place);
        const found = await eraser.find({ kind: 'person', person: personOf('kim@example.org') });
        await found.erase([], 0);
        expect(await isSealed(killed(place))).toBe(when !== 'before');
        if (when === 'after') writeBeside(place);
      });
      expect(await isSealed(place)).toBe(when === 'never');
    }
  });

  test('what was written since the seal costs a full check and nothing else, when it is missing, torn or altered', async () => {
    const place = await closedStore(20);
    const ledger = await freshLedger(sqlite, place);
    await buy(ledger, await batchNamed(ledger, 'b'), 'later', CALLS);
    const copy = killed(place);
    const file = join(copy, 'seal-since');
    const whole = readFileSync(file);
    for (const content of [
      Buffer.alloc(0),
      whole.subarray(0, -1),
      whole.map((byte, at) => byte ^ (at === 50 ? 1 : 0)),
    ]) {
      writeFileSync(file, content);
      expect(await isSealed(copy)).toBe(false);
      await (await openStore(sqlite, killed(copy))).close();
    }
    writeFileSync(file, whole);
    expect(await isSealed(copy)).toBe(true);
    rmSync(file);
    expect(await isSealed(copy)).toBe(false);
  });

  test('a log that lost its end is no seal of what came before', async () => {
    const place = await closedStore(20);
    const ledger = await freshLedger(sqlite, place);
    await buy(ledger, await batchNamed(ledger, 'b'), 'later', 10);
    const copy = killed(place);
    const log = readFileSync(join(copy, 'ledger.db-wal'));
    writeFileSync(join(copy, 'ledger.db-wal'), log.subarray(0, log.length / 2));
    expect(await isSealed(copy)).toBe(true);
    await expect(openStore(sqlite, copy)).rejects.toMatchObject(DAMAGED);
  });
});

describe('after an orderly end', () => {
  const ALTERED: readonly [what: string, guards: readonly string[], sql: string, message: string][] = [
    ['batch', [], 'UPDATE batches SET budget = 900', 'batch number'],
    ['account', [], 'UPDATE accounts SET per_day = 900', 'account number 1 was altered'],
    ['total', ['totals_moved'], 'UPDATE totals SET spent = 0', 'is not what its entries add up to'],
    ['row', ['rows_final'], 'UPDATE rows SET reason = 3 WHERE row = 5', 'row 5 of batch'],
    ['row of another sum', ['rows_final'], 'UPDATE rows SET sum = 0 WHERE row = 5', 'row 5 of batch'],
    ['count', [], "UPDATE tallies SET count = 3 WHERE name = 'row:matched'", 'what is counted'],
    ['share of matches', [], 'UPDATE match_rates SET found = 3', 'what is counted'],
    ['count of answers', [], 'UPDATE accounts SET answers_not_404 = 0', 'what is counted'],
    ['payer', [], 'INSERT INTO payers SELECT max(id), 1 FROM attempts', 'names another row as its payer'],
    [
      'attempt that is open again',
      ['calls_moved'],
      'UPDATE calls SET open = id WHERE id = (SELECT max(id) FROM calls)',
      'does not stand where its entries left it',
    ],
    [
      'call of which nothing stands',
      ['calls_moved'],
      'UPDATE calls SET state_number = 0, stands = NULL WHERE id = (SELECT min(id) FROM calls)',
      'does not stand where its entries left it',
    ],
    ['guard', [], 'DROP TRIGGER attempts_price', 'its definition of attempts_price'],
    ['list of moves', [], 'DROP VIEW transitions', 'its definition of transitions'],
    ['digest', [], 'UPDATE pieces SET digest = randomblob(16)', 'where row 2 stands was altered'],
    ['place in the file', [], 'UPDATE pieces SET byte_offset = 7', 'where row 2 stands was altered'],
  ];

  test.each(some(ALTERED, 6))(
    'what was altered is found before anything follows from it: %s',
    async (_what, guards, sql, message) => {
      const place = freshPlace(sqlite);
      const ledger = await openStore(sqlite, place);
      const batch = await batchNamed(ledger, 'a');
      await buy(ledger, batch, 'call', 10);
      const piece = { start: { row: 2, byteOffset: 12, lines: 1 }, digest: '0'.repeat(32) };
      await ledger.keepPieces(batch, { reading: 'any', pieces: [piece] });
      await ledger.close();
      const database = new Database(join(place, 'ledger.db'));
      pastGuards(database, guards, sql);
      database.close();
      const damage = { ...DAMAGED, message: expect.stringContaining(message) };
      await expect(sqlite.look(place)).rejects.toMatchObject(damage);
      await expect(openStore(sqlite, place)).rejects.toMatchObject(damage);
    },
  );

  proof('a key that the index has lost is not bought again', async () => {
    const place = await closedStore();
    const key =
      new Database(join(place, 'ledger.db'), { readonly: true })
        .prepare<[], { key: Buffer }>("SELECT key FROM calls WHERE parameters LIKE '%call41.%'")
        .get() ?? expect.fail('the call is there');
    const found = placesOf(place, key.key.subarray(0, 4));
    let noticed = 0;
    for (const at of found) {
      flip(place, 'ledger.db', at + 2);
      const opened = await openStore(sqlite, place).catch((error: unknown) => error);
      if (opened instanceof Error) {
        expect(opened).toMatchObject(DAMAGED);
        await expect(sqlite.look(place)).rejects.toMatchObject(DAMAGED);
        noticed += 1;
      } else {
        // SQLite leaves copies behind in what is free of a page.
        expect(await stateOf(opened as Ledger, 'call41')).toMatchObject({ kind: 'answered' });
        await (opened as Ledger).close();
      }
      flip(place, 'ledger.db', at + 2);
    }
    // One is the table's and one the index's.
    expect(noticed).toBe(2);
  });
});

test('a row that is open again, because one of its answers was taken back, is no damage at what else it has paid for', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const shared = await answered(ledger, batch, 'asked first by a later row', { row: 9 });
  const miss = await answered(ledger, batch, 'own', { kind: 'no_match', charged: 0, status: 404 });
  await settle(ledger, batch, 9, MATCHED, [shared]);
  await settle(ledger, batch, 2, MATCHED, [shared, miss]);
  expect(await ledger.retractMisses(ACCOUNT)).toBe(1);
  await ledger.close();
  await openAsAfterCrash(place);
});

test('the full check goes through no table once for each row of another', async () => {
  const place = await closedStore(3);
  const database = new Database(join(place, 'ledger.db'), { readonly: true });
  database.exec(`CREATE TEMP TABLE happened AS ${happened('FALSE')}`);
  for (const [sql] of WRONG_COUNTED) {
    const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map(({ detail }) => detail).filter((detail) => / \(batch=\?\)$/.test(detail))).toEqual([]);
  }
  database.close();
});

test('a row that rots beside a run is not shown', async () => {
  const place = await closedStore(10);
  const ledger = await freshLedger(sqlite, place);
  const [batch] = await ledger.batches();
  const database = new Database(join(place, 'ledger.db'));
  database.exec("DROP TRIGGER rows_final; UPDATE rows SET matched_by = 'abn' WHERE row = 5");
  database.close();
  const reader = await sqlite.look(place);
  await expect(reader.rows(batch?.id ?? ('' as never), 2, 10)).rejects.toMatchObject(DAMAGED);
  await reader.close();
});

test('a store that turns out to be damaged in the middle of a run sends nothing more, and keeps what comes back', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'acme');
  const other = await admitted(ledger, batch, 'other');
  const database = new Database(join(place, 'ledger.db'));
  database.exec('DROP TABLE match_rates');
  const closure = { kind: 'answered', answer: 'found', charged: 1 as never, why: 'found' } as const;
  await recordReply(ledger, attempt, replyWith('acme'));
  const results = await Promise.allSettled([
    closeAttempt(ledger, attempt, closure, 0),
    recordReply(ledger, other, replyWith('other')),
    admit(ledger, batch, 'third'),
  ]);
  expect(results).toMatchObject([
    { status: 'rejected', reason: DAMAGED },
    { status: 'fulfilled' },
    { status: 'rejected', reason: DAMAGED },
  ]);
  await expect(admit(ledger, batch, 'third')).rejects.toMatchObject(DAMAGED);
  expect(database.prepare('SELECT of FROM replies').all()).toHaveLength(2);
  expect(database.prepare('SELECT id FROM attempts').all()).toHaveLength(2);
  database.close();
  await ledger.close();
  expect(await isSealed(place)).toBe(false);
});
