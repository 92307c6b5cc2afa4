import type { Client, Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from 'pg';
import { invariant, type StopError, stop } from '../../core/errors.ts';
import {
  type Address,
  addressOf,
  isAway,
  type Manner,
  Outage,
  type RetryContext,
  refusalOf,
  SESSION,
  Unanswered,
  unansweredStop,
  unreachableStop,
  type WriteManner,
} from '../../lib/postgres-server.ts';
import {
  type Cell,
  type Columns,
  type Db,
  type EachStatement,
  type GroupPart,
  inWordsOf,
  SCHEMA,
  type Sql,
  type Statement,
  withTable,
} from '../db.ts';
import { Commits, type Transaction } from './postgres-commit.ts';

interface PostgresOptions {
  readonly isReader?: boolean;
  /**
   * How it gets through a time in which the database cannot be reached. Without it whatever was asked for
   * fails.
   */
  readonly riding?: RetryContext | undefined;
  /** Where its tables are. */
  readonly schema?: string;
  /** What the server calls its connections. */
  readonly name?: string;
}

/**
 * A process that writes has this lock, so that a group sees all that was committed before, as in SQLite. A
 * number that no one else takes.
 */
const WRITING = 7_271_828;

/** A process needs no more: one writes, and the others read. */
const CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 5000;

/** On a connection that was cut without a word nothing would ever come. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * A group has the lock, and the rest of its message does not come: then its session does not count as idle.
 */
const REST_COMES_WITHIN = '20s';

/**
 * The server ends what a process began that stands still, or is on a machine that is gone: everybody waits
 * for its lock. `enable_…`: a process looks up by keys what it reads, and a statement that was planned while
 * a table was empty would read all of it for ever.
 */
const OF_A_SPENDER =
  '-c idle_in_transaction_session_timeout=5s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 ' +
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off';

/** @throws StopError `store` when the place is refused or cannot be reached. */
export async function openPostgres(location: string, options: PostgresOptions = {}): Promise<PostgresDb> {
  const { isReader = false, riding, schema = SCHEMA, name = 'rowonce' } = options;
  const address = await addressOf(location);
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    ...address.to,
    pipeline: true,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: name,
    // A commit that is told of has to survive a loss of power, whatever the server does by default.
    options: `${SESSION} -c search_path=${schema} -c synchronous_commit=on ${isReader ? '-c default_transaction_read_only=on' : ''} ${riding === undefined ? '' : OF_A_SPENDER}`,
    ...(riding === undefined ? {} : { query_timeout: ANSWER_TIMEOUT_MS }),
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text'),
    } as NonNullable<PoolConfig['types']>,
  });
  // A connection that ends while it is idle is replaced; a statement on it tells of it by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const door = new PostgresDb(pool, address, riding && new Outage(riding, address.shown));
  try {
    await door.refuseUnfit();
    return door;
  } catch (error) {
    await door.close();
    throw error;
  }
}

/** The types bigint and numeric. Credits, times and ids are whole numbers that a double holds. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/**
 * The door to PostgreSQL. `pg` sends ahead in its pipeline mode, so a group is one message, and the lock that
 * it needs is held for no way to the database and back. No pooler in transaction mode is supported: it would
 * drop the options of a session and its prepared statements. What became of a COMMIT without an answer
 * `Commits` finds out.
 */
export class PostgresDb implements Db {
  readonly name = 'postgres';
  readonly shown: string;
  readonly #pool: Pool;
  readonly #address: Address;
  readonly #outage: Outage | undefined;
  #endsIn = '';
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #commits = new Commits((client, query) => this.#ask(client, query));

  constructor(pool: Pool, address: Address, outage: Outage | undefined) {
    this.#pool = pool;
    this.#address = address;
    this.#outage = outage;
    this.shown = address.shown;
  }

  rows<Row>(sql: string, params?: readonly Cell[]): Promise<readonly Row[]> {
    return this.#through((client) => this.#on(client).rows<Row>(sql, params));
  }

  each<Rec, Row>(statement: EachStatement<Rec, Row>, records: readonly Rec[]): Promise<readonly Row[]> {
    return this.#through((client) => this.#on(client).each(statement, records));
  }

