/**
 * Goal: whatever is wrong with a hand-written YAML file, the user learns the file, the line, the column and the word
 * that was probably meant; never a stack trace, and never a key.
 * Method: real files in a temporary folder, read with small schemas.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { StopError } from '../../../src/core/errors.ts';
import { readDocument } from '../../../src/lib/yaml/document.ts';
import { temporaryFolder } from '../../ledger/stores/places.ts';

const schema = z.strictObject({
  operation: z.string(),
  waterfall: z.array(z.string()).optional(),
  limits: z.strictObject({ per_second: z.int().min(1).max(50).optional() }).optional(),
  vendor: z.enum(['service', 'provider']).optional(),
  in_doubt: z.union([z.enum(['hold', 'skip']), z.strictObject({ retry: z.int() })]).optional(),
  add: z.record(z.string().regex(/^[a-z]+$/, 'letters only'), z.string()).optional(),
});

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function read(text: string | Buffer): Promise<unknown> {
  const path = join(folder, 'job.yaml');
  await writeFile(path, text);
  return (await readDocument(path, schema, { code: 'job', name: 'job' })).value;
}

/** `3:5: the fact` and the advice of the stop that reading this text ends with. */
async function problem(text: string | Buffer): Promise<readonly [string, string]> {
  const error = await read(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof StopError)) throw new Error(`read without a stop: ${JSON.stringify(error)}`);
  expect(error.code).toBe('job');
  expect(error.exitCode).toBe(2);
  return [error.message.replace(join(folder, 'job.yaml'), '').replace(/^:/, ''), error.next];
}

describe('content', () => {
  const cases: readonly (readonly [text: string, fact: string, next: string])[] = [
    ['operaton: a\n', '1:1: "operaton" is not known here', 'Did you mean operation?'],
    ['vendor: service\n', '1:1: "operation" is missing', 'Add a line that begins with operation:.'],
    ['operation: a\nvendor: servce\n', '2:9: vendor cannot be "servce"', 'Did you mean service?'],
    ['operation: 12\n', '1:12: operation must be text, but is a number', 'Put it in quotes.'],
    [
      'operation: a\nlimits: { per_second: 1.5 }\n',
      '2:23: limits.per_second must be a whole number, but is a number with a fraction',
      'Write a whole number.',
    ],
    ['operation: a\nlimits: { per_second: 0 }\n', '2:23: limits.per_second is 0', 'Write at least 1.'],
    [
      'operation: a\nwaterfall:\n  - abn\n  - 3\n',
      '4:5: waterfall[2] must be text, but is a number',
      'Put it in quotes.',
    ],
    ['operation: a\nin_doubt: { rety: 3 }\n', '2:13: "rety" is not known here', 'Did you mean retry?'],
    ['operation: a\nadd: { A1: x }\n', '2:8: the name "A1" cannot be used', 'Choose another: letters only.'],
    [
      '',
      '1:1: the document must be a block of "name: value" lines, but is empty',
      'Write a block of "name: value" lines.',
    ],
  ];
  test.each(cases)('%j: %s', async (text, fact, next) => {
    expect(await problem(text)).toEqual([fact, next]);
  });
});

describe('syntax', () => {
  const cases: readonly (readonly [text: string, fact: RegExp])[] = [
    ['operation: a\nlimits:\n\tper_second: 1\n', /^3:1: a tab is where spaces are needed$/],
    ['operation: a\noperation: b\n', /^2:1: the same name is here twice$/],
    ['operation: a\nadd: { b: x, c: y, b: z }\n', /^2:20: the same name is here twice$/],
    ['operation: a\nwaterfall: [a, b\n', /^3:1: .*or a bracket above it is not closed$/],
    ['operation: "a\n', /^[12]:\d+: a closing quote, a bracket, a comma or a colon is missing$/],
    ['operation: a: b\n', /^1:\d+: there is a second colon on the line$/],
    ['operation: *nothing\n', /^1:12: a value that begins with \* is an alias/],
    ['operation: !!js/function x\n', /^1:12: a value that begins with ! is a tag/],
    ['operation: a\n---\noperation: b\n', /^2:1: a line --- begins a second document$/],
  ];
  test.each(cases)('%j: %s', async (text, fact) => {
    expect((await problem(text))[0]).toMatch(fact);
  });

  test('a thousand aliases of aliases are refused before they eat the memory', async () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    const [fact] = await problem(`l0: &l0 [x]\n${levels.join('\n')}\n`);
    expect(fact).toBe(' more than 100 aliases (*name)');
  });
});

describe('the file itself', () => {
  const readAt = (path: string): Promise<unknown> =>
    readDocument(path, schema, { code: 'account', name: 'accounts file' });

  test('twenty thousand names of one entry cost little more than as many names of many entries', async () => {
    const entries = z.record(z.string(), z.record(z.string(), z.string()));
    const path = join(folder, 'names.yaml');
    const costOf = async (perEntry: number): Promise<number> => {
      const line = (at: number) => `${at % perEntry === 0 ? `e${at}:\n` : ''} n${at}: x\n`;
      await writeFile(path, Array.from({ length: 20_000 }, (_, at) => line(at)).join(''));
      const { user } = process.cpuUsage();
      await readDocument(path, entries, { code: 'job', name: 'job' });
      return process.cpuUsage().user - user;
    };
    const ofMany = await costOf(100);
    expect((await costOf(20_000)) / ofMany).toBeLessThan(3);
  });

  test.skipIf(process.platform === 'win32')('a file without an end is not read to its end', async () => {
    await expect(readAt('/dev/zero')).rejects.toMatchObject({
      message: '/dev/zero: more than 256 KiB',
    });
  });
});
