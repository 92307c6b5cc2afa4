import { z } from 'zod';
import { OUTCOME_KINDS } from '../core/row.ts';

/** A row with every attempt that was made for it, and what is in doubt. */

/** What the vendor said about a lost answer. A status of 0: nothing. */
export const LookObject = z.object({
  kind: z.enum(['read_back', 'usage']),
  said: z.enum(['happened', 'not_happened', 'unclear']),
  why: z.string(),
  status: z.number(),
  body: z.string(),
  at: z.string(),
});
export type LookObject = z.output<typeof LookObject>;

/** What was decided about a call in doubt. */
export const DecisionObject = z.object({
  kind: z.enum(['repeat', 'retry', 'skip', 'told']),
  by: z.enum(['rule', 'job', 'person']),
  why: z.string(),
  at: z.string(),
});
export type DecisionObject = z.output<typeof DecisionObject>;

export const ReplyObject = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  received_at: z.string(),
});
export type ReplyObject = z.output<typeof ReplyObject>;

/** What decided: a rule of the dialect, or a row of the table. */
export const RuleObject = z.looseObject({
  dialect: z.string().exactOptional(),
  list: z.string().exactOptional(),
  number: z.number().exactOptional(),
  row: z.string().exactOptional(),
  means: z.string(),
});
export type RuleObject = z.output<typeof RuleObject>;

/** What was asked. */
const CallObject = z.object({
  operation: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  project: z.string().nullable(),
  /** Whom or what a change is about. */
  subject: z.string().nullable(),
});
export type CallObject = z.output<typeof CallObject>;

const ClosureObject = z.object({
  kind: z.enum(['answered', 'not_sent', 'paused', 'stopped', 'in_doubt']),
  /** As the newest dialect reads it. */
  answer: z
    .enum(['found', 'no_match', 'refused', 'not_sent', 'paused', 'stopped', 'in_doubt'])
    .exactOptional(),
  charged: z.number().exactOptional(),
  why: z.string(),
  /** Whether it surely cost just that; otherwise it is the most. */
  exact: z.boolean().exactOptional(),
  closed_at: z.string(),
});

export const AttemptObject = CallObject.extend({
  attempt: z.number(),
  batch: z.string(),
  /** How many changes of the same subject were settled before it was planned. */
  after: z.number().nullable(),
  reserved: z.number(),
  intent_at: z.string(),
  /** The attempt whose answer was too old, or turned out to be none. */
  replaces: z.number().nullable(),
  idempotency_key: z.string().nullable(),
  decision: DecisionObject.nullable(),
  /** What was decided about its lost answer, until an attempt does it. */
  decided: DecisionObject.nullable(),
  /** With the vendor's id of the request. */
  reply: ReplyObject.extend({ request_id: z.string().nullable() }).nullable(),
  closure: ClosureObject.nullable(),
  looks: z.array(LookObject),
  rule: RuleObject.nullable(),
  /** Why and when the money at risk was given back. */
  released: z.object({ why: z.string(), at: z.string() }).nullable(),
});
export type AttemptObject = z.output<typeof AttemptObject>;

const OutcomeObject = z.object({
  kind: z.enum(OUTCOME_KINDS),
  /** The identifier by which it matched. */
  matched_by: z.string().exactOptional(),
  reason: z.string().exactOptional(),
});

/** What `status BATCH ROW` prints. */
export const RowObject = z.object({
  batch: z.string(),
  row: z.number(),
  /** Null while the row is pending. */
  outcome: OutcomeObject.nullable(),
  /** Paths in the row's answer, for `add`. */
  fields: z.array(z.string()).exactOptional(),
  /** What was planned for a row of changes, as it was kept. */
  planned: z.record(z.string(), z.unknown()).nullable(),
  attempts: z.array(AttemptObject),
});
export type RowObject = z.output<typeof RowObject>;

export const DoubtObject = CallObject.extend({
  row: z.number(),
  /** Whether the request was sent by this batch. */
  own: z.boolean(),
  /** What else than money may have happened. */
  at_stake: z.string().nullable(),
  credits: z.number(),
  why: z.string(),
  since: z.string(),
  looks: z.array(LookObject),
  /** Null as long as nothing was decided that a run has not done. */
  decision: DecisionObject.nullable(),
});
export type DoubtObject = z.output<typeof DoubtObject>;

/** What `settle BATCH` prints. */
export const DoubtListObject = z.object({
  batch: z.string(),
  at_risk: z.number(),
  /** Requests without an answer yet. */
  open: z.number(),
  /** What retries have used of the extra credits of the batch. */
  extra_used: z.number(),
  in_doubt: z.array(DoubtObject),
  /** Rows that wait for another one, or for their next run. */
  waiting: z.array(z.object({ row: z.number(), reason: z.string() })).exactOptional(),
});
export type DoubtListObject = z.output<typeof DoubtListObject>;
