import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NAMED_ENCODINGS, type NamedEncoding } from '../../../src/core/format.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { inputFolder, rowsOf } from './sheets.ts';

/**
 * Goal: a list in an encoding that its user names is read as it was written, and comes back in it, byte for byte.
 * Method: all characters that the encoding has above ASCII, as the decoder of Node has them, which knows nothing of ours.
 */

/** The bytes above ASCII that are characters, in lines of a table. */
function everyCharacter(encoding: NamedEncoding): { readonly bytes: Buffer; readonly text: string } {
  const decoder = new TextDecoder(encoding);
  const known = Array.from({ length: 96 }, (_, at) => at + 0xa0).filter(
    (byte) => !/[\uFFFD\u200E\u200F]/.test(decoder.decode(Uint8Array.of(byte))),
  );
  const rows = known.flatMap((byte) => [...Buffer.from('x'), byte, ...Buffer.from('\n')]);
  const bytes = Buffer.from([...Buffer.from('Name\n'), ...rows]);
  return { bytes, text: decoder.decode(bytes) };
}

async function opened(bytes: Buffer, encoding: NamedEncoding) {
  const write = await inputFolder();
  return csv.open(new InputFile(await write(bytes)), { encoding });
}

test.each(NAMED_ENCODINGS)('%s is read and comes back', async (encoding) => {
  const { bytes, text } = everyCharacter(encoding);
  const sheet = await opened(bytes, encoding);
  const cells = (await rowsOf(sheet)).map((row) => row.cells[0]);
  expect(cells.join('\n')).toBe(text.split('\n').slice(1, -1).join('\n'));
  const copy = sheet.copy({ columns: ['n'], dropped: new Set() }, async (rows) => rows.map(() => ['']));
  const expected = Buffer.from(
    bytes.toString('latin1').replaceAll('\n', ',\n').replace('Name,', 'Name,n'),
    'latin1',
  );
  expect((await buffer(copy)).equals(expected)).toBe(true);
});

test('a byte that the encoding does not have comes back as well', async () => {
  const sheet = await opened(Buffer.from('Name\nx\xd2\n', 'latin1'), 'windows-1253');
  const copy = sheet.copy({ columns: ['n'], dropped: new Set() }, async (rows) => rows.map(() => ['']));
  expect((await buffer(copy)).toString('latin1')).toBe('Name,n\nx\xd2,\n');
});

test('an answer that it cannot write makes the output UTF-8, which is said by its name', async () => {
  const notes: string[] = [];
  const sheet = await opened(Buffer.from('Name\n\xcf\n', 'latin1'), 'windows-1251');
  const options = { columns: ['n'], dropped: new Set<string>(), note: (note: string) => notes.push(note) };
  const copy = await buffer(sheet.copy(options, async (rows) => rows.map(() => ['é'])));
  expect(copy.toString()).toBe('\uFEFFName,n\nП,é\n');
  expect(notes).toEqual(['Windows-1251 has no "é" (U+00E9), so the output is UTF-8 with a byte-order mark.']);
});
