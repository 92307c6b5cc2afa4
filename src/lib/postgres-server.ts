import { isIP } from 'node:net';
import type { Client, DatabaseError, PoolConfig } from 'pg';
import type { Clock } from '../core/clock.ts';
import { messageOf, StopError, stop } from '../core/errors.ts';
import { AGAIN, DO_AGAIN, phrase, type Words } from '../core/phrase.ts';
import type { StopCode } from '../core/stops.ts';
import { formatDuration } from './duration.ts';

/**
 * Where a server is, what its errors mean, and how a spender gets through a time in which it is away: a
 * restart, a failover, a cable.
 */

/**
 * Where the URL of a store leads, as `pg` reads it, and what of that is refused before anything is connected.
 */
export type Address = Readonly<Awaited<ReturnType<typeof addressOf>>>;

/** What sessions need, whatever the server, the database or the role has them begin with. */
export const SESSION =
  '-c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off -c ' +
  'lock_timeout=0 -c statement_timeout=0';

const READ = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/**
 * @throws StopError `store` for a server on another machine that need not prove who it is, and for what a URL
 * may not say.
 */
export async function addressOf(location: string) {
  const { searchParams } = new URL(location);
  const plain = location.replace(/\?.*/s, '');
  const unread = [...searchParams.keys()].find((name) => !READ.includes(name));
  if (unread !== undefined)
    throw stop(
      'store',
      `The URL of ${plain} says ${unread}, and Rowonce reads only ${READ.join(', ')} there.`,
      'Leave it out. What a session is to begin with can be set on the server, by ALTER ROLE.',
    );
  const { host, port, user = '', database = '', ssl } = await connectionOf(location, plain);
  const isProven = (searchParams.getAll('sslmode').at(-1) ?? process.env.PGSSLMODE) === 'verify-full';
  // A folder is that of a socket.
  const isHere = /^(?:\/|localhost$|::1$)/i.test(host) || (isIP(host) === 4 && host.startsWith('127.'));
  if (!isProven && !isHere)
    throw stop(
      'store',
      `${plain} is on another machine (${host}), but the URL does not have the server's certificate checked.`,
      'Add ?sslmode=verify-full to the URL.',
    );
  const secured = Object.assign(typeof ssl === 'object' ? ssl : {}, { rejectUnauthorized: true });
  // Beside it the URL says nothing to a connection: it would win over what we say.
  const to = { host, port, user, database, ssl: isProven ? secured : ssl };
  return { shown: location, role: user, to };
}

/**
 * `pg` is the judge of what it will connect to: of two parameters of one name it takes the last, and what is
 * missing it takes from PGHOST.
 */
async function connectionOf(location: string, plain: string): Promise<Client & Pick<PoolConfig, 'ssl'>> {
  const { default: pg } = await import('pg');
  try {
    return new pg.Client(location);
  } catch (error) {
    // A file of a certificate that cannot be read, or a % that encodes nothing.
    throw stop('store', `${plain} cannot be used: ${messageOf(error)}.`, 'Correct what its URL says.');
  }
}

// --------------------------------------------------------------------------------------- what an error means

const RUN_AGAIN = phrase`${DO_AGAIN} when the database can be reached: it continues from what is kept.`;

/** The server of a store said nothing, or that it can do nothing now. */
export class Unanswered extends StopError {
  constructor(code: StopCode, message: string, next: Words = RUN_AGAIN) {
    super({ code, message, next });
  }

  /** Whether it may pass by itself. A disk that is full waits for a person. */
  get mayPass(): boolean {
    return this.code === 'store';
  }
}

/** The code by which the database refused; undefined for an error of the connection. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof Error && 'severity' in error ? (error as DatabaseError).code : undefined;

/** Whether the connection failed, and no code of ours. */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error &&
  ('errno' in error || /^(?:Connection terminated|Client|timeout|Query read timeout)/i.test(error.message));

const READ_ONLY = '25006';

/**
 * No connection, no room, the server ended or takes no writes, or it gave up what we began: for another
 * transaction, a lock, or because it took long or stood still. 08P01 is none of them: what was sent is wrong,
 * which is a bug.
 */
const OF_SERVER = /^(?:08(?!P01)|53|57(?:P|014)|58|25006|25P0[34]|40(?:001|P01)|55P03)/;

/** Whether it may pass by itself, and it is not known what the connection would answer next. */
export const isAway = (error: unknown): boolean => {
  const code = sqlStateOf(error);
  return code === undefined ? isOfConnection(error) : OF_SERVER.test(code);
};

const NO_ROOM = '53100';

