import { describe, expect, test } from 'vitest';
import { present } from '../../../../src/core/objects.ts';
import { answeredCall, type CallState, credits } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  admit,
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  keyNamed,
  lost,
  NOON_MS,
  released,
  replyWith,
} from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: a plan, which asks for little of each call, counts what a run would find. Method: calls in every state there is, asked
// for in short and in whole.
export function knownConforms(store: Store): void {
  describe('what is known in short', () => {
    test('is what is known', async () => {
      const ledger = await freshLedger(store);
      const words = await everyState(ledger);
      const keys = words.map((word) => keyNamed(word));
      const expected = (await ledger.find(keys)).map(inShort);
      expect(await ledger.find(keys, { detail: 'kind' })).toEqual(expected);
      expect(expected.map((state) => (state.kind === 'answered' ? state.answer.kind : state.kind))).toEqual([
        'unknown',
        ...['found', 'no_match', 'refused', 'found', 'found', 'found', 'found'],
        ...['in_flight', 'unknown', 'unknown', 'in_doubt', 'unanswered'],
      ]);
    });

    test('a call that is to be bought if it is unknown is not admitted once it is known, and nothing is kept', async () => {
      const ledger = await freshLedger(store);
      const words = await everyState(ledger);
      const batch = await batchNamed(ledger, 'c');
      const known = (
        await ledger.find(
          words.map((word) => keyNamed(word)),
          { detail: 'kind' },
        )
      ).map(({ kind }) => kind !== 'unknown');
      for (const [at, word] of words.entries()) {
        if (word === 'open') continue;
        const admission = await admit(ledger, batch, word, { ifUnknown: true });
        expect(admission.kind, word).toBe(known[at] ? 'known' : 'admitted');
      }
      expect(await ledger.batchMoney(batch)).toMatchObject({ spent: 0, inDoubt: 0, reserved: 3 });
    });
  });
}

/** Brings calls into every state. @returns their words. */
async function everyState(ledger: Awaited<ReturnType<typeof freshLedger>>): Promise<string[]> {
  const batch = await batchNamed(ledger, 'a');
  const later = await batchNamed(ledger, 'b', { freshSince: { foundMs: NOON_MS + DAY_MS } });
  const laterMs = NOON_MS + DAY_MS + 1000;
  for (const kind of ['found', 'no_match', 'refused'] as const) await answered(ledger, batch, kind, { kind });
  await lost(ledger, batch, 'told');
  await decide(ledger, batch, 'told', 'told', replyWith('somebody knew', 200, NOON_MS + 777));
  const renew = { atMs: laterMs, receivedAtMs: laterMs };
  await answered(ledger, later, 'renewed', {
    ...renew,
    replaces: await answered(ledger, batch, 'renewed'),
  });
  await lost(ledger, later, 'lost anew', { ...renew, replaces: await answered(ledger, batch, 'lost anew') });
  await lost(ledger, batch, 'retried');
  const decision = await decide(ledger, batch, 'retried', 'retry');
  await ledger.changeBatch(batch, { extraCredits: 9 as never });
  await answered(ledger, batch, 'retried', { decision });
  await admitted(ledger, batch, 'open');
  await ledger.end(await admitted(ledger, batch, 'not sent'), { kind: 'not_sent', why: 'no' }, NOON_MS);
  await released(ledger, await lost(ledger, batch, 'released'));
  await lost(ledger, batch, 'lost');
  const paused = {
    answer: 'paused',
    charged: credits(0),
    why: 'too many',
    dialect: 7,
    atMs: NOON_MS,
  } as const;
  await ledger.readAgain({ ...paused, attempt: await answered(ledger, batch, 'unanswered') });
  const answers = ['found', 'no_match', 'refused', 'told', 'renewed', 'lost anew', 'retried'];
  return ['never asked', ...answers, 'open', 'not sent', 'released', 'lost', 'unanswered'];
}

function inShort(state: CallState): CallState<'kind'> {
  if (state.kind === 'unknown' || state.kind === 'in_flight') return state;
  if (state.kind === 'in_doubt') {
    const { attempt, batch } = state.doubt;
    return { kind: 'in_doubt', doubt: { attempt, batch } };
  }
  const { attempt, batch, kind, why, dialect, answeredAtMs } = state.answer;
  return answeredCall({ attempt, batch, kind, why, ...present({ dialect }), answeredAtMs });
}
