/**
 * Goal: a row goes through its operation over answers as the ledger holds them, and arrives at the same place whenever it
 * is asked again.
 * Method: an operation of several calls, and answers that are there, or not.
 */
import { describe, expect, test } from 'vitest';
import { type Call, defineOperation, end, type Operation, send } from '../../src/core/operation.ts';
import {
  type AnswerKind,
  type AnswerRecord,
  type AttemptId,
  type BatchId,
  credits,
} from '../../src/ledger/ledger.ts';
import { type Answering, operationAnswer, RowWalk, replay } from '../../src/plan/row-walk.ts';
import type { Dialect } from '../../src/vendor/dialect.ts';
import provider from '../../src/vendor/dialects/provider.ts';

const callOf = (page: number): Call => ({ operation: 'search', parameters: { page }, ifLost: 'hold' });

function recordOf(kind: AnswerKind, body: string, call = callOf(1)): AnswerRecord {
  return {
    attempt: Number(call.parameters.page) as AttemptId,
    batch: 'b' as BatchId,
    kind,
    why: kind === 'found' ? 'status 200' : 'status 404, "gone"',
    call,
    charged: credits(0),
    status: 200,
    body: Buffer.from(body),
    answeredAtMs: 0,
    paidRow: 2,
  };
}

/** Asks for that many pages, one after another. */
function pagesUpTo(count: number): Operation {
  return defineOperation({
    name: 'search',
    summary: 'Asks for pages.',
    vendor: 'provider',
    inputs: [],
    tiers: [],
    prepare: () => ({ kind: 'ready', input: {} }),
    next(_input, answered) {
      for (let page = 1; page <= count; page += 1) {
        if (answered(callOf(page)) === undefined) return send(callOf(page));
      }
      return end({ kind: 'matched', matchedBy: 'page' });
    },
  });
}

const found = async (call: Call): Promise<Answering> => ({
  kind: 'answered',
  answer: recordOf('found', '{}', call),
});

/** A dialect that has the operation of these tests. */
const DIALECT: Dialect = {
  ...provider,
  operations: { search: { method: 'POST', path: '/search', credits: { most: 1, found: 1 } } },
};

const walkOf = (operation: Operation): RowWalk => new RowWalk(operation, DIALECT, { input: {} });

describe('a row', () => {
  test('asks for each call once and ends with all that it used, in order', async () => {
    const asked: Call[] = [];
    const replayed = await replay(walkOf(pagesUpTo(20)), 'account', (call) => {
      asked.push(call);
      return found(call);
    });
    expect(asked.map(({ parameters }) => parameters.page)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    expect(replayed).toMatchObject({ kind: 'ended', answers: Array.from({ length: 20 }, (_, at) => at + 1) });
  });

  test('halts at a call that has no answer, with what it has used by then', async () => {
    const lost = { kind: 'in_doubt', reason: 'lost' } as const;
    const answerTo = async (call: Call) => (call.parameters.page === 3 ? lost : found(call));
    expect(await replay(walkOf(pagesUpTo(5)), 'account', answerTo)).toEqual({
      kind: 'halted',
      at: lost,
      answers: [1, 2],
    });
  });

  test('knows its calls by what they ask, also when their parameters are made anew at every step', async () => {
    const nested = (id: number): Call => ({
      operation: 'search',
      parameters: { page: id, filter: { name: ['Acme'] } },
      ifLost: 'hold',
    });
    const operation: Operation = {
      ...pagesUpTo(0),
      next: (_input, answered) =>
        [1, 2]
          .map((id) => (answered(nested(id)) === undefined ? send(nested(id)) : undefined))
          .find(Boolean) ?? end({ kind: 'matched', matchedBy: 'page' }),
    };
    expect(await replay(walkOf(operation), 'account', found)).toMatchObject({
      kind: 'ended',
      answers: [1, 2],
    });
    const pages = walkOf(operation)
      .callsAtWorst()
      .map(({ call }) => call.parameters.page);
    expect(pages, 'as a plan walks it').toEqual([1, 2]);
  });

  test('that would never end is a bug, not a bill', async () => {
    await expect(replay(walkOf(pagesUpTo(21)), 'account', found)).rejects.toThrow('more than 20 calls');
  });
});

describe('an answer', () => {
  const READING = { readsAnswers: true } as const;

  test('has no fields for an operation that does not look into answers', () => {
    expect(operationAnswer(callOf(1), recordOf('found', '{"a":1}'), {})).toEqual({
      kind: 'found',
      fields: null,
    });
  });

  test('has its fields, or none where its body cannot be read', () => {
    expect(operationAnswer(callOf(1), recordOf('found', '{"a":1}'), READING)).toMatchObject({
      kind: 'found',
      fields: { a: 1 },
    });
    expect(operationAnswer(callOf(1), recordOf('found', ''), READING)).toMatchObject({
      kind: 'found',
      fields: null,
    });
  });

  test('that was found has a remark only where the vendor says that something is missing', () => {
    const partial = { ...recordOf('found', '{}'), why: 'status 200, "phones: timed out"' };
    expect(operationAnswer(callOf(1), partial, {})).toEqual({
      kind: 'found',
      fields: null,
      remark: 'the vendor says that something is missing: "phones: timed out"',
    });
  });

  test('that is none, or a refusal, has the vendor’s words', () => {
    const words = 'status 404, "gone"';
    expect(operationAnswer(callOf(1), recordOf('no_match', ''), READING)).toEqual({
      kind: 'no_match',
      words,
    });
    expect(operationAnswer(callOf(1), recordOf('refused', ''), READING)).toEqual({ kind: 'refused', words });
  });
});
