import { z } from 'zod';
import type { RuleFound } from '../client/judge.ts';
import { isoTime } from '../core/clock.ts';
import { subjectWords } from '../core/membership.ts';
import type { Call } from '../core/operation.ts';
import { matchedByIn, OUTCOME_KINDS, type Outcome } from '../core/row.ts';
import type { AttemptRecord, Batch, Decision, Doubt, Look, RawReply } from '../ledger/ledger.ts';
import type { AttemptStory, RowStory } from '../run/tasks/row-story.ts';
import type { DoubtList, ListedDoubt } from '../run/tasks/settle.ts';
import { membersOf, noun } from './noun.ts';

/** A row with every attempt that was made for it, and what is in doubt. */

const look = membersOf<Look>();
/** What the vendor said about a lost answer. A status of 0: nothing. */
export const LookObject = noun({
  kind: look(z.enum(['read_back', 'usage']), ({ kind }) => kind),
  said: look(z.enum(['happened', 'not_happened', 'unclear']), ({ said }) => said),
  why: look(z.string(), ({ why }) => why),
  status: look(z.number(), ({ status }) => status),
  body: look(z.string(), ({ body }) => body.toString('utf8')),
  at: look(z.string(), ({ atMs }) => isoTime(atMs)),
});

const decision = membersOf<Decision>();
/** What was decided about a call in doubt. */
export const DecisionObject = noun({
  kind: decision(z.enum(['repeat', 'retry', 'skip', 'told', 'hold']), ({ kind }) => kind),
  by: decision(z.enum(['rule', 'job', 'person']), ({ by }) => by),
  why: decision(z.string(), ({ why }) => why),
  at: decision(z.string(), ({ atMs }) => isoTime(atMs)),
});

const decidedOrNot = (made: Decision | undefined) => (made === undefined ? null : DecisionObject.of(made));

const reply = membersOf<RawReply>();
export const replyMembers = {
  status: reply(z.number(), ({ status }) => status),
  headers: reply(z.record(z.string(), z.string()), ({ headers }) => headers),
  body: reply(z.string(), ({ body }) => body.toString('utf8')),
  received_at: reply(z.string(), ({ receivedAtMs }) => isoTime(receivedAtMs)),
};
const named = membersOf<{ readonly requestId: string | undefined }>();
const ReplyObject = noun({
  ...replyMembers,
  /** The vendor's id of the request. */
  request_id: named(z.string().nullable(), ({ requestId }) => requestId ?? null),
});

/** What decided: a rule of the dialect, or a row of the table. */
export const RuleObject = z.looseObject({
  dialect: z.string().optional(),
  list: z.string().optional(),
  number: z.number().optional(),
  row: z.string().optional(),
  means: z.string(),
});

export function ruleShown(found: RuleFound | undefined): z.infer<typeof RuleObject> | null {
  if (found === undefined) return null;
  const { means } = found;
  if ('row' in found) return { row: found.row, means };
  const { dialect, list, number, rule } = found;
  return { dialect, list, number, ...rule, means };
}

const READ_AS = ['found', 'no_match', 'refused', 'not_sent', 'paused', 'stopped', 'in_doubt'] as const;

const call = membersOf<{ readonly call: Call }>();
/** What was asked. */
const ofCall = {
  operation: call(z.string(), (of) => of.call.operation),
  parameters: call(z.record(z.string(), z.unknown()), (of) => of.call.parameters),
  project: call(z.string().nullable(), (of) => of.call.project ?? null),
  /** Whom or what a change is about. */
  subject: call(z.string().nullable(), ({ call: { change } }) =>
    change ? subjectWords(change.subject) : null,
  ),
};
const keyed = membersOf<{ readonly request?: { readonly idempotencyKey: string } }>();
const idempotency_key = keyed(z.string().nullable(), ({ request }) => request?.idempotencyKey ?? null);

type Closed = NonNullable<AttemptRecord['closure']> & Pick<AttemptStory, 'isExact'>;
const closure = membersOf<Closed>();
const ClosureObject = noun({
  kind: closure(z.enum(['answered', 'not_sent', 'paused', 'stopped', 'in_doubt']), ({ kind }) => kind),
  /** As the newest dialect reads it. */
  answer: closure(z.enum(READ_AS).optional(), (of) => settled(of)?.answer),
  charged: closure(z.number().optional(), (of) => settled(of)?.charged),
  why: closure(z.string(), ({ why }) => why),
  /** Whether it surely cost just that; otherwise it is the most. */
  exact: closure(z.boolean().optional(), (of) => settled(of)?.isExact),
  closed_at: closure(z.string(), ({ closedAtMs }) => isoTime(closedAtMs)),
});
const settled = (closed: Closed) => (closed.kind === 'answered' ? closed : undefined);

