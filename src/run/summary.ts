import type { Clock } from '../core/clock.ts';
import { needingAttention } from '../core/counts.ts';
import type { StopError } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import { present } from '../core/objects.ts';
import { stopObject } from '../core/stop-object.ts';
import { EXIT, type ExitCode, exitOf } from '../core/stops.ts';
import { changesDone, changesTold } from '../files/output/changes-done.ts';
import { batchView, type OutputFiles, stepsIn } from '../files/output/output.ts';
import type { Batch, Credits, LedgerReader } from '../ledger/ledger.ts';
import type { BatchView } from '../objects/batch-view.ts';
import type { SampleObject } from '../objects/plan-object.ts';
import type { RunObject } from '../objects/run-object.ts';
import type { RunContext } from '../plan/context.ts';
import { isWrongPath } from '../values/answer-fields.ts';
import { pricesIn } from './known-account.ts';

interface RunEnding {
  readonly metrics: RunMetrics;
  /** The credits that the batch had spent when the run began. */
  readonly spentBefore: Credits;
  readonly files: OutputFiles | undefined;
  readonly sample: SampleObject | undefined;
  readonly stopped: StopError | undefined;
  /**
   * The most that the remaining rows of this run may add to its cost; undefined where its budget did not stop
   * the run.
   */
  readonly mostLeft: number | undefined;
  readonly missingPaths: RunObject['missing_paths'] | undefined;
  readonly durationMs: number;
}

/** Sums up a batch. It only reads, and says the same whether the batch is closed by then or not. */
export async function summarize(context: RunContext, batch: Batch, ending: RunEnding): Promise<RunObject> {
  const { ledger } = context;
  const { metrics, spentBefore, files, sample, stopped, mostLeft, missingPaths, durationMs } = ending;
  const { credits, ...view } = files?.view ?? (await viewOf(ledger, batch));
  const { spent, exact, in_doubt, reserved } = credits;
  const changes = files?.changes ?? (await changesDone(ledger, batch));
  const missing = changes?.persons.filter(({ beyond }) => beyond) ?? [];
  const removed = missing.filter(({ ended }) => ended === 'applied').length;
  const { count, ms } = metrics.pauses;
  return {
    ...present({ store: context.newStore }),
    batch: batch.id,
    ...view,
    credits: { spent, exact, spent_now: spent - spentBefore, in_doubt, saved: view.figures?.saved ?? null },
    requests: metrics.requests,
    pauses: { count, seconds: tenths(ms) },
    seconds: tenths(durationMs),
    output: files?.output ?? null,
    needs_attention: files?.attention ?? null,
    ...present({ results: files?.results, report: files?.report }),
    ...(missing.length === 0 ? {} : { removed, not_removed: missing.length - removed }),
    ...present({
      missing_paths: missingPaths,
      sample,
      changes: changes && changesTold(changes),
      budget_to_finish:
        mostLeft === undefined
          ? undefined
          : Math.max(spent + in_doubt + reserved + mostLeft, stopped?.leastBudget ?? 0),
    }),
    stopped: stopObject(stopped),
  };
}

const tenths = (ms: number): number => Math.round(ms / 100) / 10;

/** Without what a reading of all rows tells: a stop may leave no time for that. */
async function viewOf(ledger: LedgerReader, batch: Batch): Promise<BatchView> {
  const priceOf = await pricesIn(ledger);
  const steps = await stepsIn(ledger, batch, priceOf);
  return { ...(await batchView(ledger, batch, priceOf)), ...present({ steps }) };
}

type Ended = Pick<RunObject, 'stopped' | 'counts' | 'needs_attention' | 'missing_paths'> &
  Partial<Pick<RunObject, 'sample'>>;

/** The exit code of a run. A stop takes precedence over rows that need attention. */
export function exitCodeOf(
  { stopped, counts, needs_attention: file, missing_paths: paths = [], sample }: Ended,
  attentionIsFine: boolean,
): ExitCode {
  if (stopped !== null) return exitOf(stopped.code);
  // A row that was found by another cell may have a damaged one, and only the file tells that.
  // The file of a sample has all invalid rows, and none of them was drawn.
  const { invalid, ...drawn } = counts;
  const isOfOthers = sample !== undefined && invalid !== undefined;
  const isInNeed = isOfOthers ? needingAttention(drawn) > 0 : file !== null || needingAttention(counts) > 0;
  const needsAttention = isInNeed || paths.some(isWrongPath);
  return needsAttention && !attentionIsFine ? EXIT.attention : EXIT.done;
}

/** Counts the requests and pauses of one run by listening to its events. */
export class RunMetrics {
  requests = 0;
  pauses = { count: 0, ms: 0 };
  #pausedUntilMs = 0;

  /** Returns a listener that counts each event and passes it on. */
  countingListener(next: Listener, clock: Clock): Listener {
    return (event) => {
      if (event.kind === 'sent') this.requests += 1;
      if (event.kind === 'paused') this.#countPause(event.untilMs, clock.wallMs());
      next(event);
    };
  }

  /** Ends the count. If a stop interrupted a pause, only the part that was waited counts. */
  end(nowMs: number): void {
    this.pauses.ms -= Math.max(this.#pausedUntilMs - nowMs, 0);
    this.#pausedUntilMs = nowMs;
  }

  #countPause(untilMs: number, nowMs: number): void {
    const beginsMs = Math.max(nowMs, this.#pausedUntilMs);
    if (beginsMs === nowMs) this.pauses.count += 1;
    this.pauses.ms += Math.max(untilMs - beginsMs, 0);
    this.#pausedUntilMs = Math.max(untilMs, this.#pausedUntilMs);
  }
}
