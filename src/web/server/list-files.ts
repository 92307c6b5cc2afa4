import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import PQueue from 'p-queue';
import { stringify } from 'yaml';
import { z } from 'zod';
import { isoTime, systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { isListId, listsFolder } from '../../core/paths.ts';
import { plainText } from '../../core/plain-text.ts';
import { readingIn } from '../../core/reading.ts';
import { copyPath, LIST_NOTE } from '../../files/called.ts';
import { contentHash, formatOf } from '../../files/input.ts';
import { Edited, editedSince, stillFitting, withCorrections } from '../../files/versions.ts';
import { type Chunks, NewFile, outputProblem, replaceFile } from '../../lib/atomic-file.ts';
import { endingOf } from '../../lib/file-name.ts';
import { batchLines } from '../../run/batches.ts';
import { KeptMend, ListJob, type MendRequest, MendTaken } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/**
 * Lists that were brought to the page. A list as it is now is at `lists/ID/list.csv`, and this path is its
 * lineage for the ledger. Each start reads a copy beside it, so the list may change at any time, and a batch
 * goes on by its own copy. A file that is brought under the same name later is the same list. One note beside
 * the file has all that the page knows of the list.
 */

const ListNote = z.object({
  /** The user's name for the list. It is never a path. */
  name: z.string(),
  file: z.string(),
  /** The hash of the file as it was brought. */
  sha256: z.string(),
  atMs: z.number(),
  /** What a person has chosen to be done with the list, and how often something was chosen. */
  job: ListJob.catch({}),
  version: z.number().catch(0),
  mends: z.array(KeptMend).catch([]),
  edited: Edited.optional().catch(undefined),
  taken: MendTaken.optional(),
});
type ListNote = z.infer<typeof ListNote>;

export interface KeptList extends ListNote {
  readonly id: string;
  readonly folder: string;
  readonly path: string;
}

type Place = Pick<Server, 'folder' | 'store'>;

/** @throws HttpRefusal 404 for an id that no list has. */
export async function keptList(place: Place, id: string): Promise<KeptList> {
  const list = await findList(place, id);
  if (list !== undefined) return list;
  throw new HttpRefusal(404, 'This list no longer exists.', 'Bring its file again.');
}

async function findList(place: Place, id: string): Promise<KeptList | undefined> {
  if (!isListId(id)) return undefined;
  const folder = join(listsFolder(place.folder), id);
  try {
    const note = ListNote.parse(JSON.parse(await readFile(join(folder, LIST_NOTE), 'utf8')));
    const path = join(folder, basename(note.file));
    return existsSync(path) ? { ...note, id, folder, path } : undefined;
  } catch {
    return undefined;
  }
}

/** All lists, the newest first. */
export async function keptLists(place: Place): Promise<readonly KeptList[]> {
  const lists = await Promise.all((await namesIn(place)).map((id) => findList(place, id)));
  return lists.filter((list) => list !== undefined).sort((a, b) => b.atMs - a.atMs);
}

const namesIn = ({ folder }: Place): Promise<readonly string[]> =>
  readdir(listsFolder(folder)).catch(() => []);

/** Each change is made from all that came before it: of two files of one name the second finds the first. */
const line = new PQueue({ concurrency: 1 });

/** @param change returns what is noted of the list from now on; if it throws, everything stays as it was. */
export const changeList = (
  place: Place,
  id: string,
  change: (list: KeptList) => Promise<Partial<ListNote>>,
): Promise<KeptList> =>
  line.add(async () => {
    const list = await keptList(place, id);
    const changed = { ...list, ...(await change(list)) };
    await keepNote(list.folder, changed);
    return changed;
  });

const keepNote = (folder: string, note: ListNote): Promise<boolean> =>
  replaceFile(join(folder, LIST_NOTE), 0o600, [JSON.stringify(ListNote.parse(note))]);

/**
 * Keeps a file as a list. A file of the same name is a newer version of that list, with the mends of those
 * rows that are as they were; batches keep the rows that they began with.
 * @throws StopError `input` or `disk_full`. No part of the file is left then.
 */
export async function bringList(place: Place, named: string, chunks: Chunks): Promise<KeptList> {
  const name = cleanName(named);
  await formatOf(name);
  const lists = listsFolder(place.folder);
  await mkdir(lists, OWN);
  const content = await NewFile.write(lists, 0o600, chunks).catch((error: unknown) => {
    throw outputProblem(lists, error);
  });
  try {
    if (content.sha256 === OF_NOTHING)
      throw stop('input', 'The file is empty.', 'Add one with a header and rows.');
    return await line.add(() => keepContent(place, name, content));
  } finally {
    await content.discard();
  }
}

async function keepContent(place: Place, name: string, content: NewFile): Promise<KeptList> {
  const same = (await keptLists(place)).find((list) => list.name === name);
  const { sha256 } = content;
  if (same?.sha256 === sha256) return same;
  const { id, job, version } = same ?? { id: randomBytes(8).toString('hex'), job: {}, version: 0 };
  const file = `list${endingOf(name)}`;
  const folder = join(listsFolder(place.folder), id);
  await mkdir(folder, OWN);
  const path = join(folder, file);
  await content.replace(path);
  const copy = await keepCopy(path, sha256);
  const before = same && copyPath(path, same.sha256);
  // Where the new version cannot be read as the one before, no mend has a place in it.
  const mends = before ? await stillFitting(same.mends, readingIn(job), before, copy).catch(() => []) : [];
  if (mends.length > 0) await writeMended(path, copy, { job, mends });
  const edited = await editedSinceStart(place, path, job);
  const atMs = Math.floor(systemClock.wallMs());
  await keepNote(folder, { name, file, sha256, atMs, job, version, mends, edited });
  return keptList(place, id);
}

/** Undefined where nothing was started over the list, or its two versions cannot be compared. */
async function editedSinceStart({ store }: Place, path: string, job: ListJob) {
  const over = (await batchLines(store)).filter(({ batch }) => batch.inputPath === path);
  const [newest] = over.toSorted((one, other) => other.batch.createdAtMs - one.batch.createdAtMs);
  const started = newest && copyPath(path, newest.batch.inputSha256);
  return started ? editedSince(readingIn(job), started, path).catch(() => undefined) : undefined;
}

/**
 * Mends a cell, or takes its mend back. From now on the list is the brought file with all mends in it, which
 * is the next batch of that list, in which everything known is free.
 * @throws StopError `input` for a cell that the list does not have; all mends stay as they were then.
 */
export const mend = (place: Place, id: string, { row, column, value }: MendRequest): Promise<KeptList> =>
  changeList(place, id, async (list) => {
    const others = list.mends.filter((each) => each.row !== row || each.column !== column);
    const at = isoTime(systemClock.wallMs());
    const mends = value === null ? others : [...others, { row, column, value, at }];
    // An earlier build kept the brought file under this name, once a cell of the list was mended.
    const earlier = join(list.folder, list.file.replace('list', 'brought'));
    const brought = await keepCopy(existsSync(earlier) ? earlier : list.path, list.sha256);
    // A crash behind this leaves a list whose last mend is written and not noted.
    await writeMended(list.path, brought, { ...list, mends });
    const before = list.mends.find((each) => !others.includes(each));
    return { mends, taken: value === null && before ? { at, mended_at: before.at } : list.taken };
  });

async function writeMended(path: string, brought: string, { job, mends }: Pick<ListNote, 'job' | 'mends'>) {
  const mended = await withCorrections(brought, readingIn(job), mends);
  if (mended !== undefined) await replaceFile(path, 0o600, mended);
}

/** The path of a copy of the list as it is now. */
export const keptCopy = (place: Place, { id }: KeptList): Promise<string> =>
  line.add(async () => {
    const { path } = await keptList(place, id);
    return keepCopy(path, await contentHash(path));
  });

async function keepCopy(path: string, sha256: string): Promise<string> {
  const copy = copyPath(path, sha256);
  if (!existsSync(copy)) await link(path, copy);
  return copy;
}

/** A folder that only its owner can read. */
const OWN = { recursive: true, mode: 0o700 } as const;

const OF_NOTHING = hash('sha256', '', 'hex');

/**
 * The choice becomes a job file beside the list, so that the command line does the same by it and a batch
 * keeps its command. The same job is the same file. @returns its path.
 */
export async function writeListJob({ folder }: KeptList, job: ListJob): Promise<string> {
  const text = stringify(job);
  const jobs = join(folder, 'jobs');
  await mkdir(jobs, OWN);
  const path = join(jobs, `${hash('sha256', text, 'hex').slice(0, 16)}.yaml`);
  await replaceFile(path, 0o600, [text]);
  return path;
}

/** Removes lists, and what a crash has left of one that was being brought: a folder without a note. */
export const removeLists = (place: Place, isUnused: (list: KeptList) => boolean): Promise<void> =>
  line.add(async () => {
    for (const id of (await namesIn(place)).filter(isListId)) {
      const list = await findList(place, id);
      const folder = join(listsFolder(place.folder), id);
      if (list ? isUnused(list) : !existsSync(join(folder, LIST_NOTE))) await removeList({ folder });
    }
  });

export async function removeList({ folder }: Pick<KeptList, 'folder'>): Promise<void> {
  // Without its note the folder is no list any more, even if the next step fails.
  await rm(join(folder, LIST_NOTE), { force: true });
  await rm(folder, { recursive: true, force: true });
}

/** The last part of a path that a browser may send. A long one loses its beginning: the ending stays. */
const cleanName = (text: string): string =>
  visibleName(text.split(/[\\/]/).at(-1) ?? '')
    .trim()
    .slice(-LONGEST_NAME);

/** Without characters that turn its direction or are invisible, with which two names could look the same. */
export const visibleName = (name: string): string => plainText(name).replaceAll(/\p{Cf}/gu, '');

const LONGEST_NAME = 200;
