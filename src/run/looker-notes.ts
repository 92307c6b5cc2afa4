import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { stateFolder } from '../core/paths.ts';
import type { OutputOrder } from '../files/output/output.ts';
import type { BatchId, LedgerReader } from '../ledger/ledger.ts';
import { type NotedFile, noteOutside, notesOutside } from '../ledger/noted-outside.ts';
import { isUrl } from '../ledger/store.ts';

/**
 * Notes which files were written by exports that do not write to the ledger. During a run only the run may write to it, so
 * these notes stand beside it. They let a second export replace the file of the first, and tell whoever forgets a person
 * where to look, at a saved plan as well, which is no file of a batch.
 */

type Notes = Required<Pick<OutputOrder, 'written' | 'noteWritten' | 'noteOutput'>>;

export function lookerNotes(location: string, ledger: LedgerReader, batch: BatchId): Notes {
  const folder = folderOf(location);
  // Without the note the next export keeps this file and writes another, so a failure here need not stop anything.
  const noteWritten = (path: string, sha256s: readonly string[]): Promise<void> =>
    note(folder, { path, sha256s, batch });
  return {
    written: async (path) => [
      ...(await ledger.written(path)),
      ...notesOutside(folder).flatMap((noted) => (noted.path === path ? noted.sha256s : [])),
    ],
    noteWritten,
    noteOutput: noteWritten,
  };
}

/** Notes a file that holds people and is no output of a batch. Where there is no store, nothing is noted, and none is made. */
export function noteFile(location: string, path: string): Promise<void> {
  const folder = folderOf(location);
  return existsSync(folder) ? note(folder, { path: resolve(path), sha256s: [] }) : Promise.resolve();
}

const folderOf = (location: string): string => (isUrl(location) ? stateFolder() : location);

async function note(folder: string, noted: NotedFile): Promise<void> {
  await noteOutside(folder, noted).catch(() => {});
}
