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
import { copyPath, LIST_NOTE, noteIn } from '../../files/called.ts';
import { contentHash, formatOf } from '../../files/input.ts';
import { type SharedIdentifiers, sharedIdentifiers } from '../../files/shared-identifiers.ts';
import { Edited, editedSince, stillFitting, withCorrections } from '../../files/versions.ts';
import { listsOf } from '../../ledger/ledger.ts';
import { type Chunks, NewFile, outputProblem, replaceBy, replaceFile } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { batchLines } from '../../run/batches.ts';
import { KeptMend, ListJob, type MendRequest, type OtherList } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import type { Server } from './server.ts';

/**
 * Lists that were brought to the page. A list as it is now is at `lists/ID/list.csv`, and this path is its
 * lineage for the ledger. Each start reads a copy beside it, so the list may change at any time, and a batch
 * goes on by its own copy. A file that is brought under the same name later is the same list. One note beside
 * the file has all that the page knows of the list.
 */

const Version = z.object({
  sha256: z.string(),
  brought: z.string(),
  mends: z.array(KeptMend),
});

const ListNote = z.object({
  /** The user's name for the list. It is never a path. */
  name: z.string(),
  /** The name of its file, where another list had that one already. */
  called: z.string().optional(),
  file: z.string(),
  /** The hash of the file as it was brought. */
  sha256: z.string(),
  atMs: z.number(),
  /** What a person has chosen to be done with the list, and how often something was chosen. */
  job: ListJob.catch({}),
  version: z.number().catch(0),
  mends: z.array(KeptMend).catch([]),
  edited: Edited.optional().catch(undefined),
  /** What was read by starts: the brought file by its hash, and the mends in it. */
  versions: z.array(Version).catch([]),
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
    const note = ListNote.parse(JSON.parse(await readFile(noteIn(folder), 'utf8')));
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
 * Keeps a file as a list. A file of the same name that has half of its identifiers is a newer version of that
 * list, with the mends of those rows that are as they were; batches keep the rows that they began with.
 * @param as what a person has said that it is: `new`, or the id of the list of which it is the next version.
 * @returns the question to her where that is not known. Nothing of the file is kept then.
 * @throws StopError `input` or `disk_full`, HttpRefusal 404 for an id that no list of that name has. No part
 *   of the file is left then.
 */
export async function bringList(
  place: Place,
  named: string,
  chunks: Chunks,
  as?: string,
): Promise<KeptList | OtherList> {
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
    return await line.add(() => keepContent(place, name, content, as));
  } finally {
    await content.discard();
  }
}

async function keepContent(
  place: Place,
  name: string,
  content: NewFile,
  as: string | undefined,
): Promise<KeptList | OtherList> {
  const all = await keptLists(place);
  const { sha256 } = content;
  const alike = all.filter((list) => (list.called ?? list.name) === name);
  const itself = alike.find((list) => list.sha256 === sha256);
  if (itself !== undefined) return itself;
  // A crash leaves a folder without a note, which the next start of the page removes.
  const fresh = { id: randomBytes(8).toString('hex'), job: {}, version: 0, versions: [] };
  const folder = join(listsFolder(place.folder), fresh.id);
  await mkdir(folder, OWN);
  const brought = join(folder, `list${endingOf(name)}`);
  await content.replace(brought);
  try {
    const same = as === 'new' ? undefined : await sameAmong(alike, brought, as);
    if (same !== undefined && 'other' in same) return same;
    if (same !== undefined) return await keepVersion(place, same, brought, sha256);
    await keepCopy(brought, sha256);
    const atMs = Math.floor(systemClock.wallMs());
    const own = alike.length === 0 ? { name } : { name: freeName(name, all), called: name };
    await keepNote(folder, { ...fresh, ...own, file: basename(brought), sha256, atMs, mends: [] });
    return keptList(place, fresh.id);
  } finally {
    if (!existsSync(join(folder, LIST_NOTE))) await rm(folder, { recursive: true, force: true });
  }
}

/** From this share on a file is the list of its name; below the least one it is taken for another first. */
const SHARE_OF_SAME = 0.5;
const SHARE_OF_EDITED = 0.1;

/**
 * The list of which a file is the next version, or the question to a person about the one that is most like
 * it; undefined where no list has its name.
 * @throws HttpRefusal 404
 */
async function sameAmong(
  alike: readonly KeptList[],
  brought: string,
  as: string | undefined,
): Promise<KeptList | OtherList | undefined> {
  const named = alike.find(({ id }) => id === as);
  if (named !== undefined) return named;
  if (as !== undefined) throw new HttpRefusal(404, 'This list no longer exists.', 'Bring its file again.');
  const compared: { readonly list: KeptList; readonly share: number; readonly in: SharedIdentifiers }[] = [];
  for (const list of alike) {
    const own = await sharedWith(list, brought);
    // Without any identifier, or where one of the two cannot be read, the name says what it is.
    if (own === undefined) return list;
    compared.push({ list, share: own.of === 0 ? 0 : own.shared / own.of, in: own });
  }
  const [most] = compared.toSorted((one, other) => other.share - one.share);
  if (most === undefined || most.share >= SHARE_OF_SAME) return most?.list;
  const { id, name } = most.list;
  const likely = most.share < SHARE_OF_EDITED ? 'new' : 'edited';
  return { other: { list: id, name, ...most.in, likely } };
}

function sharedWith({ path, job }: KeptList, brought: string): Promise<SharedIdentifiers | undefined> {
  const chosen = Object.values(job.columns ?? {}).filter((column) => column !== '');
  return sharedIdentifiers(readingIn(job), path, brought, chosen).catch(() => undefined);
}

/** `export (2).csv`, as browsers name a second file. */
function freeName(name: string, lists: readonly KeptList[]): string {
  const { stem, ending } = nameParts(name);
  for (let number = 2; ; number += 1) {
    const free = `${stem} (${number})${ending}`;
    if (!lists.some((list) => list.name === free)) return free;
  }
}

/** The file takes the place of the list, whose other versions stay beside it. */
async function keepVersion(place: Place, same: KeptList, brought: string, sha256: string): Promise<KeptList> {
  const { id, folder, job } = same;
  const file = basename(brought);
  const path = join(folder, file);
  await replaceBy(brought, path);
  const copy = await keepCopy(path, sha256);
  const before = copyPath(path, same.sha256);
  // Where the new version cannot be read as the one before, no mend has a place in it.
  const mends = await stillFitting(same.mends, readingIn(job), before, copy).catch(() => []);
  if (mends.length > 0) await writeMended(path, copy, { job, mends });
  const edited = await editedSinceStart(place, path, job);
  const atMs = Math.floor(systemClock.wallMs());
  await keepNote(folder, { ...same, file, sha256, atMs, mends, edited });
  return keptList(place, id);
}

/** Undefined where nothing was started over the list, or its two versions cannot be compared. */
async function editedSinceStart({ store }: Place, path: string, job: ListJob) {
  const all = (await batchLines(store)).map(({ batch }) => batch);
  const last = listsOf(all).get(path)?.starts[0];
  const started = last && copyPath(path, last.inputSha256);
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
    return { mends };
  });

