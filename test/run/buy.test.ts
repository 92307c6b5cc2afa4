/**
 * Goal: a call that was bought by others since the ledger was asked about it is not bought again, a row keeps the attempts that led to
 * where it ended, and no redirect is followed.
 * Method: the real pipeline over a real SQLite store before a vendor that answers as the test says.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { dialectMark } from '../../src/client/dialect.ts';
import type { RunEvent } from '../../src/core/events.ts';
import { end, send } from '../../src/core/operation.ts';
import type { Job } from '../../src/job/job.ts';
import { type AttemptId, credits, type Ledger } from '../../src/ledger/ledger.ts';
import { some } from '../support/combinations.ts';
import { attemptsOf, dialectWith, openPlace, type Place, runOnce, tagging } from '../support/doubtful.ts';

test('a redirect is not followed: it stops the run', async () => {
  const at = await openPlace((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  expect((await runOnce(at)).stopped).toMatchObject({ code: 'address' });
  expect(at.vendor.requests.map(({ path }) => path)).toEqual(['/tag']);
});

test.each(
  some(
    [
      ['answered', 'applied'],
      ['lost', 'in_doubt'],
    ],
    1,
  ),
)(
  'what was %s since the ledger was asked about a group of rows is not bought again',
  async (first, outcome) => {
    const at = await openPlace((_, response) => {
      if (first === 'lost') response.destroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"tag":"set"}');
    });
    const { batch } = await runOnce(at);
    await writeFile(join(at.folder, 'list.csv'), 'name\none\none\n');
    const { counts } = await runOnce({ ...at, ledger: askedLongAgo(at.ledger) });
    expect(counts).toEqual({ [outcome]: 2 });
    const asked = at.vendor.requests.filter(({ body }) => body === '{"name":"one"}');
    expect(asked).toHaveLength(1);
    expect(await attemptsOf(at, batch)).toHaveLength(1);
  },
);

/** Knew nothing of any call when it was asked about all of them. */
const askedLongAgo = (ledger: Ledger): Ledger =>
  replacing(ledger, {
    find: async (keys, options) =>
      options?.detail === 'kind' ? keys.map(() => ({ kind: 'unknown' })) : ledger.find(keys, options),
  });

test('a row whose call is lost ends there, with what it has used by then and the lost attempt last', async () => {
  const at = await openPlace((_, response) => {
    if (at.vendor.requests.length === 3) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"tag":"set"}');
  });
  const finished: (readonly number[])[] = [];
  const ledger = replacing(at.ledger, {
    async finishRows(rows) {
      finished.push(...rows.map(({ answers }) => answers));
      await at.ledger.finishRows(rows);
    },
  });
  const { counts, batch } = await runOnce({ ...at, ledger }, { job: threeTags });
  expect(counts).toEqual({ in_doubt: 1 });
  const attempts = await attemptsOf(at, batch);
  expect(attempts.map(({ end }) => end?.kind)).toEqual(['answered', 'answered', 'in_doubt']);
  expect(finished).toEqual([attempts.map(({ attempt }) => attempt)]);
});

/** Sets three tags for the one row, one after the other. */
const threeTags: Job = {
  ...tagging('hold'),
  operation: {
    ...tagging('hold').operation,
    next(_, answered) {
      const calls = [1, 2, 3].map((tag) => ({
        operation: 'set-tag',
        parameters: { tag },
        ifLost: 'hold' as const,
      }));
      const call = calls.find((each) => answered(each) === undefined);
      return call === undefined ? end({ kind: 'applied' }) : send(call);
    },
  },
};

test('a call that another run asks for is waited for, and is not bought again', async () => {
  const at = await openPlace((_, response) => response.destroy());
  let other: AttemptId | undefined;
  const seen: string[] = [];
  const ledger = replacing(at.ledger, {
    async intent(intent) {
      if (other === undefined) {
        const admission = await at.ledger.intent(intent);
        other = admission.kind === 'admitted' ? admission.attempt : undefined;
      }
      return at.ledger.intent(intent);
    },
    async find(keys, batch) {
      const states = await at.ledger.find(keys, batch);
      seen.push(...states.map(({ kind }) => kind));
      // The other run gets its answer.
      if (other !== undefined && states[0]?.kind === 'in_flight') await answer(at, other);
      return states;
    },
  });
  const { counts, batch } = await runOnce({ ...at, ledger });
  expect(counts).toEqual({ applied: 1 });
  expect(seen.slice(-2)).toEqual(['in_flight', 'answered']);
  expect(at.vendor.requests).toEqual([]);
  expect(await attemptsOf(at, batch)).toHaveLength(1);
});

