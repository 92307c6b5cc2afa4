import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { LISTS } from '../../../core/paths.ts';
import type { Erasable, ErasureTarget, Person } from '../../../ledger/erase.ts';
import type { BatchId } from '../../../ledger/ledger.ts';
import { bookPathIn } from '../../../sandbox/spawn.ts';
import { notesIn } from '../looker-notes.ts';

/** What is kept in the store beside its ledger: lists, which an erasure removes, and texts, in which it replaces the person. */

/** Standard input, the input of undos, what was brought to the page, and copies of outputs that are fetched from it. */
const WITH_LISTS = ['spool', 'undo', LISTS, 'downloads'];

/** What was kept on the page for later: how a header was read, and jobs. It does not get too old. */
const KEPT = ['columns', 'jobs'];

interface KeptFiles {
  /** Files of the store's that are removed. */
  readonly files: readonly string[];
  /** How many lists stay, and the batches that go on with one of them. */
  readonly needed: { readonly lists: number; readonly by: readonly BatchId[] };
  /** Files of the user's that we wrote from what is erased, or whose paths name the person. They stay as they are. */
  readonly stays: readonly string[];
}

/** @param folder the store's. */
export async function keptFiles(found: Erasable, folder: string, target: ErasureTarget): Promise<KeptFiles> {
  const { files, needed } = await keptLists(found.inputs, folder, target);
  const notes = notesIn(folder);
  const isNamed = (path: string): boolean => target.kind === 'person' && target.person.in(path);
  const written = [
    ...found.files,
    ...notes.map(({ path, batch }) => ({ path, isAffected: found.written.has(batch) })),
  ];
  const meant = written.flatMap(({ path, isAffected }) => (isAffected || isNamed(path) ? [path] : []));
  return {
    files: [...files, ...notes.flatMap(({ path, file }) => (isNamed(path) ? [file] : []))],
    needed,
    stays: [...new Set(meant)].filter((path) => existsSync(path) && !files.includes(path)).sort(),
  };
}

async function keptLists(
  inputs: Erasable['inputs'],
  folder: string,
  target: ErasureTarget,
): Promise<Pick<KeptFiles, 'files' | 'needed'>> {
  const names = target.kind === 'person' ? [...WITH_LISTS, ...KEPT] : WITH_LISTS;
  const [files, needed]: [string[], BatchId[][]] = [[], []];
  for (const root of names.map((name) => join(folder, name)))
    for (const paths of Map.groupBy(filesBelow(root), (path) => listOf(root, path)).values()) {
      const over = inputs.filter(({ path }) => paths.includes(path));
      if (!(await isMeant(paths, over, target))) continue;
      const by = over.flatMap(({ goesOn, batch }) => (goesOn ? [batch] : []));
      if (by.length > 0) needed.push(by);
      else files.push(...paths);
    }
  return { files, needed: { lists: needed.length, by: needed.flat() } };
}

/** A list is removed as one: with the outputs beside it, or, on the page, with what it was first, in a folder of its own. */
function listOf(root: string, path: string): string {
  const [name = ''] = relative(root, path).split(sep);
  return name.replace(/(?<=.)\..*$/, '');
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** A list is as young as the youngest of its files and its batches, and names whom any of them names. */
async function isMeant(
  paths: readonly string[],
  over: Erasable['inputs'],
  target: ErasureTarget,
): Promise<boolean> {
  if (target.kind === 'old')
    return (
      !over.some(({ isYoung }) => isYoung) && paths.every((path) => statSync(path).mtimeMs < target.beforeMs)
    );
  for (const path of paths)
    if (target.person.in(basename(path)) || (await isNamedIn(path, target.person))) return true;
  return false;
}

/** Replaces the person in the books of the sandboxes. A crash leaves each as it was, or without the person. */
export function replaceInBooks(folder: string, person: Person): void {
  for (const path of [bookPathIn(folder, 'provider'), bookPathIn(folder, 'service')]) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (!person.in(text)) continue;
    writeFileSync(`${path}.new`, person.replacedIn(text), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/** A text of a gigabyte is longer than a string may be. Parts overlap by more bytes than any address has, in any encoding. */
const PART_BYTES = 1 << 24;
const OVERLAP_BYTES = 1 << 13;

async function isNamedIn(path: string, person: Person): Promise<boolean> {
  const isIn = async (bytes: AsyncIterable<Buffer>): Promise<boolean> => {
    let part = Buffer.alloc(0);
    for await (const chunk of bytes) {
      part = Buffer.concat([part, chunk]);
      if (part.length < PART_BYTES) continue;
      if (person.in(part)) return true;
      part = part.subarray(-OVERLAP_BYTES);
    }
    return person.in(part);
  };
  try {
    if (await isIn(createReadStream(path, { highWaterMark: PART_BYTES }))) return true;
    // A workbook is packed; another file is none.
    const { openPromise } = await import('yauzl');
    const archive = await openPromise(path, { autoClose: false });
    try {
      for await (const entry of archive.eachEntry())
        if (await isIn(await archive.openReadStreamPromise(entry))) return true;
    } finally {
      archive.close();
    }
  } catch {
    // No workbook, or a file that went meanwhile, or that nobody may read.
  }
  return false;
}
