import { z } from 'zod';
import { jobEntries } from '../job/job-schema.ts';
import { BatchObject } from '../objects/batch-object.ts';
import { SampleObject } from '../objects/plan-object.ts';
import { SweepObject } from '../objects/run-object.ts';
import { StopObject } from '../objects/stop-object.ts';
import { TableObject } from '../objects/table-object.ts';

export type { ReportObject } from '../files/output/report-object.ts';
export type { AccountObject, AccountTest, VendorObject } from '../objects/account-object.ts';
export type { BatchStatusObject } from '../objects/batch-object.ts';
export type { ErasureObject } from '../objects/erasure-object.ts';
export type { FiguresObject } from '../objects/figures-object.ts';
export type { ColumnObject, DamageObject, ListDescription, OperationFit } from '../objects/list-object.ts';
export type { SpendGroupObject, SpendObject } from '../objects/log-object.ts';
export type {
  PlannedChangeObject,
  PlannedStepObject,
  PlanObject,
  UndoPlanObject,
} from '../objects/plan-object.ts';
export type { AttemptObject, DoubtListObject, DoubtObject, RowObject } from '../objects/row-object.ts';
export type { RunObject, StepObject, SweepObject } from '../objects/run-object.ts';
export type { StopObject } from '../objects/stop-object.ts';
export type { TableColumnObject, TableRowObject } from '../objects/table-object.ts';
export type { TrialObject } from '../objects/trial-object.ts';
export type { BatchObject, TableObject };

/**
 * The words between the page and its server beside the commands: every body that such a request may have and
 * every answer, each once. The server checks requests with these schemas, the page has their types, and
 * `docs/reference/json.md` is held against them.
 */

/** The rights to ask, and the form of a refusal. */

/** Whatever is asked wrongly, or cannot be done now. */
export const Refusal = z.object({ error: StopObject });
export type Refusal = z.infer<typeof Refusal>;

