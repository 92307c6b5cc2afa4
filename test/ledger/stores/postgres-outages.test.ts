/**
 * Goal: a database that cannot be reached for a while loses nothing that was bought, and is waited for as long as a run may wait.
 * Method: a ledger over a real server of its own, which is stopped as by a crash and started again.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Patience } from '../../../src/ledger/store.ts';
import { proof } from '../../combinations.ts';
import { admit, admitted, batchNamed, keyNamed, NOON_MS, replyWith } from './book.ts';
import { FOR_EVER, workplace } from './postgres-places.ts';
import { anotherServer, type Server } from './postgres-server.ts';

let server: Server;
beforeAll(async () => {
  server = await anotherServer();
});
afterAll(() => server.stopAtOnce());

interface Opened {
  readonly ledger: Ledger;
  /** What was told of outages. */
  readonly told: readonly string[];
}

async function opened(patience: Patience): Promise<Opened> {
  const told: string[] = [];
  const place = await workplace(server);
  const ledger = await place.worker({ patience, tell: (fact) => void told.push(fact) });
  return { ledger, told };
}

const CLOSED = { kind: 'answered', answer: 'found', charged: 1, why: 'found' } as never;

test('a reply, an end and a question wait while the server is away, and it is told once that it is and once that it is back', async () => {
  const { ledger, told } = await opened(FOR_EVER);
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'acme');
  await server.stopAtOnce();
  const replied = ledger.keep(attempt, replyWith('acme'));
  const known = ledger.find([keyNamed('acme')]);
  await expect.poll(() => told).toHaveLength(1);
  await server.startAgain();
  expect(await replied).toBe('kept');
  expect(await known).toMatchObject([{ kind: 'in_flight', attempt }]);
  await ledger.end(attempt, CLOSED, NOON_MS + 50);
  expect(await ledger.find([keyNamed('acme')])).toMatchObject([{ kind: 'answered' }]);
  expect(told).toEqual([
    expect.stringMatching(/^postgres:.* Nothing is sent until it can be reached again/),
    expect.stringMatching(/^postgres:.* answers again after /),
  ]);
});

proof(
  'after the longest pause what asks is refused and nothing new is admitted, and a reply in hand is written all the same',
  async () => {
    const { ledger } = await opened({ longestMs: 500, signal: undefined });
    const batch = await batchNamed(ledger, 'a');
    const attempt = await admitted(ledger, batch, 'acme');
    await server.stopAtOnce();
    const isStop = expect.objectContaining({ code: 'store', name: StopError.name });
    await expect(ledger.find([keyNamed('acme')])).rejects.toEqual(isStop);
    await expect(admit(ledger, batch, 'other')).rejects.toEqual(isStop);
    const replied = ledger.keep(attempt, replyWith('acme'));
    await server.startAgain();
    expect(await replied).toBe('kept');
  },
);

test('without patience what is asked for fails at once', async () => {
  const { ledger } = await opened({ longestMs: 0, signal: undefined });
  await server.stopAtOnce();
  await expect(ledger.batches()).rejects.toMatchObject({ code: 'store' });
  await server.startAgain();
});
