import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Ended } from './program.ts';
import type { Order, Workplace } from './workplace.ts';

/** Copies of a store that are put back when it has gone on, as somebody does who restores a backup. */

export interface Backup {
  /** A folder of its own, which stays as it is. */
  readonly folder: string;
  readonly identity: string;
  /** The number of its newest attempt. */
  readonly newest: number;
}

let taken = 0;

/** A copy of the store as it is now. No program may be spending from it. */
export function takeBackup(workplace: Workplace, store = 'store'): Backup {
  taken += 1;
  const folder = workplace.path(`${store}-backup-${taken}`);
  cpSync(workplace.path(store), folder, { recursive: true });
  return { folder, ...standingIn(folder) };
}

/** Puts the copy in the place of the store, which is lost by that. */
export function restore(workplace: Workplace, { folder }: Backup, store = 'store'): void {
  rmSync(workplace.path(store), { recursive: true, force: true });
  cpSync(folder, workplace.path(store), { recursive: true });
}

/**
 * Whether it is known outside of the store that more was done since: after a kill that may be so a second later only.
 * Until then nobody can tell the copy from the newest.
 */
export function isKnownToBeOlder(workplace: Workplace, { identity, newest }: Backup): boolean {
  try {
    const note = readFileSync(workplace.path(`state/rowonce-ledgers/newest-${identity}`), 'utf8');
    return Number(note.split(' ')[0]) > newest;
  } catch {
    return false;
  }
}

export interface Tried {
  readonly ended: Ended;
  /** That reached the vendor meanwhile. */
  readonly requests: number;
}

/** Types the command over the copy, and puts the newest store back afterwards. */
export async function tryOnBackup(workplace: Workplace, backup: Backup, order: Order = {}): Promise<Tried> {
  const { store = 'store' } = order;
  const [place, aside] = [workplace.path(store), workplace.path(`${store}-aside`)];
  renameSync(place, aside);
  cpSync(backup.folder, place, { recursive: true });
  const before = (await workplace.vendor.book()).requests;
  const ended = await workplace.run(order);
  const requests = (await workplace.vendor.book()).requests - before;
  rmSync(place, { recursive: true });
  renameSync(aside, place);
  return { ended, requests };
}

function standingIn(folder: string): Pick<Backup, 'identity' | 'newest'> {
  const database = new Database(join(folder, 'ledger.db'), { readonly: true });
  try {
    const sql = `SELECT value AS identity, (SELECT coalesce(max(id), 0) FROM calls) AS newest FROM meta WHERE name = 'identity'`;
    const found = database.prepare<[], Pick<Backup, 'identity' | 'newest'>>(sql).get();
    if (found === undefined) throw new Error(`${folder} has no name`);
    return found;
  } finally {
    database.close();
  }
}
