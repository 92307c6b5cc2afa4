import { z } from 'zod';
import type { DescribedOperation } from '../core/described.ts';
import { RowRanges } from '../core/reading.ts';
import type { InputRow } from '../core/row.ts';
import type { VendorTitles } from '../core/vendor-titles.ts';
import { jobEntries } from '../job/job-schema.ts';
import {
  BatchObject,
  type BatchStatusObject,
  type TableObject,
  type TableRowObject,
} from '../objects/batch-object.ts';
import { ChangesObject, ListCost } from '../objects/batch-view.ts';
import type { CellFaultObject, ColumnFaultsObject, ListDescription } from '../objects/list-object.ts';
import type { SpentAtObject } from '../objects/log-object.ts';
import { type EachRowObject, type PlanSoFar, SampleObject } from '../objects/plan-object.ts';
import type { NightEndObject } from '../objects/run-object.ts';
import { StopObject } from '../objects/stop-object.ts';
import { TableOrder } from '../run/table-order.ts';

export type * from '../files/output/report-object.ts';
export type * from '../objects/account-object.ts';
export type * from '../objects/batch-object.ts';
export type * from '../objects/batch-view.ts';
export type * from '../objects/list-object.ts';
export type * from '../objects/log-object.ts';
export type * from '../objects/plan-object.ts';
export type * from '../objects/row-object.ts';
export type * from '../objects/run-object.ts';
export type * from '../objects/stop-object.ts';

/**
 * The words between the page and its server beside the commands: every body that such a request may have and
 * every answer, each once. The server checks requests with these schemas, the page has their types, and
 * `docs/reference/json.md` is held against them.
 */

/** Whatever is asked wrongly, or cannot be done now. */
export const Refusal = z.object({ error: StopObject });
export type Refusal = z.infer<typeof Refusal>;

/** The one-time word of an address that `rowonce serve` printed. */
export const OpenRequest = z.strictObject({ opening: z.string().max(100) });
export interface OpenAnswer {
  /** What a tab sends from then on, as `Authorization: Bearer …`, once the server has proven itself. */
  readonly token: string;
}

/** A number that was never used before, and the path that a tab is about to ask. */
export const Challenge = z.strictObject({ number: z.string().max(100), path: z.string().max(10_000) });
export type Challenge = z.infer<typeof Challenge>;

/** The HMAC-SHA-256 of number, blank and path under the token of tabs, in hexadecimal digits. */
export interface Proof {
  readonly proof: string;
}

/** A new address of the page with a one-time word that is valid for a minute. */
export const Opening = z.object({
  address: z.string().regex(/^http:\/\/[a-z]+\.localhost:\d{1,5}\/#open=[\w-]{1,100}$/),
});
export type Opening = z.infer<typeof Opening>;

export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  /** The id of a list: only batches over it. */
  list: z.string().optional(),
  /** Only the newest batch of each list that is still there. */
  newest: z.literal('true').optional(),
});

