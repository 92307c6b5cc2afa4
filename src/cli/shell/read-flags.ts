import type { Command } from 'commander';
import { wholeNumber } from '../../core/command-line.ts';
import { stop } from '../../core/errors.ts';
import { DELIMITER_NAMES, DELIMITERS, ENCODINGS, type ReadOptions } from '../../core/format.ts';
import { suggestion } from '../../core/nearest.ts';
import { present } from '../../core/objects.ts';

/** The flags that say how a file is read, for every command that reads one. They win over the job. */
export interface ReadFlags {
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly skipLines?: string;
  readonly ragged?: string;
  readonly sheet?: string;
  /** Only some commands have this flag, see `addStrictFlag`. */
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

/** Adds `--strict` to a command that sees the file first. Later commands take the file as it was accepted. */
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

/** The name of a delimiter that the user gave by name or as the character itself. */
function delimiterOf(text: string): keyof typeof DELIMITERS {
  const byCharacter = DELIMITER_NAMES.find((name) => DELIMITERS[name] === text);
  return byCharacter ?? oneOf('--delimiter', DELIMITER_NAMES, text.toLowerCase());
}

export function oneOf<Word extends string>(flag: string, words: readonly Word[], text: string): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw stop('usage', `${flag} ${text} is not known.`, suggestion(text, words));
}
