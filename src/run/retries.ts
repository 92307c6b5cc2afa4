import { type StopError, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { counted } from '../core/plain-text.ts';
import type { RowNumber } from '../core/row.ts';
import { originOf } from '../job/job-origin.ts';
import {
  type Batch,
  type BatchId,
  type Decision,
  type Doubt,
  heldCredits,
  type LedgerReader,
  standingDecision,
} from '../ledger/ledger.ts';
import { commandLine } from '../lib/command-line.ts';

/** This file says what was decided about calls in doubt and was not carried out yet, and whether the extra credits and the budget cover it. */

export interface Retries {
  readonly calls: number;
  readonly credits: number;
  /** The extra credits of the batch, and how many of these are used; `most` is absent where only the budget is a limit. */
  readonly extra: { readonly most?: number; readonly used: number };
  /** The extra credits with which all of them could be sent again; absent when those of the batch cover them. */
  readonly enough?: number;
  /** The budget of the batch, where it does not cover them: what is left of it, and with which one all could be sent again. */
  readonly budget?: { readonly cap: number; readonly left: number; readonly enough: number };
  readonly goesOn: boolean;
  /** The row of one of them, where the batch also has doubts without such a decision. */
  readonly row?: RowNumber;
}

export function againWords({ calls, credits }: Pick<Retries, 'calls' | 'credits'>): string {
  return `${counted(calls, 'call')} in doubt will be sent again, for at most ${counted(credits, 'credit')}`;
}

/** Says that the extra credits do not cover what is to be sent again, and what is typed so that they do; undefined where they do. */
export function shortOfExtra(
  batch: BatchId,
  { calls, credits, extra: { most = 0, used }, enough, row }: Retries,
): { readonly fact: string; readonly command: string } | undefined {
  if (enough === undefined) return undefined;
  const fact = `${againWords({ calls, credits })}, and ${Math.max(0, most - used)} of ${counted(most, 'extra credit')} ${most === 1 ? 'is' : 'are'} left.`;
  const about = row === undefined ? [batch] : [batch, String(row)];
  return { fact, command: commandLine(['settle', ...about, '--retry', '--extra-credits', String(enough)]) };
}

/** What ends a run whose rows are left for that alone. */
export function notCovered({ id }: Batch, retries: Retries): StopError {
  const { fact = 'The extra credits do not cover what is to be sent again.', command = `settle ${id}` } =
    shortOfExtra(id, retries) ?? {};
  return stop('extra_credits', fact, `Let the next run send all of them again: ${command}`);
}

/** What was decided about each doubt, and is done by the next run of the batch, in their order. */
export async function decisionsAbout(
  ledger: LedgerReader,
  batch: BatchId,
  doubts: readonly Doubt[],
): Promise<readonly (Decision | undefined)[]> {
  if (doubts.length === 0) return [];
  const state = (await ledger.batch(batch))?.state;
  if (state === 'superseded' || state === 'cancelled') return doubts.map(() => undefined);
  const states = await ledger.find(
    doubts.map(({ key }) => key),
    { batch },
  );
  return states.map(standingDecision);
}

export async function retriesOf(ledger: LedgerReader, batch: BatchId): Promise<Retries> {
  const doubts = await ledger.doubts(batch);
  const decisions = await decisionsAbout(ledger, batch, doubts);
  const waiting = doubts.filter((_, at) => decisions[at]?.kind === 'retry');
  // What was sent under an idempotency key again has reserved nothing itself.
  const prices = waiting.map(({ atRisk, reserved }) => reserved || atRisk);
  const credits = prices.reduce((sum, price) => sum + price, 0);
  const { cap: most, ...money } = await ledger.batchMoney(batch, 'extra');
  const used = heldCredits(money);
  const extraLeft = most === undefined ? Number.POSITIVE_INFINITY : most - used;
  const budget = await budgetShort(ledger, batch, credits);
  const left = Math.min(extraLeft, budget?.left ?? credits);
  return {
    calls: waiting.length,
    credits,
    extra: { ...present({ most }), used },
    ...(credits > extraLeft ? { enough: used + credits } : {}),
    ...present({ budget }),
    goesOn: prices.some((price) => price <= left),
    ...(waiting.length === doubts.length ? {} : present({ row: waiting[0]?.row })),
  };
}

async function budgetShort(
  ledger: LedgerReader,
  batch: BatchId,
  credits: number,
): Promise<Retries['budget']> {
  const { cap, ...money } = await ledger.batchMoney(batch);
  if (cap === undefined) return undefined;
  const held = heldCredits(money);
  const left = Math.max(0, cap - held);
  if (credits <= left) return undefined;
  // A trial has no word for a budget, and raises its own.
  const isTrial = originOf((await ledger.batch(batch))?.settings ?? {})?.kind === 'trial';
  return isTrial ? undefined : { cap, left, enough: held + credits };
}
