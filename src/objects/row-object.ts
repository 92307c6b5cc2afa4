import { z } from 'zod';
import { METHODS } from '../core/operation.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { SpentObject } from './batch-view.ts';
import { FindingObject } from './finding-object.ts';
import { StopObject } from './stop-object.ts';

/** A row with every attempt that was made for it, and its doubts. */

/** The statement of the vendor, or of a person, about a lost answer. A status of 0 means no answer. */
export const LookObject = z.object({
  kind: z.enum(['read_back', 'usage', 'person']),
  said: z.enum(['happened', 'not_happened', 'unclear']),
  why: z.string(),
  status: z.number(),
  body: z.string(),
  at: z.string(),
});
export type LookObject = z.output<typeof LookObject>;

/** The decision about a call in doubt. */
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

/** The rule that decided: a rule of the dialect, or a row of the table. */
export const RuleObject = z.looseObject({
  dialect: z.string().exactOptional(),
  list: z.string().exactOptional(),
  number: z.number().exactOptional(),
  row: z.string().exactOptional(),
  means: z.string(),
});
export type RuleObject = z.output<typeof RuleObject>;

/** What a call asks. */
const CallObject = z.object({
  operation: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  project: z.string().nullable(),
  /** The person or project that a change is about. */
  subject: z.string().nullable(),
});
export type CallObject = z.output<typeof CallObject>;

const ClosureObject = z.object({
  kind: z.enum(['answered', 'accepted', 'not_sent', 'paused', 'not_served', 'stopped', 'in_doubt']),
  /** The answer in the reading of the newest dialect. */
  answer: z
    .enum([
      'found',
      'no_match',
      'refused',
      'not_sent',
      'paused',
      'not_served',
      'stopped',
      'in_doubt',
      'accepted',
    ])
    .exactOptional(),
  charged: z.number().exactOptional(),
  why: z.string(),
  /** The same as data. */
  findings: z.array(FindingObject),
  /** What the vendor has sold in the place of what was looked for: booked as a find, and none of its kind. */
  sold: z.string().exactOptional(),
  /** Whether the call surely cost exactly that; otherwise it is the most. */
  exact: z.boolean().exactOptional(),
  closed_at: z.string(),
});

export const AttemptObject = CallObject.extend({
  attempt: z.number(),
  batch: z.string(),
  /** The name of the account that was asked. */
  account: z.string(),
  /** How many changes of the same subject were settled before the change was planned. */
  after: z.number().nullable(),
  reserved: z.number(),
  intent_at: z.string(),
  /** The attempt whose answer was too old, or whose reply turned out to be no answer. */
  replaces: z.number().nullable(),
  idempotency_key: z.string().nullable(),
  decision: DecisionObject.nullable(),
  /** The decision about its lost answer, until an attempt carries it out. */
  decided: DecisionObject.nullable(),
  /** The reply, with the vendor's id of the request. */
  reply: ReplyObject.extend({ request_id: z.string().nullable() }).nullable(),
  closure: ClosureObject.nullable(),
  looks: z.array(LookObject),
  rule: RuleObject.nullable(),
  /** Why and when the money at risk was given back. */
  released: z.object({ why: z.string(), findings: z.array(FindingObject), at: z.string() }).nullable(),
});
export type AttemptObject = z.output<typeof AttemptObject>;

const OutcomeObject = z.object({
  kind: z.enum(OUTCOME_KINDS),
  /** The identifier by which the row matched. */
  matched_by: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  /** The reason as data. */
  findings: z.array(FindingObject),
});

/** The output of `status BATCH ROW`. */
export const RowObject = z.object({
  batch: z.string(),
  row: z.number(),
  /** Null while the row is pending. */
  outcome: OutcomeObject.nullable(),
  /** What `_match` says. Left out: nothing. */
  match: z.string().exactOptional(),
  /** What a person has decided about that. Left out: nothing. */
  match_decision: z.enum(['keep', 'blank']).exactOptional(),
  /** Paths in the row's answer, for `add`. */
  fields: z.array(z.string()).exactOptional(),
  /** The plan for a row of changes, as it was kept. */
  planned: z.record(z.string(), z.unknown()).nullable(),
  attempts: z.array(AttemptObject),
});
export type RowObject = z.output<typeof RowObject>;

