import type { SubjectFacts } from '../core/membership.ts';
import type { Admission, Closure, DecisionSpec, Intent, Look, RawReply, Reading } from './call-records.ts';
import type { AttemptId, BatchId, DecisionId, FinishedRow } from './records.ts';

/**
 * - `intent`: a request is about to be sent. The budget is checked in the same transaction, and it reserves at least the highest
 *   price that was seen. For a change it is also checked that the subject is still as it was planned, and that no other change
 *   of it is open or in doubt. An attempt that repeats a lost one under its idempotency key reserves nothing: the lost one still
 *   holds the money for both.
 * - `reply`: what came back, before it is judged. It is `late` when its attempt has been taken for lost meanwhile, because its
 *   deadline or, where many spend, its age was over: it is kept all the same, and read like any reply to a call in doubt.
 * - `end`: the attempt is over, its money moves, and it becomes the call's answer or doubt. An answer under an idempotency key
 *   also releases what the lost attempts with the same key hold: the vendor charged once at most, and the cost is booked where
 *   the first of them had risked it, so that a repeat exceeds no cap. Every settled change advances its subject's sequence
 *   number by one; `left` is how it left the subject, which without it is as before. A lost attempt leaves the answer that it was
 *   to replace in place, but one that was read as none: then its call is in doubt, and a release brings back what it was.
 * - `reading`: what a settled answer means by another dialect. Later calls use it, and finished rows stay as they are. If it costs
 *   more than it was booked at, the difference is spent in the same budgets. If it is none, its call is `unanswered` and may be
 *   bought again in its place. Refused for answers that a person told, and for answers to changes.
 * - `look`: what the vendor said about a call in doubt.
 * - `release`: the doubt of a call ends that was not charged: its money is free again, and the call may be bought like any
 *   other. Refused unless a look at that attempt said `not_happened`.
 * - `decision` about a call in doubt. `told` settles the call at once: it becomes its answer, and the money at risk counts as
 *   spent. A person decides so, or the vendor's own read-back (`rule`). `left` is as in `end`.
 */
export type CallEntry =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'reply'; readonly attempt: AttemptId; readonly reply: RawReply }
  | {
      readonly kind: 'end';
      readonly attempt: AttemptId;
      readonly closure: Closure;
      readonly atMs: number;
      readonly left?: SubjectFacts | undefined;
    }
  | { readonly kind: 'reading'; readonly reading: Reading }
  | { readonly kind: 'look'; readonly look: Look }
  | {
      readonly kind: 'release';
      readonly attempt: AttemptId;
      readonly why: string;
      readonly atMs: number;
      /** The batch whose rows a person named, also where they were skipped. */
      readonly batch?: BatchId | undefined;
    }
  | {
      readonly kind: 'decision';
      readonly decision: DecisionSpec;
      /** Where many spend it is refused where another loss stands by now. */
      readonly about?: AttemptId;
      readonly told?: RawReply | undefined;
      /** Left out: `found`. */
      readonly toldAs?: 'found' | 'no_match' | undefined;
      readonly left?: SubjectFacts | undefined;
      /** How the rows that were in doubt on it end by what was told. The others wait for their next run. */
      readonly finishes?: readonly FinishedRow[] | undefined;
    };

export type EntryKind = CallEntry['kind'];
export type EntryOf<Kind extends EntryKind> = Extract<CallEntry, { readonly kind: Kind }>;

/** What is written first when entries are written together: what an end gives back is there for the intents beside it. */
const RANKS: Readonly<Record<EntryKind, number>> = {
  ...{ reply: 0, end: 1, reading: 2, look: 2, release: 2, decision: 2, intent: 3 },
};

export const rankOf = ({ kind }: CallEntry): number => RANKS[kind];

export interface Written {
  readonly kind: 'written';
}

export const WRITTEN: Written = { kind: 'written' };

/** Nothing of it is written: our bug, by a rule about money, or a `StopError` by which the store takes nothing more. */
export interface RefusedEntry {
  readonly kind: 'refused';
  readonly error: unknown;
}

export interface Outcomes {
  readonly intent: Admission;
  readonly reply: Written | { readonly kind: 'late' };
  /** `over`: another worker has ended the attempt, because its age was over. What came for it is kept by its reply. */
  readonly end: Written | { readonly kind: 'over' };
  readonly reading: Written;
  readonly look: Written;
  readonly release: Written;
  readonly decision: { readonly kind: 'decided'; readonly decision: DecisionId };
}

/** What came of each entry of a list, in the order of the list. */
export type OutcomesOf<List extends readonly CallEntry[]> = {
  readonly [At in keyof List]: Outcomes[List[At]['kind']] | RefusedEntry;
};

export interface Appending {
  /**
   * Writes entries together, as many as there are, and says what came of each; what refuses one leaves the others. Replies are
   * written first, then ends, and intents last. Ends that bought answers may until the next commit be written all of them
   * or none: attempts that stay open have their reply, and the next run judges it.
   */
  append<const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>>;
}

// What writes one entry. Each throws the error of an entry that is refused.

async function one<Kind extends EntryKind>(ledger: Appending, entry: EntryOf<Kind>): Promise<Outcomes[Kind]> {
  const [outcome] = (await ledger.append([entry])) as readonly [Outcomes[Kind] | RefusedEntry];
  if (outcome.kind === 'refused') throw outcome.error;
  return outcome as Outcomes[Kind];
}

export const admit = (ledger: Appending, intent: Intent): Promise<Admission> =>
  one(ledger, { kind: 'intent', intent });

export const recordReply = (
  ledger: Appending,
  attempt: AttemptId,
  reply: RawReply,
): Promise<Outcomes['reply']> => one(ledger, { kind: 'reply', attempt, reply });

export const closeAttempt = (
  ledger: Appending,
  attempt: AttemptId,
  closure: Closure,
  atMs: number,
  left?: SubjectFacts,
): Promise<Outcomes['end']> => one(ledger, { kind: 'end', attempt, closure, atMs, left });

export const addReading = (ledger: Appending, reading: Reading): Promise<Written> =>
  one(ledger, { kind: 'reading', reading });

export const recordLook = (ledger: Appending, look: Look): Promise<Written> =>
  one(ledger, { kind: 'look', look });

export const release = (
  ledger: Appending,
  attempt: AttemptId,
  why: string,
  atMs: number,
  batch?: BatchId,
): Promise<Written> => one(ledger, { kind: 'release', attempt, why, atMs, batch });

/** By a rule, which has looked at one loss. */
export async function decideAbout(
  ledger: Appending,
  about: AttemptId,
  decision: DecisionSpec,
): Promise<DecisionId> {
  return (await one(ledger, { kind: 'decision', decision, about })).decision;
}

export async function decide(
  ledger: Appending,
  decision: DecisionSpec,
  told?: RawReply,
  more: Pick<EntryOf<'decision'>, 'left' | 'toldAs' | 'finishes'> = {},
): Promise<DecisionId> {
  return (await one(ledger, { kind: 'decision', decision, told, ...more })).decision;
}
