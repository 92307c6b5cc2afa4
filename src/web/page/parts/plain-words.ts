import { text } from '../text.ts';

/** What the program says to the one who typed a command, in words for those who have only the page. */

/** Flags, files and names of a terminal. What is done with a packed list is done on one. */
const OF_A_TERMINAL = /(?<![\w-])--[a-z]|\bYAML\b|\.yaml\b|\bdocs\/|`(?!gunzip )[^`]+`/;

/** A reason without what only the vendor's programmers understand; blank where nothing else is in it. */
export function plainReason(reason: string): string {
  return reason
    .replaceAll(/\s*\(status \d{3}(?:, (?:"(?:[^"\\]|\\.)*"…?|[^()]*))?\)/g, '')
    .replaceAll(/\bstatus \d{3}(?:, |$)/g, '')
    .trim();
}

const named = (_: string, word: string): string => `the ${word.replaceAll(/[-_]/g, ' ')}`;

/** What is the matter, with what was chosen on the page in the place of flags and entries of a job file. */
export function factOnPage(fact: string): string {
  const plain = fact
    .replaceAll(/; (?:[a-z ,]* )?--[a-z][^.;]*(?=\.(?:\s|$))/g, '')
    .replaceAll(/(?<![\w-])--([a-z][a-z-]*)/g, named)
    .replaceAll(/\bthe job's `([a-z_]+)`/g, named)
    .replaceAll(/^\S+\.ya?ml(?=:)/g, text.theJob)
    .replaceAll('`', '');
  return fact.startsWith('--') ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

/** What to do about a stop, by a click and not by a command. */
export function nextOnPage(code: string, next: string): string {
  const words: Readonly<Record<string, string>> = text.stops;
  return OF_A_TERMINAL.test(next) ? (words[code] ?? text.stops.usage) : next;
}
