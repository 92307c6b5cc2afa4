import { parseDurationMs } from './duration.ts';
import { stop } from './errors.ts';

/** Command lines: what the values of flags mean, and commands as a user types them, to be shown and typed again. */

/** @throws StopError `usage` with the flag. */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw stop('usage', `${flag} ${text} is not a whole number.`, `Give ${flag} as digits, such as 500.`);
}

/** In milliseconds. @throws StopError `usage` with the flag. */
export function durationOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  throw stop('usage', `${flag} ${text} is not a duration.`, `Give ${flag} as 30s, 10m or 2h.`);
}

/** The words of the running command, quoted where a shell would take them apart. */
export function typedCommand(words: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  if (env.npm_lifecycle_event === 'start') return 'npm start';
  return commandLine(words);
}

/** Any command of ours, ready to be typed. */
export function commandLine(words: readonly string[]): string {
  // Unbuilt, this runs in a checkout, where the program is not on the path.
  const program = import.meta.filename.endsWith('.ts') ? 'npx rowonce' : 'rowonce';
  return [program, ...words.map(shellWord)].join(' ');
}

/** The same command with another `--budget`. */
export function withBudget(words: readonly string[], budget: number): readonly string[] {
  return [...withoutOption(words, '--budget'), '--budget', String(budget)];
}

/** The same command without an option that has a value. */
export function withoutOption(words: readonly string[], option: string): readonly string[] {
  return words.filter(
    (word, at) => word !== option && !word.startsWith(`${option}=`) && words[at - 1] !== option,
  );
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
