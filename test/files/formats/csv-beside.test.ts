import { syncBuiltinESMExports } from 'node:module';
import threads, { type Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import { parsedBeside } from '../../../src/files/formats/csv/parse-beside.ts';
import {
  type ParsedText,
  type ParserOptions,
  parsedHere,
} from '../../../src/files/formats/csv/record-parser.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input-file.ts';
import { times } from '../../combinations.ts';
import { bytesOf, writtenCsv } from './csv-arbitrary.ts';
import { allOf, inputFolder, rowByRow, rowsOf } from './sheets.ts';

/**
 * Goal: a list that is parsed in a thread of its own is the same list, to the byte and to the word of a refusal.
 * Method: the same texts are parsed both ways. Files are said to be large, so that short ones take the way of long ones.
 */

const OPTIONS = { delimiter: ',', isFileStart: true } as const;

/** What a parser stumbles over. A zero byte is for the reader to refuse, and must not end the thread. */
const hostileText = fc
  .array(fc.constantFrom('"', '""', ',', '\n', '\r', '\r\n', 'a', 'é', '𝄞', '\uFEFF', ' ', '\0', '\x1a'), {
    maxLength: 60,
  })
  .map((parts) => Buffer.from(parts.join('')));

type Way = (texts: AsyncIterable<Buffer>, options: ParserOptions) => AsyncIterable<ParsedText>;

/** What is found in the text when it comes in pieces of so many bytes, up to the first fault. */
async function foundBy(parse: Way, text: Buffer, size: number): Promise<readonly ParsedText[]> {
  const found: ParsedText[] = [];
  for await (const parsed of parse(pieces(text, size), OPTIONS)) {
    found.push(parsed);
    if (parsed.fault !== undefined) break;
  }
  return found;
}

async function* pieces(text: Buffer, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
}

/** A file that is read in pieces of so many bytes, and longer than it is by its own word. */
class LargeFile extends InputFile {
  readonly #piece: number;

  constructor(path: string, piece = 64 * 1024) {
    super(path);
    this.#piece = piece;
  }

  override async size(): Promise<number> {
    return (await super.size()) + 5 * 1024 * 1024;
  }

  override async *chunks(startByte?: number): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of super.chunks(startByte)) yield* pieces(chunk, this.#piece);
  }
}

/** All that is made of a file, or why it is refused. */
async function outcomeOf(file: InputFile, isPadded: boolean): Promise<unknown> {
  const options = { columns: ['ours'], dropped: new Set<string>() };
  try {
    const sheet = await csv.open(file, { delimiter: 'comma', ...(isPadded ? { ragged: 'pad' } : {}) });
    const rows = await rowsOf(sheet);
    const copy = sheet.copy(
      options,
      rowByRow(() => ['']),
    );
    const below = await rowsOf(sheet, rows[rows.length >> 1]?.position);
    return { rows, below, survey: await sheet.survey(), copy: Buffer.concat(await allOf(copy)).toString() };
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    return { message: error.message, next: error.next };
  }
}

/** The threads that are started until the test ends. */
function startedThreads(): readonly Worker[] {
  const threads: Worker[] = [];
  const note = (thread: Worker): void => void threads.push(thread);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return threads;
}

async function* endless(): AsyncIterable<Buffer> {
  for (;;) yield Buffer.from('a,b\n'.repeat(1000));
}

describe('parsing beside the caller', () => {
  test('finds in any text what parsing here finds, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.integer({ min: 1, max: 30 }), async (text, size) => {
        expect(await foundBy(parsedBeside, text, size)).toEqual(await foundBy(parsedHere, text, size));
      }),
    );
  });
});

describe('the thread', () => {
  test('that the system refuses is done without, and the list is the same', async () => {
    const text = Buffer.from('a,b\n'.repeat(100));
    const expected = await foundBy(parsedHere, text, 10);
    vi.spyOn(threads, 'Worker').mockImplementation(function refused() {
      throw new Error('EAGAIN');
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    expect(await foundBy(parsedBeside, text, 10)).toEqual(expected);
    expect(threads.Worker).toHaveBeenCalled();
  });

  test('that dies under its work ends the reading with an error', async () => {
    const threads = startedThreads();
    const reading = async (): Promise<void> => {
      for await (const _ of parsedBeside(endless(), OPTIONS)) await threads[0]?.terminate();
    };
    await expect(reading()).rejects.toThrow('the thread that parses ended before its texts did');
  });
});

describe('a large file', () => {
  test('reads as any other, also where it is damaged, in the words of any other', async () => {
    const write = await inputFolder();
    const damage = fc.constantFrom('', '', '"', ',', '\n', '\r', '\0', 'x"y",', '"a" b', '\xff');
    const cut = { at: fc.nat(), size: fc.integer({ min: 1, max: 200 }) };
    await fc.assert(
      fc.asyncProperty(
        writtenCsv,
        damage,
        fc.record(cut),
        fc.boolean(),
        async (file, put, { at, size }, isPadded) => {
          const bytes = bytesOf(file);
          const place = at % (bytes.length + 1);
          const path = await write(
            Buffer.concat([bytes.subarray(0, place), Buffer.from(put, 'latin1'), bytes.subarray(place)]),
          );
          const expected = await outcomeOf(new InputFile(path), isPadded);
          expect(await outcomeOf(new LargeFile(path, size), isPadded)).toEqual(expected);
        },
      ),
      { numRuns: times(10, 40) },
    );
  });
});
