/**
 * Goal: where the vendor honours idempotency keys, a lost request is sent again as it was, under its key, for as long as
 * the vendor surely remembers it, at most three times, and is paid for once. Where it does not, no key is sent.
 * Method: the real pipeline over a real SQLite store before a vendor that loses answers and shows what it received. The
 * clock skips; the ledger says what money is held.
 */
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/client/dialect.ts';
import { type AttemptId, type BatchId, credits } from '../../src/ledger/ledger.ts';
import { isStillHonoured } from '../../src/run/intent.ts';
import { some } from '../support/combinations.ts';
import {
  attemptsOf,
  dialectWith,
  losing,
  openPlace,
  type Place,
  purchasesOf,
  reopen,
  runOnce,
  tagging,
  vendorScript,
} from '../support/doubtful.ts';

const dialect = dialectWith({ idempotency: { header: 'idempotency-key', valid_for: '24h' } });
const HOUR_MS = 60 * 60_000;

const keysOf = (at: Place): readonly unknown[] =>
  purchasesOf(at).map(({ headers }) => headers['idempotency-key']);

/** Under which nothing is repeated, so that a lost request stays as it is. */
const briefly: Dialect = { ...dialect, idempotency: { header: 'idempotency-key', valid_for: '1ms' } };

test('a key of half a minute is not used in the last five seconds, in which its request may still wait to leave', () => {
  const short: Dialect = { ...dialect, idempotency: { header: 'idempotency-key', valid_for: '30s' } };
  expect([24_000, 26_000].map((ageMs) => isStillHonoured(short, ageMs))).toEqual([true, false]);
});

/** Leaves behind what a kill does between the intent of a repeat and its answer. */
async function leaveRepeatOpen({ ledger, clock }: Place, batch: BatchId): Promise<AttemptId> {
  const [doubt] = await ledger.doubts(batch);
  if (doubt?.request === undefined) throw new Error('no lost request was kept');
  const { key, call, row, request } = doubt;
  const atMs = clock.wallMs();
  const decision = await ledger.decide({ key, batch, kind: 'repeat', by: 'rule', why: 'its key', atMs });
  const intent = {
    key,
    accountIdentity: 'data',
    call,
    batch,
    row,
    reserve: credits(0),
    atMs,
    decision,
    request,
  };
  const admitted = await ledger.intent(intent);
  if (admitted.kind !== 'admitted') throw new Error('not admitted');
  return admitted.attempt;
}

async function moneyOf({ ledger }: Place, batch: BatchId): Promise<object> {
  const { spent, reserved, inDoubt } = await ledger.batchMoney(batch);
  return { spent, reserved, inDoubt };
}

