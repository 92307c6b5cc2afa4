import { StopError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import type { InputRow } from '../../core/row.ts';
import type { MappedInput } from '../../files/input.ts';
import {
  beginWriting,
  type Destination,
  NotYet,
  type OutputFiles,
  type RowsFinishing,
} from '../../files/output/output.ts';
import type { RowRecord } from '../../ledger/ledger.ts';
import { Finishing } from './finishing.ts';
import { KnownRows, type KnownRowsOptions } from './known-rows.ts';
import { writeRows } from './output.ts';
import { type SubmittedTasks, taskMaker, tasksOf } from './tasks.ts';

/**
 * A list whose rows were all bought before is written while its rows are finished. So its file is split once, and each answer is read
 * and checked once. What is written is what the ledger would give, and it is put in its place once the ledger has it.
 *
 * Where a row turns out not to be known, what was written is thrown away, and the pipeline goes on with what is left: it
 * writes the output from the ledger, as every other run does.
 */

export interface KnownListOptions extends Omit<KnownRowsOptions, 'finishing'>, SubmittedTasks {
  readonly input: MappedInput;
  /** Undefined where nothing is written. */
  readonly destination: Destination | undefined;
  /** Fires when no further row is begun. */
  readonly signal: AbortSignal;
}

/** A shorter list is soon written from the ledger, and is not to wait for a look at its first rows. */
const LEAST_ROWS = 2_000;

/** @returns what was written; undefined when rows may be left. Those that were finished are in the ledger, and in `finished`. */
export async function writeKnownList(options: KnownListOptions): Promise<OutputFiles | undefined> {
  const { context, batch, input, destination, sample, finished } = options;
  const isWhole = context.limit === undefined && sample === undefined;
  // Whoever reads a stream has got what was written to it.
  if (!isWhole || input.survey.rows < LEAST_ROWS || destination?.kind !== 'file') return undefined;
  const heed = (event: RunEvent): void => {
    if (event.kind === 'row') finished.add(event.row);
    context.emit(event);
  };
  const finishing = new Finishing({ ...context, emit: heed }, batch, () => {});
  const known = new KnownRows({ ...options, finishing });
  if (!known.isPossible) return undefined;
  const isLikely = await knowsFirst(known, options);
  await finishing.write();
  if (!isLikely) return undefined;
  const notes: RunEvent[] = [];
  const emit = (event: RunEvent): void =>
    void (event.kind === 'note' ? notes.push(event) : context.emit(event));
  try {
    const rows = finishingOf(known, finishing, options);
    const files = await writeRows({ ...context, emit }, input, batch, destination, rows);
    for (const note of notes) context.emit(note);
    return files;
  } catch (error) {
    await finishing.write();
    // Whatever else has stopped it stops the ordinary way as well, which says it.
    if (error instanceof NotYet || error instanceof StopError) return undefined;
    throw error;
  }
}

/** Whether the first rows are known. They are finished then, so that an output without named columns knows what answers have. */
async function knowsFirst(known: KnownRows, options: KnownListOptions): Promise<boolean> {
  for await (const tasks of tasksOf(options)) return (await known.take(tasks)).length === 0;
  return false;
}

function finishingOf(
  known: KnownRows,
  finishing: Finishing,
  { context, input, signal }: KnownListOptions,
): RowsFinishing {
  const taskOf = taskMaker({ context, input });
  return {
    async records(rows: readonly InputRow[], kept: readonly (RowRecord | undefined)[]) {
      if (signal.aborted) throw new NotYet();
      const isFinished = (record: RowRecord | undefined): boolean =>
        record !== undefined && record.outcome.kind !== 'in_doubt';
      if (kept.every(isFinished)) return kept;
      const tasks = rows.filter((_row, at) => !isFinished(kept[at])).map(taskOf);
      const records = await known.records(tasks);
      if (records === undefined) throw new NotYet();
      let next = 0;
      return kept.map((record) => (isFinished(record) ? record : records[next++]));
    },
    async kept() {
      await finishing.write();
      beginWriting(context.emit);
    },
  };
}
