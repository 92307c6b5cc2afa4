import { isoTime, systemClock } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';
import type { OutcomeKind } from '../../core/row.ts';
import type {
  Act,
  Batch,
  BatchId,
  LedgerReader,
  Money,
  PauseRecord,
  RangeCounts,
  Sent,
} from '../../ledger/ledger.ts';
import type { Spender, Tell } from '../../ledger/store.ts';
import { storeAt } from '../../ledger/stores.ts';
import { hasCosts } from '../../ledger/tally.ts';
import { interruptedChanges } from '../../plan/team/interrupted-changes.ts';
import { eachLedger, eachLedgerThere, type FoundBatch, lookInto } from '../open-ledger.ts';
import { isAtWorkOn } from './hold.ts';

export interface BatchOverview {
  readonly batch: Batch;
  /** How many rows are in each state; those that are pending are the rest of `rows`. */
  readonly counts: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly settled: number;
  /** The number of rows: those of the file and those that were planned because the file no longer names a person. */
  readonly rows: number;
  readonly money: Money;
  readonly run: Spender | undefined;
  /** Ranges of it that workers have, or are to have; undefined where the store has no workers, and once it has ended. */
  readonly ranges: RangeCounts | undefined;
  /** Whether credits are shown: the service's changes cost none. */
  readonly hasCosts: boolean;
}

/** The batches of every store that a command may look into, the newest first. */
export async function batchOverviews(
  storeFlag: string | undefined,
  tell?: Tell,
): Promise<readonly BatchOverview[]> {
  const overviews = async (ledger: LedgerReader, location: string): Promise<readonly BatchOverview[]> => {
    const spenders = await spendersOf(ledger, location);
    const batches = await ledger.batches();
    return Promise.all(batches.map((batch) => overview(ledger, batch, spenders)));
  };
  const lists = await eachLedger(storeFlag, overviews, tell);
  return lists.flat().sort((a, b) => b.batch.createdAtMs - a.batch.createdAtMs);
}

/** A part of all batches, the newest first. Only what is shown is read whole, so thousands of batches are no burden. */
export async function batchesPage(
  storeFlag: string | undefined,
  { from, most }: { readonly from: number; readonly most: number },
): Promise<{ readonly overviews: readonly BatchOverview[]; readonly total: number }> {
  const lines = await batchLines(storeFlag);
  const shown = lines.toSorted((a, b) => b.batch.createdAtMs - a.batch.createdAtMs).slice(from, from + most);
  const overviews = new Map<BatchId, BatchOverview>();
  for (const [location, found] of Map.groupBy(shown, (each) => each.location))
    await lookInto(location, async (ledger) => {
      const spenders = await spendersOf(ledger, location);
      for (const { batch: line } of found) {
        const batch = await ledger.batch(line.id);
        if (batch !== undefined) overviews.set(line.id, await overview(ledger, batch, spenders));
      }
    });
  return {
    overviews: shown.flatMap(({ batch }) => overviews.get(batch.id) ?? []),
    total: lines.length,
  };
}

export async function batchLines(
  storeFlag: string | undefined,
): Promise<readonly { readonly batch: Batch; readonly location: string }[]> {
  const lines = await eachLedgerThere(storeFlag, async (ledger, location) =>
    (await ledger.batches()).map((batch) => ({ batch, location })),
  );
  return lines.flat();
}

