import { z } from 'zod';
import { CostObject } from './batch-view.ts';

/** People's actions, and their cost. */

const ACTS = ['begun', 'gone_on', 'settled', 'paused', 'resumed', 'cancelled', 'erased'] as const;

/** One action of a person: a request, a decision about one, or a step with a batch. */
export const LogEntryObject = z.object({
  at: z.string(),
  kind: z.enum(['asked', 'changed', 'decided', ...ACTS]),
  /** The name after `--as`, or the user of the system. */
  operator: z.string().nullable(),
  batch: z.string().nullable(),
  row: z.number().nullable(),
  account: z.string().nullable(),
  sandbox: z.boolean(),
  operation: z.string().nullable(),
  /** The person or project of a change, with the new role; null for a lookup. */
  subject: z.string().nullable(),
  /** The values that were sent; empty where they were erased. */
  asked: z.record(z.string(), z.string()),
  /** The hash that identifies an erased request. */
  hash: z.string().nullable(),
  /**
   * `found`, `no_match`, `refused`, `in_doubt`, `not_sent`, `paused`, `stopped` or `open`; for a decision,
   * the decision itself.
   */
  ended: z.string().nullable(),
  /** Who decided: `person`, `job` or `rule`. */
  decided_by: z.string().nullable(),
  why: z.string().nullable(),
  /** Credits of a request. */
  charged: z.number().nullable(),
  in_doubt: z.number().nullable(),
  /** The status of the vendor's answer to a change. */
  status: z.number().nullable(),
  said: z.string().nullable(),
});
export type LogEntryObject = z.infer<typeof LogEntryObject>;

/** The output of `rowonce log`, newest first. */
export const LogObject = z.object({
  /** The spellings that were searched for, or the id of a batch; empty for all actions. */
  about: z.array(z.string()),
  entries: z.array(LogEntryObject),
  /** Whether older actions are left out. */
  more: z.boolean(),
});
export type LogObject = z.infer<typeof LogObject>;

/** Spent at one account. Credits of two accounts are never added. */
export const SpentAtObject = z.object({
  account: z.string(),
  spent: z.number(),
  exact: z.boolean(),
  requests: z.number(),
  /** In money. Left out: nothing was paid, or the account has no price. */
  cost: CostObject.exactOptional(),
});
export type SpentAtObject = z.infer<typeof SpentAtObject>;

/** What was done on a day for one list. */
const SpentForObject = z.object({
  list: z.string(),
  operation: z.string(),
  accounts: z.array(SpentAtObject),
});
export type SpentForObject = z.infer<typeof SpentForObject>;

/** Credits of an account, batch, list, day or person in a month, or of the month. */
export const SpendGroupObject = z.object({
  /** Null: no name was noted. */
  name: z.string().nullable(),
  /** Play money is in groups of its own. */
  sandbox: z.boolean(),
  spent: z.number(),
  /** The part for misses. */
  for_misses: z.number(),
  /** Whether exactly that was spent; otherwise it is the most. */
  exact: z.boolean(),
  /** What was spent in money. */
  cost: CostObject.exactOptional(),
  /** The same by account, the one that was asked first comes first. */
  accounts: z.array(SpentAtObject),
  /** The same by list, of a day. */
  lists: z.array(SpentForObject).exactOptional(),
  /** The vendor's own count of these credits. */
  vendor_counted: z.number().exactOptional(),
  in_doubt: z.number(),
  /** The credits that batches of the month saved by sending each request once. */
  saved: z.number(),
  requests: z.number(),
  /** The batches that began in the month. */
  batches: z.number(),
  /** The month's budget of an account, or the budget of a batch. */
  budget: z.number().nullable(),
  /** The list of a batch. */
  input: z.string().optional(),
  account: z.string().optional(),
});
export type SpendGroupObject = z.infer<typeof SpendGroupObject>;

export const SPEND_BY = ['account', 'batch', 'day', 'list', 'month', 'operator'] as const;

/** The output of `rowonce spend`. */
export const SpendObject = z.object({
  month: z.string(),
  by: z.enum(SPEND_BY),
  groups: z.array(SpendGroupObject),
});
export type SpendObject = z.infer<typeof SpendObject>;

// -------------------------------------------------------------------------------------------- what is erased

/** The records that `forget` and `store purge` erase in a store, or would erase. */
export const ErasureObject = z.object({
  store: z.string(),
  requests: z.number(),
  /** Answers about others, with one person removed. */
  cut: z.number(),
  rows: z.number(),
  /** Memberships, commands, list names and reasons that name the person. */
  names: z.number(),
  /** Lists in the store that are removed. */
  files: z.array(z.string()),
  /** Your files that Rowonce wrote from erased records, or with the person in their paths. */
  outputs: z.array(z.string()),
  /** Projects in which the person stays; `end_with` is the command that ends this. */
  memberships: z.array(
    z.object({ project: z.string(), state: z.string(), end_with: z.string().exactOptional() }),
  ),
  /** Rows that stay because they are not finished. */
  unsettled: z.number(),
  /** Calls that batches still need, and these batches. */
  needed: z.number(),
  needed_lists: z.number(),
  needed_by: z.array(z.string()),
  /** Of a list: the credits of the answers that go, and the answers that stay for other lists. */
  of_list: z.object({ credits: z.number(), shared: z.number() }).exactOptional(),
  /** Why a part of the erased data is not overwritten yet. */
  due: z.string().exactOptional(),
});
export type ErasureObject = z.infer<typeof ErasureObject>;
