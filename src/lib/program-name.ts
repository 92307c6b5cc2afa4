import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE } from '../core/families.ts';

/**
 * What this program is called in a folder, mostly the current one. Every command that is printed begins with it, so that it works where
 * it was printed, and starts this program and no other one of that name.
 */

const PROGRAM = fileURLToPath(new URL('src/bin.js', PACKAGE));
const ROOT = dirname(dirname(PROGRAM));
const BINS = join('node_modules', '.bin');

/** With `--no` a line that is typed anywhere else fetches no package of that name from the registry. */
const BY_NPX = ['npx', '--no', 'rowonce'];

const known = new Map<string, readonly string[]>();

/** @param words behind the name. @param folder left out: the current one. */
export function programName([first = '']: readonly string[], folder = currentFolder()): readonly string[] {
  const { PATH = '' } = process.env;
  const place = `${folder}\n${PATH}`;
  const name = known.get(place) ?? nameIn(folder, PATH);
  known.set(place, name);
  // npx takes an option right behind the program for its own.
  return name === BY_NPX && first.startsWith('-') ? name.toSpliced(-1, 0, '--') : name;
}

function nameIn(folder: string | undefined, path: string): readonly string[] {
  if (onPath('rowonce', path) === PROGRAM) return ['rowonce'];
  if (folder !== undefined && isFoundByNpx(folder)) return BY_NPX;
  const isUsual = onPath('node', path) === realPath(process.execPath);
  return [isUsual ? 'node' : process.execPath, PROGRAM];
}

/** Undefined when another program has removed it. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The file that a shell starts by a name. npm puts folders of its own on the path of what it starts, and of nothing else. */
function onPath(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((each) => isAbsolute(each) && !each.endsWith(BINS));
  return firstReal(folders.map((each) => join(each, name)));
}

/** npx starts what the package offers that the folder is in, else what is installed in the folder or above it. */
function isFoundByNpx(folder: string): boolean {
  const folders = withParents(folder);
  const isPackage = (each: string): boolean =>
    ['package.json', 'node_modules'].some((name) => existsSync(join(each, name)));
  if (folders.find(isPackage) === ROOT) return true;
  return firstReal(folders.map((each) => join(each, BINS, 'rowonce'))) === PROGRAM;
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function firstReal(paths: readonly string[]): string | undefined {
  return paths.map(realPath).find((found) => found !== undefined);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The words behind the program's name, which may be that of another folder or of an earlier version; undefined when they do
 * not begin with one.
 */
export function withoutName(words: readonly string[]): readonly string[] | undefined {
  const [first, second = ''] = words;
  const isByFile = basename(second) === basename(PROGRAM);
  const last = first === 'npx' || first === 'rowonce' ? words.indexOf('rowonce') : isByFile ? 1 : -1;
  return last < 0 || last === words.length - 1 ? undefined : words.slice(last + 1);
}
