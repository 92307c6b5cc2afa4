import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../core/atomic-file.ts';
import { stateFolder } from '../core/paths.ts';
import type { OutputOrder } from '../files/output/output.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { isUrl } from '../ledger/store.ts';

/**
 * Notes which files were written by exports during a run. Only the run may write to the ledger, so these notes are a
 * file beside it. They let a second export replace the file of the first. Two exports at once may lose a note, and then
 * a file is kept.
 */

const FILE = 'so-far.json';

const notes = z.record(z.string(), z.array(z.string()));

type Notes = Required<Pick<OutputOrder, 'written' | 'noteWritten' | 'noteOutput'>>;

export function lookerNotes(location: string, ledger: LedgerReader): Notes {
  const path = join(isUrl(location) ? stateFolder() : location, FILE);
  const noteWritten = async (file: string, sha256s: readonly string[]): Promise<void> => {
    const text = JSON.stringify({ ...(await notesIn(path)), [file]: sha256s });
    // Without the note the next export keeps this file and writes another, so a failure here need not stop anything.
    await replaceFile(path, 0o600, [text]).catch(() => {});
  };
  return {
    written: async (file) => [...(await ledger.written(file)), ...((await notesIn(path))[file] ?? [])],
    noteWritten,
    noteOutput: noteWritten,
  };
}

async function notesIn(path: string): Promise<z.infer<typeof notes>> {
  try {
    return notes.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return {};
  }
}
