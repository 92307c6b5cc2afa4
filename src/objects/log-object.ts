import { z } from 'zod';

/** Who did what, and what it cost. */

const ACTS = ['begun', 'gone_on', 'settled', 'paused', 'resumed', 'cancelled', 'erased'] as const;

/** One thing that a person did: a request, a decision about one, or what was done with a batch. */
export const LogEntryObject = z.object({
  at: z.string(),
  kind: z.enum(['asked', 'changed', 'decided', ...ACTS]),
  /** By their own word, or the user of the system. */
  operator: z.string().nullable(),
  batch: z.string().nullable(),
  row: z.number().nullable(),
  account: z.string().nullable(),
  sandbox: z.boolean(),
  operation: z.string().nullable(),
  /** Whom a change altered, in words, with the role that was given; null for a question. */
  subject: z.string().nullable(),
  /** What was sent; empty where it was erased. */
  asked: z.record(z.string(), z.string()),
  /** By what an erased request is known. */
  hash: z.string().nullable(),
  /**
   * `found`, `no_match`, `refused`, `in_doubt`, `not_sent`, `paused`, `stopped` or `open`; of a decision what
   * was decided.
   */
  ended: z.string().nullable(),
  /** Of a decision: `person`, `job` or `rule`. */
  decided_by: z.string().nullable(),
  why: z.string().nullable(),
  /** Credits of a request. */
  charged: z.number().nullable(),
  in_doubt: z.number().nullable(),
  /** What the vendor answered to a change. */
  status: z.number().nullable(),
  said: z.string().nullable(),
});
export type LogEntryObject = z.infer<typeof LogEntryObject>;

/** What `rowonce log` tells, newest first. */
export const LogObject = z.object({
  /** The spellings that were looked for, or the id of a batch; empty for all. */
  about: z.array(z.string()),
  entries: z.array(LogEntryObject),
  /** Whether there are older ones that are left out. */
  more: z.boolean(),
});

/** Credits of an account, a batch, a day or a person in a month. */
export const SpendGroupObject = z.object({
  /** Null where nobody was noted. */
  name: z.string().nullable(),
  /** Play money is in groups of its own. */
  sandbox: z.boolean(),
  spent: z.number(),
  /** Whether just that was spent; otherwise it is the most. */
  exact: z.boolean(),
  /** The vendor's own count of them, where it is known. */
  vendor_counted: z.number().exactOptional(),
  in_doubt: z.number(),
  /** What batches that began in the month saved by asking once. */
  saved: z.number(),
  requests: z.number(),
  /** Those that began in the month. */
  batches: z.number(),
  /** The month's budget of an account, or the budget of a batch. */
  budget: z.number().nullable(),
  /** The list of a batch. */
  input: z.string().optional(),
  account: z.string().optional(),
});
export type SpendGroupObject = z.infer<typeof SpendGroupObject>;

export const SPEND_BY = ['account', 'batch', 'day', 'operator'] as const;

/** What `rowonce spend` tells. */
export const SpendObject = z.object({
  month: z.string(),
  by: z.enum(SPEND_BY),
  groups: z.array(SpendGroupObject),
});
export type SpendObject = z.infer<typeof SpendObject>;