/** An attempt is told with what is known of it besides its record. */
const attempt = membersOf<AttemptRecord & AttemptStory>();
export const AttemptObject = noun({
  attempt: attempt(z.number(), (of) => of.attempt),
  batch: attempt(z.string(), ({ batch }) => batch),
  ...ofCall,
  /** How many changes of the same subject were settled before it was planned. */
  after: attempt(z.number().nullable(), (of) => of.call.after ?? null),
  reserved: attempt(z.number(), ({ reserved }) => reserved),
  intent_at: attempt(z.string(), ({ sentAtMs }) => isoTime(sentAtMs)),
  /** The attempt whose answer was too old, or turned out to be none. */
  replaces: attempt(z.number().nullable(), ({ replaces = null }) => replaces),
  idempotency_key,
  decision: attempt(DecisionObject.nullable(), (of) => decidedOrNot(of.decision)),
  /** What was decided about its lost answer, until an attempt does it. */
  decided: attempt(DecisionObject.nullable(), ({ decided }) => decidedOrNot(decided)),
  reply: attempt(ReplyObject.nullable(), (of) =>
    of.reply ? ReplyObject.of({ ...of.reply, requestId: of.requestId }) : null,
  ),
  closure: attempt(ClosureObject.nullable(), (of) =>
    of.closure ? ClosureObject.of({ ...of.closure, isExact: of.isExact }) : null,
  ),
  looks: attempt(z.array(LookObject), ({ looks }) => looks.map(LookObject.of)),
  rule: attempt(RuleObject.nullable(), ({ rule }) => ruleShown(rule)),
  /** Why and when the money at risk was given back. */
  released: attempt(z.object({ why: z.string(), at: z.string() }).nullable(), ({ released }) =>
    released ? { why: released.why, at: isoTime(released.atMs) } : null,
  ),
});
export type AttemptObject = z.infer<typeof AttemptObject>;

const outcome = membersOf<Outcome>();
const OutcomeObject = noun({
  kind: outcome(z.enum(OUTCOME_KINDS), ({ kind }) => kind),
  /** The identifier by which it matched. */
  matched_by: outcome(z.string().optional(), matchedByIn),
  reason: outcome(z.string().optional(), ({ reason }) => reason),
});

const row = membersOf<RowStory>();
/** What `status BATCH ROW` prints. */
export const RowObject = noun({
  batch: row(z.string(), ({ batch }) => batch.id),
  row: row(z.number(), (of) => of.row),
  /** Null while the row is pending. */
  outcome: row(OutcomeObject.nullable(), (of) => (of.outcome ? OutcomeObject.of(of.outcome) : null)),
  /** Paths in the row's answer, for `add`. */
  fields: row(z.array(z.string()).optional(), ({ fields }) => (fields.length === 0 ? undefined : fields)),
  /** What was planned for a row of changes, as it was kept. */
  planned: row(z.record(z.string(), z.unknown()).nullable(), ({ planned = null }) => planned),
  attempts: row(z.array(AttemptObject), ({ attempts }) =>
    attempts.map((story) => AttemptObject.of({ ...story.record, ...story })),
  ),
});

/** A doubt is told with what is listed of it besides its record. */
const doubt = membersOf<Omit<Doubt, 'decision'> & ListedDoubt>();
export const DoubtObject = noun({
  row: doubt(z.number(), (of) => of.row),
  ...ofCall,
  /** What else than money may have happened. */
  at_stake: doubt(z.string().nullable(), (of) => of.call.change?.atStake ?? null),
  credits: doubt(z.number(), ({ atRisk }) => atRisk),
  why: doubt(z.string(), ({ why }) => why),
  since: doubt(z.string(), ({ sentAtMs }) => isoTime(sentAtMs)),
  /** How often it was sent again without an answer. */
  repeats: doubt(z.number(), ({ repeats }) => repeats),
  idempotency_key,
  looks: doubt(z.array(LookObject), ({ looks }) => looks.map(LookObject.of)),
  /** Null as long as nothing was decided that a run has not done. */
  decision: doubt(DecisionObject.nullable(), (of) => decidedOrNot(of.decision)),
});
export type DoubtObject = z.infer<typeof DoubtObject>;

const list = membersOf<DoubtList & { readonly batch: Batch }>();
const waiting = z.object({ row: z.number(), reason: z.string() });
/** What `settle BATCH` prints. */
export const DoubtListObject = noun({
  batch: list(z.string(), ({ batch }) => batch.id),
  at_risk: list(z.number(), ({ atRisk }) => atRisk),
  /** Credits of lost answers about which nothing is to be decided. */
  undecidable: list(z.number(), ({ undecidable }) => undecidable),
  /** Requests without an answer yet. */
  open: list(z.number(), ({ open }) => open),
  /** What retries have used of the extra credits of the batch. */
  extra_used: list(z.number(), ({ extraUsed }) => extraUsed),
  in_doubt: list(z.array(DoubtObject), ({ doubts }) =>
    doubts.map((listed) => DoubtObject.of({ ...listed.doubt, ...listed })),
  ),
  waiting: list(z.array(waiting).optional(), (of) => (of.waiting.length === 0 ? undefined : of.waiting)),
});
