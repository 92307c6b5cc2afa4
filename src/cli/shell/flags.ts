import { type Command, Option } from 'commander';
import { isAgreement, type Question } from '../../client/account/agreements.ts';
import { stop } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import { DELIMITER_NAMES, DELIMITERS, ENCODINGS, type ReadOptions } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { readHeaderRows, readRowRange } from '../../core/row-range.ts';
import { wholeNumber } from '../../lib/command-line.ts';
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
export interface ReadFlags extends Omit<ReadOptions, 'skipLines' | 'asBefore' | 'wanted'> {
  readonly skipLines?: string;
}

export function addReadFlags(command: Command): Command {
  const byCharacter = (text: string): string | undefined =>
    DELIMITER_NAMES.find((name) => DELIMITERS[name] === text);
  return command
    .addOption(
      choiceOption('--encoding <name>', 'the encoding of the file, if the guess is wrong', ENCODINGS),
    )
    .addOption(choiceOption('--delimiter <name>', 'what separates the cells', DELIMITER_NAMES, byCharacter))
    .option('--skip-lines <lines>', 'lines above the header that do not belong to the table')
    .addOption(choiceOption('--ragged <pad>', 'pad: rows with too few cells get blank ones', ['pad']))
    .option(
      '--sheet <name>',
      'the sheet of a workbook; left out: the one that was open, or looks like a list',
    )
    .option(
      '--header-row <rows>',
      'the row of the header, such as 3, or 3-4 for names in two rows; 0: there is none',
    )
    .option('--country <code>', 'whose telephone numbers and postcodes these are, such as AU')
    .option('--rows <rows>', 'the first and the last row of the table below its header, such as 5-210');
}

/** Adds `--strict` to a command that sees the file first. Later commands take the file as it was accepted. */
export function addStrictFlag(command: Command): Command {
  return command.option(
    '--strict',
    'refuse the file if a row cannot be read, instead of setting the row aside',
  );
}

/** @throws StopError `usage` for a number of lines that is none, and for rows that are none. */
export function readFlagsOf({
  encoding,
  delimiter,
  skipLines,
  headerRow,
  rows,
  country,
  ragged,
  sheet,
  strict,
}: ReadFlags): ReadOptions {
  const lines = wholeNumber('--skip-lines', skipLines) || undefined;
  if (headerRow !== undefined && readHeaderRows(headerRow) === undefined) {
    const fact = `--header-row ${headerRow} is neither one row nor two rows in sequence.`;
    throw stop(
      'usage',
      fact,
      'Give the number that the spreadsheet shows, such as 3, or 3-4; or 0 for none.',
    );
  }
  if (rows !== undefined && readRowRange(rows) === undefined) {
    const next = 'Give the first and the last row of the table, such as 5-210.';
    throw stop('usage', `--rows ${rows} is not a range of rows.`, next);
  }
  if (country !== undefined && !/^[a-z]{2}$/i.test(country)) {
    const next = 'Give the two letters of a country, such as AU.';
    throw stop('usage', `--country ${country} is not a country.`, next);
  }
  return present({ encoding, delimiter, skipLines: lines, headerRow, rows, country, ragged, sheet, strict });
}

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
