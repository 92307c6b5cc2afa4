import { plainWord, text, wordOf } from '../text.ts';

/** An input or a field of one of several steps. */
export const OF_ONE = /^([a-z]+-[a-z]+)\.(.+)$/;

/** `profile url`, or `people: profile url` of one of several steps. */
export function inputWords(input: string): string {
  const [, operation, name] = OF_ONE.exec(input) ?? [];
  if (operation === undefined || name === undefined) return plainWord(input);
  return `${wordOf(text.columns.of, operation)}: ${plainWord(name)}`;
}
