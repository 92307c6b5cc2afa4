import type { Command } from 'commander';
import { wholeNumber } from '../../core/command-line.ts';
import { stop } from '../../core/errors.ts';
import { DELIMITER_NAMES, DELIMITERS, ENCODINGS, type ReadOptions } from '../../core/format.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';

/** The flags that say how a file is read, over what the job says: the same on every command that reads one. */
export interface ReadFlags {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skipLines?: string;
  readonly ragged?: string;
  readonly sheet?: string;
  /** Only where a row that cannot be read is met for the first time, see `addStrictFlag`. */
  readonly strict?: true;
}

export function addReadFlags(command: Command): Command {
  return command
    .option('--encoding <name>', `how the file is encoded, when it looks otherwise: ${ENCODINGS.join(', ')}`)
    .option('--delimiter <name>', `what stands between cells: ${DELIMITER_NAMES.join(', ')}`)
    .option('--skip-lines <lines>', 'lines above the header that are no part of the table')
    .option('--ragged <pad>', 'pad: rows with too few cells get blank ones')
    .option('--sheet <name>', 'the sheet of a workbook; left out: the one that was open');
}

/** Of the commands that look at a file before anything is done with it. What has been worked on is no question any more. */
export function addStrictFlag(command: Command): Command {
  return command.option(
    '--strict',
    'refuse the file for a row that cannot be read, instead of setting it aside',
  );
}

/** @throws StopError `usage` with the flag and the word that was probably meant. */
export function readOptionsOf({
  encoding,
  delimiter,
  skipLines,
  ragged,
  sheet,
  strict,
}: ReadFlags): ReadOptions {
  const lines = wholeNumber('--skip-lines', skipLines);
  return {
    ...(encoding === undefined ? {} : { encoding: oneOf('--encoding', ENCODINGS, encoding.toLowerCase()) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterOf(delimiter) }),
    ...(lines === undefined || lines === 0 ? {} : { skipLines: lines }),
    ...(ragged === undefined ? {} : { ragged: oneOf('--ragged', ['pad'] as const, ragged) }),
    ...present({ sheet, strict }),
  };
}

/** By its name, or as it is. */
function delimiterOf(text: string): keyof typeof DELIMITERS {
  const byCharacter = DELIMITER_NAMES.find((name) => DELIMITERS[name] === text);
  return byCharacter ?? oneOf('--delimiter', DELIMITER_NAMES, text.toLowerCase());
}

export function oneOf<Word extends string>(flag: string, words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw stop('usage', `${flag} ${text} is not known.`, suggestion(text, words));
}
