import { z } from 'zod';
import type { BatchFigures } from '../../files/output/batch-figures.ts';
import type { BatchSummary } from '../../files/output/summary-words.ts';
import { limitPerSecondOf } from '../../job/job-settings.ts';
import type { Activity, Batch } from '../../ledger/ledger.ts';
import {
  BatchObject,
  BatchStatusObject,
  type ChangesObject,
  ofBatch,
  WorkerObject,
} from '../../objects/batch-object.ts';
import { FiguresObject } from '../../objects/figures-object.ts';
import { membersOf, noun } from '../../objects/noun.ts';
import { StopObject } from '../../objects/stop-object.ts';
import { type BatchOverview, type BatchStatus, secondsLeft } from '../../run/tasks/batch-status.ts';
import { Spender } from './session-shapes.ts';

/** Batches, what runs, and what changes. */

const named = membersOf<{ readonly batch: Batch; readonly name: string }>();
const ofPage = {
  /** As people call it: a list that was brought to the page has a name of its own. */
  input: named(z.string(), ({ name }) => name),
  /** Invented data for play money. */
  sandbox: named(z.boolean(), ({ batch }) => batch.sandbox),
};
const { batch, operation } = ofBatch;
/** What is said of a batch wherever the page names one. */
export const BatchNamed = noun({ batch, operation, ...ofPage });
const overview = membersOf<BatchOverview>();
const ofOverview = {
  ...ofPage,
  /** Whether anything here costs credits: changes of a team do not. */
  has_costs: overview(z.boolean(), ({ hasCosts }) => hasCosts),
};
export const BatchView = noun({ ...BatchObject.members, ...ofOverview });
export type BatchView = z.infer<typeof BatchView>;

/** Which batches are listed, and which page of them. */
export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  /** Found in the list's name, the operation, the account or the batch's id. */
  text: z.string().max(200).default(''),
  state: z.enum(['all', 'open', 'finished', 'superseded', 'cancelled']).default('all'),
});

