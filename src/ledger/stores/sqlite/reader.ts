import type { CallKey } from '../../../core/call-key.ts';
import type { BootTime } from '../../../core/clock.ts';
import type { Position } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import type { Call } from '../../../core/operation.ts';
import type { OutcomeKind, RowNumber } from '../../../core/row.ts';
import type {
  AccountState,
  Activity,
  Agreement,
  AttemptId,
  AttemptRecord,
  AttemptsAbout,
  Batch,
  BatchId,
  BatchLine,
  CallState,
  Credits,
  Detail,
  Doubt,
  FinishedInput,
  FoundReply,
  FreshSince,
  KeptTime,
  KnownSubject,
  LedgerReader,
  Money,
  PauseRecord,
  PlannedRow,
  RowKind,
  RowRecord,
  SavedPart,
  Sent,
} from '../../ledger.ts';
import { accountState, forgettingAccounts, matchRate, pausesOf, sendsOf } from './accounts.ts';
import { agreementTo } from './agreements.ts';
import { type BatchRow, batchFrom, type LineRow, lineFrom, positionFrom } from './batch-records.ts';
import { plannedRows } from './batches.ts';
import { confirmedTime, keptTime } from './boots.ts';
import { Calls } from './calls.ts';
import { type Connection, explainedReading } from './connection.ts';
import { heldSince } from './holds.ts';
import { accountMoney, activityOf, batchMoney, isSpentAtMost } from './money.ts';
import { highestPrice } from './prices.ts';
import { ROW_CELLS, type RowCells, recordsOf } from './row-records.ts';
import { hasOlderThan, lostRefresh, rowsReadOtherwise, rowsUnanswered, savedPart } from './rows.ts';
import { knownSubjects } from './subjects.ts';
import type { ReadRow } from './table.ts';
import { checkBatch } from './table-sums.ts';
import { batchNumber, keyBytes, type MARKS_TABLE } from './tables.ts';

/** Rows in a page of `finishedRows`: some milliseconds of the event loop, and 80 KB. */
const SETTLED_PAGE = 10_000;

const BATCHES = 'SELECT b.*, p.identity FROM batches b JOIN accounts p ON p.id = b.account';

/** Nothing is decided by a line alone, so its sum, which is over much longer columns, is left for the batch itself. */
const LINES = `SELECT b.id, b.state, p.identity, b.account_name, b.sandbox, b.operation, b.input_path, b.created_at,
    b.output_sha256, EXISTS (SELECT 1 FROM tallies t WHERE t.batch = b.id AND t.name = 'row:in_doubt' AND t.count > 0) AS has_doubts
  FROM batches b JOIN accounts p ON p.id = b.account ORDER BY b.ordinal DESC`;

/** Reads of an SQLite ledger. Each read sees one state of it, whatever a running spender commits meanwhile. */
export class SqliteReader implements LedgerReader {
  protected readonly connection: Connection;
  protected readonly calls: Calls;
  /** The store's folder, for messages. */
  protected readonly folder: string;

  /** The key that finds calls of forgotten people; undefined when nobody was forgotten. */
  readonly #secret: Buffer | undefined;
  #forgetting: Promise<readonly string[]> | undefined;

  constructor(connection: Connection, folder: string, secret?: Buffer) {
    this.connection = connection;
    this.calls = new Calls(connection, secret);
    this.folder = folder;
    this.#secret = secret;
  }

  batches(): Promise<readonly Batch[]> {
    return this.read(() =>
      this.connection.all<BatchRow>(`${BATCHES} ORDER BY b.ordinal DESC`).map(checkedBatch),
    );
  }

  batchLines(): Promise<readonly BatchLine[]> {
    return this.read(() => this.connection.all<LineRow>(LINES).map(lineFrom));
  }

  written(path: string): Promise<readonly string[]> {
    return this.read(() =>
      this.connection
        .all<{ sha256: string }>('SELECT sha256 FROM files WHERE path = ?', path)
        .map(({ sha256 }) => sha256),
    );
  }

  agreement(sha256: string): Promise<Agreement | undefined> {
    return this.read(() => agreementTo(this.connection, sha256));
  }

  heldSince(batch: BatchId): Promise<number | undefined> {
    return this.read(() => heldSince(this.connection, batch));
  }

  batch(id: BatchId): Promise<Batch | undefined> {
    return this.read(() => this.batchNumbered(batchNumber(id)));
  }

