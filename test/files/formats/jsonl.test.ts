import { expect, test } from 'vitest';
import type { ReadOptions, Sheet } from '../../../src/core/format.ts';
import jsonl from '../../../src/files/formats/jsonl.ts';
import { InputFile } from '../../../src/files/input.ts';
import { allOf, inputFolder, rowByRow, rowsOf } from './sheets.ts';

/**
 * Goal: JSON lines keep their meaning. What a program wrote comes back as it was written, with our members behind its own, and a
 * line that is no object is one row that cannot be read, by the number of its line.
 * Method: files as programs write them, read and copied by the format itself.
 */

async function opened(
  content: string | Buffer,
  options: ReadOptions = {},
  name = 'list.jsonl',
): Promise<Sheet> {
  const write = await inputFolder();
  return jsonl.open(new InputFile(await write(content, name)), options);
}

async function copied(
  sheet: Sheet,
  cells: readonly string[],
  dropped: readonly string[] = [],
): Promise<string> {
  const columns = ['_status', '_credits'].slice(0, cells.length);
  const copy = sheet.copy(
    { columns, dropped: new Set(dropped), isJson: true },
    rowByRow(() => cells),
  );
  return Buffer.concat(await allOf(copy)).toString();
}

const refusal = (content: string | Buffer, options: ReadOptions = {}): Promise<unknown> =>
  opened(content, options).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a cell is what a member says: digits as written, lists joined, null and what is missing blank, the rest as JSON', async () => {
  const sheet = await opened(
    '{"abn":51824753556,"id":12345678901234567890,"tags":["a","b"],"name":null,"at":{"city":"Perth"}}\n{"name":"Acme","ok":true}\n',
  );
  expect(await sheet.header()).toEqual(['abn', 'id', 'tags', 'name', 'at', 'ok']);
  expect((await rowsOf(sheet)).map(({ row, cells }) => [row, ...cells])).toEqual([
    [1, '51824753556', '12345678901234567890', 'a; b', '', '{"city":"Perth"}', ''],
    [2, '', '', '', 'Acme', '', 'true'],
  ]);
});

test('a copy keeps every member as it is written, and a blank cell of ours is null', async () => {
  const sheet = await opened(
    '\uFEFF{ "n": 1.50, "big": 12345678901234567890, "s": "a,}\\"\\u00e9" }\r\n\r\n{"n":{"a":[1]}}',
  );
  expect(await copied(sheet, ['"matched"', ''])).toBe(
    '\uFEFF{ "n": 1.50, "big": 12345678901234567890, "s": "a,}\\"\\u00e9" ,"_status":"matched","_credits":null}\r\n\r\n{"n":{"a":[1]},"_status":"matched","_credits":null}',
  );
});

test('what is no list of objects is refused with what to do; a strict reading refuses the first bad line', async () => {
  expect(await refusal('[{"a":1}]\n')).toMatchObject({
    code: 'input',
    message: expect.stringContaining('line 1: it is not an object'),
    next: expect.stringContaining('jq -c'),
  });
  expect(await refusal('{\n  "a": 1\n}\n')).toMatchObject({
    message: expect.stringContaining('line 1: it is not JSON'),
  });
  expect(await refusal('{"a":1}\nx\n', { strict: true })).toMatchObject({
    message: expect.stringContaining('line 2'),
  });
  expect(await refusal(`{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`)).toMatchObject({
    message: expect.stringContaining('line 1: the line is longer than 16777216 bytes'),
  });
});
