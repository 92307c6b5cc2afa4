import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { besideFolder } from '../../core/paths.ts';
import type { OutputOrder } from '../../files/output/output.ts';
import type { BatchId, LedgerReader } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';

/**
 * Notes which files were written by exports that do not write to the ledger. During a run only the run may write to it, so
 * these notes stand beside it. They let a second export replace the file of the first. They also tell `forget` where to look.
 */

type Notes = Required<Pick<OutputOrder, 'written' | 'noteWritten' | 'noteOutput'>>;

export function lookerNotes(location: string, ledger: LedgerReader, batch: BatchId): Notes {
  const folder = besideFolder(location);
  const noteWritten = (path: string, sha256s: readonly string[]): Promise<void> =>
    note(folder, { path, sha256s, batch });
  return {
    written: async (path) => [
      ...(await ledger.written(path)),
      ...notesIn(folder).flatMap((noted) => (noted.path === path ? noted.sha256s : [])),
    ],
    noteWritten,
    noteOutput: noteWritten,
  };
}

/** Each note is a file of its own in a folder beside the ledger, so two exports at once keep both of theirs. */
export const NOTES = 'so-far';

const NotedFile = z.object({
  path: z.string(),
  /** The contents that we wrote there. */
  sha256s: z.array(z.string()).readonly(),
  /** The batch whose rows are in them. */
  batch: z.custom<BatchId>((id) => typeof id === 'string'),
});
type NotedFile = Readonly<z.infer<typeof NotedFile>>;

export function notesIn(folder: string): readonly NotedFile[] {
  const notes = join(folder, NOTES);
  const names = existsSync(notes) ? readdirSync(notes) : [];
  return names
    .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
    .flatMap((name) => {
      try {
        return [NotedFile.parse(JSON.parse(readFileSync(join(notes, name), 'utf8')))];
      } catch {
        return [];
      }
    });
}

/**
 * The newest note of a path and a batch stands. Without the note the next export keeps this file and writes another, so a
 * failure here need not stop anything.
 */
async function note(folder: string, noted: NotedFile): Promise<void> {
  try {
    const name = hash('sha256', JSON.stringify([noted.path, noted.batch]), 'hex');
    await mkdir(join(folder, NOTES), { recursive: true, mode: 0o700 });
    await replaceFile(join(folder, NOTES, `${name}.json`), 0o600, [JSON.stringify(noted)]);
  } catch {}
}