  async write(parts: readonly GroupPart[], manner?: WriteManner): Promise<readonly (readonly unknown[])[]> {
    const statements = parts.flatMap(({ statements, records }) =>
      statements.map((each) => ({ each, records })),
    );
    for (const { each } of statements)
      invariant(isAskable(each), `nothing reads again what a group returns: ${each.sql}`);
    const queries = statements.map(({ each, records }) => queryOf(each, records));
    const sendQuery = (client: PoolClient, query: QueryConfig | undefined): Promise<Rows> =>
      query === undefined ? NO_ROWS : this.#ask(client, query).then(({ rows }) => rows);
    const group: Transaction<readonly Rows[]> = {
      work: async (client) => {
        const answers = await inOneMessage(client, () => [
          ...this.#begin(client, true),
          ...queries.map((query) => sendQuery(client, query)),
          this.#commits.commit(client, group),
        ]);
        return answers.slice(-1 - queries.length, -1) as Rows[];
      },
      again: async (client) =>
        (await inOneMessage(client, () => queries.map((query) => sendQuery(client, query?.again)))) as Rows[],
    };
    return this.#transact(group, manner);
  }

  transaction<T>(work: (sql: Sql) => Promise<T>, manner?: WriteManner): Promise<T> {
    let result: T;
    const whole: Transaction<T> = {
      work: async (client) => {
        try {
          await inOneMessage(client, () => this.#begin(client, false));
          result = await work(this.#on(client));
        } catch (error) {
          // A connection that broke has taken its transaction back. It may be silent, and answers nothing.
          if (!(error instanceof Unanswered)) await client.query('ROLLBACK').catch(() => {});
          throw error;
        }
        await this.#commits.commit(client, whole);
        return result;
      },
      again: async () => result,
    };
    return this.#transact(whole, manner);
  }

  script(sql: string): Promise<void> {
    const text = `SELECT pg_advisory_xact_lock(${WRITING}); ${inWordsOf('postgres', sql)}`;
    return this.#through(async (client) => {
      try {
        await this.#ask(client, { text });
      } catch (error) {
        // Else the connection stays in the transaction that has failed.
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
    });
  }

  /** See `Commits`. */
  workAs(worker: number, whyNot: () => Promise<StopError>): void {
    this.#commits.workAs(worker, whyNot);
  }

  /** Asks now or not at all: a process that has nothing to write hears of an outage by nothing else. */
  rowsAtOnce<Row>(sql: string, params?: readonly Cell[]): Promise<readonly Row[]> {
    return this.#through((client) => this.#on(client).rows<Row>(sql, params), { isAtOnce: true });
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /**
   * With `fsync=off` a loss of power takes intents whose requests have left, and what they bought is bought
   * again.
   */
  async refuseUnfit(): Promise<void> {
    const settings = `SELECT current_setting('fsync') AS fsync,
      current_setting('server_encoding') AS encoding, current_setting('server_version_num') AS version`;
    const [found] = await this.#once((client) => this.#on(client).rows<Record<string, string>>(settings));
    if (found?.fsync !== 'on')
      throw stop(
        'store',
        `The server of ${this.shown} has fsync=off, so it may lose commits when its machine loses power.`,
        'Set fsync = on there and restart it.',
      );
    if (found.encoding !== 'UTF8')
      throw stop(
        'store',
        `The database of ${this.shown} is in ${found.encoding}, which cannot hold every letter.`,
        "Name one that was made by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
      );
    // Before version 17 a process that is stopped while half of a statement has left holds the lock until it
    // goes on.
    const timeout = Number(found.version) < 170_000 ? 'statement_timeout' : 'transaction_timeout';
    this.#endsIn = `SET LOCAL ${timeout} = '${REST_COMES_WITHIN}'`;
  }

  /** Transactions of a process are one after the other, and wait while the database is away. */
  #transact<T>(transaction: Transaction<T>, { isBought = false }: WriteManner = {}): Promise<T> {
    let isWritten = false;
    const work = async (client: PoolClient): Promise<T> => {
      isWritten ||= await this.#commits.wasWritten(client, transaction);
      return isWritten ? transaction.again(client) : transaction.work(client);
    };
    const done = this.#lastTurn.then(() => this.#through(work, { isBought }));
    this.#lastTurn = done.catch(() => {});
    return done;
  }

  /** Takes the lock, and the next number of the worker. */
  #begin(client: PoolClient, isGroup: boolean): readonly Promise<QueryResult>[] {
    const begun = this.#ask(client, { text: isGroup ? `${BEGIN}; ${this.#endsIn}` : BEGIN });
    return [begun, ...this.#commits.mark(client)];
  }

  #through<T>(work: (client: PoolClient) => Promise<T>, manner: Manner = {}): Promise<T> {
    const once = (): Promise<T> => this.#once(work);
    return this.#outage === undefined ? once() : this.#outage.through(once, manner);
  }

