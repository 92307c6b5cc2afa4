import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StopError } from '../../../core/errors.ts';
import { accountsPath } from '../../../core/paths.ts';
import { ERASURE_KEY_BYTES, keyCheck } from '../../rules/hidden-keys.ts';
import { oneCell, type Sql } from './connection.ts';

/**
 * The key that hides calls of forgotten people is never in the database. Each host is given it like the key of an account: in a
 * variable, or in a file beside the accounts file, which is named by the check value that the ledger keeps.
 */
const VARIABLE = 'ROWONCE_ERASURE_KEY';

const pathOf = (check: string): string => join(dirname(accountsPath()), 'erasure-keys', check);

/** The check value of the key by which the newest forgotten people are hidden; undefined where nobody was forgotten. */
const checkIn = (sql: Sql): Promise<string | undefined> =>
  oneCell(sql, "SELECT key_check FROM erasures WHERE kind = 'person' ORDER BY id DESC LIMIT 1");

/** Undefined where nobody was forgotten, and where this host was not given the key. */
export async function erasureKeyOf(sql: Sql): Promise<Buffer | undefined> {
  const check = await checkIn(sql);
  if (check === undefined) return undefined;
  return [process.env[VARIABLE], textOf(pathOf(check))]
    .map((text) => Buffer.from(text?.trim() ?? '', 'hex'))
    .find((key) => key.length === ERASURE_KEY_BYTES && keyCheck(key) === check);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Keeps a key on this host, before it hides anything. */
export function keepErasureKey(key: Buffer = randomBytes(ERASURE_KEY_BYTES)): Buffer {
  const path = pathOf(keyCheck(key));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  return key;
}

/** What is wrong where this host was not given the key; undefined when nothing is. */
export async function lostErasureKey(sql: Sql, shown: string): Promise<string | undefined> {
  const check = await checkIn(sql);
  if (check === undefined || (await erasureKeyOf(sql)) !== undefined) return undefined;
  return `People were forgotten in the store ${shown}, and this host does not have the key that recognizes them: ${VARIABLE} is not it, and neither is ${pathOf(check)}. They would be bought again.`;
}

export function keyLost(fact: string): StopError {
  const next = `Copy that file from a host that has it, or set ${VARIABLE} to what is in it; or let a run continue without it by --accept store.`;
  return new StopError({ code: 'store_lost', message: fact, next, answers: ['store'] });
}
