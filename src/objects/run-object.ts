import { z } from 'zod';
import { stopObject } from '../core/stop-object.ts';
import { changesTold } from '../files/output/changes-done.ts';
import type { OutputFiles } from '../files/output/output.ts';
import type { RunSummary } from '../run/summary.ts';
import { ChangesObject, Counts, SpentObject } from './batch-object.ts';
import { FiguresObject } from './figures-object.ts';
import { membersOf, noun } from './noun.ts';
import { NotUndoneObject, SampleObject } from './plan-object.ts';
import { StopObject } from './stop-object.ts';

/** How a run, a sweep or an undo ended. */

const written = membersOf<{ readonly files?: Omit<OutputFiles, 'figures'> | undefined }>();
/** The files that were written. */
const ofFiles = {
  output: written(z.string().nullable(), ({ files }) => files?.output ?? null),
  needs_attention: written(z.string().nullable(), ({ files }) => files?.attention ?? null),
  /** What a search found. */
  results: written(z.string().optional(), ({ files }) => files?.results),
};

const ended = membersOf<Pick<RunSummary, 'stopped'>>();
/** Null where nothing stopped the work. */
const stopped = ended(StopObject.nullable(), (of) => stopObject(of.stopped));

const run = membersOf<RunSummary>();
const RunMoneyObject = noun({
  spent: run(z.number(), ({ money }) => money.spent),
  exact: run(z.boolean(), ({ money }) => money.isAtMost !== true),
  /** The part that this run confirmed. */
  spent_now: run(z.number(), ({ spentNow }) => spentNow),
  in_doubt: run(z.number(), ({ money }) => money.inDoubt),
  /** What answers that were shared or bought before would have cost. */
  saved: run(z.number().nullable(), ({ figures }) => figures?.saved ?? null),
});

const tenths = (ms: number): number => Math.round(ms / 100) / 10;
const pauses = z.object({ count: z.number(), seconds: z.number() });

/** Undefined for a list that names everybody. */
const missing = ({ changes }: RunSummary, isRemoved: boolean) =>
  changes === undefined || changes.missing.length === 0
    ? undefined
    : changes.missing.filter(({ ended }) => (ended === 'applied') === isRemoved).length;
const { results, ...files } = ofFiles;

/** What `run` prints. Rows, calls, counts and credits are the whole batch's; requests, pauses and seconds are this run's. */
export const RunObject = noun({
  batch: run(z.string(), ({ batch }) => batch),
  rows: run(z.number(), ({ rows }) => rows),
  calls: run(z.number(), ({ calls }) => calls),
  counts: run(Counts, ({ counts }) => counts),
  credits: run(RunMoneyObject, (of) => RunMoneyObject.of(of)),
  requests: run(z.number(), ({ requests }) => requests),
  pauses: run(pauses, ({ pauses: { count, ms } }) => ({ count, seconds: tenths(ms) })),
  seconds: run(z.number(), ({ durationMs }) => tenths(durationMs)),
  ...files,
  results,
  /** People who were removed because the list does not name them, and who were not. */
  removed: run(z.number().optional(), (of) => missing(of, true)),
  not_removed: run(z.number().optional(), (of) => missing(of, false)),
  /** What came of it so far. */
  figures: run(FiguresObject.optional(), ({ figures }) => figures && FiguresObject.parse(figures)),
  sample: run(SampleObject.optional(), ({ sample }) => sample),
  changes: run(ChangesObject.optional(), ({ changes }) => changes && changesTold(changes)),
  /** Rows for which what was bought turned out to be no answer. */
  unanswered: run(z.number().optional(), ({ unanswered }) => unanswered || undefined),
  /** A budget that is enough for all that waits. */
  budget_to_finish: run(z.number().optional(), ({ budgetToFinish }) => budgetToFinish),
  stopped,
});

/** Rows and counts are those of the file's batch, over all nights; credits spent are those of this sweep. */
export const SweptFileObject = z.object({
  file: z.string(),
  job: z.string(),
  moved_to: z.string().nullable(),
  batch: z.string().nullable(),
  rows: z.number().nullable(),
  counts: Counts,
  credits: SpentObject,
  output: z.string().nullable(),
  needs_attention: z.string().nullable(),
  /** What a search found. */
  results: z.string().exactOptional(),
  stopped: StopObject.nullable(),
});

/** What `nightly` prints. */
export const SweepObject = z.object({
  files: z.array(SweptFileObject),
  left: z.array(z.object({ file: z.string(), why: z.string() })),
  rows: z.number(),
  counts: Counts,
  credits: SpentObject,
  stopped: StopObject.nullable(),
});

/** What `undo` prints. */
export const UndoObject = z.object({
  undoes: z.string(),
  /** The undo itself; null when there was nothing to send. */
  batch: z.string().nullable(),
  /** Left out when nothing was sent now, as are the files and the changes. */
  rows: z.number().exactOptional(),
  counts: Counts,
  requests: z.number(),
  output: z.string().nullable().exactOptional(),
  needs_attention: z.string().nullable().exactOptional(),
  changes: ChangesObject.exactOptional(),
  stopped: StopObject.nullable(),
  not_undone: z.array(NotUndoneObject),
});
export type UndoObject = z.infer<typeof UndoObject>;
