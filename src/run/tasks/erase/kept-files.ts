import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { isSpooled, LISTS, listFolderOf } from '../../../core/paths.ts';
import { endedIn, LIST_NOTE } from '../../../files/list-name.ts';
import type { Erasable, ErasureTarget, Hit, KnownInput, Person } from '../../../ledger/eraser.ts';
import type { BatchId } from '../../../ledger/ledger.ts';
import { bookPathIn } from '../../../sandbox/spawn.ts';
import { forgetNotes, notesIn } from '../../looker-notes.ts';

/** What is kept in the store beside its ledger: lists, which an erasure removes, and texts, in which it replaces the person. */

/** Folders beside the ledger with a list in each file: standard input, and the input of undos. */
const FILES = ['spool', 'undo'];

/** Folders with what was kept on the page for later: how a header was read, and jobs. They do not get too old. */
const KEPT = ['columns', 'jobs'];

/** Folders with a list in each folder: what was brought to the page, and copies of outputs that are fetched from it. */
const FOLDERS = [LISTS, 'downloads'];

interface KeptLists {
  /** The cells and names that name the person, each once for each file. */
  readonly hits: readonly Hit[];
  readonly files: readonly string[];
  /** How many lists stay, and the batches that go on with one of them. */
  readonly needed: { readonly lists: number; readonly by: readonly BatchId[] };
}

/** What is removed as one: a list with the outputs beside it, and one of the page with what it was first as well. */
type Kept = readonly string[];

/** @param folder the store's. Batches of sandbox accounts name lists elsewhere. */
export function keptLists(inputs: readonly KnownInput[], folder: string, target: ErasureTarget): KeptLists {
  const spooled = [
    ...[...FILES, ...(target.kind === 'person' ? KEPT : [])].flatMap((name) => filesIn(join(folder, name))),
    ...inputs.map(({ path }) => path).filter(isSpooled),
  ];
  const lists = [
    ...FOLDERS.flatMap((name) => filesIn(join(folder, name))),
    ...inputs.flatMap(({ path }) => listFolderOf(path) ?? []),
  ];
  const kept: readonly Kept[] = [
    ...Map.groupBy(new Set(spooled), withoutEndings).values(),
    ...[...new Set(lists)].map((list) => filesBelow(list)),
  ];
  const meant = kept.flatMap((paths) => {
    const hits = meaningOf(paths, target);
    const over = inputs.filter(({ path }) => paths.includes(path));
    const isYoung = over.length > 0 ? over.some((each) => each.isYoung) : mayBeYoung(paths, target);
    return hits === undefined || isYoung ? [] : [{ paths, hits, over }];
  });
  const isNeeded = ({ over }: (typeof meant)[number]): boolean => over.some(({ goesOn }) => goesOn);
  const needed = meant.filter(isNeeded);
  return {
    hits: meant.flatMap(({ hits }) => hits),
    files: meant.filter((list) => !isNeeded(list)).flatMap(({ paths }) => paths),
    needed: {
      lists: needed.length,
      by: needed.flatMap(({ over }) => over.flatMap(({ batch, goesOn }) => (goesOn ? [batch] : []))),
    },
  };
}

function withoutEndings(path: string): string {
  return join(dirname(path), basename(path).replace(/\..*$/, ''));
}

/**
 * A list is as young as the youngest of its files, and names whom any of them names.
 * @returns where the person stands; undefined for a list that is not meant.
 */
function meaningOf(paths: Kept, target: ErasureTarget): readonly Hit[] | undefined {
  const files = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ path, stat }] : [];
  });
  if (target.kind === 'old')
    return files.length > 0 && files.every(({ stat }) => stat.mtimeMs < target.beforeMs) ? [] : undefined;
  const hits = files.flatMap(({ path }) =>
    [...new Set(cellsIn(path, target.person))].map((cell) => ({ place: path, cell })),
  );
  return hits.length === 0 ? undefined : hits;
}

/**
 * The times of files are those of a clock that may have been behind, and no batch says when this list was brought at the latest. What
 * the page has noted does: since when nobody needs the list, as far as anybody looked.
 */
function mayBeYoung(paths: Kept, target: ErasureTarget): boolean {
  const note = paths.find((path) => basename(path) === LIST_NOTE);
  if (note === undefined || target.kind !== 'old' || target.isNamed) return false;
  return !(endedIn(note) < target.beforeMs);
}

