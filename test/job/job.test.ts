/**
 * Goal: a job is what its file says, and a wrong one is refused at the place that is wrong, before anything is paid. What is said beside
 * it counts as if it stood there, and what is kept of it or handed to workers is read back as the same job.
 * Method: real job files in a temporary folder; the jobs that users copy are read as they are.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { carriedJob, jobCarried } from '../../src/job/carried-job.ts';
import { type Job, loadJob } from '../../src/job/job.ts';
import { settingsKept } from '../../src/job/job-settings.ts';
import { jobYaml } from '../../src/job/job-yaml.ts';
import { credits } from '../../src/ledger/ledger.ts';

let folder: string;
const started = process.cwd();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rowonce-job-'));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(started);
  await rm(folder, { recursive: true });
});

async function load(text: string): Promise<Job> {
  await writeFile('my-job.yaml', text);
  return loadJob('my-job.yaml');
}

describe('what is refused, with its place', () => {
  const OPERATION = 'operation: enrich-company\n';
  const cases: readonly (readonly [text: string, fact: string, next: string])[] = [
    [
      `${OPERATION}add:\n  _Status: industry\n`,
      '3:3: the column "_Status" cannot be added: it is the same as one which Rowonce itself adds',
      'Choose another name.',
    ],
    [
      `${OPERATION}refresh_after: soon\n`,
      '2:16: refresh_after: an age is "never" or a duration such as 30d',
      'Correct it.',
    ],
    [
      `${OPERATION}notify: { to: team, webhook: "https://hooks.example/T0" }\n`,
      '2:21: "webhook" is not known here',
      'Use one of these: on.',
    ],
    [
      `${OPERATION}add: { "a\\nb": x }\n`,
      '2:8: the name "a\\nb" cannot be used',
      'Choose another: it contains a line break or another control character.',
    ],
  ];
  test.each(cases)('%j: %s', async (text, fact, next) => {
    await expect(load(text)).rejects.toMatchObject({
      code: 'job',
      exitCode: 2,
      message: `my-job.yaml:${fact}`,
      next,
    });
  });
});

describe('writing a job down', () => {
  const everything = `operation: enrich-company
account: data
columns: { abn: "ABN: number", website: "#1 'web'" }
waterfall: [abn, domain+abn]
add: { "yes": employee_count, "2024": industry }
on_existing: keep
only_if: { Country: [AU, "NO"], Email: filled, "a\\nb": "true" }
unless: { Status: Customer }
budget: { credits: 7 }
in_doubt: { retry: { extra_credits: 2 } }
refresh_after: 30d
refresh_no_match_after: 36h
inbox: ./inbox
schedule: "0 2 * * *"
notify: { to: team, on: [end] }
`;

  test.each([
    everything,
    'operation: enrich-person\n',
    'operation: enrich-person\nadd: {}\nin_doubt: skip\n',
    'operation: enrich-person\nrefresh_after: 1500ms\nrefresh_no_match_after: never\n',
  ])('what is written is read as the same job: %#', async (text) => {
    const job = await load(text);
    expect(await load(jobYaml(job))).toEqual({ ...job, problem: expect.any(Function) });
  });
});

describe('a job that changes the service', () => {
  const ONBOARD = 'operation: onboard\n';

  test('a job that changes the service takes its own entries and its guards', async () => {
    const job = await load(`${ONBOARD}projects: { Sales: proj-1 }
remove_missing: true
guards: { max_removals: 25%, admins: allow, domains: [X.example], max_invites: 50 }
`);
    expect(job).toMatchObject({ projects: { Sales: 'proj-1' }, remove_missing: true });
    expect(job.guards).toEqual({
      max_removals: '25%',
      admins: 'allow',
      domains: ['x.example'],
      max_invites: 50,
    });
  });

  test.each([
    [
      'an entry of another operation',
      `${ONBOARD}filters: { a: 1 }\n`,
      /my-job\.yaml:2:1.*onboard has no `filters`/,
    ],
    ['guards where nothing is changed', 'operation: enrich-person\nguards: {}\n', /:2:1.*has no guards/],
    [
      'to send a lost change again',
      `${ONBOARD}in_doubt: { retry: { extra_credits: 1 } }\n`,
      /:2:11.*second mail/,
    ],
    ['to refresh a change', `${ONBOARD}refresh_after: 30d\n`, /:2:1.*never answered from an older answer/],
  ])('a job that changes the service refuses %s, with its place', async (_, text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  test('a word for a role that is there twice is refused, however many words there are', async () => {
    const costOf = async (map: string): Promise<number> => {
      const words = Array.from({ length: 4000 }, (_, at) => `  word ${at}: viewer\n`);
      const { user } = process.cpuUsage();
      await load(`${ONBOARD}${map}:\n${words.join('')}`);
      return process.cpuUsage().user - user;
    };
    const ofProjects = await costOf('projects');
    expect((await costOf('roles')) / ofProjects).toBeLessThan(3);
    const twice = load(`${ONBOARD}roles: { Read only: viewer, "read  only ": editor }\n`);
    await expect(twice).rejects.toThrow('roles: "read only" is there twice.');
  });
});

test.each([
  [
    '',
    { columns: { domian: 'x' } },
    '--column: enrich-company has no input "domian".',
    'Did you mean domain?',
  ],
  ['', { add: { _status: 'x' } }, /^--add: the column "_status" cannot be added/, /./],
  ['', { roles: { x: 'viewer' } }, '--role: enrich-company has no `roles`.', 'Leave it out.'],
  ['onboard', { roles: { 'Read only': 'viewr' } }, /^--role: roles\.Read only: a role is viewer, edit/, /./],
])('a slip beside a job is answered by what there is: %#', async (job, entries, message, next) => {
  await writeFile('slip.yaml', 'operation: enrich-company\n');
  await expect(loadJob(job || 'slip.yaml', entries)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message),
    next: expect.stringMatching(next),
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