  batchByKey(key: string): Promise<Batch | undefined> {
    return this.read(() => {
      const sql = `${BATCHES} WHERE b.key = ? AND b.state IN ('open', 'finished') ORDER BY b.generation DESC LIMIT 1`;
      const row = this.connection.get<BatchRow>(sql, key);
      return row && checkedBatch(row);
    });
  }

  batchMoney(batch: BatchId, scope: 'batch' | 'extra' = 'batch'): Promise<Money> {
    return this.read(() => batchMoney(this.connection, batchNumber(batch), scope));
  }

  accountMoney(accountIdentity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money> {
    return this.read(() => accountMoney(this.connection, accountIdentity, scope, atMs));
  }

  isSpentAtMost(of: { readonly batch: BatchId } | { readonly account: string }): Promise<boolean> {
    return this.read(() => isSpentAtMost(this.connection, of));
  }

  account(accountIdentity: string): Promise<AccountState> {
    return this.read(() => accountState(this.connection, accountIdentity));
  }

  counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>> {
    return this.read(() => {
      const tallies = this.connection.all<{ kind: OutcomeKind; count: number }>(
        `SELECT substr(name, 5) AS kind, count FROM tallies
          WHERE batch = ? AND name LIKE 'row:%' AND count > 0 ORDER BY name`,
        batchNumber(batch),
      );
      return Object.fromEntries(tallies.map(({ kind, count }) => [kind, count]));
    });
  }

  metrics(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }> {
    const id = batchNumber(batch);
    return this.read(() => ({ requests: this.#tally(id, 'requests'), calls: this.#tally(id, 'calls') }));
  }

  openRequests(batch: BatchId): Promise<number> {
    const sql =
      'SELECT count(*) AS n FROM calls c CROSS JOIN attempts a ON a.id = c.open WHERE c.open IS NOT NULL AND a.batch = ?';
    return this.read(() => this.connection.get<{ n: number }>(sql, batchNumber(batch))?.n ?? 0);
  }

  rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> {
    const sql = `SELECT ${ROW_CELLS} FROM rows w WHERE w.batch = ? AND w.row >= ? ORDER BY w.row LIMIT ?`;
    return this.#records(batch, (id) => this.connection.lists<RowCells>(sql, id, fromRow, limit));
  }

  rowsReadOtherwise(
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]> {
    return this.#records(batch, (id) => rowsReadOtherwise(this.connection, id, { dialect, fromRow, limit }));
  }

  rowsUnanswered(batch: BatchId): Promise<readonly RowNumber[]> {
    return this.read(() => rowsUnanswered(this.connection, batchNumber(batch)));
  }

  rowKinds(batch: BatchId, fromRow: RowNumber, beforeRow: RowNumber): Promise<readonly RowKind[]> {
    const sql = 'SELECT row, outcome AS kind FROM rows WHERE batch = ? AND row >= ? AND row < ? ORDER BY row';
    return this.read(() => this.connection.all<RowKind>(sql, batchNumber(batch), fromRow, beforeRow));
  }

  positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined> {
    return this.read(() => {
      const mark = this.connection.get<ReadRow<typeof MARKS_TABLE>>(
        'SELECT * FROM marks WHERE batch = ? AND row <= ? ORDER BY row DESC LIMIT 1',
        batchNumber(batch),
        row,
      );
      return mark && positionFrom(mark);
    });
  }

  async *finishedRows(batch: BatchId, fromRow: RowNumber = 0): AsyncGenerator<readonly FinishedInput[]> {
    const id = batchNumber(batch);
    let after = fromRow - 1;
    for (;;) {
      const page = await this.read(() =>
        this.connection.lists<[row: number, input: number | null]>(
          "SELECT row, input FROM rows WHERE batch = ? AND row > ? AND outcome <> 'in_doubt' ORDER BY row LIMIT ?",
          id,
          after,
          SETTLED_PAGE,
        ),
      );
      const last = page.at(-1);
      if (last === undefined) return;
      yield page.map(([row, input]) => (input === null ? { row } : { row, input }));
      [after] = last;
    }
  }

  sends(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly Sent[]> {
    return this.read(() => sendsOf(this.connection, accountIdentity, sinceMs, limit));
  }

  newestFound(accountIdentity: string, most: number): Promise<readonly FoundReply[]> {
    return this.read(() => this.calls.newestFound(accountIdentity, most));
  }

  /** A run looks for one call after the other, most of them unknown: one statement sees one state by itself. */
  async find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    { detail, batch }: { readonly detail?: Level; readonly batch?: BatchId | undefined } = {},
  ): Promise<readonly CallState<Level>[]> {
    const [only, ...others] = keys;
    const isOne = only !== undefined && others.length === 0;
    if (isOne && this.explained(() => this.calls.byKey(keyBytes(only))) === undefined)
      return [{ kind: 'unknown' }];
    const id = batch === undefined ? undefined : batchNumber(batch);
    const states = await this.read(() => this.calls.states(keys, detail ?? 'whole', id));
    return states as readonly CallState<Level>[];
  }

  doubts(batch: BatchId, { withSkipped } = { withSkipped: false }): Promise<readonly Doubt[]> {
    return this.read(() => this.calls.doubts(batchNumber(batch), withSkipped));
  }

  history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]> {
    return this.read(() => this.calls.history(batchNumber(batch), row));
  }

  attempts(ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]> {
    return this.read(() => ids.map((id) => this.calls.recorded(id)));
  }

  attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout> {
    return this.read(() => this.calls.about(values, after, most));
  }

  saved(batch: BatchId, fromRow: RowNumber, most: number): Promise<SavedPart> {
    return this.read(() => savedPart(this.connection, batchNumber(batch), fromRow, most));
  }

  matchRate(accountIdentity: string, operation: string): Promise<number | undefined> {
    return this.read(() => matchRate(this.connection, accountIdentity, operation));
  }

  price(
    accountIdentity: string,
    call: Pick<Call, 'operation' | 'creditsMost'>,
  ): Promise<Credits | undefined> {
    return this.read(() => highestPrice(this.connection, accountIdentity, call));
  }

  hasOlderThan(batch: BatchId, freshSince: FreshSince): Promise<boolean> {
    return this.read(() => hasOlderThan(this.connection, batchNumber(batch), freshSince));
  }

  lostRefresh(answer: AttemptId): Promise<number | undefined> {
    return this.read(() => lostRefresh(this.connection, answer));
  }

  pauses(accountIdentity: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]> {
    return this.read(() => pausesOf(this.connection, accountIdentity, fromMs, untilMs));
  }

  activity(batch: BatchId, most: number, unitMs?: number): Promise<Activity> {
    const wanted = { batch: batchNumber(batch), most, ...present({ unitMs }) };
    return activityOf(this.connection, wanted, (work) => this.read(work));
  }

  subjects(accountIdentity: string): Promise<readonly KnownSubject[]> {
    return this.read(() => knownSubjects(this.connection, accountIdentity));
  }

  plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]> {
    return this.read(() => plannedRows(this.connection, batch, fromRow, limit));
  }

  confirmedTime(): Promise<number | undefined> {
    return this.read(() => confirmedTime(this.connection));
  }

  /** Nobody is forgotten while a spender has the store, so it is looked up once. */
  forgettingAccounts(): Promise<readonly string[]> {
    this.#forgetting ??=
      this.#secret === undefined ? Promise.resolve([]) : this.read(() => forgettingAccounts(this.connection));
    return this.#forgetting;
  }

  keptTime(boot: BootTime, atMs: number): Promise<KeptTime> {
    return this.read(() => keptTime(this.connection, boot, atMs));
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  /** Runs reads over one state of the ledger, and turns damage into a stop. */
  protected async read<T>(work: () => T): Promise<T> {
    return this.explained(() => this.connection.snapshot(work));
  }

  /** Runs a single read. */
  protected explained<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainedReading(error, this.folder);
    }
  }

  protected batchNumbered(id: number): Batch | undefined {
    const row = this.connection.get<BatchRow>(`${BATCHES} WHERE b.id = +?`, id);
    return row && checkedBatch(row);
  }

  #tally(batch: number, name: string): number {
    const sql = 'SELECT count FROM tallies WHERE batch = ? AND name = ?';
    return this.connection.get<{ count: number }>(sql, batch, name)?.count ?? 0;
  }

  #records(batch: BatchId, find: (batch: number) => readonly RowCells[]): Promise<readonly RowRecord[]> {
    const id = batchNumber(batch);
    return this.read(() => recordsOf(this.connection, id, find(id)));
  }
}

function checkedBatch(row: BatchRow): Batch {
  checkBatch(row);
  return batchFrom(row);
}
