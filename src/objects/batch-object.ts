import { z } from 'zod';
import { PLANNED_ACTIONS } from '../core/operation.ts';
import { BatchView } from './batch-view.ts';
import { FindingObject } from './finding-object.ts';

/** Rows, how many of them have ended, and how many of these could not or should not be asked. */
const GoalObject = z.object({ rows: z.number(), settled: z.number(), unasked: z.number() });
export type GoalObject = z.output<typeof GoalObject>;

/** The facts about a batch wherever one is named. */
export const BatchNamed = z.object({
  batch: z.string(),
  operation: z.string(),
  input: z.string(),
  /** Invented data for play money. */
  sandbox: z.boolean(),
});
export type BatchNamed = z.output<typeof BatchNamed>;

/** A batch, as `status` lists it. */
export const BatchObject = BatchNamed.extend({
  // Each state is explained at `BatchState` of the ledger.
  state: z.enum(['open', 'finished', 'superseded', 'cancelled']),
  account: z.string(),
  /** The batch that this one takes back. */
  undoes: z.string().nullable(),
  ...BatchView.pick({ rows: true, rows_beyond: true, counts: true, credits: true, has_costs: true }).shape,
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** The rows of the newest run: all, or those that a person has chosen. */
  goal: GoalObject,
  /** The path of the output. */
  output: z.string().nullable(),
  /** The command that continues the batch. Null: it has ended. */
  next: z.string().nullable(),
  /** When a person paused the batch. */
  held_since: z.string().exactOptional(),
  /** The person who has paused it or runs it. */
  by: z.object({ operator: z.string(), host: z.string() }).exactOptional(),
  /** Whether a process works on it now. */
  running: z.boolean(),
  /** When that process began. */
  running_since: z.string().exactOptional(),
});
export type BatchObject = z.output<typeof BatchObject>;

/** A process that spends from a store which several share. */
export const WorkerObject = z.object({
  host: z.string(),
  pid: z.number(),
  command: z.string(),
  /** How many seconds ago the process began, and last reported. */
  since_seconds: z.number(),
  beat_seconds: z.number().exactOptional(),
  accounts: z.array(z.object({ account: z.string(), in_flight: z.number() })),
});
export type WorkerObject = z.output<typeof WorkerObject>;

/** The output of `status`: all batches, the newest first. */
export const BatchListObject = z.object({
  batches: z.array(BatchObject),
  /** Present for a store from which several processes spend. */
  workers: z.array(WorkerObject).exactOptional(),
});

const RangesObject = z.object({
  waiting: z.number(),
  running: z.number(),
  /** Ranges that killed five workers; a run does them. */
  set_aside: z.number(),
});

/** The output of `status BATCH`. */
export const BatchStatusObject = BatchObject.extend({
  ...BatchView.pick({ accounts: true, cost: true, requests: true, calls: true, changes: true }).shape,
  settled: z.number(),
  /** A budget for everything that waits, where its own is reached. */
  budget_to_finish: z.number().exactOptional(),
  /** Whether the newest run has done its part of the rows. */
  part_done: z.boolean().exactOptional(),
  /** Rows that the newest run tries first. */
  trying: z.number().exactOptional(),
  /** Input ← column. */
  columns: z.record(z.string(), z.string()),
  /** Requests without an answer yet. */
  open: z.number(),
  /** Requests of its account in the last minute. */
  requests_last_minute: z.number(),
  /** At the rate of the last minute. Null: not known. */
  seconds_left: z.number().nullable(),
  /** Until when the account sends nothing, and why. */
  paused_until: z.string().nullable(),
  paused_why: z.string().exactOptional(),
  /** Whether the vendor asked for the pause. */
  paused_asked: z.boolean().exactOptional(),
  /** Whether a start would send at once: the vendor named no time. */
  may_try_now: z.boolean().exactOptional(),
  /** Another process that spends from the store. */
  spender: z.object({ pid: z.number(), command: z.string() }).nullable(),
  /** A sentence for each person with a deleted invite that was not created again. */
  half_done: z.array(z.string()).exactOptional(),
  /** Credits in doubt beside answers; see `settle`. */
  beside: z.number().exactOptional(),
  /** Ranges of its rows, for workers. */
  ranges: RangesObject.exactOptional(),
  /** The undo that takes it back. */
  undone_by: z
    .object({
      batch: z.string(),
      created_at: z.string(),
      finished: z.boolean(),
      running: z.boolean(),
      left: z.number().exactOptional(),
    })
    .exactOptional(),
});
export type BatchStatusObject = z.output<typeof BatchStatusObject>;

// --------------------------------------------------------------------- rows of a batch, with what was bought

/** A column, and where its cells are from: the list, an answer, or what the ledger knows of the row. */
const TableColumnObject = z.object({
  name: z.string(),
  from: z.enum(['list', 'bought', 'ours']),
  /** The operation that fills it, where the batch has several. */
  operation: z.string().exactOptional(),
  /** The path of its value in the answer, for `add`. */
  path: z.string().exactOptional(),
});
export type TableColumnObject = z.output<typeof TableColumnObject>;

/** The cells of a row in the order of the columns; those of the list are blank once they were erased. */
const TableRowObject = z.object({
  row: z.number(),
  cells: z.array(z.string()),
  /** Why the row ended so. Left out: nothing is to be said. */
  findings: z.array(FindingObject).exactOptional(),
  /** The findings as the page says them: all, and by step. */
  says: z.object({ all: z.string(), steps: z.record(z.string(), z.string()) }).exactOptional(),
  /** What was done with the person of the row; only where a change was made. */
  action: z.enum(PLANNED_ACTIONS).exactOptional(),
  /** As in `figures`. */
  other_abn: z.literal(true).exactOptional(),
  /** The cells of each that the row found, in the order of `result_columns`. */
  results: z.array(z.array(z.string())).exactOptional(),
});
export type TableRowObject = z.output<typeof TableRowObject>;

/** The output of `status BATCH` with rows to show. */
export const TableObject = BatchNamed.extend({
  columns: z.array(TableColumnObject),
  /** The columns of what a row found, where it finds many. */
  result_columns: z.array(z.string()).exactOptional(),
  /** Number of bought columns that only the output has. */
  more_columns: z.number(),
  /** The number of the batch's last row. */
  last: z.number(),
  rows: z.array(TableRowObject),
  /** The row with which the next page begins; null on the last one. */
  next: z.number().nullable(),
});
export type TableObject = z.output<typeof TableObject>;
