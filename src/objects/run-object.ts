import { z } from 'zod';
import { AccountCosts, BatchView, ChangesObject, CostObject, Counts, SpentObject } from './batch-view.ts';
import { NotUndoneObject, SampleObject } from './plan-object.ts';
import { StopObject } from './stop-object.ts';

// ----------------------------------------------------------------------- how a run, a sweep or an undo ended

/** A path of `add` that no answer has. */
export const MissingPathObject = z.object({
  path: z.string(),
  answers: z.number(),
  /** The path that was probably meant. */
  nearest: z.string().nullable(),
  /** Some paths that the matches have. */
  known: z.array(z.string()),
  /** The account that fills no column, where another one has the path. */
  account: z.string().exactOptional(),
});

/**
 * The output of `run`. Rows, calls, counts and credits are the whole batch's; requests, pauses and seconds
 * are this run's.
 */
export const RunObject = z.object({
  /** The store that this run made. */
  store: z.object({ path: z.string(), made: z.literal(true) }).exactOptional(),
  batch: z.string(),
  ...BatchView.omit({ credits: true, requests: true }).shape,
  credits: z.object({
    ...SpentObject.shape,
    /** The credits that this run confirmed. */
    spent_now: z.number(),
    /** The cost that answers would have had which were shared or bought before. */
    saved: z.number().nullable(),
  }),
  requests: z.number(),
  pauses: z.object({ count: z.number(), seconds: z.number() }),
  seconds: z.number(),
  output: z.string().nullable(),
  needs_attention: z.string().nullable(),
  /** The file with the results of a search. */
  results: z.string().exactOptional(),
  report: z.string().exactOptional(),
  /** People who were removed because the list lacks them. */
  removed: z.number().exactOptional(),
  /** People whom the list lacks, and who were held back. */
  not_removed: z.number().exactOptional(),
  missing_paths: z.array(MissingPathObject).exactOptional(),
  sample: SampleObject.exactOptional(),
  /** A budget for everything that waits. */
  budget_to_finish: z.number().exactOptional(),
  /** Null where nothing stopped the work. */
  stopped: StopObject.nullable(),
});
export type RunObject = z.output<typeof RunObject>;

/** Rows and counts are those of the file's batch, over all nights; credits spent are those of this sweep. */
export const SweptFileObject = z.object({
  file: z.string(),
  job: z.string(),
  moved_to: z.string().nullable(),
  batch: z.string().nullable(),
  rows: z.number().nullable(),
  counts: Counts,
  credits: SpentObject,
  /** What each account was paid. Left out: none was. */
  accounts: AccountCosts.exactOptional(),
  /** Left out: nothing was paid, or an account has no price. */
  cost: CostObject.exactOptional(),
  output: z.string().nullable(),
  needs_attention: z.string().nullable(),
  /** The file with the results of a search. */
  results: z.string().exactOptional(),
  missing_paths: z.array(MissingPathObject).exactOptional(),
  stopped: StopObject.nullable(),
});

/** The output of `nightly`. */
export const SweepObject = z.object({
  files: z.array(SweptFileObject),
  left: z.array(
    /** `next_command` resumes a paused batch. */
    z.object({ file: z.string(), why: z.string(), next_command: z.string().exactOptional() }),
  ),
  rows: z.number(),
  counts: Counts,
  credits: SpentObject,
  cost: CostObject.exactOptional(),
  stopped: StopObject.nullable(),
});

/** How a sweep ended, or that it began. A page shows the last ones. */
export const NightEndObject = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  /** The process of one that has not ended, which may have been killed. */
  pid: z.number().exactOptional(),
  /** The files of its jobs, by their paths. */
  jobs: z.array(z.string()),
  /** Null for one that has not ended. */
  exit_code: z.number().nullable(),
  /** Null where it was stopped before it had anything to tell. */
  sweep: SweepObject.nullable(),
  stopped: StopObject.nullable(),
});
export type NightEndObject = z.output<typeof NightEndObject>;

/** The output of `undo`. */
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
export type UndoObject = z.output<typeof UndoObject>;
