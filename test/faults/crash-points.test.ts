import { beforeAll, describe, expect, test } from 'vitest';
import { CRASH_POINTS, type CrashPoint } from '../../src/lib/faults.ts';
import { some } from '../support/combinations.ts';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import type { Way } from './ways.ts';
import { domainsOf, type OutputRow, Workplace } from './workplace.ts';

/*
 * Goal: wherever on its path the program dies, typing the same command again ends the work, and nothing that was sent
 * is forgotten or sent twice.
 * Method: the program kills itself (SIGKILL) at a named point, and the same command is typed again. Then the vendor's book is held
 * against the ledger, and the output against that of a run in another store, with another vendor of the same seed, that no one
 * interrupted. A point that is never reached fails its test, so that the list of points stays true. Between the points, and again and
 * again, the simulation crashes.
 */

/** Long enough that several requests are on their way when one of them comes to the point. */
const VENDOR = { latencyMs: 25, concurrency: 4 };

/** Duplicates, a row that is not usable, and enough calls for every slot to be used several times. */
const DOMAINS = [...domainsOf('crash', 16), ...domainsOf('crash', 2), 'not a domain', 'crash-16.example'];

/** Only a vendor that can be asked about lost calls leads to the first, which is below, and a copy to the others (`store-copies.test.ts`). */
const ELSEWHERE: readonly CrashPoint[] = ['after-look', 'copying', 'copy-taken', 'copy-left'];

const KILLS: readonly (readonly [CrashPoint, Way])[] = [
  ...CRASH_POINTS.filter((point) => !ELSEWHERE.includes(point)).map((point) => [point, 'direct'] as const),
  ...(['rest-get', 'via', 'keyed'] as const).map((way) => ['after-send', way] as const),
];

/** The vendor knows the same, whatever way it is reached. */
let undisturbed: readonly OutputRow[] = [];

beforeAll(async () => {
  await using workplace = await Workplace.open(VENDOR);
  workplace.writeList(DOMAINS);
  const { code } = await workplace.runHere();
  expect(code, 'one row is not usable').toBe(3);
  undisturbed = workplace.rows().map(withoutTime);
});

describe('killed at a named point, the same command typed again ends the work', () => {
  test.concurrent.each(some(KILLS, 4))('%s (%s)', async (point, way) => {
    await using workplace = await Workplace.open({ ...VENDOR, way });
    workplace.writeList(DOMAINS);
    // Only attempts that were left open lead to a recovery.
    if (point === 'recovering') await crash(workplace, 'after-send:4');
    await crash(workplace, point);
    await expectTheSameEnd(workplace);
  });
});

test('an answer that came is on the disk before it is judged, so a kill leaves no doubt about it', async () => {
  // Method: one request at a time, so that nothing else is on its way.
  await using workplace = await Workplace.open({ latencyMs: 0, concurrency: 1 });
  workplace.writeList(domainsOf('kept', 3));
  await crash(workplace, 'after-judge');
  const { code, stderr } = await workplace.runHere();
  expect(code, stderr).toBe(0);
  expect(workplace.ledger()).toMatchObject({ open: [], inDoubt: 0 });
  expect((await workplace.vendor.book()).requests, 'nothing was asked twice').toBe(3);
});

/** The key is honoured too briefly for a repeat, so that only the question is left. */
const READ_BACK = {
  idempotency: { header: 'Idempotency-Key', valid_for: '1ms' },
  operations: {
    'enrich-company': {
      read_back: {
        method: 'GET',
        path: '/requests/{idempotency_key}',
        fields: { domain: null },
        answers: [
          { status: [200], says: 'happened' },
          { status: [404], says: 'not_happened' },
        ],
        answer: 'answer',
        answer_status: 'status',
        sure_after: '0s',
      },
    },
  },
};

test.each(['reset', 'charged-reset'])(
  'a lost answer (%s) about which the vendor can be asked is paid once, also when the program dies as it asks',
  async (fault) => {
    await using workplace = await Workplace.open({ concurrency: 1, faults: `${fault}:x1` });
    workplace.writeDialect(READ_BACK);
    workplace.writeAccount(workplace.vendor.url, { dialect: './dialect.yaml' });
    workplace.writeList(domainsOf('asked', 3));
    await crash(workplace, 'after-look');
    const { code, stderr } = await workplace.runHere();
    expect(code, stderr).toBe(0);
    expect(workplace.statuses()).toEqual(['matched', 'matched', 'matched']);
    expect(await workplace.vendor.book()).toMatchObject({ credits: 3, charged_twice: [] });
    expect(workplace.ledger()).toMatchObject({ open: [], inDoubt: 0, spent: 3 });
  },
);

/** Dies at that visit of that point. */
async function crash(workplace: Workplace, visit: string): Promise<void> {
  const { signal, code, stderr } = await workplace.run({ crashAt: visit });
  expect(signal, `${visit} was not reached: exit ${code}, ${stderr}`).toBe('SIGKILL');
}

async function expectTheSameEnd(workplace: Workplace): Promise<void> {
  const { code, stderr } = await workplace.runHere();
  expect(code, stderr).toBe(3);
  expect(await brokenPromises(workplace)).toEqual(NONE_BROKEN);
  expect(workplace.ledger()).toMatchObject({ open: [] });
  expect(workplace.ledger().inDoubt).toBeLessThanOrEqual(workplace.concurrency);
  const rows = workplace.rows().map(withoutTime);
  for (const [index, row] of rows.entries())
    if (row._status !== 'in_doubt') expect(row).toEqual(undisturbed[index]);
}

function withoutTime({ _as_of: _, ...row }: OutputRow): OutputRow {
  return row;
}
