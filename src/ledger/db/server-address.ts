import { isIP } from 'node:net';
import type { Client, PoolConfig } from 'pg';
import { messageOf, stop } from '../../core/errors.ts';

/** Where the URL of a store leads, as `pg` reads it, and what of that is refused before anything is connected. */
export interface Address {
  /** The URL, in which nothing is secret. */
  readonly shown: string;
  readonly role: string;
  /** What every connection is made with. Beside it the URL says nothing: it would win over what we say. */
  readonly to: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly ssl: NonNullable<PoolConfig['ssl']>;
  };
}

const READ = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** @throws StopError `store` for a server on another machine that need not prove who it is, and for what a URL may not say. */
export async function addressOf(location: string): Promise<Address> {
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
  if (host.includes(','))
    throw stop('store', `${plain} leads to several servers: ${host}.`, 'Name one of them.');
  // A folder is that of a socket.
  const isHere = /^(?:\/|localhost$|::1$)/i.test(host) || (isIP(host) === 4 && host.startsWith('127.'));
  if (!isProven && !isHere)
    throw stop(
      'store',
      `${plain} is on another machine (${host}), but the URL does not ask for proof of who answers there.`,
      'Add ?sslmode=verify-full to the URL.',
    );
  const secured = Object.assign(typeof ssl === 'object' ? ssl : {}, { rejectUnauthorized: true });
  const to = { host, port, user, database, ssl: isProven ? secured : ssl };
  return { shown: location, role: user, to };
}

/** `pg` is the judge of what it will connect to: of two parameters of one name it takes the last, and what is missing it takes from PGHOST. */
async function connectionOf(location: string, plain: string): Promise<Client & Pick<PoolConfig, 'ssl'>> {
  const { default: pg } = await import('pg');
  try {
    return new pg.Client(location);
  } catch (error) {
    // A file of a certificate that cannot be read, or a % that encodes nothing.
    throw stop('store', `${plain} cannot be used: ${messageOf(error)}.`, 'Correct what its URL says.');
  }
}
