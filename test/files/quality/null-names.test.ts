/**
 * Goal: a word such as None that many rows have is nothing in its column, wherever it stands in the list.
 * Method: a real file that is read in pieces, with the words at the places where it is cut.
 */
import { expect, test } from 'vitest';
import { openFile } from '../../../src/files/input.ts';
import { nullNamesIn } from '../../../src/files/quality/null-names.ts';
import { inputFolder } from '../formats/sheets.ts';

const HEADER = ['First', 'Last'];
const BYTES_PER_PIECE = 64 * 1024;

/** A list with the word in so many rows, each time with so many of its letters before the cut. */
function listCut(word: string, rows: number, before: number): string {
  let list = `${HEADER.join()}\n`;
  for (let piece = 1; piece <= rows; piece += 1) {
    const start = `Ann,`;
    const room = piece * BYTES_PER_PIECE - before - start.length - list.length;
    list += `Bob,${'a'.repeat(room - 'Bob,'.length - 1)}\n${start}${word}\n`;
  }
  return list;
}

const found = async (list: string) => {
  const write = await inputFolder();
  const { sheet } = await openFile(await write(list));
  return nullNamesIn(sheet, HEADER, { first_name: 'First', last_name: 'Last' });
};

test.for([0, 1, 2, 3, 4])(
  'None in three rows is found where a piece ends behind %i of its letters',
  async (before) => {
    expect(await found(listCut('None', 3, before))).toEqual({ last_name: ['None'] });
  },
);

test('None in two rows may be two people', async () => {
  expect(await found(listCut('None', 2, 2))).toEqual({});
});
