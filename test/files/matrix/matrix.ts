import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DELIMITER_NAMES,
  DELIMITERS,
  type Delimiter,
  type GuessedEncoding,
} from '../../../src/core/format.ts';
import { openFile } from '../../../src/files/input.ts';
import { allOf } from '../formats/all-of.ts';
import { bytesIn } from '../formats/csv-files.ts';

/**
 * `node test/files/matrix/matrix.ts FOLDER` writes what Rowonce makes of one small table in every encoding, with every
 * delimiter and line end, with and without byte-order mark, for the checks that docs/internals/manual-checks.md describes.
 */

/** What every copy must show, in LibreOffice as in any other program. */
export const SHOWN: readonly (readonly string[])[] = [
  ['ABN', 'Name', 'Note', 'industry', '_status'],
  ['51824753556', 'Café Möwe', 'a,b;c|d\te', 'Food, drinks; "takeaway"', 'matched'],
  ['053004085616', 'O"Neil', 'two\nlines', '', 'no_match'],
  ['', 'last', '', 'two\nlines', 'matched'],
];

const COLUMNS_OF_INPUT = 3;

const GUESSED_ENCODINGS: readonly {
  readonly name: string;
  readonly encoding: GuessedEncoding;
  readonly mark: string;
}[] = [
  { name: 'utf-8', encoding: 'utf-8', mark: '' },
  { name: 'utf-8-mark', encoding: 'utf-8', mark: '\uFEFF' },
  { name: 'utf-16le-mark', encoding: 'utf-16le', mark: '\uFEFF' },
  { name: 'utf-16be-mark', encoding: 'utf-16be', mark: '\uFEFF' },
  { name: 'windows-1252', encoding: 'windows-1252', mark: '' },
];

const LINE_ENDS = { crlf: '\r\n', lf: '\n', cr: '\r' } as const;

/** One copy, and how its bytes are written. */
export interface MatrixFile {
  readonly name: string;
  readonly encoding: GuessedEncoding;
  readonly delimiter: Delimiter;
}

/** Writes the copies. */
export async function writeMatrix(folder: string): Promise<readonly MatrixFile[]> {
  await mkdir(folder, { recursive: true });
  const inputs = await mkdtemp(join(tmpdir(), 'rowonce-matrix-'));
  const files: MatrixFile[] = [];
  try {
    for (const { name: prefix, encoding, mark } of GUESSED_ENCODINGS) {
      for (const delimiter of DELIMITER_NAMES) {
        for (const [lineEnd, characters] of Object.entries(LINE_ENDS)) {
          const name = `${prefix}-${delimiter}-${lineEnd}.csv`;
          await writeFile(join(inputs, name), bytesIn(encoding, mark + inputText(delimiter, characters)));
          await writeFile(join(folder, name), await copyOf(join(inputs, name)));
          files.push({ name, encoding, delimiter });
        }
      }
    }
  } finally {
    await rm(inputs, { recursive: true });
  }
  return files;
}

function inputText(delimiter: Delimiter, lineEnd: string): string {
  const part = DELIMITERS[delimiter];
  const written = (cell: string): string =>
    /["\n]/.test(cell) || cell.includes(part) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const lines = SHOWN.map((cells) => cells.slice(0, COLUMNS_OF_INPUT).map(written).join(part) + lineEnd);
  return lines.join('');
}

async function copyOf(path: string): Promise<Buffer> {
  const { sheet } = await openFile(path);
  const [header = []] = SHOWN;
  const options = { columns: header.slice(COLUMNS_OF_INPUT), dropped: new Set<string>() };
  const chunks = sheet.copy(options, async (rows) =>
    rows.map(({ row }) => (SHOWN[row - 1] ?? []).slice(COLUMNS_OF_INPUT)),
  );
  return Buffer.concat(await allOf(chunks));
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Name the folder into which the files go.');
  console.log(`${(await writeMatrix(folder)).length} files in ${folder}`);
}
