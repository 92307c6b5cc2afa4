import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../../src/core/call-key.ts';
import type { StopError } from '../../../src/core/errors.ts';
import { finding, together } from '../../../src/core/finding.ts';
import type { Finding } from '../../../src/core/findings.ts';
import {
  type AttemptId,
  type BatchId,
  credits,
  type FreshSince,
  type Ledger,
  type PauseRecord,
  type Reading,
} from '../../../src/ledger/ledger.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { storeAt } from '../../../src/ledger/stores.ts';
import { said } from '../../support/told.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  batchSpec,
  begin,
  DAY_MS,
  decide,
  IN_DOUBT,
  intentOf,
  keyNamed,
  lookAt,
  lost,
  MATCHED,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  requestUnder,
  settle,
  stateOf,
} from './book.ts';
import { freshLedger } from './places.ts';
import { postgresOfTests } from './postgres-server.ts';

/*
 * Goal: both stores keep the same promises: a call is bought once, what may have been charged stays counted, and no cap is passed.
 * Method: one suite by the contract alone, run over each: attempts are taken through every way of ending, and sums are read after each step.
 */

const FOUND = { kind: 'answered', answer: 'found', charged: credits(1), why: said('found') } as const;
const MISSED = { kind: 'no_match', charged: 0, status: 404 } as const;
const REFUSED = { kind: 'refused', charged: 0, status: 400 } as const;
const REQUEST = requestUnder('key-1');
const OTHER = requestUnder('key-2');

/** Answers of the tests are given shortly after noon; a batch with these cut-offs finds all of them too old. */
const ALL_TOO_OLD: FreshSince = { foundMs: NOON_MS + DAY_MS, noMatchMs: NOON_MS + DAY_MS };
const LATER_MS = NOON_MS + DAY_MS + 1000;

/** Of a batch that began a day later. */
const refresh = (replaces: AttemptId) => ({ replaces, atMs: LATER_MS, receivedAtMs: LATER_MS });

/** What a rule decides about the call `acme`; the repeat reserves nothing. */
async function repeat(ledger: Ledger, batch: BatchId) {
  return { decision: await decide(ledger, batch, 'acme', 'repeat'), reserve: 0 };
}

async function retry(ledger: Ledger, batch: BatchId, word = 'acme') {
  return { decision: await decide(ledger, batch, word, 'retry') };
}

