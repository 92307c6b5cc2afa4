import type { Clock } from '../core/clock.ts';
import { EXIT, type ExitCode, type StopError } from '../core/errors.ts';
import type { Listener, RunEvent } from '../core/events.ts';
import { ATTENTION_KINDS, type OutcomeKind } from '../core/row.ts';
import type { BatchFigures } from '../files/output/batch-figures.ts';
import { type ChangesDone, changesDone } from '../files/output/changes-done.ts';
import type { OutputFiles } from '../files/output/output.ts';
import {
  type Batch,
  type BatchId,
  type Credits,
  credits,
  heldCredits,
  type Money,
} from '../ledger/ledger.ts';
import type { SampleObject } from '../objects/plan-object.ts';
import type { RunContext } from '../plan/context.ts';

/** How a run ended. Rows, calls, counts and credits are the whole batch's; requests, pauses and seconds are this run's. */
export interface RunSummary {
  readonly batch: BatchId;
  readonly rows: number;
  readonly calls: number;
  readonly counts: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly money: Money;
  /** The part of the batch's spent credits that this run confirmed. */
  readonly spentNow: Credits;
  readonly requests: number;
  readonly pauses: { readonly count: number; readonly ms: number };
  readonly durationMs: number;
  readonly files: Omit<OutputFiles, 'figures' | 'changes'>;
  /** Undefined when no output was written, because rows are counted while writing. */
  readonly figures: BatchFigures | undefined;
  /** Undefined for a run without a sample. */
  readonly sample: SampleObject | undefined;
  /** What was changed so far; undefined for an operation that changes nothing. */
  readonly changes: ChangesDone | undefined;
  /** The number of rows in doubt that wait until a person agrees to buy again what turned out to be no answer. */
  readonly unanswered: number;
  readonly stopped: StopError | undefined;
  /**
   * The budget with which all that waits of the rows of this run could be bought at its highest price, calls that are sent again
   * included; undefined where the batch's own budget did not stop the run.
   */
  readonly budgetToFinish: number | undefined;
}

interface RunEnding extends Pick<RunSummary, 'sample' | 'stopped' | 'durationMs'> {
  readonly metrics: RunMetrics;
  /** The credits that the batch had spent when the run began. */
  readonly spentBefore: Credits;
  readonly files: OutputFiles | undefined;
  /** What the rows of this run may still add to its cost; undefined where its budget did not stop it. */
  readonly mostLeft: number | undefined;
}

/** Reads what came of a batch. A summary only reads, and is the same whether the batch is closed by then or not. */
export async function summarize(context: RunContext, batch: Batch, ending: RunEnding): Promise<RunSummary> {
  const { ledger } = context;
  const { metrics, spentBefore, files, mostLeft, ...ended } = ending;
  const counts = await ledger.counts(batch.id);
  const { figures, changes, ...written } = files ?? {};
  const money = await ledger.batchMoney(batch.id);
  return {
    batch: batch.id,
    rows: batch.inputRows,
    calls: (await ledger.metrics(batch.id)).calls,
    counts,
    money,
    spentNow: credits(money.spent - spentBefore),
    requests: metrics.requests,
    pauses: metrics.pauses,
    ...ended,
    files: written,
    figures,
    changes: changes ?? (await changesDone(ledger, batch)),
    unanswered: (counts.in_doubt ?? 0) > 0 ? await ledger.rowsUnanswered(batch.id) : 0,
    budgetToFinish:
      mostLeft === undefined
        ? undefined
        : Math.max(heldCredits(money) + mostLeft, ended.stopped?.leastBudget ?? 0),
  };
}

/** The exit code of a run. A stop takes precedence over rows that need attention. */
export function exitCodeOf({ stopped, counts }: RunSummary, attentionIsFine: boolean): ExitCode {
  if (stopped !== undefined) return stopped.exitCode;
  const attention = [...ATTENTION_KINDS].some((kind) => kind !== 'pending' && (counts[kind] ?? 0) > 0);
  return attention && !attentionIsFine ? EXIT.attention : EXIT.done;
}

/** Counts the requests and pauses of one run by listening to its events. */
export class RunMetrics {
  requests = 0;
  pauses = { count: 0, ms: 0 };
  #pausedUntilMs = 0;

  /** Returns a listener that counts each event and passes it on. */
  hear(next: Listener, clock: Clock): Listener {
    return (event) => {
      this.#count(event, clock);
      next(event);
    };
  }

  /** Ends the count. If a stop interrupted a pause, only its waited part counts. */
  end(nowMs: number): void {
    this.pauses.ms -= Math.max(this.#pausedUntilMs - nowMs, 0);
    this.#pausedUntilMs = nowMs;
  }

  #count(event: RunEvent, clock: Clock): void {
    if (event.kind === 'sent') this.requests += 1;
    if (event.kind !== 'paused') return;
    const nowMs = clock.wallMs();
    const beginsMs = Math.max(nowMs, this.#pausedUntilMs);
    if (beginsMs === nowMs) this.pauses.count += 1;
    this.pauses.ms += Math.max(event.untilMs - beginsMs, 0);
    this.#pausedUntilMs = Math.max(event.untilMs, this.#pausedUntilMs);
  }
}
