/**
 * Goal: a row goes through its operation over answers as the ledger holds them, and arrives at the same place whenever it
 * is asked again.
 * Method: an operation of several calls, and answers that are there, or not.
 */
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { type Call, defineOperation, end, type Operation, send } from '../../src/core/operation.ts';
import {
  type AnswerKind,
  type AnswerRecord,
  type AttemptId,
  type BatchId,
  credits,
} from '../../src/ledger/ledger.ts';
import { operationAnswer, RowWalk } from '../../src/plan/row-walk.ts';

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

/** A dialect that has the operation of these tests. */
const DIALECT: Dialect = {
  ...provider,
  operations: { search: { method: 'POST', path: '/search', credits: { most: 1, found: 1 } } },
};

const walkOf = (operation: Operation): RowWalk => new RowWalk(operation, DIALECT, { input: {} });

/** Walks to the end as a run does, over answers that were all found. @returns the pages that were asked for, in order. */
function walked(operation: Operation): readonly unknown[] {
  const walk = walkOf(operation);
  const asked: unknown[] = [];
  for (let step = walk.step(); step.kind === 'call'; step = walk.step()) {
    const { met } = step;
    asked.push(met.call.parameters.page);
    walk.tell(met, recordOf('found', '{}', met.call));
  }
  return asked;
}

describe('a row', () => {
  test('asks for each call once, in order', () => {
    expect(walked(pagesUpTo(20))).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  test('knows its calls by what they ask, also when their parameters are made anew at every step', () => {
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
    expect(walked(operation)).toEqual([1, 2]);
    const pages = walkOf(operation)
      .callsAtWorst()
      .map(({ call }) => call.parameters.page);
    expect(pages, 'as a plan walks it').toEqual([1, 2]);
  });

  test('that would never end is a bug, not a bill', () => {
    expect(() => walked(pagesUpTo(21))).toThrow('more than 20 calls');
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