/** The files of a folder; a file stands for itself, such as an upload that a killed page has left half way. */
function filesBelow(path: string): Kept {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return [path];
  try {
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [];
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function cellsIn(path: string, person: Person): readonly string[] {
  return [...person.cellsIn(basename(path), 'name'), ...cellsNaming(path, person)];
}

/** Replaces the person in what stays: in notes and in the books of the sandboxes. A crash leaves each as it was, or without the person. */
export function replaceInTexts(folder: string, person: Person): void {
  forgetNotes(folder, (path) => person.in(path, 'name'));
  for (const path of [bookPathIn(folder, 'provider'), bookPathIn(folder, 'service')]) {
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    if (!person.in(text)) continue;
    writeFileSync(`${path}.new`, person.replacedIn(text), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

const WINDOW_BYTES = 1 << 24;
/** More bytes than any address has, in any encoding. */
const OVERLAP_BYTES = 1 << 13;

function cellsNaming(path: string, person: Person): readonly string[] {
  try {
    if (!isArchive(path)) return cellsInWindows(partsOf(path, WINDOW_BYTES, OVERLAP_BYTES), person);
    const cells = contentsOf(readFileSync(path)).map((content) => cellsInWindows(windowsOf(content), person));
    return cells.flat().map((cell) => withoutMarkup(cell, person));
  } catch {
    return [];
  }
}

function withoutMarkup(cell: string, person: Person): string {
  return cell.split(/[<>]/).find((text) => person.in(text, 'list')) ?? cell;
}

const ZIP_ENTRY = Buffer.from('PK\x03\x04');
/** The header before each entry of an archive: its length, and where in it are the method, 0 for none, and the lengths of name and extra field. */
const ENTRY = { header: 30, method: 8, name: 26, extra: 28 };
const MOST_UNPACKED = { maxOutputLength: 2 ** 31 };

function isArchive(path: string): boolean {
  for (const begin of partsOf(path, ZIP_ENTRY.length)) return begin.equals(ZIP_ENTRY);
  return false;
}

function contentsOf(bytes: Buffer): readonly Buffer[] {
  const contents: Buffer[] = [bytes];
  for (let at = 0; at !== -1; at = bytes.indexOf(ZIP_ENTRY, at + ENTRY.header)) {
    if (at + ENTRY.header > bytes.length) break;
    if (bytes.readUInt16LE(at + ENTRY.method) === 0) continue;
    const start =
      at + ENTRY.header + bytes.readUInt16LE(at + ENTRY.name) + bytes.readUInt16LE(at + ENTRY.extra);
    try {
      contents.push(inflateRawSync(bytes.subarray(start), MOST_UNPACKED));
    } catch {
      // What only looks like an entry, or is damaged, is searched as it is.
    }
  }
  return contents;
}

/** Content is searched in parts that overlap, because a text of a gigabyte is longer than a string may be. */
function cellsInWindows(windows: Iterable<Buffer>, person: Person): readonly string[] {
  const cells: string[] = [];
  for (const window of windows) cells.push(...person.cellsIn(window, 'list'));
  return cells;
}

function* windowsOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += WINDOW_BYTES)
    yield content.subarray(at, at + WINDOW_BYTES + OVERLAP_BYTES);
}

/** Each part goes on into the next one by `overlap` bytes, and is in the place of the one before it. */
function* partsOf(path: string, bytes: number, overlap = 0): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.allocUnsafe(bytes + overlap);
    for (let at = 0; ; at += bytes) {
      const length = readSync(file, part, 0, part.length, at);
      if (length === 0) return;
      yield part.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

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
  const gone = new Set(removed.map(realPathOf));
  const noted = notesIn(folder);
  const affected = [
    ...known.filter(({ isAffected }) => isAffected),
    ...noted.filter(({ batch }) => written.has(batch)),
  ];
  const isForgotten = (path: string): boolean => person?.in(path, 'name') === true;
  const paths = new Set(
    [...affected, ...[...known, ...noted].filter(({ path }) => isForgotten(path))].map(({ path }) => path),
  );
  return {
    files: [...paths]
      .filter((path) => existsSync(path) && !gone.has(realPathOf(path)))
      .sort()
      .map((path) => ({ path, isPathForgotten: isForgotten(path) })),
    named: noted.filter(({ path }) => isForgotten(path)).length,
  };
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
