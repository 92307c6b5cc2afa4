import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ANEW, AS_IT_STANDS, syncFolder } from './folder.ts';

/**
 * The number of the last commit, kept outside of the database. SQLite takes a damaged write-ahead log for the end of
 * the log and opens without complaint, with the newest commits missing; a ledger that knows fewer commits than were
 * made has lost some.
 *
 * It is not synchronised to the disk: a loss of power may leave it behind the ledger, which means nothing, and never
 * ahead of it, because the ledger's own commit was synchronised before.
 */
const DIGITS = 16;
const FORMAT = /^(\d{16})\n$/;

/** The stored number; `undefined`: there is none; `unreadable`: there is a file that does not say. */
export function readWatermark(path: string): number | undefined | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  // A crash while it was being made leaves it empty, before anything was committed.
  if (text === '') return undefined;
  const digits = FORMAT.exec(text)?.[1];
  return digits === undefined ? 'unreadable' : Number(digits);
}

/** Keeps the file open, so that a commit costs one small write and no more. */
export class Watermark {
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Goes on with the file, or makes one that says zero and is on the disk before the first commit can be. */
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
