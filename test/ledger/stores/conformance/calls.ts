import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../../../src/core/call-key.ts';
import type { Call } from '../../../../src/core/operation.ts';
import { credits, type Ledger } from '../../../../src/ledger/ledger.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import {
  ACCOUNT,
  admitted,
  answered,
  batchNamed,
  callNamed,
  decide,
  intentOf,
  keyNamed,
  lost,
  NOON_MS,
  released,
  replyWith,
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
        { reply: replyWith('late'), end: { kind: 'in_doubt' } },
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
  });
}
