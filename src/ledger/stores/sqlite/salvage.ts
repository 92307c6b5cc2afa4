import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RowNumber } from '../../../core/row.ts';
import type {
  Batch,
  BatchId,
  KnownSubject,
  PauseRecord,
  PlannedRow,
  RowRecord,
  SentPart,
} from '../../ledger.ts';
import type { Salvage, SalvagedCall, Unreadable } from '../../store.ts';
import { salvagedCall } from './calls.ts';
import { AlteredRow, Connection, explainedReading } from './connection.ts';
import { type StoreFolder, sizeOf } from './folder.ts';
import { SqliteReader } from './reader.ts';
import { batchId, batchNumber } from './tables.ts';

/**
 * Reads a damaged ledger row by row, in a copy: SQLite moves the log into any database it opens, and the damaged
 * original must stay as it is for examination. A row with a wrong checksum, or in a place that SQLite cannot read, is
 * noted and skipped.
 */

/** @param workFolder the folder for the copy. */
export function openSalvage(folder: StoreFolder, workFolder: string): Salvage {
  const copy = join(workFolder, 'ledger.db');
  copyFileSync(folder.ledger, copy);
  if (sizeOf(folder.log) !== undefined) copyFileSync(folder.log, `${copy}-wal`);
  mendHeader(copy);
  const connection = new Connection(copy, 'write');
  try {
    return new SalvageReader(connection, folder.path);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Bytes that the header of every ledger of ours has, by their place in SQLite's file format. */
const HEADER: readonly (readonly [at: number, bytes: Buffer])[] = [
  [0, Buffer.from('SQLite format 3\0')],
  // Pages of 4 KiB, a write-ahead log, and limits for how full pages may be.
  [16, Buffer.from([0x10, 0x00, 2, 2, 0, 64, 32, 32])],
  // The fourth format of schemas, and text in UTF-8.
  [44, Buffer.from([0, 0, 0, 4])],
  [56, Buffer.from([0, 0, 0, 1])],
];

/** Repairs the header: with one wrong bit there SQLite does not accept the file as a database. */
function mendHeader(path: string): void {
  const file = openSync(path, 'r+');
  for (const [at, bytes] of HEADER) writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

class SalvageReader extends SqliteReader implements Salvage {
  readonly #unreadable = new Map<string, string>();

  get unreadable(): readonly Unreadable[] {
    return [...this.#unreadable].map(([what, why]) => ({ what, why }));
  }

  override async batches(): Promise<readonly Batch[]> {
    const sql = 'SELECT id FROM batches ORDER BY ordinal DESC';
    const ids = await this.#tried('the list of batches', () => this.connection.all<{ id: number }>(sql));
    const batches: Batch[] = [];
    for (const { id } of ids ?? []) batches.push(...(await this.#batchesOf(batchId(id))));
    return batches;
  }

  /** The batch as a list, which is empty when it cannot be read. */
  async #batchesOf(id: BatchId): Promise<readonly Batch[]> {
    const batch = await this.#tried(`batch ${id}`, () => this.batch(id));
    return batch === undefined ? [] : [batch];
  }

  override async rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> {
    const records: RowRecord[] = [];
    for await (const row of this.#rowNumbers(batch, fromRow)) {
      if (records.length === limit) break;
      const found = await this.#tried(`row ${row} of batch ${batch}`, () => super.rows(batch, row, 1));
      records.push(...(found ?? []).filter((record) => record.row === row));
    }
    return records;
  }

  /** The numbers of the rows; if they cannot be listed, each number that the input has is tried. */
  async *#rowNumbers(batch: BatchId, fromRow: RowNumber): AsyncGenerator<RowNumber> {
    const sql = 'SELECT row FROM rows WHERE batch = ? AND row >= ? ORDER BY row';
    const listed = await this.#tried(`the list of rows of batch ${batch}`, () =>
      this.connection.all<{ row: number }>(sql, batchNumber(batch), fromRow),
    );
    if (listed !== undefined) return yield* listed.map(({ row }) => row);
    const [found] = await this.#batchesOf(batch);
    const last = (found?.inputRows ?? 0) + 1;
    for (let row = fromRow; row <= last; row += 1) yield row;
  }

  override async plannedRows(batch: BatchId, from: RowNumber, limit: number): Promise<readonly PlannedRow[]> {
    const what = `the plan of batch ${batch}`;
    return (await this.#tried(what, () => super.plannedRows(batch, from, limit))) ?? [];
  }

  override async subjects(account: string): Promise<readonly KnownSubject[]> {
    return (await this.#tried('what is known of people', () => super.subjects(account))) ?? [];
  }

  /** Every call by its number, which is that of an entry. */
  async *everyCall(): AsyncGenerator<SalvagedCall> {
    const sql = 'SELECT max(id) AS id FROM calls';
    const newest = await this.#tried('the list of calls', () =>
      this.connection.get<{ id: number | null }>(sql),
    );
    for (let id = 1; id <= (newest?.id ?? 0); id += 1) {
      const call = await this.#tried(`call ${id}`, () => salvagedCall(this.connection, id));
      if (call !== undefined) yield call;
    }
  }

  /** @throws what the damage is, which is noted as well: a batch that may be paused is not taken for one that is not. */
  override async heldSince(batch: BatchId): Promise<number | undefined> {
    return super.heldSince(batch).catch((error: unknown) => {
      this.#note(`whether batch ${batch} is paused`, error);
      throw error;
    });
  }

  override async sent(batch: BatchId, fromRow: RowNumber, rows: number): Promise<SentPart> {
    const what = `what batch ${batch} did when`;
    return (await this.#tried(what, () => super.sent(batch, fromRow, rows))) ?? { sent: [] };
  }

  override async pauses(account: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]> {
    return (await this.#tried('the pauses', () => super.pauses(account, fromMs, untilMs))) ?? [];
  }

  /** Undefined for what cannot be read, which is noted. */
  async #tried<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#note(what, error);
      return undefined;
    }
  }

  #note(what: string, error: unknown): void {
    const explained = explainedReading(error, this.folder);
    if (!(explained instanceof Error)) throw error;
    this.#unreadable.set(what, error instanceof AlteredRow ? error.message : explained.message);
  }
}
