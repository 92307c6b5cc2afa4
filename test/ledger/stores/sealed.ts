import { closeSync, cpSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Connection } from '../../../src/ledger/stores/sqlite/connection.ts';
import { storeFolder } from '../../../src/ledger/stores/sqlite/folder.ts';
import { unbrokenSeal } from '../../../src/ledger/stores/sqlite/seal.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed, MATCHED, settle } from './book.ts';
import { freshPlace, madeOnce, openStore, temporaryFolder } from './places.ts';

/** Stores with a seal, what a kill leaves of them, and what another program does to them. */

export const DAMAGED = { code: 'store_damaged', exitCode: 2 };

/** By how many calls each has. */
const closed = new Map<number, () => Promise<string>>();

export function closedStore(calls = 60): Promise<string> {
  const copied = closed.get(calls) ?? madeOnce(() => closedStoreWith(calls));
  closed.set(calls, copied);
  return copied();
}

async function closedStoreWith(calls: number): Promise<string> {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await buy(ledger, batch, 'call', calls);
  await ledger.close();
  return place;
}

export type Ledger = Awaited<ReturnType<typeof openStore>>;
export type Batch = Awaited<ReturnType<typeof batchNamed>>;

export async function buy(ledger: Ledger, batch: Batch, word: string, calls: number): Promise<void> {
  for (let number = 0; number < calls; number += 1) {
    const attempt = await answered(ledger, batch, `${word}${number}`);
    await settle(ledger, batch, number + 2, MATCHED, [attempt]);
  }
}

/** Whether it is opened without a full check. */
export async function isSealed(place: string): Promise<boolean> {
  const folder = storeFolder(place);
  const connection = openedIn(folder.ledger);
  if (connection === undefined) return false;
  try {
    const seal = await unbrokenSeal(folder, connection, Date.now());
    const book = connection.get<{ commits: number }>('SELECT commits FROM book');
    return seal !== undefined && (seal.commits ?? book?.commits) === book?.commits;
  } finally {
    connection.close();
  }
}

/** Undefined for what SQLite does not read, which is opened by nobody. */
function openedIn(path: string): Connection | undefined {
  try {
    return new Connection(path, 'read');
  } catch {
    return undefined;
  }
}

/** The files as a kill leaves them at this moment. */
export function killed(place: string): string {
  const copy = join(temporaryFolder(), 'store');
  cpSync(place, copy, { recursive: true });
  for (const name of ['ledger.db-shm', 'lock.db-journal', 'spender.json'])
    rmSync(join(copy, name), { force: true });
  return copy;
}

/** Another program alters a count, on a page that nearly every commit writes. @param checkpoint what it then does with the log. */
export function writeBeside(place: string, checkpoint?: 'TRUNCATE' | 'PASSIVE'): void {
  const database = new Database(join(place, 'ledger.db'));
  database.exec('UPDATE tallies SET count = count + 1');
  if (checkpoint !== undefined) database.pragma(`wal_checkpoint(${checkpoint})`);
  database.close();
}

export function flip(place: string, name: string, at: number, bit = 0b100): void {
  const file = openSync(join(place, name), 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, at);
  writeSync(file, Buffer.of(byte.readUInt8() ^ bit), 0, 1, at);
  closeSync(file);
}

/** Where these bytes stand in the ledger. */
export function placesOf(place: string, bytes: Buffer): readonly number[] {
  const file = readFileSync(join(place, 'ledger.db'));
  const places: number[] = [];
  for (let at = file.indexOf(bytes); at !== -1; at = file.indexOf(bytes, at + 1)) places.push(at);
  return places;
}