  async #once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw unreachableStop(error, this.#address);
    });
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // After a statement that was refused it is as it was; of one that was silent no one knows what it would
      // answer next.
      client.release(error instanceof Unanswered);
      throw error;
    }
  }

  #on(client: PoolClient): Sql {
    return {
      rows: async <Row>(sql: string, params: readonly Cell[] = []) =>
        (await this.#ask(client, { ...textOf(sql), values: params.map(cellOf) })).rows as readonly Row[],
      each: async <Rec, Row>(statement: EachStatement<Rec, Row>, records: readonly Rec[]) => {
        const query = queryOf(statement, records);
        return query === undefined ? [] : ((await this.#ask(client, query)).rows as readonly Row[]);
      },
    };
  }

  async #ask(client: PoolClient, query: QueryConfig): Promise<QueryResult> {
    try {
      return await client.query(query);
    } catch (error) {
      throw isAway(error) ? unansweredStop(error, this.shown) : refusalOf(error, this.#address);
    }
  }
}

type Rows = readonly unknown[];
const NO_ROWS: Promise<Rows> = Promise.resolve([]);

const BEGIN = `BEGIN; SELECT pg_advisory_xact_lock(${WRITING})`; // rule 11c

/** All that is asked for leaves together. @throws what was refused first. */
async function inOneMessage(client: PoolClient, ask: () => readonly Promise<unknown>[]) {
  const { stream } = (client as unknown as Client).connection;
  stream.cork();
  const answers = ask();
  stream.uncork();
  // Nothing is left under way on a connection that is free again.
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

// ------------------------------------------------------------------------------------------ statements

// All of it is made before anything is sent, so that no part of a group leaves without the rest.

interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** A statement over records. `again` reads what it returned. */
interface OverRecords extends PreparedStatement {
  readonly values: string[];
  readonly again: Omit<OverRecords, 'again'> | undefined;
}

/**
 * The statements by their text. The columns stand before a text that reads again what another statement
 * returned, and statements over records are keys themselves.
 */
const preparedBefore = new Map<string | Statement, PreparedStatement>();

function prepared(key: string | Statement, sqlText: () => string): PreparedStatement {
  const found = preparedBefore.get(key);
  if (found !== undefined) return found;
  const made = { name: `s${preparedBefore.size}`, text: inWordsOf('postgres', sqlText()) };
  preparedBefore.set(key, made);
  return made;
}

/** Each text is prepared once a connection, so it must be one of a few. */
export function textOf(sql: string): PreparedStatement {
  let at = 0;
  return prepared(sql, () => sql.replaceAll('?', () => `$${++at}`));
}

const WRITES = /\b(?:INSERT|UPDATE|DELETE)\b/i;
const RETURNS = /\bRETURNING\b/i;

/** Undefined where there is no record. */
export function queryOf<Rec>(statement: Statement, records: readonly Rec[]): OverRecords | undefined {
  if (records.length === 0) return undefined;
  const { sql, columns, writes, again } = statement;
  const values = Object.entries(columns).map(([column, type]) => {
    const cells = records.map((record) => cellOf((record as Readonly<Record<string, Cell>>)[column] ?? null));
    return `{${cells.map((cell) => (cell === null ? 'NULL' : IN_ARRAY[type](cell as never))).join()}}`;
  });
  const returning = writes === undefined ? '' : ' RETURNING id';
  const query = { ...prepared(statement, () => withRecords(sql + returning, columns)), values };
  if (!WRITES.test(sql)) return { ...query, again: query };
  if (again === undefined) return { ...query, again };
  return { ...query, again: { ...prepared(again, () => withRecords(again.sql, columns)), values } };
}

/** Whether the rows that a statement in a group returns can be asked for again. */
const isAskable = ({ sql, again }: Statement): boolean => again !== undefined || !RETURNS.test(sql);

/** The statement with a table `v` of the records before it. */
function withRecords(sql: string, columns: Columns): string {
  const list = Object.entries(columns);
  const arrays = list.map(([, type], at) => `$${at + 1}::${ARRAYS[type]}`).join(', ');
  const names = list.map(([column]) => column).join(', ');
  return withTable(`v (${names}) AS (SELECT * FROM unnest(${arrays}))`, sql);
}

const ARRAYS = { int: 'bigint[]', text: 'text[]', bytes: 'bytea[]' } as const;

const IN_ARRAY = {
  int: (cell: number) => String(cell),
  text: (cell: string) => `"${cell.replaceAll(/["\\]/g, '\\$&')}"`,
  bytes: (cell: Uint8Array) =>
    `"\\\\x${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('hex')}"`,
} as const;

/**
 * No text of PostgreSQL can hold a zero byte, and one would refuse the whole group: a zero byte becomes the
 * sign that UTF-8 has for signs that cannot be read.
 */
const cellOf = (cell: Cell): Cell => (typeof cell === 'string' ? cell.replaceAll('\0', '\uFFFD') : cell);
