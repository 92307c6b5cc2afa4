import type { RE2JS, RE2JSSyntaxException } from 're2js';
import { re2js } from '../../core/libraries.ts';
import { foreignWords } from '../../core/plain-text.ts';
import { type Pattern, runBy } from '../patterns.ts';

/**
 * Regular expressions of dialect files, which another person may have written. The native engine tries every
 * way to read a text. So `^(a+)+$` and an answer of forty letters can stop a run for hours, and no signal
 * ends it. Here the time is at most the length of the text times the size of the pattern, and both have a
 * limit.
 */

/** Only this much of a text is searched. Answers that a rule tells apart by their words are much shorter. */
const MOST_CHARACTERS = 65_536;

/**
 * The most steps of a pattern. It then takes less than half a second for the longest text, whatever the text
 * says.
 */
const MOST_STEPS = 256;

const linear = (compiled: RE2JS): Pattern => ({
  test: (text) => compiled.test(text.slice(0, MOST_CHARACTERS)),
  exec: (text) => {
    const matcher = compiled.matcher(text.slice(0, MOST_CHARACTERS));
    return matcher.find() ? { groups: matcher.getNamedGroups() } : null;
  },
});

/** The problem with a pattern, as a clause, and what to do about it. */
interface Refusal {
  readonly message: string;
  readonly next: string;
}

/**
 * Makes this pattern run in linear time wherever a rule has it.
 * @returns why it cannot; undefined when it does.
 */
export function makeLinear(text: string): Refusal | undefined {
  const { RE2JS, RE2JSSyntaxException } = re2js();
  try {
    const compiled = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
    const steps = compiled.programSize();
    const message = `this regular expression has ${steps} steps; the most is ${MOST_STEPS}`;
    const next = 'Write it with fewer alternatives and repeats, or as several rules.';
    if (steps > MOST_STEPS) return { message, next };
    runBy(text, linear(compiled));
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return unknownSyntax(error);
    throw error;
  }
}

function unknownSyntax({ error, input }: RE2JSSyntaxException): Refusal {
  // The engine itself puts the flag in front.
  const where = input === null ? '' : `: "${foreignWords(input.replace(/^\(\?i\)/, ''))}"`;
  const message = `this is not a regular expression of RE2, ${error}${where}`;
  return { message, next: 'Correct it; lookaround and back references are not supported.' };
}
