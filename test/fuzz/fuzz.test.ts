import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sheet } from '../../src/core/format.ts';
import type { InputRow } from '../../src/core/row.ts';
import { times } from '../support/combinations.ts';
import { inputOf, material } from './inputs.ts';
import { type FuzzInput, judged, type Open, openSheet } from './judge.ts';
import { Tally } from './tally.ts';

/**
 * Goal: whatever the bytes, a file is read whole and comes back whole, or it is refused with a reason: no crash, no
 * hang, no row silently lost.
 * Method: files of the corpus and tables of naughty strings are scratched and read; a second reader that shares nothing
 * with ours says what is in them. That the judge sees what it is there to see is shown with readers that break one promise
 * each. All of those stay here, and of the inputs as many as take both ways out often, read and refused, because a judge that
 * went blind would make the long search worthless; the search itself, over any number of inputs, is `npm run fuzz`.
 */

const INPUTS = times(50, 150);

/** A file system in memory where there is one: an input is read from the disk some ten times. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Ten times what they take on a machine that does nothing else. */
const MOST_MS_FOR_ALL = 200_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(MEMORY, 'rowonce-fuzz-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test(
  `${INPUTS} scratched files break no promise`,
  async () => {
    const from = await material();
    const tally = new Tally();
    for (let n = 0; n < INPUTS; n += 1) {
      tally.add(n, await judged(inputOf(from, 'suite', n), folder, openSheet), 0);
    }
    expect(tally.broken).toEqual([]);
    // Neither way out is the only one, or the inputs would show nothing.
    expect(tally.read).toBeGreaterThan(INPUTS / 10);
    expect(tally.inputs - tally.read).toBeGreaterThan(INPUTS / 10);
  },
  MOST_MS_FOR_ALL,
);

test('what was found once stays found: sixteen thousand columns of one name', async () => {
  const bytes = Buffer.from(`${Array(16_000).fill('1').join()}\n`);
  const verdict = await judged({ name: 'input.csv', bytes, read: {}, choice: 0 }, folder, openSheet);
  expect(verdict).toMatchObject({ kind: 'read', rows: 0 });
});

describe('the judge sees', () => {
  const input: FuzzInput = {
    name: 'input.csv',
    bytes: Buffer.from('a,b\n1,2\n3,4\n5,6\n'),
    read: { delimiter: 'comma' },
    choice: 0,
  };
  const damaged: FuzzInput = { ...input, bytes: Buffer.from('a,b\n1,2\n3,"4\n') };

  /** The product's reader with one thing changed. */
  const changed =
    (change: (sheet: Sheet) => Partial<Sheet>): Open =>
    async (path, read) => {
      const sheet = await openSheet(path, read);
      return { ...sheet, ...change(sheet) };
    };

  async function* withoutRow3<Row extends InputRow>(
    groups: AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<Row[]> {
    for await (const rows of groups) yield rows.filter(({ row }) => row !== 3);
  }

  const broken: [what: string, input: FuzzInput, open: Open, why: string][] = [
    [
      'a row that every way of reading loses',
      input,
      async (path, read) => {
        const sheet = await openSheet(path, read);
        return {
          ...sheet,
          groups: () => withoutRow3(sheet.groups()),
          survey: async (onRow) => {
            const survey = await sheet.survey((row) => (row.row === 3 ? undefined : onRow?.(row)));
            return { ...survey, rows: survey.rows - 1 };
          },
        };
      },
      'the rows as they are written',
    ],
    [
      'a copy that changes a byte',
      input,
      changed((sheet) => ({
        copy: async function* (options, cellsFor) {
          for await (const chunk of sheet.copy(options, cellsFor))
            yield Buffer.from(chunk.toString().replace('\n', '\r\n'));
        },
      })),
      'bytes of the file were changed',
    ],
    [
      'damage that is read as if there were none',
      damaged,
      changed(() => ({ groups: async function* () {} })),
      'another way of reading it does not',
    ],
  ];

  test.each(broken)('%s', async (_what, given, open, why) => {
    const verdict = await judged(given, folder, open);
    expect(verdict).toMatchObject({ kind: 'broken', why: expect.stringContaining(why) });
  });

  test('nothing in a file that is read, nor in one that is refused', async () => {
    expect(await judged(input, folder, openSheet)).toEqual({ kind: 'read', rows: 3 });
    expect(await judged(damaged, folder, openSheet)).toMatchObject({ kind: 'refused' });
  });
});
