import { type Command, Option } from 'commander';
import { z } from 'zod';
import { isAgreement, type Question } from '../../client/account/agreements.ts';
import { stop } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import type { ReadOptions } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { sentence } from '../../core/plain-text.ts';
import { DELIMITER_NAMES, DELIMITERS, READING_FLAGS, Reading } from '../../core/reading.ts';
import { FORMULA_MODES } from '../../lib/formulas.ts';
import type { Console } from './command.ts';

/** The arguments of `option` for a command that opens a store for writing. */
export const WAIT_FLAG = [
  '--wait <duration>',
  'wait this long for another process that is spending from the store',
] as const;

/** @param meant the word that is meant by another text. */
export function choiceOption(
  flags: string,
  about: string,
  words: readonly string[],
  meant: (text: string) => string | undefined = () => undefined,
): Option {
  const option = new Option(flags, about).choices(words);
  const { parseArg } = option;
  return option.argParser((text: string) => parseArg?.(meant(text) ?? text.toLowerCase(), text) ?? text);
}

/** `--accept`, for what a stop names: one of these words, or an agreement by its hash. */
export function acceptOption(words: readonly string[] = []): Option {
  const option = new Option('--accept <what>', 'answer a stop that names it, such as dialect:HASH');
  if (words.length > 0) option.choices(words);
  const { parseArg = () => refuseAccept() } = option;
  return option.argParser((text: string) => (isAgreement(text) ? text : parseArg(text.toLowerCase(), text)));
}

function refuseAccept(): never {
  throw stop('usage', '--accept takes what a stop names, such as dialect:HASH.', 'Copy it from the stop.');
}

/** `--yes` does not answer this: it agrees to the price, and not to who wrote a dialect or a job. */
export function askAgreementOn(console: Console): (question: Question) => Promise<boolean> {
  return async ({ fact, details }) => {
    // The stop that follows a "no" says the same.
    if (!console.interactive) return false;
    console.warn(`${fact}:`);
    for (const detail of details) console.warn(`  ${detail}`);
    return console.agrees('Is that what you want? You are asked only once.');
  };
}

export function notesOn(console: Console): Listener {
  return (event) => event.kind === 'note' && console.say(event.message);
}

/** The flags that say how a file is read, for every command that reads one. They win over the job. */
export interface ReadFlags {
  readonly strict?: boolean;
}

export function addReadFlags(command: Command): Command {
  for (const name of Object.keys(Reading.shape) as (keyof typeof Reading.shape)[]) {
    const [value, about] = READING_FLAGS[name];
    const flag = `--${name.replaceAll('_', '-')} ${value}`;
    const entry = Reading.shape[name].unwrap();
    const isChoice = entry instanceof z.ZodEnum;
    command.addOption(
      isChoice ? choiceOption(flag, about, entry.options, byCharacter) : new Option(flag, about),
    );
  }
  return command;
}

const byCharacter = (text: string): string | undefined =>
  DELIMITER_NAMES.find((name) => DELIMITERS[name] === text);

/** Adds `--strict` to a command that sees the file first. Later commands take the file as it was accepted. */
export function addStrictFlag(command: Command): Command {
  return command.option(
    '--strict',
    'refuse the file if a row cannot be read, instead of setting the row aside',
  );
}

/** @throws StopError `usage` for what is no such value. */
export function readFlagsOf(flags: ReadFlags): ReadOptions {
  const given = new Map(Object.entries(flags).map(([name, value]) => [snakeOf(name), value]));
  const said = Object.keys(Reading.shape).map((name) => [name, given.get(name)] as const);
  const { data, error } = Reading.safeParse(Object.fromEntries(said));
  if (data === undefined) {
    const [{ path: [name = ''] = [], message = '' } = {}] = error.issues;
    const flag = `--${String(name).replaceAll('_', '-')}`;
    throw stop('usage', `${flag} ${given.get(String(name))} cannot be read.`, sentence(capital(message)));
  }
  return present({ ...data, strict: flags.strict });
}

const snakeOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function addOutputFlags(command: Command): Command {
  return command
    .option('-o, --output <file>', 'where the output goes; - is standard output')
    .addOption(
      choiceOption(
        '--formulas <mode>',
        "safe (the default): a vendor's text never becomes a formula; raw: as it came",
        FORMULA_MODES,
      ),
    );
}
