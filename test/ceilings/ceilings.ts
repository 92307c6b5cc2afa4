import type { Step } from './scene.ts';

/**
 * The most that a list of 1,000 rows may ask for. Whoever makes a step cheaper lowers its numbers to what is then counted;
 * `npm run bench statements` shows what they are made of. The numbers have a
 * little room: how writes share a commit depends on when answers arrive, and a few statements on how long it takes.
 */
export interface Ceiling {
  readonly statements: number;
  /** Transactions that write: each waits for the disk once. */
  readonly commits: number;
  /** Of these, commits that end calls, so that what they cost is booked. */
  readonly groups: number;
  /** Transactions that only read. */
  readonly snapshots: number;
  /** Waits for the disk for files beside the ledger. */
  readonly syncs: number;
  readonly requests: number;
}

/** What is written or looked for of records is a statement for up to 32 of them: a JSON list of all is one statement, and is dearer. */
export const CEILINGS: Readonly<Record<Step, Ceiling>> = {
  // Some keep by what the account is known, and take a block of numbers. A note of this host waits for its bytes and for its name.
  bought: { statements: 950, commits: 58, groups: 26, snapshots: 2, syncs: 11, requests: 1_000 },
  // One statement asks what a vendor has accepted and not yet answered, some which rows share an answer, for `_match`, and one what an
  // earlier build has started.
  'written again': { statements: 179, commits: 14, groups: 0, snapshots: 0, syncs: 4, requests: 0 },
  // Groups of 200 rows ask three times more than groups of 500, and take 6 % less of the processor.
  planned: { statements: 104, commits: 0, groups: 0, snapshots: 0, syncs: 0, requests: 0 },
  replayed: { statements: 300, commits: 18, groups: 0, snapshots: 0, syncs: 6, requests: 0 },
};

/**
 * What a bought row may allocate, without what a start does. `npm run bench memory` shows which function allocates what. It
 * differs by half a kilobyte from run to run. To know whom an answer is about takes some eight of them, and what kind each cell is some four.
 */
export const MOST_KILOBYTES = 94;
