import { join, resolve } from 'node:path';
import { replaceFile } from '../core/atomic-file.ts';
import { stateFolder } from '../core/paths.ts';
import type { OutputOrder } from '../files/output/output.ts';
import type { BatchId, LedgerReader } from '../ledger/ledger.ts';
import { NOTES, type NotedFile, notesOutside, notesWith } from '../ledger/noted-outside.ts';
import { isUrl } from '../ledger/store.ts';

/**
 * Notes which files were written by exports that do not write to the ledger. During a run only the run may write to it, so
 * these notes are a file beside it. They let a second export replace the file of the first, and tell whoever forgets a person
 * where to look, at a saved plan as well, which is no file of a batch. Two writers at once may lose a note, and then a file is kept, or not named.
 */

type Notes = Required<Pick<OutputOrder, 'written' | 'noteWritten' | 'noteOutput'>>;

export function lookerNotes(location: string, ledger: LedgerReader, batch: BatchId): Notes {
  const folder = folderOf(location);
  // Without the note the next export keeps this file and writes another, so a failure here need not stop anything.
  const noteWritten = (path: string, sha256s: readonly string[]): Promise<void> =>
    note(folder, path, { sha256s, batch });
  return {
    written: async (path) => [
      ...(await ledger.written(path)),
      ...(notesOutside(folder)[path]?.sha256s ?? []),
    ],
    noteWritten,
    noteOutput: noteWritten,
  };
}

/** Notes a file that holds people and is no output of a batch. Where there is no store, nothing is noted, and none is made. */
export function noteFile(location: string, path: string): Promise<void> {
  return note(folderOf(location), resolve(path), { sha256s: [] });
}

const folderOf = (location: string): string => (isUrl(location) ? stateFolder() : location);

async function note(folder: string, path: string, noted: NotedFile): Promise<void> {
  await replaceFile(join(folder, NOTES), 0o600, [notesWith(folder, path, noted)]).catch(() => {});
}
