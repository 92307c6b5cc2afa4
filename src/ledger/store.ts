import type { Clock } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import type { PAUSE_SIGNAL } from '../lib/pause-signal.ts';
import type { Patience, Tell } from '../lib/postgres-server.ts';
import type { Db, Sql } from './db.ts';
import type { Ledger, LedgerReader } from './ledger.ts';
import type { Difference } from './transitions.ts';

/** There is no ledger, or one with tables that a crash of the first run has kept from being laid. */
export class NothingThere extends StopError {}

/**
 * Where a ledger lives: a folder with SQLite, or a database of PostgreSQL. One suite runs over both
 * (`test/ledger/stores/`).
 */
export interface Store {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Many processes may spend from it at once, share limits by the `spenders` of its ledgers, and look things
   * up: no call that changes something is taken.
   */
  readonly manySpend: boolean;
  /**
   * Opens the ledger for spending: for one process, but where many spend.
   * @throws StopError `busy` when another process is spending from it. `store` when there is none and
   *   `create` is false, or the place cannot be one. `store_version` when this Rowonce does not know its
   *   schema. `store_damaged` when it cannot be read. `store_lost` when a newer one is known of. `disk_full`.
   */
  open(location: string, options: StoreOptions): Promise<Ledger>;
  /**
   * Opens the ledger beside a spender and changes nothing.
   * @param tell hears facts that would stop a spender and do not stop a reader.
   * @throws StopError the codes of `open` except `busy` and `store_lost`.
   */
  look(location: string, tell?: Tell): Promise<LedgerReader>;
  /**
   * Makes the folder of a store, or takes the one that is there, as `open` would: what belongs to the ledger
   * may then be kept beside it.
   * @throws StopError `store`, also where a server has no ledger yet, `store_lost` or `disk_full`.
   */
  prepare(location: string): Promise<void>;
  /**
   * Lays out all that the store needs, for processes that may alter no schema. What is there stays.
   * @returns the statements that allow a role to work, and one to look.
   * @throws StopError `store`, `usage` for a folder.
   */
  init(location: string): Promise<StoreGrants>;
  /**
   * The process that says it spends from a folder; undefined when none does, or when it has ended without
   * taking that back. No decision about money depends on it. Where many spend, the ledger has `workers`
   * instead.
   */
  spender(location: string): Promise<Spender | undefined>;
  /** How much room the ledger takes. @throws StopError as `look`. */
  bytes(location: string): Promise<number>;
  /**
   * Has the database check itself, and adds each budget up anew from the entries, also while others spend.
   * @throws StopError as `look`.
   */
  check(location: string): Promise<StoreCheck>;
  /**
   * Copies it into a file that is not there yet, also while others spend. Put back it buys nothing before a
   * person accepts that.
   * @throws StopError `output` when there is such a file, `store` where the database has means of its own,
   * and as `look`.
   */
  backUp(location: string, file: string): Promise<void>;
  /**
   * Opens the store for as long as the work takes, to erase from it, also where it was copied.
   * @throws StopError as `open` of an existing ledger; `store` for a role that does not own it.
   */
  alone<T>(location: string, options: AloneOptions, work: (alone: SoleAccess) => Promise<T>): Promise<T>;
  /**
   * Opens the store for as long as the work takes, to copy it, also where it was copied before, or has an
   * earlier layout that can be copied. Nothing is written but that it was copied.
   * @throws StopError `busy`; `store`, also for a role that does not own it; `store_version`.
   */
  copyFrom<T>(location: string, options: AloneOptions, work: (from: CopySource) => Promise<T>): Promise<T>;
  /** Opens the store to be copied to. @throws StopError `busy`, `store` or `store_lost`. */
  copyTo(location: string, options: AloneOptions): Promise<CopyTarget>;
}

