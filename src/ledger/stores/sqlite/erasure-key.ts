import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ERASURE_KEY_BYTES, keyCheck } from '../../rules/hidden-keys.ts';
import type { Connection } from './connection.ts';
import { type StoreFolder, syncFolder, unlessMissing } from './folder.ts';

/** The key that hides calls of forgotten people is in a file beside the ledger. */

export function readErasureKey(path: string): Buffer | undefined {
  const key = unlessMissing(() => readFileSync(path));
  return key?.length === ERASURE_KEY_BYTES ? key : undefined;
}

/**
 * Makes the key and puts it on the disk before it hides the first call. A crash leaves a key that hides nothing yet.
 */
export function makeErasureKey(path: string): Buffer {
  return writeErasureKey(path, randomBytes(ERASURE_KEY_BYTES));
}

export function writeErasureKey(path: string, key: Buffer): Buffer {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, key);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
  return key;
}

/**
 * What is wrong when calls are hidden with another key than the present one; undefined when nothing is. An erasure
 * without the key makes a new one, which does not hide people who were forgotten before.
 */
export function lostErasureKey(connection: Connection, folder: StoreFolder): string | undefined {
  const checks = connection.all<{ key_check: string }>(
    "SELECT DISTINCT key_check FROM erasures WHERE kind = 'person'",
  );
  if (checks.length === 0) return undefined;
  const key = readErasureKey(folder.erasureKey);
  const check = key === undefined ? undefined : keyCheck(key);
  if (checks.every(({ key_check }) => key_check === check)) return undefined;
  return `The file ${folder.erasureKey} is not the key that recognizes forgotten people, so they would be bought again.`;
}
