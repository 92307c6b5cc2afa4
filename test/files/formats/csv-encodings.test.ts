import { describe, expect, test } from 'vitest';
import type { ReadOptions } from '../../../src/core/format.ts';
import { type Encoding, NAMED_ENCODINGS } from '../../../src/core/reading.ts';
import { codecOf } from '../../../src/files/formats/csv/text.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { type CellsOfRow, copied, inputFolder, rowsOf, stopOf } from './sheets.ts';

/**
 * Goal: whatever program and country a file comes from, its cells are read as they were typed, and it goes back to that
 * program with every byte in place.
 * Method: small files as programs write them, and what is said of each. Line ends and byte-order marks are the matter
 * of `csv-copy.test.ts`.
 */

async function open(path: string, options: ReadOptions = {}) {
  return csv.open(new InputFile(path), options);
}

describe('the encoding is found by strict rules, and said where it was a guess', () => {
  test('the byte that makes a file Windows-1252 may stand far below where nobody looks', async () => {
    const write = await inputFolder();
    const path = await write(
      Buffer.concat([Buffer.from('Name\n'), Buffer.alloc(70_000, 'x\n'), Buffer.from([0x80])]),
    );
    const sheet = await open(path);
    expect(sheet.notes[0]).toContain('byte 0x80 is not');
    expect((await rowsOf(sheet)).at(-1)?.cells).toEqual(['€']);
  });

  test.each([
    ['a damaged byte below characters of UTF-8', 'Zo\xc3\xab\nZo\xff\n'],
    ['a character that breaks off at the end', 'Zo\xc3\xab\nZo\xc3'],
  ])('%s is refused with its row and line, and not made Windows-1252', async (_what, rows) => {
    const write = await inputFolder();
    const path = await write(Buffer.from(`Name\n${rows}`, 'latin1'));
    const error = await stopOf(open(path));
    expect(error.message).toBe(`${path}, row 3, line 3: not UTF-8 text.`);
    expect(error.next).toContain('--encoding');
    const forced = await open(path, { encoding: 'windows-1252' });
    expect(forced.notes).toEqual([]);
    expect((await rowsOf(forced))[0]?.cells).toEqual(['ZoÃ«']);
  });

  test('what the user says outweighs how it looks', async () => {
    const write = await inputFolder();
    const path = await write('Name\nZoë\n');
    expect((await rowsOf(await open(path, { encoding: 'windows-1252' })))[0]?.cells).toEqual(['ZoÃ«']);
    const chinese = await write(Buffer.from('名\n字\n', 'utf16le'));
    expect((await rowsOf(await open(chinese, { encoding: 'utf-16le' })))[0]?.cells).toEqual(['字']);
  });

  test.each<[string, Encoding, Buffer, number]>([
    ['half of a pair', 'utf-16le', Buffer.from('a\r\n\ud800x\n', 'utf16le'), 2],
    ['half of a pair', 'utf-16be', Buffer.from('a\n\ndc\udc00x\n', 'utf16le').swap16(), 3],
    [
      'an odd byte at its end',
      'utf-16le',
      Buffer.concat([Buffer.from('a\nb\n', 'utf16le'), Buffer.from('x')]),
      3,
    ],
  ])('UTF-16 with %s is refused with the row: %s', async (_what, encoding, content, line) => {
    const write = await inputFolder();
    const path = await write(content);
    const survey = stopOf(open(path, { encoding }));
    expect((await survey).message).toBe(
      `${path}, row ${line}, line ${line}: half a character, so this is not complete UTF-16 text.`,
    );
  });
});

