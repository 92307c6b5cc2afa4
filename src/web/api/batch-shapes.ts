import { z } from 'zod';
import type { BatchFigures } from '../../files/output/batch-figures.ts';
import type { BatchSummary } from '../../files/output/summary-words.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { BatchObject, BatchStatusObject, type ChangesObject, ofBatch } from '../../objects/batch-object.ts';
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

export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
});

export const BatchList = z.object({
  batches: z.array(BatchView),
  /** Number of batches that there are. */
  total: z.number(),
  per_page: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;

export type ChangesView = z.infer<typeof ChangesObject>;

const status = membersOf<BatchStatus>();
export const BatchDetail = noun({
  ...BatchStatusObject.members,
  ...ofOverview,
  settled: status(z.number(), ({ settled }) => settled),
  /** Whether the vendor asked for the pause. */
  paused_asked: status(z.boolean().optional(), ({ pause }) => pause?.asked),
  /** How long the rest takes at the rate of the last seconds; null when that is unknown, as during a pause. */
  seconds_left: status(z.number().nullable(), (of) => secondsLeft(of) ?? null),
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

/** What was started from the page: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  kind: z.enum(['run', 'settle', 'undo', 'cancel', 'pause', 'resume', 'sweep']),
  /** The batch, the list or the job. */
  about: z.string(),
  /** The batch that its plan began, as soon as there is one. */
  batch: z.string().nullable(),
  /** Ms since 1970. */
  at_ms: z.number(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  stopped: StopObject.nullable(),
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
