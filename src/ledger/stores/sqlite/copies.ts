import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Copied, type CopySource, type CopyTarget, wasCopied } from '../../copying.ts';
import type { Ledger } from '../../ledger.ts';
import type { StoreOptions } from '../../store.ts';
import { AlteredRow, Connection } from './connection.ts';
import { takeParts } from './copy-to.ts';
import { readErasureKey, writeErasureKey } from './erasure-key.ts';
import { hasLedger, makePrivateFile, type StoreFolder, sizeOf, syncFile, syncFolder } from './folder.ts';
import { checkLedger } from './ledger-check.ts';
import { takeLock } from './lock.ts';
import { checkedRows } from './lookups.ts';
import { SqliteReader } from './reader.ts';
import { COPIES_TABLE } from './tables.ts';

/** Ledgers that are copied to another store, and copies of others. A copy is a file that no store opens before it has its name. */

/** To where the ledger was copied; undefined while it was not. */
export function copiedTo(connection: Connection): Copied | undefined {
  const [row] = checkedRows(connection, COPIES_TABLE, 'TRUE');
  return row && { identity: row.identity, place: row.place, atMs: row.at };
}

/** @throws StopError `store` when the ledger was copied: another one goes on in its place. */
export function refuseCopied(connection: Connection, { path }: StoreFolder): void {
  const copied = copiedTo(connection);
  if (copied !== undefined) throw wasCopied(`in ${path}`, copied, 'status, export and forget');
}

interface Copying extends Ledger, Pick<CopySource, 'parts' | 'leave'> {
  copiedTo(): Copied | undefined;
}

export function copySource(ledger: Copying, { path, erasureKey }: StoreFolder): CopySource {
  return {
    ledger,
    place: path,
    copied: ledger.copiedTo(),
    secret: readErasureKey(erasureKey),
    parts: () => ledger.parts(),
    leave: (copied) => ledger.leave(copied),
    close: () => ledger.close(),
  };
}

const copyIn = ({ path }: StoreFolder): string => join(path, 'ledger.db.copy');

/** @param prepare makes the folder, or takes the one that is there. */
export async function copyTarget(
  folder: StoreFolder,
  options: StoreOptions,
  prepare: () => void,
): Promise<CopyTarget> {
  prepare();
  const lock = await takeLock(folder, options);
  const copy = copyIn(folder);
  return {
    place: folder.path,
    present: hasLedger(folder) ? identityIn(folder.ledger) : undefined,
    awaiting: sizeOf(copy) === undefined ? undefined : identityIn(copy),
    async take(parts, secret) {
      rmSync(copy, { force: true });
      const identity = randomBytes(16).toString('hex');
      const connection = new Connection(copy, 'write');
      try {
        makePrivateFile(copy);
        await takeParts(connection, identity, parts);
        refuseUnlike(connection);
      } finally {
        connection.close();
      }
      if (secret !== undefined) writeErasureKey(folder.erasureKey, secret);
      syncFile(copy);
      syncFolder(folder.path);
      return identity;
    },
    look: async () =>
      new SqliteReader(new Connection(copy, 'read'), folder.path, readErasureKey(folder.erasureKey)),
    async arrive() {
      renameSync(copy, folder.ledger);
      syncFolder(folder.path);
      syncFolder(dirname(folder.path));
    },
    async close() {
      lock.release();
    },
  };
}

/** @throws AlteredRow for a copy that is not as it was taken. */
function refuseUnlike(connection: Connection): void {
  const { broken, wrong } = checkLedger(connection);
  const [first] = broken;
  if (first !== undefined) throw new AlteredRow(`SQLite says "${first}"`);
  if (wrong[0] !== undefined)
    throw new AlteredRow(`the budget of ${wrong[0].scope} ${wrong[0].of} does not add up`);
}

/** The name of the ledger in a file; undefined where it has none, as in a copy that was not finished. */
function identityIn(path: string): string | undefined {
  const connection = new Connection(path, 'read');
  try {
    return connection.get<{ identity: string }>('SELECT identity FROM book')?.identity;
  } catch {
    return undefined;
  } finally {
    connection.close();
  }
}
