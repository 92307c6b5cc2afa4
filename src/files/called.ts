import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { FileBytes } from '../core/format.ts';
import { listFolderOf } from '../core/paths.ts';
import type { FoundLayout } from '../core/reading.ts';
import type { Batch } from '../ledger/ledger.ts';
import { besideFile, endingOf, JSON_ENDING, JSON_LINES_ENDINGS } from '../lib/file-name.ts';
import { MendedCellObject } from '../objects/list-object.ts';

/** The note beside a list that was brought to the page. */
export const LIST_NOTE = 'note.json';

/** How earlier builds have called it, which is the name of a list of JSON now. */
const EARLIER_NOTE = 'list.json';

/** Where the note of a list is. */
export function noteIn(folder: string): string {
  const note = join(folder, LIST_NOTE);
  return existsSync(note) ? note : join(folder, EARLIER_NOTE);
}

/** What is left of a list that was deleted and whose answers stay: the name by which its cost is told. */
export const GONE_NOTE = 'deleted.json';

/**
 * The name that people use for an input: a list that was brought to the page has its name in a note beside
 * it.
 */
export function listNameOf(inputPath: string): string {
  const folder = listFolderOf(inputPath);
  const notes = folder === undefined ? [] : [noteIn(folder), join(folder, GONE_NOTE)];
  return notes.map(nameIn).find((name) => name !== undefined) ?? basename(inputPath);
}

/** Undefined where there is no such note: the list was not brought to the page, or was deleted. */
function nameIn(note: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(note, 'utf8'));
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The part of a list's note that says with which mends it was started. */
const StartedNote = z.object({
  versions: z.array(
    z.object({
      sha256: z.string(),
      mends: z.array(MendedCellObject),
    }),
  ),
});

/** The cells that were mended on the page for this start; none where no note has them. */
export function mendsOf({ inputPath, inputSha256 }: Pick<Batch, 'inputPath' | 'inputSha256'>) {
  const folder = listFolderOf(inputPath);
  if (folder === undefined) return [];
  try {
    const { versions } = StartedNote.parse(JSON.parse(readFileSync(noteIn(folder), 'utf8')));
    return versions.find(({ sha256 }) => sha256 === inputSha256)?.mends ?? [];
  } catch {
    return [];
  }
}

/** A copy of a list that was brought to the page, beside it. The list changes, and no copy does. */
export const copyPath = (listPath: string, sha256: string): string =>
  join(dirname(listPath), `copy-${sha256}${endingOf(listPath)}`);

/** The path by which a file is known: a copy of a list is known by the list's own path. */
export function knownPath(path: string): string {
  const listPath = join(dirname(path), basename(path).replace(/^copy-[0-9a-f]{64}\./, 'list.'));
  return listFolderOf(listPath) === undefined ? path : listPath;
}

/** The file that a batch has read: its copy of a list that was brought to the page. */
export function inputFileOf({ inputPath, inputSha256 }: Pick<Batch, 'inputPath' | 'inputSha256'>): string {
  const copy = copyPath(inputPath, inputSha256);
  return knownPath(copy) === inputPath && existsSync(copy) ? copy : inputPath;
}

// --------------------------------------------------------------------------------------- what its content is

/** Lists are read as what they are: their first bytes say it, with room for blank lines before an object. */
export const START = 64;

const ZIP = Buffer.from('PK\x03\x04');
/** The first bytes of a file from Excel before 2007, or of a newer one that is protected by a password. */
export const OLD_EXCEL = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** No list has a header that begins like this, not even behind a byte-order mark. */
const BEGINS_OBJECT = /^(?:\xEF\xBB\xBF)?\s*\{/;
const BEGINS_LIST = /^(?:\xEF\xBB\xBF)?\s*\[\s*\{/;

/** The ending for a file with this beginning: a workbook, JSON, JSON lines, or text. */
export function endingFor(start: Buffer): NonNullable<FoundLayout['ending']> {
  if ([ZIP, OLD_EXCEL].some((magic) => start.indexOf(magic) === 0)) return '.xlsx';
  const text = start.toString('latin1');
  if (BEGINS_LIST.test(text)) return JSON_ENDING;
  return BEGINS_OBJECT.test(text) ? '.jsonl' : '.csv';
}

/** A damaged workbook has such bytes, and no text. */
const isNoCharacter = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 27);

const TEXTS = ['.csv', '.tsv', '.txt', ...JSON_LINES_ENDINGS];
/** Other endings are taken at their word. */
const MAY_HOLD_BOOK: readonly string[] = ['', '.xls', '.zip', ...TEXTS];
const MAY_HOLD_TEXT: readonly string[] = ['', '.xls', '.xlsx', '.xlsm'];

/** The ending that the content asks for; undefined where it is the file's own, or no list is found. */
export async function endingHeld(file: FileBytes): Promise<FoundLayout['ending']> {
  const start = await file.bytesAt(0, START);
  const ending = endingOf(file.path);
  const shown = endingFor(start);
  if (shown === '.xlsx') {
    const isItself = ending === '.xls' && start.indexOf(OLD_EXCEL) === 0;
    return MAY_HOLD_BOOK.includes(ending) && !isItself ? shown : undefined;
  }
  const isTable = /[,;\t|{\r\n]/.test(start.toString('latin1')) && !start.some(isNoCharacter);
  if (!(MAY_HOLD_TEXT.includes(ending) && isTable)) return undefined;
  return shown === '.csv' && start.includes('\t') ? '.tsv' : shown;
}

/** The list's path with the ending that fits its content. The output is named after this path. */
export const calledPath = (path: string, { ending }: { readonly ending?: string | undefined }): string =>
  ending === undefined ? path : besideFile(path, ending);
