import { systemClock } from '../core/clock.ts';
import type { OutcomeKind } from '../core/row.ts';
import {
  type AccountState,
  type Batch,
  type BatchId,
  type BatchLine,
  type LedgerReader,
  type ShownMoney,
  shownMoney,
} from '../ledger/ledger.ts';
import type { Tell } from '../ledger/store.ts';
import { historyOf, onlyMisses, suspicionOf } from '../vendor/misses.ts';
import { eachLedger, eachLedgerThere, lookInto } from './open-ledger.ts';

/** This file tells how far batches are, from their ledgers alone. */

export interface BatchOverview {
  readonly batch: Batch;
  readonly counts: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly settled: number;
  /** The number of rows: those of the file and those that were planned because the file no longer names a person. */
  readonly rows: number;
  readonly money: ShownMoney;
  /** Since when a person has paused it; undefined when it may go on. */
  readonly heldSinceMs: number | undefined;
  /** Whether credits are shown: the service's changes cost none. */
  readonly hasCosts: boolean;
}

/** The batches of every store that a command may look into, the newest first. */
export async function batchOverviews(
  storeFlag: string | undefined,
  tell?: Tell,
): Promise<readonly BatchOverview[]> {
  const overviews = async (ledger: LedgerReader): Promise<readonly BatchOverview[]> => {
    const batches = await ledger.batches();
    return Promise.all(batches.map((batch) => overview(ledger, batch)));
  };
  const lists = await eachLedger(storeFlag, overviews, tell);
  return lists.flat().sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs);
}

export interface BatchesWanted {
  /** How many of those that the filter lets through are left out, the newest first. */
  readonly from: number;
  readonly most: number;
  readonly lets: (batch: BatchLine) => boolean;
}

export interface BatchesPage {
  readonly overviews: readonly BatchOverview[];
  /** Number of batches that the filter lets through, and of all. */
  readonly total: number;
  readonly all: number;
}

/** A part of all batches, the newest first. Only what is shown is read whole, so thousands of batches are no burden. */
export async function batchesPage(
  storeFlag: string | undefined,
  { from, most, lets }: BatchesWanted,
): Promise<BatchesPage> {
  const lines = await batchLines(storeFlag);
  const wanted = lines.filter(({ batch }) => lets(batch));
  const shown = wanted.sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs).slice(from, from + most);
  const overviews = new Map<BatchId, BatchOverview>();
  for (const [location, found] of Map.groupBy(shown, (each) => each.location))
    await lookInto(location, async (ledger) => {
      for (const { batch: line } of found) {
        const batch = await ledger.batch(line.id);
        if (batch !== undefined) overviews.set(line.id, await overview(ledger, batch));
      }
    });
  return {
    overviews: shown.flatMap(({ batch }) => overviews.get(batch.id) ?? []),
    total: wanted.length,
    all: lines.length,
  };
}

/** All batches of the stores that are there. */
export async function batchLines(
  storeFlag: string | undefined,
): Promise<readonly { readonly batch: BatchLine; readonly location: string }[]> {
  const lines = await eachLedgerThere(storeFlag, async (ledger, location) =>
    (await ledger.batchLines()).map((batch) => ({ batch, location })),
  );
  return lines.flat();
}

/** The number of rows that have ended. */
export function settledIn(counts: BatchOverview['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function overview(ledger: LedgerReader, batch: Batch): Promise<BatchOverview> {
  const counts = await ledger.counts(batch.id);
  const money = await shownMoney(ledger, batch.id);
  const { spent, inDoubt, reserved } = money;
  return {
    batch,
    counts,
    settled: settledIn(counts),
    rows: batch.inputRows + (batch.rowsBeyond ?? 0),
    money,
    heldSinceMs: batch.state === 'open' ? await ledger.heldSince(batch.id) : undefined,
    hasCosts: batch.vendor === 'provider' || spent + inDoubt + reserved > 0,
  };
}

export interface BatchStatus extends BatchOverview {
  readonly requests: number;
  readonly calls: number;
  /** Requests without an answer yet. */
  readonly open: number;
  /** Requests of its account in the last minute. */
  readonly lastMinute: number;
  /** How fast its account asked in the last seconds; 0 when it sent nothing. */
  readonly perSecond: number;
  /** Until when the account sends nothing; undefined when it does not pause now. */
  readonly pausedUntilMs: number | undefined;
  /** Why, as the pause was noted; undefined when it does not pause, or when that is not known. */
  readonly pausedWhy: string | undefined;
  /** The series of misses at the end of the account's answers; undefined when it is not worth telling. */
  readonly misses: MissSeries | undefined;
}

export interface MissSeries {
  readonly count: number;
  /** Whether a person has said that they are the vendor's own answers. */
  readonly kept: boolean;
  /** The number of the account's answers if every one was a miss, and too few were to be suspicious. */
  readonly only: number | undefined;
}

/** At most so many sent requests are read to compute the rate, so that the status is told fast. */
const MOST_SENDS = 100_000;

export async function batchStatus(ledger: LedgerReader, batch: Batch): Promise<BatchStatus> {
  const { requests, calls } = await ledger.metrics(batch.id);
  const account = await ledger.account(batch.accountIdentity);
  const { pausedUntilMs = 0 } = account;
  const nowMs = systemClock.wallMs();
  const sends = await ledger.sendTimes(batch.accountIdentity, nowMs - 60_000, MOST_SENDS);
  const pauses =
    pausedUntilMs > nowMs ? await ledger.pauses(batch.accountIdentity, nowMs, pausedUntilMs) : [];
  return {
    ...(await overview(ledger, batch)),
    requests,
    calls,
    open: await ledger.openRequests(batch.id),
    lastMinute: sends.length,
    perSecond: speedOf(sends, nowMs),
    pausedUntilMs: pausedUntilMs > nowMs ? pausedUntilMs : undefined,
    pausedWhy: pauses.at(-1)?.why,
    misses: missSeries(account, batch),
  };
}

/** A stretch that is long enough for a steady figure, and short enough to follow a run that has just begun. */
const RECENT_MS = 15_000;

function speedOf(sends: readonly number[], nowMs: number): number {
  const recent = sends.filter((atMs) => atMs > nowMs - RECENT_MS);
  const [first = nowMs] = recent;
  return (recent.length * 1000) / Math.max(nowMs - first, 1000);
}

/**
 * How long the rows that are left take, if they need as many requests each as those before them and the account goes on
 * as in the last seconds. Undefined when nothing was sent in these, or when nothing is left.
 */
export function secondsLeft({ batch, rows, settled, requests, perSecond }: BatchStatus): number | undefined {
  if (batch.state !== 'open' || perSecond === 0 || settled === 0 || rows <= settled) return undefined;
  return Math.ceil(((rows - settled) * (requests / settled)) / perSecond);
}

/** Finds out whether an account answers suspiciously often, or always, that nothing matched. A sandbox is trusted. */
function missSeries(account: AccountState, { sandbox }: Batch): MissSeries | undefined {
  const { count, kept } = account.misses;
  if (kept || suspicionOf(historyOf(account, sandbox)) !== undefined) return { count, kept, only: undefined };
  const only = onlyMisses(account, sandbox);
  return only === undefined ? undefined : { count, kept, only };
}
