/**
 * Goal: a lost call is settled in order (protocol, rule 10): it is sent again under its idempotency key for as long as the vendor surely
 * remembers that; what the vendor says, when it is asked without cost, settles it if it is certain, and only then; and a decision holds for
 * what it was made for, whoever dies or decides beside it. What a job pays again is shown by `faults/lost-answers.test.ts`.
 * Method: the real pipeline over a real SQLite store, with an operation that exists only in tests, before a vendor that loses purchases and
 * answers questions as the test says. The clock skips what it waits for.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Dialect, ReadBack } from '../../src/client/dialect.ts';
import { callKeyOf } from '../../src/core/call-key.ts';
import type { RunEvent } from '../../src/core/events.ts';
import type { Call } from '../../src/core/operation.ts';
import { type BatchId, credits, type Ledger, type Look } from '../../src/ledger/ledger.ts';
import { isStillHonoured } from '../../src/run/intent.ts';
import { some } from '../support/combinations.ts';
import {
  attemptsOf,
  dialectWith,
  looksOf,
  losing,
  openPlace,
  type Place,
  purchasesOf,
  runOnce,
  tagging,
  vendorScript,
} from '../support/doubtful.ts';

// ------------------------------------------------------------------------------------------------ under an idempotency key

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

  test('a lost request that the vendor is still at work on is no answer yet, though a 409 to a new call is one', async () => {
    const answers = ['lost', { status: 409 }, { tag: 'set' }];
    const at = await openPlace(vendorScript((nth) => answers[nth - 1]));
    expect((await runOnce(at, { dialect })).counts).toEqual({ applied: 1 });
    const refusing = await openPlace(vendorScript(() => ({ status: 409 })));
    expect((await runOnce(refusing, { dialect })).counts).toEqual({ no_match: 1 });
  });

  test('a lost request is repeated after the vendor was asked for the time, once, without a key', async () => {
    const at = await openPlace(vendorScript(losing(2)));
    await runOnce(at, { dialect });
    expect(at.vendor.timeAsked).toMatchObject([{ method: 'HEAD', path: '/', body: '' }]);
    expect(JSON.stringify(at.vendor.timeAsked)).not.toContain('key-1');
    expect(JSON.stringify(purchasesOf(at))).toContain('key-1');
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
    { what: 'was ahead at first, and it is told later', ahead: [30_000, 0], told: [false, true] },
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

// ------------------------------------------------------------------------------------------------ what the vendor says

const READ_BACK: ReadBack = {
  method: 'GET',
  path: '/look',
  answers: [
    { status: [200], body: { path: 'state', equals: 'working' }, says: 'unclear' },
    { status: [200], says: 'happened' },
    { status: [404], says: 'not_happened' },
  ],
  answer: 'answer',
  answer_status: 'status',
};

const withReadBack = (more: Partial<ReadBack> = {}): Dialect =>
  dialectWith({}, { read_back: { ...READ_BACK, ...more } });

async function looksInLedger(at: Place, batch: BatchId): Promise<readonly Look[]> {
  return (await attemptsOf(at, batch)).flatMap(({ looks }) => looks);
}

describe('a read-back', () => {
  test.each<[string, string, ReadBack['answers'][number]['body'], object]>([
    [
      'a page with status 404 in its place gives nothing back',
      '<html>Not Found</html>',
      undefined,
      { in_doubt: 1 },
    ],
    ['nor does a 404 without a byte', '', undefined, { in_doubt: 1 }],
    [
      'nor one of what stands before the vendor, about the path',
      '{"message":"no Route matched with those values"}',
      undefined,
      { in_doubt: 1 },
    ],
    ['unless the rule looks for just that', '', { is: 'blank' }, { applied: 1 }],
  ])('%s', async (_, page, body, expected) => {
    const at = await openPlace(({ path }, response) => {
      if (path.startsWith('/look')) response.writeHead(404, { 'content-type': 'text/html' }).end(page);
      else if (purchasesOf(at).length === 1) response.destroy();
      else response.end('{"tag":"set"}');
    });
    const rule = { status: [404], ...(body === undefined ? {} : { body }), says: 'not_happened' as const };
    const { counts, batch } = await runOnce(at, { dialect: withReadBack({ answers: [rule] }) });
    expect(counts).toEqual(expected);
    expect(purchasesOf(at)).toHaveLength(body === undefined ? 1 : 2);
    expect(await looksInLedger(at, batch)).toMatchObject([
      { said: body === undefined ? 'unclear' : 'not_happened', status: 404 },
    ]);
  });

  test.each<[string, unknown, RegExp]>(
    some(
      [
        ['says "too fast"', { status: 429 }, /status 429/],
        ['is still being worked on', { state: 'working' }, /status 200/],
        ['has no answer where it should be', { was: 200 }, /its answer cannot be used/],
        [
          'holds an answer that nobody can read',
          { was: 500, answer: { oops: 1 } },
          /its answer cannot be used/,
        ],
      ],
      1,
    ),
  )('a read-back that %s leaves the call in doubt, and is not asked twice in a run', async (_, look, why) => {
    const at = await openPlace(vendorScript(losing(1), () => look));
    const dialect = withReadBack({ answer_status: 'was' });
    const { counts, batch, stopped } = await runOnce(at, { dialect });
    expect({ counts, stopped }).toEqual({ counts: { in_doubt: 1 }, stopped: null });
    expect(purchasesOf(at)).toHaveLength(1);
    expect(looksOf(at)).toHaveLength(1);
    const looks = await looksInLedger(at, batch);
    expect(looks).toMatchObject([{ said: 'unclear', why: expect.stringMatching(why) }]);
    expect(await moneyOf(at, batch)).toEqual({ spent: 0, reserved: 0, inDoubt: 1 });
  });

  test('a read-back is asked again by the next run, and may know it then', async () => {
    const at = await openPlace(vendorScript(losing(1), (nth) => ({ status: nth === 1 ? 503 : 404 })));
    const dialect = withReadBack();
    await runOnce(at, { dialect });
    const { counts, batch } = await runOnce(at, { dialect });
    expect(counts).toEqual({ applied: 1 });
    expect((await looksInLedger(at, batch)).map(({ said }) => said)).toEqual(['unclear', 'not_happened']);
  });

  test('a read-back that says each time that nothing was done has the call sent three times in a run, and then it waits in doubt', async () => {
    const at = await openPlace(vendorScript(losing(1_000), () => ({ status: 404 })));
    const dialect = withReadBack();
    expect((await runOnce(at, { dialect })).counts).toEqual({ in_doubt: 1 });
    expect(purchasesOf(at)).toHaveLength(3);
  });

  test('a read-back comes before the policy of the job, which would pay again or give up', async () => {
    const at = await openPlace(vendorScript(losing(1), () => ({ answer: { tag: 'set before' }, was: 200 })));
    const dialect = withReadBack({ answer_status: 'was' });
    expect((await runOnce(at, { dialect, job: tagging('hold', 'skip') })).counts).toEqual({
      applied: 1,
    });
  });

  test('a read-back waits a minute until we give up on an answer, and as long as the vendor may still be at work on it', async () => {
    const at = await openPlace(vendorScript(losing(1), () => ({ status: 404 })));
    const notes: string[] = [];
    const emit = (event: RunEvent) => event.kind === 'note' && notes.push(event.message);
    await runOnce(at, { dialect: withReadBack({ sure_after: '5m' }), emit });
    const longestMs = Math.max(...at.clock.sleptMs);
    expect(longestMs).toBeGreaterThan(295_000);
    expect(longestMs).toBeLessThanOrEqual(300_000);
    expect(notes.join('\n')).toMatch(
      /^The vendor is asked about calls in doubt in (?:5 min|4 min 5\d s)\.$/m,
    );
  });
});

describe("the vendor's count of credits", () => {
  const usage = { method: 'GET', path: '/look', credits: 'used', sure_after: '1s' } as const;
  const dialect = dialectWith({ usage });

  /** The row is lost in a first run; the count is `before` when it begins and `after` from the second one on. */
  async function counting(before: unknown, after: unknown, spoken = dialect, exclusiveKey = true) {
    const counts = [before, after];
    const at = await openPlace(vendorScript(losing(1), (nth) => asAnswer(counts[nth - 1] ?? after)));
    const options = { dialect: spoken, ...(exclusiveKey ? { exclusiveKey: true as const } : {}) };
    await runOnce(at, options);
    return { at, summary: await runOnce(at, options) };
  }

  const asAnswer = (count: unknown): unknown => (typeof count === 'number' ? { used: count } : count);

  test.each<[string, unknown, unknown]>(
    some(
      [
        ['has grown: the call was charged, and its answer is gone', 17, 18],
        ['cannot be read', 17, { used: 'many' }],
        ['is not given', 17, { status: 500 }],
        ['stands beside an error', 17, { used: 17, success: false, error: 'usage is delayed' }],
        ['a cache has kept', 17, { headers: { age: '3600' }, used: 17 }],
        ['is lost', 17, 'lost'],
      ],
      2,
    ),
  )('the vendor’s count of credits that %s leaves the call in doubt', async (_, before, after) => {
    const { at, summary } = await counting(before, after);
    expect(summary).toMatchObject({ counts: { in_doubt: 1 }, stopped: null });
    expect(purchasesOf(at)).toHaveLength(1);
    expect(await looksInLedger(at, summary.batch)).toMatchObject([{ kind: 'usage', said: 'unclear' }]);
  });

  test('the vendor’s count of credits means nothing without an earlier one to compare it with', async () => {
    const { at, summary } = await counting({ status: 500 }, 17);
    expect(summary.counts).toEqual({ in_doubt: 1 });
    expect(await looksInLedger(at, summary.batch)).toEqual([]);
  });

  test('the vendor’s count of credits says nothing about a call that costs nothing: the vendor may have acted on it all the same', async () => {
    const free = dialectWith({ usage }, { credits: { most: 0, found: 0 } });
    const { at, summary } = await counting(17, 17, free);
    expect(summary.counts).toEqual({ in_doubt: 1 });
    expect(purchasesOf(at)).toHaveLength(1);
  });

  test('the vendor’s count of credits is of no use while somebody else is buying with the account', async () => {
    const at = await openPlace((request, response) => {
      if (!request.path.startsWith('/look')) return void response.destroy();
      const answer = (): unknown => response.end('{"used":17}');
      if (looksOf(at).length === 1) answer();
      else void buyBeside(at).then(answer);
    });
    await runOnce(at, { dialect, exclusiveKey: true });
    const { counts, batch } = await runOnce(at, { dialect, exclusiveKey: true });
    expect(counts).toEqual({ in_doubt: 1 });
    expect(looksOf(at), 'it was asked').toHaveLength(2);
    expect(await looksInLedger(at, batch)).toEqual([]);
  });

  /** As another run of the account would: an intent, and what becomes of it is not known yet. */
  async function buyBeside({ ledger, clock }: Place): Promise<void> {
    const [batch] = await ledger.batches();
    if (batch === undefined) throw new Error('there is no batch');
    const call: Call = { operation: 'set-tag', parameters: { name: 'beside' }, ifLost: 'hold' };
    const key = callKeyOf('data', call);
    const atMs = clock.wallMs();
    await ledger.intent({
      key,
      accountIdentity: 'data',
      call,
      batch: batch.id,
      row: 3,
      reserve: credits(1),
      atMs,
    });
  }

  describe('when something was bought since', () => {
    /** Of two lists, the first is bought and the second lost, in one run after the other. */
    async function boughtThenLost(price: Partial<Dialect>, most: number, grown: number) {
      const spoken = dialectWith({ usage, ...price }, { credits: { most, found: most } });
      const counts = [0, grown];
      const at = await openPlace(
        vendorScript(
          (nth) => (nth === 2 ? 'lost' : { tag: 'set', headers: { 'x-cost': '1' } }),
          (nth) => ({ used: counts[nth === 1 ? 0 : 1] }),
        ),
      );
      await writeFile(join(at.folder, 'list.csv'), 'name\none\ntwo\n');
      const options = { dialect: spoken, exclusiveKey: true } as const;
      await runOnce(at, options);
      return { at, summary: await runOnce(at, options) };
    }

    test('a purchase since, where each answer costs a credit, a count of as many is conclusive', async () => {
      const { summary } = await boughtThenLost({}, 1, 1);
      expect(summary.counts).toEqual({ applied: 2 });
    });

    test('a purchase since, at prices that are estimates, equal counts prove nothing: the lost one may hide in the difference', async () => {
      const { at, summary } = await boughtThenLost({}, 2, 2);
      expect(summary.counts).toEqual({ applied: 1, in_doubt: 1 });
      const looks = (await at.ledger.history(summary.batch, 3)).flatMap(({ looks: all }) => all);
      expect(looks).toMatchObject([{ said: 'unclear', why: expect.stringContaining('estimates') }]);
    });
  });
});

