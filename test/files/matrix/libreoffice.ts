import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { StopError } from '../../../src/core/errors.ts';
import type { GuessedEncoding, Sheet } from '../../../src/core/format.ts';
import { openFile } from '../../../src/files/input.ts';
import { tableOf, workbookCopy } from '../../../src/files/workbook-copy.ts';
import { allOf } from '../formats/all-of.ts';
import { naughtyStrings } from './corpus.ts';
import { type MatrixFile, SHOWN, writeMatrix } from './matrix.ts';
import { readOnce } from './promises.ts';
import { LibreOffice, openingOf, PLAIN_TEXT, type Shown, shownIn, textFile } from './soffice.ts';

/**
 * `node test/files/matrix/libreoffice.ts FOLDER` has LibreOffice open what Rowonce writes, and Rowonce what LibreOffice writes,
 * cell by cell. It prints how many agree; exit code 1 when some do not, 2 when LibreOffice is not there. What it is
 * about stands in docs/internals/manual-checks.md. The folder must be new, and keeps all that was made, to be looked at.
 */

interface Check {
  readonly about: string;
  readonly agree: number;
  readonly different: readonly string[];
}

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

async function main(): Promise<void> {
  const [named] = process.argv.slice(2);
  if (named === undefined || existsSync(named)) return misused('Name a new folder, into which the files go.');
  const folder = resolve(named);
  const office = await LibreOffice.find(folder);
  if (office === undefined) return misused('There is no program soffice. Install LibreOffice Calc.');
  console.log(office.version);
  await mkdir(join(folder, 'made'), { recursive: true });
  const matrix = await writeMatrix(join(folder, 'outputs'));
  const checks = [
    await outputsShown(office, matrix),
    await outputsSavedAgain(office, matrix),
    ...(await workbookOfRun(office)),
    await naughtyWorkbook(office),
    ...(await workbooksOfLibreOffice(office)),
    await openDocumentRefused(office),
  ];
  for (const { about, agree, different } of checks) {
    console.log(`${about.padEnd(62)} ${agree} of ${agree + different.length}`);
    for (const difference of different) console.log(`    ${difference}`);
  }
  process.exitCode = checks.some(({ different }) => different.length > 0) ? 1 : 0;
}

function misused(sentence: string): void {
  console.error(sentence);
  process.exitCode = 2;
}

// ------------------------------------------------------------------------------------------------ text files

async function outputsShown(office: LibreOffice, matrix: readonly MatrixFile[]): Promise<Check> {
  const different: string[] = [];
  for (const { names, opening } of likeFiles(matrix)) {
    const as = textFile(PLAIN_TEXT);
    const outputs = names.map((name) => join(office.folder, 'outputs', name));
    for (const path of await office.convert(outputs, { as, into: 'shown', opening })) {
      if (!isDeepStrictEqual(await shownIn(path), SHOWN)) different.push(path);
    }
  }
  return checked('outputs in LibreOffice, files', matrix.length, different);
}

/** As LibreOffice saves it: without the mark of UTF-8, and UTF-16 in the machine's own order of bytes. */
const SAVED_ENCODINGS: Readonly<Record<GuessedEncoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian) with byte-order mark',
  'utf-16be': 'UTF-16 (little-endian) with byte-order mark',
  'windows-1252': 'Windows-1252',
};

async function outputsSavedAgain(office: LibreOffice, matrix: readonly MatrixFile[]): Promise<Check> {
  const different: string[] = [];
  for (const { names, opening, encoding, delimiter } of likeFiles(matrix)) {
    const outputs = names.map((name) => join(office.folder, 'outputs', name));
    const as = textFile(opening);
    for (const path of await office.convert(outputs, { as, into: 'saved', opening })) {
      const { survey, rows } = await readOnce((await openFile(path)).sheet);
      const found = [survey.encoding, survey.delimiter, survey.header, ...rows.map(({ cells }) => cells)];
      if (!isDeepStrictEqual(found, [SAVED_ENCODINGS[encoding], delimiter, ...SHOWN])) different.push(path);
    }
  }
  return checked('outputs saved by LibreOffice and read again, files', matrix.length, different);
}

interface LikeFiles extends Pick<MatrixFile, 'encoding' | 'delimiter'> {
  readonly names: readonly string[];
  /** What a person chooses in the dialog "Text Import". */
  readonly opening: string;
}

/** Files that are opened with the same choices, because to start the program takes longer than all else. */
function likeFiles(matrix: readonly MatrixFile[]): readonly LikeFiles[] {
  const groups = Map.groupBy(matrix, (file) => openingOf(file, SHOWN[0]?.length ?? 0));
  return [...groups].flatMap(([opening, files]) => {
    const [first] = files;
    return first === undefined ? [] : [{ ...first, opening, names: files.map(({ name }) => name) }];
  });
}

// ------------------------------------------------------------------------------------------------ workbooks

/** What is text stays text, so asked for formulas instead of what they give LibreOffice shows the same. */
async function workbookOfRun(office: LibreOffice): Promise<readonly Check[]> {
  const wanted: Shown[][] = parse(await readFile(await leads(office, 'leads.csv')));
  const workbook = await leads(office, 'leads.xlsx');
  const values = await office.shown(workbook, { formulas: false });
  const formulas = await office.shown(workbook, { formulas: true });
  return [
    compared('leads.xlsx in LibreOffice, all of it text, cells', values, wanted),
    compared('leads.xlsx asked for formulas, cells', formulas, wanted),
  ];
}

