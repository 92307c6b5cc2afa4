import { expect, test } from 'vitest';
import { openFile } from '../../../src/files/input.ts';
import { SAMPLE_PARTS, SAMPLE_SHEET, withPart, zipped } from '../../fuzz/workbook.ts';
import { inputFolder } from '../formats/input-folder.ts';
import { naughtyStrings } from './corpus.ts';
import { markedCopy, type Reading, readWhole, requireMarked } from './promises.ts';

/**
 * Goal: what `naughty.test.ts` promises of text files holds for workbooks: no text in a cell or in the name of a column
 * is read as anything else, and what is written of it reads the same.
 * Method: the strings that XML can hold, put into a workbook made by hand, once as cells and once as names.
 */

/** XML has no other characters below the blank than these three, and Excel writes a line end in a cell as LF. */
const canStandInXml = (text: string): boolean =>
  [...text].every(
    (letter) => (letter >= ' ' || letter === '\n' || letter === '\t') && !/[\uFFFE\uFFFF]/.test(letter),
  );

/** Excel writes characters that XML has not as `_x000D_`, so whoever means these letters writes them otherwise. */
const isEscape = (text: string): boolean => /_x[0-9a-f]{4}_/i.test(text);

const strings = [...new Set(Object.values(await naughtyStrings()).flat())].filter(
  (text) => canStandInXml(text) && !isEscape(text),
);

async function read(records: readonly (readonly string[])[]): Promise<{ reading: Reading; copy: Reading }> {
  const sheetAt = [...SAMPLE_PARTS.keys()].indexOf(SAMPLE_SHEET);
  const write = await inputFolder();
  const parts = withPart(SAMPLE_PARTS, sheetAt, (xml) => withRows(xml.toString(), records));
  const { sheet } = await openFile(await write(zipped(parts), 'strings.xlsx'));
  const reading = await readWhole(sheet);
  const copy = await openFile(await write(await markedCopy(sheet), 'copy.xlsx'));
  return { reading, copy: await readWhole(copy.sheet) };
}

function withRows(xml: string, records: readonly (readonly string[])[]): Buffer {
  const rows = records.map((cells, row) => `<row r="${row + 1}">${cells.map(cellXml).join('')}</row>`);
  return Buffer.from(
    xml
      .replace(/<dimension[^>]*>/, '')
      .replace(/<sheetData>.*<\/sheetData>/s, () => `<sheetData>${rows.join('')}</sheetData>`),
  );
}

const cellXml = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test('every string is a cell of a workbook', async () => {
  const cells = strings.map((text, index) => [String(index), text]);
  const { reading, copy } = await read([['n', 'text'], ...cells]);
  expect(reading.rows.map((row) => row.cells)).toEqual(cells);
  requireMarked(copy, reading);
});

test('every string is the name of a column, without the blanks around it', async () => {
  const names = [...new Set(strings.map((text) => text.trim()).filter((name) => name !== ''))];
  const { reading, copy } = await read([names, names.map((_, index) => String(index))]);
  expect(reading.survey.header).toEqual(names);
  requireMarked(copy, reading);
});
