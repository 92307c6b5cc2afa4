import { lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, readlink, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { moveWithoutReplacing, outputProblem } from '../core/atomic-file.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, type StopError, stop } from '../core/errors.ts';
import { endingOf, partsOf } from '../core/file-name.ts';
import { foreignName, sentence } from '../core/plain-text.ts';
import { readableEndings } from '../files/input-file.ts';
import { besideInput, filesOf } from '../files/output/output.ts';

/**
 * A folder into which somebody puts files, and from which a sweep takes them. What was worked through stands in `done/`
 * in it, beside its outputs, what no run can begin with in `failed/`, and nothing there is ever overwritten.
 */

export interface Inbox {
  /** Files that may be worked on, in the order of their names. */
  readonly ready: readonly ReadyFile[];
  readonly left: readonly LeftFile[];
}

export interface ReadyFile {
  /** Absolute. */
  readonly path: string;
  /** What the file system said of it, which changes with every write, and when another file takes its place. */
  readonly stamp: string;
}

/** A file that a sweep left where it is, and why, as a clause. */
export interface LeftFile {
  readonly path: string;
  readonly why: string;
}

export interface Looking {
  /** Absolute paths of what we wrote ourselves. */
  readonly ours: ReadonlySet<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const DONE_FOLDER = 'done';
const FAILED_FOLDER = 'failed';

/** Between two looks at a file. Whoever writes one flushes more often than this, even over a slow line. */
const BETWEEN_LOOKS_MS = 2_000;

/** A file that nobody has written to for so long is whole, or open, and then a process can be seen that has it. */
const AT_REST_MS = 60_000;

/** What browsers, mail programs, editors and copying tools call a file until it is whole. */
const TEMPORARY = /^~\$|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|download|swp)$/i;

/** Names of our own files beside an input, numbered ones included. A test holds them against what is really written. */
const OUR_NAMES =
  /\.(?:enriched|sandbox|(?:api-call|change-role|create-project|delete-invite|enrich-company|enrich-person|invite-user|onboard|remove-user|search-people)(?:-\d+)?)(?: \(\d+\))?(?:\.(?:needs-attention|people|results|removed|so-far|report|[0-9a-f]{8})(?: \(\d+\))?)*\.[^.]+$/i;

/**
 * What stands in the folder. Takes two seconds when anything in it is young, in which a file that is still being
 * written gives itself away.
 * @throws StopError `job` when there is no such folder, or a link in its place.
 */
export async function readInbox(folder: string, { ours, clock, signal }: Looking): Promise<Inbox> {
  await refuseLink(folder, 'job', 'Name the folder itself as inbox in the job.');
  const left: LeftFile[] = [];
  const candidates = new Map<string, string>();
  const extensions = await readableEndings();
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const why = await reasonToLeave(path, ours, extensions);
    if (why === undefined) candidates.set(path, await stampOf(path));
    else left.push({ path, why });
  }
  if (candidates.size === 0) return { ready: [], left };
  if (await someAreYoung([...candidates.keys()], clock.wallMs())) await clock.sleep(BETWEEN_LOOKS_MS, signal);
  const writers = await writersOf([...candidates.keys()]);
  const ready: ReadyFile[] = [];
  for (const [path, stamp] of candidates) {
    const writer = writers.get(path);
    if (writer !== undefined) left.push({ path, why: `process ${writer} has it open for writing` });
    else if (!(await isAsSeen({ path, stamp }))) left.push({ path, why: 'it is still being written' });
    else ready.push({ path, stamp });
  }
  return { ready, left };
}

/** A time in the future is that of a clock which cannot be trusted, so it says nothing about the file's age. */
async function someAreYoung(paths: readonly string[], nowMs: number): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return found.some((file) => {
    const ageMs = nowMs - (file?.mtimeMs ?? nowMs);
    return ageMs < AT_REST_MS;
  });
}

