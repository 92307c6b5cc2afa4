/**
 * Goal: a job is what its file says, and a wrong one is refused at the place that is wrong, before anything is paid.
 * Method: real job files in a temporary folder; the jobs that users copy are read as they are.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Job, loadJob } from '../../src/job/job.ts';
import { jobYaml } from '../../src/job/job-yaml.ts';

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
      'Known are: on.',
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
    expect(await load(jobYaml(job))).toEqual(job);
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
});
