import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '../../../../src/core/clock.ts';
import { copyLedger } from '../../../../src/ledger/copy.ts';
import type { Store } from '../../../../src/ledger/store.ts';
import { storeAt } from '../../../../src/ledger/stores.ts';
import { temporaryFolder } from '../places.ts';
import { postgresServer } from '../postgres-server.ts';

/** What programs of earlier layouts have left, kept as SQL of either database, in a place of the running test. */

export type Kind = 'folder' | 'database';

export interface Place {
  readonly location: string;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
}

/** Each time with another name, so that no ledger of these tests is taken for another one that was put back. */
const leftBy = (name: string, database: Store['name']): string =>
  readFileSync(new URL(`${name}${database}.sql`, import.meta.url), 'utf8').replace(
    /(?<='identity', ')[0-9a-f]{32}/,
    randomBytes(16).toString('hex'),
  );

let places = 0;

/** @param left such as `layout-7/`; left out: nothing is there. */
export async function placeWith(kind: Kind, left?: string, folder = temporaryFolder()): Promise<Place> {
  places += 1;
  if (kind === 'folder') return folderWith(join(folder, `store-${places}`), left);
  const server = await postgresServer();
  const name = `earlier_${process.pid}_${places}`;
  await server.createDatabase(name);
  if (left !== undefined) await server.query(name, leftBy(left, 'postgres'));
  const query = (text: string) => server.query(name, `SET search_path = rowonce_ledger; ${text}`);
  return { location: server.url(name), query };
}

function folderWith(location: string, left: string | undefined): Place {
  const inFile = <T>(work: (database: Database.Database) => T): T => {
    const database = new Database(join(location, 'ledger.db'));
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  if (left !== undefined) {
    mkdirSync(location, { mode: 0o700 });
    inFile((database) => database.exec(leftBy(left, 'sqlite')));
  }
  const query = async (text: string) =>
    inFile((database) => database.prepare<[], Record<string, unknown>>(text).all());
  return { location, query };
}

/** Copies a ledger in its place. */
export async function copyInPlace({ location }: Place): Promise<void> {
  const options = { clock: systemClock, waitForLockMs: 0, command: 'store copy' };
  await (await storeAt(location)).copyFrom(location, options, async (source) => {
    const target = await source.inItsPlace();
    await copyLedger(source, location, target, systemClock).finally(target.close);
  });
}
