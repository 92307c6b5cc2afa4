import { invariant } from '../../../core/errors.ts';
import type { Copied, CopiedPart } from '../../copying.ts';
import type { Cleaning, Erasable, ErasureTarget } from '../../eraser.ts';
import type {
  Act,
  Batch,
  BatchChange,
  BatchId,
  BatchSpec,
  BatchStart,
  CallEntry,
  FinishedRow,
  Ledger,
  Notices,
  OpenAttempt,
  OutcomesOf,
  PlannedRow,
} from '../../ledger.ts';
import { removeFiles } from '../../rules/found.ts';
import { keepTold, markMisses, notePause, setAccountCaps, setLearnedRate, setUsage } from './accounts.ts';
import { BATCH_READS } from './batch-records.ts';
import { beginBatch, changeBatch, keepPieces, noteWritten } from './batches.ts';
import { CallWrites } from './call-writes.ts';
import { openAttempts } from './calls.ts';
import { clean, requireRoom } from './cleaning.ts';
import type { Connection } from './connection.ts';
import { copiedTo } from './copies.ts';
import { partsOf } from './copy-from.ts';
import { accountNumber } from './entries.ts';
import { erasureOf } from './erasable.ts';
import { type Erasing, endErasures, erase } from './erase.ts';
import { makeErasureKey } from './erasure-key.ts';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import { insertNotice, noteNoticeSent, waitingNotices } from './notices.ts';
import { noteAct, noteAgreement, noteHold } from './people.ts';
import { SqliteReader } from './reader.ts';
import { retractMisses, retractRefusals } from './rows.ts';
import { sumUp } from './table-sums.ts';
import { batchId, COPIES_TABLE, wholeMs } from './tables.ts';
import type { Watch } from './watch.ts';

export interface SqliteLedgerOptions extends GroupCommitOptions {
  readonly watch: Watch;
  /** Who is at work, and when; undefined when nobody is noted. */
  readonly act: () => Pick<Act, 'operator' | 'atMs'> | undefined;
  /** The key that finds calls of forgotten people; undefined when nobody was forgotten. */
  readonly secret: Buffer | undefined;
  readonly erasureKey: string;
  /** Releases the lock and the files of the store. It runs after the connection is closed. */
  readonly release: () => void;
}

/** The ledger of the one spender. Writes wait for the next commit; reads see what has been committed. */
export class SqliteLedger extends SqliteReader implements Ledger {
  /** One process alone spends from it. */
  declare readonly spenders?: never;
  readonly notices: Notices = {
    keep: this.#writing(insertNotice),
    waiting: async () => waitingNotices(this.connection),
    noteSent: this.#writing(noteNoticeSent),
  };
  readonly keepPieces = this.#writing(keepPieces);
  readonly keepTold = this.#writing(keepTold);
  readonly markMisses = this.#writing(markMisses);
  readonly noteAgreement = this.#writing(noteAgreement);
  readonly notePause = this.#writing(notePause);
  readonly noteWritten = this.#writing(noteWritten);
  readonly retractMisses = this.#writing(retractMisses);
  readonly retractRefusals = this.#writing(retractRefusals);
  readonly setAccountCaps = this.#writing(setAccountCaps);
  readonly setLearnedRate = this.#writing(setLearnedRate);
  readonly setUsage = this.#writing(setUsage);
  readonly #group: GroupCommit;
  readonly #options: SqliteLedgerOptions;
  /** The newest attempt when the store was opened: attempts up to it belong to earlier runs. */
  readonly #earlier: number;
  readonly #calls: CallWrites;
  #closed = false;