/** The second output of the list is made from what was bought for the first. @returns its path. */
async function leads(office: LibreOffice, name: string): Promise<string> {
  const output = join(office.folder, 'made', name);
  const job = ['run', 'enrich-company', join(REPOSITORY, 'fixtures', 'leads.csv'), '--attention-ok'];
  const place = ['--account', 'sandbox-provider', '--store', join(office.folder, 'store'), '-o', output];
  await run(process.execPath, [join(REPOSITORY, 'src', 'bin.js'), ...job, ...place]);
  return output;
}

/** Strings that programs stumble over, once as cells of the user's and once as cells of ours. */
async function naughtyWorkbook(office: LibreOffice): Promise<Check> {
  const strings = [...new Set(Object.values(await naughtyStrings()).flat())];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = ['n,text', ...strings.map((text, index) => `${index},${quoted(text)}`)];
  const path = await made(office, 'naughty.csv', lines.join('\r\n'));
  const table = await tableOf((await openFile(path)).sheet);
  const options = { columns: ['again'], dropped: new Set<string>() };
  const copy = await allOf(
    workbookCopy(table, options, async (rows) => rows.map(({ cells }) => cells.slice(1))),
  );
  const workbook = await made(office, 'naughty.xlsx', Buffer.concat(copy));
  const values = await office.shown(workbook, { formulas: true });
  const found = values.map(([number = '', own = '', ours = '']) => [String(number), String(own), ours]);
  // Whichever way round a line end was written, LibreOffice has a line feed for it; a carriage return alone stays one.
  const kept = strings.map((text) => text.replaceAll(/\r\n|\n\r/g, '\n'));
  const wanted = kept.map((text, index) => [String(index), text, text]);
  return compared('naughty strings in a workbook, cells', found, [['n', 'text', 'again'], ...wanted]);
}

/** The sheet has in each row what a cell holds, the cell, and the text that is to be read there. */
const SHEET = join(import.meta.dirname, 'libreoffice.fods');

async function workbooksOfLibreOffice(office: LibreOffice): Promise<readonly Check[]> {
  const source = await readFile(SHEET, 'utf8');
  const checks: Check[] = [];
  for (const epoch of ['1899-12-30', '1904-01-01']) {
    const written = await made(office, `days-from-${epoch}.fods`, source.replace('1899-12-30', epoch));
    const [workbook = ''] = await office.convert([written], { as: 'xlsx', into: 'made' });
    const [, ...shown] = await office.shown(workbook, { formulas: false });
    const { sheet } = await openFile(workbook);
    const read = (await readOnce(sheet)).rows.map(({ row, cells }) => [row, ...cells]);
    const wanted = shown.flatMap(([holds = '', , text = ''], index) =>
      holds === '' ? [] : [[index + 2, holds, text, text]],
    );
    checks.push(compared(`workbook of LibreOffice, days from ${epoch}, cells`, read, wanted));
    checks.push(await copyShown(office, { sheet, shown, name: `copy-of-days-from-${epoch}.xlsx` }));
  }
  return checks;
}

interface CopiedSheet {
  readonly sheet: Sheet;
  /** Rows below the header, as LibreOffice shows them. */
  readonly shown: Cells;
  readonly name: string;
}

/** A moment is shown with a blank where its text has a T. Blank rows stay where they were. */
async function copyShown(office: LibreOffice, { sheet, shown, name }: CopiedSheet): Promise<Check> {
  const copy = sheet.copy({ columns: [], dropped: new Set(), byValue: true }, async (rows) =>
    rows.map(() => []),
  );
  const path = await made(office, name, Buffer.concat(await allOf(copy)));
  const [, ...found] = await office.shown(path, { formulas: false });
  const texts = found.map((cells) => cells.map(String));
  const wanted = shown.map(([holds = '', , text = '']) => {
    const value = String(text).replace(/(?<=^[\d-]{10})T/, ' ');
    return [holds, value, text];
  });
  return compared('  and the copy of it in LibreOffice, cells', texts, wanted);
}

async function openDocumentRefused(office: LibreOffice): Promise<Check> {
  const [path = ''] = await office.convert([SHEET], { as: 'ods', into: 'made' });
  const renamed = await made(office, 'open-document.xlsx', await readFile(path));
  const different: string[] = [];
  for (const each of [path, renamed]) {
    const refusal = await openFile(each).catch((error: unknown) => error);
    if (!(refusal instanceof StopError && refusal.next.includes('.xlsx'))) different.push(each);
  }
  return checked('OpenDocument refused with advice, files', 2, different);
}

// ------------------------------------------------------------------------------------------------ what was found

async function made(office: LibreOffice, name: string, content: string | Buffer): Promise<string> {
  const path = join(office.folder, 'made', name);
  await writeFile(path, content);
  return path;
}

function checked(about: string, count: number, different: readonly string[]): Check {
  return { about, agree: count - different.length, different };
}

type Cells = readonly (readonly Shown[])[];

/** Cell by cell, to the last row and column of the larger. */
function compared(about: string, found: Cells, wanted: Cells): Check {
  const different: string[] = [];
  let count = 0;
  for (let row = 0; row < Math.max(found.length, wanted.length); row += 1) {
    const [got = [], due = []] = [found[row], wanted[row]];
    for (let column = 0; column < Math.max(got.length, due.length); column += 1) {
      count += 1;
      if (got[column] === due[column]) continue;
      const [cell, instead] = [got[column], due[column]].map((each) => JSON.stringify(each));
      different.push(`row ${row + 1}, column ${column + 1}: ${cell} instead of ${instead}`);
    }
  }
  return checked(about, count, different);
}

await main();
