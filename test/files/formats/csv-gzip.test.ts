import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { allOf, rowByRow, rowsOf } from './all-of.ts';
import { refusalOf } from './csv-refusal.ts';
import { inputFolder } from './input-folder.ts';

/**
 * Goal: a packed file is as good as the file in it, and one that is damaged or made to do harm is refused while it is
 * still small in memory.
 * Method: real gzip files, whole, in several parts, cut, damaged, and one that unpacks to hundreds of times its size.
 */

const LIST = 'Name,City\r\nZoë,Köln\r\nJo,Bonn\r\n';

test('a file in several packed parts, as tools that append write it, is read as one', async () => {
  const write = await inputFolder();
  const parts = [gzipSync(LIST), gzipSync('Al,Ulm\r\n')];
  const sheet = await csv.open(new InputFile(await write(Buffer.concat(parts), 'list.csv.gz')), {});
  const rows = await rowsOf(sheet);
  expect(rows.map(({ cells }) => cells[0])).toEqual(['Zoë', 'Jo', 'Al']);
});

test('two copies of one state are the same file, packed', async () => {
  const write = await inputFolder();
  const path = await write(gzipSync(`a\n${'x\n'.repeat(10_000)}`), 'list.tsv.gz');
  const copy = async (): Promise<Buffer> => {
    const sheet = await csv.open(new InputFile(path), {});
    const cells = sheet.copy(
      { columns: ['n'], dropped: new Set() },
      rowByRow(({ row }) => [`${row}`]),
    );
    return Buffer.concat(await allOf(cells));
  };
  const first = await copy();
  expect(gunzipSync(first).toString().slice(0, 12)).toBe('a\tn\nx\t2\nx\t3\n');
  expect((await copy()).equals(first)).toBe(true);
});

test('a copy whose cells cannot be had ends with that error', async () => {
  const write = await inputFolder();
  const sheet = await csv.open(new InputFile(await write(gzipSync(LIST), 'list.csv.gz')), {});
  const copy = sheet.copy({ columns: ['n'], dropped: new Set() }, async () => {
    throw new Error('the ledger is gone');
  });
  await expect(allOf(copy)).rejects.toThrow('the ledger is gone');
});

test('the survey is of the packed file: its bytes and its hash are what the disk holds', async () => {
  const write = await inputFolder();
  const packed = gzipSync(LIST);
  const survey = await (await csv.open(new InputFile(await write(packed, 'list.txt.gz')), {})).survey();
  expect(survey).toMatchObject({ bytes: packed.length, rows: 2 });
});

describe('what is no packed table', () => {
  test.each([
    ['is not packed at all', Buffer.from(LIST), 'list.csv.gz', /cannot be unpacked: it is not a gzip file/],
    [
      'breaks off',
      gzipSync(LIST).subarray(0, -10),
      'list.csv.gz',
      /ends before its packed content is complete/,
    ],
    [
      'is packed although its name says otherwise',
      gzipSync(LIST),
      'list.csv',
      /is packed with gzip, not text/,
    ],
    [
      'is a workbook under the name of a text',
      Buffer.from('PK\x03\x04…'),
      'list.csv',
      /is a zip file or a workbook/,
    ],
    ['is a packed workbook', gzipSync('PK\x03\x04…'), 'list.csv.gz', /is a zip file or a workbook/],
    ['is a packed empty file', gzipSync(''), 'list.csv.gz', /is empty: it has neither/],
    ['is an empty file', Buffer.alloc(0), 'list.csv.gz', /./],
  ])('%s', async (_what, content, name, message) => {
    const write = await inputFolder();
    const error = await refusalOf(await write(content, name));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: 'input', next: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test('unpacks to far more than any table does: reading stops early, with both sizes', async () => {
    const write = await inputFolder();
    const path = await write('', 'bomb.csv.gz');
    // Rows of one letter, so that nothing is wrong with the text itself.
    const chunk = Buffer.alloc(1024 * 1024, 'a\n');
    await pipeline(
      Array.from({ length: 80 }, () => chunk),
      createGzip({ level: 1 }),
      createWriteStream(path),
    );
    const error = await refusalOf(path);
    expect(error.message).toMatch(
      /bomb\.csv\.gz unpacks to more than \d{3} times its size \(\d{8} bytes from \d+ so far\)/,
    );
    expect(error.next).toContain('unpack it yourself');
  });

  test('a small file of equal rows is nobody’s attack', async () => {
    const write = await inputFolder();
    const sheet = await csv.open(
      new InputFile(await write(gzipSync(`a\n${'a\n'.repeat(100_000)}`), 'list.csv.gz')),
      {},
    );
    expect(await sheet.header()).toEqual(['a']);
  });
});