export const DoubtObject = CallObject.extend({
  row: z.number(),
  /** The name of the account that was asked. */
  account: z.string(),
  /** Whether the request was sent by this batch. */
  own: z.boolean(),
  /** The possible harm besides the money. */
  at_stake: z.string().nullable(),
  credits: z.number(),
  why: z.string(),
  /** The same as data. */
  findings: z.array(FindingObject),
  since: z.string(),
  looks: z.array(LookObject),
  /** Null while there is no decision that a run still has to carry out. */
  decision: DecisionObject.nullable(),
});
export type DoubtObject = z.output<typeof DoubtObject>;

/** A row whose answer is about another company or person. */
export const MatchObject = z.object({
  row: z.number(),
  /** What `_match` says. */
  match: z.string(),
  /** What a person has decided. Null: nothing yet. */
  decision: z.enum(['keep', 'blank']).nullable(),
});
export type MatchObject = z.output<typeof MatchObject>;

/** The output of `settle BATCH`. */
export const DoubtListObject = z.object({
  batch: z.string(),
  at_risk: z.number(),
  /** Requests without an answer yet. */
  open: z.number(),
  /** The extra credits of the batch that retries have used. */
  extra_used: z.number(),
  in_doubt: z.array(DoubtObject),
  /** What a vendor has accepted and answers later: it may be decided about as well. */
  accepted: z.array(DoubtObject).exactOptional(),
  /** What is in doubt beside an answer and holds its credits: `--not-done` frees them. */
  beside: z.array(DoubtObject).exactOptional(),
  /** The rows whose answers are about another company or person. Left out: there are none. */
  matches: z.array(MatchObject).exactOptional(),
  /** How many rows they leave in doubt: the list may ask one thing twice. */
  rows: z.number(),
  /** Rows that wait for another row, or for their next run. */
  waiting: z
    .array(z.object({ row: z.number(), reason: z.string(), findings: z.array(FindingObject) }))
    .exactOptional(),
});
export type DoubtListObject = z.output<typeof DoubtListObject>;

// --------------------------------------------------------------------------------------------------- a trial

const TriedRequest = z.object({
  method: z.enum(METHODS),
  url: z.string(),
  /** The headers, with a word in the place of the key. */
  headers: z.record(z.string(), z.string()),
  body: z.string().exactOptional(),
});

const trial = {
  /** Blank where nothing was ever sent. */
  batch: z.string(),
  source: z.enum(['bought', 'ledger', 'sandbox']),
  request: TriedRequest,
  reply: ReplyObject.nullable(),
  answer: z.string().nullable(),
  charged: z.number().nullable(),
};

/** The dialect that a line of curl and two answers propose. */
const ProposalObject = z.object({
  account: z.string(),
  operation: z.string(),
  /** The content of its file. */
  dialect: z.string(),
  /** Where our values stand in the first answer. */
  places: z.array(z.object({ name: z.string(), path: z.string(), value: z.string() })),
  /** Whether it reads the first answer as found, and the second as not found. */
  is_read: z.boolean(),
  notes: z.array(z.string()),
  /** The file into which it was written; null: it was not. */
  written: z.string().nullable(),
});

/** The output of `try`. The members about the answer are null where there is none. */
export const TrialObject = z.object({
  ...trial,
  /** The entry of the dialect that decided, with what a reply must have for it. */
  rule: RuleObject.nullable(),
  /** With `--means`: the rule that would give such answers this meaning. */
  proposed: z.string().nullable().exactOptional(),
  /** Paths in the answer, for `add`. */
  fields: z.array(z.string()),
  /** The same about an invented name, where a line of curl was tried. Null: it was not asked about. */
  beside: z.object(trial).nullable().exactOptional(),
  /** What a line of curl and both answers propose. Null: nothing yet. */
  proposal: ProposalObject.nullable().exactOptional(),
  /** The credits that were spent now. */
  credits: SpentObject,
  stopped: StopObject.nullable(),
});
export type TrialObject = z.infer<typeof TrialObject>;
