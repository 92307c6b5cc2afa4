import type { Findings } from '../core/findings.ts';
import type { AttemptId, BatchId, Credits } from '../core/ids.ts';

export { type AttemptId, type BatchId, type Credits, credits, type DecisionId } from '../core/ids.ts';

import type { JsonObject, Vendor } from '../core/operation.ts';
import type { InputRow, Outcome, RowNumber, RowStatus } from '../core/row.ts';

/**
 * - `open`: a run continues the batch.
 * - `finished`: every row has ended.
 * - `superseded`: a batch over a newer version of the list, or with other settings, has replaced it.
 * - `cancelled`: a person has ended the batch for good.
 */
export type BatchState = 'open' | 'finished' | 'superseded' | 'cancelled';

/**
 * Older answers do not count for a batch, so they are bought again; an answer that the batch itself bought is
 * always fresh. It is fixed when the batch begins, so that a resumed run cannot find its own answers too old.
 * Ms since 1970.
 */
export interface FreshSince {
  /** The oldest usable time of a found answer; absent when any age is usable. */
  readonly foundMs?: number;
  /** The oldest usable time of all other answers; absent when any age is usable. */
  readonly noMatchMs?: number;
}

/** Which rows of a list are looked for. */
export interface Sought {
  /** Only rows in one of them; none: all. */
  readonly states: readonly RowStatus[];
  /** Whether a row whose cells are this JSON may be wanted: to read the cells of all rows takes time. */
  mayBe(json: string): boolean;
  /** Rows are wanted for this text in an answer, too; left out: no answer is read. */
  readonly answerText?: string;
}

/** What a person decided about an answer that is about another company or person. */
export interface MatchDecision {
  readonly kind: 'keep' | 'blank';
  /** The attempts whose answers the row showed. A row that shows others is decided about anew. */
  readonly about: string;
}

/** An account that a batch may ask. */
export interface BatchAccount {
  readonly identity: string;
  readonly name: string;
}

export interface BatchSpec {
  /**
   * SHA-256 of account identity, operation, columns, waterfall and the input's bytes. It identifies the
   * batch.
   */
  readonly key: string;
  /**
   * SHA-256 of account identity, operation and input path: a batch with another key of the same lineage
   * supersedes this one.
   */
  readonly lineage: string;
  readonly accountIdentity: string;
  readonly accountName: string;
  /** All that it may ask, in the order of the job, the first of them that above. Left out: that one alone. */
  readonly accounts?: readonly BatchAccount[];
  readonly sandbox: boolean;
  readonly vendor: Vendor;
  readonly operation: string;
  readonly inputPath: string;
  readonly inputSha256: string;
  /** The names of the list's columns, in the order of its cells. */
  readonly header: readonly string[];
  /** Number of input rows that are not blank. */
  readonly inputRows: number;
  /** Columns, waterfall and `add`, from which the output can be written again. zod reads them back. */
  readonly settings: JsonObject;
  readonly createdAtMs: number;
  readonly freshSince?: FreshSince;
  /**
   * Number of planned rows that the input does not have: people who are removed because it no longer names
   * them.
   */
  readonly rowsBeyond?: number;
}

/**
 * A planned row of a batch of changes. `rows` beyond those of the input get the numbers after its last one.
 * `work` is passed to the operation's `next`; a row that needs no request has its outcome from the plan, and
 * `work` says whom it is about where that is known.
 */
export type PlannedRow = { readonly row: RowNumber } & (
  | { readonly kind: 'work'; readonly work: JsonObject }
  | { readonly kind: 'end'; readonly outcome: Outcome; readonly work?: JsonObject }
);

/** A row of a list as it is submitted: where it ended at once, with how, and by which answers. */
export type SubmittedRow = InputRow & {
  readonly end?: Pick<FinishedRow, 'outcome' | 'answers' | 'fills'>;
};

/** A row without a final outcome, as it was submitted or planned. */
export type RowLeft = InputRow | PlannedRow;

export interface Batch extends BatchSpec {
  readonly id: BatchId;
  readonly accounts: readonly BatchAccount[];
  /** Whether all rows of its list are in the ledger. */
  readonly isSubmitted?: boolean;
  /** 1 for the first batch of its key. */
  readonly generation: number;
  /** Number of all rows of its plan; absent for a batch without one, which changes nothing. */
  readonly plannedRows?: number;
  readonly state: BatchState;
  /** Since when a person has paused it; absent once it has ended. */
  readonly pausedSinceMs?: number;
  readonly outputPath?: string;
  /** SHA-256 of the output that we last wrote, to notice that others have changed it since. */
  readonly outputSha256?: string;
  /** When it was begun, or gone on with last: later than every start before it in this ledger. */
  readonly startedAtMs?: number;
  /** The process of its newest run. */
  readonly run?: { readonly worker: number; readonly pid: number };
  /** The most that a person lets its retries cost. The job may allow more, but takes none of it back. */
  readonly extraByPerson?: Credits;
  /** The credits that the vendor has counted, by what it said was left, while we counted so many `spent`. */
  readonly vendorCount?: { readonly credits: number; readonly spent: number };
}

export interface BatchStart {
  readonly batch: Batch;
  /** `new`, `resumed` (it was open) or `finished` (at most calls in doubt are left). */
  readonly start: 'new' | 'resumed' | 'finished';
  /** Open batches of the same lineage over other content; this batch ended them. */
  readonly superseded: readonly BatchId[];
}

/**
 * What a person did with a batch. `gone_on`: a run of another person than the one before. `erased` belongs to
 * no batch.
 */
export const ACTS = ['begun', 'gone_on', 'settled', 'paused', 'resumed', 'cancelled', 'erased'] as const;
/** These acts are not noted again for the same person: a run that is repeated, and decisions beside it. */
export const GOES_ON: readonly Act['kind'][] = ['gone_on', 'settled'];

