import type { Clock } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import type { Call } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import type { BatchId, CallState, Ledger, LedgerReader } from './ledger.ts';

/**
 * The contract of a store: where a ledger lives and how it is opened. One file in `stores/` is one store; one
 * conformance suite (`test/ledger/stores/`) runs over every one that is found there. `docs/adding-a-store.md` walks through one.
 */
export interface Store {
  readonly name: string;
  /** Keeps nothing: for tests, never for a user. */
  readonly forTests?: true;
  /** Whether that is a place of this store: a path for SQLite, `postgres://…` for PostgreSQL. */
  handles(location: string): boolean;
  /**
   * Opens the ledger for spending: alone, checked, and brought to the newest schema.
   * @throws StopError `busy` when another process is spending from it; `store` when there is none and `create` is
   *   false, or the place cannot be one; `store_version` when this Rowonce does not know its schema; `store_damaged` when
   *   something that was committed is missing or altered; `store_lost` when a newer one is known of; `disk_full`.
   */
  open(location: string, options: StoreOptions): Promise<Ledger>;
  /**
   * Opens the ledger beside whoever spends from it; changes nothing.
   * @param tell hears what would hold a spender back and nobody who only looks.
   * @throws StopError as `open`, never `busy` or `store_lost`.
   */
  look(location: string, tell?: Tell): Promise<LedgerReader>;
  /**
   * Reads what can be read of a damaged ledger, which stays as it is. Left out: it cannot be read in part.
   * @param workFolder an empty folder for a copy. @throws StopError `store` when there is none, `store_damaged` when
   *   nothing at all can be read.
   */
  salvage?(location: string, workFolder: string): Promise<Salvage>;
  /**
   * Erases, or only finds what it would erase. An entry about it comes first; amounts, times and kinds stay. A crash leaves
   * it not begun, or to be finished by whoever opens the store to spend. Left out: nothing is erased.
   * @throws StopError as `open`.
   */
  erase?(location: string, order: ErasureOrder, options: ErasureOptions): Promise<Erased>;
}

export interface ErasureOptions extends StoreOptions {
  readonly dryRun: boolean;
}

/** In the form in which calls name them: an address in lower case, or a profile page as `identifiers.ts` writes it. */
export interface Person {
  readonly kind: 'email' | 'profile';
  readonly value: string;
}

/** What is to be erased: all that is kept about a person, or all answers that are older. */
export type ErasureOrder =
  | { readonly kind: 'person'; readonly person: Person }
  | {
      readonly kind: 'age';
      /** Ms since 1970. */
      readonly beforeMs: number;
      /** Of this account alone; left out: of all. */
      readonly accountIdentity?: string;
    };

export interface Erased {
  /** Calls whose answers were erased, with what was asked. */
  readonly calls: number;
  /** Answers about others as well, from which one person was cut out. */
  readonly cut: number;
  readonly rows: number;
  /** Memberships of which it is not known any more whose they are. */
  readonly memberships: number;
  /** Places beside the book that are named after a person: commands, names of lists and outputs, reasons of pauses. */
  readonly names: number;
  /** Lists in the store that were removed. */
  readonly files: readonly string[];
  /** Outputs of the batches concerned, which are the user's and stay as they are. */
  readonly outputs: readonly string[];
  /** What stays, because it is not settled: a person is erased only once nothing is here. */
  readonly unsettled: readonly { readonly batch: BatchId; readonly row: RowNumber }[];
  /** Another process reads the ledger, so that its log still holds what was erased; the next run overwrites it. */
  readonly isLogHeld: boolean;
}

/** A ledger of which some may be unreadable: that is passed over and noted. */
export interface Salvage extends LedgerReader {
  /** What was met so far. */
  readonly unreadable: readonly Unreadable[];
  everyCall(): AsyncIterable<SalvagedCall>;
}

export interface Unreadable {
  readonly what: string;
  readonly why: string;
}

export interface SalvagedCall {
  readonly accountIdentity: string;
  readonly call: Call;
  readonly state: CallState;
}

/** Hears a fact that a person should know and that stops nothing. */
export type Tell = (fact: string) => void;

export interface StoreOptions {
  /** How long to wait for another spender to end; 0: not at all. */
  readonly waitForLockMs: number;
  readonly clock: Clock;
  /** Whether a ledger is made where there is none. */
  readonly create: boolean;
  /** Whether a ledger is taken although a newer one is known of. It is told, and from then on it is a ledger of its own. */
  readonly acceptLost?: boolean | undefined;
  /** Nothing is going to be sent, so it does not matter whether the newest entries can be vouched for. */
  readonly sendsNothing?: boolean | undefined;
  readonly tell?: Tell | undefined;
  /** What we are doing, such as `run enrich-company leads.csv`; told to whoever finds the store taken. */
  readonly command: string;
}

/** Whether a location is a URL such as `postgres://host/name`, and not a path. */
export function isUrl(location: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location);
}

/** The store that a location belongs to. @throws StopError `store` when none of them handles it. */
export function storeFor(stores: Iterable<Store>, location: string): Store {
  const names: string[] = [];
  for (const store of stores) {
    if (store.handles(location)) return store;
    names.push(store.name);
  }
  throw stop(
    'store',
    `No store handles ${withoutPassword(location)}; known are: ${names.join(', ')}.`,
    'Name a folder on a local disk with --store.',
  );
}

/** A location may have been typed with a password in it, which no message may repeat. */
function withoutPassword(location: string): string {
  return location.replace(/\/\/[^@/]*@/, '//…@');
}
