import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listsFolder, stateFolder } from '../core/paths.ts';
import { isUrl } from '../ledger/store.ts';

export interface StoreChoice {
  readonly location: string;
  /** Whether the user named the store. A named store is made wherever it is. */
  readonly named: boolean;
}

/**
 * Chooses the store: `--store`, else `$ROWONCE_STORE`, else this user's folder. Sandbox accounts have a
 * default folder of their own, so that a trial never makes the real ledger larger.
 */
export function chooseStore(flag: string | undefined, sandbox: boolean): StoreChoice {
  const named = flag ?? (process.env.ROWONCE_STORE || undefined);
  if (named !== undefined) return { location: named, named: true };
  return { location: sandbox ? join(stateFolder(), 'sandbox') : stateFolder(), named: false };
}

/** Whether a folder has a ledger. For a server only its store can tell. */
export const isThere = (location: string): boolean =>
  isUrl(location) || existsSync(join(location, 'ledger.db'));

/**
 * The stores that a reading command looks into: the named one, or else the two default ones, as far as they
 * exist.
 */
export function storesToLookAt(flag: string | undefined): readonly string[] {
  const real = chooseStore(flag, false);
  if (real.named) return [real.location];
  const locations = [real.location, chooseStore(flag, true).location];
  return locations.filter(isThere);
}

/** The store that a command looks after: the sandbox's where a user has no other. */
export function storeThere(flag: string | undefined): string {
  const { location } = chooseStore(flag, false);
  const there = storesToLookAt(flag);
  return there.includes(location) ? location : (there[0] ?? location);
}

/**
 * The stores that may hold something about a person. A user may have brought lists to the page before
 * anything was run.
 */
export function storesWithLists(flag: string | undefined): readonly string[] {
  const { location } = chooseStore(flag, false);
  const found = storesToLookAt(flag);
  return found.includes(location) || !existsSync(listsFolder(location)) ? found : [location, ...found];
}

/**
 * The store that a command has to name to find a batch of the store; undefined for a store that every command
 * looks into.
 */
export function storeToName(flag: string | undefined): string | undefined {
  return flag === undefined || storesToLookAt(undefined).includes(flag) ? undefined : flag;
}
