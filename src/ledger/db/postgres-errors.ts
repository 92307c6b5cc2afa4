import type { DatabaseError } from 'pg';
import { messageOf, type StopError, stop } from '../../core/errors.ts';
import { Unanswered } from '../db.ts';
import type { Address } from './server-address.ts';

/** What an error of `pg` means: the database is away, the place cannot be used, or a statement of ours was refused. */

/** The code by which the database refused; undefined for an error of the connection. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'severity' in error ? (error as DatabaseError).code : undefined;

/** Whether the connection failed, and no code of ours. */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error &&
  ('errno' in error || /^(?:Connection terminated|Client|timeout|Query read timeout)/i.test(error.message));

/** No connection, no room, the server ended, or it ended us because we stood still in a transaction. */
/** 08P01 is none of them: what was sent is wrong, which is a bug. */
const OF_SERVER = /^(?:08(?!P01)|53|57P|58|25P0[34])/;

/** Whether it may pass by itself, and nobody knows what the connection would answer next. */
export const isAway = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === undefined ? isOfConnection(error) : OF_SERVER.test(code);
};

const NO_ROOM = '53100';

/** @param isUnknown whether a commit was asked for, of which nobody knows. */
export const unanswered = (error: unknown, shown: string, isUnknown: boolean): Unanswered =>
  new Unanswered(
    codeOf(error) === NO_ROOM ? 'disk_full' : 'store',
    `${shown} stopped answering: ${messageOf(error)}.`,
    { isUnknown },
  );

const NOT_ALLOWED = '42501';

/** What a statement was refused for: a right that the role lacks, or a rule of the tables, by the name of its constraint. */
export function refusal(error: unknown, address: Address): unknown {
  const code = codeOf(error);
  if (code === NOT_ALLOWED) return forbidden(error, address);
  if (code?.startsWith('23') !== true) return error;
  const { constraint, table, column } = error as DatabaseError;
  const rule = constraint ?? `${table}.${column} is never empty`;
  return new Error(`money rule: ${rule.replace(/^money rule: /, '')}`, { cause: error });
}

const forbidden = (error: unknown, { role, shown }: Address): StopError =>
  stop(
    'store',
    `The role ${role} may not do that in ${shown}: ${messageOf(error)}.`,
    'Name the owner of the database in the URL, or let the owner run store init, and the statements that it prints.',
  );

/** Of an error by which no connection was made. */
export function unreachable(error: unknown, address: Address): StopError {
  const code = codeOf(error);
  if (code === NOT_ALLOWED) return forbidden(error, address);
  const message = messageOf(error).replace(/^SASL: .*password must be.*/, 'it asks for a password');
  const fact = `${address.shown} cannot be reached: ${message}.`;
  if (isAway(error))
    return new Unanswered('store', fact, { next: 'Check that the server runs, and that the URL is right.' });
  const next = ADVICE.find(([said]) => said.test(`${code ?? 'TLS'}: ${message}`))?.[1];
  return stop('store', fact, next ?? 'Check what the URL says.');
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/password/i, 'Put it into the file that PGPASSFILE names, or into PGPASSWORD.'],
  [/^\w{5}: .*client cert/i, 'Name yours in the URL: &sslcert=FILE&sslkey=FILE.'],
  [/^\w{5}: /, 'Check the user and the database in the URL.'],
  [/support SSL/, 'Switch ssl on at the server.'],
  [/^TLS: /, 'Name the file of the authority that signed its certificate in the URL: &sslrootcert=FILE.'],
];
