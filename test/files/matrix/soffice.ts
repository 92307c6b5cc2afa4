import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, parse as partsOf } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import type { Delimiter, GuessedEncoding } from '../../../src/core/format.ts';

/** LibreOffice Calc as a judge of files: it opens them, and saves as plain text what it shows. */

/** As a cell is shown; a number is a number only where the cell is none of text. */
export type Shown = string | number;

/** Comma, quotes, UTF-8, and all texts in quotes, so that they can be told from numbers. */
export const PLAIN_TEXT = '44,34,76,1,,0,true,false,true';

/** LibreOffice's own numbers for character sets. It finds out the order of UTF-16's bytes by the mark. */
const CHARACTER_SETS: Readonly<Record<GuessedEncoding, number>> = {
  'utf-8': 76,
  'utf-16le': 65_535,
  'utf-16be': 65_535,
  'windows-1252': 1,
};

const DELIMITER_CODES: Readonly<Record<Delimiter, number>> = { comma: 44, semicolon: 59, tab: 9, pipe: 124 };

/** What a person chooses in the dialog "Text Import", where all columns are text. */
export function openingOf(
  { encoding, delimiter }: { readonly encoding: GuessedEncoding; readonly delimiter: Delimiter },
  columns: number,
): string {
  const textColumns = Array.from({ length: columns }, (_, index) => `${index + 1}/2`).join('/');
  return `${DELIMITER_CODES[delimiter]},34,${CHARACTER_SETS[encoding]},1,${textColumns},0,false,false`;
}

/** A text file as what a file is saved as, with the options of the filter. */
export function textFile(options: string): string {
  return `csv:Text - txt - csv (StarCalc):${options}`;
}

const run = promisify(execFile);

/** The program without its window, with settings of its own. */
export class LibreOffice {
  readonly folder: string;
  readonly version: string;

  private constructor(folder: string, version: string) {
    this.folder = folder;
    this.version = version;
  }

  /** Undefined when it is not installed. */
  static async find(folder: string): Promise<LibreOffice | undefined> {
    const found = await run('soffice', ['--version']).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return found && new LibreOffice(folder, found.stdout.trim());
  }

  /**
   * Opens files and saves each under its name in another folder. It reports success even when it could not: what it
   * has not opened is missed when it is read.
   * @param as the ending, with the filter and its options where it is text.
   * @param opening options of the filter, of files that are text.
   */
  async convert(
    paths: readonly string[],
    { as, into, opening }: { readonly as: string; readonly into: string; readonly opening?: string },
  ): Promise<readonly string[]> {
    const target = join(this.folder, into);
    const ending = as.split(':')[0] ?? '';
    const converted = paths.map((path) => join(target, `${partsOf(path).name}.${ending}`));
    await run('soffice', [
      `-env:UserInstallation=${pathToFileURL(join(this.folder, 'profile'))}`,
      '--headless',
      ...(opening === undefined ? [] : [`--infilter=CSV:${opening}`]),
      '--convert-to',
      as,
      '--outdir',
      target,
      ...paths,
    ]);
    return converted;
  }

  /** What the first sheet of a workbook shows. @param formulas instead of what they give. */
  async shown(path: string, { formulas }: { readonly formulas: boolean }): Promise<readonly Shown[][]> {
    const into = formulas ? 'formulas' : 'shown';
    const [text = ''] = await this.convert([path], {
      as: textFile(`${PLAIN_TEXT},${formulas},false`),
      into,
    });
    return shownIn(text);
  }
}

/** What stands in a plain text that LibreOffice saved. */
export async function shownIn(path: string): Promise<readonly Shown[][]> {
  const options = {
    cast: (text: string, { quoting }: { quoting: boolean }) =>
      quoting || text === '' || Number.isNaN(Number(text)) ? text : Number(text),
  };
  const records: Shown[][] = parse(await readFile(path), options);
  return records;
}