// ------------------------------------------------------------------------------------------------ decisions

const place = (lost: number): Promise<Place> => openPlace(vendorScript(losing(lost)));

test('a doubt that another process settles while this one decides about it is looked at again', async () => {
  const at = await place(1);
  const { ledger } = at;
  const decide: Ledger['decide'] = async (decision, more) => {
    await ledger.decide({ ...decision, kind: 'told', by: 'person' }, { reply: SET });
    return ledger.decide(decision, more);
  };
  const run = await runOnce(
    { ...at, ledger: beside(ledger, { decide }) },
    { job: tagging({ repeat: 'it is set' }) },
  );
  expect(run.counts).toEqual({ applied: 1 });
  expect(at.vendor.requests).toHaveLength(1);
});

const SET = { status: 200, headers: {}, body: Buffer.from('{"tag":"set"}'), receivedAtMs: 0 };

/** The ledger with some of its methods replaced. */
function beside(ledger: Ledger, methods: Partial<Ledger>): Ledger {
  const own = (name: keyof Ledger): unknown => {
    const value = ledger[name];
    return typeof value === 'function' ? value.bind(ledger) : value;
  };
  return new Proxy(ledger, {
    get: (_, name) => methods[name as keyof Ledger] ?? own(name as keyof Ledger),
  });
}
