import { isAbsolute } from 'node:path';
import { isoTime, systemClock } from '../core/clock.ts';
import { allRows, needingAttention, rowsIn, rowsUnasked } from '../core/counts.ts';
import { invariant } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { LEARNED_RATE, LIMIT_USED_UP } from '../core/rate.ts';
import { NO_HEADER, readHeaderRows, rowsAsked } from '../core/row.ts';
import { inputFileOf } from '../files/called.ts';
import { changesDone, changesTold, interruptedChanges } from '../files/output/changes-done.ts';
import { type BatchCounts, batchCounts, batchView, listCost } from '../files/output/output.ts';
import { triedBy } from '../job/job-origin.ts';
import { flagFor } from '../job/job-schema.ts';
import { readSettings, saidBeside, settingsKept } from '../job/job-settings.ts';
import {
  type Batch,
  isKnownHere,
  type LedgerReader,
  lastFirst,
  listOf,
  orderOf,
  type PauseRecord,
  undoneBy,
} from '../ledger/ledger.ts';
import type { Spender } from '../ledger/store.ts';
import { storeAt } from '../ledger/stores.ts';
import { flagWords, nearPath, nextCommand } from '../lib/command-line.ts';
import type { Tell } from '../lib/postgres-server.ts';
import type { BatchObject, BatchStatusObject, WorkerObject } from '../objects/batch-object.ts';
import type { ChangesObject, ListCost } from '../objects/batch-view.ts';
import { pricesIn } from './known-account.ts';
import { eachLedger, eachLedgerThere, type FoundBatch, isAtWorkOn, lookInto } from './open-ledger.ts';
import { msLeftBy } from './time-left.ts';

/** This file says what batches are and how far they got. It only reads. */