export const BatchList = z.object({
  /** Each with its list; null for a file that was not brought to the page. */
  batches: z.array(
    BatchObject.extend({
      list: z.string().nullable(),
      in_all: ListCost,
      /** Of a batch that changes people and projects; of an undo those of what it takes back. */
      changes: ChangesObject.exactOptional(),
    }),
  ),
  /** Number of batches that there are. */
  total: z.number(),
  per_page: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;
export type ListedBatch = BatchList['batches'][number];

/** The files of a batch, as `export` names them. */
export const DOWNLOADS = ['output', 'needs_attention', 'results', 'report'] as const;
export type Download = (typeof DOWNLOADS)[number];

/** With `plan`, rows that a try has left for later are judged as the list judges them. */
export const ReportQuery = z.object({ plan: z.literal('true').optional() });

/** The form of the whole list; left out: that of her own file. */
export const DownloadQuery = z.object({ as: z.enum(['csv', 'xlsx']).optional() });

/**
 * A file of the rows that a table shows, in its order: what is searched and filtered out is not in it. Cells
 * that were bought are written as in the output, so that none of them becomes a formula.
 */
export const ViewRequest = TableOrder.omit({ from: true, limit: true }).extend({
  as: z.enum(['csv', 'xlsx']),
  /** In this order, each under another name where she has given it one. Left out: all. */
  columns: z
    .array(z.strictObject({ name: z.string().max(10_000), as: z.string().max(10_000).optional() }))
    .min(1)
    .optional(),
});
export type ViewRequest = z.input<typeof ViewRequest>;

/** Which column's values are counted, and a part of those that are looked for. */
export const ValuesRequest = z.strictObject({
  column: z.string().max(10_000),
  search: z.string().max(1_000).default(''),
});

/** What the cells of a column say: what most of them say comes first. */
export const ColumnValues = z.object({
  values: z.array(z.object({ value: z.string(), rows: z.number() })),
  /** Rows in which the column is blank, and in which it says one of the values that are not listed. */
  blank: z.number(),
  others: z.number(),
});
export type ColumnValues = z.infer<typeof ColumnValues>;

/** What the page says of a stop, and where its button leads. */
export const PageWords = z.object({
  /** Left out where the message says it; `ACCOUNT` stands for the name of the account. */
  fact: z.string().optional(),
  /** The message is said as well. */
  message_follows: z.boolean(),
  /** The work was refused before it began, so that it is chosen and planned anew. */
  is_planned_anew: z.boolean(),
  leads_to_the_accounts: z.boolean(),
  /** What the button says that does it again. */
  goes_on: z.string(),
});
export type PageWords = z.infer<typeof PageWords>;

/** What every built-in operation says of itself, and the names of the vendors that are known by a word. */
export interface OperationList {
  /** The command that opens this page again, with its store. */
  readonly serve: string;
  readonly operations: readonly DescribedOperation[];
  readonly vendors: VendorTitles;
}

/** Work that the page has started: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  /** The id of the list or of the batch, or the name of the job. */
  about: z.string(),
  is_undo: z.boolean(),
  /** ISO 8601, UTC: its list is read as it was then, however long it waits for its turn. */
  at: z.string(),
  /** The batch on which it worked, once it has ended; null where it began none. */
  batch: z.string().nullable(),
  /** `waiting`: for other work of its store. `working`: its command runs. `ended`: its command has ended. */
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  stopped: StopObject.extend({ page: PageWords }).nullable(),
  /** Why accounts take no more calls, while others go on. */
  ended_accounts: z.array(z.string()),
  /** What a few rows brought that were tried, once that has ended. */
  sample: SampleObject.optional(),
  /** The last line that it said. */
  said: z.string().nullable(),
});
export type WorkView = z.infer<typeof WorkView>;

export interface WorkList {
  readonly work: readonly WorkView[];
}

/** One piece of work; once it has ended, with what its command prints under `--json`. */
export const WorkAnswer = z.object({ work: WorkView, result: z.unknown().optional() });
export type WorkAnswer = z.infer<typeof WorkAnswer>;

/** Rows of a batch that are asked again, such as `5,9,12-20`; of several steps one alone. */
export const AgainRequest = z.strictObject({ only: RowRanges, step: z.string().max(200).optional() });
export type AgainRequest = z.infer<typeof AgainRequest>;

/** Goes on with a batch by its own command, or without one begins work once more. */
export const GoOnRequest = z.strictObject({
  batch: z.string().max(100).optional(),
  work: z.string().max(100).default(''),
  /** Only the part of the rows that was chosen last, for what was decided about its doubts. */
  part: z.boolean().optional(),
  /** Asks rows of the batch again, and nothing else: what the plan with this id has shown. */
  again: AgainRequest.extend({ plan: z.string().max(1_000) }).optional(),
  /** The most that it may spend from now on, in all. */
  budget: z.int().min(0).optional(),
  /** One of the choices of the stop of that work. */
  answer: z.strictObject({ flag: z.string().max(200), value: z.string().max(200).optional() }).optional(),
});

/**
 * What is to be done with a list, in the words of a job file. Entries that name a folder, a receiver or a
 * request are missing: a page gives no place of this machine, and sends a key nowhere else. `guards` is
 * missing because a person on the page allows what one plan does, and nothing that a later one may do.
 */