describe.each([
  ['sqlite', sqlite],
  ['postgres', postgresOfTests],
] as const)('the store "%s"', (_, store) => {
  /** A ledger with two batches. */
  async function opened() {
    const ledger = await freshLedger(store);
    return { ledger, a: await batchNamed(ledger, 'a'), b: await batchNamed(ledger, 'b') };
  }

  test('other content at the same place supersedes what is unfinished, and going back does not revive it', async () => {
    const ledger = await freshLedger(store);
    const a = await begin(ledger, { key: 'key-a' });
    const b = await begin(ledger, { key: 'key-b' });
    expect(b).toMatchObject({ start: 'new', superseded: [a.batch.id] });
    expect((await ledger.batch(a.batch.id))?.state).toBe('superseded');
    const c = await begin(ledger, { key: 'key-a' });
    const again = { generation: 2, state: 'open' };
    expect(c).toMatchObject({ start: 'new', superseded: [b.batch.id], batch: again });
    await expect(ledger.changeBatch(a.batch.id, { state: 'finished' })).rejects.toThrow();
  });

  test('a finished batch is renewed by its next generation, an open one resumes all the same', async () => {
    const ledger = await freshLedger(store);
    const first = await begin(ledger);
    expect((await ledger.beginBatch(batchSpec(), true)).start).toBe('resumed');
    await ledger.changeBatch(first.batch.id, { state: 'finished' });
    const second = await ledger.beginBatch(batchSpec(), true);
    expect(second).toMatchObject({ start: 'new', batch: { generation: 2, state: 'open' } });
    expect((await ledger.batch(first.batch.id))?.state).toBe('finished');
    expect((await ledger.batchByKey('key-a'))?.id).toBe(second.batch.id);
  });

  test('a reply is recorded once, and an attempt without one cannot settle its call', async () => {
    const { ledger, a } = await opened();
    const attempt = await admitted(ledger, a, 'acme');
    await expect(ledger.end(attempt, FOUND, NOON_MS)).rejects.toThrow();
    await ledger.keep(attempt, replyWith('first'));
    await ledger.keep(attempt, replyWith('second'));
    await ledger.end(attempt, FOUND, NOON_MS);
    expect(await stateOf(ledger, 'acme')).toMatchObject({ answer: { body: Buffer.from('first') } });
  });

  test('a reply comes late to a call that has moved on: it is kept, and the call stays where it stands', async () => {
    const { ledger, a } = await opened();
    const told = await lost(ledger, a, 'told');
    await decide(ledger, a, 'told', 'told', replyWith('told'));
    const freed = await lost(ledger, a, 'freed');
    await released(ledger, freed);
    const again = await lost(ledger, a, 'again');
    const bought = await answered(ledger, a, 'again', await retry(ledger, a, 'again'));
    const found = () => ledger.find(['told', 'freed', 'again'].map((word) => keyNamed(word)));
    const [money, states] = [await ledger.batchMoney(a), await found()];
    for (const attempt of [told, freed, again]) await ledger.keep(attempt, replyWith('late'));
    expect([await ledger.batchMoney(a), await found()]).toEqual([money, states]);
    expect(states).toMatchObject([{ answer: { attempt: told } }, {}, { answer: { attempt: bought } }]);
    const kept = (await ledger.history(a, 2)).filter(({ reply }) => reply?.body.toString() === 'late');
    expect(kept.map(({ attempt }) => attempt)).toEqual([told, freed, again]);
  });

  test('what is written together is what it would be alone, and what is refused takes none with it', async () => {
    const { ledger, a } = await opened();
    const bought = await answered(ledger, a, 'bought');
    const open = await admitted(ledger, a, 'open');
    const [held, freed] = [await lost(ledger, a, 'held'), await lost(ledger, a, 'freed')];
    const nobody = 99 as AttemptId;
    const reading = {
      answer: 'no_match',
      charged: credits(0),
      why: said('empty'),
      dialect: 7,
      atMs: NOON_MS,
    } as const;
    const written = await Promise.allSettled([
      admit(ledger, a, 'next'),
      admit(ledger, a, 'none', { replaces: bought }),
      ledger.keep(open, replyWith('open')),
      ledger.readAgain({ ...reading, attempt: bought }),
      ledger.readAgain({ ...reading, attempt: nobody }),
      ledger.end(open, FOUND, NOON_MS),
      ledger.end(bought, FOUND, NOON_MS),
      decide(ledger, a, 'held', 'skip'),
      ledger.look(lookAt(freed, 'not_happened')),
      ledger.look(lookAt(bought, 'happened')),
      ledger.release(freed, 'somebody said so', NOON_MS),
      ledger.release(bought, 'somebody said so', NOON_MS),
      ledger.keep(nobody, replyWith('nobody')),
    ]);
    expect(written.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([4, 9, 11]);
    expect(await stateOf(ledger, 'open')).toMatchObject({ kind: 'answered', answer: { why: FOUND.why } });
    expect(await stateOf(ledger, 'bought')).toMatchObject({ answer: { kind: 'no_match' } });
    expect(await stateOf(ledger, 'held', a)).toMatchObject({ decision: { kind: 'skip' } });
    expect(await ledger.attempts([held])).toMatchObject([{ end: { kind: 'in_doubt' } }]);
    expect(await ledger.batchMoney(a)).toEqual({ spent: 2, isAtMost: true, reserved: 1, inDoubt: 1 });
  });

  test("an account's day and month hold over all of its batches, by UTC", async () => {
    const { ledger, a, b } = await opened();
    await ledger.setAccountCaps(ACCOUNT, { perDay: credits(2), perMonth: credits(3) });
    const midnightMs = NOON_MS + DAY_MS / 2;
    await answered(ledger, a, 'one', { atMs: midnightMs - 1 });
    await answered(ledger, b, 'two', { atMs: midnightMs - 1 });
    expect(await admit(ledger, b, 'three', { atMs: midnightMs - 1 })).toMatchObject({ scope: 'day' });
    await answered(ledger, b, 'three', { atMs: midnightMs });
    const money = { cap: 3, spent: 3, reserved: 0, inDoubt: 0 };
    const over = { kind: 'over_budget', scope: 'month', money };
    expect(await admit(ledger, a, 'four', { atMs: midnightMs })).toEqual(over);
    expect(await ledger.accountMoney(ACCOUNT, 'day', midnightMs)).toMatchObject({ cap: 2, spent: 1 });
    await admitted(ledger, a, 'four', { atMs: NOON_MS + 20 * DAY_MS });
    await ledger.setAccountCaps(ACCOUNT, {});
    await admitted(ledger, a, 'five', { atMs: midnightMs });
  });

  test('a cap that is lowered below what was spent refuses what follows, until it is raised', async () => {
    const { ledger, a } = await opened();
    await ledger.setAccountCaps(ACCOUNT, { perDay: credits(9) });
    await answered(ledger, a, 'one', { charged: 5, reserve: 5 });
    await ledger.setAccountCaps(ACCOUNT, { perDay: credits(3) });
    const over = { kind: 'over_budget', scope: 'day', money: { cap: 3, spent: 5 } };
    expect(await admit(ledger, a, 'two')).toMatchObject(over);
    await ledger.setAccountCaps(ACCOUNT, { perDay: credits(6) });
    await admitted(ledger, a, 'two');
    expect(await admit(ledger, a, 'three')).toMatchObject({ scope: 'day' });
  });

  test('pauses that the vendor asked for hold for later runs, whatever its clock says; our own do not, nor those of more than a day', async () => {
    const ledger = await freshLedger(store);
    const leftMs = async (): Promise<number> => (await ledger.account(ACCOUNT)).pausedForMs ?? 0;
    const pause = (durationMs: number, asked: boolean): PauseRecord => ({
      fromMs: NOON_MS,
      untilMs: NOON_MS + durationMs,
      why: 'too fast',
      asked,
    });
    await ledger.notePause(ACCOUNT, pause(DAY_MS, false));
    expect(await leftMs()).toBe(0);
    await ledger.notePause(ACCOUNT, pause(60_000, true));
    await ledger.notePause(ACCOUNT, pause(30_000, true));
    expect(await leftMs()).toBeGreaterThan(30_000);
    expect(await leftMs()).toBeLessThanOrEqual(60_000);
    await ledger.notePause(ACCOUNT, pause(DAY_MS + 60_000, true));
    expect(await leftMs()).toBe(0);
  });

  describe('a call that the vendor has accepted', () => {
    const accepted = async (ledger: Ledger, batch: BatchId, word: string, more: object = {}) => {
      const attempt = await admitted(ledger, batch, word, { reserve: 3, ...more });
      await ledger.keep(attempt, replyWith(word));
      const id = { vendorId: word, laterPath: '/results/{id}', ifShared: said('shared') };
      await ledger.end(attempt, { kind: 'accepted', ...id, why: said('later') }, NOON_MS + 50);
      return attempt;
    };

    test('is booked at the most by a person who leaves it out, is skipped in that list, and has no answer in others', async () => {
      const { ledger, a } = await opened();
      const b = await batchNamed(ledger, 'other', { inputPath: '/home/user/other.csv' });
      await accepted(ledger, a, 'acme');
      await decide(ledger, a, 'acme', 'skip');
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 3, reserved: 0, inDoubt: 0 });
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({ kind: 'unanswered', isSkipped: true });
      expect(await stateOf(ledger, 'acme', b)).not.toHaveProperty('isSkipped');
      await notAdmitted(admit(ledger, b, 'acme'));
      expect(await ledger.accepted(a)).toEqual([]);
    });

    test('gives its money back where a person says that it was not done, and is bought like any other', async () => {
      const { ledger, a } = await opened();
      await released(ledger, await accepted(ledger, a, 'acme'));
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 0, reserved: 0, inDoubt: 0 });
      expect(await admit(ledger, a, 'acme')).toMatchObject({ kind: 'admitted' });
    });

    test('is answered by what a person tells, and in doubt beside a retry that a person wants', async () => {
      const { ledger, a } = await opened();
      await accepted(ledger, a, 'told');
      await decide(ledger, a, 'told', 'told', replyWith('told'));
      expect(await stateOf(ledger, 'told')).toMatchObject({ kind: 'answered', answer: { charged: 3 } });
      await accepted(ledger, a, 'acme');
      const { decision } = await retry(ledger, a);
      await admitted(ledger, a, 'acme', { decision, reserve: 3 });
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 3, reserved: 3, inDoubt: 3 });
    });

    test('is decided about by nobody but a person', async () => {
      const { ledger, a } = await opened();
      await accepted(ledger, a, 'acme');
      for (const kind of ['skip', 'retry', 'repeat'] as const) {
        const spec = { key: keyNamed('acme'), batch: a, kind, by: 'job', why: 'x', atMs: NOON_MS } as const;
        await expect(ledger.decide(spec)).rejects.toThrow('is not in doubt');
      }
    });

    test('that was to replace an answer leaves that answer in its place when it is left out', async () => {
      const { ledger, a } = await opened();
      const old = await answered(ledger, a, 'acme');
      const late = await batchNamed(ledger, 'late', {
        createdAtMs: NOON_MS + DAY_MS,
        freshSince: ALL_TOO_OLD,
      });
      await accepted(ledger, late, 'acme', refresh(old));
      await decide(ledger, late, 'acme', 'skip');
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { attempt: old } });
      expect(await ledger.batchMoney(late)).toMatchObject({ spent: 3, reserved: 0 });
    });

    test('after a doubt that it was sent again for is booked with that doubt', async () => {
      const { ledger, a } = await opened();
      await lost(ledger, a, 'acme', { reserve: 3 });
      await accepted(ledger, a, 'acme', await retry(ledger, a));
      await decide(ledger, a, 'acme', 'skip');
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 6, reserved: 0, inDoubt: 0 });
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({ kind: 'unanswered', isSkipped: true });
    });
  });

  describe('a call in doubt', () => {
    test('an attempt that never left, or was asked to wait, gives its decision back', async () => {
      const { ledger, a } = await opened();
      await lost(ledger, a, 'acme');
      const { decision } = await retry(ledger, a);
      for (const kind of ['not_sent', 'paused', 'not_served', 'stopped'] as const) {
        const attempt = await admitted(ledger, a, 'acme', { decision });
        expect(await stateOf(ledger, 'acme', a)).not.toHaveProperty('decision');
        await ledger.end(attempt, { kind, why: said('x') }, NOON_MS);
        const back = { kind: 'in_doubt', decision: { id: decision } };
        expect(await stateOf(ledger, 'acme', a)).toMatchObject(back);
      }
    });

    test('a decision about one loss does not allow to risk another one', async () => {
      const { ledger, a, b } = await opened();
      await lost(ledger, a, 'acme');
      const unused = await retry(ledger, a);
      await lost(ledger, b, 'acme', await retry(ledger, b));
      await notAdmitted(admit(ledger, a, 'acme', unused));
      expect(await stateOf(ledger, 'acme', a)).not.toHaveProperty('decision');
    });

    test('a call in doubt that is answered in the end is answered for everybody, and what was risked stays at risk', async () => {
      const { ledger, a, b } = await opened();
      await lost(ledger, a, 'acme', { reserve: 2 });
      const attempt = await answered(ledger, b, 'acme', await retry(ledger, b));
      const answer = { attempt, batch: b };
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({ kind: 'answered', answer });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      expect(await ledger.batchMoney(b)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
      expect(await ledger.doubts(a)).toEqual([]);
    });

    test('what was sent before an answer is free once a person says that it was not done, and the answer stays', async () => {
      const { ledger, a, b } = await opened();
      const first = await lost(ledger, a, 'acme', { reserve: 4 });
      const second = await lost(ledger, a, 'acme', { ...(await retry(ledger, a)), reserve: 2 });
      const free = () => ledger.releaseBeside([second], 'not done', NOON_MS);
      const sent = await admitted(ledger, b, 'acme', await retry(ledger, b));
      await free();
      expect(await ledger.batchMoney(a), 'it is under way').toEqual({ spent: 0, reserved: 0, inDoubt: 6 });
      expect(await ledger.beside(a)).toEqual([]);
      await ledger.keep(sent, replyWith('acme'));
      await ledger.end(sent, FOUND, LATER_MS);
      expect(await ledger.beside(a)).toMatchObject([{ attempt: first, atRisk: 6, row: 2 }]);
      await free();
      expect(await ledger.beside(a)).toEqual([]);
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 0 });
      // What comes late is kept by its reply, and changes nothing.
      await ledger.keep(first, replyWith('late'));
      expect(await ledger.end(first, FOUND, LATER_MS)).toBe('over');
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({ kind: 'answered', answer: { attempt: sent } });
      expect(await ledger.batchMoney(b)).toEqual({ spent: 1, reserved: 0, inDoubt: 0 });
    });

    test('a refresh in doubt beside an answer is free once a person says that it was not done', async () => {
      const { ledger, a } = await opened();
      const old = await answered(ledger, a, 'acme');
      const late = await batchNamed(ledger, 'late', { freshSince: ALL_TOO_OLD });
      const doubt = await lost(ledger, late, 'acme', { ...refresh(old), reserve: 3 });
      expect(await ledger.beside(late)).toMatchObject([{ attempt: doubt, atRisk: 3 }]);
      await ledger.releaseBeside([doubt], 'not done', NOON_MS);
      expect(await ledger.batchMoney(late)).toEqual({ spent: 0, reserved: 0, inDoubt: 0 });
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer: { attempt: old } });
    });

    test('what a list says of a person is noted once, unless a change of that person is under way, in doubt or settled since', async () => {
      const { ledger, a, b } = await opened();
      const leaves = { state: 'member', role: 'viewer' } as const;
      const learned = (name: string) => ({
        ...{ accountIdentity: ACCOUNT, batch: a, row: 2, after: 0, leaves, atMs: NOON_MS },
        subject: { project: 'proj-1', name },
      });
      const invite = async (name: string, batch = a) => {
        const { subject } = learned(name);
        const change = { subject, leaves: { state: 'invited' } } as const;
        const call = {
          operation: 'create-invite',
          parameters: {},
          ifLost: 'hold',
          after: 0,
          change,
        } as const;
        return ledger.intent({ ...intentOf(batch, name), call, key: callKeyOf(ACCOUNT, call) });
      };
      const attemptOf = async (name: string) => {
        const admission = await invite(name);
        return (admission.kind === 'admitted' ? admission.attempt : undefined) as AttemptId;
      };
      await attemptOf('open@x.com');
      await ledger.end(await attemptOf('doubt@x.com'), { kind: 'in_doubt', why: said('lost') }, NOON_MS);
      const done = await attemptOf('done@x.com');
      await ledger.keep(done, replyWith('done'));
      await ledger.end(done, { ...FOUND, leftFacts: { state: 'invited' } }, NOON_MS);
      const names = ['open@x.com', 'doubt@x.com', 'done@x.com', 'jo@x.com'];
      for (const _ of ['first', 'again']) await ledger.noteLearned(names.map(learned), 'a list says so');
      expect(await ledger.subjects(ACCOUNT)).toMatchObject([
        { subject: { name: 'open@x.com' }, sequence: 0 },
        { subject: { name: 'doubt@x.com' }, sequence: 0 },
        { subject: { name: 'done@x.com' }, sequence: 1, facts: { state: 'invited' } },
        { subject: { name: 'jo@x.com' }, sequence: 1, facts: leaves },
      ]);
      const { accountIdentity: _, after: __, ...noted } = learned('jo@x.com');
      const told: object[] = [];
      for await (const part of ledger.learned()) told.push(...part);
      expect(told).toEqual([{ ...noted, words: 'a list says so' }]);
      expect(await invite('jo@x.com', b)).toEqual({ kind: 'moved', by: a });
      expect(await ledger.metrics(a)).toEqual({ requests: 2, calls: 1 });
    });

    test('a doubt that is released needs the word that it did not happen, about itself, and goes once', async () => {
      const { ledger, a } = await opened();
      const [attempt, other] = [await lost(ledger, a, 'acme'), await lost(ledger, a, 'other')];
      await ledger.look(lookAt(other, 'not_happened'));
      const free = () => ledger.release(attempt, 'because', NOON_MS);
      await expect(free()).rejects.toThrow();
      for (const said of ['unclear', 'happened'] as const) {
        await ledger.look(lookAt(attempt, said));
        await expect(free()).rejects.toThrow();
      }
      await ledger.look(lookAt(attempt, 'not_happened'));
      await free();
      await expect(free()).rejects.toThrow();
      expect(await ledger.batchMoney(a)).toMatchObject({ inDoubt: 1 });
    });

    test('a doubt that is released leaves the call in doubt about what it lost before, each under a key of its own or none', async () => {
      const { ledger, a } = await opened();
      const first = await lost(ledger, a, 'acme', { reserve: 4 });
      const again = { ...(await retry(ledger, a)), reserve: 2, request: OTHER };
      await released(ledger, await lost(ledger, a, 'acme', again));
      const doubt = { attempt: first, atRisk: 4 };
      expect(await stateOf(ledger, 'acme', a)).toMatchObject({ kind: 'in_doubt', doubt });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 4 });
      await notAdmitted(admit(ledger, a, 'acme'));
      await released(ledger, first);
      expect(await stateOf(ledger, 'acme')).toEqual({ kind: 'unknown' });
    });
  });

  describe('a request under an idempotency key', () => {
    test('a request under an idempotency key is charged where it was risked, so that a repeat passes nobody’s cap', async () => {
      const { ledger, a, b } = await opened();
      await lost(ledger, a, 'acme', { reserve: 2, request: REQUEST, atMs: NOON_MS - DAY_MS });
      await ledger.changeBatch(b, { budget: credits(1) });
      await answered(ledger, b, 'other');
      await answered(ledger, b, 'acme', { ...(await repeat(ledger, b)), request: REQUEST, charged: 2 });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 2, reserved: 0, inDoubt: 0 });
      expect(await ledger.batchMoney(b)).toEqual({ cap: 1, spent: 1, reserved: 0, inDoubt: 0 });
      for (const [atMs, spent] of [
        [NOON_MS, 1],
        [NOON_MS - DAY_MS, 2],
      ] as const)
        expect(await ledger.accountMoney(ACCOUNT, 'day', atMs)).toMatchObject({ spent, inDoubt: 0 });
      expect(await ledger.metrics(b)).toEqual({ requests: 2, calls: 2 });
    });

    test('a repeat frees nothing that was risked without it or under another key', async () => {
      const { ledger, a } = await opened();
      await lost(ledger, a, 'acme', { reserve: 4 });
      await lost(ledger, a, 'acme', { reserve: 2, request: REQUEST, ...(await retry(ledger, a)) });
      await lost(ledger, a, 'acme', { reserve: 8, request: OTHER, ...(await retry(ledger, a)) });
      expect(await stateOf(ledger, 'acme')).toMatchObject({ doubt: { atRisk: 14 } });
      await answered(ledger, a, 'acme', { ...(await repeat(ledger, a)), request: OTHER });
      expect(await ledger.batchMoney(a)).toEqual({ spent: 1, reserved: 0, inDoubt: 6 });
    });

    test('what is released under an idempotency key takes with it what the same request risked before', async () => {
      const { ledger, a } = await opened();
      const first = await lost(ledger, a, 'acme', { reserve: 2, request: REQUEST });
      const second = await lost(ledger, a, 'acme', { ...(await repeat(ledger, a)), request: REQUEST });
      await ledger.look(lookAt(first, 'not_happened'));
      await expect(ledger.release(first, 'because', NOON_MS)).rejects.toThrow();
      await released(ledger, second);
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 0 });
      expect(await stateOf(ledger, 'acme')).toEqual({ kind: 'unknown' });
    });

    test.each([
      ['another key', OTHER],
      ['another path', { ...REQUEST, path: '/v2' }],
      ['another method', { ...REQUEST, method: 'GET' }],
      ['another body', { ...REQUEST, body: 'x' }],
      ['another beginning of its term', { ...REQUEST, firstSentAtMs: NOON_MS + 1 }],
    ] as const)('a request under an idempotency key is not repeated with %s', async (_what, request) => {
      const { ledger, a } = await opened();
      await lost(ledger, a, 'acme', { reserve: 2, request: REQUEST });
      const again = await repeat(ledger, a);
      await notAdmitted(admit(ledger, a, 'acme', { ...again, request }));
      expect(await ledger.batchMoney(a)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      await admitted(ledger, a, 'acme', { ...again, request: REQUEST });
    });
  });

  describe('an answer that is too old', () => {
    /** A batch that buys, and one that finds all of it too old. */
    async function withOld() {
      const { ledger, a } = await opened();
      return { ledger, a, late: await batchNamed(ledger, 'late', { freshSince: ALL_TOO_OLD }) };
    }

    test('an answer that is too old is bought anew, and the new one counts for everybody from then on', async () => {
      const { ledger, a, late } = await withOld();
      const old = await answered(ledger, a, 'acme');
      const attempt = await answered(ledger, late, 'acme', refresh(old));
      const answer = { attempt, batch: late, answeredAtMs: LATER_MS };
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'answered', answer });
      expect(await admit(ledger, late, 'acme')).toMatchObject({ kind: 'answered' });
      expect(await admit(ledger, late, 'acme', refresh(old))).toMatchObject({ kind: 'answered' });
      await notAdmitted(admit(ledger, late, 'acme', refresh(attempt)));
    });

    test('an answer that is too old costs the batch that buys it anew, within its budget; each batch counts the call that it settled', async () => {
      const { ledger, a, late } = await withOld();
      const old = await answered(ledger, a, 'acme', { charged: 2 });
      await ledger.changeBatch(late, { budget: credits(0) });
      expect(await admit(ledger, late, 'acme', refresh(old))).toMatchObject({ kind: 'over_budget' });
      await ledger.changeBatch(late, { budget: null });
      await answered(ledger, late, 'acme', { ...refresh(old), charged: 1 });
      expect(await ledger.batchMoney(a)).toMatchObject({ spent: 2 });
      expect(await ledger.batchMoney(late)).toMatchObject({ spent: 1 });
      for (const batch of [a, late]) expect(await ledger.metrics(batch)).toEqual({ requests: 1, calls: 1 });
    });

    test('an answer that is too old is one for its kind: found answers and others have cut-offs of their own', async () => {
      const { ledger, a } = await opened();
      const attempts = {
        found: await answered(ledger, a, 'found'),
        no_match: await answered(ledger, a, 'no_match', MISSED),
        refused: await answered(ledger, a, 'refused', REFUSED),
      };
      const mayRefresh = async (name: string, freshSince: FreshSince) => {
        const batch = await batchNamed(ledger, name, { freshSince });
        const tried = await Promise.all(
          Object.entries(attempts).map(([word, replaces]) => admit(ledger, batch, word, { replaces })),
        );
        return Object.keys(attempts).filter((_, index) => tried[index]?.kind === 'admitted');
      };
      expect(await mayRefresh('found', { foundMs: LATER_MS })).toEqual(['found']);
      expect(await mayRefresh('others', { noMatchMs: LATER_MS })).toEqual(['no_match', 'refused']);
    });

    test('an answer that is too old is never one for the batch that bought it, whatever the clock says', async () => {
      const { ledger, late } = await withOld();
      const own = await answered(ledger, late, 'acme');
      await notAdmitted(admit(ledger, late, 'acme', { replaces: own }));
    });

    test('a refresh that gets lost leaves the older answer in place without a doubt, holds its money, and is not tried again', async () => {
      const { ledger, a, late } = await withOld();
      const old = await answered(ledger, a, 'acme');
      await lost(ledger, late, 'acme', { ...refresh(old), reserve: 2 });
      const answer = { attempt: old };
      expect(await stateOf(ledger, 'acme', late)).toMatchObject({ kind: 'answered', answer });
      expect(await ledger.batchMoney(late)).toEqual({ spent: 0, reserved: 0, inDoubt: 2 });
      expect(await ledger.doubts(late)).toEqual([]);
      await notAdmitted(admit(ledger, late, 'acme', refresh(old)));
    });
  });

  describe('an answer that is read anew by another dialect', () => {
    const read = (ledger: Ledger, attempt: AttemptId, reading: Partial<Reading>): Promise<void> => {
      const none = { answer: 'no_match', charged: credits(0), why: said('empty'), dialect: 0xa1 } as const;
      return ledger.readAgain({ ...none, attempt, atMs: NOON_MS + 90, ...reading });
    };

    test('an answer that is read anew costs what it is read to cost where that is more, and never less', async () => {
      const { ledger, a } = await opened();
      const attempt = await answered(ledger, a, 'acme', { charged: 2 });
      const spent = async () => [
        (await ledger.batchMoney(a)).spent,
        (await ledger.accountMoney(ACCOUNT, 'day', NOON_MS)).spent,
        (await ledger.accountMoney(ACCOUNT, 'ever', NOON_MS)).spent,
      ];
      await read(ledger, attempt, { charged: credits(5), showsPrice: true });
      expect(await spent()).toEqual([5, 5, 5]);
      await read(ledger, attempt, { charged: credits(1) });
      expect(await spent()).toEqual([5, 5, 5]);
      expect(await ledger.price(ACCOUNT, { operation: 'enrich-company' })).toBe(5);
    });

    test('an answer that is read anew is spent where the first request under its idempotency key was risked', async () => {
      const { ledger, a, b } = await opened();
      await lost(ledger, a, 'acme', { request: REQUEST });
      const again = await answered(ledger, b, 'acme', { ...(await repeat(ledger, b)), request: REQUEST });
      await read(ledger, again, { charged: credits(4) });
      expect((await ledger.batchMoney(a)).spent).toBe(4);
      expect((await ledger.batchMoney(b)).spent).toBe(0);
    });
  });

  test('a row that is finished twice alike stays as it was, and is no error', async () => {
    const { ledger, a } = await opened();
    const attempt = await answered(ledger, a, 'acme');
    const [one, two] = [await answered(ledger, a, 'one'), await answered(ledger, a, 'two')];
    const row = { batch: a, row: 2, outcome: { kind: 'no_match', findings: said('nobody') } } as const;
    const finished = { ...row, answers: [attempt] };
    for (const again of [1, 2]) {
      await ledger.finishRows([finished]);
      await ledger.finishRows([finished, { ...row, row: 3, answers: [one] }]);
      expect(await ledger.counts(a), `${again}`).toEqual({ no_match: 2 });
    }
    await expect(ledger.finishRows([{ ...row, answers: [two] }])).rejects.toThrow();
    const outcome = { kind: 'no_match', findings: said('x') } as const;
    await expect(ledger.finishRows([{ ...finished, outcome }])).rejects.toThrow();
    const [kept] = await ledger.rows(a, 2, 1);
    expect(kept).toMatchObject({ outcome: row.outcome, answers: [{ attempt }] });
  });

  test('a row of several answers rests on those of its last end, on all of them and on no other', async () => {
    const { ledger, a } = await opened();
    const [one, two] = [await answered(ledger, a, 'one', MISSED), await answered(ledger, a, 'two')];
    const doubt = await lost(ledger, a, 'three');
    const rests = async () => (await ledger.rows(a, 2, 1))[0]?.answers.map(({ attempt }) => attempt);
    const used = async () => (await ledger.history(a, 2)).map(({ attempt }) => attempt);
    for (const _ of [1, 2]) await settle(ledger, a, 2, IN_DOUBT, [one, two, doubt]);
    expect([await rests(), await used()]).toEqual([
      [one, two],
      [one, two, doubt],
    ]);
    await settle(ledger, a, 2, MATCHED, [two]);
    expect([await rests(), (await ledger.byAccount(a)).map(({ reached }) => reached)]).toEqual([[two], [1]]);
    await expect(settle(ledger, a, 2, MATCHED, [two, one])).rejects.toThrow();
    for (const _ of [1, 2]) await settle(ledger, a, 3, MATCHED, [one, two]);
    expect((await ledger.rows(a, 3, 1))[0]?.answers).toHaveLength(2);
  });

  test('a row is in doubt where an earlier answer, which another batch bought, is read as none', async () => {
    const { ledger, a, b } = await opened();
    const led = await answered(ledger, a, 'led');
    await settle(ledger, a, 2, MATCHED, [led]);
    for (const row of [7, 8])
      await settle(ledger, b, row, MATCHED, [led, await answered(ledger, b, `${row}`)]);
    const reading = { answer: 'paused', charged: credits(0), why: said('busy'), dialect: 0xa1 } as const;
    await ledger.readAgain({ ...reading, attempt: led, atMs: NOON_MS + 90 });
    expect([await ledger.counts(a), await ledger.counts(b)]).toEqual([{ in_doubt: 1 }, { in_doubt: 2 }]);
  });

  test('what the database itself writes of a row is what a writer of the same findings writes', async () => {
    const { ledger, a } = await opened();
    const attempt = await lost(ledger, a, 'acme');
    await ledger.changeBatch(a, { state: 'cancelled' });
    await released(ledger, attempt);
    const over = finding('batch_is_over', { state: 'cancelled' });
    const findings = together(finding('call_not_done', {}), over);
    expect((await ledger.rows(a, 2, 1))[0]?.outcome).toMatchObject({ kind: 'skipped', findings });
    await settle(ledger, a, 2, { kind: 'skipped', findings }, [attempt]);
    await expect(settle(ledger, a, 2, { kind: 'skipped', findings: over }, [attempt])).rejects.toThrow();
  });

  test('findings are the same in whatever order their members come', async () => {
    const { ledger, a } = await opened();
    const facts = { by: 'only_if', column: 'Note', cell: 'open' } as const;
    await settle(ledger, a, 3, { kind: 'skipped', findings: finding('left_out', facts) });
    const turned = Object.fromEntries(Object.entries(facts).toReversed());
    const findings = [{ facts: turned, code: 'left_out' } as unknown as Finding];
    await settle(ledger, a, 3, { kind: 'skipped', findings });
    expect(await ledger.counts(a)).toEqual({ skipped: 1 });
  });

  test('who paid is the lowest row of the batch that bought, whoever asked first', async () => {
    const { ledger, a, b } = await opened();
    const attempt = await answered(ledger, a, 'acme', { row: 50 });
    const payer = async () => (await ledger.rows(a, 0, 1))[0]?.answers[0]?.paidRow;
    await settle(ledger, a, 60, MATCHED, [attempt]);
    expect(await payer()).toBe(50);
    // It may be settled by another answer yet.
    await settle(ledger, a, 30, IN_DOUBT, [attempt]);
    expect(await payer()).toBe(50);
    await settle(ledger, a, 40, MATCHED, [attempt]);
    await settle(ledger, b, 3, MATCHED, [attempt]);
    await settle(ledger, a, 45, MATCHED, [attempt]);
    expect(await payer()).toBe(40);
  });

  test('the first row of an answer that several rows of one batch share, and the newest decision about each row', async () => {
    const { ledger, a, b } = await opened();
    const [shared, alone] = [await answered(ledger, a, 'acme'), await answered(ledger, a, 'other')];
    await settle(ledger, a, 3, MATCHED, [shared]);
    await settle(ledger, a, 4, MATCHED, [alone]);
    await settle(ledger, a, 7, MATCHED, [shared]);
    await settle(ledger, b, 2, MATCHED, [shared]);
    expect(await ledger.firstRowsOn(a, [shared, alone, shared])).toEqual(new Map([[shared, 3]]));
    expect(await ledger.firstRowsOn(b, [shared, alone])).toEqual(new Map());
    await ledger.decideMatches(a, [{ row: 3, kind: 'keep', about: '1' }], NOON_MS);
    await ledger.decideMatches(a, [{ row: 3, kind: 'blank', about: '2' }], NOON_MS);
    expect(await ledger.matchDecisions(a)).toEqual(new Map([[3, { kind: 'blank', about: '2' }]]));
    expect(await ledger.matchDecisions(b)).toEqual(new Map());
  });

  test('answers that say nothing of rows are taken back: not where they were charged, where they say something, and of another account', async () => {
    const { ledger, a } = await opened();
    const refused = await answered(ledger, a, 'refused', REFUSED);
    const others = [
      await answered(ledger, a, 'dear', { ...REFUSED, charged: 1 }),
      await answered(ledger, a, 'found'),
      await answered(ledger, a, 'charged', { ...MISSED, charged: 1 }),
    ];
    await settle(ledger, a, 2, { kind: 'refused', findings: said('x') }, [refused]);
    await settle(ledger, a, 3, MATCHED, others.slice(1, 2));
    await ledger.changeBatch(a, { state: 'finished' });
    expect(await ledger.newestHeard(ACCOUNT)).toEqual([refused, ...others]);
    expect(await ledger.takeBack('another', [refused])).toBe(0);
    expect(await ledger.takeBack(ACCOUNT, [refused, ...others])).toBe(1);
    expect(await stateOf(ledger, 'refused')).toEqual({ kind: 'unknown' });
    for (const name of ['dear', 'found', 'charged'])
      expect(await stateOf(ledger, name)).toMatchObject({ kind: 'answered' });
    expect(await ledger.counts(a), 'rows that rest on them wait').toEqual({});
    expect((await ledger.batch(a))?.state).toBe('open');
    await settle(ledger, a, 2, MATCHED, [await answered(ledger, a, 'refused')]);
  });
});