/** The batches of every store that a command may look into, the newest first. */
export async function batchObjects(storeFlag: string | undefined, tell?: Tell): Promise<BatchObject[]> {
  const all = async (ledger: LedgerReader, location: string) => {
    const spenders = await spendersOf(ledger, location);
    const batches = await ledger.batches();
    const shown = async (batch: Batch) =>
      batchObject(ledger, { batch, location }, spenders, await batchCounts(ledger, batch));
    return Promise.all(batches.map(shown));
  };
  const lists = await eachLedger(storeFlag, all, tell);
  return lists.flat().sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

interface BatchRange {
  readonly from: number;
  readonly most: number;
  /** Whether batches over this input are wanted; left out: all are. */
  isOf?(input: string, batch: Batch): boolean;
  /** One batch of each list: the one that is named for its path, else the one that was started last. */
  readonly newest?: ReadonlyMap<string, string> | undefined;
}

/** A batch, and what all batches over its list have spent in the same store, of the same kind of money. */
export type PagedBatch = BatchObject & {
  readonly in_all: ListCost;
  /** Of a batch that changes people and projects; of an undo those of what it takes back. */
  readonly changes?: ChangesObject;
  /** `try` has made its file, with a hash as its name. */
  readonly is_trial: boolean;
};

/**
 * A page of batches, the newest first. Only the batches of the page are read whole, so a store with thousands
 * of batches costs no more.
 */
export async function batchesPage(
  storeFlag: string | undefined,
  { from, most, isOf = () => true, newest }: BatchRange,
): Promise<{ readonly batches: readonly PagedBatch[]; readonly total: number }> {
  const every = await batchLines(storeFlag);
  const byId = new Map<string, Batch>(every.map(({ batch }) => [batch.id, batch]));
  const inputOf = (batch: Batch): string => listOf(batch, byId);
  const all = every.filter(({ batch }) => isOf(inputOf(batch), batch));
  all.sort((a, b) => lastFirst(a.batch, b.batch));
  const byInput = Map.groupBy(all, ({ batch }) => inputOf(batch));
  const shownOf = ([input, inputLines]: readonly [string, readonly BatchLine[]]): BatchLine | undefined => {
    const named = inputLines.find(({ batch }) => batch.id === newest?.get(input));
    return (named && takingBack(named, inputLines)) ?? inputLines[0];
  };
  const lines = newest === undefined ? all : [...byInput].flatMap((each) => shownOf(each) ?? []);
  const shown = lines.slice(from, from + most);
  const read = new Map<string, PagedBatch>();
  for (const [location, found] of Map.groupBy(shown, (each) => each.location))
    await lookInto(location, async (ledger) => {
      const spenders = await spendersOf(ledger, location);
      const priceOf = await pricesIn(ledger);
      // A list may have many starts on one page: what all have spent is added up once.
      const spent = new Map<string, ListCost>();
      for (const { batch: line } of found) {
        const batch = await ledger.batch(line.id);
        if (batch === undefined) continue;
        const input = inputOf(line);
        const money = `${line.sandbox} ${input}`;
        const isWith = (each: BatchLine) => each.location === location && each.batch.sandbox === line.sandbox;
        const starts = (byInput.get(input) ?? []).filter(isWith).map((each) => each.batch);
        const in_all = spent.get(money) ?? (await listCost(ledger, starts, priceOf));
        spent.set(money, in_all);
        const counted = await batchCounts(ledger, batch);
        const shownBatch = await batchObject(ledger, { batch, location }, spenders, counted);
        const is_trial = triedBy(batch.settings) !== undefined;
        const changes = await changesKnown(ledger, undoneFirst(batch, byId));
        read.set(line.id, { ...shownBatch, input, in_all, is_trial, ...present({ changes }) });
      }
    });
  return { batches: shown.flatMap(({ batch }) => read.get(batch.id) ?? []), total: lines.length };
}

/** What an undo takes back, or the batch itself. */
function undoneFirst(batch: Batch, byId: ReadonlyMap<string, Batch>): Batch {
  const undone = byId.get(undoneBy(batch.settings) ?? '');
  return undone === undefined ? batch : undoneFirst(undone, byId);
}

/** The changes of each batch at which somebody looked, until another row of it or of its undo has ended. */
const changesRead = new Map<string, { readonly mark: string; readonly changes: ChangesObject | undefined }>();

/** A page asks every second, and each change of a plan is read for it. */
async function changesKnown(ledger: LedgerReader, batch: Batch): Promise<ChangesObject | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const counts = await ledger.counts(batch.id);
  const undos = (await ledger.batches()).filter(({ settings }) => undoneBy(settings) !== undefined);
  const undone = await Promise.all(undos.map(async ({ id, state }) => [state, await ledger.counts(id)]));
  // An answer may have done half of a change that has not ended.
  const { calls } = await ledger.metrics(batch.id);
  const mark = JSON.stringify([batch.plannedRows, calls, counts, undone]);
  const known = changesRead.get(batch.id);
  if (known?.mark === mark) return known.changes;
  const done = await changesDone(ledger, batch);
  const changes = done && changesTold(done);
  changesRead.set(batch.id, { mark, changes });
  return changes;
}

interface BatchLine {
  readonly batch: Batch;
  readonly location: string;
}

/** What has taken it back, if anything has, and has not been taken back itself. */
function takingBack(line: BatchLine, all: readonly BatchLine[]): BatchLine {
  const undo = all.find(({ batch }) => undoneBy(batch.settings) === line.batch.id);
  return undo === undefined ? line : takingBack(undo, all);
}

/** Those of the batches on which a process is at work now. */
export async function atWorkAmong(lines: readonly BatchLine[]): Promise<readonly Batch[]> {
  const open = lines.filter(({ batch }) => batch.state === 'open');
  const found: Batch[] = [];
  for (const [location, storeLines] of Map.groupBy(open, (each) => each.location))
    await lookInto(location, async (ledger) => {
      const spenders = await spendersOf(ledger, location);
      for (const { batch } of storeLines) if (await isAtWork(ledger, batch, spenders)) found.push(batch);
    });
  return found;
}

export async function batchLines(storeFlag: string | undefined): Promise<readonly BatchLine[]> {
  const lines = await eachLedgerThere(storeFlag, async (ledger, location) =>
    (await ledger.batches()).map((batch) => ({ batch, location })),
  );
  return lines.flat();
}

/** A run counts as dead after this time without a heartbeat. */
const SILENT_MS = 5_000;

async function spendersOf(ledger: LedgerReader, location: string): Promise<readonly Spender[]> {
  if (ledger.workers === undefined) {
    const spender = await (await storeAt(location)).spender(location);
    return spender === undefined ? [] : [spender];
  }
  const nowMs = systemClock.wallMs();
  return (await ledger.workers())
    .filter(({ beatAgoMs = SILENT_MS }) => beatAgoMs < SILENT_MS)
    .map(({ id, pid, sinceMs, command }) => ({ worker: id, pid, since: isoTime(nowMs - sinceMs), command }));
}

