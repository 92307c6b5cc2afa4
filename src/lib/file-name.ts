import { basename, dirname, join } from 'node:path';

const ENDING = /\.[^./\\]+$/i;

/** The ending with the dot, in lower case; empty for a name without one. */
export function endingOf(path: string): string {
  return ENDING.exec(basename(path))?.[0].toLowerCase() ?? '';
}

export const YAML_ENDING = /\.ya?ml$/i;

export const isYamlName = (path: string): boolean => YAML_ENDING.test(path);

/** Whether a word looks like the name of a list and not of a job: an operation has no ending. */
export const isListName = (word = ''): boolean => endingOf(word).length > 2 && !isYamlName(word);

/** The endings of JSON lines, which have no header. */
export const JSON_LINES_ENDINGS = ['.jsonl', '.ndjson'] as const;

export function isJsonLinesName(path: string): boolean {
  return JSON_LINES_ENDINGS.some((each) => each === endingOf(path));
}

/** The ending of JSON with one list in it. */
export const JSON_ENDING = '.json';

/** Whether a file of that name has objects, and so no header: one on each line, or in a list. */
export const isJsonName = (path: string): boolean => isJsonLinesName(path) || endingOf(path) === JSON_ENDING;

/** The name without its ending, and the ending as it is written. */
export function nameParts(path: string): { readonly stem: string; readonly ending: string } {
  const name = basename(path);
  const ending = ENDING.exec(name)?.[0] ?? '';
  return { stem: name.slice(0, name.length - ending.length), ending };
}

/** The file beside it, with these words in its name instead of its ending. */
export function besideFile(path: string, words: string): string {
  return join(dirname(path), nameParts(path).stem + words);
}
