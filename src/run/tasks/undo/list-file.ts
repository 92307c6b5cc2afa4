import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { stop } from '../../../core/errors.ts';
import { besideFolder } from '../../../core/paths.ts';
import { contentHash } from '../../../files/input.ts';
import { ownershipIn, writeOwnFile } from '../../../files/output/own-files.ts';
import type { Batch, BatchId, Ledger } from '../../../ledger/ledger.ts';
import { commandLine } from '../../../lib/command-line.ts';
import type { UndoRow } from './list.ts';

/** The list of an undo is a file and the input of its batch. It holds e-mail addresses, so only its owner can read it. */

export const UNDO_COLUMNS = [
  'email',
  'project_id',
  'role',
  'user_id',
] as const satisfies readonly (keyof UndoRow)[];

/**
 * The path of the list. It is beside the ledger, so that both are kept, copied and deleted together.
 * @param earlier how many undos of the batch there were. Each keeps its own list, because it is the input of its batch.
 */
export function undoPath(location: string, batch: BatchId, earlier: number): string {
  const name = earlier === 0 ? `${batch}.csv` : `${batch}-${earlier + 1}.csv`;
  return join(besideFolder(location), 'undo', name);
}

/**
 * Writes the list. A crash before its batch begins leaves a list that the next undo writes again, unless it was edited.
 * @returns the path of the list.
 */
export async function writeUndoList(
  path: string,
  rows: readonly UndoRow[],
  ledger: Ledger,
  say: (sentence: string) => void,
): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return writeOwnFile({ path, mode: 0o600, chunks: [csvOf(rows)] }, ownershipIn(ledger, say));
}

/** Hands over a list that is gone afterwards, because a plan leaves nothing behind. */
export async function withUndoList<T>(
  rows: readonly UndoRow[],
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-undo-'));
  try {
    const path = join(folder, 'undo.csv');
    await writeFile(path, csvOf(rows), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function csvOf(rows: readonly UndoRow[]): string {
  return stringify([...rows], { header: true, columns: [...UNDO_COLUMNS] });
}

/** @throws StopError `input` when the list of a begun undo has changed since it was written. */
export async function requireSameList({ id, inputPath, inputSha256 }: Batch, undone: BatchId): Promise<void> {
  if ((await contentHash(inputPath)) === inputSha256) return;
  throw stop(
    'input',
    `${inputPath}, the list of batch ${id}, which undoes batch ${undone}, has changed.`,
    `Put it back as it was, or run ${commandLine(['cancel', id])} and then ${commandLine(['undo', undone])}`,
  );
}
