import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { findErasable } from '../../../src/ledger/erase.ts';
import {
  type BatchId,
  type BatchSpec,
  credits,
  type DecisionKind,
  type Ledger,
} from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { said } from '../../support/told.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  batchSpec,
  DAY_MS,
  keyNamed,
  lost,
  MATCHED,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  requestUnder,
  settle,
} from './book.ts';
import { freshLedger, freshPlace, openStore } from './places.ts';
import { postgresOfTests } from './postgres-server.ts';

/*
 * Goal: a batch that may ask two accounts spends at each of them no more than its share, and all that is asked at either is its own.
 * Method: one suite over each store, by the contract alone: the second account is asked, answers, and loses, beside the first.
 */

const OTHER = 'provider other.example';
const AT_OTHER = { account: OTHER } as const;
const accounts = [
  { identity: ACCOUNT, name: 'hunter' },
  { identity: OTHER, name: 'prospeo' },
];

/** A person decides about a call at the second account. */
const decide = (ledger: Ledger, batch: BatchId, word: string, kind: DecisionKind) =>
  ledger.decide({ key: keyNamed(word, OTHER), batch, kind, by: 'person', why: 'so', atMs: NOON_MS });

async function all<T>(parts: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;

describe.each([
  ['sqlite', sqlite],
  ['postgres', postgresOfTests],
] as const)('a batch of two accounts in the store "%s"', (_, store) => {
  async function opened(spec: Partial<BatchSpec> = { accounts }) {
    const location = freshPlace(store);
    const ledger = await freshLedger(store, location);
    return { location, ledger, batch: await batchNamed(ledger, 'a', spec) };
  }

  /** Its share of the second account is five credits. */
  async function openedWithShare() {
    const place = await opened();
    await place.ledger.changeBatch(place.batch, { shares: { [OTHER]: credits(5) } });
    return place;
  }

  const moneyOf = async (ledger: Ledger, batch: BatchId) => ({
    spent: (await ledger.spentByAccount(batch)).map(({ spent }) => spent),
    all: await ledger.batchMoney(batch),
  });

  test('a batch of two accounts has them in the order of its job, by their newest names', async () => {
    const { ledger, batch } = await opened();
    expect(await ledger.batch(batch)).toMatchObject({ accountIdentity: ACCOUNT, accounts });
    const renamed = accounts.map(({ identity }) => ({ identity, name: `new ${identity}` }));
    const spec = batchSpec({ key: 'key-a', lineage: 'lineage-a', accounts: renamed });
    expect(await ledger.beginBatch(spec)).toMatchObject({ start: 'resumed', batch: { accounts: renamed } });
    const one = await batchNamed(ledger, 'one', { accountName: 'alone' });
    expect((await ledger.batches()).map((each) => [each.id, each.accounts])).toEqual([
      [one, [{ identity: ACCOUNT, name: 'alone' }]],
      [batch, renamed],
    ]);
  });

  test('a batch of two accounts asks nothing of a third one', async () => {
    const { ledger, batch } = await opened();
    const third = { accountIdentity: 'provider third.example' };
    await batchNamed(ledger, 'third', third);
    await notAdmitted(admit(ledger, batch, 'acme', { account: third.accountIdentity }));
    expect((await ledger.batchMoney(batch)).reserved).toBe(0);
  });

  test('a batch of two accounts has spent, holds and doubts what both of its shares do', async () => {
    const { location, ledger, batch } = await opened();
    await answered(ledger, batch, 'acme', { charged: 2 });
    await lost(ledger, batch, 'lost', { reserve: 3 });
    await answered(ledger, batch, 'acme', { ...AT_OTHER, charged: 4 });
    await lost(ledger, batch, 'lost', { ...AT_OTHER, reserve: 5 });
    await admitted(ledger, batch, 'open', AT_OTHER);
    expect(await moneyOf(ledger, batch)).toEqual({
      spent: [2, 4],
      all: { spent: 6, reserved: 1, inDoubt: 8 },
    });
    expect(await ledger.openRequests(batch)).toBe(1);
    expect(await store.check(location)).toMatchObject({ wrong: [] });
  });

  test('a batch of two accounts counts what filled a row of each, and what its calls cost', async () => {
    const { ledger, batch } = await opened();
    const refused = await answered(ledger, batch, 'acme', { row: 2, charged: 2 });
    const filling = await answered(ledger, batch, 'acme', { ...AT_OTHER, row: 2, charged: 3 });
    const row = { batch, outcome: MATCHED, answers: [refused, filling], fills: [filling] };
    await ledger.finishRows([2, 3].map((each) => ({ ...row, row: each })));
    const counts = await ledger.byAccount(batch);
    const each = { reached: 2, asked: 2, found: 2, calls: 1, matches: 1, forMisses: 0 };
    expect(counts.toSorted((one, other) => one.spent - other.spent)).toMatchObject([
      { ...each, accountIdentity: ACCOUNT, filled: 0, fillers: 0, spent: 2 },
      { ...each, accountIdentity: OTHER, filled: 2, fillers: 1, spent: 3 },
    ]);
  });

  test('a batch of two accounts passes no share by a group of requests, and asks the other account on', async () => {
    const { ledger, batch } = await openedWithShare();
    const words = ['one', 'two', 'three', 'four'];
    const asked = words.map((word) => admit(ledger, batch, word, { ...AT_OTHER, reserve: 2 }));
    const beside = words.map((word) => admit(ledger, batch, word, { reserve: 2 }));
    const share = { kind: 'wait', scope: 'share', money: { cap: 5, reserved: 4 } };
    expect(await Promise.all(asked)).toMatchObject([
      { kind: 'admitted' },
      { kind: 'admitted' },
      share,
      share,
    ]);
    for (const each of await Promise.all(beside)) expect(each).toMatchObject({ kind: 'admitted' });
  });

  test('a batch of two accounts has reached a share for good, also for who opens the store anew, until its cap is raised', async () => {
    const { location, ledger, batch } = await openedWithShare();
    for (const word of ['one', 'two']) await answered(ledger, batch, word, { ...AT_OTHER, charged: 2 });
    const reached = { kind: 'over_budget', scope: 'share', money: { cap: 5, spent: 4 } };
    expect(await admit(ledger, batch, 'more', { ...AT_OTHER, reserve: 2 })).toMatchObject(reached);
    await ledger.close();
    const later = await openStore(store, location);
    expect(await admit(later, batch, 'more', { ...AT_OTHER, reserve: 2 })).toMatchObject(reached);
    await later.changeBatch(batch, { shares: { [OTHER]: credits(6) } });
    await answered(later, batch, 'more', { ...AT_OTHER, reserve: 2, charged: 2 });
    expect(await admit(later, batch, 'last', AT_OTHER)).toMatchObject({
      kind: 'over_budget',
      scope: 'share',
    });
    await later.changeBatch(batch, { shares: { [OTHER]: null } });
    await admitted(later, batch, 'last', AT_OTHER);
    await later.close();
  });

  test('a batch of two accounts that is cancelled asks nothing more, and its shares are closed with it', async () => {
    const { location, ledger, batch } = await opened();
    await ledger.changeBatch(batch, { state: 'cancelled' });
    await expect(admit(ledger, batch, 'acme', AT_OTHER)).rejects.toMatchObject({ code: 'input' });
    await ledger.close();
    const closed = await store.alone(
      location,
      { waitForLockMs: 0, clock: systemClock, command: 'look' },
      ({ db }) => db.rows<object>(`SELECT kind, batch FROM budgets WHERE closed = 1 ORDER BY kind`),
    );
    expect(closed).toEqual(['batch', 'share', 'share'].map((kind) => ({ kind, batch })));
  });

  test('a batch of two accounts knows the doubts at both, decides about each, and has its share back where nothing happened', async () => {
    const { ledger, batch } = await openedWithShare();
    await lost(ledger, batch, 'lost');
    const attempt = await lost(ledger, batch, 'gone', { ...AT_OTHER, row: 3, reserve: 5 });
    expect((await ledger.doubts(batch)).map((doubt) => doubt.accountIdentity)).toEqual([ACCOUNT, OTHER]);
    await decide(ledger, batch, 'gone', 'skip');
    expect((await ledger.doubts(batch)).map((doubt) => doubt.accountIdentity)).toEqual([ACCOUNT]);
    expect(await admit(ledger, batch, 'acme', AT_OTHER)).toMatchObject({
      kind: 'over_budget',
      scope: 'share',
    });
    await released(ledger, attempt);
    await admitted(ledger, batch, 'acme', { ...AT_OTHER, reserve: 5 });
  });

  test('a batch of two accounts knows the doubts at both also while its rows wait for another step', async () => {
    const { ledger, batch } = await opened({ accounts, operation: 'enrich-company,find-email' });
    await lost(ledger, batch, 'lost');
    await lost(ledger, batch, 'lost', { ...AT_OTHER, row: 3 });
    expect((await ledger.doubts(batch)).map((doubt) => doubt.accountIdentity)).toEqual([ACCOUNT, OTHER]);
  });

  test('a batch of two accounts keeps what filled a row that a person tells of', async () => {
    const { ledger, batch } = await opened();
    const attempt = await lost(ledger, batch, 'acme', AT_OTHER);
    const said = {
      key: keyNamed('acme', OTHER),
      batch,
      kind: 'told',
      by: 'person',
      why: 'so',
      atMs: NOON_MS,
    } as const;
    const row = { batch, row: 2, outcome: MATCHED, answers: [attempt], fills: [attempt] };
    await ledger.decide(said, { reply: replyWith('acme'), finishes: [row] });
    expect(await ledger.rows(batch, 2, 1)).toMatchObject([{ answers: [{ attempt, fills: true }] }]);
  });

  test('a batch of two accounts pays in its share for what it risked under a key of the vendor, though another batch repeats it', async () => {
    const { ledger, batch } = await opened();
    const request = requestUnder('key-1');
    await lost(ledger, batch, 'acme', { ...AT_OTHER, reserve: 3, request });
    const repeats = await batchNamed(ledger, 'b', { accounts });
    const decision = await decide(ledger, repeats, 'acme', 'repeat');
    await answered(ledger, repeats, 'acme', { ...AT_OTHER, decision, request, reserve: 0, charged: 2 });
    expect((await moneyOf(ledger, batch)).spent).toEqual([0, 2]);
    expect((await moneyOf(ledger, repeats)).spent).toEqual([0, 0]);
  });

  test('a batch of two accounts tells of each request and each credit at which account it was', async () => {
    const { ledger, batch } = await opened();
    await answered(ledger, batch, 'acme', { charged: 2 });
    await answered(ledger, batch, 'acme', { ...AT_OTHER, charged: 4 });
    const logged = (await all(ledger.logged(batch))).flat();
    expect(logged.map(({ accountIdentity }) => accountIdentity).toSorted()).toEqual([OTHER, ACCOUNT]);
    const spent = await all(ledger.spentBetween(NOON_MS, NOON_MS + 1));
    expect(spent.map((each) => [each.accountIdentity, each.spent]).toSorted()).toEqual([
      [OTHER, 4],
      [ACCOUNT, 2],
    ]);
  });

  test('a batch of two accounts keeps of a row which answers filled it, and of each answer its account', async () => {
    const { ledger, batch } = await opened();
    const found = await answered(ledger, batch, 'acme');
    const filled = await answered(ledger, batch, 'acme', AT_OTHER);
    const row = { batch, outcome: MATCHED, answers: [found, filled] };
    await ledger.submitRows(batch, [{ row: 2, cells: ['acme'] }]);
    await ledger.finishRows([{ ...row, row: 2, fills: [filled] }]);
    const end = { outcome: MATCHED, answers: [found, filled], fills: [found] };
    await ledger.submitRows(batch, [{ row: 3, cells: ['acme'], end }]);
    await settle(ledger, batch, 4, MATCHED, [found, filled]);
    const kept = await ledger.rows(batch, 2, 10);
    const [first, second] = [
      { attempt: found, accountIdentity: ACCOUNT },
      { attempt: filled, accountIdentity: OTHER },
    ];
    expect(kept).toMatchObject([
      { answers: [first, { ...second, fills: true }] },
      { answers: [{ ...first, fills: true }, second] },
      { answers: [first, second] },
    ]);
    const filling = kept.map(({ answers }) => answers.filter(({ fills }) => fills).length);
    expect(filling).toEqual([1, 1, 0]);
  });

  test('a batch of two accounts shows what has filled a row that goes on, until that is taken back', async () => {
    const { ledger, batch } = await opened();
    await ledger.submitRows(batch, [{ row: 2, cells: ['acme'] }]);
    const missed = await answered(ledger, batch, 'acme', MISSED);
    const found = await answered(ledger, batch, 'acme', AT_OTHER);
    await ledger.finishRows([], [{ batch, row: 2, answers: [missed, found], fills: [found] }]);
    const shown = async () => (await ledger.recordsOf(batch, [2])).get(2);
    expect(await shown()).toMatchObject({
      outcome: undefined,
      answers: [
        { attempt: missed, fills: false },
        { attempt: found, fills: true },
      ],
    });
    const filled = async () => (await ledger.byAccount(batch)).map((each) => each.filled);
    expect((await filled()).toSorted()).toEqual([0, 1]);
    await ledger.takeBack(OTHER, [found]);
    // It fills nothing any more, and stays paid.
    expect((await shown())?.answers).toMatchObject([{ attempt: found, fills: false, charged: 1 }]);
    expect(await filled()).toEqual([0, 0]);
  });

  /** What the second account missed for another batch, and a row that went on from there to the first account. */
  async function sharing() {
    const { ledger, batch } = await opened();
    const buyer = await batchNamed(ledger, 'buyer', { accountIdentity: OTHER });
    const missed = await answered(ledger, buyer, 'acme', { ...AT_OTHER, ...MISSED });
    await settle(ledger, batch, 7, MATCHED, [missed, await answered(ledger, batch, 'acme', { row: 7 })]);
    const state = async () => (await ledger.rows(batch, 7, 1))[0]?.outcome?.kind;
    return { ledger, missed, state };
  }

  test('a batch of two accounts goes on with a row whose earlier answer another batch bought, when that is taken back', async () => {
    const { ledger, missed, state } = await sharing();
    expect(await ledger.takeBack(OTHER, [missed])).toBe(1);
    expect(await state()).toBeUndefined();
  });

  test('a batch of two accounts doubts a row whose earlier answer another batch bought, when that is read as none', async () => {
    const { ledger, missed, state } = await sharing();
    const reading = { answer: 'paused', charged: credits(0), why: said('busy'), dialect: 0xa1 } as const;
    await ledger.readAgain({ ...reading, attempt: missed, atMs: NOON_MS + 90 });
    expect(await state()).toBe('in_doubt');
  });

  test('a batch of two accounts loses the cells of its list by the age of either', async () => {
    const { location, ledger, batch } = await opened({ accounts, createdAtMs: NOON_MS });
    await ledger.submitRows(batch, [
      { row: 2, cells: ['ann@example.org'], end: { outcome: MATCHED, answers: [] } },
    ]);
    await ledger.changeBatch(batch, { state: 'finished' });
    await ledger.close();
    const old = { kind: 'old', beforeMs: NOON_MS + DAY_MS, accountIdentity: OTHER } as const;
    const found = await store.alone(
      location,
      { waitForLockMs: 0, clock: systemClock, command: 'look' },
      async (alone) => findErasable(alone, old),
    );
    expect(found).toMatchObject({ rows: 1 });
  });
});