export function finishedIn(counts: BatchOverview['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Who has said nothing for that long has ended, or hangs. */
const SILENT_MS = 5_000;

async function spendersOf(ledger: LedgerReader, location: string): Promise<readonly Spender[]> {
  if (ledger.workers === undefined) {
    const spender = await (await storeAt(location)).spender(location);
    return spender === undefined ? [] : [spender];
  }
  const nowMs = systemClock.wallMs();
  return (await ledger.workers())
    .filter(({ beatAgoMs = SILENT_MS }) => beatAgoMs < SILENT_MS)
    .map(({ pid, sinceMs, command }) => ({ pid, since: isoTime(nowMs - sinceMs), command }));
}

/**
 * @param spenders of its store, as they were before the batch was read: a run that has ended meanwhile has left its batch
 * finished, and one that was read as open without a run would be told as stopped.
 */
async function overview(
  ledger: LedgerReader,
  batch: Batch,
  spenders: readonly Spender[],
): Promise<BatchOverview> {
  const counts = await ledger.counts(batch.id);
  const money = await ledger.batchMoney(batch.id);
  return {
    batch,
    counts,
    settled: finishedIn(counts),
    rows: rowsOf(batch),
    money,
    run: spenders.find((spender) => isAtWorkOn(batch, spender)),
    ranges: batch.state === 'open' ? await ledger.rangeCounts?.(batch.id) : undefined,
    hasCosts: hasCosts(batch, money),
  };
}

const rowsOf = ({ inputRows, rowsBeyond = 0 }: Batch): number => inputRows + rowsBeyond;

export interface BatchStatus extends BatchOverview {
  readonly requests: number;
  readonly calls: number;
  readonly open: number;
  readonly lastMinute: number;
  /** How many calls of its account were settled in a second, in the last ones; 0 when none was. */
  readonly perSecond: number;
  /** Why and until when its account sends nothing now; undefined when it does not pause. */
  readonly pause: PauseRecord | undefined;
  /** The process for whose end another one has to wait, which spends on this batch or on anything else. */
  readonly awaited: Spender | undefined;
  readonly unanswered: number;
  /** The newer batch of the same job and content, which has taken its place. */
  readonly followedBy: BatchId | undefined;
  /** A sentence for each person whose invite it deleted and has not created again; empty once it is finished, and beside a run. */
  readonly halfDone: readonly string[];
  /** Who worked on it, oldest first; empty for a ledger from before that was kept. */
  readonly acts: readonly Act[];
}

/** A run that is at work is about to do the other half, and a row that has ended says itself what became of it. */
async function halfDoneIn(ledger: LedgerReader, { batch, run }: BatchOverview): Promise<readonly string[]> {
  const isHalf = batch.plannedRows !== undefined && batch.state !== 'finished' && run === undefined;
  return isHalf ? interruptedChanges(ledger, batch) : [];
}

/** At most so many sent requests are read to compute the rate, so that the status is told fast. */
const MOST_SENDS = 100_000;

export async function batchStatus(
  ledger: LedgerReader,
  { batch: { id }, location }: FoundBatch,
): Promise<BatchStatus> {
  const spenders = await spendersOf(ledger, location);
  const batch = await ledger.batch(id);
  invariant(batch !== undefined, 'no batch is ever deleted');
  const { requests, calls } = await ledger.metrics(id);
  const nowMs = systemClock.wallMs();
  const sends = await ledger.sends(batch.accountIdentity, nowMs - 60_000, MOST_SENDS);
  const shown = await overview(ledger, batch, spenders);
  const newest = await ledger.batchByKey(batch.key);
  return {
    ...shown,
    unanswered: shown.counts.in_doubt ? await ledger.rowsUnanswered(id) : 0,
    followedBy: newest?.id === id ? undefined : newest?.id,
    halfDone: await halfDoneIn(ledger, shown),
    requests,
    calls,
    open: await ledger.openRequests(batch.id),
    lastMinute: sends.length,
    perSecond: speedOf(sends, nowMs),
    pause: await pauseNow(ledger, shown, nowMs),
    awaited: ledger.workers === undefined ? spenders[0] : undefined,
    acts: await ledger.acts(id),
  };
}

const RECENT_MS = 15_000;

function speedOf(sends: readonly Sent[], nowMs: number): number {
  const settled = sends.flatMap(({ answeredAtMs }) => answeredAtMs ?? []).sort((a, b) => a - b);
  const recent = settled.filter((atMs) => atMs > nowMs - RECENT_MS);
  const [first = nowMs] = recent;
  return (recent.length * 1000) / Math.max(nowMs - first, 1000);
}

/**
 * The pause that ends last. Any run of the account keeps one that the vendor asked for; a run that waits by itself takes its
 * wait along when it ends.
 */
async function pauseNow(
  ledger: LedgerReader,
  { batch, run }: BatchOverview,
  nowMs: number,
): Promise<PauseRecord | undefined> {
  const runSinceMs = run === undefined ? Number.POSITIVE_INFINITY : Date.parse(run.since);
  const pauses = await ledger.pauses(batch.accountIdentity, nowMs, nowMs);
  return pauses
    .filter(({ asked, fromMs }) => asked || fromMs >= runSinceMs)
    .sort((one, other) => other.untilMs - one.untilMs)[0];
}

/**
 * How long the rows that are left take, if they need as many calls each as those before them and the account goes on as in
 * the last seconds. Undefined during a pause, when no call was answered in these seconds, and when nothing is left.
 */
export function secondsLeft({
  batch,
  rows,
  settled,
  calls,
  perSecond,
  pause,
}: BatchStatus): number | undefined {
  const isUnknown = pause !== undefined || perSecond === 0 || settled === 0;
  if (batch.state !== 'open' || isUnknown || rows <= settled) return undefined;
  return Math.ceil(((rows - settled) * (calls / settled)) / perSecond);
}
