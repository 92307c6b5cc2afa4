import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: what becomes of a call in doubt is the job's decision, kept to exactly and paid for within its limit
 * (protocol, rule 10 e).
 * Method: one job file for each policy over a vendor that loses its first answers after it has charged for them. Each
 * loss is followed by a refusal, because five losses in a row would be a reason to wait.
 */

const LOST_THREE = 'charged-reset:x1,422:x1,charged-500:x1,422:x1,charged-cut:x1';

/** The rows that meet the losses. */
const DOMAINS = domainsOf('policy', 8);
const IN_DOUBT = ['in_doubt', 'refused', 'in_doubt', 'refused', 'in_doubt', 'matched', 'matched', 'matched'];

/** The same account, columns and waterfall as the plain operation, so the same batch, with another policy. */
const JOB = { job: 'policy.yaml' };

/** The first run went by the name of the operation, so that it held; `JOB` then decides. */
async function doubtfulWorkplace(policy: string): Promise<Workplace> {
  const workplace = await Workplace.open({ concurrency: 1, faults: LOST_THREE });
  workplace.writeList(DOMAINS);
  writeFileSync(workplace.path(JOB.job), `operation: enrich-company\nin_doubt: ${policy}\n`);
  await workplace.runHere();
  expect(workplace.statuses()).toEqual(IN_DOUBT);
  return workplace;
}

describe.concurrent('calls in doubt', () => {
  test('skip: their rows end as skipped, say so, and are not asked again', async () => {
    await using workplace = await doubtfulWorkplace('skip');
    expect(await workplace.runHere(JOB)).toMatchObject({
      code: 3,
      report: { requests: 0, counts: { skipped: 3, refused: 2 } },
    });
    expect(workplace.rows()[0]).toMatchObject({
      _status: 'skipped',
      _reason: expect.stringMatching(/^skipped, the job says in_doubt: skip: no answer came/),
    });
    // The doubt belongs to the call, the decision to the batch: another list still sees the doubt.
    workplace.writeList(DOMAINS.slice(0, 1), 'other.csv');
    await workplace.runHere({ input: 'other.csv', output: 'other-out.csv' });
    expect(workplace.statuses('other-out.csv')).toEqual(['in_doubt']);
  });

  test('retry: as many are sent again as the extra credits cover, and no more in any later run', async () => {
    await using workplace = await doubtfulWorkplace('{ retry: { extra_credits: 2 } }');
    for (const requests of [2, 0, 0]) {
      expect(await workplace.runHere(JOB)).toMatchObject({
        code: 3,
        report: { requests, credits: { spent: 5, in_doubt: 3 } },
      });
    }
    expect(workplace.statuses().filter((status) => status === 'in_doubt')).toHaveLength(1);
    const book = await workplace.vendor.book();
    expect(book.charged_twice, 'two are paid for twice, as the job allows').toHaveLength(2);
    expect(book.credits).toBe(3 + 3 + 2);
  });

  test('retry: what is lost again is sent no third time, though the extra credits would do, and its row says so', async () => {
    await using workplace = await doubtfulWorkplace('{ retry: { extra_credits: 9 } }');
    await workplace.vendor.setFaults('charged-reset:x3');
    for (const requests of [3, 0])
      expect(await workplace.runHere(JOB)).toMatchObject({ code: 3, report: { requests } });
    expect(workplace.statuses()).toEqual(IN_DOUBT);
    expect(workplace.rows()[0]?._reason).toMatch(
      /; the job had it sent again, and that answer was lost too$/,
    );
    expect((await workplace.vendor.book()).credits).toBe(6 + 3);
  });
});