/** The one-time word of an address that `rowonce serve` printed. */
export const OpenRequest = z.strictObject({ opening: z.string().max(100) });
export const OpenAnswer = z.object({
  /** What a tab sends from then on, as `Authorization: Bearer …`. It ends with the server. */
  token: z.string(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;

/** A new address of the page, by the name of this start, with a one-time word that is valid for a minute. */
export const Opening = z.object({
  address: z.string().regex(/^http:\/\/[a-z]+\.localhost:\d{1,5}\/#open=[\w-]{1,100}$/),
});
export type Opening = z.infer<typeof Opening>;

export const State = z.object({
  version: z.string(),
  /** The store's folder. */
  store: z.string(),
});
export type State = z.infer<typeof State>;

/** Batches, and what came of them. */

export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  /** The id of a list: only batches over it. */
  list: z.string().optional(),
  /** Only the newest batch of each list that is still there. */
  newest: z.literal('true').optional(),
});

/** A batch, and the list over which it works; null for a file that was not brought to the page. */
export const ListedBatch = BatchObject.extend({ list: z.string().nullable() });
export type ListedBatch = z.infer<typeof ListedBatch>;

export const BatchList = z.object({
  batches: z.array(ListedBatch),
  /** Number of batches that there are. */
  total: z.number(),
  per_page: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;

/** Opens `/downloads/TICKET` once, within a minute. */
const Ticket = z.object({ ticket: z.string(), name: z.string() });
/** Beside the answers of `export` and `merge`, by `output`, `needs_attention` and `report`. */
export const Tickets = z.object({
  tickets: z.partialRecord(z.enum(['output', 'needs_attention', 'report']), Ticket),
});
export type Tickets = z.infer<typeof Tickets>['tickets'];

/** Work that the page has started: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  kind: z.enum(['run', 'undo', 'nightly']),
  /** The id of the list or of the batch, or the name of the job. */
  about: z.string(),
  /** The batch on which it worked, once it has ended; null where it began none. */
  batch: z.string().nullable(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  stopped: StopObject.nullable(),
  /** A budget that is enough for everything that waits, where one is reached or missing. */
  budget_to_finish: z.number().optional(),
  /** What a few rows brought that were tried, once that has ended. */
  sample: SampleObject.optional(),
  /** The last line that it said. */
  said: z.string().nullable(),
});
export type WorkView = z.infer<typeof WorkView>;

export const WorkList = z.object({ work: z.array(WorkView) });
export type WorkList = z.infer<typeof WorkList>;

/** One piece of work; once it has ended, with what its command prints under `--json`. */
export const WorkAnswer = z.object({ work: WorkView, result: z.unknown().optional() });
export type WorkAnswer = z.infer<typeof WorkAnswer>;

/** Goes on with a batch by its own command. */
export const GoOnRequest = z.strictObject({
  batch: z.string().max(100),
  /** The most that it may spend from now on, in all. */
  budget: z.int().min(0).optional(),
  /** The word with which a person answers what stopped it. */
  accept: z.string().max(200).optional(),
});

/** Begins the same work once more, which ended before it had begun anything. */
export const AgainRequest = GoOnRequest.pick({ accept: true });

/** Lists that are brought to the page. */

/**
 * What is to be done with a list, in the words of a job file. Entries that name a folder, a receiver or a
 * request are missing: a page gives no place of this machine, and sends a key nowhere else.
 */
export const ListJob = jobEntries.pick({
  operation: true,
  operations: true,
  account: true,
  columns: true,
  waterfall: true,
  add: true,
  on_existing: true,
  only_if: true,
  unless: true,
  budget: true,
  in_doubt: true,
  refresh_after: true,
  read: true,
  country: true,
  repair: true,
  role: true,
  roles: true,
  projects: true,
  create_projects: true,
  remove_missing: true,
  guards: true,
});
export type ListJob = z.output<typeof ListJob>;
/** A person's choice, in the form in which the page sends it. */
export type ListJobChoice = z.input<typeof ListJob>;

/** Which choice a new one follows: another one than that is not overwritten. Left out: whichever there is. */
export const ListJobQuery = z.object({ version: z.coerce.number().int().min(0).optional() });

/** A cell that was mended on the page. */
const Mend = z.strictObject({
  row: z.int().min(1),
  column: z.string().max(10_000),
  value: z.string().max(100_000),
});
const KeptMend = Mend.extend({
  /** ISO 8601, UTC: a batch that began later has it. */
  at: z.string(),
});
export type Mend = z.infer<typeof KeptMend>;
export const ListMends = z.object({
  mends: z.array(KeptMend),
  /** Whether the list as commands read it has them: while it is worked on, they wait. */
  written: z.boolean(),
});
export type ListMends = z.infer<typeof ListMends>;

/** A value of null takes the mend back. */
export const MendRequest = Mend.extend({ value: Mend.shape.value.nullable() });
export type MendRequest = z.infer<typeof MendRequest>;

/** A list that was brought to the page. */
export const ListView = z.object({
  id: z.string(),
  /** The name of the user's file. It is data, and never part of a path. */
  name: z.string(),
  bytes: z.number(),
  /** ISO 8601, UTC. */
  at: z.string(),
  /** What was chosen for it so far. */
  job: ListJob,
  /** How often that was chosen. */
  version: z.number(),
  mends: z.array(KeptMend),
});
export type ListView = z.infer<typeof ListView>;

export const Lists = z.object({
  /** The one that was brought last comes first. */
  lists: z.array(ListView),
  /** The endings of names that can be read, such as `.csv`. */
  endings: z.array(z.string()),
});
export type Lists = z.infer<typeof Lists>;

/** Which rows of a list are shown before anything was asked, as `status` takes it of a batch. */
export const ListRowsRequest = z.strictObject({
  from: z.int().min(0).optional(),
  limit: z.int().min(1).max(500).default(100),
  search: z.string().optional(),
  sort: z.string().optional(),
  where: z.record(z.string(), z.string()).optional(),
});

/** Its columns are those of the list. */
export const ListRows = TableObject.pick({ columns: true, next: true }).extend({
  rows: z.array(
    TableObject.shape.rows.element.extend({
      /** Why nobody knows which cell stands below which name. */
      unreadable: z.string().optional(),
    }),
  ),
  /** The number of the last row; null as long as the file is read. */
  last: z.number().nullable(),
});
export type ListRows = z.infer<typeof ListRows>;

/** Nights: jobs that are swept by a schedule. */

export const NightView = z.object({
  job: z.string(),
  /** The name of the job's file. */
  file: z.string(),
  /** What is done, and the most credits of each list that lies there. */
  operation: z.string(),
  budget: z.number().nullable(),
  /** Five cron fields. */
  schedule: z.string(),
  /** ISO 8601, UTC; null while it is paused. */
  next_run: z.string().nullable(),
  paused: z.boolean(),
  /** The name of the folder whose files are worked through. */
  inbox: z.string(),
  /** The last ones, the newest first. */
  ended: z.array(
    z.object({
      at: z.string(),
      exit_code: z.number(),
      /** Null where it was stopped before it had anything to tell. */
      sweep: SweepObject.nullable(),
      stopped: StopObject.nullable(),
    }),
  ),
});
export type NightView = z.infer<typeof NightView>;
export const Nights = z.object({ nights: z.array(NightView) });
export type Nights = z.infer<typeof Nights>;
export const NightRequest = z.strictObject({ paused: z.boolean() });
