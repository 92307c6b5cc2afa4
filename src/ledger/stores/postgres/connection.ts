import type { DatabaseError, Pool, PoolClient, PoolConfig } from 'pg';
import { messageOf, type StopError, stop } from '../../../core/errors.ts';
import { Unanswered } from '../../store.ts';
import { type Manner, Outage, type Riding } from './outage.ts';
import { type Address, addressOf } from './server-address.ts';

/** Runs statements, one by one. Each text is prepared once a connection, so it must be one of a few. */
export interface Sql {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  row<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a text of many statements, which has no values. */
  script(text: string): Promise<void>;
}

export const oneColumn = async <Cell>(
  sql: Sql,
  text: string,
  values?: readonly unknown[],
): Promise<readonly Cell[]> => (await sql.rows<object>(text, values)).map((row) => Object.values(row)[0]);

/** The only cell of the first row; undefined where there is none, or it is NULL. */
export const oneCell = async <Cell>(
  sql: Sql,
  text: string,
  values?: readonly unknown[],
): Promise<Cell | undefined> => (await oneColumn<Cell | null>(sql, text, values))[0] ?? undefined;

/** What is done by one process at a time, by numbers that nobody else takes. */
export const LOCKS = { layingOut: 8_260_029, deciding: 8_260_030, pricing: 8_260_031 } as const;

/** Waits until nobody else does it. That lasts as long as the transaction. */
export const onlyOne = (sql: Sql, does: 'layingOut' | 'deciding'): Promise<unknown> =>
  sql.rows('SELECT pg_advisory_xact_lock($1)', [LOCKS[does]]);

export interface Database extends Sql {
  readonly shown: string;
  /** Runs statements that see one state of the database, and change nothing. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** All statements of the work are committed together, or none; it runs again when the database says that it has to. */
  write<T>(work: (sql: Sql) => Promise<T>, manner?: Manner): Promise<T>;
  /** The same connections for what has to be done now or not at all. */
  readonly atOnce: Database;
  /** A connection of the caller's own, until it ends it. */
  keep(): Promise<Kept>;
  close(): Promise<void>;
}

export interface Kept {
  readonly sql: Sql;
  /** Whether it has ended by itself. */
  isBroken(): boolean;
  end(): void;
}

/** A process needs no more: writes are joined, and the others wait for one. */
const CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 5000;

/** A spender's statements take far less. On a connection that was cut without a word nothing would ever come. */
const ANSWER_TIMEOUT_MS = 30_000;

/** For a spender: the server ends what a process began whose machine is gone, so that nobody waits for its locks. */
const ENDS_WHAT_WAS_LEFT =
  '-c idle_in_transaction_session_timeout=30s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * For a spender: what it reads it looks up by keys. The server plans a statement for what a table holds when it is first asked, and keeps
 * that plan: of a table that was empty then it would read all, however large that has become.
 */
const LOOKS_UP =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off';

/** What may be tried again as it is: two transactions were in each other's way. */
const IN_THE_WAY: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);
const MOST_TRIES = 10;

interface ConnectOptions {
  readonly isReader?: boolean;
  /** How it gets through a time in which the database cannot be reached. Without it whatever was asked for fails. */
  readonly riding?: Riding | undefined;
}

/** @throws StopError `store` when the place is refused or cannot be reached. */
export async function connect(
  location: string,
  { isReader = false, riding }: ConnectOptions = {},
): Promise<Database> {
  const address = await addressOf(location);
  const { default: pg } = await import('pg');
  const config: PoolConfig = {
    ...address.to,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'rowonce',
    // A commit that is told of has to survive a loss of power, whatever the server does by default.
    options: `-c search_path=rowonce -c synchronous_commit=on -c default_transaction_read_only=${isReader ? 'on' : 'off'} ${riding === undefined ? '' : `${ENDS_WHAT_WAS_LEFT} ${LOOKS_UP}`}`,
    ...(riding === undefined ? {} : { query_timeout: ANSWER_TIMEOUT_MS }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
    } as NonNullable<PoolConfig['types']>,
  };
  const plain = new PooledDatabase(poolOf(pg.Pool, config), address);
  const database = riding === undefined ? plain : plain.riding(new Outage(riding, address.shown));
  try {
    await refuseUnfit(plain);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Credits, times and ids are whole numbers that a double holds. */
const NUMBERS = new Map<number, (text: string) => unknown>([
  [20, Number],
  [1700, Number],
  [1016, (text: string) => text.slice(1, -1).split(',').filter(Boolean).map(Number)],
]);

function poolOf(Pool: new (config: PoolConfig) => Pool, config: PoolConfig): Pool {
  const pool = new Pool(config);
  // A connection that ends while it is idle is replaced; a statement on it tells of it by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

class PooledDatabase implements Database {
  readonly shown: string;
  readonly atOnce: Database;
  readonly #pool: Pool;
  readonly #address: Address;
  readonly #outage: Outage | undefined;

  constructor(pool: Pool, address: Address, atOnce?: Database, outage?: Outage) {
    this.#pool = pool;
    this.#address = address;
    this.shown = address.shown;
    this.atOnce = atOnce ?? this;
    this.#outage = outage;
  }

  /** The same connections for what is waited for while the database cannot be reached. What is done at once tells of that as well. */
  riding(outage: Outage): PooledDatabase {
    const atOnce = new PooledDatabase(this.#pool, this.#address, undefined, outage);
    return new PooledDatabase(this.#pool, this.#address, atOnce, outage);
  }

  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#explaining((client) => client.rows<Row>(text, values));
  }

  async row<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0];
  }

  script(text: string): Promise<void> {
    return this.#explaining((client) => client.script(text));
  }

  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
  }

  async write<T>(work: (sql: Sql) => Promise<T>, manner: Manner = {}): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#transaction('BEGIN', work, manner);
      } catch (error) {
        if (!IN_THE_WAY.has(codeOf(error)) || tries === MOST_TRIES) throw error;
      }
    }
  }

  async keep(): Promise<Kept> {
    const client = await this.#connected();
    let isBroken = false;
    const broken = (): void => {
      isBroken = true;
    };
    client.on('error', broken).on('end', broken);
    return { sql: statements(client), isBroken: () => isBroken, end: () => client.release(true) };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #connected(): Promise<PoolClient> {
    return this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error, this.#address);
    });
  }

  #transaction<T>(begin: string, work: (sql: Sql) => Promise<T>, manner?: Manner): Promise<T> {
    return this.#explaining(async (sql, client, committing) => {
      if (manner?.isSingle) {
        committing();
        return work(sql);
      }
      await client.query(begin);
      try {
        const result = await work(sql);
        committing();
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // A connection that broke has taken its transaction back, unless it was being committed. It may be silent, and answers nothing.
        if (!isBroken(error)) await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    }, manner);
  }

  #explaining<T>(work: Working<T>, manner: Manner = {}): Promise<T> {
    const explained = (): Promise<T> => this.#once(work);
    if (this.#outage === undefined) return explained();
    return this.atOnce === this ? this.#outage.once(explained) : this.#outage.through(explained, manner);
  }

  async #once<T>(work: Working<T>): Promise<T> {
    const client = await this.#connected();
    let isCommitting = false;
    try {
      const result = await work(statements(client), client, () => {
        isCommitting = true;
      });
      client.release();
      return result;
    } catch (error) {
      // A statement that was refused leaves its connection as it was; after anything else nobody knows what it would answer.
      client.release(isBroken(error));
      throw isBroken(error) || isOfServer(codeOf(error))
        ? unanswered(error, this.shown, isCommitting)
        : explained(error, this.#address);
    }
  }
}

