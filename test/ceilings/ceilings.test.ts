/**
 * Goal: no one makes a row dearer unnoticed. What a list asks of SQLite, the disk, the vendor and memory stays
 * within `ceilings.ts`; seconds are left to `npm run bench speed`.
 * Method: real commands typed in this process, with a real store and the sandbox; the calls of the library are counted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boughtRow, total } from '../../bench/memory.ts';
import { startSpeedVendor } from '../../bench/speed/fixture.ts';
import { CEILINGS, type Ceiling, MOST_KILOBYTES } from './ceilings.ts';
import { groupsOf, STEPS, type Step, type StepWork, totalOf, workOf } from './scene.ts';

let folder: string;
let works: Readonly<Record<Step, StepWork>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-work-'));
  works = await workOf(folder, 1000);
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(STEPS)('a list of 1,000 rows that is %s asks for no more than it did', (step) => {
  const { commits, snapshots, syncs, requests } = works[step];
  const groups = groupsOf(works[step]);
  const counts: Ceiling = { statements: totalOf(works[step]), commits, groups, snapshots, syncs, requests };
  const above = Object.entries(CEILINGS[step]).flatMap(([what, ceiling]) => {
    const count = counts[what as keyof Ceiling];
    return count > ceiling ? [`${count} ${what} are more than ${ceiling}`] : [];
  });
  expect(above).toEqual([]);
});

test('what is counted is what was done', () => {
  expect(works.bought.requests).toBe(1000);
  expect(groupsOf(works.bought)).toBeGreaterThan(0);
  expect(works.bought.statements.get('COMMIT')).toBeGreaterThanOrEqual(works.bought.commits / 2);
  expect(works.replayed.requests).toBe(0);
});

// The profiler samples, so one run in a hundred may be above by chance alone.
test('a bought row allocates no more than it did', { retry: 2 }, async () => {
  const vendor = await startSpeedVendor([]);
  try {
    const bytes = total(await boughtRow(folder, vendor.url));
    expect(bytes / 1000).toBeLessThan(MOST_KILOBYTES);
    expect(bytes / 1000).toBeGreaterThan(MOST_KILOBYTES / 2);
  } finally {
    vendor.stop();
  }
});
