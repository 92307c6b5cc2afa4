import { z } from 'zod';
import { type Agreement, isAgreement } from '../../client/account/agreements.ts';
import { isoTime, systemClock } from '../../core/clock.ts';
import { type StopError, stop, suggestion } from '../../core/errors.ts';
import type { Listener, Log } from '../../core/events.ts';
import { byFlag, phrase } from '../../core/phrase.ts';
import { plainText } from '../../core/plain-text.ts';
import { EXIT, type ExitCode } from '../../core/stops.ts';
import { commandLine } from '../../lib/command-line.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import { isListName } from '../../lib/file-name.ts';
import { firstListIn } from '../../lib/near-path.ts';
import { type Console, flag, type Host, onOff } from './command.ts';

/** Entries that several commands take. */

/** Entries that the program declares for every command. Only the terminal has `json`, `quiet` and `color`. */
export const COMMON = {
  store: z.string().optional(),
  /** The operator, for the log; left out: the user of the system. */
  as: z.string().optional(),
};

/** `30s`, read as milliseconds. */
export const duration = z.string().transform((text, context) => {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined) return durationMs;
  context.addIssue({
    code: 'custom',
    message: 'is not a duration',
    params: { next: 'Give it as 30s, 10m or 2h.' },
  });
  return z.NEVER;
});

export const wait = (text?: string) =>
  flag(
    text === undefined ? duration.optional() : duration.prefault(text),
    'wait this long for another process that is spending from the store',
    '<duration>',
  );

export const maxPause = (about: string, text?: string) =>
  flag(text === undefined ? duration.optional() : duration.prefault(text), about, '<duration>');

/** The decisions about an account that may have moved. Every command that spends takes them. */
export const ACCOUNT_WORDS = ['same-account', 'new-account'] as const;
type AccountWord = (typeof ACCOUNT_WORDS)[number];

/**
 * `--accept`, for the words that a stop names: one command may answer several stops.
 * @param words further words beside an agreement, such as `dialect:HASH`.
 */
export function accept<const Word extends string = AccountWord>(
  words: readonly (Word | AccountWord)[] = ACCOUNT_WORDS,
) {
  const schema = z.union([z.string(), z.array(z.string())]).transform((given, context) =>
    [given].flat().map((text, at): Word | AccountWord | Agreement => {
      const word = words.find((each) => each === text.toLowerCase());
      if (word !== undefined) return word;
      if (isAgreement(text)) return text;
      context.addIssue({
        code: 'custom',
        path: Array.isArray(given) ? [at] : [],
        message: 'is not an answer to any stop',
        params: { next: suggestion(text, words) },
      });
      return z.NEVER;
    }),
  );
  const about = `answer a stop that names it: ${words.join(', ')}, dialect:HASH; repeat for each`;
  return flag(schema.optional(), about, '<what>', { isRepeated: true });
}

/** How a user names a batch. */
export const BATCH = 'its id, the beginning of it, or "last"';

/** A number of rows. Zero is refused, because nothing would be done. */
export const someRows = () => z.int().min(1, 'is no row at all').optional();

/** A job and its list, as typed. @throws StopError `usage` where the two have changed places. */
export function inOrder(job: string, file: string): { readonly job: string; readonly file: string } {
  if (!isListName(job) || isListName(file)) return { job, file };
  const next = 'Name the job first, then the list.';
  throw stop('usage', `${job} is a list, not a job.`, { next, again: { typed: job, meant: file } });
}

export async function noFileFor(job: string, command: 'run' | 'plan'): Promise<StopError> {
  const list = await firstListIn('.');
  const next = list === undefined ? 'Name a list behind it.' : `Name a list behind it, such as ${list}.`;
  const line = commandLine(list === undefined ? [command, '--help'] : [command, job, list]);
  return stop('usage', `No file is named for ${job}.`, next, line);
}

// ------------------------------------------------------------------------------------------------ the output

const isNoFolder = { error: 'is the name of a folder', params: { next: 'Name a file in it.' } };
const outputPath = z
  .string()
  .refine((path) => !path.endsWith('/'), isNoFolder)
  .optional();

export const OUTPUT = flag(
  outputPath,
  'where the output goes, instead of NAME.enriched beside the file; - is standard output',
  '<file>',
  {
    short: 'o',
    page: 'none',
  },
);

export function refuseTwoOnStdout(json: boolean, output: string | undefined): void {
  if (json && output === '-')
    throw stop('usage', '-o - and --json both want standard output.', phrase`Name a file ${byFlag('-o')}.`);
}

/** Prints the notes of a run, and passes every event to the program that called. */
export function notesOn({ console, ownParts }: Host): Listener {
  return (event) => {
    if (event.kind === 'note') console.say(event.message);
    ownParts.onEvent?.(event);
  };
}

export const ATTENTION_OK = onOff('exit with 0 even when rows need attention');

// ------------------------------------------------------------------------------------- what goes on for days

export const LOG = flag(
  z.enum(['text', 'json']).default('text'),
  'each line with its time and level, as text or as one JSON object',
  '<form>',
);

/** Writes the lines of a service's log. A warning is written with `--quiet` too. */
export function logOn(console: Console, form: z.output<typeof LOG>): Log {
  return (level, message, more) => {
    const time = isoTime(systemClock.wallMs());
    const text = plainText(message);
    const line =
      form === 'json' ? JSON.stringify({ time, level, message: text, ...more }) : `${time} ${level} ${text}`;
    if (level === 'warn') console.warn(line);
    else console.say(line);
  };
}

/**
 * Resolves at the first Ctrl-C, SIGTERM or closed window, with the exit code of a command that this signal
 * stops.
 */
export function stopAsked(): Promise<ExitCode> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(EXIT.interrupted));
    for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(EXIT.terminated));
  });
}
