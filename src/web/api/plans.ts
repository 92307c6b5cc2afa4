import { z } from 'zod';
import { AgreementView } from './agreements.ts';
import { WorkView } from './batches.ts';
import { OperationFit } from './lists.ts';

/** What is done with a list: choices, columns, plan and start. */

const word = z.string().min(1).max(200);
const ColumnsChosen = z.record(word, z.string().min(1).max(10_000));

/** What is to be done with a list, in the words of a job file. What is left out is guessed, as for a typed command. */
export const Choices = z.strictObject({
  what: z.union([z.strictObject({ operation: word }), z.strictObject({ job: word })]),
  account: word.optional(),
  /** Input ← column. */
  columns: ColumnsChosen.optional(),
  /** New column ← path in the answer. */
  add: z.record(word, word).optional(),
  waterfall: z.array(word).min(1).max(50).optional(),
  repair: z.boolean().optional(),
  /** As if every answer that was bought before were too old. */
  refresh: z.boolean().optional(),
  /** The most credits that a start may spend, which a start has to say by itself: no plan depends on it. */
  budget: z.int().min(0).optional(),
  role: z.enum(['viewer', 'editor', 'admin']).optional(),
  create_projects: z.boolean().optional(),
  remove_missing: z.boolean().optional(),
  /** A project as the list calls it → its id. */
  projects: z.record(word, word).optional(),
  guards: z
    .strictObject({ max_removals: z.int().min(0).optional(), admins: z.literal('allow').optional() })
    .optional(),
  read: z
    .strictObject({
      sheet: word.optional(),
      encoding: word.optional(),
      delimiter: word.optional(),
      skip_lines: z.int().min(0).optional(),
      ragged: word.optional(),
    })
    .optional(),
});
export type Choices = z.infer<typeof Choices>;

export const OperationView = z.object({
  name: z.string(),
  summary: z.string(),
  vendor: z.enum(['provider', 'service']),
  is_change: z.boolean(),
  inputs: z.array(z.object({ name: z.string(), about: z.string(), required: z.boolean() })),
  /** What a waterfall may name. */
  tiers: z.array(z.string()),
  settings: z.array(z.string()),
});
export type OperationView = z.infer<typeof OperationView>;

export const AccountChoice = z.object({
  name: z.string(),
  vendor: z.enum(['provider', 'service']),
  sandbox: z.boolean(),
  /** A limit per day, so that a start needs none. */
  has_budget: z.boolean(),
  region: z.string().nullable(),
});
export type AccountChoice = z.infer<typeof AccountChoice>;

export const OperationList = z.object({
  operations: z.array(OperationView),
  accounts: z.array(AccountChoice),
});
export type OperationList = z.infer<typeof OperationList>;

export const JobView = z.object({
  name: z.string(),
  /** Null for a file that cannot be read; `problem` says why. */
  operation: z.string().nullable(),
  account: z.string().nullable(),
  problem: z.string().nullable(),
});
export type JobView = z.infer<typeof JobView>;

export const JobList = z.object({ jobs: z.array(JobView) });
export type JobList = z.infer<typeof JobList>;

/** Keeps the job of a plan under a name. */
export const JobRequest = z.strictObject({
  name: word,
  plan: word,
  budget: z.int().min(0).optional(),
});
export const JobSaved = z.object({ path: z.string() });
export type JobSaved = z.infer<typeof JobSaved>;

/** What `plan FILE --json` says, as far as the choices need it. */
export const ListFacts = z.object({
  rows: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      looks_like: z.string(),
      filled: z.number(),
      examples: z.array(z.string()),
      odd: z.object({ count: z.number(), first_rows: z.array(z.number()) }),
    }),
  ),
  operations: z.array(OperationFit),
});
export type ListFacts = z.infer<typeof ListFacts>;

/** Operation → input ← column, as lists of the same header were started before. */
export const RememberedColumns = z.record(z.string(), z.record(z.string(), z.string()));
export type RememberedColumns = z.infer<typeof RememberedColumns>;

