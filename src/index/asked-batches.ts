import { z } from 'zod';
import { isoTime, systemClock } from '../core/clock.ts';
import type { Listener } from '../core/events.ts';
import { changesDone } from '../files/output/changes-done.ts';
import { amount, type Checks, called, flag, oneOfWords, target, text } from '../lib/checked-options.ts';
import { BatchListObject, BatchStatusObject } from '../objects/batch-object.ts';
import { ErasureObject } from '../objects/erasure-object.ts';
import { SpendObject } from '../objects/log-object.ts';
import { DoubtListObject, RowObject } from '../objects/row-object.ts';
import { findBatch, lookInto } from '../run/open-ledger.ts';
import { checkCall } from '../run/run-job.ts';
import { storesWithLists } from '../run/store-choice.ts';
import { batchOverviews, batchStatus } from '../run/tasks/batch-status.ts';
import { eraseIn, personOf, requireSettled } from '../run/tasks/erase.ts';
import { exportBatch as exported } from '../run/tasks/export.ts';
import { rowStory } from '../run/tasks/row-story.ts';
import { closeLeftOpenIn, doubtList, type PersonsDecision, settleDoubts } from '../run/tasks/settle.ts';
import { monthOf, SPEND_BY, type SpendBy, spendOf } from '../run/tasks/spend.ts';
import { workersOf } from '../run/tasks/workers.ts';

/** What a program asks about batches and decides about them, in the objects that the commands print under `--json`. */

/** Where a store is. */
export interface InStore {
  /** The store's folder or database; left out: `$ROWONCE_STORE`, else this user's folder. */
  readonly store?: string | undefined;
}

/** Which batch is meant. */
export interface OfBatch extends InStore {
  /** Its id, the beginning of it, or `last`. */
  readonly batch: string;
}

const IN_STORE: Checks<InStore> = { store: text };
const OF_BATCH: Checks<OfBatch> = { ...IN_STORE, batch: text.nonoptional() };

/**
 * All batches, the newest first, as `rowonce status` prints them.
 * @example
 * const { batches } = await listBatches();
 * console.log(batches[0]?.batch, batches[0]?.state);
 */
export async function listBatches(options: InStore = {}): Promise<z.infer<typeof BatchListObject>> {
  checkCall('listBatches', options, IN_STORE);
  const { store } = options;
  return BatchListObject.of({ batches: await batchOverviews(store), workers: await workersOf({ store }) });
}

/**
 * How far a batch is, as `rowonce status BATCH` prints it. @throws StopError `usage` for a batch that is not there.
 * @example
 * const { state, counts } = await statusOf({ batch: 'last' });
 * console.log(state, counts);
 */
export async function statusOf(options: OfBatch): Promise<z.infer<typeof BatchStatusObject>> {
  checkCall('statusOf', options, OF_BATCH);
  const found = await findBatch(options.batch, options.store);
  return lookInto(found.location, async (ledger) => {
    const shown = await batchStatus(ledger, found);
    return BatchStatusObject.of({
      ...shown,
      changes: await changesDone(ledger, shown.batch),
    });
  });
}

/**
 * The story of a row: every attempt, its cost and its answer, as `rowonce status BATCH ROW` prints it.
 * @example
 * const { outcome, attempts } = await rowOf({ batch: 'last', row: 2 });
 * console.log(outcome?.kind, attempts.length);
 */
export async function rowOf(options: OfBatch & { readonly row: number }): Promise<z.infer<typeof RowObject>> {
  checkCall('rowOf', options, { ...OF_BATCH, row: amount.nonoptional() });
  const { batch, location } = await findBatch(options.batch, options.store);
  return lookInto(location, async (ledger) => {
    return RowObject.of(await rowStory(ledger, batch, String(options.row)));
  });
}

/**
 * What of a batch is in doubt, and what it may have cost, as `rowonce settle BATCH` prints it.
 * @example
 * const { in_doubt, at_risk } = await listDoubts({ batch: 'last' });
 * console.log(in_doubt.length, at_risk);
 */
export async function listDoubts(options: OfBatch): Promise<z.infer<typeof DoubtListObject>> {
  checkCall('listDoubts', options, OF_BATCH);
  const found = await findBatch(options.batch, options.store);
  await closeLeftOpenIn(found);
  return DoubtListObject.of({ ...(await doubtList(found)), batch: found.batch });
}

/** A decision about calls in doubt. */
export interface SettleOptions extends OfBatch {
  /** The row whose call it is about; left out: all of the batch. */
  readonly row?: number | undefined;
  /** Whether it is also about all whose answers are like that of the row. */
  readonly like?: boolean | undefined;
  /** Send again, leave out, take the answer for this, or take it for not done. */
  readonly decision: 'retry' | 'skip' | 'told' | 'not_done';
  /** With `retry`: what it may cost beyond the budget. */
  readonly extraCredits?: number | undefined;
  /** With `told`: what the vendor answered, as `key=value`. */
  readonly answer?: readonly string[] | undefined;
  /** Who decides; left out: the user of the system. */
  readonly operator?: string | undefined;
}

