import type { BootTime } from '../../core/clock.ts';
import type { KeptTime, TimeMark } from './records.ts';

/** What time it is believed to be. The database dates intents by it. What any process may read beside a running spender. */
export interface TimeReader {
  /** The latest time that an answer's `Date` ever confirmed; undefined before the first one. */
  confirmedTime(): Promise<number | undefined>;
  /** As `Ledger.atBoot`, and nothing is noted. */
  keptTime(boot: BootTime, atMs: number): Promise<KeptTime>;
}

export interface Time extends TimeReader {
  /** Assigns all later intents to this boot. @param atMs the calendar's time, kept with a boot that is new. */
  atBoot(boot: BootTime, atMs: number): Promise<KeptTime>;
  /** Keeps another time for the one that the calendar said when the present boot was first seen. */
  keepSeenTime(mark: TimeMark): Promise<void>;
  /**
   * Keeps a time that an answer of the account confirmed in the present boot. It never goes back, and from then on no
   * intent is dated before it, nor in this boot more than five minutes after it and the uptime since: the database
   * refuses both. It also refuses what a sandbox told, once a batch of any other account has begun.
   */
  keepConfirmedTime(mark: TimeMark, accountIdentity: string): Promise<void>;
  /**
   * Takes from the present boot its confirmed time, and from every other boot one that is later than `afterMs`. They are kept as refuted:
   * how long ago moments of these boots and of earlier ones were is unknown from then on. The database refuses the first batch
   * of an account that is no sandbox as long as a time is confirmed.
   */
  refuteTimes(afterMs: number): Promise<void>;
}