describe('an answer that the encoding cannot write', () => {
  const LIST = Buffer.from('Name,Ort\r\nZo\xeb,K\xf6ln\r\nJo,Bonn\r\n', 'latin1');

  test('an answer beyond the encoding makes the whole output UTF-8 with byte-order mark, from its first byte, and that is said', async () => {
    const write = await inputFolder();
    const notes: string[] = [];
    const cellsFor: CellsOfRow = async ({ row }) => [row === 3 ? 'Łódź' : '€'];
    const path = await write(LIST);
    const copy = await copied(await open(path), ['Stadt'], cellsFor, {
      note: (sentence) => notes.push(sentence),
    });
    expect(copy.toString()).toBe('\uFEFFName,Ort,Stadt\r\nZoë,Köln,€\r\nJo,Bonn,Łódź\r\n');
    expect(notes).toEqual([
      'Windows-1252 has no "Ł" (U+0141), so the output is UTF-8 with a byte-order mark.',
    ]);
    const again = await copied(await open(path), ['Stadt'], cellsFor);
    expect(again.equals(copy)).toBe(true);
  });

  test('an answer beyond the encoding leaves a copy without such an answer in its encoding', async () => {
    const write = await inputFolder();
    const notes: string[] = [];
    const copy = await copied(await open(await write(LIST)), ['n'], async () => ['€ ÿ'], {
      note: (sentence) => notes.push(sentence),
    });
    expect(copy.toString('latin1')).toBe('Name,Ort,n\r\nZo\xeb,K\xf6ln,\x80 \xff\r\nJo,Bonn,\x80 \xff\r\n');
    expect(notes).toEqual([]);
  });
});

describe('the encodings themselves', () => {
  test('every byte of Windows-1252 means what the standard table says, and comes back', async () => {
    const { decoder, encode, lacking } = await codecOf('windows-1252');
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const text = decoder()(bytes).toString();
    expect(text.slice(0x80, 0xa0)).toBe('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ');
    expect(text.slice(0, 0x80)).toBe(bytes.toString('latin1', 0, 0x80));
    expect(text.slice(0xa0)).toBe(bytes.toString('latin1', 0xa0));
    expect(encode(text)).toEqual(bytes);
    // The character of the number 0x80 is not what the byte 0x80 means.
    expect(['Ł', '\u0080', 'é'].map(lacking)).toEqual(['Ł', '\u0080', undefined]);
    expect((await codecOf('utf-16le')).encode('\ud800')).toEqual(Buffer.from('\uFFFD', 'utf16le'));
  });
});

/** The bytes above ASCII that are characters, in lines of a table. */
function everyCharacter(encoding: (typeof NAMED_ENCODINGS)[number]): {
  readonly bytes: Buffer;
  readonly text: string;
} {
  const decoder = new TextDecoder(encoding);
  const known = Array.from({ length: 96 }, (_, at) => at + 0xa0).filter(
    (byte) => !/[\uFFFD\u200E\u200F]/.test(decoder.decode(Uint8Array.of(byte))),
  );
  const rows = known.flatMap((byte) => [...Buffer.from('x'), byte, ...Buffer.from('\n')]);
  const bytes = Buffer.from([...Buffer.from('Name\n'), ...rows]);
  return { bytes, text: decoder.decode(bytes) };
}

test.each(NAMED_ENCODINGS)('%s is read and comes back', async (encoding) => {
  const { bytes, text } = everyCharacter(encoding);
  const write = await inputFolder();
  const sheet = await open(await write(bytes), { encoding });
  const cells = (await rowsOf(sheet)).map((row) => row.cells[0]);
  expect(cells.join('\n')).toBe(text.split('\n').slice(1, -1).join('\n'));
  const copy = await copied(sheet, ['n'], () => ['']);
  const expected = Buffer.from(
    bytes.toString('latin1').replaceAll('\n', ',\n').replace('Name,', 'Name,n'),
    'latin1',
  );
  expect(copy.equals(expected)).toBe(true);
});

test('a byte that the encoding does not have comes back as well', async () => {
  const write = await inputFolder();
  const path = await write(Buffer.from('Name\nx\xd2\n', 'latin1'));
  const copy = await copied(await open(path, { encoding: 'windows-1253' }), ['n'], () => ['']);
  expect(copy.toString('latin1')).toBe('Name,n\nx\xd2,\n');
});
