import { describe, expect, test } from 'vitest';
import { type CallKey, callKeyOf } from '../../../../src/core/call-key.ts';
import type { Call } from '../../../../src/core/operation.ts';
import { type AttemptRecord, credits, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admit,
  admitted,
  answered,
  batchNamed,
  callNamed,
  DAY_MS,
  decide,
  intentOf,
  keyNamed,
  lost,
  MATCHED,
  NOON_MS,
  notAdmitted,
  released,
  replyWith,
  settle,
  stateOf,
} from '../book.ts';
import { freshLedger, freshPlace, openStore } from '../places.ts';

const SETTLED = { kind: 'answered', answer: 'found', charged: credits(1), why: 'found' } as const;

const statesOf = (ledger: Ledger) => ledger.find(['told', 'freed', 'again'].map((word) => keyNamed(word)));

// Goal: a call is bought once, and what it brought is kept whole. Method: attempts taken through every way of ending.
export function callsConform(store: Store): void {
  describe('calls', () => {
    test('an answer comes back as it was recorded, byte for byte', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await admitted(ledger, batch, 'acme', { row: 7, reserve: 2 });
      const body = Buffer.from([0, 255, 13, 10, 34, 128]);
      const headers = { link: '<https://a.example/?page=2>; rel="next"' };
      await ledger.keep(attempt, { status: 203, headers, body, receivedAtMs: NOON_MS + 1 });
      await ledger.end(attempt, SETTLED, NOON_MS + 2);
      expect(await stateOf(ledger, 'acme')).toEqual({
        kind: 'answered',
        answer: {
          attempt,
          batch,
          kind: 'found',
          why: 'found',
          call: callNamed('acme'),
          charged: 1,
          status: 203,
          headers,
          body,
          answeredAtMs: NOON_MS + 1,
          paidRow: 7,
        },
      });
    });

    test('requests of a batch are open until they are closed, also of a spender that has ended', async () => {
      const place = freshPlace(store);
      const ledger = await openStore(store, place);
      const [batch, other] = [await batchNamed(ledger, 'a'), await batchNamed(ledger, 'b')];
      await answered(ledger, batch, 'closed');
      await admitted(ledger, batch, 'one');
      await ledger.keep(await admitted(ledger, batch, 'two'), replyWith('two'));
      await admitted(ledger, other, 'three');
      expect(await ledger.openRequests(batch)).toBe(2);
      await ledger.close();
      const reader = await store.look(place);
      expect(await reader.openRequests(other)).toBe(1);
      await reader.close();
    });

    test('calls whose keys begin alike are two calls', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const keys = ['0', '1', '2'].map((end) => `${keyNamed('alike').slice(0, -1)}${end}` as CallKey);
      const [one = keyNamed('alike'), other = keyNamed('alike')] = keys;
      const attempts = await Promise.all(
        [one, other].map((key, row) => ledger.intent({ ...intentOf(batch, 'alike', { row }), key })),
      );
      expect(attempts).toMatchObject([{ kind: 'admitted' }, { kind: 'admitted' }]);
      const [first] = attempts;
      if (first?.kind !== 'admitted') throw new Error('the first was not admitted');
      await ledger.keep(first.attempt, replyWith('alike'));
      await ledger.end(first.attempt, SETTLED, NOON_MS);
      const kinds = ['answered', 'in_flight', 'unknown'];
      expect(await ledger.find(keys)).toMatchObject(kinds.map((kind) => ({ kind })));
      expect(await ledger.find(keys, { detail: 'kind' })).toMatchObject(kinds.map((kind) => ({ kind })));
    });

    test('a question comes back as it was asked, whatever its parameters are', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const questions: readonly Call[] = [
        {
          operation: 'enrich-company',
          parameters: { a: null, b: 'x,"y', c: ['?', { d: 1 }] },
          ifLost: 'hold',
        },
        {
          operation: 'enrich-company',
          parameters: { a: 0.5, b: false, c: '' },
          ifLost: { repeat: 'it reads' },
          creditsMost: 7,
        },
        { ifLost: 'hold', parameters: { 'kim@example.org': true }, operation: 'search people' },
        { operation: 'search', parameters: { q: 1 }, ifLost: 'hold', project: 'p' },
        { operation: 'search', parameters: {}, ifLost: 'hold' },
      ];
      for (const [row, call] of questions.entries()) {
        const intent = { ...intentOf(batch, `${row}`, { row }), key: callKeyOf(ACCOUNT, call), call };
        expect(await ledger.intent(intent)).toMatchObject({ kind: 'admitted' });
        const [kept] = await ledger.history(batch, row);
        expect(kept?.call).toEqual(call);
        expect(JSON.stringify(kept?.call.parameters)).toBe(JSON.stringify(call.parameters));
      }
    });

    test('the same call of another account is another call', async () => {
      const ledger = await freshLedger(store);
      await answered(ledger, await batchNamed(ledger, 'a'), 'acme');
      const other = await batchNamed(ledger, 'b', { accountIdentity: 'another' });
      await answered(ledger, other, 'acme', { account: 'another' });
      await notAdmitted(admit(ledger, other, 'elsewhere'));
    });

    test('a call that is under way is shown as that until something stands of it', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const shown = async () => [
        await stateOf(ledger, 'acme'),
        ...(await ledger.find([keyNamed('acme')], { detail: 'kind' })),
      ];
      const attempt = await admitted(ledger, batch, 'acme');
      const underWay = { kind: 'in_flight', attempt };
      expect(await shown()).toEqual([underWay, underWay]);
      await ledger.keep(attempt, replyWith('acme'));
      expect(await shown()).toEqual([underWay, underWay]);
      await ledger.end(attempt, { kind: 'in_doubt', why: 'nobody can read it' }, NOON_MS);
      const decision = await decide(ledger, batch, 'acme', 'retry');
      const again = await admitted(ledger, batch, 'acme', { decision });
      expect(await shown()).toMatchObject([{ kind: 'in_doubt' }, { kind: 'in_doubt' }]);
      await ledger.end(again, { kind: 'not_sent', why: 'no connection' }, NOON_MS);
      expect(await shown()).toMatchObject([{ kind: 'in_doubt' }, { kind: 'in_doubt' }]);
    });

    test('a call that is answered is never bought again', async () => {
      const ledger = await freshLedger(store);
      for (const kind of ['found', 'no_match', 'refused'] as const) {
        await answered(ledger, await batchNamed(ledger, kind), kind, { kind });
        expect(await admit(ledger, await batchNamed(ledger, 'later'), kind)).toMatchObject({
          kind: 'answered',
        });
      }
    });

    test('a call whose request never left, or was not taken, may be tried again', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const kind of ['not_sent', 'paused', 'stopped'] as const) {
        const attempt = await admitted(ledger, batch, 'acme');
        await ledger.end(attempt, { kind, why: 'try again' }, NOON_MS);
        expect(await stateOf(ledger, 'acme')).toEqual({ kind: 'unknown' });
      }
      await answered(ledger, batch, 'acme');
    });

    test('a reply is recorded once, and an attempt without one cannot settle its call', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const attempt = await admitted(ledger, batch, 'acme');
      await expect(ledger.end(attempt, SETTLED, NOON_MS)).rejects.toThrow();
      await ledger.keep(attempt, replyWith('first'));
      await ledger.keep(attempt, replyWith('second'));
      await ledger.end(attempt, SETTLED, NOON_MS);
      expect(await stateOf(ledger, 'acme')).toMatchObject({ answer: { body: Buffer.from('first') } });
    });

    test('a reply that finds its attempt taken for lost is kept, moves nothing, and is read as any reply in doubt', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      // Its sender lives, and somebody else has said that it is over: by its age, where many spend.
      const attempt = await lost(ledger, batch, 'acme', { reserve: 2 });
      const before = await ledger.batchMoney(batch);
      await ledger.keep(attempt, replyWith('late'));
      expect(await ledger.batchMoney(batch)).toEqual(before);
      expect(await stateOf(ledger, 'acme')).toMatchObject({ kind: 'in_doubt', doubt: { attempt } });
      expect(await ledger.attempts([attempt])).toMatchObject([
        { reply: replyWith('late'), closure: { kind: 'in_doubt' } },
      ]);
      await ledger.keep(attempt, replyWith('second'));
      const read = { answer: 'found', charged: credits(2), why: 'read', dialect: 7, atMs: NOON_MS } as const;
      await ledger.readAgain({ ...read, attempt });
      expect(await stateOf(ledger, 'acme')).toMatchObject({
        answer: { body: Buffer.from('late'), charged: 2 },
      });
      expect(await ledger.batchMoney(batch)).toEqual({ spent: 2, isAtMost: true, reserved: 0, inDoubt: 0 });
    });

    test('a reply comes late to a call that has moved on: it is kept, and the call stays where it stands', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const told = await lost(ledger, batch, 'told');
      await decide(ledger, batch, 'told', 'told', replyWith('told'));
      const freed = await lost(ledger, batch, 'freed');
      await released(ledger, freed);
      const again = await lost(ledger, batch, 'again');
      const decision = await decide(ledger, batch, 'again', 'retry');
      const bought = await answered(ledger, batch, 'again', { decision });
      const [money, states] = [await ledger.batchMoney(batch), await statesOf(ledger)];
      for (const attempt of [told, freed, again]) await ledger.keep(attempt, replyWith('late'));
      expect([await ledger.batchMoney(batch), await statesOf(ledger)]).toEqual([money, states]);
      expect(states).toMatchObject([{ answer: { attempt: told } }, {}, { answer: { attempt: bought } }]);
      const kept = (await ledger.history(batch, 2)).filter(({ reply }) => reply?.body.toString() === 'late');
      expect(kept.map(({ attempt }) => attempt)).toEqual([told, freed, again]);
    });

    test.skipIf(store.manySpend)(
      'what an earlier run left open is handed to the next one, with the reply if there was one',
      async () => {
        const place = freshPlace(store);
        const first = await openStore(store, place);
        const batch = await batchNamed(first, 'a');
        await answered(first, batch, 'done');
        const waiting = await admitted(first, batch, 'waiting', { row: 5, reserve: 2 });
        const replied = await admitted(first, batch, 'replied', { row: 6 });
        await first.keep(replied, replyWith('replied'));
        await first.close();

        const second = await freshLedger(store, place);
        const common = { accountIdentity: ACCOUNT, batch };
        await admitted(second, batch, 'of this run');
        expect(await second.openAttempts()).toMatchObject([
          {
            ...common,
            attempt: waiting,
            key: keyNamed('waiting'),
            call: callNamed('waiting'),
            row: 5,
            reserved: 2,
          },
          {
            ...common,
            attempt: replied,
            key: keyNamed('replied'),
            call: callNamed('replied'),
            row: 6,
            reserved: 1,
            reply: replyWith('replied'),
          },
        ]);
        await second.end(replied, SETTLED, NOON_MS);
        await second.end(waiting, { kind: 'in_doubt', why: 'the program ended' }, NOON_MS);
        expect(await second.openAttempts()).toEqual([]);
      },
    );

    test('attempts about a person or company are found by whole values of the question, in parts', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      for (const word of ['acme', 'not-acme', 'other']) await answered(ledger, batch, word);
      await lost(ledger, batch, 'lost');
      const about = async (values: readonly string[], most?: number) => {
        const found: AttemptRecord[] = [];
        for await (const part of ledger.attemptsAbout(values, most)) found.push(...part);
        return found;
      };
      const all = await about(['acme.example', 'lost.example']);
      expect(all.map(({ call }) => call)).toEqual([callNamed('acme'), callNamed('lost')]);
      expect(all[0]).toMatchObject({ batch, closure: { kind: 'answered', charged: 1 } });
      expect(await about(['acme.example', 'lost.example'], 3)).toEqual(all);
      expect(await about([])).toEqual([]);
    });

    test('a row that shares an answer, or has one of an earlier batch, saves its price; the row that paid does not', async () => {
      const ledger = await freshLedger(store);
      const a = await batchNamed(ledger, 'a');
      const bought = await answered(ledger, a, 'acme', { row: 2, charged: 3 });
      await settle(ledger, a, 2, MATCHED, [bought]);
      await settle(ledger, a, 3, MATCHED, [bought]);
      expect(await ledger.saved(a)).toBe(3);
      const b = await batchNamed(ledger, 'b');
      for (const row of [2, 3, 4]) await settle(ledger, b, row, MATCHED, [bought]);
      expect(await ledger.saved(b)).toBe(9);
    });

    test('sends are those since a moment, oldest first, the newest kept, without what was never sent', async () => {
      const ledger = await freshLedger(store);
      const batch = await batchNamed(ledger, 'a');
      const other = await batchNamed(ledger, 'b', { accountIdentity: 'another' });
      for (const second of [1, 2, 3, 4]) {
        await lost(ledger, batch, `at${second}`, { atMs: NOON_MS + second * 1000 });
        await lost(ledger, other, `at${second}`, { atMs: NOON_MS + second * 1000 + 500, account: 'another' });
      }
      const unsent = await admitted(ledger, batch, 'unsent', { atMs: NOON_MS + 5000 });
      await ledger.end(unsent, { kind: 'not_sent', why: 'refused' }, NOON_MS);
      await admitted(ledger, batch, 'in flight', { atMs: NOON_MS + 6000 });
      const times = async (sinceMs: number, limit: number) =>
        (await ledger.sends(ACCOUNT, NOON_MS + sinceMs, limit)).map(({ atMs }) => (atMs - NOON_MS) / 1000);
      expect(await times(0, 100)).toEqual([1, 2, 3, 4, 6]);
      expect(await times(2000, 100)).toEqual([2, 3, 4, 6]);
      expect(await times(0, 2)).toEqual([4, 6]);
      expect(await times(DAY_MS, 100)).toEqual([]);
    });
  });
}
