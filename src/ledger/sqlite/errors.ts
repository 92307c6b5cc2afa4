import Database from 'better-sqlite3';
import { messageOf, type StopCode, StopError } from '../../core/errors.ts';
import { shortage, shortOfFiles } from '../../lib/system-errors.ts';

/** Errors of SQLite and of the files beside it, as what a user can do about them. */

/** SQLite's name for an error, such as `SQLITE_FULL`; undefined for errors that are not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

export function isDiskFull(error: unknown): boolean {
  // SQLite finds no room for its shared memory; ENOSPC and EDQUOT come from our own files beside the database.
  return ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return sqliteCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : '');
}

/**
 * SQLite reports SQLITE_ERROR for a statement that does not fit the schema, and for text that is not JSON. All our
 * statements fit our schema, and only JSON is written where JSON is read.
 */
const DAMAGE = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT|ERROR|MISMATCH)/;

/** What an error means to a user; a failed constraint, which is a bug of ours and concerns one write, and other bugs pass unchanged. */
export function explained(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  const isOfSystem = error instanceof Error && 'syscall' in error;
  if (error instanceof StopError || code.startsWith('SQLITE_CONSTRAINT')) return error;
  if (sqliteCode(error) === undefined && !isOfSystem) return error;
  const stopped = (kind: StopCode, message: string, next: string): StopError =>
    new StopError({ code: kind, message, next }, { cause: error });
  if (isDiskFull(error))
    return stopped(
      'disk_full',
      `The disk that holds the store ${folder} is full; nothing new is sent.`,
      'Free some space, then run the same command again: it continues where it stopped.',
    );
  if (DAMAGE.test(code)) return damagedStore(folder, `SQLite says "${messageOf(error)}"`, error);
  if (code.startsWith('SQLITE_BUSY'))
    return stopped('busy', `Another program holds the ledger in ${folder} (${code}).`, 'Close that program.');
  const said = isOfSystem ? messageOf(error) : `${messageOf(error)} (${code})`;
  const isUnsaid = /^SQLITE_(?:CANTOPEN|IOERR)/.test(code);
  const short = shortage(code) ?? (isUnsaid ? shortOfFiles() : undefined);
  // A kernel makes a disk that fails read-only.
  const next = /^(?:SQLITE_READONLY|SQLITE_IOERR|EROFS$|EIO$)/.test(code)
    ? 'Check that its disk is sound and mounted for writing, then run the same command again: it continues where it stopped.'
    : 'Give yourself permission to write to the folder and its files, or name another one with --store.';
  return stopped('store', `The store ${folder} cannot be used: ${short?.why ?? said}.`, short?.next ?? next);
}

export function damagedStore(folder: string, fact: string, cause?: unknown): StopError {
  return new StopError(
    {
      code: 'store_damaged',
      message: `The store ${folder} is damaged: ${fact}.`,
      next: 'Restore the store from its newest backup.',
    },
    { cause },
  );
}
