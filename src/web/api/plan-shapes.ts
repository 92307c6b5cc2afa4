import { z } from 'zod';
import { ListDescription } from '../../objects/list-object.ts';
import { MoneyOfCredits } from '../../objects/log-object.ts';
import { PlannedChangeObject, PlanObject } from '../../objects/plan-object.ts';
import { WorkView } from './batch-shapes.ts';

export { AgreementView, PlannedChangeObject } from '../../objects/plan-object.ts';

/** What is done with a list: choices, columns, plan and start. */

const word = z.string().min(1).max(200);
const role = z.enum(['viewer', 'editor', 'admin']);
/** A blank column: the input is left unread. */
const ColumnsChosen = z.record(word, z.string().max(10_000));

/** What is to be done with a list, in the words of a job file. What is left out is guessed, as for a typed command. */
export const Choices = z.strictObject({
  /** The names of several steps have commas between them. */
  what: z.strictObject({ operation: word }),
  account: word.optional(),
  /** Input ← column. */
  columns: ColumnsChosen.optional(),
  /** New column ← path in the answer. */
  add: z.record(word, word).optional(),
  waterfall: z.array(word).min(1).max(50).optional(),
  /** The most credits that a start may spend, which a start has to say by itself: no plan depends on it. */
  budget: z.int().min(0).optional(),
  role: role.optional(),
  create_projects: z.boolean().optional(),
  remove_missing: z.boolean().optional(),
  /** A project as the list calls it → its id. */
  projects: z.record(word, word).optional(),
  /** A word of the list → the role that it means. */
  roles: z.record(word, role).optional(),
  guards: z
    .strictObject({
      max_removals: z.int().min(0).optional(),
      admins: z.literal('allow').optional(),
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
  /** What a credit costs; null where the account does not say. */
  price: MoneyOfCredits.nullable(),
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

export const DraftKept = z.object({ kept: z.literal(true) });
export type DraftKept = z.infer<typeof DraftKept>;

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
  /** In words, by which inputs rows are looked up, in turn until one matches; none for what is looked up in one way. */
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
export const AgreementKept = z.object({ kept: z.literal(true) });
export type AgreementKept = z.infer<typeof AgreementKept>;