describe('choosing a store', () => {
  test('every path is the SQLite store, also one that looks odd; a URL without a password is that of PostgreSQL', async () => {
    for (const path of ['/var/lib/rowonce', './store', 'C:\\store', 'a:b', 'file:x'])
      expect((await storeAt(path)).name).toBe('sqlite');
    for (const url of ['postgres://me@db.example:12/name?host=/a@b', 'postgres:///name?host=/run/postgresql'])
      expect((await storeAt(url)).name).toBe('postgres');
  });

  // Of a password that is not percent-encoded, any part may read as the host, the path or more.
  const PASSWORDS = ['secret', '12/secret', '12#secret', '12?secret', 'p@secret', 's/ecret', '%secret'];

  test.each(['mysql', 'postgres', 'POSTGRESQL'])(
    'a URL of %s is refused without the password in it',
    async (scheme) => {
      const urls = PASSWORDS.flatMap((password) => [
        `${scheme}://me:${password}@db.example/name`,
        `${scheme}://db.example/name?user=me&password=${password}`,
      ]);
      for (const url of urls) {
        const { detail } = (await storeAt(url).catch((error: unknown) => error)) as StopError;
        expect(detail.code).toBe('store');
        expect(`${detail.message} ${detail.next}`).not.toMatch(/cret/);
      }
    },
  );
});
