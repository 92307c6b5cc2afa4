import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../lib/atomic-file.ts';
import type { BatchId } from './ledger.ts';

/**
 * Notes of files that exports wrote while only another process could write to the ledger, or that are no output of their
 * batch, and of saved plans. Each is a file of its own in a folder beside the ledger, so two exports at once keep both of theirs.
 */
const NOTES = 'so-far';

/** An older Rowonce had all its notes in one file, which is still read. */
export const OLD_NOTES = 'so-far.json';

/**
 * The contents that we wrote at a path, and the batch whose rows are in them; none in notes of an older Rowonce, and for a
 * plan. No content: the file is known, and is none that an export may replace.
 */
export interface NotedFile {
  readonly path: string;
  readonly sha256s: readonly string[];
  readonly batch?: BatchId | undefined;
}

const contents = z.object({
  sha256s: z.array(z.string()),
  batch: z.custom<BatchId>((id) => typeof id === 'string').optional(),
});
const note = contents.extend({ path: z.string() });
const oldNotes = z.record(
  z.string(),
  z.union([contents, contents.shape.sha256s.transform((sha256s) => ({ sha256s }))]),
);

/** Notes that cannot be read are none. */
export function notesOutside(folder: string): readonly NotedFile[] {
  const old = oldNotes.safeParse(jsonAt(join(folder, OLD_NOTES))).data ?? {};
  return [
    ...Object.entries(old).map(([path, content]) => ({ path, ...content })),
    ...filesOf(folder).flatMap((file) => note.safeParse(jsonAt(file)).data ?? []),
  ];
}

/** The newest note of a path and a batch stands. @throws StopError `output` or `disk_full`. */
export async function noteOutside(folder: string, noted: NotedFile): Promise<void> {
  const name = hash('sha256', JSON.stringify([noted.path, noted.batch]), 'hex');
  const file = join(folder, NOTES, `${name}.json`);
  await mkdir(join(folder, NOTES), { recursive: true, mode: 0o700 });
  await replaceFile(file, 0o600, [JSON.stringify(noted)]);
  removeGone(folder, statSync(file).mtimeMs);
}

/** Removes the notes of these files. */
export function forgetNotes(folder: string, isMeant: (path: string) => boolean): void {
  for (const file of filesOf(folder)) {
    const { data } = note.safeParse(jsonAt(file));
    if (data !== undefined && isMeant(data.path)) rmSync(file, { force: true });
  }
}

/** A file is noted before it is in its place, so what is not there yet may be what another export writes just now. */
const PLACED_BY_NOW_MS = 3_600_000;

/** Removes the notes of files that are gone. */
function removeGone(folder: string, nowMs: number): void {
  for (const file of filesOf(folder)) {
    const notedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (nowMs - notedAtMs < PLACED_BY_NOW_MS) continue;
    const { data } = note.safeParse(jsonAt(file));
    if (data !== undefined && !existsSync(data.path)) rmSync(file, { force: true });
  }
}

function filesOf(folder: string): readonly string[] {
  try {
    const names = readdirSync(join(folder, NOTES)).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
    return names.map((name) => join(folder, NOTES, name));
  } catch {
    return [];
  }
}

function jsonAt(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
