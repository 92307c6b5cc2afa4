import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFolderOf } from '../core/paths.ts';

/** The note beside a list that was brought to the page. */
export const LIST_NOTE = 'list.json';

/** What people call an input: a list that was brought to the page has its name in a note beside it. */
export function listNameOf(inputPath: string): string {
  const folder = listFolderOf(inputPath);
  if (folder === undefined) return basename(inputPath);
  try {
    const { name } = JSON.parse(readFileSync(join(folder, LIST_NOTE), 'utf8'));
    return typeof name === 'string' ? name : basename(inputPath);
  } catch {
    return basename(inputPath);
  }
}

/** Since when the list of this note is known to be needed by nobody; NaN where nobody has looked, or the note cannot be read. */
export function endedIn(note: string): number {
  try {
    const { endedMs } = JSON.parse(readFileSync(note, 'utf8'));
    return typeof endedMs === 'number' ? endedMs : Number.NaN;
  } catch {
    return Number.NaN;
  }
}