async function answer({ ledger, clock }: Place, attempt: AttemptId): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = Buffer.from('{"tag":"set"}');
  const atMs = clock.wallMs();
  await ledger.keep(attempt, { status: 200, headers, body, receivedAtMs: atMs });
  const end = { kind: 'answered', answer: 'found', charged: credits(1), why: 'status 200' } as const;
  const mark = dialectMark(dialectWith({}));
  await ledger.end(attempt, { ...end, dialect: mark }, atMs);
}

test('the next request leaves as soon as an answer is on the disk, and its row waits for the rest', async () => {
  const at = await openPlace((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"tag":"set"}'),
  );
  await writeFile(join(at.folder, 'list.csv'), 'name\none\ntwo\n');
  const second = Promise.withResolvers<void>();
  const settled: number[] = [];
  let hasEnded = false;
  const ledger = replacing(at.ledger, {
    async end(...ended) {
      const isFirst = !hasEnded;
      hasEnded = true;
      if (isFirst) {
        await second.promise;
        expect(settled).toEqual([]);
      }
      return at.ledger.end(...ended);
    },
    async keep(...replied) {
      const kept = await at.ledger.keep(...replied);
      if (at.vendor.requests.length === 2) second.resolve();
      return kept;
    },
    async finishRows(rows) {
      settled.push(...rows.map(({ row }) => row));
      await at.ledger.finishRows(rows);
    },
  });
  const { counts } = await runOnce({ ...at, ledger });
  expect(counts).toEqual({ applied: 2 });
  expect(settled).toEqual([2, 3]);
});

test('64 at once, and one is told that the credits are used up: no request leaves after the commit that kept it', async () => {
  // Method: all 64 are answered at once, so that the next intents are in the commit that keeps the answers.
  const waiting: ((status: number) => void)[] = [];
  const at = await openPlace((_, response) => {
    waiting.push((status) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"tag":"set"}'),
    );
    if (waiting.length === 64) for (const [at, answer] of waiting.entries()) answer(at === 40 ? 402 : 200);
  });
  const names = Array.from({ length: 300 }, (_, index) => `name-${index}`);
  await writeFile(join(at.folder, 'list.csv'), `name\n${names.join('\n')}\n`);
  let left = 0;
  let leftBefore: number | undefined;
  let asked = 0;
  let intentsBeside = 0;
  const ledger = replacing(at.ledger, {
    async intent(intent) {
      asked += 1;
      const admission = await at.ledger.intent(intent);
      asked -= 1;
      return admission;
    },
    async keep(attempt, reply) {
      const kept = await at.ledger.keep(attempt, reply);
      if (reply.status === 402) [leftBefore, intentsBeside] = [left, asked];
      return kept;
    },
  });
  const emit = ({ kind }: RunEvent): void => {
    if (kind === 'sent') left += 1;
  };
  const { stopped, batch } = await runOnce({ ...at, ledger }, { budget: 300, concurrency: 64, emit });
  expect(stopped).toMatchObject({ code: 'vendor_credits' });
  expect(intentsBeside).toBeGreaterThan(0);
  expect([leftBefore, left]).toEqual([64, 64]);
  expect(await at.ledger.batchMoney(batch)).toMatchObject({ reserved: 0, inDoubt: 0 });
});

test('a ledger that knows more of a call than it shows stops the run, which would ask it for ever', async () => {
  const at = await openPlace((_, response) => response.destroy());
  const ledger = replacing(at.ledger, { intent: async () => ({ kind: 'known' }) });
  await expect(runOnce({ ...at, ledger })).rejects.toThrow(/the ledger knows more of call .* than it shows/);
  expect(at.vendor.requests).toEqual([]);
});

function replacing(ledger: Ledger, methods: Partial<Ledger>): Ledger {
  return new Proxy(ledger, {
    get(target, name) {
      const own: unknown = Reflect.get(methods, name);
      const member: unknown = own ?? Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

test('a call that waits for the money of others is asked as soon as that is released, without a look at the clock', async () => {
  // Method: nothing is found and nothing charged, with a budget for one of four at a time, by a clock on which no such wait ends.
  const at = await openPlace((_, response) => response.writeHead(404).end('{}'));
  const names = Array.from({ length: 5 }, (_, index) => `name-${index}\n`);
  await writeFile(join(at.folder, 'list.csv'), `name\n${names.join('')}`);
  const sleep = at.clock.sleep.bind(at.clock);
  vi.spyOn(at.clock, 'sleep').mockImplementation((ms, signal) =>
    ms < 1_000 ? sleep(ms, signal) : aborted(signal),
  );
  const priced = dialectWith({}, { credits: { most: 1, found: 1, exact: true } });
  const { counts } = await runOnce(at, { dialect: priced, budget: 1, concurrency: 4 });
  expect(counts).toEqual({ no_match: names.length });
});

/** Rejects when the signal says so, and never ends otherwise. */
const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
