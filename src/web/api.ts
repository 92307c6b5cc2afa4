import { z } from 'zod';
import { Reading as ReadWords } from '../core/reading.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { jobEntries } from '../job/job-schema.ts';
import { AccountObject } from '../objects/account-object.ts';
import {
  BatchNamed,
  BatchObject,
  type BatchStatusObject,
  type ChangesObject,
  SpentObject,
} from '../objects/batch-object.ts';
import { FiguresObject } from '../objects/figures-object.ts';
import { ListDescription } from '../objects/list-object.ts';
import { PlannedChangeObject, PlanObject, UndoPlanObject } from '../objects/plan-object.ts';
import type { DoubtListObject, DoubtObject } from '../objects/row-object.ts';
import { StopObject } from '../objects/stop-object.ts';

/**
 * The words between the page and its server: every body that a request may have and every answer, each once.
 * The server checks requests with these schemas, the page has their types, and `docs/reference/json.md` is
 * held against them.
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

export { AccountTest } from '../objects/account-object.ts';

/** An account, and what it has spent. */
export const PageAccount = AccountObject.extend({ today: SpentObject, month: SpentObject });
export type PageAccount = z.infer<typeof PageAccount>;

export const AccountList = z.object({
  accounts: z.array(PageAccount),
  /** Regions of the service whose addresses the accounts file has. */
  regions: z.array(z.string()),
});
export type AccountList = z.infer<typeof AccountList>;

const wordList = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}+$/u, 'it contains a control character');
const key = z.string().min(1).max(10_000);

/**
 * A new account. Limits, budgets, a program that prints the key, a dialect and the way through another
 * account are set in the file alone: each would let a page name a file or a program of this machine, or send
 * a key that it was not given.
 */
export const NewAccount = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name has letters, digits, ".", "-" and "_"'),
  vendor: z.enum(['service', 'provider']),
  base_url: wordList.optional(),
  region: z.enum(['AU', 'EU', 'US']).optional(),
  organization: wordList.optional(),
  project: wordList.optional(),
  key,
});
export type NewAccount = z.infer<typeof NewAccount>;

/** Batches, running work, and changes. */

export type BatchView = z.infer<typeof BatchObject>;

export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
});

