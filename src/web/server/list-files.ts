import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { whatToSave } from '../../core/other-files.ts';
import { isListId, listsFolder } from '../../core/paths.ts';
import { plainText } from '../../core/plain-text.ts';
import { LIST_NOTE } from '../../files/list-name.ts';
import { NewFile, outputProblem, replaceFile } from '../../lib/atomic-file.ts';
import { endingOf } from '../../lib/file-name.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/**
 * Lists that were brought to the page. What commands read of a list is always at `lists/ID/list.csv`, so that
 * its path is its lineage for the ledger. A file that is brought under the same name later is the same list.
 */

const ListNote = z.object({
  /** The user's name for the list. It is never a path. */
  name: z.string(),
  file: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  atMs: z.number(),
});
type ListNote = z.infer<typeof ListNote>;

export interface KeptList extends ListNote {
  readonly id: string;
  readonly folder: string;
  readonly path: string;
}

type Place = Pick<Server, 'folder' | 'clock'>;

/** @throws HttpRefusal 404 for an id that no list has. */
export async function keptList(place: Pick<Place, 'folder'>, id: string): Promise<KeptList> {
  const list = await findList(place, id);
  if (list !== undefined) return list;
  throw new HttpRefusal(404, 'This list no longer exists.', 'Bring its file again.');
}

export async function findList(place: Pick<Place, 'folder'>, id: string): Promise<KeptList | undefined> {
  return isListId(id) ? listIn(place, id) : undefined;
}

/** All lists, the newest first. */
export async function keptLists(place: Pick<Place, 'folder'>): Promise<readonly KeptList[]> {
  const lists = await Promise.all((await listIds(place)).map((id) => listIn(place, id)));
  return lists.filter((list) => list !== undefined).sort((a, b) => b.atMs - a.atMs);
}

async function listIds({ folder }: Pick<Place, 'folder'>): Promise<readonly string[]> {
  return (await readdir(listsFolder(folder)).catch(() => [])).filter(isListId);
}

async function listIn(place: Pick<Place, 'folder'>, id: string): Promise<KeptList | undefined> {
  const folder = join(listsFolder(place.folder), id);
  try {
    const note = ListNote.parse(JSON.parse(await readFile(join(folder, LIST_NOTE), 'utf8')));
    if (basename(note.file) !== note.file) return undefined;
    const path = join(folder, note.file);
    return existsSync(path) ? { ...note, id, folder, path } : undefined;
  } catch {
    return undefined;
  }
}

/** A folder in the store's folder that only its owner can read. */
export async function ownFolder(...parts: readonly string[]): Promise<string> {
  const path = join(...parts);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

export interface Upload {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * Keeps a file as a list. A file of the same name is a newer version of that list, without the mends of the
 * older one; batches keep the rows that they began with.
 * @throws StopError `input` or `disk_full`. No part of the file is left then.
 */
export async function bringList(place: Place, upload: Upload): Promise<KeptList> {
  const name = cleanName(upload.name);
  const ending = await readableEnding(name);
  const content = await written(place, upload);
  try {
    const same = (await keptLists(place)).find((list) => list.name === name);
    const { sha256 } = content.file;
    if (same?.sha256 === sha256) return same;
    const id = same?.id ?? randomBytes(8).toString('hex');
    const folder = join(listsFolder(place.folder), id);
    await ownFolder(folder);
    const file = `list${ending}`;
    await content.file.replace(join(folder, file));
    for (const old of [MENDS, broughtName(file)]) await rm(join(folder, old), { force: true });
    await note(folder, { name, file, bytes: content.bytes, sha256, atMs: Math.floor(place.clock.wallMs()) });
    return await keptList(place, id);
  } finally {
    await content.file.discard();
  }
}

/** The note of cells that were mended on the page. */
export const MENDS = 'mends.json';

const broughtName = (file: string): string => file.replace('list', 'brought');

/** The path of the file as it was brought, which no mend changes. */
export async function broughtFile({ path, folder, file }: KeptList): Promise<string> {
  const brought = join(folder, broughtName(file));
  if (!existsSync(brought)) await link(path, brought);
  return brought;
}

function note(folder: string, kept: ListNote): Promise<boolean> {
  return replaceFile(join(folder, LIST_NOTE), 0o600, [JSON.stringify(ListNote.parse(kept))]);
}

export async function removeList({ folder }: Pick<KeptList, 'folder'>): Promise<void> {
  // Without its note the folder is no list any more, even if the next step fails.
  await rm(join(folder, LIST_NOTE), { force: true });
  await rm(folder, { recursive: true, force: true });
}

/** The last part of a path that a browser may send, without characters that a screen cannot show. */
function cleanName(text: string): string {
  const last = text.split(/[\\/]/).at(-1) ?? '';
  // A name that is too long loses its beginning, so that the ending stays.
  return visibleName(last).trim().slice(-LONGEST_NAME);
}

/**
 * A name without characters that turn its direction or are invisible: with them, two names could look the
 * same.
 */
export function visibleName(name: string): string {
  return plainText(name).replaceAll(/\p{Cf}/gu, '');
}

const LONGEST_NAME = 200;

async function readableEnding(name: string): Promise<string> {
  const endings = await readableEndings();
  const ending = endingOf(name);
  if (endings.includes(ending)) return ending;
  const fact =
    ending === ''
      ? 'The file has no ending that says what kind of file it is.'
      : `${name} cannot be read as a list.`;
  throw stop('input', fact, whatToSave(ending, endings));
}

async function written(place: Place, upload: Upload) {
  const folder = listsFolder(place.folder);
  try {
    await ownFolder(folder);
    let bytes = 0;
    async function* counted(): AsyncIterable<Buffer> {
      for await (const chunk of upload.chunks) {
        bytes += chunk.length;
        yield chunk;
      }
      if (bytes === 0) throw stop('input', 'The file is empty.', 'Add one with a header and rows.');
    }
    const file = await NewFile.write(folder, 0o600, counted());
    return { file, bytes };
  } catch (error) {
    throw outputProblem(folder, error);
  }
}

/** How long a list is kept after its last batch has begun, or after it was brought if no batch has begun. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes lists that nobody needs any more. A folder without a note is one, too: a crash may leave such a
 * folder before its note is written, and forgetting a person leaves one without its files.
 * @param usedMs when the content at a path was used last.
 * @param endMs the time up to which ages count, ms since 1970.
 */
export async function sweepLists(
  place: Place,
  usedMs: (path: string) => number,
  endMs: number,
): Promise<void> {
  for (const id of await listIds(place)) {
    const folder = join(listsFolder(place.folder), id);
    const list = await listIn(place, id);
    if (list === undefined && existsSync(join(folder, LIST_NOTE))) continue;
    const lastMs = list ? Math.max(usedMs(list.path), list.atMs) : (await stat(folder)).mtimeMs;
    if (endMs >= lastMs + KEPT_MS) await removeList({ folder });
  }
}
