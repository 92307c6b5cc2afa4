import { type Dirent, lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { messageOf, stop } from '../../core/errors.ts';
import { readableEndings } from '../../core/format.ts';
import { foreignName } from '../../core/plain-text.ts';
import { calledPath } from '../../files/called.ts';
import { contentEnding } from '../../files/input.ts';
import { besideInput, filesOf } from '../../files/output/output.ts';
import { moveWithoutReplacing, outputProblem, stampOf } from '../../lib/atomic-file.ts';
import { endingOf, nameParts } from '../../lib/file-name.ts';

/**
 * An inbox is a folder into which people put files and from which a sweep takes them. Its folder `done/`
 * holds finished files beside their outputs, and nothing there is ever overwritten.
 */

export interface Inbox {
  readonly ready: readonly ReadyFile[];
  /** Files that stay where they are, each with the reason as a clause. */
  readonly left: readonly { readonly file: string; readonly why: string }[];
}

export interface ReadyFile {
  readonly path: string;
  /** What `stampOf` says; undefined for a file that has gone since. */
  readonly stamp: string | undefined;
}

export interface InboxContext {
  readonly ours: ReadonlySet<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const DONE_FOLDER = 'done';

/**
 * The time between two looks at a file. A program that writes a file flushes more often, even over a slow
 * network.
 */
const BETWEEN_LOOKS_MS = 2_000;

/** A file without a write for this long is whole. */
const AT_REST_MS = 60_000;

/**
 * The names of our own files beside an input, also numbered ones. A test compares them with what is really
 * written.
 */
const OUR_NAMES =
  /\.(?:enriched|sandbox|(?:api-call|change-role|create-project|delete-invite|enrich-company|enrich-person|invite-user|onboard|remove-user|search-people)(?:-\d+)?)(?: \(\d+\))?(?:\.(?:needs-attention|people|results|(?:not-)?removed|so-far|report|[0-9a-f]{8})(?: \(\d+\))?)*\.[^.]+$/i;

/**
 * Reads the folder. If a file in it is young, this takes two seconds, in which a file that is still being
 * written changes.
 * @throws StopError `job` when there is no such folder.
 */
export async function readInbox(folder: string, { ours, clock, signal }: InboxContext): Promise<Inbox> {
  const left: { file: string; why: string }[] = [];
  const candidates = new Map<string, string | undefined>();
  const extensions = await readableEndings();
  for (const entry of await direntsIn(folder)) {
    const path = join(folder, entry.name);
    const why = await reasonToLeave(path, entry, ours, extensions);
    if (why === undefined) candidates.set(path, await stampOf(path));
    else left.push({ file: path, why });
  }
  if (candidates.size === 0) return { ready: [], left };
  if (await someAreYoung([...candidates.keys()], clock.wallMs())) await clock.sleep(BETWEEN_LOOKS_MS, signal);
  const ready: ReadyFile[] = [];
  for (const [path, stamp] of candidates) {
    if (!(await isAsSeen({ path, stamp }))) left.push({ file: path, why: 'it is still being written' });
    else ready.push({ path, stamp });
  }
  return { ready, left };
}

/**
 * Whether a file was written lately. A time in the future comes from a wrong clock, so such a file counts as
 * young, too.
 */
async function someAreYoung(paths: readonly string[], nowMs: number): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return found.some((file) => nowMs - (file?.mtimeMs ?? nowMs) < AT_REST_MS);
}

/**
 * The entries of the folder, without folders and hidden files, such as the file that Excel keeps beside an
 * open workbook.
 */
async function direntsIn(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !/^(?:\.|~\$)/.test(entry.name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const fact = `The inbox ${folder} cannot be read: ${messageOf(error)}.`;
    throw stop('job', fact, 'Make the folder, or correct inbox in the job, or inboxes in the accounts file.');
  }
}

async function reasonToLeave(
  path: string,
  entry: Dirent,
  ours: ReadonlySet<string>,
  extensions: readonly string[],
): Promise<string | undefined> {
  // Moving a link would not move its target, and a program that opens a pipe waits for it, perhaps for ever.
  if (!entry.isFile()) return 'it is a link, or no regular file';
  if (ours.has(path) || OUR_NAMES.test(entry.name))
    return 'it is one of our own outputs; give it another name to use it as an input';
  const extension = endingOf(entry.name);
  // A file without an ending is hardly a list, so its content is not looked at.
  const inside = extension === '' ? '' : await contentEnding(path).catch(() => undefined);
  return [...extensions, '.gz'].includes(inside ?? extension)
    ? undefined
    : `its ending cannot be read: ${foreignName(extension)}, only ${extensions.join(', ')}`;
}

export async function isAsSeen({ path, stamp }: ReadyFile): Promise<boolean> {
  return (await stampOf(path)) === stamp;
}

export interface DonePlace {
  readonly input: string;
  readonly output: string;
}

/**
 * Finds a free place in `done/`: `leads.csv`, else `leads (2).csv`, and so on.
 * @param earlierOutput the output path of an unfinished run over this file. Its place is used again if it is
 * still possible, so that the next run replaces that output instead of writing another one beside it.
 */
export async function placeInDone(
  path: string,
  sandbox: boolean,
  earlierOutput: string | undefined,
): Promise<DonePlace> {
  const folder = join(dirname(path), DONE_FOLDER);
  await makeFolder(folder);
  const extension = nameParts(path).ending;
  const stem = basename(path, extension);
  const ending = await contentEnding(path).catch(() => undefined);
  for (let number = 1; ; number += 1) {
    const input = join(folder, `${number === 1 ? stem : `${stem} (${number})`}${extension}`);
    const output = besideInput(calledPath(input, { ending }), sandbox);
    const taken = output === earlierOutput ? [] : filesOf(output);
    if (![input, ...taken].some((file) => lstatSync(file, { throwIfNoEntry: false })))
      return { input, output };
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const fact = messageOf(outputProblem(folder, error));
    throw stop('output', fact, 'Give yourself permission to write in the inbox.');
  }
  // If `done` were a link, another person who may write into the inbox could choose where our outputs go.
  const target = await readlink(folder).catch(() => undefined);
  if (target === undefined) return;
  const fact = `${folder} is a link to ${target}, and nothing is written through links.`;
  throw stop('output', fact, 'Find out who made the link, and remove it; the next sweep makes the folder.');
}

/** @throws StopError `output`; the file is then still in its old place. */
export async function moveToDone(path: string, { input }: DonePlace): Promise<void> {
  let why = 'a file of that name appeared there meanwhile.';
  try {
    if (await moveWithoutReplacing(path, input)) return;
  } catch (error) {
    why = messageOf(outputProblem(input, error));
  }
  const fact = `${path} cannot be moved to ${dirname(input)}: ${why}`;
  throw stop('output', fact, 'Move it there by hand; its output is there already.');
}