/** Everything that can be done with a list, and what was chosen so far. */
export const Ways = z.object({
  name: z.string(),
  facts: ListFacts,
  operations: z.array(OperationView),
  accounts: z.array(AccountChoice),
  jobs: z.array(JobView),
  remembered: RememberedColumns,
  choices: Choices.nullable(),
});
export type Ways = z.infer<typeof Ways>;

export const DraftKept = z.object({ kept: z.literal(true) });
export type DraftKept = z.infer<typeof DraftKept>;

/** Plans the list by these choices, or by those that were kept for it. `was`: the plan that was shown before. */
export const PlanRequest = z.strictObject({
  list: word,
  choices: Choices.optional(),
  was: word.optional(),
});

export const PlannedChangeView = z.object({
  row: z.number(),
  action: z.string(),
  email: z.string().nullable(),
  project: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  calls: z.array(z.string()).optional(),
  reason: z.string().optional(),
  /** That the service refused it to the batch before, and why. */
  refused_before: z.string().optional(),
  beyond: z.boolean().optional(),
});
export type PlannedChangeView = z.infer<typeof PlannedChangeView>;

/** What `plan JOB FILE --json` says, as far as the page shows it. */
export const PlanFigures = z.object({
  id: z.string(),
  /** The open batch of this job and list, with which a run goes on: of a sample, or of a run that stopped. */
  unfinished: z.string().optional(),
  columns: z.record(z.string(), z.string()),
  because: z.record(z.string(), z.string()).optional(),
  rows: z.number(),
  invalid: z.number(),
  duplicates: z.number(),
  bought_before: z.number(),
  in_doubt: z.number(),
  to_buy: z.number(),
  /** Rows of those to buy whose calls are bought again, because what came is no answer today, and the most that this costs. */
  unanswered: z.object({ rows: z.number(), credits: z.number() }).optional(),
  /** Changes that the list's batch counted as done, and of which what came does not say so today. */
  unproven: z.object({ batch: z.string(), changes: z.number(), first_rows: z.array(z.number()) }).optional(),
  /** Rows in doubt whose calls a run may send again, and the most that this costs. */
  sent_again: z.object({ rows: z.number(), credits: z.number() }).optional(),
  credits: z.object({ most: z.number(), expected: z.number() }),
  seconds: z.number().nullable(),
  reasons: z
    .array(z.object({ reason: z.string(), count: z.number(), first_rows: z.array(z.number()) }))
    .optional(),
  guards: z.array(z.object({ fact: z.string(), allow: z.string() })).optional(),
  /** What a person has to agree to first, once, because the dialect of the account sends other requests than the built-in one. */
  to_agree: AgreementView.optional(),
  /** The fields that answers have had so far, which `add` may name. */
  fields: z.array(z.string()).optional(),
});

export const PlanView = PlanFigures.extend({
  list: z.string(),
  name: z.string(),
  choices: Choices,
  operation: z.string(),
  account: AccountChoice,
  is_change: z.boolean(),
  /** In words, by which inputs rows are looked up, in turn until one matches; none for what is looked up in one way. */
  waterfall: z.array(z.string()),
  /** The columns to add; none stands for every field of the answers. */
  adds: z.array(z.string()),
  /** The first of the changes: removals first, and what is not sent last; null for a job that only reads. */
  changes: z.array(PlannedChangeView).nullable(),
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
  /** The same as a command, without a budget. */
  command: z.string(),
  /** What moved since the plan that was shown before. */
  moved: z.array(z.string()),
});
export type PlanView = z.infer<typeof PlanView>;

export const StartRequest = z.strictObject({
  plan: word,
  budget: z.int().min(0).optional(),
  /** The words of `confirm`. */
  typed: z.string().max(200).optional(),
  /** Buys only so many random rows. */
  sample: z.int().min(1).max(10_000).optional(),
});
export type StartRequest = z.infer<typeof StartRequest>;

/** One piece of work that the page has started. */
export const WorkAnswer = z.object({
  work: WorkView,
  /** The id of the plan that it was to start, or after its sample that of the rest. */
  plan: z.string().nullable(),
});
export type WorkAnswer = z.infer<typeof WorkAnswer>;
