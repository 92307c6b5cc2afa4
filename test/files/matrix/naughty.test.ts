import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  DELIMITER_NAMES,
  DELIMITERS,
  type Delimiter,
  type GuessedEncoding,
} from '../../../src/core/reading.ts';
import { openFile } from '../../../src/files/input.ts';
import { inputFolder } from '../formats/sheets.ts';
import { naughtyStrings } from './corpus.ts';
import { markedCopy, readWhole, requireMarked, requireSameBytes } from './promises.ts';

/**
 * Goal: no text that somebody may have in a cell or in the name of a column is read as anything else, dropped, or
 * changed on its way through: nulls, numbers, formulas, control characters, signs that change the direction, scripts.
 * Method: some three hundred strings that programs stumble over, written by hand into files of every encoding and
 * delimiter, all in quotes; the reader must give each of them back, and the copy every byte.
 */

const strings = [...new Set(Object.values(await naughtyStrings()).flat())];

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Letters that Windows-1252 has and Latin 1 has too, so that the file can be written without an encoder of our own. */
const isLatin = (text: string): boolean =>
  [...text].every((letter) => letter < '\u0080' || (letter >= '\u00a0' && letter <= '\u00ff'));

const ENCODED: Readonly<Record<GuessedEncoding, (text: string) => Buffer>> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'utf-16be': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from(text, 'latin1'),
};

const ways = Object.entries(ENCODED).flatMap(([encoding, encode]) =>
  DELIMITER_NAMES.map((delimiter) => ({ encoding: encoding as GuessedEncoding, delimiter, encode })),
);

describe.each(ways)('in $encoding, parted by $delimiter', ({ encoding, delimiter, encode }) => {
  const usable = encoding === 'windows-1252' ? strings.filter(isLatin) : strings;

  test('every string is a cell', async () => {
    const cells = usable.map((text, index) => [String(index), text, text]);
    const bytes = encode(tableOf([['n', 'text', 'again'], ...cells], delimiter));
    expect(await cellsOf(bytes, encoding, delimiter)).toEqual(cells);
  });

  test('every string is the name of a column, without the blanks around it', async () => {
    const names = [...new Set(usable.map((text) => text.trim()).filter((name) => name !== ''))];
    const cells = names.map((_, index) => String(index));
    const write = await inputFolder();
    const path = await write(encode(tableOf([names, cells], delimiter)));
    const { sheet } = await openFile(path, { encoding, delimiter, header_row: '1' });
    expect(await sheet.header()).toEqual(names);
    expect((await readWhole(sheet)).rows.map((row) => row.cells)).toEqual([cells]);
  });
});

function tableOf(records: readonly (readonly string[])[], delimiter: Delimiter): string {
  return records.map((cells) => `${cells.map(quoted).join(DELIMITERS[delimiter])}\r\n`).join('');
}

/** The cells of every row, once the copy has been found to be the file with our cells. */
async function cellsOf(
  bytes: Buffer,
  encoding: GuessedEncoding,
  delimiter: Delimiter,
): Promise<readonly (readonly string[])[]> {
  const write = await inputFolder();
  const path = await write(bytes);
  const { sheet } = await openFile(path, { encoding, delimiter });
  const reading = await readWhole(sheet);
  const copy = await markedCopy(sheet);
  requireSameBytes(copy, bytes);
  const reopened = await openFile(await write(copy, `copy-of-${basename(path)}`), { encoding, delimiter });
  requireMarked(await readWhole(reopened.sheet), reading);
  return reading.rows.map((row) => row.cells);
}