export const BatchList = z.object({
  batches: z.array(BatchObject),
  /** Number of batches that there are. */
  total: z.number(),
  per_page: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;

export type ChangesView = z.infer<typeof ChangesObject>;

export type BatchDetail = z.infer<typeof BatchStatusObject>;

/** What came of a batch, in figures and in words. */
export const SummaryView = z.object({
  figures: FiguresObject,
  headline: z.string(),
  /** Left out where nothing is paid. */
  cost: z.string().optional(),
  needs: z.string(),
  /** Blank for a batch that asks by no identifier. */
  identifiers: z.string(),
  /** `rows 12 and 15`, in the order of the reasons. */
  rows: z.array(z.string()),
});
export type SummaryView = z.infer<typeof SummaryView>;

/** Opens `/downloads/TICKET` once, within a minute. */
const Ticket = z.object({ ticket: z.string(), name: z.string() });
/** Beside the answers of `export` and `merge`, by `output`, `needs_attention` and `report`. */
export const Tickets = z.object({
  tickets: z.partialRecord(z.enum(['output', 'needs_attention', 'report']), Ticket),
});
export type Tickets = z.infer<typeof Tickets>['tickets'];

/** What was started from the page: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  kind: z.enum(['run', 'undo', 'sweep']),
  /** The batch, the list or the job. */
  about: z.string(),
  /** The batch that its plan began, as soon as there is one. */
  batch: z.string().nullable(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  stopped: StopObject.nullable(),
  /** The last lines that it said. */
  said: z.array(z.string()),
});
export type WorkView = z.infer<typeof WorkView>;

export const WorkList = z.object({ work: z.array(WorkView) });
export type WorkList = z.infer<typeof WorkList>;

/** A start names the id of its plan, so that it does only the work that was shown. */
export const UndoView = UndoPlanObject.extend({ sandbox: z.boolean(), plan: z.string() });
export type UndoView = z.infer<typeof UndoView>;

export const UndoRequest = z.strictObject({ plan: z.string().max(100) });

export { DamageObject, ListDescription } from '../objects/list-object.ts';

/** Lists that are brought to the page. */

export { ReadWords };

/** How many of the first rows of a list are shown. */
export const ListRowsQuery = z.object({ limit: z.coerce.number().int().min(0).default(100) });

/** How the list is read and whether what is sure is repaired, as it was chosen on its view. */
export const Reading = z.strictObject({ read: ReadWords, repair: z.boolean() });
export type Reading = z.infer<typeof Reading>;

/** What was brought to the page. */
export const ListView = z.object({
  id: z.string(),
  /** The name of the user's file. It is data, and never part of a path. */
  name: z.string(),
  bytes: z.number(),
  /** ISO 8601, UTC. */
  at: z.string(),
  reading: Reading,
});
export type ListView = z.infer<typeof ListView>;

export const Lists = z.object({
  /** The one that was brought last comes first. */
  lists: z.array(ListView),
  /** The endings of names that can be read, such as `.csv`. */
  endings: z.array(z.string()),
});
export type Lists = z.infer<typeof Lists>;

const ListRow = z.object({
  row: z.number(),
  cells: z.array(z.string()),
  /** Why nobody knows which cell stands below which name. */
  unreadable: z.string().optional(),
});
export type ListRow = z.infer<typeof ListRow>;

export const ListRows = z.object({
  header: z.array(z.string()),
  rows: z.array(ListRow),
});
export type ListRows = z.infer<typeof ListRows>;

/** Rows of a batch, and doubts. */

/** A filter: an outcome, `pending`, or `attention` for the three outcomes to look at. */
export const RowFilter = z.enum([...OUTCOME_KINDS, 'pending', 'attention']);
export type RowFilter = z.infer<typeof RowFilter>;

const USUAL_ROWS = 100;

const Whole = z.coerce.number().int().min(0);

/** Which rows of a batch are shown: those from a row on. */
export const RowPageQuery = z.object({
  from: Whole.default(0),
  limit: Whole.default(USUAL_ROWS),
  status: RowFilter.optional(),
});

export const RowView = z.object({
  row: z.number(),
  /**
   * In the order of `header`; null where the list does not have the row, or they were erased. Long ones are
   * cut.
   */
  cells: z.array(z.string()).nullable(),
  /** In the order of `added`. */
  found: z.array(z.string()),
  /** An outcome, or `pending`. */
  status: z.string(),
  reason: z.string(),
  credits: z.number(),
  /** Where the answer came from, as the output's column `_source` says it. */
  source: z.string(),
});
export type RowView = z.infer<typeof RowView>;

export const RowPage = BatchNamed.extend({
  /** Number of rows by status, `pending` among them. */
  counts: z.record(z.string(), z.number()),
  /** The number of the last row. */
  last: z.number(),
  header: z.array(z.string()),
  added: z.array(z.string()),
  /** How many columns of answers are not shown. */
  more_columns: z.number(),
  rows: z.array(RowView),
  /** The row at which the next page begins; null on the last one. */
  next: z.number().nullable(),
});
export type RowPage = z.infer<typeof RowPage>;

export type DoubtView = z.infer<typeof DoubtObject>;
/** What `settle BATCH --json` prints. */
export type DoubtsView = z.infer<typeof DoubtListObject> & z.infer<typeof BatchNamed>;

export { AgreementView, PlannedChangeObject } from '../objects/plan-object.ts';

/** What is done with a list: choices, columns, plan and start. */

const word = z.string().min(1).max(200);

const { account, columns, add, role, roles, projects, create_projects, remove_missing, guards } =
  jobEntries.shape;

/**
 * What is to be done with a list, in the words of a job file. What is left out is guessed, as for a typed
 * command.
 */
export const Choices = z.strictObject({
  /** The names of several steps have commas between them. */
  what: z.strictObject({ operation: word }),
  account,
  columns,
  add,
  role,
  roles,
  projects,
  create_projects,
  remove_missing,
  guards,
});
export type Choices = z.infer<typeof Choices>;

export const OperationView = z.object({
  name: z.string(),
  summary: z.string(),
  vendor: z.enum(['provider', 'service']),
  is_change: z.boolean(),
  inputs: z.array(z.object({ name: z.string(), about: z.string(), required: z.boolean() })),
  settings: z.array(z.string()),
});
export type OperationView = z.infer<typeof OperationView>;

export const AccountChoice = z.object({
  name: z.string(),
  vendor: z.enum(['provider', 'service']),
  sandbox: z.boolean(),
  region: z.string().nullable(),
});
export type AccountChoice = z.infer<typeof AccountChoice>;

/** Everything that can be done with a list, and what was chosen so far. */
export const Ways = z.object({
  name: z.string(),
  facts: ListDescription,
  operations: z.array(OperationView),
  accounts: z.array(AccountChoice),
  choices: Choices.nullable(),
});
export type Ways = z.infer<typeof Ways>;

/** Plans the list by these choices, or by those that were kept for it. */
export const PlanRequest = z.strictObject({
  list: word,
  choices: Choices.optional(),
});

export const PlanView = PlanObject.extend({
  list: z.string(),
  name: z.string(),
  choices: Choices,
  operation: z.string(),
  account: AccountChoice,
  is_change: z.boolean(),
  /**
   * In words, by which inputs rows are looked up, in turn until one matches; none for what is looked up in
   * one way.
   */
  waterfall: z.array(z.string()),
  /** The columns to add; none stands for every field of the answers. */
  adds: z.array(z.string()),
  /** The first of the changes: removals first, and what is not sent last; null for a job that only reads. */
  changes: z.array(PlannedChangeObject).nullable(),
  /** How many changes would be sent. */
  to_change: z.number(),
  /** How many of each action there are. */
  actions: z.record(z.string(), z.number()),
  /** The requests that the job and its dialect define, which a start agrees to. */
  requests: z.array(z.string()),
  /** What must be typed before people are removed; null when nobody is. */
  confirm: z.string().nullable(),
  /** Whether a start must say the most that it may spend. */
  needs_budget: z.boolean(),
});
export type PlanView = z.infer<typeof PlanView>;

export const StartRequest = z.strictObject({
  plan: word,
  budget: z.int().min(0).optional(),
  /** The words of `confirm`. */
  typed: z.string().max(200).optional(),
});
export type StartRequest = z.infer<typeof StartRequest>;

/** One piece of work that the page has started. */
export const WorkAnswer = z.object({ work: WorkView });
export type WorkAnswer = z.infer<typeof WorkAnswer>;

/** Agrees to what a plan has as `to_agree`: `agreement` is that one's. A plan is made again then. */
export const AgreementRequest = z.strictObject({
  plan: z.string().min(1).max(200),
  agreement: z.string().min(1).max(200),
});
export type AgreementRequest = z.infer<typeof AgreementRequest>;
/** The answer to an agreement, and to choices. */
export const Kept = z.object({ kept: z.literal(true) });
export type Kept = z.infer<typeof Kept>;
