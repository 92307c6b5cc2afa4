import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSpooled, LISTS, listFolderOf } from '../../../core/paths.ts';
import { Mentions } from '../../mentions.ts';
import { forgetNotes, OLD_NOTES } from '../../noted-outside.ts';
import type { Hit } from '../../store.ts';
import type { Connection } from './connection.ts';
import type { Target } from './erasure-target.ts';
import { batchesOfInputs } from './old-entries.ts';
import { searched } from './searched-files.ts';

/** Folders beside the ledger with a list in each file: standard input, and the input of undos. */
const FILES = ['spool', 'undo'];

/** Folders with what was kept on the page for later: how a header was read, and jobs. They do not get too old. */
const KEPT = ['columns', 'jobs'];

/** Folders with a list in each folder: what was brought to the page, and copies of outputs that are fetched from it. */
const FOLDERS = [LISTS, 'downloads'];

export interface KeptLists {
  /** The cells and names that name the person, each once for each file. */
  readonly hits: readonly Hit[];
  /** The files to remove. */
  readonly files: readonly string[];
  /** How many lists stay, and the batches that go on with one of them. */
  readonly needed: { readonly lists: number; readonly by: readonly number[] };
}

/** A batch that names a list. */
interface Input {
  readonly id: number;
  readonly path: string;
  /** Whether it goes on: it is open, or has a row in doubt, which is worked through once more. */
  readonly goesOn: 0 | 1;
  /** Whether the batch may be too young for its list to be erased for its age; NULL: nothing is known of that. */
  readonly isYoung: 0 | 1 | null;
}

/** What is removed as one: a list with the outputs beside it, and one of the page with its earlier versions as well. */
type Kept = readonly string[];

export function inputsIn(connection: Connection, target: Target): readonly Input[] {
  const isSure = target.kind === 'old' && target.isSure;
  return connection.all<Input>(batchesOfInputs(isSure), isSure ? { before: target.beforeMs } : {});
}

/** @param folder the store's. Batches of sandbox accounts, and those of an older Rowonce, name lists elsewhere. */
export function keptLists(inputs: readonly Input[], folder: string, target: Target): KeptLists {
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
    return hits === undefined || over.some(({ isYoung }) => isYoung !== 0) ? [] : [{ paths, hits, over }];
  });
  const isNeeded = ({ over }: (typeof meant)[number]): boolean => over.some(({ goesOn }) => goesOn === 1);
  const needed = meant.filter(isNeeded);
  return {
    hits: meant.flatMap(({ hits }) => hits),
    files: meant.filter((list) => !isNeeded(list)).flatMap(({ paths }) => paths),
    needed: {
      lists: needed.length,
      by: needed.flatMap(({ over }) => over.flatMap(({ id, goesOn }) => (goesOn === 1 ? [id] : []))),
    },
  };
}

/** The outputs of an undo are beside its list, and named after it. */
function withoutEndings(path: string): string {
  return join(dirname(path), basename(path).replace(/\..*$/, ''));
}

/**
 * A list is as young as the youngest of its files, and names whom any of them names.
 * @returns where the person stands; undefined for a list that is not meant.
 */
function meaningOf(paths: Kept, target: Target): readonly Hit[] | undefined {
  const files = paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ path, stat }] : [];
  });
  if (target.kind === 'old')
    return files.length > 0 && files.every(({ stat }) => stat.mtimeMs < target.beforeMs) ? [] : undefined;
  const mentions = new Mentions(target.person);
  const hits = files.flatMap(({ path }) =>
    [...new Set(cellsIn(path, mentions))].map((cell) => ({ place: path, cell })),
  );
  return hits.length === 0 ? undefined : hits;
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

function cellsIn(path: string, mentions: Mentions): readonly string[] {
  return [...mentions.cellsIn(basename(path), 'name'), ...searched(path, mentions).cells];
}

/** Texts in the store that stay: the books of the sandbox, the vendor of play money, and old notes of files by their paths. */
const TEXTS = [
  ['book.jsonl', 'text'],
  ['service-book.jsonl', 'text'],
  [OLD_NOTES, 'name'],
] as const;

/** After a crash a text has the person or has not, and the next erasure searches it again. */
export function eraseFromTexts(folder: string, target: Target): void {
  if (target.kind !== 'person') return;
  const mentions = new Mentions(target.person);
  forgetNotes(folder, (path) => mentions.in(path, 'name'));
  for (const [name, where] of TEXTS) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    if (!mentions.in(text, where)) continue;
    writeFileSync(`${path}.new`, mentions.replacedIn(text), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}
