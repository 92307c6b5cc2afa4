import { z } from 'zod';
import type { DescribedOperation } from '../core/described.ts';
import type { InputRow } from '../core/row.ts';
import type { Edited } from '../files/versions.ts';
import { jobEntries } from '../job/job-schema.ts';
import { BatchObject, type TableObject } from '../objects/batch-object.ts';
import { ListCost } from '../objects/batch-view.ts';
import { SampleObject } from '../objects/plan-object.ts';
import { SweepObject } from '../objects/run-object.ts';
import { StopObject } from '../objects/stop-object.ts';

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
  /** Each with the list over which it works; null for a file that was not brought to the page. */
  batches: z.array(BatchObject.extend({ list: z.string().nullable(), in_all: ListCost })),
  /** Number of batches that there are. */
  total: z.number(),
  per_page: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;
export type ListedBatch = BatchList['batches'][number];

/** The files of a batch, as `export` names them. */
export const DOWNLOADS = ['output', 'needs_attention', 'results', 'report'] as const;
export type Download = (typeof DOWNLOADS)[number];

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

/** What every operation that is built in says of itself. */
export interface OperationList {
  readonly operations: readonly DescribedOperation[];
}

/** Work that the page has started: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  /** The id of the list or of the batch, or the name of the job. */
  about: z.string(),
  /** ISO 8601, UTC: its list is read as it was then, however long it waits for its turn. */
  at: z.string(),
  /** The batch on which it worked, once it has ended; null where it began none. */
  batch: z.string().nullable(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  stopped: StopObject.extend({ page: PageWords }).nullable(),
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

/** Goes on with a batch by its own command, or without one begins work once more. */
export const GoOnRequest = z.strictObject({
  batch: z.string().max(100).optional(),
  work: z.string().max(100).default(''),
  /** Only the part of the rows that was chosen last, for what was decided about its doubts. */
  part: z.boolean().optional(),
  /** The most that it may spend from now on, in all. */
  budget: z.int().min(0).optional(),
  /** One of the choices of the stop of that work. */
  answer: z.strictObject({ flag: z.string().max(200), value: z.string().max(200).optional() }).optional(),
});

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
export const KeptMend = Mend.extend({ at: z.string() });
export type Mend = z.infer<typeof KeptMend>;
/** A value of null takes the mend back. */
export const MendRequest = Mend.extend({ value: Mend.shape.value.nullable() });
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
    /** So many identifiers of the smaller one are in both, of all that it has. */
    shared: z.number(),
    of: z.number(),
    likely: z.enum(['new', 'edited']),
  }),
});
export type OtherList = z.infer<typeof OtherList>;

/** How a list, as it is now, stands to what was started over it. */
export const Standing = z.object({
  /** The start that is shown; null where there is none. */
  batch: z.string().nullable(),
  /**
   * `as_started`: it has read the same content. `mended`: the same file with other mends. `changed`: another
   * version of the list.
   */
  is: z.enum(['unstarted', 'as_started', 'mended', 'changed']),
  /** Of a list that is `mended`. */
  cells: z.array(CellSince),
});
export type Standing = z.infer<typeof Standing>;

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
  /** Against the version that was started last; undefined where nothing was started before. */
  readonly edited: z.infer<typeof Edited> | undefined;
  readonly standing: Standing;
}

export interface Lists {
  /** The one that was brought last comes first. */
  readonly lists: readonly ListView[];
  /** The endings of names that can be read, such as `.csv`. */
  readonly endings: readonly string[];
}

/** Rows of a list of which nothing was asked yet, as `status` gives those of a batch. */
export interface ListRows extends Pick<TableObject, 'columns' | 'next'> {
  readonly rows: readonly InputRow[];
  /** The number of the last row; null as long as the file is read. */
  readonly last: number | null;
}

/** How a sweep of a night has ended. */
export const NightEnd = z.object({
  /** ISO 8601, UTC. */
  at: z.string(),
  exit_code: z.number(),
  /** Null where it was stopped before it had anything to tell. */
  sweep: SweepObject.nullable(),
  stopped: StopObject.nullable(),
});
export type NightEnd = z.infer<typeof NightEnd>;

/** A job that is swept by a schedule. */
export interface NightView {
  readonly job: string;
  /** The name of the job's file. */
  readonly file: string;
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
export interface Nights {
  readonly nights: readonly NightView[];
}
export const NightRequest = z.strictObject({ paused: z.boolean() });
