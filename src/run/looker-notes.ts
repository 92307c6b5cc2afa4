import { stateFolder } from '../core/paths.ts';
import type { OutputOrder } from '../files/output/output.ts';
import type { BatchId, LedgerReader } from '../ledger/ledger.ts';
import { noteOutside, notesOutside } from '../ledger/noted-outside.ts';
import { isUrl } from '../ledger/store.ts';

/**
 * Notes which files were written by exports that do not write to the ledger. During a run only the run may write to it, so
 * these notes stand beside it. They let a second export replace the file of the first, and tell whoever forgets a person
 * where to look.
 */

type Notes = Required<Pick<OutputOrder, 'written' | 'noteWritten' | 'noteOutput'>>;

export function lookerNotes(location: string, ledger: LedgerReader, batch: BatchId): Notes {
  const folder = isUrl(location) ? stateFolder() : location;
  const noteWritten = async (path: string, sha256s: readonly string[]): Promise<void> => {
    // Without the note the next export keeps this file and writes another, so a failure here need not stop anything.
    await noteOutside(folder, { path, sha256s, batch }).catch(() => {});
  };
  return {
    written: async (path) => [
      ...(await ledger.written(path)),
      ...notesOutside(folder).flatMap((noted) => (noted.path === path ? noted.sha256s : [])),
    ],
    noteWritten,
    noteOutput: noteWritten,
  };
}
