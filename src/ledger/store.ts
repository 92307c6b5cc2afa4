import type { Clock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import type { PAUSE_SIGNAL } from '../lib/pause-signal.ts';
import type { StoreCheck } from './check.ts';
import type { CopySource, CopyTarget } from './copy.ts';
import type { Eraser } from './eraser.ts';
import type { Ledger, LedgerReader } from './ledger.ts';
import type { WorkQueue } from './work-queue.ts';

export type { BudgetSums, StoreCheck, WrongBudget } from './check.ts';
export { Unanswered } from './db.ts';

/**
 * The contract of a store: where a ledger lives and how it is opened. One file in `stores/` is one store; one
 * conformance suite (`test/ledger/stores/`) runs over every one that is found there. `docs/internals/adding-a-store.md` walks through one.
 */
export interface Store {
  readonly name: string;
  /** It takes no call that changes something, and no batch of changes. */
  readonly lookupsOnly?: true;
  /** Many processes may spend from it at once. Its ledgers have `spenders`, by which they share limits. */
  readonly manySpend?: true;
  /** Whether this store has such locations: a path for SQLite, `postgres://…` for PostgreSQL. */
  handles(location: string): boolean;
  /**
   * Opens the ledger for spending: for one process, but where many spend.
   * @throws StopError `busy` when another process is spending from it; `store` when there is none and `create` is
   *   false, or the place cannot be one; `store_version` when this Rowonce does not know its schema; `store_damaged` when
   *   it cannot be read; `store_lost` when a newer one is known of; `disk_full`.
   */
  open(location: string, options: StoreOptions): Promise<Ledger>;
  /**
   * Opens the ledger beside a spender and changes nothing.
   * @param tell hears facts that would stop a spender and do not stop a reader.
   * @throws StopError the codes of `open` except `busy` and `store_lost`.
   */
  look(location: string, tell?: Tell): Promise<LedgerReader>;
  /**
   * Makes the folder of a store, or takes the one that is there, as `open` would, and opens no ledger: what belongs to the
   * ledger may then be kept beside it. A store without this method has no folder.
   * @throws StopError `store`, `store_lost` or `disk_full`.
   */
  prepare?(location: string): Promise<void>;
  /**
   * Lays out all that the store needs, for processes that may alter no schema. What is there stays. A store without this method needs
   * nothing to be laid out beforehand.
   * @returns the statements that allow a role to work, and one to look. @throws StopError `store`.
   */
  init?(location: string): Promise<StoreGrants>;
  /** The queue that hands ranges of submitted batches to workers; undefined where `init` has not laid it out. */
  queue?(location: string): Promise<WorkQueue | undefined>;
  /**
   * The process that says it spends from the store; undefined when none does, or when it has ended without taking that
   * back. No decision about money depends on it. Where many spend, the ledger has `workers` instead.
   */
  spender?(location: string): Promise<Spender | undefined>;
  /**
   * What a person should know of the place, beside what every ledger says; nothing is changed. A store without this method is a
   * folder, of which the disk says enough.
   * @throws StopError `store` when it cannot be reached.
   */
  examine?(location: string): Promise<readonly StoreFact[]>;
  /** What its keeper does with the ledger as a whole, which changes nothing in it, also while somebody spends. */
  readonly upkeep?: {
    /** How much room it takes. @throws StopError as `look`. */
    bytes(location: string): Promise<number>;
    /** Has the database check itself, and adds each budget up anew from the entries. @throws StopError as `look`. */
    check(location: string): Promise<StoreCheck>;
    /**
     * Copies it into a file that is not there yet. Put back it buys nothing before a person accepts that.
     * @throws StopError `output` when there is such a file, `store` where the database has means of its own, and as `look`.
     */
    backUp(location: string, file: string): Promise<void>;
  };
  /** Copies a ledger to another store, or takes one from there. A store without this member does neither. */
  readonly copying?: {
    /** Opens the store to be copied from. @throws StopError as `open` of an existing ledger. */
    from(location: string, options: Omit<StoreOptions, 'create'>): Promise<CopySource>;
    /** @throws StopError `busy`, `store` or `store_lost`. */
    to(location: string, options: Omit<StoreOptions, 'create'>): Promise<CopyTarget>;
  };
  /**
   * Opens the store to erase from it, for as long as the work takes. A store without this method erases nothing. Where there
   * is no ledger yet, lists that were brought to the page may be there.
   * @throws StopError as `open`.
   */
  erasing?<T>(location: string, options: StoreOptions, work: (eraser: Eraser) => Promise<T>): Promise<T>;
}

/** What roles of a database need, as statements. */
export interface StoreGrants {
  readonly worker: readonly string[];
  readonly reader: readonly string[];
}

/** One thing about a place that was looked at. A problem says in `next` what to do. */
export interface StoreFact {
  readonly what: string;
  readonly fact: string;
  readonly next?: string;
}

export interface Spender {
  readonly pid: number;
  /** ISO 8601, UTC. */
  readonly since: string;
  readonly command: string;
  /** The signal that asks it to stop because a person pauses its batch; left out: SIGTERM. */
  readonly pausedBy?: typeof PAUSE_SIGNAL;
}

/** Hears a fact that a person should know and that stops nothing. */
export type Tell = (fact: string) => void;

export interface StoreOptions {
  /** How long to wait for another spender to end; 0 means not at all. */
  readonly waitForLockMs: number;
  readonly clock: Clock;
  /** Whether a ledger is made where there is none. */
  readonly create: boolean;
  /** Whether an older ledger than the known one is accepted. `tell` says so, and it becomes a ledger of its own. */
  readonly acceptLost?: boolean | undefined;
  /** Nothing is going to be sent, so it does not matter whether forgotten people are recognized. */
  readonly sendsNothing?: boolean | undefined;
  /** What is to be erased is only looked for, which keeps nobody from working where many spend. */
  readonly dryRun?: boolean | undefined;
  /** A ledger that was copied to another place is opened as well: nothing is bought or decided, or it is erased from. */
  readonly mayBeCopied?: boolean | undefined;
  readonly tell?: Tell | undefined;
  /** How a store that cannot be reached for a while is waited for. Without it what is asked for meanwhile fails at once. */
  readonly patience?: Patience | undefined;
  /**
   * The command of this process, such as `run enrich-company leads.csv`; it is shown to a process that finds the store
   * busy.
   */
  readonly command: string;
  /** Who is at work, which is kept with what they do; left out: nobody is noted. */
  readonly operator?: string | undefined;
}

/** What may have been paid for is waited for as long as the process lives, whatever this says. */
export interface Patience {
  /** Undefined: for ever. */
  readonly longestMs: number | undefined;
  /** Fires when the work is to end. */
  readonly signal: AbortSignal | undefined;
}

/** Whether a location is a URL such as `postgres://host/name`, and not a path. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location);
}

/** The store that a location belongs to. @throws StopError `store` when none of them handles it, or it has a password in it. */
export function storeFor(stores: Iterable<Store>, location: string): Store {
  const names: string[] = [];
  for (const store of stores) {
    if (store.handles(location)) {
      if (isUrl(location)) refusePassword(location);
      return store;
    }
    names.push(store.name);
  }
  throw stop(
    'store',
    `No store handles ${location.replace(/:\/\/.*/s, '://…')}; known are: ${names.join(', ')}.`,
    'Name a folder on a local disk with --store.',
  );
}

/**
 * The list of processes, the shell's history and the kept commands would show a password, and so would every message that
 * names the store. Of one that is not percent-encoded, such as `12/x`, a part reads as the path, and so does the @ behind it.
 */
function refusePassword(location: string): void {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url === undefined)
    throw stop(
      'store',
      'What --store names is not the URL of a database.',
      'Name it as postgres://USER@HOST:PORT/DATABASE.',
    );
  const { protocol, password, pathname, hash, searchParams } = url;
  const isHeld = [...searchParams.keys()].some((name) => /password|@/i.test(name));
  if (password === '' && !(pathname + hash).includes('@') && !isHeld) return;
  throw stop(
    'store',
    `The URL ${protocol}//… came with a password, which others can read wherever commands are shown.`,
    'Leave it out, and put it into the file that PGPASSFILE names, or into PGPASSWORD.',
  );
}
