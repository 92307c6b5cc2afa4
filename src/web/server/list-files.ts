import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import PQueue from 'p-queue';
import { stringify } from 'yaml';
import { z } from 'zod';
import { isoTime, systemClock } from '../../core/clock.ts';
import { NoListError, StopError, stop } from '../../core/errors.ts';
import { isListId, listsFolder } from '../../core/paths.ts';
import { foreignName, plainText } from '../../core/plain-text.ts';
import { readingIn } from '../../core/reading.ts';
import { copyPath, GONE_NOTE, LIST_NOTE, noteIn } from '../../files/called.ts';
import { sharedRows } from '../../files/compared.ts';
import { contentHash, formatOf, openFile } from '../../files/input.ts';
import { placesNow, withCorrections } from '../../files/versions.ts';
import { type Chunks, NewFile, outputProblem, replaceBy, replaceFile } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';
import { Edited, KeptMend, ListJob, type MendRequest, type OtherList } from '../api.ts';
import { HttpRefusal } from './answers.ts';
import { broughtFile, type Compare, comparerWith, keepSince } from './list-since.ts';
import type { Server } from './server.ts';

/**
 * Lists that were brought to the page. A list as it is now is at `lists/ID/list.csv`, and this path is its
 * lineage for the ledger. Each start reads a copy beside it, so the list may change at any time, and a batch
 * goes on by its own copy. A file that is brought under the same name later is the same list. One note beside
 * the file has all that the page knows of the list.
 */

/** An earlier build kept what a person had allowed for one start, and it must not hold for others. */
function withoutGuards(job: unknown): unknown {
  if (!(job instanceof Object)) return job;
  const { guards: _, ...others } = job as { readonly guards?: unknown };
  return others;
}

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
  /** The file of a night that she added to her lists. */
  from: z.string().optional(),
  /** The hash of the file as it was brought. */
  sha256: z.string(),
  atMs: z.number(),
  /** What a person has chosen to be done with the list, and how often something was chosen. */
  job: z.preprocess(withoutGuards, ListJob).catch({}),
  version: z.number().catch(0),
  mends: z.array(KeptMend).catch([]),
  /** Mends of the version before that the list as it was brought last has no place for. */
  lost: z.array(KeptMend).catch([]),
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

/** A list that was removed from the page. A file of a night comes back when a night works on it again. */
const GoneNote = z.object({ name: z.string(), from: z.string().optional(), atMs: z.number().default(0) });

/** When each file of a night was removed from the page, by its path. */
export async function goneFiles(place: Place): Promise<ReadonlyMap<string, number>> {
  const notes = (await namesIn(place)).map(async (id): Promise<readonly (readonly [string, number])[]> => {
    try {
      const note = await readFile(join(listsFolder(place.folder), id, GONE_NOTE), 'utf8');
      const { from, atMs } = GoneNote.parse(JSON.parse(note));
      return from === undefined ? [] : [[from, atMs]];
    } catch {
      return [];
    }
  });
  return new Map((await Promise.all(notes)).flat().toSorted((one, other) => one[1] - other[1]));
}

/** Removes the file of a night from the page. The file itself stays where it is. */
export async function removeFile({ folder }: Place, name: string, from: string): Promise<void> {
  const noteFolder = join(listsFolder(folder), randomBytes(8).toString('hex'));
  await mkdir(noteFolder, OWN);
  await noteGone(noteFolder, name, from);
}

const noteGone = (folder: string, name: string, from: string | undefined): Promise<boolean> =>
  replaceFile(join(folder, GONE_NOTE), 0o600, [
    JSON.stringify(GoneNote.parse({ name, from, atMs: Math.floor(systemClock.wallMs()) })),
  ]);

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

/**
 * Calls the list otherwise. The next version of its file is still known by the name that the file has.
 * @throws StopError `usage` for a blank name, and for one that another list has.
 */
export const renameList = (place: Place, id: string, typed: string): Promise<KeptList> =>
  changeList(place, id, async (list) => {
    const wanted = cleanName(typed);
    const ending = endingOf(list.file);
    const name = wanted === '' || endingOf(wanted) === ending ? wanted : `${wanted}${ending}`;
    if (name === '') throw stop('usage', 'The name is blank.', 'Type one.');
    const others = (await keptLists(place)).filter((each) => each.id !== id);
    if (others.some((each) => each.name === name))
      throw stop('usage', `Another list is called ${foreignName(name)}.`, 'Choose another name.');
    return { name, called: list.called ?? list.name };
  });

