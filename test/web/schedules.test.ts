/**
 * Goal: inboxes are swept when their schedules say so, in their time zone, never twice at once; a night that was missed is made
 * up for once; and what nobody may start unseen is refused.
 * Method: real sweeps by the real command before the embedded vendor, on a clock of the test's own; and the real `serve`.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { openSweeps, type Sweeps } from '../../src/web/server/sweeps.ts';
import { Work } from '../../src/web/server/work.ts';
import { PROGRAM, rowonce } from '../cli/rowonce.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { environmentIn } from './served.ts';

const HOUR_MS = 3_600_000;
/** 11:00 in Melbourne. */
const START_MS = Date.UTC(2026, 10, 20);

let folder: string;
let work: Work;
let told: string[];
beforeEach(() => {
  told = [];
  folder = mkdtempSync(join(tmpdir(), 'rowonce-schedules-'));
  mkdirSync(join(folder, 'store'), { mode: 0o700 });
  work = lineOfWork();
});

/** Each start of the page has one. */
function lineOfWork(): Work {
  const env = { ...process.env, ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 500/s --latency 1ms' };
  return new Work({ script: PROGRAM, env }, Date.now);
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

function drop(name: string): void {
  const path = join(folder, 'night-inbox', name);
  writeFileSync(path, `Website\n${name.replace('.csv', '')}.example\n`);
  utimesSync(path, new Date(0), new Date(0));
}

async function open(job: string, clock: Clock): Promise<Sweeps> {
  const sweeps = await openSweeps({
    jobs: [job],
    store: join(folder, 'store'),
    folder: join(folder, 'store'),
    clock,
    work,
    timeZone: 'Australia/Melbourne',
    tell: (sentence) => told.push(sentence),
  });
  await sweeps.start();
  return sweeps;
}

/** Lets so much time pass, in the steps in which it is looked at. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    clock.pass(Math.min(left, 60_000));
    await clock.calm();
  }
}

const swept = (): readonly string[] => work.list().map(({ id }) => id);

const overMs = (): number =>
  Object.values(JSON.parse(readFileSync(join(folder, 'store', 'schedules.json'), 'utf8')) as object)[0];

/** Waits until the newest sweep is over, and noted as over at that time or later. */
async function noted(fromMs: number): Promise<void> {
  expect((await work.ended(swept()[0] ?? '')).exitCode).toBe(0);
  await expect.poll(overMs).toBeGreaterThanOrEqual(fromMs);
}

test('a sweep begins when it is due in its zone, works through the inbox, and is not begun again', async () => {
  const clock = new VirtualClock(START_MS);
  const sweeps = await open(writeJob(), clock);
  drop('acme.csv');
  await pass(clock, HOUR_MS - 60_000);
  expect(swept()).toEqual([]);
  await pass(clock, 60_000);
  await noted(START_MS + HOUR_MS);
  expect(readdirSync(join(folder, 'night-inbox', 'done'))).toContain('acme.csv');
  await pass(clock, 2 * HOUR_MS);
  expect([swept().length, told]).toEqual([1, []]);
  await sweeps.stop();
});

test('nights that were missed are made up for once at the next start; the first start makes up for none', async () => {
  const job = writeJob();
  const first = await open(job, new VirtualClock(START_MS));
  await first.stop();
  expect(swept()).toEqual([]);

  const clock = new VirtualClock(START_MS + 72 * HOUR_MS);
  const second = await open(job, clock);
  await clock.calm();
  expect(swept()).toHaveLength(1);
  await noted(START_MS + 72 * HOUR_MS);
  await second.stop();

  const third = await open(job, new VirtualClock(START_MS + 72 * HOUR_MS + 60_000));
  await clock.calm();
  expect(swept()).toHaveLength(1);
  await third.stop();
});

test.for([
  ['', / has no schedule\.\nAdd one to the job/],
  ['schedule: "soon"', /this is not a schedule of five cron fields/],
  ['operation: onboard\naccount: sandbox-service', /such a job cannot be scheduled/],
] as const)('serve refuses a job with %j in words', async ([more, why]) => {
  const job = writeJob(more);
  if (more.startsWith('operation'))
    writeFileSync(job, `${more}\ninbox: ./night-inbox\nschedule: "0 2 * * *"\n`);
  const { code, stderr } = await rowonce(['serve', job], { cwd: folder, env: environmentIn(folder) });
  expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test('serve refuses a job whose inbox is outside of its folder', async () => {
  const job = writeJob('schedule: "0 2 * * *"');
  writeFileSync(job, readFileSync(job, 'utf8').replace('./night-inbox', tmpdir()));
  const { code, stderr } = await rowonce(['serve', job], { cwd: folder, env: environmentIn(folder) });
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not below the folder of the job.')]);
});
