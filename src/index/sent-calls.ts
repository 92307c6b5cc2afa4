import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import { credits } from '../ledger/ledger.ts';
import { amount, called, flag, signal, text, values } from '../lib/checked-options.ts';
import { UndoObject } from '../objects/run-object.ts';
import { TrialObject } from '../objects/trial-object.ts';
import type { RunOptions } from '../plan/context.ts';
import { lookIntoIfThere } from '../run/open-ledger.ts';
import { checkCall, SPENDER_CHECKS, type SpenderOptions } from '../run/run-job.ts';
import { chooseStore } from '../run/store-choice.ts';
import { knownOf, mostOfTrial, runTrial, type Trial, trialOf } from '../run/tasks/trial.ts';
import { findToUndo, undoBatch } from '../run/tasks/undo.ts';
import type { OfBatch } from './asked-batches.ts';

/** What a program sends beside runs: one call that it tries, and the changes that take a batch back. */

/** One call, and how it may be made. */
export interface TryOptions extends SpenderOptions {
  /** The name of an operation that reads, or the path of a job. */
  readonly job: string;
  /** What is asked by, by the operation's inputs. */
  readonly given: Readonly<Record<string, string>>;
  readonly account?: string | undefined;
  /** The most that the call may cost. A sandbox account needs none. */
  readonly budget?: number | undefined;
  readonly operations?: RunOptions['operations'];
  readonly dialects?: RunOptions['dialects'];
  /** Asks again, although the answer is known. */
  readonly refresh?: boolean | undefined;
  readonly onEvent?: RunOptions['onEvent'];
}

/**
 * Makes one call, kept and budgeted like any other, and tells the request, the answer and how it is read, as `rowonce try` prints
 * it. What is known is not asked again.
 * @throws StopError `consent` where it may cost more than the budget.
 * @example
 * const account = 'sandbox-provider';
 * const { answer, fields } = await tryCall({ job: 'enrich-company', given: { abn: '51824753556' }, account });
 * console.log(answer, fields);
 */
export async function tryCall(options: TryOptions): Promise<z.infer<typeof TrialObject>> {
  checkCall('tryCall', options, {
    ...SPENDER_CHECKS,
    job: text.nonoptional(),
    given: z.record(z.string(), z.string()),
    account: text,
    budget: amount,
    operations: values,
    dialects: values,
    refresh: flag,
    onEvent: called,
  });
  const { job, given, account, budget, operations, dialects, refresh, ...others } = options;
  const pairs = Object.entries(given).map(([input, value]) => `${input}=${value}`);
  const trial = await trialOf({ ...others, job, given: pairs, account, operations, dialects });
  const { known, most } = await lookedUp(trial, options.store);
  if (known.kind === 'answered' && refresh !== true) {
    const { tried } = known;
    const money = { spent: credits(0), inDoubt: credits(0) };
    return TrialObject.of({ batch: tried.batch, source: 'ledger', trial, tried, stopped: undefined, money });
  }
  const { sandbox } = trial.account;
  if (!sandbox && known.kind !== 'in_doubt' && most > (budget ?? -1))
    throw stop('consent', `This call may cost ${counted(most, 'credit')}.`, `Give a budget of ${most}.`);
  const { summary, tried } = await runTrial(trial, { ...others, refresh });
  const { batch, money, spentNow, stopped } = summary;
  const source = sandbox ? 'sandbox' : 'bought';
  return TrialObject.of({ batch, source, trial, tried, stopped, money: { ...money, spent: spentNow } });
}

async function lookedUp(trial: Trial, store: string | undefined) {
  return lookIntoIfThere(chooseStore(store, trial.account.sandbox).location, async (ledger) => {
    return { known: await knownOf(trial, ledger), most: await mostOfTrial(trial, ledger) };
  });
}

/** Which batch is taken back, and how. */
export interface UndoOptions
  extends OfBatch,
    Omit<SpenderOptions, 'store' | 'mayCreateStore'>,
    Pick<RunOptions, 'askChanges' | 'onEvent'> {
  /** The path of the output; left out: beside the list, in the store. */
  readonly output?: string | undefined;
}

/**
 * Takes back what a batch changed in the service, as `rowonce undo` does; the same again goes on where it stopped.
 * @throws StopError `usage` where the batch cannot be undone, `consent` where nobody has agreed by `askChanges`.
 * @example
 * const undone = await undo({ batch: 'last' }).catch((error: unknown) => error);
 * console.log(undone instanceof StopError && undone.message);
 */
export async function undo(options: UndoOptions): Promise<z.infer<typeof UndoObject>> {
  const { mayCreateStore: _, ...spending } = SPENDER_CHECKS;
  checkCall('undo', options, {
    ...spending,
    batch: text.nonoptional(),
    askChanges: called,
    onEvent: called,
    output: text,
    signal,
  });
  const { batch: word, store, ...others } = options;
  const { batch, location } = await findToUndo(word, store);
  return UndoObject.of({ undoes: batch.id, undone: await undoBatch({ ...others, batch, location }) });
}
