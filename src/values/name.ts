import type { Code } from '../core/cell-problems.ts';
import { withoutApostrophes } from './cell-text.ts';
import type { KindName } from './kind.ts';
import { entityIn } from './mend.ts';
import { withoutMojibake } from './misread.ts';
import { identifierReader, type Read, type Unusable, unusable, usable } from './reading.ts';

/** A name, in which one blank stands between two words, and equal letters and apostrophes have one form. */
export const nameReader = (check: (name: string) => Code | Unusable | undefined, kind: KindName): Read =>
  identifierReader((text) => {
    const spelled = PLAIN.test(text) ? text : inOneSpelling(text);
    const name = withoutApostrophes(spelled);
    if (name.length > LONGEST_NAME) return unusable('name_too_long', `${LONGEST_NAME}`);
    const entity = name.includes('&') ? entityIn(name) : undefined;
    if (entity !== undefined) return unusable('entities', entity);
    if (withoutMojibake(name) !== name) return unusable('mojibake');
    const problem = check(name);
    if (problem === undefined) return usable(name);
    return typeof problem === 'string' ? unusable(problem) : problem;
  }, kind);

/** Nearly every name is spelled so. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

const inOneSpelling = (text: string): string =>
  text.normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll('\u2019', "'");

const LONGEST_NAME = 200;
