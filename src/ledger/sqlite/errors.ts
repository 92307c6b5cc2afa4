import Database from 'better-sqlite3';
import { messageOf, StopError, stop } from '../../core/errors.ts';
import { shortage, shortOfFiles } from '../../lib/system-errors.ts';

/** Errors of SQLite, as what a user can do about them. */

/** SQLite's name for an error, such as `SQLITE_FULL`; undefined for errors that are not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

export function isDiskFull(error: unknown): boolean {
  // SQLite finds no room for its shared memory; ENOSPC and EDQUOT come from our own files beside the database.
  return ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

/** Whether the disk fails: a kernel then makes it read-only. */
function isDiskFailing(error: unknown): boolean {
  return /^(SQLITE_READONLY|SQLITE_IOERR|EROFS$|EIO$)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return sqliteCode(error) ?? (error instanceof Error && 'code' in error ? String(error.code) : '');
}

/** A failed constraint is a bug of ours and concerns one write; every other error of SQLite concerns the store. */
export function concernsOneWrite(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === undefined || code.startsWith('SQLITE_CONSTRAINT');
}

/**
 * SQLite reports SQLITE_ERROR for a statement that does not fit the schema, and for text that is not JSON. All our
 * statements fit our schema, and only JSON is written where JSON is read.
 */
const DAMAGE_CODES = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_FORMAT', 'SQLITE_ERROR', 'SQLITE_MISMATCH'];

function saysDamage(code: string): boolean {
  return DAMAGE_CODES.some((each) => code.startsWith(each));
}

export function diskFull(folder: string, cause: unknown): StopError {
  return new StopError(
    {
      code: 'disk_full',
      message: `The disk that holds the store ${folder} is full; nothing new is sent.`,
      next: 'Free some space, then run the same command again: it continues where it stopped.',
    },
    { cause },
  );
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

/** Turns an error of SQLite into what it means to a user; other errors, such as bugs of ours, pass unchanged. */
export function explained(error: unknown, folder: string): unknown {
  if (error instanceof StopError) return error;
  if (isDiskFull(error)) return diskFull(folder, error);
  // Errors of the file system name the failed system call; bugs of ours do not.
  if (error instanceof Error && 'syscall' in error) return unusable(folder, error, error.message);
  const code = sqliteCode(error);
  if (code === undefined || concernsOneWrite(error)) return error;
  if (saysDamage(code)) {
    return damagedStore(folder, `SQLite says "${messageOf(error)}"`, error);
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return stop('busy', `Another program holds the ledger in ${folder} (${code}).`, 'Close that program.');
  }
  return unusable(folder, error, `${messageOf(error)} (${code})`);
}

function unusable(folder: string, cause: unknown, said: string): StopError {
  const isUnsaid = /^SQLITE_(CANTOPEN|IOERR)/.test(codeOf(cause));
  const short = shortage(codeOf(cause)) ?? (isUnsaid ? shortOfFiles() : undefined);
  const message = `The store ${folder} cannot be used: ${short?.why ?? said}.`;
  if (short !== undefined) return new StopError({ code: 'store', message, next: short.next }, { cause });
  const next = isDiskFailing(cause)
    ? 'Check that its disk is sound and mounted for writing, then run the same command again: it continues where it stopped.'
    : 'Give yourself permission to write to the folder and its files, or name another one with --store.';
  return new StopError({ code: 'store', message, next }, { cause });
}
