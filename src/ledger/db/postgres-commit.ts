import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { invariant, type StopError } from '../../core/errors.ts';
import { sqlStateOf, Unanswered } from '../../lib/postgres-server.ts';

/** What is committed at once. */
export interface Transaction<T> {
  /** Asks for it, COMMIT and all. */
  work(client: PoolClient): Promise<T>;
  /** What it said, where it was committed and no one heard. */
  again(client: PoolClient): Promise<T>;
}

type Ask = (client: PoolClient, query: QueryConfig) => Promise<QueryResult>;

/** Divides by nothing where the row is not as it was left, which ends the transaction. */
const MARK = {
  name: 'mark',
  text: `WITH marked AS (UPDATE workers SET newest_group = $3
      WHERE id = $1 AND newest_group = $2 RETURNING id)
    SELECT 1 / count(*) FROM marked`,
};
const NOTHING_MARKED = '22012';

/** Waits for the transaction that has the row. */
const TAKE_ITS_PLACE = {
  name: 'take',
  text: `UPDATE workers SET newest_group = CASE WHEN newest_group = $2 THEN $3 ELSE newest_group END
    WHERE id = $1 RETURNING newest_group`,
};

/**
 * A COMMIT without an answer. Each transaction writes its own number into the row of its worker,
 * `workers.newest_group`, and only where the row still has the number of the one before. A process that does
 * not know what became of a transaction takes its place. Where its number is not there yet, the process
 * writes another number. Then the server refuses a transaction that is still on its way. So it is never done
 * twice, whenever the old connection ends.
 */
export class Commits {
  readonly #ask: Ask;
  #worker: number | undefined;
  #whyNot = (): Promise<StopError> => Promise.reject(new Error('it has no one to write as'));
  /** What the worker's row says, unless a transaction is in doubt. */
  #newest = 0;
  /** Its COMMIT was asked for, and not answered. */
  #inDoubt: Transaction<unknown> | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * From now on a COMMIT without an answer is found out, by the row of this worker. What is written before
   * that may be done twice.
   * @param whyNot says what became of the row where it is not as this worker left it.
   */
  workAs(worker: number, whyNot: () => Promise<StopError>): void {
    this.#worker = worker;
    this.#newest = 0;
    this.#whyNot = whyNot;
  }

  /** Takes the next number of the worker, as the first that a transaction does. */
  mark(client: PoolClient): readonly Promise<QueryResult>[] {
    if (this.#worker === undefined) return [];
    const values = [this.#worker, this.#newest, this.#newest + 2];
    const refused = async (error: unknown): Promise<never> => {
      throw sqlStateOf(error) === NOTHING_MARKED ? await this.#whyNot() : error;
    };
    return [this.#ask(client, { ...MARK, values }).catch(refused)];
  }

  async commit(client: PoolClient, transaction: Transaction<unknown>): Promise<void> {
    if (this.#worker !== undefined) this.#inDoubt = transaction;
    try {
      const { command } = await this.#ask(client, { text: 'COMMIT' });
      this.#inDoubt = undefined;
      invariant(command === 'COMMIT', 'a transaction was to be committed in which a statement was refused');
      this.#newest += 2;
    } catch (error) {
      // Such as an error of a constraint that waits for the end.
      if (!(error instanceof Unanswered)) this.#inDoubt = undefined;
      throw error;
    }
  }

  /**
   * Settles what is in doubt: if it was not committed, it never will be.
   * @returns whether this transaction was, and no one heard.
   * @throws StopError when no one can say.
   */
  async wasWritten(client: PoolClient, transaction: Transaction<unknown>): Promise<boolean> {
    const inDoubt = this.#inDoubt;
    if (inDoubt === undefined) return false;
    const [committed, taken] = [this.#newest + 2, this.#newest + 1];
    const values = [this.#worker, this.#newest, taken];
    const { rows } = await this.#ask(client, { ...TAKE_ITS_PLACE, values });
    const newest = rows[0]?.newest_group;
    if (newest !== committed && newest !== taken) throw await this.#whyNot();
    this.#newest = newest;
    this.#inDoubt = undefined;
    return inDoubt === transaction && newest === committed;
  }
}