/**
 * Notes what a person decided about calls in doubt, which the next run carries out. @returns how many calls it is about.
 * @example
 * const { calls } = await settle({ batch: 'last', decision: 'skip' });
 * console.log(calls);
 */
export async function settle(
  options: SettleOptions,
): Promise<{ readonly batch: string; readonly calls: number }> {
  checkCall('settle', options, {
    ...OF_BATCH,
    row: amount,
    like: flag,
    decision: oneOfWords(['retry', 'skip', 'told', 'not_done']).nonoptional(),
    extraCredits: amount,
    answer: z.array(z.string()).optional(),
    operator: text,
  });
  const { batch, store, row, like = false, operator } = options;
  const found = await findBatch(batch, store);
  const choice =
    row === undefined
      ? ({ kind: 'all' } as const)
      : ({ kind: like ? 'like' : 'row', row: String(row) } as const);
  const { doubts } = await settleDoubts(found, choice, decisionOf(options), operator);
  return { batch: found.batch.id, calls: doubts.length };
}

function decisionOf({ decision, extraCredits, answer = [] }: SettleOptions): PersonsDecision {
  if (decision === 'told') return { kind: decision, answer };
  if (decision !== 'retry') return { kind: decision };
  return {
    kind: decision,
    extraCredits: extraCredits as (PersonsDecision & { kind: 'retry' })['extraCredits'],
  };
}

/** How the output of a batch is written again. */
export interface ExportOptions extends OfBatch {
  /** A path or a stream; left out: where the batch has it. */
  readonly output?: string | NodeJS.WritableStream | undefined;
  /** Writes a copy to `output`, which the batch does not take for its own. */
  readonly copy?: boolean | undefined;
  readonly onEvent?: Listener | undefined;
}

/**
 * Writes the output of a batch again from the ledger, and buys nothing. @returns where what was written.
 * @example
 * const { output } = await exportBatch({ batch: 'last', output: 'copy.csv', copy: true });
 * console.log(output);
 */
export async function exportBatch(
  options: ExportOptions,
): Promise<{ readonly output?: string; readonly attention?: string; readonly results?: string }> {
  checkCall('exportBatch', options, {
    ...OF_BATCH,
    output: target,
    copy: flag,
    onEvent: called,
  });
  const { batch, store, output, copy, onEvent = () => {} } = options;
  const files = await exported(await findBatch(batch, store), {
    output,
    copy: copy === true || undefined,
    onEvent,
  });
  const { figures: _, changes: __, ...written } = files;
  return written;
}

/** Who is forgotten. */
export interface ForgetOptions extends InStore {
  /** An e-mail address, or the address of a profile page. */
  readonly person: string;
  /** Only tells what would be erased. */
  readonly dryRun?: boolean | undefined;
  readonly operator?: string | undefined;
}

/**
 * Erases a person from the stores, as `rowonce forget` does, without asking. @returns what was erased, store by store.
 * @throws StopError `store` where a call about the person is in doubt.
 * @example
 * const [erased] = await forget({ person: 'jo@example.com', dryRun: true });
 * console.log(erased?.requests);
 */
export async function forget(options: ForgetOptions): Promise<readonly z.infer<typeof ErasureObject>[]> {
  checkCall('forget', options, { ...IN_STORE, person: text.nonoptional(), dryRun: flag, operator: text });
  const { store, dryRun = false, operator } = options;
  const person = personOf(options.person);
  const opening = { clock: systemClock, waitForLockMs: 0, command: 'forget', operator };
  const erased: z.infer<typeof ErasureObject>[] = [];
  for (const location of storesWithLists(store)) {
    const found = await eraseIn(location, { kind: 'person', person }, { ...opening, dryRun });
    erased.push(ErasureObject.of({ ...requireSettled(found), location }));
  }
  return erased;
}

/** Which month, and by what. */
export interface SpendOptions extends InStore {
  /** Such as `2026-11`, in UTC; left out: this one. */
  readonly month?: string | undefined;
  /** Left out: `account`. */
  readonly by?: SpendBy | undefined;
}

/**
 * What a month cost, as `rowonce spend` prints it.
 * @example
 * const { month, groups } = await spend({ by: 'account' });
 * console.log(month, groups.length);
 */
export async function spend(options: SpendOptions = {}): Promise<z.infer<typeof SpendObject>> {
  checkCall('spend', options, { ...IN_STORE, month: text, by: oneOfWords(SPEND_BY) });
  const { store, by = 'account' } = options;
  const month = monthOf(options.month ?? isoTime(systemClock.wallMs()).slice(0, 7));
  return SpendObject.of({ ...(await spendOf({ store, month, by })), output: undefined });
}
