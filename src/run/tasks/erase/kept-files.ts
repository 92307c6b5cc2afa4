import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { isSpooled, LISTS, listFolderOf } from '../../../core/paths.ts';
import type { Erasable, ErasureTarget, Hit, KnownInput, Person } from '../../../ledger/eraser.ts';
import type { BatchId } from '../../../ledger/ledger.ts';
import { bookPathIn } from '../../../sandbox/spawn.ts';
import { forgetNotes, notesIn } from '../looker-notes.ts';

/** What is kept in the store beside its ledger: lists, which an erasure removes, and texts, in which it replaces the person. */

/** Standard input, the input of undos, what was brought to the page, and copies of outputs that are fetched from it. */
const WITH_LISTS = ['spool', 'undo', LISTS, 'downloads'];

/** What was kept on the page for later: how a header was read, and jobs. It does not get too old. */
const KEPT = ['columns', 'jobs'];

interface KeptLists {
  /** The cells and names that name the person, each once for each file. */
  readonly hits: readonly Hit[];
  readonly files: readonly string[];
  /** How many lists stay, and the batches that go on with one of them. */
  readonly needed: { readonly lists: number; readonly by: readonly BatchId[] };
}

/** @param folder the store's. */
export function keptLists(inputs: readonly KnownInput[], folder: string, target: ErasureTarget): KeptLists {
  const names = target.kind === 'person' ? [...WITH_LISTS, ...KEPT] : WITH_LISTS;
  const own = names.map((name) => join(folder, name));
  // Batches of sandbox accounts name lists in the folder of another store.
  const others = inputs.flatMap(({ path }) => {
    const list = isSpooled(path) ? path : listFolderOf(path);
    return list === undefined ? [] : [dirname(list)];
  });
  const lists = [...new Set([...own, ...others])].flatMap((root) => {
    const kept = Map.groupBy(filesBelow(root), (path) => listOf(root, path));
    return [...kept.values()].flatMap((paths) => {
      const over = inputs.filter(({ path }) => paths.includes(path));
      const isOurs = over.length > 0 || own.includes(root);
      const hits = isOurs ? meaningOf(paths, over, target) : undefined;
      return hits === undefined ? [] : [{ paths, hits, by: over.filter(({ goesOn }) => goesOn) }];
    });
  });
  const needed = lists.filter(({ by }) => by.length > 0);
  return {
    hits: lists.flatMap(({ hits }) => hits),
    files: lists.flatMap(({ paths, by }) => (by.length > 0 ? [] : paths)),
    needed: { lists: needed.length, by: needed.flatMap(({ by }) => by.map(({ batch }) => batch)) },
  };
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

/**
 * A list is as young as the youngest of its files and its batches, and names whom any of them names.
 * @returns where the person stands; undefined for a list that is not meant.
 */
function meaningOf(
  paths: readonly string[],
  over: readonly KnownInput[],
  target: ErasureTarget,
): readonly Hit[] | undefined {
  if (target.kind === 'old') {
    const isYoung = (path: string): boolean => statSync(path).mtimeMs >= target.beforeMs;
    return paths.some(isYoung) || over.some((each) => each.isYoung) ? undefined : [];
  }
  const { person } = target;
  const hits = paths.flatMap((path) => {
    const cells = [...person.cellsIn(basename(path), 'name'), ...cellsNaming(path, person)];
    return [...new Set(cells)].map((cell) => ({ place: path, cell }));
  });
  return hits.length === 0 ? undefined : hits;
}

/** Replaces the person in what stays: in notes and in the books of the sandboxes. A crash leaves each as it was, or without the person. */
export function replaceInTexts(folder: string, person: Person): void {
  forgetNotes(folder, (path) => person.in(path, 'name'));
  for (const path of [bookPathIn(folder, 'provider'), bookPathIn(folder, 'service')]) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (!person.in(text)) continue;
    writeFileSync(`${path}.new`, person.replacedIn(text), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

// ------------------------------------------------------------------------------------------ what is in a file

/** A text of a gigabyte is longer than a string may be. Parts overlap by more bytes than any address has, in any encoding. */
const PART_BYTES = 1 << 24;
const OVERLAP_BYTES = 1 << 13;

function cellsNaming(path: string, person: Person): readonly string[] {
  const cells: string[] = [];
  const withoutMarkup = (cell: string): string =>
    cell.split(/[<>]/).find((text) => person.in(text, 'list')) ?? cell;
  try {
    for (const part of partsOf(path)) cells.push(...person.cellsIn(part, 'list'));
    for (const entry of entriesOf(path))
      for (let at = 0; at < entry.length; at += PART_BYTES) {
        const part = entry.subarray(at, at + PART_BYTES + OVERLAP_BYTES);
        cells.push(...person.cellsIn(part, 'list').map(withoutMarkup));
      }
  } catch {
    // A file that went meanwhile, or that nobody may read.
  }
  return cells;
}

/** Each part is in the place of the one before it. */
function* partsOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.allocUnsafe(PART_BYTES + OVERLAP_BYTES);
    for (let at = 0; ; at += PART_BYTES) {
      const length = readSync(file, part, 0, part.length, at);
      if (length === 0) return;
      yield part.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

const ZIP_ENTRY = Buffer.from('PK\x03\x04');
/** The header before each entry of an archive: its length, and where in it are the method, 0 for none, and the lengths of name and extra field. */
const ENTRY = { header: 30, method: 8, name: 26, extra: 28 };
const MOST_UNPACKED = { maxOutputLength: 2 ** 31 };

/** What is packed in a workbook; nothing of another file. */
function* entriesOf(path: string): Generator<Buffer> {
  for (const begin of partsOf(path)) {
    if (begin.indexOf(ZIP_ENTRY) !== 0) return;
    break;
  }
  const bytes = readFileSync(path);
  for (let at = 0; at !== -1; at = bytes.indexOf(ZIP_ENTRY, at + ENTRY.header)) {
    if (at + ENTRY.header > bytes.length) return;
    if (bytes.readUInt16LE(at + ENTRY.method) === 0) continue;
    const lengths = bytes.readUInt16LE(at + ENTRY.name) + bytes.readUInt16LE(at + ENTRY.extra);
    try {
      yield inflateRawSync(bytes.subarray(at + ENTRY.header + lengths), MOST_UNPACKED);
    } catch {
      // What only looks like an entry, or is damaged, was searched as it is.
    }
  }
}

// ------------------------------------------------------------------------------------------ the user's files

/** A file of the user's that we wrote from what is erased. It stays as it is, and is named. */
export interface UserFile {
  readonly path: string;
  /** Its path names the person, so that the store does not know it any more after the erasure. */
  readonly isPathForgotten: boolean;
}

interface FoundFiles {
  readonly files: readonly UserFile[];
  readonly named: number;
}

/** @param person whom an erasure is about; undefined for one by age. @param removed files of the store that are removed. */
export function userFiles(
  { files: known, written }: Pick<Erasable, 'files' | 'written'>,
  folder: string,
  person: Person | undefined,
  removed: readonly string[],
): FoundFiles {
  const noted = notesIn(folder).map(({ path, batch }) => ({ path, isAffected: written.has(batch) }));
  const isForgotten = (path: string): boolean => person?.in(path, 'name') === true;
  const meant = [...known, ...noted].filter(({ path, isAffected }) => isAffected || isForgotten(path));
  const paths = [...new Set(meant.map(({ path }) => path))].sort();
  return {
    files: paths
      .filter((path) => existsSync(path) && !removed.includes(path))
      .map((path) => ({ path, isPathForgotten: isForgotten(path) })),
    named: noted.filter(({ path }) => isForgotten(path)).length,
  };
}