/**
 * A person's act. The person is named by their own word or as the user of the system: a note, and no proof.
 */
export interface Act {
  readonly kind: (typeof ACTS)[number];
  readonly operator: string;
  /** The machine on which the person was at work. */
  readonly host: string;
  readonly atMs: number;
}

/** What a batch may learn at any time, because it does not identify the batch. */
export type BatchFacts = {
  readonly [Name in
    | 'settings'
    | 'inputPath'
    | 'accountName'
    | 'outputPath'
    | 'outputSha256'
    | 'startedAtMs'
    | 'run'
    | 'vendorCount'
    | 'extraByPerson'
    | 'isSubmitted']?: Batch[Name] | undefined;
};

export interface BatchChange extends BatchFacts {
  /** `superseded`: the rows belong to other content. */
  readonly state?: BatchState;
  /** The cap in credits; `null` means no cap. */
  readonly budget?: Credits | null;
  /** The most credits that retries of calls in doubt may reserve in this batch. */
  readonly extraCredits?: Credits;
  /** The caps of its accounts in this batch, by their identities; `null` means no cap. */
  readonly shares?: Readonly<Record<string, Credits | null>>;
}

/**
 * What is in a budget. An admission needs `spent + reserved + inDoubt + the intent's reserve ≤ cap`.
 */
export interface Money {
  readonly cap?: Credits;
  /** Credits that answers have confirmed. */
  readonly spent: Credits;
  /**
   * It may be less: the price of an answer was stated by no one, a person told it, or it was settled at what
   * a doubt had reserved.
   */
  readonly isAtMost?: true;
  /** Credits that open attempts hold; they are released when the attempts end. */
  readonly reserved: Credits;
  /** Credits that calls in doubt hold, because they may have been charged. */
  readonly inDoubt: Credits;
}

/** The credits that count against a cap. */
export const heldCredits = ({ spent, reserved, inDoubt }: Omit<Money, 'cap' | 'isAtMost'>): number =>
  spent + reserved + inDoubt;

/**
 * `extra`: what a batch may spend on sending calls in doubt again. `share`: what it may spend at one of its
 * accounts.
 */
export type BudgetScope = 'batch' | 'day' | 'month' | 'extra' | 'share';

/** Caps of an account, over all its batches. Days and months are UTC. */
export interface AccountCaps {
  readonly perDay?: Credits;
  readonly perMonth?: Credits;
}

/**
 * A row's checkpoint. `answers` are the attempts with answers that led to the outcome, in the order of
 * asking.
 */
export interface FinishedRow {
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly outcome: Outcome;
  readonly answers: readonly AttemptId[];
  /** Those of the answers that filled its steps; absent for a row of one step and one account. */
  readonly fills?: readonly AttemptId[] | undefined;
  /** The call of another row, of the same person, that it waits for. */
  readonly waitsFor?: AttemptId | undefined;
}

/** A row that goes on, with its answers so far. */
export type RowFills = Pick<FinishedRow, 'batch' | 'row' | 'answers'> & {
  readonly fills: readonly AttemptId[];
};

export interface WaitingRow {
  readonly row: RowNumber;
  readonly findings: Findings;
}

/** Where rows are read: from one on, or those before one. */
export type RowSpan = { readonly from: RowNumber } | { readonly before: RowNumber };

/**
 * When a job tells: its list is done, something stopped it, rows are in doubt, or the vendor has few credits
 * left.
 */
export const NOTICE_KINDS = ['end', 'stop', 'doubt', 'low_balance'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 * What a job tells people outside, such as the end of a night. It is kept before it is sent, so that a crash
 * in between loses none.
 */
export interface Notice {
  /** Tells a receiver that it has this one already: a notice is sent at least once, and perhaps twice. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** The receiver: a name in the accounts file of the sender. */
  readonly target: string;
  /** What is sent, as JSON without personal data. */
  readonly body: string;
  readonly atMs: number;
}

/** The share of matches among fewer answers says little. */
export const ASKED_OFTEN_ENOUGH = 20;

/** The rows of a batch for which an account was asked by one operation, and what it cost. */
export interface AskedOfAccount {
  readonly operation: string;
  readonly accountIdentity: string;
  readonly reached: number;
  /** Rows of these for which the batch itself asked. The ledger knew the answers of the others. */
  readonly asked: number;
  readonly found: number;
  /** Rows of these that what was found has filled. No check fills one. */
  readonly filled: number;
  /**
   * The answered calls of the batch itself, those of them that found something, those for which the vendor
   * sold something, also of another kind, and those that filled.
   */
  readonly calls: number;
  readonly matches: number;
  readonly sold: number;
  readonly fillers: number;
  readonly spent: Credits;
  readonly forMisses: Credits;
  /** The part of the spent ones that the vendor may not have charged in full. */
  readonly atMost: Credits;
}

export type Saved = Pick<Spent, 'accountIdentity'> & { readonly saved: Credits };

/** What attempts cost, added up by batch, account, day and who made them. */
export interface Spent {
  readonly batch: BatchId;
  readonly accountIdentity: string;
  /** The day that has it on its budget, UTC, in ms since 1970. */
  readonly dayMs: number;
  /** The person who was at work; absent where no one is known. */
  readonly operator?: string;
  readonly spent: Credits;
  /** What of that was paid for answers in which the vendor had nothing. */
  readonly forMisses: Credits;
  /** The part of it that the vendor may not have charged in full. */
  readonly atMost: Credits;
  /** What requests in doubt may have cost. */
  readonly inDoubt: Credits;
  readonly requests: number;
}