const keepNote = (folder: string, note: ListNote): Promise<boolean> =>
  replaceFile(join(folder, LIST_NOTE), 0o600, [JSON.stringify(ListNote.parse(note))]);

/**
 * Keeps a file as a list. A file of the same name that has half of a list's identifiers is a newer version of
 * that list. The mends stay for rows that are as they were. Batches keep the rows that they began with.
 * @param as what a person has said that it is: `new`, or the id of the list that it is the next version of.
 * @returns the question to her where that is not known. Nothing of the file is kept then.
 * @throws StopError `input` or `disk_full`, HttpRefusal 404 for an id that no list has. No part of the file
 *   is left then.
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
  const alike = all.filter((list) => [list.called, list.name].includes(name) || list.id === as);
  const itself = alike.find((list) => list.sha256 === sha256);
  if (itself !== undefined) return itself;
  // A crash leaves a folder without a note, which the next start of the page removes.
  const fresh = { id: randomBytes(8).toString('hex'), job: {}, version: 0, versions: [] };
  const folder = join(listsFolder(place.folder), fresh.id);
  await mkdir(folder, OWN);
  const brought = join(folder, `list${endingOf(name)}`);
  await content.replace(brought);
  try {
    await requireList(brought, name);
    const same = as === 'new' ? undefined : await sameAmong(alike, brought, as);
    if (same !== undefined && 'other' in same) return same;
    if (same !== undefined) return await keepVersion(place, same, brought, sha256);
    await keepCopy(brought, sha256);
    const atMs = Math.floor(systemClock.wallMs());
    const naming = alike.length === 0 ? { name } : { name: freeName(name, all), called: name };
    await keepNote(folder, {
      ...fresh,
      ...naming,
      file: basename(brought),
      sha256,
      atMs,
      mends: [],
      lost: [],
    });
    return keptList(place, fresh.id);
  } finally {
    if (!existsSync(join(folder, LIST_NOTE))) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * A file that no choice can make a list is refused where it was dropped. One that can be read in another way
 * is kept, and she chooses the way beside its table.
 */
async function requireList(path: string, name: string): Promise<void> {
  try {
    const { sheet } = await openFile(path);
    await sheet.header();
  } catch (error) {
    if (error instanceof NoListError) throw stop('input', `${plainText(name)} ${error.fact}`, error.next);
    if (!(error instanceof StopError)) throw error;
  }
}

/** From this share on a file is the list of its name; below the least one it is taken for another first. */
const SHARE_OF_SAME = 0.5;
const SHARE_OF_EDITED = 0.1;

/** A list with the file as its next version, and what compares others of its versions with the file. */
interface Same {
  readonly list: KeptList;
  readonly compare: Compare;
}

/**
 * The list with the file as its next version, or the question to a person about the one that is most like it;
 * undefined where no list has its name.
 * @throws HttpRefusal 404
 */
async function sameAmong(
  alike: readonly KeptList[],
  brought: string,
  as: string | undefined,
): Promise<Same | OtherList | undefined> {
  const versions = alike.map((list): Same => ({ list, compare: comparerWith(list.job, brought) }));
  const named = versions.find(({ list }) => list.id === as);
  if (named !== undefined && endingOf(named.list.file) !== endingOf(brought)) {
    const ending = endingOf(named.list.file);
    throw stop(
      'input',
      `The list is a file that ends in ${ending}.`,
      `Save the newer one as ${ending}, too.`,
    );
  }
  if (named !== undefined) return named;
  if (as !== undefined) throw new HttpRefusal(404, 'This list no longer exists.', 'Bring its file again.');
  const compared: (Same & { readonly share: number; readonly in: ReturnType<typeof sharedRows> })[] = [];
  for (const same of versions) {
    const comparison = await same.compare(broughtFile(same.list)).catch(() => undefined);
    // Where nothing says who is meant, or one of the two cannot be read, the name says what it is.
    if (comparison?.isTold !== true) return same;
    const rows = sharedRows(comparison);
    compared.push({ ...same, share: rows.of === 0 ? 0 : rows.shared / rows.of, in: rows });
  }
  const [most] = compared.toSorted((one, other) => other.share - one.share);
  if (most === undefined || most.share >= SHARE_OF_SAME) return most;
  const { id, name } = most.list;
  const likely = most.share < SHARE_OF_EDITED ? 'new' : 'edited';
  return { other: { list: id, name, ...most.in, likely } };
}

