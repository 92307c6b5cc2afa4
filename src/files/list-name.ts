import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFolderOf } from '../core/paths.ts';

/** The note beside a list that was brought to the page. */
export const LIST_NOTE = 'list.json';

/** What people call an input: a list that was brought to the page has its name in a note beside it. */
export function listNameOf(inputPath: string): string {
  const folder = listFolderOf(inputPath);
  const { name } = folder === undefined ? {} : noteIn(join(folder, LIST_NOTE));
  return typeof name === 'string' ? name : basename(inputPath);
}

/** Since when the list of this note is known to be needed by nobody; NaN where nobody has looked, or the note cannot be read. */
export function endedIn(note: string): number {
  const { endedMs } = noteIn(note);
  return typeof endedMs === 'number' ? endedMs : Number.NaN;
}

function noteIn(path: string): { readonly name?: unknown; readonly endedMs?: unknown } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}
