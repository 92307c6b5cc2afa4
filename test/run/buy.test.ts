/**
 * Goal: a call that was bought by others since the ledger was asked about it is not bought again, and one that waits for the money of others
 * is asked as soon as that is released.
 * Method: the real pipeline over a real SQLite store before a vendor that answers as the test says.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { dialectMark } from '../../src/client/dialect.ts';
import { type AttemptId, credits, type Ledger } from '../../src/ledger/ledger.ts';
import { some } from '../support/combinations.ts';
import { attemptsOf, dialectWith, openPlace, type Place, runOnce } from '../support/doubtful.ts';
import { said } from '../support/told.ts';

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
  const end = { kind: 'answered', answer: 'found', charged: credits(1), why: said('status 200') } as const;
  const mark = dialectMark(dialectWith({}));
  await ledger.end(attempt, { ...end, dialect: mark }, atMs);
}

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
