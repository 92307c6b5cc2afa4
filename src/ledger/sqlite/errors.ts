import Database from 'better-sqlite3';
import { messageOf, type StopCode, StopError } from '../../core/errors.ts';
import { shortage } from '../../lib/system-errors.ts';

/** Errors of SQLite and of the files beside it, as what a user can do about them. */

/** Such as `SQLITE_FULL`, or `ENOSPC` from our own files beside the database. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** SQLite finds no room for its shared memory, too. */
const DISK_FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/;

export const isDiskFull = (error: unknown): boolean => DISK_FULL.test(codeOf(error));

const GOES_ON = 'then run the same command again: it continues where it stopped.';

/** What codes mean; the first one that fits. */
const MEANINGS: readonly (readonly [codes: RegExp, code: StopCode, fact: string, next: string])[] = [
  [
    DISK_FULL,
    'disk_full',
    'The disk that holds the store STORE is full; nothing new is sent',
    `Free some space, ${GOES_ON}`,
  ],
  // All our statements fit our schema, and only JSON is written where JSON is read, so SQLITE_ERROR says that a file is damaged.
  [
    /^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR|MISMATCH)/,
    'store_damaged',
    'The store STORE is damaged: SQLite says "SAID"',
    'Restore the store from its newest backup.',
  ],
  [/^SQLITE_BUSY/, 'busy', 'Another program holds the ledger in STORE', 'Close that program.'],
  // A kernel makes a disk that fails read-only.
  [
    /^/,
    'store',
    'The store STORE cannot be used: SAID',
    `Check that its disk is sound and mounted for writing, and that its files are yours to write, ${GOES_ON}`,
  ],
];

/** What an error means to a user; a failed constraint, which is a bug of ours and concerns one write, and other bugs pass unchanged. */
export function explained(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  const isOfUse = error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error);
  const meaning = MEANINGS.find(([codes]) => codes.test(code));
  if (!isOfUse || code.startsWith('SQLITE_CONSTRAINT') || meaning === undefined) return error;
  const [, kind, fact, next] = meaning;
  const short = shortage(code);
  const words = { STORE: folder, SAID: short?.why ?? messageOf(error) };
  const message = fact.replaceAll(/STORE|SAID/g, (word) => words[word as keyof typeof words]);
  return new StopError({ code: kind, message: `${message}.`, next: short?.next ?? next }, { cause: error });
}