/** @param committing is called before a commit is asked for. */
type Working<T> = (sql: Sql, client: PoolClient, committing: () => void) => Promise<T>;

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}

function statements(client: PoolClient): Sql {
  const rows: Sql['rows'] = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query({ name: nameOf(text), text, values: [...values] })).rows as Row[];
  const script = async (text: string) => void (await client.query(text));
  return {
    rows,
    script,
    row: async <Row>(text: string, values?: readonly unknown[]) => (await rows<Row>(text, values))[0],
  };
}

/** The code by which the database refused a statement; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error ? (error as DatabaseError).code : undefined;
}

/** Whether nobody knows what its connection would answer next. */
const isBroken = (error: unknown): boolean => codeOf(error) === undefined && isOfConnection(error);

/** Whether a connection failed with it, and no code of ours. */
function isOfConnection(error: unknown): boolean {
  return (
    error instanceof Error &&
    ('errno' in error || /^(?:Connection terminated|Client|timeout|Query read timeout)/i.test(error.message))
  );
}

/** Whether the server could do nothing at all: no connection, no room, or it was ended. */
function isOfServer(code: string | undefined): boolean {
  return code !== undefined && /^(?:08|53|57P|58)/.test(code);
}

function unanswered(error: unknown, shown: string, isUnknown: boolean): Unanswered {
  const code = codeOf(error) === NO_ROOM ? 'disk_full' : 'store';
  return new Unanswered(code, `${shown} stopped answering: ${messageOf(error)}.`, { isUnknown });
}

const NO_ROOM = '53100';

/** With `fsync=off` a loss of power takes intents whose requests have left, and what they bought is bought again. */
async function refuseUnfit(database: PooledDatabase): Promise<void> {
  const settings = `SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding`;
  const { fsync, encoding } = (await database.row<Record<'fsync' | 'encoding', string>>(settings)) ?? {};
  if (fsync !== 'on')
    throw stop(
      'store',
      `The server of ${database.shown} has fsync=off, so it forgets what it committed when its machine loses power.`,
      'Set fsync = on there and restart it.',
    );
  if (encoding !== 'UTF8')
    throw stop(
      'store',
      `The database of ${database.shown} is in ${encoding}, which cannot hold every letter.`,
      "Name one that was made by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
    );
}

/** Of an error by another pool: the stop that it is where the server cannot do it now, or does not let this role. */
export function explained(error: unknown, address: Address): unknown {
  if (isBroken(error) || isOfServer(codeOf(error))) return unreachable(error, address);
  return codeOf(error) === NOT_ALLOWED ? forbidden(error, address) : error;
}

const NOT_ALLOWED = '42501';

const forbidden = (error: unknown, { role, shown }: Address): StopError =>
  stop(
    'store',
    `The role ${role} may not do that in ${shown}: ${messageOf(error)}.`,
    'Name the owner of the database in the URL, or let the owner run store init, and the statements that it prints.',
  );

function unreachable(error: unknown, address: Address): StopError {
  const code = codeOf(error);
  if (code === NOT_ALLOWED) return forbidden(error, address);
  const message = messageOf(error).replace(/^SASL: .*password must be.*/, 'it asks for a password');
  const fact = `${address.shown} cannot be reached: ${message}.`;
  if (isOfConnection(error) || isOfServer(code))
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

/** What is left open would keep its owner from closing. */
export async function closedByFailure<T>(
  opened: Pick<Database, 'close'>,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
