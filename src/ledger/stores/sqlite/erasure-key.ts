import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connection } from './connection.ts';
import { type StoreFolder, syncFolder } from './folder.ts';

/**
 * Hides calls of forgotten people: a call's key reveals what it asked to anybody who can guess the question, so an HMAC
 * of it takes its place. The 32 random bytes for that are in a file beside the ledger. Without them an erased call
 * would be unknown, and bought again by mistake.
 */
const KEY_BYTES = 32;

/** The erasure key; undefined when there is no intact one. */
export function readErasureKey(path: string): Buffer | undefined {
  try {
    const key = readFileSync(path);
    return key.length === KEY_BYTES ? key : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes the key and puts it on the disk before it hides the first call. A crash leaves a key that hides nothing yet.
 */
export function makeErasureKey(path: string): Buffer {
  return writeErasureKey(path, randomBytes(KEY_BYTES));
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

export function hiddenKey(secret: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', secret).update(key).digest();
}

/** A check value by which a ledger recognises the key without revealing it. */
export function keyCheck(secret: Buffer): string {
  return createHmac('sha256', secret).update('rowonce erasure key').digest('hex').slice(0, 16);
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
  return `The file ${folder.erasureKey} is not the one by which people who were forgotten are known, so they would be bought again.`;
}
