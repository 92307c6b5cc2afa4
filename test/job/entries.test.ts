/**
 * Goal: what is said beside a job counts as if it stood in it, and a slip of the hand is answered with the name that was meant.
 * Method: the operations themselves and a real job file; nothing is read of any list.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { carriedJob, jobCarried } from '../../src/job/carried-job.ts';
import { loadJob } from '../../src/job/job.ts';
import { settingsKept } from '../../src/job/job-settings.ts';
import { credits } from '../../src/ledger/ledger.ts';

const folder = mkdtempSync(join(tmpdir(), 'rowonce-entries-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, 'job.yaml');
writeFileSync(
  FILE,
  'operation: enrich-company\ncolumns: { abn: ABN, domain: Site }\nwaterfall: [abn]\nadd: { size: employees, city: location.city }\n',
);

describe('an entry beside a job', () => {
  test('an entry stands beside those of its name, a waterfall in their place, and nothing behind the sign takes one out', async () => {
    const entries = {
      columns: { domain: 'Web seite', abn: '' },
      add: { phone: 'phones.0', size: '' },
      waterfall: ['domain', 'abn+domain'],
    };
    expect(await loadJob(FILE, entries)).toMatchObject({
      path: FILE,
      columns: { domain: 'Web seite', abn: '' },
      waterfall: ['domain', 'abn+domain'],
      add: { city: 'location.city', phone: 'phones.0' },
      said: entries,
    });
    expect(await loadJob(FILE, entries)).not.toHaveProperty('guesses');
  });
});

describe('a slip is answered by what there is', () => {
  test.each([
    [
      FILE,
      { columns: { domian: 'Site' } },
      '--column: enrich-company has no input "domian".',
      'Did you mean domain?',
    ],
    [FILE, { add: { _status: 'x' } }, /^--add: the column "_status" cannot be added/, /./],
    [FILE, { roles: { x: 'viewer' } }, '--role: enrich-company has no `roles`.', 'Leave it out.'],
    [
      'onboard',
      { roles: { 'Read only': 'viewr' } },
      /^--role: roles\.Read only: a role is viewer, editor or admin/,
      /./,
    ],
  ])('%#', async (job, entries, message, next) => {
    const wrong = {
      code: 'usage',
      message: expect.stringMatching(message),
      next: expect.stringMatching(next),
    };
    await expect(loadJob(job, entries)).rejects.toMatchObject(wrong);
  });
});

test('a batch of before, whose settings say refuse, and whose waterfall and reading stand as today, is read as it began', () => {
  const stored = {
    job: 'x',
    columns: { abn: 'ABN' },
    waterfall: ['abn', 'all:domain+abn'],
    on_existing: 'refuse',
  };
  const said = {
    read: { header_row: '3' },
    country: 'AU',
    waterfall: ['abn'],
    account: 'data',
    repair: true,
  };
  const kept = settingsKept({
    ...stored,
    said,
    answer_at: { envelope: 'data', steps: { x: { fields: 'y' } } },
  });
  expect(kept).toMatchObject({ columns: { abn: 'ABN' }, waterfall: stored.waterfall, said });
  expect([kept.on_existing, kept.answer_at]).toEqual([
    undefined,
    { envelope: 'data', steps: { x: { fields: 'y' } } },
  ]);
});

test('what is handed to workers is read back as the same job, also as earlier programs hand it over', async () => {
  const job = await loadJob('search-people', { columns: { company: 'Firm' }, repair: true });
  const carried = carriedJob({ ...job, in_doubt: { retry: { extra_credits: credits(3) } }, credits_max: 2 });
  const before = { name: 'x', operation: 'search-people', in_doubt: 'retry', settings: { credits_max: 2 } };
  expect(carried).toEqual({ ...before, name: 'search-people', columns: { company: 'Firm' }, repair: true });
  for (const each of [carried, { ...before, extra_credits: 3 }])
    expect(await jobCarried(each)).toMatchObject({ credits_max: 2, in_doubt: { retry: {} } });
});
