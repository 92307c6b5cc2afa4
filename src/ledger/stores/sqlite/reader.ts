import type { CallKey } from '../../../core/call-key.ts';
import type { BatchId, CallState, Detail, LedgerReader } from '../../ledger.ts';
import { ACCOUNT_READS } from './accounts.ts';
import { BATCH_READS } from './batch-records.ts';
import { CALL_READS, callUnder, statesOf } from './calls.ts';
import { type Connection, explainedReading, type Reads } from './connection.ts';
import { LOG_READS } from './logged.ts';
import { MONEY_READS } from './money.ts';
import { PEOPLE_READS } from './people.ts';
import { PRICE_READS } from './prices.ts';
import { ROW_READS } from './row-records.ts';
import { SUBJECT_READS } from './subjects.ts';
import { keyBytes } from './tables.ts';

const READS: Reads<Omit<LedgerReader, 'find' | 'atOneMoment' | 'close'>> = {
  ...{ ...CALL_READS, ...BATCH_READS, ...ROW_READS, ...ACCOUNT_READS, ...MONEY_READS, ...PRICE_READS },
  ...{ ...SUBJECT_READS, ...PEOPLE_READS, ...LOG_READS },
};

const PartsReader = class {} as new () => LedgerReader;

/** Reads of an SQLite ledger. Each read sees one state of it, whatever a running spender commits meanwhile. */
export class SqliteReader extends PartsReader {
  protected readonly connection: Connection;
  protected readonly folder: string;
  /** The key that finds calls of forgotten people; undefined when nobody was forgotten. */
  readonly #secret: Buffer | undefined;
  #forgetting: Promise<readonly string[]> | undefined;

  constructor(connection: Connection, folder: string, secret?: Buffer) {
    super();
    this.connection = connection;
    this.folder = folder;
    this.#secret = secret;
  }

  /** A run looks for one call after the other, most of them unknown: one statement sees one state by itself. */
  override async find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    options: { readonly detail?: Level; readonly batch?: BatchId | undefined } = {},
  ): Promise<readonly CallState<Level>[]> {
    const [only, ...others] = keys;
    const isOne = only !== undefined && others.length === 0;
    if (isOne && this.explained(() => callUnder(this.connection, keyBytes(only), this.#secret)) === undefined)
      return [{ kind: 'unknown' }];
    const states = await this.read(() => statesOf(this.connection, keys, options, this.#secret));
    return states as readonly CallState<Level>[];
  }

  /** Nobody is forgotten while a spender has the store, so it is looked up once. */
  override forgettingAccounts(): Promise<readonly string[]> {
    this.#forgetting ??=
      this.#secret === undefined
        ? Promise.resolve([])
        : this.read(() => READS.forgettingAccounts(this.connection));
    return this.#forgetting;
  }

  override atOneMoment<T>(work: () => Promise<T>): Promise<T> {
    return this.connection.held(work);
  }

  override async close(): Promise<void> {
    this.connection.close();
  }

  protected async read<T>(work: () => T): Promise<T> {
    return this.explained(() => this.connection.snapshot(work));
  }

  protected explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainedReading(error, this.folder);
    }
  }

  static {
    for (const [name, read] of Object.entries<(connection: Connection, ...asked: never[]) => unknown>(
      READS,
    )) {
      if (Object.hasOwn(SqliteReader.prototype, name)) continue;
      const value = function (this: SqliteReader, ...asked: never[]) {
        return this.read(() => read(this.connection, ...asked));
      };
      Object.defineProperty(SqliteReader.prototype, name, { value });
    }
  }
}
