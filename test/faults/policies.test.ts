import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import type { Way } from './ways.ts';
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

describe.concurrent('calls in doubt', () => {
  test('skip: their rows end as skipped, say so, and are not asked again', async () => {
    await using workplace = await lossyWorkplace('skip');
    await workplace.runHere();
    expect(workplace.statuses()).toEqual(IN_DOUBT);
    expect(await workplace.runHere(JOB)).toMatchObject({
      code: 3,
      report: { requests: 0, counts: { skipped: 3, refused: 2 } },
    });
    expect(workplace.statuses()).toEqual(
      IN_DOUBT.map((status) => (status === 'in_doubt' ? 'skipped' : status)),
    );
    expect(workplace.rows()[0]?._reason).toMatch(/^skipped, the job says in_doubt: skip: no answer came/);

    // The doubt belongs to the call, the decision to the batch: another list still sees the doubt.
    workplace.writeList(DOMAINS.slice(0, 1), 'other.csv');
    expect(await workplace.runHere({ input: 'other.csv', output: 'other-out.csv' })).toMatchObject({
      code: 3,
    });
    expect(workplace.statuses('other-out.csv')).toEqual(['in_doubt']);
  });

  test.each(some(['direct', 'rest-get'] as const, 1))(
    'retry: as many are sent again as the extra credits cover, and no more in any later run (%s)',
    async (way) => {
      await using workplace = await lossyWorkplace('{ retry: { extra_credits: 2 } }', way);
      await workplace.runHere();
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

      const listed = await workplace.typeHere([
        'settle',
        'last',
        '--json',
        '--store',
        workplace.path('store'),
      ]);
      expect(JSON.parse(listed.stdout)).toMatchObject({ in_doubt: [{ row: 6, credits: 1 }], at_risk: 1 });
      writeFileSync(workplace.path(JOB.job), 'operation: enrich-company\nin_doubt: skip\n');
      expect(await workplace.runHere(JOB)).toMatchObject({ report: { requests: 0, counts: { skipped: 1 } } });
    },
  );

  test('retry: what is lost again is sent no third time, though the extra credits would do, and its row says so', async () => {
    await using workplace = await lossyWorkplace('{ retry: { extra_credits: 9 } }');
    await workplace.runHere();
    await workplace.vendor.setFaults('charged-reset:x3');
    for (const requests of [3, 0])
      expect(await workplace.runHere(JOB)).toMatchObject({ code: 3, report: { requests } });
    expect(workplace.statuses()).toEqual(IN_DOUBT);
    expect(workplace.rows()[0]?._reason).toMatch(
      /; the job had it sent again, and that answer was lost too$/,
    );
    expect((await workplace.vendor.book()).credits).toBe(6 + 3);
  });

  test('a run settles its rows in doubt before it asks for pending ones, wherever they stand in the list', async () => {
    await using workplace = await lossyWorkplace('{ retry: { extra_credits: 9 } }');
    await workplace.runHere();
    // The first of the three is pending from then on.
    expect(
      await workplace.typeHere(['settle', 'last', '2', '--retry', '--store', workplace.path('store')]),
    ).toMatchObject({ code: 0 });
    const before = workplace.vendor.requests().length;
    expect(await workplace.runHere(JOB)).toMatchObject({ code: 3, report: { requests: 3 } });
    const asked = workplace.vendor.requests().slice(before);
    expect(
      asked.map(({ body }) => DOMAINS.findIndex((domain) => JSON.stringify(body).includes(domain))),
    ).toEqual([2, 4, 0]);
  });
});

/** The same account, columns and waterfall as the plain operation, so the same batch, with another policy. */
const JOB = { job: 'policy.yaml' };

/** The first run goes by the name of the operation, so that it holds; `JOB` then decides. */
async function lossyWorkplace(policy: string, way: Way = 'direct'): Promise<Workplace> {
  const workplace = await Workplace.open({ way, concurrency: 1, faults: LOST_THREE });
  workplace.writeList(DOMAINS);
  writeFileSync(workplace.path(JOB.job), `operation: enrich-company\nin_doubt: ${policy}\n`);
  return workplace;
}
