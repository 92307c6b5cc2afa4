/**
 * Goal: inboxes are swept when their schedules say so, and lists are started at the time that was agreed to, in their time
 * zone, never twice at once; a night that was missed is made up for once; and what nobody may start unseen is refused.
 * Method: real sweeps by the real command before the embedded vendor, on a clock of the test's own; and the real `serve`.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { openSchedules, type Schedules } from '../../src/web/server/schedules.ts';
import { Work } from '../../src/web/server/work.ts';
import { PROGRAM, rowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { environmentIn, Served } from './served.ts';

const HOUR_MS = 3_600_000;
/** 11:00 in Melbourne. */
const START_MS = Date.UTC(2026, 10, 20);

let folder: string;
let work: Work;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-schedules-'));
  mkdirSync(join(folder, 'store'), { mode: 0o700 });
  work = lineOfWork();
});

/** Each start of the page has one. */
function lineOfWork(): Work {
  const env = { ...process.env, ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 500/s --latency 1ms' };
  return new Work({ script: PROGRAM, env }, Date.now, () => {});
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

async function open(job: string | undefined, clock: Clock): Promise<Schedules> {
  const schedules = await openSchedules({
    jobs: job === undefined ? [] : [job],
    store: join(folder, 'store'),
    folder: join(folder, 'store'),
    clock,
    work,
    timeZone: 'Australia/Melbourne',
  });
  await schedules.start();
  return schedules;
}

/** Lets so much time pass, in the steps in which it is looked at. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    clock.pass(Math.min(left, 60_000));
    await clock.calm();
  }
}

const sweeps = (): readonly string[] => work.list().map(({ id }) => id);

proof('a sweep begins when it is due in its zone, works through the inbox, and is noted', async () => {
  const clock = new VirtualClock(START_MS);
  const schedules = await open(writeJob(), clock);
  drop('acme.csv');
  await pass(clock, HOUR_MS - 60_000);
  expect(sweeps()).toEqual([]);
  expect(await schedules.list()).toMatchObject([
    { job: 'night', next_ms: START_MS + HOUR_MS, last: null, work: null },
  ]);
  await pass(clock, 60_000);
  const [id = ''] = sweeps();
  await expect(schedules.run(0)).rejects.toThrow('A sweep of night is running.');
  expect(await work.ended(id)).toMatchObject({ kind: 'sweep', exit_code: 0 });
  await expect
    .poll(async () => (await schedules.list())[0])
    .toMatchObject({ last: { exit_code: 0, files: 1 }, work: null, next_ms: START_MS + 25 * HOUR_MS });
  expect(readdirSync(join(folder, 'night-inbox', 'done'))).toContain('acme.csv');
  await pass(clock, 2 * HOUR_MS);
  expect(sweeps()).toEqual([id]);
  await schedules.stop();
});

proof(
  'nights that were missed are made up for once at the next start; the first start makes up for none',
  async () => {
    const job = writeJob();
    const first = await open(job, new VirtualClock(START_MS));
    await first.stop();
    expect(sweeps()).toEqual([]);

    const clock = new VirtualClock(START_MS + 72 * HOUR_MS);
    const second = await open(job, clock);
    await clock.calm();
    expect(sweeps()).toHaveLength(1);
    await work.ended(sweeps()[0] ?? '');
    await expect.poll(async () => (await second.list())[0]?.last?.exit_code).toBe(0);
    await second.stop();

    const third = await open(job, new VirtualClock(START_MS + 72 * HOUR_MS + 60_000));
    await clock.calm();
    expect(sweeps()).toHaveLength(1);
    await third.stop();
  },
);

proof('a sweep that the end of the page cut short is not over: the next start goes on with it', async () => {
  const job = writeJob();
  const first = await open(job, new VirtualClock(START_MS));
  await first.run(0);
  const stopped = first.stop();
  await work.close();
  await stopped;
  work = lineOfWork();
  const due = await open(job, new VirtualClock(START_MS + 2 * HOUR_MS));
  expect(sweeps()).toHaveLength(1);
  await work.ended(sweeps()[0] ?? '');
  await due.stop();
});

proof(
  'a calendar that was two months ahead for one sweep puts off none that is due once it is right',
  async () => {
    const clock = new VirtualClock(START_MS);
    let aheadMs = 0;
    const shifted: Clock = {
      monotonicMs: () => clock.monotonicMs(),
      wallMs: () => clock.wallMs() + aheadMs,
      sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
    };
    const schedules = await open(writeJob(), shifted);
    aheadMs = 60 * 24 * HOUR_MS;
    await pass(clock, 60_000);
    expect(sweeps()).toHaveLength(1);
    await expect.poll(async () => (await schedules.list())[0]?.last?.exit_code).toBe(0);
    aheadMs = 0;
    await pass(clock, HOUR_MS);
    expect(sweeps()).toHaveLength(2);
    await schedules.stop();
  },
);

/** As the page orders the run of a list. */
function startOf(list: string): Parameters<Schedules['startAt']> {
  const path = join(folder, list);
  writeFileSync(path, 'Website\nacme.example\n');
  const store = join(folder, 'store');
  const words = ['run', 'enrich-company', path, '--account', 'sandbox-provider', '--store', store];
  const facts = { list, operation: 'enrich-company', account: 'a', sandbox: true, budget: null };
  return ['02:00', { kind: 'run', words, store, about: list, plan: 'p' }, facts];
}

test('a list is started once, when the clocks of the zone show the time, and a later time takes the place of an earlier', async () => {
  const clock = new VirtualClock(START_MS);
  const schedules = await open(undefined, clock);
  const [, order, facts] = startOf('leads.csv');
  await schedules.startAt('12:00', order, facts);
  await schedules.startAt('02:00', order, facts);
  expect(schedules.starts()).toMatchObject([
    { list: 'leads.csv', at_ms: START_MS + 15 * HOUR_MS, last: null },
  ]);
  await pass(clock, 15 * HOUR_MS - 60_000);
  expect(sweeps()).toEqual([]);
  await pass(clock, 60_000);
  const [id = ''] = sweeps();
  const [start] = schedules.starts();
  await expect(schedules.drop(start?.id ?? '')).rejects.toThrow('This start has begun.');
  expect(await work.ended(id)).toMatchObject({ kind: 'run', about: 'leads.csv', exit_code: 0 });
  await expect
    .poll(() => schedules.starts()[0])
    .toMatchObject({ work: null, last: { exit_code: 0, spent: 1, batch: expect.any(String) } });
  await pass(clock, 24 * HOUR_MS);
  expect(sweeps()).toEqual([id]);
  await schedules.stop();
});

proof(
  'a start that nobody was there for is made up for once, and one that was dropped never begins',
  async () => {
    const first = await open(undefined, new VirtualClock(START_MS));
    await first.startAt(...startOf('leads.csv'));
    const dropped = await first.startAt(...startOf('others.csv'));
    expect(await first.drop(dropped.id)).toBe(true);
    expect(await first.drop(dropped.id)).toBe(false);
    await first.stop();
    expect(statSync(join(folder, 'store', 'starts.json')).mode & 0o777).toBe(0o600);

    const second = await open(undefined, new VirtualClock(START_MS + 72 * HOUR_MS));
    expect(work.list()).toMatchObject([{ about: 'leads.csv' }]);
    const stopped = second.stop();
    await work.close();
    await stopped;

    // The end of the page cut it short, so it is not over.
    work = lineOfWork();
    const third = await open(undefined, new VirtualClock(START_MS + 73 * HOUR_MS));
    await work.ended(sweeps()[0] ?? '');
    await expect.poll(() => third.starts()[0]?.last?.exit_code).toBe(0);
    await third.stop();

    const fourth = await open(undefined, new VirtualClock(START_MS + 74 * HOUR_MS));
    expect(sweeps()).toHaveLength(1);
    expect(fourth.starts()).toHaveLength(1);
    await fourth.stop();
    const later = await open(undefined, new VirtualClock(START_MS + 31 * 24 * HOUR_MS + 73 * HOUR_MS));
    expect(later.starts(), 'how it ended is told for a month').toEqual([]);
    await later.stop();
  },
);

proof(
  'a damaged file of starts lies aside and is told, by the command and by the page, until it is deleted',
  async () => {
    const store = join(folder, 'store');
    writeFileSync(join(store, 'starts.json'), '[{"id": 7}', { mode: 0o600 });
    const served = await Served.start([], { cwd: folder });
    const aside = readdirSync(store).filter((name) => name.startsWith('starts.json'));
    expect(aside).toEqual([expect.stringMatching(/^starts\.json\.damaged-\d+$/)]);
    expect(readFileSync(join(store, aside[0] ?? ''), 'utf8')).toBe('[{"id": 7}');
    const told = async () => JSON.parse((await served.tool('/api/schedules')).body).damaged;
    expect(await told()).toEqual(aside);
    rmSync(join(store, aside[0] ?? ''));
    expect(await told()).toEqual([]);
    expect((await served.stop()).stderr).toContain(`set aside as ${aside[0]}`);
  },
);

proof('a start goes with its list, and one whose list is gone tells no path', async () => {
  const start = (id: string, list: string, last: object | null) => ({
    ...{ id, atMs: Date.now() + HOUR_MS, last },
    order: { kind: 'run', words: [], store: 'store', about: list, plan: 'p' },
    facts: { list, operation: 'enrich-company', account: 'a', sandbox: true, budget: null },
  });
  const failed = {
    ...{ at_ms: 1, ended_ms: Date.now(), exit_code: 2, files: 0, spent: 0, batch: null },
    message: `There is no ${folder}/store/lists/00/job.yaml.`,
  };
  await using served = await Served.start([], { cwd: folder });
  const path = '/api/lists?name=leads.csv';
  const { id } = JSON.parse((await served.tool(path, { method: 'PUT', body: 'ABN\n51824753556\n' })).body);
  await served.stop();
  const kept = [start('one', id, null), start('two', '00', failed)];
  writeFileSync(join(folder, 'store', 'starts.json'), JSON.stringify(kept), { mode: 0o600 });
  await using again = await Served.start([], { cwd: folder });
  const starts = async () => JSON.parse((await again.tool('/api/schedules')).body).starts;
  const [one, two] = await starts();
  expect([one.name, two.name, two.last.message]).toEqual([
    'leads.csv',
    null,
    'Its list was removed before it began.',
  ]);
  expect((await again.tool(`/api/lists/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await starts()).toMatchObject([{ id: 'two' }]);
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

proof('a page with jobs tells their next nights, and one sweep can be started by hand', async () => {
  const job = writeJob();
  await using served = await Served.start([job, '--time-zone', 'Australia/Melbourne'], {
    cwd: folder,
    env: { ROWONCE_SANDBOX: '--rate 500/s' },
  });
  drop('acme.csv');
  const list = async () => JSON.parse((await served.tool('/api/schedules')).body);
  expect(await list()).toMatchObject({
    time_zone: 'Australia/Melbourne',
    schedules: [
      { job: 'night', schedule: '0 12 * * *', sandbox: true, next_ms: expect.any(Number), last: null },
    ],
  });
  expect(JSON.parse((await served.tool('/api/state')).body)).toMatchObject({ schedules: 1 });
  expect((await served.tool('/api/schedules/7/run', { method: 'POST' })).status).toBe(400);
  expect((await served.tool('/api/schedules/0/run', { method: 'POST' })).status).toBe(200);
  expect((await served.tool('/api/schedules/0/run', { method: 'POST' })).status).toBe(409);
  await expect.poll(async () => (await list()).schedules[0].last).toMatchObject({ exit_code: 0, files: 1 });
});
