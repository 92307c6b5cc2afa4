/**
 * Goal: inboxes are swept when their schedules say so, and what nobody may start unseen is refused.
 * Method: real sweeps by the real command before the embedded vendor, on a clock that the test moves; and the real `serve`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Program } from '../../src/web/server/child.ts';
import { Sweeps } from '../../src/web/server/sweeps.ts';
import { CommandQueue } from '../../src/web/server/work.ts';
import { PROGRAM, rowonce } from '../cli/rowonce.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import { environmentIn } from './served.ts';

const openTab = useBrowser();

const HOUR_MS = 3_600_000;
/** 11:00 in Melbourne. */
const START_MS = Date.UTC(2026, 10, 20);

let folder: string;
let program: Program;
let work: CommandQueue;
let told: string[];
beforeEach(() => {
  told = [];
  folder = mkdtempSync(join(tmpdir(), 'rowonce-schedules-'));
  mkdirSync(join(folder, 'store'), { mode: 0o700 });
  work = lineOfWork();
});

/** Each start of the page has one. */
function lineOfWork(): CommandQueue {
  const env = { ...process.env, ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 500/s --latency 1ms' };
  program = { script: PROGRAM, env };
  return new CommandQueue(program);
}
afterEach(async () => {
  await work.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeJob(more = 'schedule: "0 12 * * *"', name = 'night'): string {
  mkdirSync(join(folder, `${name}-inbox`), { recursive: true });
  const path = join(folder, `${name}.yaml`);
  const lines = ['operation: enrich-company', 'account: sandbox-provider', `inbox: ./${name}-inbox`, more];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function drop(name: string, ...more: readonly string[]): void {
  const path = join(folder, 'night-inbox', name);
  const sites = [`${name.replace('.csv', '')}.example`, ...more];
  writeFileSync(path, `Website\n${sites.join('\n')}\n`);
  utimesSync(path, new Date(0), new Date(0));
}

async function open(job: string): Promise<Sweeps> {
  const sweeps = await Sweeps.open({
    jobs: [job],
    store: join(folder, 'store'),
    folder: join(folder, 'store'),
    program,
    work,
    log: (level, message) => told.push(`${level} ${message}`),
  });
  onTestFinished(() => sweeps.stop());
  return sweeps;
}

test('a sweep begins when it is due, works through the inbox, and is not begun again', async () => {
  vi.stubEnv('TZ', 'Australia/Melbourne');
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.useFakeTimers({ now: START_MS, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await open(writeJob());
  drop('acme.csv');
  await vi.advanceTimersByTimeAsync(HOUR_MS - 60_000);
  expect(work.pieces).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  const [sweep, ...others] = work.pieces;
  expect([(await sweep?.over.promise)?.exitCode, others]).toEqual([0, []]);
  expect(readdirSync(join(folder, 'night-inbox', 'done'))).toContain('acme.csv');
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(work.pieces).toHaveLength(1);
  expect(told).toEqual([
    'info night is swept by "0 12 * * *", next at 2026-11-20T01:00:00.000Z.',
    'info The sweep of night ended with exit code 0: 1 list done.',
  ]);
});

test('where nobody can read which nights are paused, all of them are', async () => {
  writeFileSync(join(folder, 'store', 'nights.json'), '{"paused":["night"],"ended":[]}');
  const [night] = (await open(writeJob())).views();
  expect(night).toMatchObject({ paused: true, next_run: null });
});

test.for([
  ['', / has no schedule\.\nAdd one to the job/],
  ['schedule: "soon"', /this is not a schedule of five cron fields/],
] as const)('serve refuses a job with %j in words', async ([more, why]) => {
  const { code, stderr } = await rowonce(['serve', writeJob(more)], {
    cwd: folder,
    env: environmentIn(folder),
  });
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('a pause outlives the page, and the page tells of it and of what the last nights did', async () => {
  writeJob('schedule: "0 2 * * *"\nbudget: { credits: 200 }');
  drop('acme.csv');
  const first = await servedIn(folder, {}, ['night.yaml']);
  const page = await openTab(first, '/nights');
  await page.getByText('night · every night at 02:00, ').waitFor();
  await page.getByText('new files of night-inbox · companies · at most 200 credits a file').waitFor();
  await page.getByText(/^next: \w+ \d\d:00$/).waitFor();
  await page.getByRole('button', { name: 'Run now: night' }).click();
  const last = page.getByRole('region', { name: 'The last nights' });
  await last.getByText('1 file, 1 row').waitFor();
  await last.getByText(/^[01] found$/).waitFor();
  await page.getByRole('button', { name: 'Pause night' }).click();
  await page.getByText('paused', { exact: true }).waitFor();
  await first.stop();
  const second = await servedIn(folder, {}, ['night.yaml']);
  const { nights } = await ask(second, 'GET', '/nights');
  expect(nights).toMatchObject([{ job: 'night', paused: true, next_run: null, ended: [{ exit_code: 0 }] }]);
  const again = await openTab(second, '/nights');
  await again.getByRole('button', { name: 'Go on with night' }).click();
  await again.getByText(/^next: /).waitFor();
  // Who has named it when the page was started takes it out there.
  await again.getByRole('button', { name: '⋯' }).click();
  await again.getByText('this line of a crontab does it').waitFor();
  expect(await again.getByRole('button', { name: 'Remove night' }).count()).toBe(0);
  expect(await ask(second, 'DELETE', '/nights/night')).toMatchObject({ status: 400 });
});

test('a list that a night has not ended for its limit says so, and its limit is raised where it is shown', async () => {
  writeJob('schedule: "0 2 * * *"\nbudget: { credits: 1 }');
  drop('acme.csv', 'other.example', 'third.example');
  const page = await openTab(await servedIn(folder, {}, ['night.yaml']), '/nights');
  await page.getByRole('button', { name: 'Run now: night' }).click();
  const wait = page.getByText(
    'acme.csv waits. 1 of its 3 rows is done; the others cost more than the 1 credit that a file may use.',
  );
  await wait.waitFor();
  await page.getByText('1 file waits').waitFor();
  await page.getByRole('link', { name: 'Raise its limit' }).click();
  await page.getByText('The 1 credit that you allowed is used.').waitFor();
  await page.getByLabel('Credits more').fill('2');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText(/^\d of 3 companies found/).waitFor();
});

test('where nothing is scheduled, the page says what a night does, and leads to a first list', async () => {
  const page = await openTab(await servedIn(), '/nights');
  await page.getByText('Nothing is asked by night yet.').waitFor();
  await page.getByText('No night has ended yet.').waitFor();
  await page.getByRole('link', { name: 'Bring a list' }).waitFor();
});
