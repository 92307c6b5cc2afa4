import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { type Advice, meantBy, nearestWord } from '../core/errors.ts';
import { readableEndings } from '../core/format.ts';
import { foreignWords } from '../core/plain-text.ts';
import { nearPath } from './command-line.ts';
import { endingOf } from './file-name.ts';

/**
 * The advice for a path at which nothing is.
 * @param otherwise the advice where no name is near.
 * @param endings the endings of the files that may be meant; left out: all.
 */
export async function meantPath(
  typed: string,
  otherwise: string,
  endings?: readonly string[],
): Promise<Advice> {
  const path = await pathThere(resolve(typed), endings);
  if (path === undefined) return otherwise;
  const meant = nearPath(path);
  return { next: `Did you mean ${foreignWords(meant)}?`, again: { typed, meant } };
}

/** The path by the nearest name in each folder on the way. A file's name counts more than its ending. */
async function pathThere(typed: string, endings?: readonly string[]): Promise<string | undefined> {
  if (existsSync(typed)) return typed;
  const folder = await pathThere(dirname(typed));
  if (folder === undefined) return undefined;
  const { base, name } = parse(typed);
  const names = (await namesIn(folder)).filter((each) => endings?.includes(endingOf(each)) ?? true);
  const near = names.filter((each) => meantBy(name, [parse(each).name]).length > 0);
  const meant = nearestWord(base, near) ?? near[0];
  return meant && join(folder, meant);
}

/** The first file with the name of a list; undefined where there is none. */
export async function firstListIn(folder: string): Promise<string | undefined> {
  const endings = await readableEndings();
  return (await namesIn(folder)).find((name) => endings.includes(endingOf(name)));
}

/** Empty where there is no such folder, or none that may be read. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => !name.startsWith('.')).toSorted();
}
