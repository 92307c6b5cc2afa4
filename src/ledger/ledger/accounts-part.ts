import type { Call } from '../../core/operation.ts';
import type { FoundReply, Sent } from './call-records.ts';
import type {
  AccountCaps,
  AccountState,
  AttemptId,
  BatchId,
  Credits,
  LearnedRate,
  MissesMark,
  Money,
  PauseRecord,
  UsageMark,
} from './records.ts';

/** Accounts at a vendor: their money, prices, pace, pauses and misses. What any process may read beside a running spender. */
export interface AccountsReader {
  account(accountIdentity: string): Promise<AccountState>;
  /** Money of the account's batches in a day, a month or (`ever`) in all; `ever` has no cap. */
  accountMoney(accountIdentity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money>;
  /**
   * Whether spent credits are the most that was charged: the price of one answer at least was stated neither by itself nor
   * by the dialect, a person told it, or it was settled at what a lost one had reserved. Of an account: in any of its batches.
   */
  isSpentAtMost(of: { readonly batch: BatchId } | { readonly account: string }): Promise<boolean>;
  /**
   * The highest price that an answer of the account has shown for the operation, kept apart for each `creditsMost` of
   * its calls; undefined before the first such answer.
   */
  price(accountIdentity: string, call: Pick<Call, 'operation' | 'creditsMost'>): Promise<Credits | undefined>;
  /** Share of an operation's answers that were `found`; undefined before the first answer. */
  matchRate(accountIdentity: string, operation: string): Promise<number | undefined>;
  /** At most `most`, newest first. Among very many other attempts only the newest are searched. */
  newestFound(accountIdentity: string, most: number): Promise<readonly FoundReply[]>;
  /** The account's sends since `sinceMs`, oldest first, at most `limit`: the newest ones. */
  sends(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly Sent[]>;
  /** Pauses of the account that overlap the given time, oldest first. */
  pauses(accountIdentity: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]>;
  /** The accounts in which answers about people who were forgotten are known by their calls alone. */
  forgettingAccounts(): Promise<readonly string[]>;
}

export interface Accounts extends AccountsReader {
  setAccountCaps(accountIdentity: string, caps: AccountCaps): Promise<void>;
  /** Deletes pauses that began 90 days before. An `asked` pause also sets the account's `pausedUntilMs`. */
  notePause(accountIdentity: string, pause: PauseRecord): Promise<void>;
  /** Keeps the learned speed of an account; undefined means that the old one is no longer valid. */
  setLearnedRate(accountIdentity: string, learned: LearnedRate | undefined): Promise<void>;
  setUsage(accountIdentity: string, usage: UsageMark | undefined): Promise<void>;
  /** Keeps a time that this machine's clock and the account's vendor have both reached; one that is earlier than the kept one changes nothing. */
  keepTold(accountIdentity: string, atMs: number): Promise<void>;
  /**
   * Takes back every free `no_match` of status 404, if no request that was sent later was answered otherwise. The
   * database refuses to take back any other answer. The answer to a change stays. The count begins again at zero.
   */
  retractMisses(accountIdentity: string): Promise<number>;
  /**
   * Takes back those of these answers that are free refusals to lookups, so that their calls are unknown and their rows pending.
   * @returns how many.
   */
  retractRefusals(accountIdentity: string, answers: readonly AttemptId[]): Promise<number>;
  /**
   * Notes a stop because of the present misses, or that a person accepts them; the next other answer deletes the note.
   */
  markMisses(accountIdentity: string, mark: MissesMark): Promise<void>;
}
