import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../src/sandbox/random.ts';
import type { Ended, Program } from './program.ts';
import type { Order, Workplace } from './workplace.ts';

/** `kill -9` at random moments, over and over, with the same command typed again after each. */

/** What a long drive of kills is: work that is killed again and again, and figures that say what was kept. */
export interface KillDrive {
  /** In all lanes so far. */
  readonly kills: number;
  readonly lists: number;
  /** Works until enough was killed; the last list is always brought to its end. */
  run(lane: Lane): Promise<void>;
  table(): readonly TableLine[];
  /** False when a promise was broken. */
  isKept(): boolean;
}

/** Stores, each with a vendor of its own, that are worked on side by side with others. */
export interface Lane {
  readonly name: string;
  readonly random: Random;
}

export type TableLine = readonly [string, string | number];

export interface Settings {
  readonly kills: number;
  /** In each list. */
  readonly rows: number;
}

/** A vendor that loses some 7 answers in 100, half of them after it has charged for them, and is slow or full besides. */
export const LOSSY = [
  'reset:0.01,charged-reset:0.01,500:0.01,charged-500:0.01,truncate:0.01,charged-truncate:0.01',
  'empty:0.005,charged-empty:0.005,cut:0.005,429:0.005,limited-200:0.005,422:0.01,slow:0.01',
].join(',');

/**
 * One that never refuses, so that every row is matched in the end. Where it honours idempotency keys, a call whose answer
 * it loses four times is rightly left in doubt; at 4 lost answers in 100 that is one call in 400,000.
 */
export const LOSSY_UNREFUSING = [
  'reset:0.01,charged-reset:0.01,500:0.005,charged-500:0.005,truncate:0.005,charged-truncate:0.005',
  '429:0.005,limited-200:0.005,slow:0.01',
].join(',');

export interface KillTally {
  /**
   * Kills by what was under way: `before` the work, while the program started or recovered; `during` it; `after` it,
   * while the output was written.
   */
  readonly landed: { before: number; during: number; after: number };
  /** Attempts that the kills left without a reply, in all and after the worst of them. */
  open: number;
  mostOpen: number;
}

export function newTally(): KillTally {
  return { landed: { before: 0, during: 0, after: 0 }, open: 0, mostOpen: 0 };
}

export function killsIn({ landed }: KillTally): number {
  return landed.before + landed.during + landed.after;
}

/** As long as a process takes to start on an idle machine. */
const START_MS = 400;

/** As long as it takes to recover and to send the first requests. */
const RECOVERY_MS = 50;

/** Writing the files of some hundred rows takes about so long. */
const WRITING_MS = 60;

/** Said when everything is read and the spending is about to begin. */
const WORK_BEGINS = /^Batch /m;

export interface KillPlan {
  readonly random: Random;
  /** Runs an order and kills it, unless it ends before or there are no kills left. */
  readonly kill: (order: Order, more?: Pick<KillPlan, 'mayEndWith'>) => Promise<Ended>;
  /** Most kills fall into so many milliseconds from the first request on, however slow the machine is until then. */
  readonly windowMs: number;
  /** Exit codes with which a run may end by itself; left out: every row settled, with or without attention. */
  readonly mayEndWith?: readonly number[];
}

/**
 * Starts the command and kills it at a random moment.
 * @returns how it ended: by the kill, or by itself before that.
 */
export async function killOnce(
  workplace: Workplace,
  order: Order,
  plan: Omit<KillPlan, 'kill'>,
  tally: KillTally,
): Promise<Ended> {
  const before = await observed(workplace, order);
  const program = workplace.start(order);
  await randomMoment(workplace, program, plan);
  const ended = await program.kill();
  const { mayEndWith = [0, 3] } = plan;
  if (wasKilled(ended)) note(before, await observed(workplace, order), tally);
  else if (!mayEndWith.includes(ended.code ?? Number.NaN)) {
    throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
  }
  return ended;
}

export function wasKilled({ signal }: Ended): boolean {
  return signal === 'SIGKILL';
}

/** One in six anywhere in the start, one in six in the recovery, the others while requests are on their way. */
export async function randomMoment(
  workplace: Workplace,
  program: Program,
  plan: Omit<KillPlan, 'kill'>,
): Promise<void> {
  const { random, windowMs } = plan;
  const { vendor } = workplace;
  const loggedBytes = vendor.loggedBytes;
  switch (random.integer(1, 6)) {
    case 1:
      return shortWait(program, random.fraction() * START_MS);
    case 2:
      await program.said(WORK_BEGINS);
      return shortWait(program, random.fraction() * RECOVERY_MS);
    default:
      await program.until(() => vendor.loggedBytes > loggedBytes);
      return shortWait(program, random.fraction() * windowMs);
  }
}

async function shortWait(program: Program, durationMs: number): Promise<void> {
  await Promise.race([delay(durationMs), program.ended]);
}

interface Observed {
  readonly requests: number;
  readonly open: readonly number[];
}

async function observed(workplace: Workplace, { store }: Order): Promise<Observed> {
  const { requests } = await workplace.vendor.book();
  return { requests, open: workplace.ledger(store).unanswered };
}

function note(before: Observed, after: Observed, tally: KillTally): void {
  // A run that was killed before it had recovered leaves those of the run before it.
  const left = after.open.filter((attempt) => !before.open.includes(attempt));
  const worked = left.length > 0 || after.requests > before.requests;
  tally.landed[worked ? 'during' : 'before'] += 1;
  tally.open += left.length;
  tally.mostOpen = Math.max(tally.mostOpen, after.open.length);
}

/** Runs the command of a batch that has nothing left to buy, and kills it while it writes its output. */
export async function killWhileWriting(
  workplace: Workplace,
  order: Order,
  { random }: Pick<KillPlan, 'random'>,
  tally: KillTally,
): Promise<void> {
  const program = workplace.start(order);
  await program.said(WORK_BEGINS);
  await shortWait(program, random.fraction() * WRITING_MS);
  const { signal } = await program.kill();
  if (signal === 'SIGKILL') tally.landed.after += 1;
}

export function add<Counts extends Record<string, number>>(sums: Counts, counts: Readonly<Counts>): void {
  for (const name of Object.keys(counts) as (keyof Counts)[]) {
    (sums[name] as number) += counts[name] ?? 0;
  }
}