/** Hidden files and folders are nobody's input, and are passed over in silence. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    const fact = `The inbox ${folder} cannot be read: ${messageOf(error)}.`;
    throw stop('job', fact, 'Make the folder, or correct inbox in the job.');
  }
}

async function reasonToLeave(
  path: string,
  ours: ReadonlySet<string>,
  extensions: readonly string[],
): Promise<string | undefined> {
  const name = basename(path);
  const found = await lstat(path).catch(() => undefined);
  // A link could be moved without what it leads to.
  if (found?.isSymbolicLink() === true)
    return `it is a link to ${await readlink(path).catch(() => 'nowhere')}`;
  if (TEMPORARY.test(name)) return 'its name is that of a file that is not whole yet';
  if (ours.has(path) || OUR_NAMES.test(name)) {
    return 'it is one of our own outputs; under another name it is an input';
  }
  const extension = endingOf(name);
  if (!extensions.includes(extension)) {
    return `no format reads its ending ${foreignName(extension)}, only ${extensions.join(', ')}`;
  }
  // Whoever opened a pipe or a device would wait for it, perhaps for ever.
  if (found?.isFile() === false) return 'it is not a regular file';
  return found !== undefined && (await isElsewhereToo(path, found))
    ? 'it has another name outside of this inbox (a hard link); put a copy here instead'
    : undefined;
}

/**
 * Whether a file has a name that is not in this inbox: somebody else's file may have been linked here, to have it moved and
 * read. A move of ours that was killed halfway leaves two names, both of which are in the inbox.
 */
async function isElsewhereToo(path: string, { dev, ino, nlink }: Stats): Promise<boolean> {
  if (nlink === 1) return false;
  let names = 1;
  for (const place of [DONE_FOLDER, FAILED_FOLDER]) {
    const folder = join(dirname(path), place);
    for (const name of await listed(folder)) {
      const other = await lstat(join(folder, name)).catch(() => undefined);
      if (other?.dev === dev && other.ino === ino) names += 1;
    }
  }
  return names < nlink;
}

/** Through a link we would read, write or move files in a place that nobody named to us. */
async function refuseLink(folder: string, code: 'job' | 'output', next: string): Promise<void> {
  const target = await readlink(folder).catch(() => undefined);
  if (target === undefined) return;
  throw stop(
    code,
    `${folder} is a link to ${target}, and nothing of an inbox is read or written through one.`,
    next,
  );
}

/** Whether the file is the one that was looked at, and nobody has written to it since. */
export async function isAsSeen({ path, stamp }: ReadyFile): Promise<boolean> {
  return (await stampOf(path)) === stamp;
}

async function stampOf(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  // The last of them cannot be set back.
  return `${found?.ino} ${found?.size} ${found?.mtimeNs} ${found?.ctimeNs}`;
}

// ---------------------------------------------------------------------------------------------------- who writes

/** Bits of a descriptor's flags that say whether it may write: O_WRONLY and O_RDWR. */
const MAY_WRITE = 0b11;

/**
 * Which of these files a process has open for writing, with its number. Only Linux tells, and only of the processes of
 * this user; elsewhere the two looks have to do.
 */
async function writersOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const byRealPath = new Map<string, string>();
  for (const path of paths) byRealPath.set(await realpath(path).catch(() => path), path);
  const writers = new Map<string, string>();
  for (const processId of await listed('/proc')) {
    if (!/^\d+$/.test(processId)) continue;
    const descriptors = await listed(`/proc/${processId}/fd`);
    await Promise.all(
      descriptors.map(async (descriptor) => {
        const link = await readlink(`/proc/${processId}/fd/${descriptor}`).catch(() => '');
        const path = byRealPath.get(link);
        if (path === undefined) return;
        if (await mayWrite(`/proc/${processId}/fdinfo/${descriptor}`)) writers.set(path, processId);
      }),
    );
  }
  return writers;
}

/** Processes end while they are looked at, and those of others are closed to us. */
async function listed(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function mayWrite(infoPath: string): Promise<boolean> {
  const info = await readFile(infoPath, 'utf8').catch(() => '');
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & MAY_WRITE) !== 0;
}

// ---------------------------------------------------------------------------------------------------- done