/** `export (2).csv`, as browsers name a second file. */
function freeName(name: string, lists: readonly KeptList[]): string {
  const { stem, ending } = nameParts(name);
  for (let number = 2; ; number += 1) {
    const free = `${stem} (${number})${ending}`;
    if (!lists.some((list) => list.name === free)) return free;
  }
}

/** The file takes the place of the list; its other versions stay beside it. */
async function keepVersion(
  place: Place,
  { list: same, compare }: Same,
  brought: string,
  sha256: string,
): Promise<KeptList> {
  const { id, folder, job } = same;
  const file = basename(brought);
  const path = join(folder, file);
  const edited = await keepSince(place, { ...same, path, sha256 }, compare);
  // Where the two cannot be compared, the mends of rows that are as they were stay all the same.
  const { changed = [], gone = [] } = (await compare(broughtFile(same)).catch(() => undefined)) ?? {};
  await replaceBy(brought, path);
  const copy = await keepCopy(path, sha256);
  const before = copyPath(path, same.sha256);
  // Where the new version cannot be read as the one before, no mend has a place in it.
  const movedTo = new Map(changed.map(([now, was]) => [was, now]));
  const places = await placesNow(same.mends, readingIn(job), before, copy, movedTo).catch(() => []);
  const mends = same.mends.flatMap((each, at) => {
    const row = places[at];
    return row === undefined ? [] : { ...each, row };
  });
  const lost = same.mends.filter(({ row }, at) => places[at] === undefined && !gone.includes(row));
  if (mends.length > 0) await writeMended(path, copy, { job, mends });
  const atMs = Math.floor(systemClock.wallMs());
  await keepNote(folder, { ...same, from: undefined, file, sha256, atMs, mends, lost, edited });
  return keptList(place, id);
}

/**
 * Mends cells, or takes their mends back: all of them, or none. From now on the list is the brought file with
 * all mends in it, which is the next batch of that list, in which everything known is free.
 * @throws StopError `input` for a cell that the list does not have; all mends stay as they were then.
 */
export const mend = (place: Place, id: string, { mends: newMends }: MendRequest): Promise<KeptList> =>
  changeList(place, id, async (list) => {
    const at = isoTime(systemClock.wallMs());
    const places = new Map(list.mends.map((each) => [placeOf(each), each]));
    for (const { value, ...cell } of newMends) {
      // The mend of before has its place among the others no more: the last one comes last.
      places.delete(placeOf(cell));
      if (value !== null) places.set(placeOf(cell), { ...cell, value, at });
    }
    const mends = [...places.values()];
    // An earlier build kept the brought file under this name, once a cell of the list was mended.
    const earlier = join(list.folder, list.file.replace('list', 'brought'));
    const brought = await keepCopy(existsSync(earlier) ? earlier : list.path, list.sha256);
    // A crash behind this leaves a list whose last mend is written and not noted.
    await writeMended(list.path, brought, { ...list, mends });
    return { mends };
  });

const placeOf = ({ row, column }: Pick<z.infer<typeof KeptMend>, 'row' | 'column'>): string =>
  JSON.stringify([row, column]);

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
      const isLeft = !existsSync(noteIn(folder)) && !existsSync(join(folder, GONE_NOTE));
      if (list ? isUnused(list) : isLeft) await removeList({ folder });
    }
  });

/** @param name stays, so that what the list has cost is told by it. Left out: nothing is left of the list. */
export async function removeList(
  { folder, from }: Pick<KeptList, 'folder' | 'from'>,
  name?: string,
): Promise<void> {
  if (name !== undefined) await noteGone(folder, name, from);
  // Without its note the folder is no list any more, even if the next step fails.
  await rm(noteIn(folder), { force: true });
  if (name === undefined) return rm(folder, { recursive: true, force: true });
  for (const each of await readdir(folder))
    if (each !== GONE_NOTE) await rm(join(folder, each), { recursive: true, force: true });
}

/** The last part of a path that a browser may send. A long one loses its beginning: the ending stays. */
export const cleanName = (text: string): string =>
  visibleName(text.split(/[\\/]/).at(-1) ?? '')
    .trim()
    .slice(-LONGEST_NAME);

/** Without characters that turn its direction or are invisible, with which two names could look the same. */
export const visibleName = (name: string): string => plainText(name).replaceAll(/\p{Cf}/gu, '');

const LONGEST_NAME = 200;