export function unansweredStop(error: unknown, shown: string): Unanswered {
  const code = sqlStateOf(error);
  if (code === READ_ONLY)
    return new Unanswered(
      'store',
      `${shown} takes no writes: ${messageOf(error)}.`,
      phrase`Make it writable, or name the server that took its place, then ${AGAIN}.`,
    );
  return new Unanswered(
    code === NO_ROOM ? 'disk_full' : 'store',
    `${shown} stopped answering: ${messageOf(error)}.`,
  );
}

const NOT_ALLOWED = '42501';

/**
 * What a statement was refused for: a right that the role lacks, or a rule of the tables, by the name of its
 * constraint.
 */
export function refusalOf(error: unknown, { role, shown }: Address): unknown {
  const code = sqlStateOf(error);
  if (code === NOT_ALLOWED)
    return stop(
      'store',
      `The role ${role} may not do that in ${shown}: ${messageOf(error)}.`,
      'Name the owner of the database in the URL, or let the owner run store init, ' +
        'and the statements that it prints.',
    );
  if (code?.startsWith('23') !== true) return error;
  const { constraint, table, column } = error as DatabaseError;
  const rule = constraint ?? `${table}.${column} is never empty`;
  return new Error(`money rule: ${rule.replace(/^money rule: /, '')}`, { cause: error });
}

/** Tells of an error by which no connection was made. */
export function unreachableStop(error: unknown, { shown }: Address): StopError {
  const message = messageOf(error).replace(/^SASL: .*password must be.*/, 'it asks for a password');
  const fact = `${shown} cannot be reached: ${message}.`;
  if (isAway(error))
    return new Unanswered('store', fact, 'Check that the server runs, and that the URL is right.');
  const next =
    'Check the user and the database in the URL, ' +
    'the password in the file that PGPASSFILE names or in PGPASSWORD, and the certificates: ' +
    '&sslrootcert=FILE, &sslcert=FILE&sslkey=FILE.';
  return stop('store', fact, next);
}

// ------------------------------------------------------------------------------------------ while it is away

/** Hears a fact that a person should know and that stops nothing. */
export type Tell = (fact: string) => void;

/** What may have been paid for is waited for as long as the process lives, whatever this says. */
export interface Patience {
  /** Undefined: for ever. */
  readonly longestMs: number | undefined;
  /** Fires when the work is to end. */
  readonly signal: AbortSignal | undefined;
}

export interface WriteManner {
  /** It may have been paid for, so it is tried for as long as the process lives. */
  readonly isBought?: boolean;
}

export interface Manner extends WriteManner {
  /**
   * The work is done now or not at all. A process that has nothing to write hears of an outage by nothing
   * else.
   */
  readonly isAtOnce?: boolean;
}

export interface RetryContext extends Patience {
  readonly clock: Clock;
  readonly tell?: Tell | undefined;
}

const RETRY_MS = 250;

/** A person who has stopped the run waits only this long for what is no answer. */
const STOPPING_MS = 5_000;

export class Outage {
  readonly #riding: RetryContext;
  readonly #shown: string;
  /** Since when nothing was answered, monotonic. */
  #sinceMs: number | undefined;

  constructor(riding: RetryContext, shown: string) {
    this.#riding = riding;
    this.#shown = shown;
  }

  /**
   * Does the work, and does it again while the database cannot be reached.
   * @throws StopError when that has lasted for longer than the run waits; what may have been paid for is
   * tried on.
   */
  async through<T>(work: () => Promise<T>, manner: Manner): Promise<T> {
    const { clock, tell } = this.#riding;
    for (;;) {
      try {
        const result = await work();
        if (this.#sinceMs !== undefined)
          tell?.(
            `${this.#shown} answers again after ${formatDuration(clock.monotonicMs() - this.#sinceMs)}.`,
          );
        this.#sinceMs = undefined;
        return result;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.#waitOut(error, manner);
        await clock.sleep(RETRY_MS);
      }
    }
  }

  /** @throws StopError where the work is not done again. */
  #waitOut(error: Unanswered, { isBought = false, isAtOnce = false }: Manner): void {
    if (!isBought && !error.mayPass) throw error;
    const { clock, tell, longestMs = Number.POSITIVE_INFINITY, signal } = this.#riding;
    if (this.#sinceMs === undefined)
      tell?.(
        `${error.message} Nothing is sent until it can be reached again; then the run continues by itself.`,
      );
    this.#sinceMs ??= clock.monotonicMs();
    if (isAtOnce) throw error;
    const lastedMs = clock.monotonicMs() - this.#sinceMs;
    const mostMs = signal?.aborted === true ? Math.min(longestMs, STOPPING_MS) : longestMs;
    if (isBought || lastedMs < mostMs) return;
    const code = lastedMs < longestMs ? error.code : 'paused';
    const lasted = `That has lasted for ${formatDuration(lastedMs)}.`;
    throw new Unanswered(code, `${error.message} ${lasted}`, error.detail.next);
  }
}