/** Whether a process works on it now. */
async function isAtWork(ledger: LedgerReader, batch: Batch, spenders: readonly Spender[]): Promise<boolean> {
  if (batch.state !== 'open') return false;
  if (spenders.some((spender) => isAtWorkOn(batch, spender))) return true;
  return ((await ledger.rangeCounts?.(batch.id))?.running ?? 0) > 0;
}

/**
 * @param spenders the processes at work in its store, read before the batch: a run that ends in between has
 *   left its batch finished. Read after it, they could make an open batch whose run has just ended look
 *   stopped.
 */
async function batchObject<View extends BatchCounts>(
  ledger: LedgerReader,
  found: FoundBatch,
  spenders: readonly Spender[],
  view: View,
): Promise<BatchObject & View> {
  const { batch } = found;
  const { state, pausedSinceMs } = batch;
  const run = spenders.find((spender) => isAtWorkOn(batch, spender));
  const isEnded = state === 'cancelled' || state === 'superseded';
  const isRunning = await isAtWork(ledger, batch, spenders);
  const chosen = await chosenOf(ledger, batch);
  const acts = isRunning || pausedSinceMs !== undefined ? await ledger.acts(batch.id) : [];
  const by = acts.findLast(({ kind }) => isRunning || kind === 'paused');
  return {
    ...view,
    batch: batch.id,
    operation: batch.operation,
    input: batch.inputPath,
    sandbox: batch.sandbox,
    state,
    account: batch.accountName,
    undoes: undoneBy(batch.settings) ?? null,
    created_at: isoTime(batch.createdAtMs),
    goal: chosen ?? {
      rows: allRows(view),
      settled: rowsIn(view.counts),
      unasked: rowsUnasked(view.counts),
    },
    output: batch.outputPath ?? null,
    next: isEnded ? null : (nextCommandOf(found) ?? null),
    running: isRunning,
    ...present({
      held_since: pausedSinceMs === undefined ? undefined : isoTime(pausedSinceMs),
      running_since: run?.since,
      by: by && { operator: by.operator, host: by.host },
    }),
  };
}

/**
 * The rows that the newest run is for, where a person has chosen these, and how many of them have ended.
 * Undefined once it has done them, and where it is for all.
 */
export async function chosenOf(ledger: LedgerReader, { id, state, settings }: Batch) {
  const { partial = {} } = settingsKept(settings);
  // No one has noted which rows a try has drawn.
  if (state !== 'open' || partial.sample !== undefined) return undefined;
  const { header_row, asBefore } = readSettings(settings);
  const header = readHeaderRows(header_row ?? asBefore?.header_row ?? '1') ?? NO_HEADER;
  const chosen = rowsAsked({ header }, partial);
  return chosen && ledger.rowsIn(id, chosen.ranges);
}

// ------------------------------------------------------------------------------------------------ one batch

/**
 * At most this many sends of the last minute are read, so that looking takes no longer for a fast account.
 */
const MOST_SENDS = 100_000;

export async function batchStatus(
  ledger: LedgerReader,
  { batch: { id }, location }: FoundBatch,
): Promise<BatchStatusObject> {
  const spenders = await spendersOf(ledger, location);
  const batch = await ledger.batch(id);
  invariant(batch !== undefined, 'no batch is ever deleted');
  const view = await batchView(ledger, batch, await pricesIn(ledger));
  const nowMs = systemClock.wallMs();
  const sends = await ledger.sends(batch.accountIdentity, nowMs - 60_000, MOST_SENDS);
  const shown = await batchObject(ledger, { batch, location }, spenders, view);
  const pause = await pauseNow(ledger, batch, shown, nowMs);
  const { columns, partial } = settingsKept(batch.settings);
  const asked = rowsIn(shown.counts) - rowsUnasked(shown.counts);
  const remainingRows = shown.goal.rows - shown.goal.settled;
  // This assumes that each row that is left needs as many calls as the rows before it did.
  const msLeft = asked === 0 ? undefined : msLeftBy(sends, remainingRows * (view.calls / asked), nowMs);
  const isWhole = batch.state === 'open' && partial?.sample === undefined;
  const isKnown = isWhole && pause === undefined && remainingRows > 0;
  const other = ledger.workers === undefined && shown.running_since === undefined ? spenders[0] : undefined;
  return {
    ...shown,
    // For a sample only rows that can be asked are drawn.
    settled: partial?.sample === undefined ? rowsIn(shown.counts) : asked,
    columns,
    open: await ledger.openRequests(id),
    requests_last_minute: sends.length,
    seconds_left: isKnown && msLeft !== undefined ? Math.ceil(msLeft / 1000) : null,
    paused_until: pause ? isoTime(pause.untilMs) : null,
    spender: other === undefined ? null : { pid: other.pid, command: other.command },
    ...(pause && { paused_why: pause.why, paused_asked: pause.asked, may_try_now: mayTryNow(pause) }),
    ...(await besideOf(ledger, batch, shown, spenders)),
  };
}