describe('a lost request', () => {
  test.each(some([1, 2, 3], 1))(
    'a lost request that is lost %i times is the same each time, to the byte, and paid once',
    async (lost) => {
      const at = await openPlace(vendorScript(losing(lost)));
      const { counts, batch } = await runOnce(at, { dialect });
      expect(counts).toEqual({ applied: 1 });
      const sent = purchasesOf(at).map(({ method, path, body, headers }) => ({
        line: `${method} ${path} ${body}`,
        key: headers['idempotency-key'],
      }));
      expect(sent).toHaveLength(lost + 1);
      expect(sent).toEqual(sent.map(() => sent[0]));
      expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
      expect(await moneyOf(at, batch)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
    },
  );

  test('a lost request is repeated three times and no more, in no later run, and only the first holds money', async () => {
    const at = await openPlace(vendorScript(losing(100)));
    await runOnce(at, { dialect });
    const { counts, batch } = await runOnce(at, { dialect });
    expect(counts).toEqual({ in_doubt: 1 });
    expect(purchasesOf(at)).toHaveLength(4);
    expect(await moneyOf(at, batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 1 });
    const history = await attemptsOf(at, batch);
    expect(history.map(({ reserved }) => reserved)).toEqual([1, 0, 0, 0]);
    expect(history.at(-1)?.decision).toMatchObject({
      kind: 'repeat',
      by: 'rule',
      why: 'the vendor charges once for an idempotency key, for 24h',
    });
  });

  test('a lost request is given time: the first repeat leaves at once, the second after 5 s, the third after 30 s', async () => {
    const at = await openPlace(vendorScript(losing(3)));
    await runOnce(at, { dialect });
    // The clock goes on while the process works, so a busy machine takes something of each wait.
    const [second = 0, third = 0, ...more] = at.clock.sleptMs.filter((ms) => ms > 2_000);
    expect(more).toEqual([]);
    expect(second).toBeLessThanOrEqual(5_000);
    expect(third).toBeGreaterThan(20_000);
    expect(third).toBeLessThanOrEqual(30_000);
  });

  test('a lost request that the vendor is still at work on is no answer yet, though a 409 to a new call is one', async () => {
    const answers = ['lost', { status: 409 }, { tag: 'set' }];
    const at = await openPlace(vendorScript((nth) => answers[nth - 1]));
    expect((await runOnce(at, { dialect })).counts).toEqual({ applied: 1 });
    const refusing = await openPlace(vendorScript(() => ({ status: 409 })));
    expect((await runOnce(refusing, { dialect })).counts).toEqual({ no_match: 1 });
  });

  test('whose repeat was told 409 just before a kill is still in doubt, and the next run repeats it', async () => {
    const at = await openPlace(vendorScript(losing(1)));
    const { batch } = await runOnce(at, { dialect: briefly });
    const attempt = await leaveRepeatOpen(at, batch);
    const body = Buffer.from('{"error":"in progress"}');
    await at.ledger.keep(attempt, {
      status: 409,
      headers: {},
      body,
      receivedAtMs: at.clock.wallMs(),
    });
    await reopen(at);
    expect((await runOnce(at, { dialect })).counts).toEqual({ applied: 1 });
    expect(await moneyOf(at, batch)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
  });

  test('a lost request is repeated after the vendor was asked for the time, once, without a key', async () => {
    const at = await openPlace(vendorScript(losing(2)));
    await runOnce(at, { dialect });
    expect(at.vendor.timeAsked).toMatchObject([{ method: 'HEAD', path: '/', body: '' }]);
    expect(JSON.stringify(at.vendor.timeAsked)).not.toContain('key-1');
    expect(JSON.stringify(purchasesOf(at))).toContain('key-1');
  });

  test('a lost request needs no budget of its own to be repeated', async () => {
    const at = await openPlace(vendorScript(losing(1)));
    expect((await runOnce(at, { dialect, budget: 1 })).counts).toEqual({ applied: 1 });
  });

  test('a lost request is repeated by a later run, in what is left of its time', async () => {
    const at = await openPlace(vendorScript(losing(1)));
    await runOnce(at);
    expect(keysOf(at), 'a dialect without keys sends none').toEqual([undefined]);
    const keyed = await openPlace(vendorScript(losing(4)));
    await runOnce(keyed, { dialect: briefly });
    keyed.clock.skip(23 * HOUR_MS);
    expect((await runOnce(keyed, { dialect })).counts).toEqual({ in_doubt: 1 });
    expect(new Set(keysOf(keyed)).size).toBe(1);
    expect(purchasesOf(keyed)).toHaveLength(4);
  });

  test.each([
    ['that the vendor forgets the key of', 24 * HOUR_MS],
    ['that the vendor may forget the key of in less than five minutes', 24 * HOUR_MS - 4 * 60_000],
  ])('%s is not sent again', async (_, skippedMs) => {
    const at = await openPlace(vendorScript(losing(1)));
    await runOnce(at, { dialect: briefly });
    at.clock.skip(skippedMs);
    expect((await runOnce(at, { dialect })).counts).toEqual({ in_doubt: 1 });
    expect(purchasesOf(at)).toHaveLength(1);
  });

  /** `ahead`: of the machine's calendar as the key is first used and as the answer is looked for; `told`: whether the vendor has a `Date` then. */
  test.each([
    { what: 'was ahead at first', ahead: [30_000, 0], told: [true, true] },
    { what: 'is behind by now', ahead: [0, -25_000], told: [true, true] },
    { what: 'was ahead at first, and nobody tells', ahead: [30_000, 0], told: [false, false] },
    { what: 'was ahead at first, and it is told later', ahead: [30_000, 0], told: [false, true] },
    { what: 'is behind by now, and nobody tells', ahead: [0, -25_000], told: [false, false] },
    { what: 'is right, which nobody tells', ahead: [0, 0], told: [false, false], afterMs: 0 },
  ])(
    'a lost request is charged once by a vendor that remembers keys for a minute, where a clock $what: it waits in doubt',
    async ({ ahead: [first = 0, later = 0], told: [atFirst, byNow], afterMs = 70_000 }) => {
      const known = new Map<string, number>();
      let charged = 0;
      const at = await openPlace((request, response) => {
        const [key, trueMs] = [
          String(request.headers['idempotency-key']),
          at.clock.wallMs() - at.clock.setMs,
        ];
        if (trueMs - (known.get(key) ?? 0) >= 60_000) charged += 1;
        known.set(key, known.get(key) ?? trueMs);
        response.destroy();
      });
      const { timeMs } = at.vendor;
      if (!atFirst) at.vendor.timeMs = undefined;
      at.clock.setMs = first;
      await runOnce(at, { dialect: briefly });
      at.clock.setMs = later;
      at.vendor.timeMs = byNow ? timeMs : undefined;
      at.clock.skip(afterMs);
      const short: Dialect = { ...dialect, idempotency: { header: 'idempotency-key', valid_for: '60s' } };
      expect((await runOnce(at, { dialect: short })).counts).toEqual({ in_doubt: 1 });
      expect([charged, at.vendor.requests.length]).toEqual([1, 1]);
    },
  );

  test('a lost request is not sent when its permit comes only after the key has been forgotten', async () => {
    // The vendor loses the request, then says "too fast" to the repeat, for longer than it remembers keys.
    const answers = ['lost', { status: 429, headers: { 'retry-after': '7200' } }, { tag: 'set' }];
    const at = await openPlace(vendorScript((nth) => answers[nth - 1] ?? { tag: 'set' }));
    const short: Dialect = { ...dialect, idempotency: { header: 'idempotency-key', valid_for: '1h' } };
    const { counts, batch } = await runOnce(at, { dialect: short });
    expect(counts).toEqual({ in_doubt: 1 });
    expect(purchasesOf(at)).toHaveLength(2);
    expect(await moneyOf(at, batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 1 });
  });
});

test('a call that was answered, refused or paused has a key of its own each time', async () => {
  const answers = [{ status: 429, headers: { 'retry-after': '1' } }, { tag: 'set' }];
  const at = await openPlace(vendorScript((nth) => answers[nth - 1]));
  expect((await runOnce(at, { dialect })).counts).toEqual({ applied: 1 });
  expect(new Set(keysOf(at)).size).toBe(2);
});

test('a call that is harmless to repeat is repeated when its key has been forgotten', async () => {
  const at = await openPlace(vendorScript(losing(1)));
  const job = tagging({ repeat: 'a tag that is set twice is set' });
  const forgotten: Dialect = { ...dialect, idempotency: { header: 'idempotency-key', valid_for: '0s' } };
  expect((await runOnce(at, { job, dialect: forgotten })).counts).toEqual({ applied: 1 });
  expect(keysOf(at)).toEqual([expect.any(String), undefined]);
});
