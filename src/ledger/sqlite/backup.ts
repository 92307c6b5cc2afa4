import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StopError, stop } from '../../core/errors.ts';
import { moveWithoutReplacing, outputProblem } from '../../lib/atomic-file.ts';
import { Connection } from '../db/sqlite.ts';
import { isDiskFull } from './errors.ts';
import { FILE_MODE, syncFile } from './folder.ts';
import { OF_A_BACKUP } from './watch.ts';

/**
 * Copies a ledger into one file, also while somebody spends from it. The copy says that it is one, so that nothing is bought from it
 * before the person who puts it back has said so: whatever the ledger bought since is unknown to it. A crash leaves `FILE.part`.
 * @throws StopError `output` when there is such a file already, or none can be written there.
 */
export async function backUp(connection: Connection, file: string): Promise<void> {
  const path = resolve(file);
  const part = `${path}.part`;
  try {
    rmSync(part, { force: true });
    writeFileSync(part, '', { mode: FILE_MODE, flag: 'wx' });
    await copyPages(connection, part);
    mark(part);
    syncFile(part);
    if (!(await moveWithoutReplacing(part, path)))
      throw stop('output', `There is a file ${path} already.`, 'Name a new one.');
  } catch (error) {
    rmSync(part, { force: true });
    if (error instanceof StopError) throw error;
    if (isDiskFull(error))
      throw stop('output', `The disk of ${path} is full.`, 'Name a file on another one.');
    throw error instanceof Error && 'syscall' in error ? outputProblem(path, error, 'store backup') : error;
  }
}

/** What is committed by now, whatever others write meanwhile: SQLite begins again for each of their writes, unless what it reads is held. */
async function copyPages(connection: Connection, part: string): Promise<void> {
  connection.rows('BEGIN');
  try {
    connection.rows('SELECT 1 FROM sqlite_schema');
    await connection.raw.backup(part);
  } finally {
    connection.rows('COMMIT');
  }
}

/** It has no log from here on, so it is one file. */
function mark(part: string): void {
  const copy = new Connection(part, 'write');
  try {
    copy.pragma('journal_mode = DELETE');
    copy.rows("UPDATE meta SET value = ? WHERE name = 'identity'", [OF_A_BACKUP]);
  } finally {
    copy.raw.close();
  }
}
