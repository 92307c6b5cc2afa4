import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BatchId } from './ledger.ts';

/**
 * Notes of files that exports wrote while only another process could write to the ledger, or that are no output of their
 * batch, and of saved plans: a file beside the ledger.
 */

/** Its name in the folder of the store. */
export const NOTES = 'so-far.json';

/**
 * The contents that we wrote at a path, and the batch whose rows are in them; none in notes of an older Rowonce, and for a
 * plan. No content: the file is known, and is none that an export may replace.
 */
export interface NotedFile {
  readonly sha256s: readonly string[];
  readonly batch?: BatchId | undefined;
}

const sha256s = z.array(z.string());
const batch = z.custom<BatchId>((id) => typeof id === 'string').optional();
const notes = z.record(
  z.string(),
  z.union([z.object({ sha256s, batch }), sha256s.transform((each): NotedFile => ({ sha256s: each }))]),
);

/** By the path of the file. Notes that cannot be read are none. */
export function notesOutside(folder: string): Readonly<Record<string, NotedFile>> {
  try {
    return notes.parse(JSON.parse(readFileSync(join(folder, NOTES), 'utf8')));
  } catch {
    return {};
  }
}

/** The text of the notes with another one. Files that are gone are left out. */
export function notesWith(folder: string, path: string, noted: NotedFile): string {
  const standing = Object.entries(notesOutside(folder)).filter(([each]) => existsSync(each));
  return JSON.stringify({ ...Object.fromEntries(standing), [path]: noted });
}