/** The properties that only some batches have. */
async function besideOf(
  ledger: LedgerReader,
  batch: Batch,
  { running_since: since }: BatchObject,
  spenders: readonly Spender[],
): Promise<Partial<BatchStatusObject>> {
  const isChange = batch.plannedRows !== undefined;
  // A run at work is about to make the other half. A row that has ended says itself what became of it.
  const isHalf = isChange && batch.state !== 'finished' && since === undefined;
  const halfDone = isHalf ? await interruptedChanges(ledger, batch) : [];
  const ranges = batch.state === 'open' ? await ledger.rangeCounts?.(batch.id) : undefined;
  const changes = isChange ? await changesDone(ledger, batch) : undefined;
  const beside = (await ledger.beside(batch.id)).reduce((sum, { atRisk }) => sum + atRisk, 0);
  const { budget_to_finish, partial } = settingsKept(batch.settings);
  const isPartDone = batch.state === 'open' && partial !== undefined && Object.keys(partial).length === 0;
  return {
    ...present({ budget_to_finish, undone_by: isChange ? await undoOf(ledger, batch, spenders) : undefined }),
    ...(isPartDone && { part_done: true }),
    ...(batch.state === 'open' && present({ trying: partial?.sample })),
    ...(halfDone.length > 0 && { half_done: [...halfDone] }),
    ...(beside > 0 && { beside }),
    ...(ranges && {
      ranges: { waiting: ranges.waiting, running: ranges.running, set_aside: ranges.setAside },
    }),
    ...(changes && { changes: changesTold(changes) }),
  };
}

/** The newest undo of a batch that still holds: no one has ended it or taken it back. */
async function undoOf(
  ledger: LedgerReader,
  { id }: Batch,
  spenders: readonly Spender[],
): Promise<BatchStatusObject['undone_by']> {
  for (const undo of await ledger.batches()) {
    const isEnded = undo.state === 'cancelled' || undo.state === 'superseded';
    if (isEnded || undoneBy(undo.settings) !== id || (await undoOf(ledger, undo, spenders))?.finished)
      continue;
    const counts = await ledger.counts(undo.id);
    const isOpen = undo.state === 'open';
    return {
      batch: undo.id,
      created_at: isoTime(undo.createdAtMs),
      finished: !isOpen && needingAttention(counts) === 0,
      running: await isAtWork(ledger, undo, spenders),
      ...(isOpen && { left: undo.inputRows - rowsIn(counts) }),
    };
  }
  return undefined;
}

/**
 * The pause that ends last. A pause that the vendor asked for holds for every run of the account. The wait of
 * one run by itself ends with that run.
 */
async function pauseNow(
  ledger: LedgerReader,
  { accountIdentity }: Batch,
  { running_since: since }: BatchObject,
  nowMs: number,
): Promise<PauseRecord | undefined> {
  const runSinceMs = since === undefined ? Number.POSITIVE_INFINITY : Date.parse(since);
  const { pause } = await ledger.account(accountIdentity);
  const isNow = pause !== undefined && pause.untilMs >= nowMs && (pause.asked || pause.fromMs >= runSinceMs);
  return isNow ? pause : undefined;
}

/**
 * Whether a start sends one request at once, whatever time is noted: no one has named one, neither the vendor
 * nor the limits of the account.
 */
const mayTryNow = ({ asked, why }: PauseRecord): boolean =>
  !asked && why !== LIMIT_USED_UP && why !== LEARNED_RATE;

