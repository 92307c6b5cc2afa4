import { describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { domainsOf, PATIENT, Workplace } from './workplace.ts';

/*
 * Goal: every run ends (protocol, rule 14), says when to go on, and the same command then does.
 * Method: a vendor that is never going to answer, and a short --max-pause. One that says "too fast" for ever: `cli/hints.test.ts`.
 * Runs that wait side by side have a process each; those that a pause ends at once are typed here.
 */

const SHORT = { more: ['--max-pause', '3s'] };

/** What `resume_at` and `_as_of` look like. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.concurrent('a run over a vendor that never answers ends with 75', () => {
  test('no connection for ever', async () => {
    await using workplace = await Workplace.open();
    const { port } = workplace.vendor;
    workplace.writeList(domainsOf('away', 8));
    // An account that has never answered has a wrong address.
    expect(await workplace.runHere({ more: ['--limit', '1'] })).toMatchObject({ code: 0 });
    await workplace.vendor.stop();
    const { code, report } = await workplace.run(SHORT);
    expect(code).toBe(75);
    expect(report?.stopped).toMatchObject({ code: 'paused', resume_at: expect.stringMatching(ISO_TIME) });
    await using _ = await workplace.reopenVendor({ port });
    expect(await workplace.runHere()).toMatchObject({ code: 0, report: { requests: 7 } });
  });

  test.each(
    some(
      [
        ['charged-reset', 'direct'],
        ['charged-500', 'rest-get'],
      ] as const,
      1,
    ),
  )('every answer lost: after five in a row it stops to risk credits (%s, %s)', async (fault, way) => {
    await using workplace = await Workplace.open({ way, faults: `${fault}:1`, concurrency: 3 });
    workplace.writeList(domainsOf('lost', 40));
    const { code, report } = await workplace.runHere(PATIENT);
    expect(code).toBe(75);
    expect(report?.stopped).toMatchObject({ code: 'paused', resume_at: expect.stringMatching(ISO_TIME) });
    expect(report?.stopped?.message).toMatch(/answers are being lost/);
    const { inDoubt } = workplace.ledger();
    expect(inDoubt).toBeGreaterThanOrEqual(5);
    expect(inDoubt, 'five in a row, and what was on its way beside the fifth').toBeLessThanOrEqual(5 + 2);
    expect((await workplace.vendor.book()).requests).toBe(inDoubt);
  });
});