/** Where a file of an inbox and its output stand when it is done. */
export interface DonePlace {
  readonly input: string;
  readonly output: string;
}

/**
 * A place in `done/` where nothing stands: `leads.csv`, else `leads (2).csv`, and so on.
 * @param earlierOutput where a run that did not get to the end has written this file's output: its place, if it still
 * is one, so that the next run replaces that output instead of leaving it beside another.
 */
export async function placeInDone(
  path: string,
  sandbox: boolean,
  earlierOutput: string | undefined,
): Promise<DonePlace> {
  const folder = join(dirname(path), DONE_FOLDER);
  const input = await freePlace(folder, path, (place) => {
    const output = besideInput(place, sandbox);
    return filesOf(output).filter((file) => output !== earlierOutput || isLink(file));
  });
  return { input, output: besideInput(input, sandbox) };
}

/** A file that we wrote is none, so what stands there now would be written through. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** `leads.csv` in the folder, else `leads (2).csv` and so on: where neither it stands nor what belongs to it. */
async function freePlace(
  folder: string,
  path: string,
  belonging: (place: string) => readonly string[],
): Promise<string> {
  await makeFolder(folder);
  const extension = partsOf(path).ending;
  const stem = basename(path, extension);
  for (let number = 1; ; number += 1) {
    const place = join(folder, `${number === 1 ? stem : `${stem} (${number})`}${extension}`);
    if (!(await someExist([place, ...belonging(place)]))) return place;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const fact = messageOf(outputProblem(folder, error));
    throw stop('output', fact, 'Give yourself permission to write in the inbox.');
  }
  await refuseOwnLink(folder);
}

/** Of a folder that we made ourselves, and that somebody may have replaced since. */
function refuseOwnLink(folder: string): Promise<void> {
  return refuseLink(
    folder,
    'output',
    'Remove the link, and see who made it; the next sweep makes the folder.',
  );
}

/** @throws StopError `output`, with the file still where it was. */
export async function moveToDone(path: string, { input }: DonePlace): Promise<void> {
  // The run before took its time.
  await refuseOwnLink(dirname(input));
  try {
    if (await moveWithoutReplacing(path, input)) return;
  } catch (error) {
    const fact = `${path} cannot be moved to ${dirname(input)}: ${messageOf(outputProblem(input, error))}`;
    throw stop('output', fact, 'Move it there by hand; its output stands there already.');
  }
  const fact = `${path} cannot be moved to ${dirname(input)}: a file of its name was put there meanwhile.`;
  throw stop('output', fact, 'Move it there by hand; its output stands there already.');
}

// ---------------------------------------------------------------------------------------------------- failed

/**
 * Puts a file that no run can begin with where no sweep looks, with the reason beside it: else it would be tried, and
 * complained of, every night. The reason is written first, because a file that is gone without one would be missed; a
 * crash in between leaves the file in the inbox, and a reason that the next sweep does not write over.
 * @returns where it stands now. @throws StopError `output`, with the file still where it was.
 */
export async function moveToFailed(path: string, { message, next }: StopError): Promise<string> {
  const reasonOf = (place: string): string => `${place}.reason.txt`;
  const place = await freePlace(join(dirname(path), FAILED_FOLDER), path, (each) => [reasonOf(each)]);
  const words = `${sentence(message)}\n${next}\nThen move ${basename(place)} back into ${dirname(path)}.\n`;
  try {
    await writeFile(reasonOf(place), words, { flag: 'wx' });
    if (await moveWithoutReplacing(path, place)) return place;
  } catch (error) {
    const fact = `${path} cannot be moved to ${dirname(place)}: ${messageOf(outputProblem(place, error))}`;
    throw stop('output', fact, 'Move it away by hand, or every sweep tries it again.');
  }
  const fact = `${path} cannot be moved to ${dirname(place)}: a file of its name was put there meanwhile.`;
  throw stop('output', fact, 'Move it away by hand, or every sweep tries it again.');
}

async function someExist(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    if ((await lstat(path).catch(() => undefined)) !== undefined) return true;
  }
  return false;
}
