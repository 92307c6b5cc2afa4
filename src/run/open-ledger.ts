import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { StopError, stop } from '../core/errors.ts';
import { STORES } from '../core/families.ts';
import { loadFamily } from '../core/family.ts';
import { stateFolder } from '../core/paths.ts';
import { Redaction } from '../core/redaction.ts';
import type { Ledger, LedgerReader } from '../ledger/ledger.ts';
import {
  type Erased,
  type ErasureOrder,
  type Salvage,
  type Store,
  type StoreOptions,
  storeFor,
  type Tell,
} from '../ledger/store.ts';
import { redactedLedger } from './redacted-ledger.ts';

/** Which store a command uses, and how it is opened. */

export interface StoreChoice {
  readonly location: string;
  /** Somebody named it, so it may be made even where nobody watches. */
  readonly named: boolean;
}

/**
 * `--store`, else `$ROWONCE_STORE`, else the folder of this user. Play money has a default folder of its own, so that
 * trying something out never makes the real ledger larger.
 */
export function chooseStore(flag: string | undefined, sandbox: boolean): StoreChoice {
  const named = flag ?? (process.env.ROWONCE_STORE || undefined);
  if (named !== undefined) return { location: named, named: true };
  return { location: sandbox ? join(stateFolder(), 'sandbox') : stateFolder(), named: false };
}

/** Where a command that only looks may find batches: the named store, else both default ones that exist. */
export function storesToLookAt(flag: string | undefined): readonly string[] {
  const real = chooseStore(flag, false);
  if (real.named) return [real.location];
  const locations = [real.location, chooseStore(flag, true).location];
  return locations.filter((location) => existsSync(join(location, 'ledger.db')));
}

/** What a command has to say so that it finds a batch of that store: nothing, where it looks by itself. */
export function storeWords(location: string): readonly string[] {
  return storesToLookAt(undefined).includes(location) ? [] : ['--store', location];
}

export interface OpenOptions extends Pick<StoreOptions, 'acceptLost' | 'sendsNothing' | 'tell'> {
  readonly clock: Clock;
  readonly waitForLockMs: number;
  /** A person sees what is said, or nothing is at stake: a store that nobody named may be made. */
  readonly mayCreate: boolean;
  readonly command: string;
}

/** @throws StopError `store` when there is no store yet and making one would hide that nothing is known as bought. */
export async function openLedger(choice: StoreChoice, options: OpenOptions): Promise<Ledger> {
  const { location } = choice;
  const store = await storeOf(location);
  const { mayCreate, ...opening } = options;
  if (!choice.named && !mayCreate && isNewStore(choice)) {
    throw stop(
      'store',
      `There is no store at ${location} yet, so nothing is known as bought.`,
      'Name the store with --store or $ROWONCE_STORE, so that a new one is not made by mistake.',
    );
  }
  return redactedLedger(await store.open(location, { ...opening, create: true }), keysOfAccounts);
}

/**
 * For a command that also gets along with looking: undefined while another process is spending from the store, or when
 * something holds back whoever would write to it, such as a newer ledger that is known of or a disk that takes no writes.
 */
export async function openIfFree(
  location: string,
  command: string,
  clock: Clock,
): Promise<Ledger | undefined> {
  try {
    const options = { clock, command, waitForLockMs: 0, mayCreate: false, sendsNothing: true };
    return await openLedger({ location, named: true }, options);
  } catch (error) {
    if (error instanceof StopError && HELD_BACK.has(error.code)) return undefined;
    throw error;
  }
}

const HELD_BACK: ReadonlySet<string> = new Set(['busy', 'store', 'store_lost', 'disk_full']);

/** Undefined when there is no store yet; looking never makes one. */
export async function lookIfThere(location: string, tell?: Tell): Promise<LedgerReader | undefined> {
  try {
    return await lookAtLedger(location, tell);
  } catch (error) {
    if (error instanceof StopError && error.code === 'store' && isNewStore({ location, named: true }))
      return undefined;
    throw error;
  }
}

/** Whether nothing is kept there yet, so that nothing is known as bought. */
function isNewStore({ location }: StoreChoice): boolean {
  return !location.includes('://') && !existsSync(join(location, 'ledger.db'));
}

/** @param tell hears what would hold a spender back. */
export async function lookAtLedger(location: string, tell?: Tell): Promise<LedgerReader> {
  return redactedLedger(await (await storeOf(location)).look(location, tell), keysOfAccounts);
}

/** Loaded with the first answer that is shown, because most looks show none. A wrong accounts file is said elsewhere. */
async function keysOfAccounts(): Promise<Redaction> {
  const { keysAtHand, loadAccounts } = await import('../vendor/account/account.ts');
  const configured = await loadAccounts().then(
    (accounts) => accounts.configured,
    () => [],
  );
  return new Redaction(keysAtHand(configured));
}

/** Reads what can be read of a damaged store. @param workFolder an empty folder. */
export async function salvageLedger(location: string, workFolder: string): Promise<Salvage> {
  const store = await storeOf(location);
  if (store.salvage !== undefined)
    return redactedLedger(await store.salvage(location, workFolder), keysOfAccounts);
  throw stop('store', `The store ${location} cannot be read in part.`, 'Restore it from a backup.');
}

/** Erases in a store that exists, or only finds what would be erased. */
export async function eraseIn(
  location: string,
  order: ErasureOrder,
  options: Pick<OpenOptions, 'clock' | 'waitForLockMs' | 'command'> & { readonly dryRun: boolean },
): Promise<Erased> {
  const store = await storeOf(location);
  if (store.erase !== undefined) return store.erase(location, order, { ...options, create: false });
  throw stop('store', `Nothing can be erased in the store ${location}.`, 'Erase it where the store is kept.');
}

async function storeOf(location: string): Promise<Store> {
  const stores = await loadFamily<Store>(STORES);
  return storeFor(
    [...stores.values()].filter(({ forTests }) => forTests !== true),
    location,
  );
}
