/**
 * Goal: an answer is used while it is young enough, matches and misses each by their own age.
 * Method: the two functions, over answers of chosen ages.
 */
import { describe, expect, test } from 'vitest';
import type { AnswerRecord, FreshSince, ReadAs } from '../../src/ledger/ledger.ts';
import { freshSinceOf, isFreshFor } from '../../src/plan/known-calls.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 20);

describe('the cut-offs of a batch', () => {
  test.each([
    [{}, false, undefined],
    [{ refresh_after: '1d' }, false, { foundMs: START_MS - DAY_MS }],
    [{ refresh_no_match_after: '0s' }, false, { noMatchMs: START_MS }],
    [
      { refresh_after: '2d', refresh_no_match_after: '1d' },
      false,
      { foundMs: START_MS - 2 * DAY_MS, noMatchMs: START_MS - DAY_MS },
    ],
    // Whatever the job says: everything that was bought before is bought anew.
    [{ refresh_after: '2d' }, true, { foundMs: START_MS, noMatchMs: START_MS }],
  ])('of a job with %j, with --refresh: %j', (job, refreshAll, freshSince) => {
    expect(freshSinceOf(job, refreshAll, START_MS)).toEqual(freshSince);
  });
});

describe('an answer', () => {
  type Record = AnswerRecord<ReadAs>;
  const answer = (kind: ReadAs, answeredAtMs: number): Record =>
    ({ kind, answeredAtMs, batch: 'other', attempt: 7 }) as unknown as Record;
  const isFresh = (record: Record, freshSince: FreshSince): Promise<boolean> =>
    isFreshFor({ freshSince }, record, { lostRefresh: async () => undefined });
  const cutOffs = { foundMs: START_MS - 30 * DAY_MS, noMatchMs: START_MS - DAY_MS };

  test.each<[AnswerRecord['kind'], number]>([
    ['found', cutOffs.foundMs],
    ['no_match', cutOffs.noMatchMs],
    ['refused', cutOffs.noMatchMs],
  ])('that says %s is used until its own age, to the millisecond', async (kind, cutOffMs) => {
    expect(await isFresh(answer(kind, cutOffMs), cutOffs)).toBe(true);
    expect(await isFresh(answer(kind, cutOffMs - 1), cutOffs)).toBe(false);
  });

  test('that turned out to be none is too old only where every answer would be', async () => {
    expect(await isFresh(answer('paused', cutOffs.foundMs), cutOffs)).toBe(true);
    expect(await isFresh(answer('paused', cutOffs.foundMs - 1), cutOffs)).toBe(false);
    expect(await isFresh(answer('paused', 0), { noMatchMs: START_MS })).toBe(true);
  });
});
