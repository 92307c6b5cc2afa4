import type { BatchId, Credits } from '../../core/ids.ts';

export { type AttemptId, type BatchId, type Credits, credits, type DecisionId } from '../../core/ids.ts';

import type { JsonObject, Vendor } from '../../core/operation.ts';
import type { Outcome, RowNumber } from '../../core/row.ts';

/** What the book is about: batches, accounts, money and time, as its methods take and give them. */

// ---------------------------------------------------------------------------------------------------- batches

export type BatchState = 'open' | 'finished' | 'superseded' | 'cancelled';

/**
 * Answers that are older count as none for a batch, so they are bought anew; what the batch itself bought is always
 * fresh. Fixed when the batch begins, so that a resumed run cannot find its own answers too old. Ms since 1970.
 */
export interface FreshSince {
  /** For answers that were found; absent: of any age. */
  readonly foundMs?: number;
  /** For all others. */
  readonly noMatchMs?: number;
}

export interface BatchSpec {
  /** SHA-256 of account identity, operation, columns, waterfall and the input's bytes: what makes it this batch. */
  readonly key: string;
  /** SHA-256 of account identity, operation and input path: another key of the same lineage supersedes. */
  readonly lineage: string;
  readonly accountIdentity: string;
  readonly accountName: string;
  readonly sandbox: boolean;
  readonly vendor: Vendor;
  readonly operation: string;
  readonly inputPath: string;
  readonly inputSha256: string;
  /** Rows of the input that are not blank. */
  readonly inputRows: number;
  /** What else is needed to write the output again: columns, waterfall, `add`. zod reads it back. */
  readonly settings: JsonObject;
  readonly createdAtMs: number;
  readonly freshSince?: FreshSince;
  /** Planned rows that the input does not have: people who are removed because it does not name them any more. */
  readonly rowsBeyond?: number;
}

/**
 * A row of a batch of changes as it was planned. `rows` beyond those of the input are numbered on after its last one.
 * `work` is what the operation's `next` is given; a row that needs none has its outcome from the plan. `input`: what of
 * the file it was planned from, as `SettledRow` has it.
 */
export type PlannedRow = { readonly row: RowNumber; readonly input?: number } & (
  | { readonly kind: 'work'; readonly work: JsonObject }
  | { readonly kind: 'end'; readonly outcome: Outcome }
);

export interface Batch extends BatchSpec {
  readonly id: BatchId;
  /** 1 for the first batch of its key. */
  readonly generation: number;
  readonly state: BatchState;
  readonly outputPath?: string;
  /** SHA-256 of the output as we last wrote it, to notice that somebody changed it since. */
  readonly outputSha256?: string;
  /** The words that go on with this batch, ready to be typed. */
  readonly command?: string;
}

export interface BatchStart {
  readonly batch: Batch;
  /** `new`, `resumed` (it was open) or `finished` (nothing left but what is in doubt). */
  readonly start: 'new' | 'resumed' | 'finished';
  /** Open batches of the same lineage over other content, which this one ended. */
  readonly superseded: readonly BatchId[];
}

/** What may be changed on a batch at any time, because it is not part of what the batch is. */
export interface BatchChange {
  /** `superseded`: its rows turned out to be another content's. */
  readonly state?: 'open' | 'finished' | 'cancelled' | 'superseded';
  /** `null`: no cap. */
  readonly budget?: Credits | null;
  /** Most credits that retries of calls in doubt may reserve in this batch. */
  readonly extraCredits?: Credits;
  readonly settings?: JsonObject;
  readonly outputPath?: string;
  readonly outputSha256?: string;
  readonly command?: string;
  /** Where the input was moved to after it had been worked through. */
  readonly inputPath?: string;
}

// ---------------------------------------------------------------------------------------------------- money

/** What a budget's scope holds. At admission `spent + reserved + inDoubt + the intent's reserve ≤ cap`. */
export interface Money {
  readonly cap?: Credits;
  /** Confirmed by answers. */
  readonly spent: Credits;
  /** Held by open attempts; released when they close. */
  readonly reserved: Credits;
  /** Held by calls in doubt: may have been charged. */
  readonly inDoubt: Credits;
}

/** `extra`: what a batch may spend on sending calls in doubt again. */
export type BudgetScope = 'batch' | 'day' | 'month' | 'extra';

/** Caps of an account, over all its batches. Days and months are UTC. */
export interface AccountCaps {
  readonly perDay?: Credits;
  readonly perMonth?: Credits;
}

export interface AccountState {
  /** Answers of any kind that this account ever gave. */
  readonly answers: number;
  /** Those of them that were not status 404. Zero of many means that the address is wrong. */
  readonly answersNot404: number;
  /** Those of them that found something. */
  readonly found: number;
  readonly misses: Misses;
  /** Until when the vendor asked us to wait, ms since 1970. */
  readonly pausedUntilMs?: number;
  /** The speed that was found out from answers, as far as it is known. */
  readonly learned?: LearnedRate;
  /** What the vendor's own count of credits last was, when nothing of ours was open or in doubt. */
  readonly usage?: UsageMark;
}

/** The answers of status 404 that an account gave last, with no other in between. */
export interface Misses extends MissesMark {
  readonly count: number;
}

/** What is kept of a series of misses until another answer ends it. */
export interface MissesMark {
  /** Where they were asked, when a run was stopped for them. */
  readonly place?: string;
  /** Whether a person lets them stand. */
  readonly kept: boolean;
}

/** How fast an account may be asked, as its answers taught us. */
export interface LearnedRate {
  /** Requests a second on average; may be below 1. */
  readonly perSecond: number;
  readonly atMs: number;
}

/** Two counts of the same moment: any later difference between how far they grew is what calls in doubt cost. */
export interface UsageMark {
  /** Credits by the vendor's count. */
  readonly counted: number;
  /** Credits by ours: all that the account ever spent. */
  readonly spent: Credits;
  readonly atMs: number;
}

/** That somebody agreed to what a job and its dialect send, before it was sent for the first time. */
export interface Agreement {
  /** Over what decides the requests. */
  readonly sha256: string;
  /** What was agreed to, as it was shown. */
  readonly shown: string;
  readonly agreedAtMs: number;
}

/** A stretch in which nothing was sent. `asked`: by the vendor, so that it holds for later runs too. */
export interface PauseRecord {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly why: string;
  readonly asked: boolean;
}

/** What a batch sent and spent over time, for a picture of it; empty for a batch that sent nothing. */
export interface Activity {
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly buckets: readonly { readonly requests: number; readonly credits: number }[];
}

// ---------------------------------------------------------------------------------------------------- time

/** A time of the calendar, and the uptime of the machine at that moment. */
export interface TimeMark {
  readonly atMs: number;
  readonly uptimeMs: number;
}

/** What the ledger knows of the time, in the present boot of the machine. */
export interface KeptTime {
  /** What the calendar said when the boot was first seen, or the less of two times that contradicted each other. */
  readonly seen: TimeMark;
  /** The last time that an answer's `Date` and the calendar agreed on in this boot. */
  readonly confirmed?: TimeMark;
  /** The latest time that was ever confirmed, in whatever boot: it has passed for certain. */
  readonly floorMs?: number;
}

/** When an attempt began, on the boot clock. `isConfirmed`: an answer has told the time in that boot. */
export interface BootMoment {
  readonly id: string;
  readonly uptimeMs: number;
  readonly isConfirmed: boolean;
}