export const BatchList = z.object({
  batches: z.array(BatchView),
  /** Number of batches that the filter lets through. */
  total: z.number(),
  per_page: z.number(),
  /** Number of batches that there are. */
  all: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;

export const WorkerView = WorkerObject;
export type WorkerView = z.infer<typeof WorkerView>;

export const WorkerList = z.object({
  /** Whether many processes spend from the store. Otherwise none is listed. */
  shared: z.boolean(),
  workers: z.array(WorkerView),
});
export type WorkerList = z.infer<typeof WorkerList>;

/** `bucketMs`: stretches of time of equal length; none when the batch sent nothing. */
export interface ChartData {
  readonly activity: Activity;
  readonly pauses: readonly { readonly fromMs: number; readonly untilMs: number }[];
}

const activity = membersOf<ChartData>();
/** What a batch sent and was charged, in stretches of equal length, and when its account sent nothing. */
export const ActivityView = noun({
  from_ms: activity(z.number(), (of) => of.activity.fromMs),
  bucket_ms: activity(z.number(), (of) => of.activity.bucketMs),
  requests: activity(z.array(z.number()), (of) => of.activity.buckets.map(({ requests }) => requests)),
  credits: activity(z.array(z.number()), (of) => of.activity.buckets.map(({ credits }) => credits)),
  pauses: activity(z.array(z.object({ from_ms: z.number(), until_ms: z.number() })), ({ pauses }) =>
    pauses.map(({ fromMs: from_ms, untilMs: until_ms }) => ({ from_ms, until_ms })),
  ),
});
export type ActivityView = z.infer<typeof ActivityView>;

export type ChangesView = z.infer<typeof ChangesObject>;

/** What the page knows of a batch beside its status. */
interface Beside {
  readonly activity: ChartData;
  readonly accountChangedMs: number | undefined;
}

const status = membersOf<BatchStatus>();
const beside = membersOf<Beside>();
export const BatchDetail = noun({
  ...BatchStatusObject.members,
  ...ofOverview,
  settled: status(z.number(), ({ settled }) => settled),
  /** What the account may send in a second, on average; null when no limit is known. */
  limit_per_second: status(z.number().nullable(), ({ batch }) => limitPerSecondOf(batch.settings) ?? null),
  /** Whether the vendor asked for the pause. */
  paused_asked: status(z.boolean().optional(), ({ pause }) => pause?.asked),
  activity: beside(ActivityView, ({ activity }) => ActivityView.of(activity)),
  /** How long the rest takes at the rate of the last seconds; null when that is unknown, as during a pause. */
  seconds_left: status(z.number().nullable(), (of) => secondsLeft(of) ?? null),
  /** When its account was last changed on the page, ms since 1970; null when it was not. */
  account_changed_ms: beside(z.number().nullable(), ({ accountChangedMs = null }) => accountChangedMs),
  /** Another process that is spending from the store, on something else. */
  spender: status(Spender.nullable(), ({ awaited: of, run }) =>
    of === undefined || run !== undefined ? null : { pid: of.pid, command: of.command },
  ),
});
export type BatchDetail = z.infer<typeof BatchDetail>;

const told = membersOf<{
  readonly figures: BatchFigures;
  readonly summary: BatchSummary;
}>();
/** What came of a batch, in figures and in words. */
export const SummaryView = noun({
  figures: told(FiguresObject, ({ figures }) => FiguresObject.of(figures)),
  headline: told(z.string(), ({ summary }) => summary.headline),
  /** Left out where nothing is paid. */
  cost: told(z.string().optional(), ({ summary }) => summary.cost),
  needs: told(z.string(), ({ summary }) => summary.needs),
  /** Blank for a batch that asks by no identifier. */
  identifiers: told(z.string(), ({ summary }) => summary.identifiers),
  /** `94 %`, in the order of the columns. */
  shares: told(z.array(z.string()), ({ summary }) => summary.shares),
  /** `rows 12 and 15`, in the order of the reasons. */
  rows: told(z.array(z.string()), ({ summary }) => summary.rows),
});
export type SummaryView = z.infer<typeof SummaryView>;

export const TicketRequest = z.strictObject({
  what: z.enum(['output', 'needs_attention', 'report']),
  /** Left out: as the input is. */
  format: z.enum(['csv', 'xlsx']).optional(),
});
export type TicketRequest = z.infer<typeof TicketRequest>;
/** Opens `/downloads/TICKET` once, within a minute. */
export const Ticket = z.object({ ticket: z.string(), name: z.string() });
export type Ticket = z.infer<typeof Ticket>;

/** Behind the `?`: what a person says to what stopped the batch, or to what waits in it. */
export const Continuation = z.strictObject({
  /** The most credits that the batch may spend from now on; left out: as many as before. */
  budget: z.coerce.number().int().positive().optional(),
  /**
   * One of the `answers` of the stop. `yes` also buys again what turned out to be no answer.
   */
  answer: z
    .string()
    .regex(/^(?:yes|no-match|take-back|refused|same-answers|doubts|store|guards|dialect:[0-9a-f]{32})$/)
    .optional(),
  /** The `plan` of the stop, where it has one: `yes` and `guards` agree to that plan alone. */
  plan: z.string().max(300).optional(),
});
export type Continuation = z.infer<typeof Continuation>;

/** What was started from the page: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  kind: z.enum(['run', 'sample', 'settle', 'undo', 'cancel', 'pause', 'resume', 'sweep']),
  /** The batch, the list or the job. */
  about: z.string(),
  /** The batch that its plan began, as soon as there is one. */
  batch: z.string().nullable(),
  /** Ms since 1970. */
  at_ms: z.number(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  /** `budget`: one that is enough; `answers`: what a person may say, so that it goes on; `plan`: what `yes` agrees to. */
  stopped: StopObject.extend({ budget: z.number().optional() }).nullable(),
  /** The last lines that it said. */
  said: z.array(z.string()),
});
export type WorkView = z.infer<typeof WorkView>;

export const WorkList = z.object({ work: z.array(WorkView) });
export type WorkList = z.infer<typeof WorkList>;

export const UndoView = z.object({
  undoes: z.string(),
  state: z.enum(['plan', 'begun', 'nothing', 'undone']),
  /** The undo that has begun or ended. */
  by: z.string().nullable(),
  sandbox: z.boolean(),
  /** What a start names, so that nothing else is done than what was shown. */
  plan: z.string(),
  changes: z.array(
    z.object({
      row: z.number(),
      action: z.string(),
      email: z.string().nullable(),
      project: z.string().nullable(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      reason: z.string().optional(),
    }),
  ),
  not_undone: z.array(z.object({ row: z.number(), subject: z.string(), reason: z.string() })),
});
export type UndoView = z.infer<typeof UndoView>;

export const UndoRequest = z.strictObject({ plan: z.string().max(100) });