export const ListJob = jobEntries.pick({
  operation: true,
  operations: true,
  account: true,
  columns: true,
  waterfall: true,
  add: true,
  on_existing: true,
  mismatch: true,
  only_if: true,
  accept_hosts: true,
  role_addresses: true,
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
export const KeptMend = Mend.extend({ at: z.string() });
export type Mend = z.infer<typeof KeptMend>;
/**
 * Cells that are mended together, and so can be taken back together: their mends have one time. A value of
 * null takes the mend of a cell back.
 */
export const MendRequest = z.strictObject({
  mends: z
    .array(Mend.extend({ value: Mend.shape.value.nullable() }))
    .min(1)
    .max(1_000),
});
export type MendRequest = z.infer<typeof MendRequest>;

/** A cell that says something else than in the start that is shown: what it says now. */
export const CellSince = z.object({
  row: z.number(),
  column: z.string(),
  value: z.string(),
  /** Its mend was taken back, so that the answer which that start has for the row is for another cell. */
  taken: z.literal(true).exactOptional(),
});
export type CellSince = z.infer<typeof CellSince>;

/** How a file is brought: its name, and where one of that name is here already, as what. */
export const BringQuery = z.object({
  name: z.string().default(''),
  /** `new`, or the id of the list whose next version it is. Left out: that is told by what stands in it. */
  as: z.string().max(100).optional(),
});

/** The file is not kept yet: a list of its name is here, and most of its rows are others. */
export const OtherList = z.object({
  other: z.object({
    list: z.string(),
    name: z.string(),
    /** So many rows of the smaller one are in both, of all that it has. */
    shared: z.number(),
    of: z.number(),
    /** `new`: probably another list. `edited`: probably a later version of that list. */
    likely: z.enum(['new', 'edited']),
  }),
});
export type OtherList = z.infer<typeof OtherList>;

/** The list that the file of a batch has become. */
export interface ListAdded {
  readonly list: string;
}

/** How a list, as it is now, stands to what was started over it. */
export const Standing = z.object({
  /** The start that is shown; null where there is none. */
  batch: z.string().nullable(),
  /**
   * - `unstarted`: nothing was started over the list.
   * - `as_started`: the start has read the same content.
   * - `mended`: the start has read the same file with other mends.
   * - `changed`: the start has read another version of the list.
   */
  is: z.enum(['unstarted', 'as_started', 'mended', 'changed']),
  /** Of a list that is `mended`. */
  cells: z.array(CellSince),
});
export type Standing = z.infer<typeof Standing>;

/** The name of a list, which is also that of its download. Its file may have another one. */
export const NameRequest = z.strictObject({ name: z.string().max(200) });

/** What would be erased with a list, beside its rows. */
export const ListErasure = z.object({
  /** Answers that no other list has, and the credits that they have cost. */
  answers: z.number(),
  credits: z.number(),
  /** Answers that stay, because other lists have them. */
  shared: z.number(),
  /** Who has which role stays known, so that nothing is erased. */
  changed_people: z.boolean(),
});
export type ListErasure = z.infer<typeof ListErasure>;

/** Left out: what was bought stays known. Else so many answers are erased with the list, or nothing is. */
export const DeleteQuery = z.object({ erase: z.coerce.number().int().min(0).optional() });

/** How many rows of a list are new, changed, gone and as they were when it was started last. */
export const Edited = z.object({
  added: z.number(),
  changed: z.number(),
  gone: z.number().default(0),
  same: z.number(),
});
export type Edited = z.infer<typeof Edited>;

/** A list that was brought to the page. */
export interface ListView {
  readonly id: string;
  /** The name of the user's file. It is data, and never part of a path. */
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** What was chosen for it so far. */
  readonly job: ListJob;
  /** How often that was chosen. */
  readonly version: number;
  readonly mends: readonly Mend[];
  /** Mends of the version before with cells that say something else now, under the rows of then. */
  readonly lost: readonly Mend[];
  /** Against the version that was started last; undefined where nothing was started before. */
  readonly edited: Edited | undefined;
  readonly standing: Standing;
  /** What is counted by a plan of it that is under way; null where none is. */
  readonly reading: Reading | null;
}

/** What the view of a list shows, which asks for it every second. */
export interface KnownOfList {
  readonly list: ListView;
  /** What was started over it, the last one first. */
  readonly batches: BatchList['batches'];
  /** The start that is shown; left out where there is none. */
  readonly batch?: BatchStatusObject;
  /** All work of the page. */
  readonly work: WorkList['work'];
}

export interface Reading extends PlanSoFar {
  /** Since its first rows were counted. */
  readonly seconds: number;
}

/** What is said of a list before it is read to its end. */
export interface ListHead {
  /** Of its first rows; of all where it has no others. */
  readonly described: ListDescription;
  readonly is_whole: boolean;
  /** How many rows it has, else how many by the length of the first; null where that says nothing. */
  readonly rows: number | null;
}

/** How the list is read. */
export const HeadQuery = ListJob.pick({ read: true, country: true });

/** `size`: the bytes of the file; the first few are sent. */
export const BeginningQuery = z.object({
  name: z.string().default(''),
  size: z.coerce.number().int().min(0),
});

/** The rows with which a file begins, before it is here. None where its first bytes say nothing. */
export interface Beginning extends Pick<TableObject, 'columns'>, Pick<ListHead, 'rows'> {
  readonly first: readonly InputRow[];
}

export interface Lists {
  /** The one that was brought last comes first. */
  readonly lists: readonly ListView[];
  /** The endings of names that can be read, such as `.csv`. */
  readonly endings: readonly string[];
}

/** By which columns of a list is asked, so that their cells are judged as strictly: column by input. */
const AskedColumns = z.record(z.string(), z.string()).optional();

/** Which part of a list is shown before a start. */
const LIST_PART = {
  asked: AskedColumns,
  /** The id of a plan that was made with `each`: its rows say what becomes of them. */
  plan: z.string().optional(),
  /** Only rows of these figures of that plan, with commas between them, such as `invalid,in_doubt`. */
  is: z.string().optional(),
  /**
   * Only rows with a wrong cell in that column: one that is `meant` to be something which is known, one of
   * the `others`, or an address `near` another, which may be mistyped. `with`: rows that are shown as well,
   * because a person has mended them meanwhile.
   */
  wrong: z
    .strictObject({
      column: z.string(),
      which: z.enum(['meant', 'others', 'near']),
      with: z.array(z.int()).max(1_000).optional(),
    })
    .optional(),
  /** Only these rows, such as `5,9,12-20`. */
  only: z.string().optional(),
  /**
   * Only rows that are new, other or the same since the version before, of a list that came again; those that
   * are `gone` are of that version.
   */
  since: z.enum(['added', 'changed', 'same', 'gone']).optional(),
};

/** Its rows, in the order of a table. */
export const ListOrder = TableOrder.extend({
  ...LIST_PART,
  /** What is known, and would be free by this job, stands in the rows. Left out: nothing does. */
  job: ListJob.optional(),
});
export type ListOrder = z.infer<typeof ListOrder>;
export const ListViewRequest = ViewRequest.extend(LIST_PART);

/** A row before a start. */
export interface ListRow extends Omit<TableRowObject, 'cells'>, Pick<InputRow, 'cells' | 'unreadable'> {
  /** What is wrong with its cells, by their columns. */
  readonly faults?: Readonly<Record<string, CellFaultObject>>;
  /** What becomes of it by the plan. */
  readonly becomes?: Omit<EachRowObject, 'rows'>;
  /** Of a list that came again; left out: as before. */
  readonly since?: 'added' | 'changed' | 'gone';
  /** What the changed cells said before, by their columns. */
  readonly was?: Readonly<Record<string, string>>;
}

/** Rows of a list before its first start, as `status` gives those of a batch. */
export interface ListRows extends Pick<TableObject, 'columns' | 'result_columns' | 'next'> {
  readonly rows: readonly ListRow[];
  /** The number of the last row; null as long as the file is read. */
  readonly last: number | null;
}

/** How many rows of a list there are in an order. */
export interface RowsCounted {
  readonly rows: number;
}

export const FaultsRequest = z.strictObject({ asked: AskedColumns });

/** The wrong cells of a list, over all of its rows. */
export interface ListFaults {
  /** Of the columns that have any. */
  readonly columns: readonly ColumnFaultsObject[];
}

/** What a night is on the disk, and the lines by which it runs without the page. */
export interface NightWritten {
  /** The job's file, and its content. */
  readonly path: string;
  readonly text: string;
  /** The folder of its inbox. */
  readonly folder: string;
  /** A line of a crontab. */
  readonly cron: string;
  /** The files of a service and a timer of systemd. */
  readonly service: string;
  readonly timer: string;
  /** Variables of the environment that hold keys of its accounts, which the schedule has to hand on. */
  readonly variables: readonly string[];
}

/** A job that is swept by a schedule. */
export interface NightView extends NightWritten {
  readonly job: string;
  /** What a person calls it; else as its job. */
  readonly name: string;
  /** The name of the job's file. */
  readonly file: string;
  /** Whether it was made on the page, which may remove it. */
  readonly made: boolean;
  /** Why it cannot be swept, such as an account that is gone; null where it can. */
  readonly problem: StopObject | null;
  /** What is done, and the most credits of each list that lies there. */
  readonly operation: string;
  readonly budget: number | null;
  /** Five cron fields. */
  readonly schedule: string;
  /** ISO 8601, UTC; null while it is paused. */
  readonly next_run: string | null;
  readonly paused: boolean;
  /** Whether it is worked on, or waits for its turn. */
  readonly running: boolean;
  /** The name of the folder whose files are worked through. */
  readonly inbox: string;
  /** The last ones, the newest first. */
  readonly ended: readonly NightEnd[];
}

export interface NightEnd extends NightEndObject {
  /** Whether it is under way. One that was killed has not ended, and is not. */
  readonly running: boolean;
  /** What each account was paid, at the price that a credit has now, as in every view. */
  readonly spent: readonly SpentAtObject[];
}

export interface Nights {
  readonly nights: readonly NightView[];
  /** The last nights, the newest first, also of jobs that this page has not. */
  readonly ended: readonly NightEnd[];
  /** In which schedules are meant, such as `Australia/Sydney`. */
  readonly time_zone: string;
  /** Lists after which a night can be made: what is done with them changes nothing at a vendor. */
  readonly lists: readonly {
    readonly list: string;
    readonly name: string;
    readonly operation: string;
    /** How many cells were corrected in it, which no night does. */
    readonly mends: number;
  }[];
  /** Folders that the accounts file allows, by their names there. */
  readonly inboxes: readonly { readonly name: string; readonly folder: string }[];
  /** The path of that file. */
  readonly accounts_file: string;
}

/** What changes of a night. A blank name is that of its job. */
export const NightRequest = z.strictObject({
  paused: z.boolean().exactOptional(),
  name: z.string().max(100).exactOptional(),
});
export type NightRequest = z.infer<typeof NightRequest>;

/** A night that does with every new file of an inbox what was done with a list. */
export const NewNight = z.strictObject({
  /** The id of the list. */
  list: z.string().max(100),
  /** Every night at this time, in the time zone of the page's machine. */
  at: z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'write a time as 02:00'),
  /** The most credits that each file may cost. */
  credits: z.int().min(1),
  /** A name under `inboxes` in the accounts file. Left out: a folder is made below the store. */
  inbox: z.string().max(100).exactOptional(),
  /** The id of the draft that was shown: exactly that is written, or nothing. Left out: nothing is. */
  draft: z.string().max(100).exactOptional(),
});
export type NewNight = z.infer<typeof NewNight>;

/** The name of a file that is put into the inbox of a night. */
export const InboxQuery = z.strictObject({ name: z.string().min(1).max(1_000) });

/** The name that it has there: another file may have had its own. */
export interface Inboxed {
  readonly name: string;
}

/** What is written for a new night, or was. */
export interface NightDraft extends NightWritten {
  readonly id: string;
  readonly job: string;
  readonly made: boolean;
}
