/**
 * Goal: however the page's server ends, what it had started records every answer that is on its way and sends nothing new;
 * nothing is in doubt, and the same command goes on.
 * Method: a real page that is killed or stopped in the middle of a run, and a program that starts runs as its server does,
 * stopped from a terminal and by a service manager. The vendor answers slowly, and its book says what was asked.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { environmentOf } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { ask, servedIn } from './scene.ts';
import type { Served } from './served.ts';

/** Many seconds, of which a run here sees the beginning; what is left then is asked for by many at once. */
const ROWS = 100;

interface Held {
  readonly desk: Desk;
  readonly holder: ChildProcess;
  readonly words: readonly string[];
}

/** A run in the middle of its list, in a group of processes with the one that holds it. */
async function held(): Promise<Held> {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(ROWS);
  const words = [...desk.run(), '--store', desk.place.path('store')];
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'holder.ts'), ...words], {
    cwd: desk.place.folder,
    env: environmentOf({ env: desk.environment() }),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(4);
  return { desk, holder, words };
}

/** The same, started from a page. */
async function served(): Promise<Held & { readonly page: Served }> {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(ROWS);
  const page = await servedIn(desk.place.folder, desk.environment());
  const list = await ask(page, 'PUT', '/lists?name=list.csv', await desk.read('list.csv'));
  const choices = { what: { operation: 'enrich-company' }, account: 'data' };
  const plan = await ask(page, 'POST', '/plans', { list: list.id, choices });
  await ask(page, 'POST', '/starts', { plan: plan.id, budget: 1_000 });
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(4);
  const words = [...splitCommand(plan.command), '--budget', '1000'];
  return { desk, holder: page.child, words, page };
}

/** The words after `rowonce` of a command that is shown to be copied. */
const splitCommand = (command: string): readonly string[] => command.replace(/^.*? rowonce /, '').split(' ');

/** What the run said, once the program that held it was asked to stop and has ended. */
async function saidBy({ holder }: Held): Promise<unknown> {
  if (holder.stdout === null) throw new Error('no pipe');
  return JSON.parse(await text(holder.stdout));
}

async function goesOn({ desk, words }: Held): Promise<void> {
  const { open, inDoubt, spent } = desk.place.ledger();
  const { requests, credits } = await desk.place.vendor.book();
  expect({ open, inDoubt, spent }).toEqual({ open: [], inDoubt: 0, spent: credits });
  expect(requests, 'stopped on its way').toBeLessThan(ROWS);
  desk.place.hurry();
  expect((await desk.type(words)).code).toBe(0);
  expect((await desk.place.vendor.book()).requests, 'nothing was asked twice').toBe(ROWS);
}

/** Where the run says who it is, as long as it holds the store. */
const spenderOf = ({ desk }: Held): string => desk.place.path('store/spender.json');

test('a page that is killed leaves no doubt, and the command that it shows goes on', async () => {
  const run = await served();
  await run.page.stop('SIGKILL');
  await expect.poll(() => existsSync(spenderOf(run))).toBe(false);
  await goesOn(run);
});

proof(
  'a page that is stopped waits for its answers, and says by its exit code that work was left',
  async () => {
    const run = await served();
    const { code, stderr } = await run.page.stop('SIGTERM');
    expect([code, stderr]).toEqual([143, expect.stringContaining('1 command of the page stopped early')]);
    await goesOn(run);
  },
);

proof('stopped by Ctrl-C, which a terminal sends to all of its group', async () => {
  const run = await held();
  process.kill(-(run.holder.pid ?? 0), 'SIGINT');
  expect(await saidBy(run)).toMatchObject([{ exit_code: 143, stopped: { code: 'terminated' } }]);
  await goesOn(run);
});

proof('stopped by a service manager, which signals each of its processes', async () => {
  const run = await held();
  const { pid } = JSON.parse(readFileSync(spenderOf(run), 'utf8'));
  run.holder.kill('SIGTERM');
  process.kill(pid, 'SIGTERM');
  expect(await saidBy(run)).toMatchObject([{ exit_code: 143, stopped: { code: 'terminated' } }]);
  await goesOn(run);
});