/** A ledger that is copied. */
export interface CopySource extends Pick<SoleAccess, 'db' | 'requireSame'> {
  /** The number of its tables. */
  readonly layout: number;
  /** Whether an earlier Rowonce made them. */
  readonly isEarlier: boolean;
  /** What is known to be missing in it, as a sentence. The copy lacks the same. */
  readonly missing: string | undefined;
  /**
   * Makes the place of the ledger that of the copy, too.
   * @throws StopError `busy` while another process has it open.
   */
  inItsPlace(): Promise<CopyInPlace>;
}

/** A ledger to which no one else writes. */
export interface SoleAccess {
  readonly db: Db;
  readonly worker: number;
  readonly ledger: Ledger;
  /** The folder with all that is kept beside the ledger. */
  readonly folder: string;
  /**
   * Comes first in a transaction.
   * @throws StopError `busy` where another process has written since the work began.
   */
  requireSame(sql: Sql): Promise<void>;
  /**
   * Rids the store of bytes that an erasure leaves.
   * @returns why that is still due, in sentences for a user: the next opening that can does it, and no one is
   * kept from working.
   */
  clean(): Promise<string | undefined>;
}

/** Where a copy goes. */
export interface CopyTarget {
  readonly location: string;
  /** The name of the ledger that is there and holds something. */
  readonly present: string | undefined;
  /**
   * Makes the copy, in the place of one that was not finished, and checks it. It survives a loss of power
   * once this resolves, and no one can open it yet.
   * @param identity the name of the copy.
   */
  take(from: CopySource, identity: string): Promise<void>;
  /** Opens the copy to everybody. */
  arrive(identity: string): Promise<void>;
  close(): Promise<void>;
}

export interface CopyInPlace extends CopyTarget {
  /** Where the ledger that was copied is from then on, in words for a user. */
  readonly keptAt: string;
}

/** What was found by checking a ledger and adding it up anew. */
export interface StoreCheck {
  /** What the database's own check says is broken. */
  readonly broken: readonly string[];
  readonly budgets: number;
  /** Those with attempts that add up to something else than is booked. */
  readonly wrong: readonly Difference[];
}

/** What roles of a database need, as statements. */
export type StoreGrants = Readonly<Record<'worker' | 'reader', readonly string[]>>;

export interface Spender {
  readonly pid: number;
  /** Its number in the ledger; left out where one process spends at a time. */
  readonly worker?: number;
  /** ISO 8601, UTC. */
  readonly since: string;
  readonly command: string;
  /** The signal that asks it to stop because a person pauses its batch; left out: SIGTERM. */
  readonly pausedBy?: typeof PAUSE_SIGNAL;
}

export interface StoreOptions {
  /** How long to wait for another spender to end; 0 means not at all. */
  readonly waitForLockMs: number;
  readonly clock: Clock;
  /** Whether a ledger is made where there is none. */
  readonly create: boolean;
  /**
   * Whether an older ledger than the known one is accepted. `tell` says so, and it becomes a ledger of its
   * own.
   */
  readonly acceptOutdated?: boolean | undefined;
  /**
   * A ledger that was copied to another place is opened as well: nothing is bought or decided, or it is
   * erased from.
   */
  readonly mayBeCopied?: boolean | undefined;
  readonly tell?: Tell | undefined;
  /**
   * How a store that cannot be reached for a while is waited for. Without it what is asked for meanwhile
   * fails at once.
   */
  readonly patience?: Patience | undefined;
  /**
   * The command of this process, such as `run enrich-company leads.csv`; it is shown to a process that finds
   * the store busy.
   */
  readonly command: string;
  /** The person at work, who is kept with what they do; left out: no one is noted. */
  readonly operator?: string | undefined;
}

export interface AloneOptions extends Pick<StoreOptions, 'clock' | 'waitForLockMs' | 'command' | 'operator'> {
  /** Whether a folder that has no ledger becomes a store. */
  readonly create?: boolean;
  /** Nothing is changed, so it goes beside others where many spend, and under any role. */
  readonly dryRun?: boolean | undefined;
}

/** Whether a location is a URL such as `postgres://host/name`, and not a path. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location);
}
