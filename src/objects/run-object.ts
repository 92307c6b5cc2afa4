import { z } from 'zod';
import { ChangesObject, CostObject, Counts, ListCost, SpentObject } from './batch-object.ts';
import { NotUndoneObject, SampleObject } from './plan-object.ts';
import { StopObject } from './stop-object.ts';

/** The results of a batch, in the figures of its report. */

const AttentionObject = z.object({
  /** `invalid`, `refused` or `in_doubt`; of a row that is done and has a fault, `matched`. */
  kind: z.string(),
  /** The answers are about another company or person. Left out: they are not. */
  is_other: z.literal(true).exactOptional(),
  words: z.string(),
  rows: z.number(),
  first_rows: z.array(z.number()),
});

/** The report, the page, `--json` and the words take their figures from here, so that they never differ. */
export const FiguresObject = z.object({
  /** Rows: all, usable, asked for, and found. */
  rows: z.number(),
  usable: z.number(),
  asked: z.number(),
  found: z.number(),
  /** Rows for which nothing was asked, because the list has filled their cells. */
  filled_before: z.number(),
  /** Rows that a person has to look at, and why, the most frequent reason first. */
  attention: z.number(),
  reasons: z.array(AttentionObject),
  /** Those that need one for nothing but an answer about another company or person. Left out: none. */
  mismatched: z.number().exactOptional(),
  /** For how many rows each identifier was asked and found. */
  identifiers: z.array(z.object({ name: z.string(), asked: z.number(), found: z.number() })),
  /** In how many rows each added column has a value, of those whose step found something. */
  columns: z.array(z.object({ name: z.string(), filled: z.number(), found: z.number() })),
  /** The cost that answers would have had which were shared or bought before. */
  saved: z.number(),
  /** The vendor's own count of the spent credits, where it is known. */
  vendor_counted: z.number().exactOptional(),
  /** The spent credits in money, one amount for each currency. Null where an account has no price. */
  cost: CostObject.nullable(),
  /** The cost of the list by this start and all before it, where one of these cost something. */
  in_all: ListCost.exactOptional(),
  /**
   * How many of the found rows were bought for this list, and what each of them cost, with the misses. Null
   * where none was, nothing was spent, or rows of several steps are not finished.
   */
  each: z.object({ rows: z.number(), credits: z.number(), cost: CostObject.nullable() }).nullable(),
});
export type FiguresObject = z.infer<typeof FiguresObject>;

// ----------------------------------------------------------------------- how a run, a sweep or an undo ended

/** A path of `add` that none of the matches of its step has, as far as they were read. */
const MissingPathObject = z.object({
  path: z.string(),
  answers: z.number(),
  /** The path that was probably meant. */
  nearest: z.string().nullable(),
  /** Some paths that the matches have. */
  known: z.array(z.string()),
});

/** What a step has asked of an account, in rows. */
export const StepObject = z.object({
  operation: z.string(),
  account: z.string(),
  reached: z.number(),
  /** Rows whose answer the ledger knew. */
  known: z.number(),
  asked: z.number(),
  /** Rows, finished or not, with a match that filled a cell. One that its check refuses is missed. */
  found: z.number(),
  missed: z.number(),
  credits: z.object({ spent: z.number(), exact: z.boolean(), for_misses: z.number() }),
  /** The spent credits in money. */
  cost: CostObject.exactOptional(),
  /** What was spent for each of these matches that was bought. Null where there is none. */
  price: z.number().nullable(),
  price_in_money: CostObject.exactOptional(),
  /** The price of a match, divided by the share of calls that were such a match. Null as above. */
  price_by_rate: z.number().nullable(),
});
export type StepObject = z.output<typeof StepObject>;

/**
 * The output of `run`. Rows, calls, counts and credits are the whole batch's; requests, pauses and seconds
 * are this run's.
 */
export const RunObject = z.object({
  /** The store, where this is its first run, which made it. */
  store: z.object({ path: z.string(), made: z.literal(true) }).exactOptional(),
  batch: z.string(),
  rows: z.number(),
  calls: z.number(),
  counts: Counts,
  credits: z.object({
    ...SpentObject.shape,
    /** The credits that this run confirmed. */
    spent_now: z.number(),
    /** The cost that answers would have had which were shared or bought before. */
    saved: z.number().nullable(),
  }),
  /** What the batch has spent in money. */
  cost: CostObject.exactOptional(),
  /** What each account of each step found, where there are several. */
  steps: z.array(StepObject).exactOptional(),
  requests: z.number(),
  pauses: z.object({ count: z.number(), seconds: z.number() }),
  seconds: z.number(),
  output: z.string().nullable(),
  needs_attention: z.string().nullable(),
  /** The file with the results of a search. */
  results: z.string().exactOptional(),
  report: z.string().exactOptional(),
  /** People who were removed because the list does not name them. */
  removed: z.number().exactOptional(),
  /** People who would have been removed for that, and were not. */
  not_removed: z.number().exactOptional(),
  missing_paths: z.array(MissingPathObject).exactOptional(),
  /** The results so far. */
  figures: FiguresObject.exactOptional(),
  sample: SampleObject.exactOptional(),
  changes: ChangesObject.exactOptional(),
  /** A budget that is enough for everything that waits. */
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
  left: z.array(z.object({ file: z.string(), why: z.string() })),
  rows: z.number(),
  counts: Counts,
  credits: SpentObject,
  stopped: StopObject.nullable(),
});

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
