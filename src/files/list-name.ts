import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFolderOf } from '../core/paths.ts';
import { endingOf } from '../lib/file-name.ts';

/** The note beside a list that was brought to the page. */
export const LIST_NOTE = 'list.json';

/**
 * The name that people use for an input: a list that was brought to the page has its name in a note beside
 * it.
 */
export function listNameOf(inputPath: string): string {
  const folder = listFolderOf(inputPath);
  try {
    const { name } = JSON.parse(readFileSync(join(folder ?? '', LIST_NOTE), 'utf8'));
    if (folder !== undefined && typeof name === 'string') return name;
  } catch {
    // A list that was not brought to the page, or whose note is gone.
  }
  return basename(inputPath);
}

/** Where a list that was brought to the page stays as a batch has read it, when cells are mended later. */
export const listAsRead = (folder: string, inputPath: string, sha256: string): string =>
  join(folder, `read-${sha256}${endingOf(inputPath)}`);
