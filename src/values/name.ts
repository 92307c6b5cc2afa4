import { withoutApostrophes } from './cell-text.ts';
import type { KindName } from './kind.ts';
import type { Code } from './problem-words.ts';
import { type Read, reader, unusable, usable } from './reading.ts';

/** A name, in which one blank stands between two words, and equal letters and apostrophes have one form. */
export const nameReader = (check: (name: string) => Code | undefined, kind: KindName): Read =>
  reader((text) => {
    const spelled = text.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll('\u2019', "'");
    const name = withoutApostrophes(spelled);
    const problem = name.length > LONGEST_NAME ? 'long_name' : check(name);
    return problem === undefined ? usable(name) : unusable(problem);
  }, kind);

const LONGEST_NAME = 200;

/**
 * A place for a name that a program did not fill: `{{first_name}}`, `%FIRSTNAME%`, `*|FNAME|*`, `<First
 * Name>`.
 */
const PLACEHOLDER =
  /\{\{|\}\}|\$\{|\*\||<<|^%[\w .]+%$|^\{[\w .]+\}$|^<[\w .]+>$|^\$?[A-Z]+_[A-Z_]*NAME$|\[object \w+\]/i;

export const isPlaceholder = (name: string): boolean => PLACEHOLDER.test(name);