async function writeMended(path: string, brought: string, { job, mends }: Pick<ListNote, 'job' | 'mends'>) {
  const mended = await withCorrections(brought, readingIn(job), mends);
  if (mended !== undefined) await replaceFile(path, 0o600, mended);
}

/** The path of a copy of the list as it is now, which a start reads. Its mends are noted with it. */
export const keptCopy = (place: Place, { id }: KeptList): Promise<string> =>
  line.add(async () => {
    const { path, folder, ...note } = await keptList(place, id);
    const sha256 = await contentHash(path);
    const others = note.versions.filter((version) => version.sha256 !== sha256);
    const read = { sha256, brought: note.sha256, mends: note.mends };
    await keepNote(folder, { ...note, versions: [read, ...others].slice(0, MOST_VERSIONS) });
    return keepCopy(path, sha256);
  });

/** The starts whose mends are noted. Of an earlier one it is only known that the list has changed since. */
const MOST_VERSIONS = 20;

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
      if (list ? isUnused(list) : !existsSync(noteIn(folder))) await removeList({ folder });
    }
  });

export async function removeList({ folder }: Pick<KeptList, 'folder'>): Promise<void> {
  // Without its note the folder is no list any more, even if the next step fails.
  await rm(noteIn(folder), { force: true });
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
