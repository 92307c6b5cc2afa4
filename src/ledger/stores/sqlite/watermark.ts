import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ANEW, AS_IT_STANDS, syncFolder, unlessMissing } from './folder.ts';

/**
 * The number of the last commit, kept outside of the database. When the write-ahead log is damaged, SQLite takes the
 * damage for the end of the log and opens without complaint, with the newest commits missing. A ledger with fewer
 * commits than this number has lost some.
 *
 * It is not synchronised to the disk: a loss of power may leave it behind the ledger, which is harmless, and never
 * ahead of it, because the ledger's own commit was synchronised before.
 */
const DIGITS = 16;
const FORMAT = /^(\d{16})\n$/;

/** The stored number; `undefined` when there is no file, `unreadable` when its content is no number. */
export function readWatermark(path: string): number | undefined | 'unreadable' {
  const text = unlessMissing(() => readFileSync(path, 'utf8'));
  // A crash while the file was being made leaves it empty, before anything was committed.
  if (text === undefined || text === '') return undefined;
  const digits = FORMAT.exec(text)?.[1];
  return digits === undefined ? 'unreadable' : Number(digits);
}

/** Keeps the file open, so that a commit costs only one small write. */
export class Watermark {
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Opens the file, or makes one that says zero and is on the disk before the first commit can be. */
  static open(path: string): Watermark {
    if (readWatermark(path) !== undefined) return new Watermark(openSync(path, AS_IT_STANDS));
    const mark = new Watermark(openSync(path, ANEW, 0o600));
    mark.write(0);
    fsyncSync(mark.#file);
    syncFolder(dirname(path));
    return mark;
  }

  /** The width is fixed, so that a shorter number never leaves digits of a longer one behind. */
  write(commits: number): void {
    writeSync(this.#file, `${String(commits).padStart(DIGITS, '0')}\n`, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}
