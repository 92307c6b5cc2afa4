import { z } from 'zod';
import { METHODS } from '../core/operation.ts';
import { OUTCOME_KINDS } from '../core/row.ts';
import { SpentObject } from './batch-view.ts';
import { FindingObject } from './finding-object.ts';
import { StopObject } from './stop-object.ts';

/** A row with every attempt that was made for it, and its doubts. */

/** What the vendor or a person says of a lost answer. Status 0: no answer. */
export const LookObject = z.object({
  // Kinds and words are explained at `Look` of the ledger.
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
  // Kinds are explained at `DecisionKind` of the ledger.
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
  // Kinds are explained at `End` of the ledger.
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
  /** The changes of the same subject before this one. */
  after: z.number().nullable(),
  reserved: z.number(),
  intent_at: z.string(),
  /** The attempt with an answer that was too old, or was none. */
  replaces: z.number().nullable(),
  idempotency_key: z.string().nullable(),
  decision: DecisionObject.nullable(),
  /** A decision about its lost answer that waits for an attempt. */
  decided: DecisionObject.nullable(),
  /** With the vendor's id of the request. */
  reply: ReplyObject.extend({ request_id: z.string().nullable() }).nullable(),
  closure: ClosureObject.nullable(),
  looks: z.array(LookObject),
  rule: RuleObject.nullable(),
  /** When the money at risk was given back. */
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
  /** Your decision about that. */
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
  /** The other list that has its credits. */
  sent_for: z.string().exactOptional(),
  /** The possible harm besides the money. */
  at_stake: z.string().nullable(),
  credits: z.number(),
  why: z.string(),
  /** The same as data. */
  findings: z.array(FindingObject),
  since: z.string(),
  looks: z.array(LookObject),
  /** A decision that a run still has to carry out. */
  decision: DecisionObject.nullable(),
});
export type DoubtObject = z.output<typeof DoubtObject>;

/** A row with an answer about another company or person. */
export const MatchObject = z.object({
  row: z.number(),
  /** What `_match` says. */
  match: z.string(),
  /** Your decision. Null: none yet. */
  decision: z.enum(['keep', 'blank']).nullable(),
});
export type MatchObject = z.output<typeof MatchObject>;

/** The output of `settle BATCH`. */
export const DoubtListObject = z.object({
  batch: z.string(),
  at_risk: z.number(),
  /** Requests without an answer yet. */
  open: z.number(),
  /** Extra credits that retries have used. */
  extra_used: z.number(),
  in_doubt: z.array(DoubtObject),
  /** Calls that the vendor answers later. */
  accepted: z.array(DoubtObject).exactOptional(),
  /** Calls in doubt beside an answer; `--not-done` frees their credits. */
  beside: z.array(DoubtObject).exactOptional(),
  /** Calls in doubt of skipped rows. */
  skipped: z.array(DoubtObject).exactOptional(),
  /** Rows with an answer about another company or person. */
  matches: z.array(MatchObject).exactOptional(),
  /** The rows in doubt. */
  rows: z.number(),
  /** Rows that wait for another row or run. */
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

/** The output of `try`. */
export const TrialObject = z.object({
  ...trial,
  /** The rule of the dialect that decided. */
  rule: RuleObject.nullable(),
  /** With `--means`: the rule for such answers. */
  proposed: z.string().nullable().exactOptional(),
  /** Paths in the answer, for `add`. */
  fields: z.array(z.string()),
  /** The same for the invented name, with a line of curl. */
  beside: z.object(trial).nullable().exactOptional(),
  /** The dialect that a line of curl and both answers propose. */
  proposal: ProposalObject.nullable().exactOptional(),
  /** The credits that were spent now. */
  credits: SpentObject,
  stopped: StopObject.nullable(),
});
export type TrialObject = z.infer<typeof TrialObject>;