  constructor(options: SqliteLedgerOptions) {
    super(options.connection, options.folder, options.secret);
    this.#group = new GroupCommit(options);
    this.#calls = new CallWrites(this.connection, this.#group, {
      deciding: (batch) => this.#noteAct('settled', batch),
    });
    this.#options = options;
    // From 64 KB on SQLite writes into a file what a statement of many rows would have to take back: as much again as it commits.
    this.connection.pragma('temp_store = MEMORY');
    const sql = 'SELECT booked AS newest FROM book';
    this.#earlier = options.connection.get<{ newest: number }>(sql)?.newest ?? 0;
  }

  beginBatch(spec: BatchSpec, renew = false, plan: readonly PlannedRow[] = []): Promise<BatchStart> {
    return this.#group.write(() => {
      const account = accountNumber(this.connection, spec.accountIdentity);
      const { id, start, superseded } = beginBatch(this.connection, { spec, account, renew, plan });
      this.#noteAct(start === 'new' ? 'begun' : 'gone_on', batchId(id));
      return { batch: this.#existingBatch(batchId(id)), start, superseded };
    });
  }

  changeBatch(batch: BatchId, change: BatchChange): Promise<void> {
    return this.#group.write(() => {
      changeBatch(this.connection, this.#existingBatch(batch), change);
      if (change.state === 'cancelled') this.#noteAct('cancelled', batch);
    });
  }

  /** What is written meanwhile has transactions of its own. */
  override atOneMoment<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  noteHold(batch: BatchId, held: boolean, atMs: number): Promise<void> {
    return this.#group.write(() => {
      if (noteHold(this.connection, batch, held, atMs)) this.#noteAct(held ? 'paused' : 'resumed', batch);
    });
  }

  append<const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>> {
    return this.#calls.append(list);
  }

  openAttempts(): Promise<readonly OpenAttempt[]> {
    return this.read(() => openAttempts(this.connection, this.#earlier));
  }

  finishRows(rows: readonly FinishedRow[]): Promise<void> {
    return this.#calls.finishRows(rows);
  }

  async erasable(target: ErasureTarget): Promise<Erasable> {
    // What is sorted here may be larger than memory.
    this.connection.pragma('temp_store = DEFAULT');
    const { found, report } = await this.read(() => erasureOf(this.connection, target));
    return {
      ...report,
      requireRoom: () => requireRoom(this.connection, this.folder),
      erase: (files, atMs) => this.#erase({ target, found, files, atMs }),
    };
  }

  async #erase(order: Omit<Erasing, 'secret' | 'by'>): Promise<Cleaning> {
    const { secret: known, erasureKey } = this.#options;
    const secret = order.target.kind === 'person' ? (known ?? makeErasureKey(erasureKey)) : undefined;
    // From here on SQLite sets overwritten parts of a page to zero.
    this.connection.pragma('secure_delete = ON');
    const by = this.#options.act();
    await this.#group.write(() => erase(this.connection, { ...order, secret, by }));
    return this.scrub();
  }

  /** Finishes committed erasures. What cannot be done now, or a crash cuts short, a later opening does. */
  async scrub(): Promise<Cleaning> {
    const sql = 'SELECT id, files FROM erasures WHERE scrubbed = 0';
    const unended = this.connection.all<{ id: number; files: string }>(sql);
    if (unended.length === 0) return { isDue: false };
    for (const { files } of unended) removeFiles(JSON.parse(files));
    const cleaning = clean(this.connection, this.folder);
    if (!cleaning.isDue) await this.#group.write(() => endErasures(this.connection));
    return cleaning;
  }

  copiedTo(): Copied | undefined {
    return copiedTo(this.connection);
  }

  /** All that the ledger holds. Nobody writes meanwhile. */
  async *parts(): AsyncGenerator<CopiedPart> {
    yield* partsOf(this.connection);
  }

  leave({ identity, place, atMs }: Copied): Promise<void> {
    const at = wholeMs(atMs);
    return this.#group.write(() => COPIES_TABLE.insert(this.connection, { id: 1, identity, place, at }));
  }

  /** Commits waiting writes. Closing moves the log into the database. */
  override async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#group.drain();
    this.#options.watch.end();
    this.connection.close();
    this.#options.release();
  }

  /** A method that is one write. */
  #writing<Asked extends readonly unknown[], T>(
    work: (connection: Connection, ...asked: Asked) => T,
  ): (...asked: Asked) => Promise<T> {
    return (...asked) => this.#group.write(() => work(this.connection, ...asked));
  }

  #noteAct(kind: Exclude<Act['kind'], 'erased'>, batch: BatchId): void {
    const by = this.#options.act();
    if (by !== undefined) noteAct(this.connection, kind, batch, by);
  }

  #existingBatch(id: BatchId): Batch {
    // The rows that this transaction has changed have no sum yet.
    sumUp(this.connection);
    const batch = BATCH_READS.batch(this.connection, id);
    invariant(batch !== undefined, `the ledger has no batch ${id}`);
    return batch;
  }
}
