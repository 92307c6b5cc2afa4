import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AttemptId,
  credits,
  type Ledger,
  OVER_AFTER_MS,
  SENT_WITHIN_MS,
} from '../../../src/ledger/ledger.ts';
import postgres from '../../../src/ledger/stores/postgres.ts';
import { said } from '../../support/told.ts';
import { admit, admitted, batchNamed, intentOf, NOON_MS, replyWith, stateOf } from './book.ts';
import { twoWorkers, type Workplace, workplace } from './postgres-places.ts';
import { anotherServer, postgresServer } from './postgres-server.ts';

// Goal: a worker that is gone, and a database that does not answer, cost no purchase and no answer. Method: workers over a real
// database, in which time passes by the test, and a way to it that is cut where that hurts most.

const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: said('x') } as const;
const LOST = { kind: 'in_doubt', why: said('no answer came') } as const;

const openIn = async (ledger: Ledger): Promise<readonly AttemptId[]> =>
  (await ledger.openAttempts()).map(({ attempt }) => attempt);

async function expectBalanced({ name }: Workplace): Promise<void> {
  const { url } = await postgresServer();
  expect(await postgres.check(url(name))).toMatchObject({ wrong: [] });
}

describe('an attempt is over by its age, whoever made it', () => {
  test('an attempt is not over before its request can be neither under way nor sent any more', async () => {
    const [place, one, other] = await twoWorkers();
    const batch = await batchNamed(one, 'a');
    const short = await one.intent({ ...intentOf(batch, 'short'), deadlineMs: 3_000 });
    const usual = await admitted(one, batch, 'usual');
    expect(await openIn(other)).toEqual([]);
    await place.later(SENT_WITHIN_MS + 3_000 + OVER_AFTER_MS + 1);
    expect(await openIn(other)).toEqual(['attempt' in short && short.attempt]);
    await place.later(57_000);
    expect(await openIn(other)).toContain(usual);
    expect(await openIn(one), 'who made it waits for it').toEqual([]);
    expect(await stateOf(one, 'usual')).toEqual({ kind: 'in_flight' });
  });

  test('one of those who find it ends it; an answer that comes then is kept, and ends the doubt once', async () => {
    const [place, one, other] = await twoWorkers();
    const third = await place.worker();
    const batch = await batchNamed(one, 'a');
    const attempt = await admitted(one, batch, 'acme');
    await place.later(80_000);
    expect([await openIn(other), await openIn(third)]).toEqual([[attempt], [attempt]]);
    const ended = await Promise.all([other, third].map((ledger) => ledger.end(attempt, LOST, NOON_MS)));
    expect(ended.toSorted()).toEqual(['ended', 'over']);
    await one.keep(attempt, replyWith('acme'));
    expect(await one.end(attempt, FOUND, NOON_MS), 'it looks again').toBe('over');
    await one.readAgain({ ...FOUND, attempt, dialect: 7, atMs: NOON_MS });
    expect(await one.end(attempt, FOUND, NOON_MS), 'once').toBe('over');
    expect(await stateOf(one, 'acme')).toMatchObject({ kind: 'answered', answer: { attempt } });
    await expectBalanced(place);
  });
});

/** The server gives a statement about calls up so many times. */
const givesUp = (code: string, times: number): string => `
  CREATE SEQUENCE tries; CREATE FUNCTION gives_up() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF nextval(''tries'') <= ${times} THEN RAISE SQLSTATE ''${code}''; END IF; RETURN NEW; END';
  CREATE TRIGGER gives_up BEFORE INSERT OR UPDATE ON attempts FOR EACH ROW EXECUTE FUNCTION gives_up()`;

describe('what the server gives up', () => {
  test.each([
    ['40001', 'stopped answering'],
    ['25006', 'takes no writes'],
  ])(
    'an outage by %s for as long as a database may be away ends the run, which says it %s',
    async (code, says) => {
      const place = await workplace();
      const ledger = await place.worker({ patience: { longestMs: 300, signal: undefined } });
      const batch = await batchNamed(ledger, 'a');
      await place.query(givesUp(code, 1_000));
      await expect(admit(ledger, batch, 'more')).rejects.toMatchObject({
        code: 'paused',
        message: expect.stringContaining(says),
      });
    },
  );
});

test('an answer that comes when an intent has waited long enough for the database is kept once that is back', async () => {
  const server = await anotherServer();
  onTestFinished(() => server.stopAtOnce());
  const place = await workplace(server);
  const ledger = await place.worker({ patience: { longestMs: 300, signal: undefined } });
  const batch = await batchNamed(ledger, 'a');
  const attempt = await admitted(ledger, batch, 'acme');
  await server.stopAtOnce();
  await expect(admit(ledger, batch, 'more')).rejects.toMatchObject({ code: 'paused' });
  const kept = ledger.keep(attempt, replyWith('acme'));
  await server.startAgain();
  await kept;
  expect(await ledger.end(attempt, FOUND, NOON_MS)).toBe('ended');
});

test('a database that does not know what it had acknowledged is spent from no more', async () => {
  const [place, one, other] = await twoWorkers();
  const batch = await batchNamed(one, 'a');
  await admitted(one, batch, 'acme');
  // As a backup of before, from which somebody has gone on: the number is another's.
  await place.query(
    'SET session_replication_role = replica; DELETE FROM attempts; UPDATE workers SET newest_group = newest_group - 2 WHERE id = 1',
  );
  await expect(admit(one, batch, 'more')).rejects.toMatchObject({ code: 'store_lost' });
  await expect(one.spenders?.beat([])).rejects.toMatchObject({ code: 'store_lost' });
  // Who lost nothing of its own hears of it by its next beat.
  await expect(other.spenders?.beat([])).rejects.toMatchObject({ code: 'store_lost' });
});
