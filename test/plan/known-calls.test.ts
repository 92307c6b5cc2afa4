/**
 * Goal: an answer is used while it is young enough, matches and misses each by their own age.
 * Method: the cut-offs alone; what follows from them is shown over both databases, in \`ledger/stores\`.
 */
import { describe, expect, test } from 'vitest';
import { freshSinceOf } from '../../src/plan/known-calls.ts';

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
  ])('cut-offs of a job with %j, with --refresh: %j', (job, refreshAll, freshSince) => {
    expect(freshSinceOf(job, refreshAll, START_MS)).toEqual(freshSince);
  });
});