// ------------------------------------------------------------------------------------------------ workers

/**
 * The processes that spend from a store in PostgreSQL now.
 * @returns none for a store from which one process spends at a time.
 */
export async function workersAt(storeFlag: string | undefined): Promise<WorkerObject[]> {
  return (await eachLedgerThere(storeFlag, workersIn)).flat();
}

async function workersIn(ledger: LedgerReader): Promise<WorkerObject[]> {
  const workers = (await ledger.workers?.()) ?? [];
  if (workers.length === 0) return [];
  const lines = (await ledger.batches()).toReversed();
  const names = new Map(lines.flatMap(({ accounts }) => accounts).map((each) => [each.identity, each.name]));
  return workers.map(({ host, pid, command, sinceMs, beatAgoMs, accounts }) => ({
    host,
    pid,
    command,
    since_seconds: Math.round(sinceMs / 1000),
    ...(beatAgoMs !== undefined && { beat_seconds: Math.round(beatAgoMs) / 1000 }),
    accounts: accounts.map(({ account, inFlight }) => ({
      account: names.get(account) ?? account,
      in_flight: inFlight,
    })),
  }));
}

// ---------------------------------------------------------------------------------- the command that goes on

/**
 * The command that goes on with a batch. It is composed of the names that the batch records. No text of a
 * store is used as a command.
 */

/**
 * The command, with a larger budget where the batch has reached its own.
 * @param budget left out: the one that the last stop named.
 * @returns undefined where no command is known.
 */
export function nextCommandOf(
  found: FoundBatch,
  budget = settingsKept(found.batch.settings).budget_to_finish,
): string | undefined {
  const words = nextWordsOf(found);
  return words && nextCommand(words, budget);
}

export interface GoingOn {
  /** A list of a sweep goes on alone, and not with the next sweep. */
  readonly byHand?: boolean;
  /** A part that is done goes on alone, for what was decided about its doubts. */
  readonly isPart?: boolean | undefined;
}

/**
 * The words behind the program's name, without a store.
 * @returns undefined where one of the names cannot be typed, and where this host has not noted that the batch
 * was ordered so: words of a store alone are never typed.
 */
export function nextWordsOf(
  { batch }: Pick<FoundBatch, 'batch'>,
  { byHand = false, isPart = false }: GoingOn = {},
): readonly string[] | undefined {
  const { settings, accountName } = batch;
  if (!isOrderedHere(batch)) return undefined;
  const undone = undoneBy(settings);
  const tried = triedBy(settings);
  const given = Object.entries(tried?.given ?? {}).map((pair) => pair.join('='));
  const job = jobOf(tried?.job ?? settings.job, batch.operation);
  const file = isAbsolute(batch.inputPath) ? nearPath(inputFileOf(batch)) : '';
  let words = ['run', job, file, ...flagsOf(batch, isPart)];
  if (settingsKept(settings).swept === true && !byHand) words = ['nightly', job];
  if (undone !== undefined) words = ['undo', undone];
  if (tried !== undefined) words = ['try', job, ...given, '--account', accountName];
  return words.every((word) => word !== '' && !/\p{Cc}/u.test(word)) ? words : undefined;
}

/** Whether this host has noted that it ran this order over this list for the batch. */
export const isOrderedHere = (batch: Batch): boolean =>
  isKnownHere(batch.id, 'order', orderOf(batch)) && isKnownHere(batch.id, 'list', batch.inputPath);

/** Blank where the job is neither a file nor the name of an operation. */
function jobOf(job: unknown, operation: string): string {
  if (typeof job === 'string' && isAbsolute(job)) return /\.ya?ml$/i.test(job) ? nearPath(job) : '';
  return /^[a-z][\w.,@-]*$/i.test(operation) ? operation : '';
}

function flagsOf(batch: Batch, isPart: boolean): readonly string[] {
  const { partial, part_done: done, output_path: output } = settingsKept(batch.settings);
  const { read, ...entries } = saidBeside(batch.settings);
  const isHere = output !== undefined && isKnownHere(batch.id, 'output', output);
  const named = isHere ? ['-o', nearPath(output)] : [];
  return Object.entries(present({ ...read, ...entries, ...partial, ...(isPart ? done : {}) }))
    .flatMap(([name, value]) => flagWords(flagFor(name), value))
    .concat(named);
}
