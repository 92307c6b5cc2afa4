import { DELIMITERS, type Delimiter } from '../../../core/format.ts';
import type { CorrectedCell, Corrections } from '../../corrections.ts';
import type { NamedColumns } from '../../header.ts';
import { inputRow } from './copying.ts';
import type { Layout } from './layout.ts';
import { cellStyle, cellText, piecesOf, QUOTE, separated } from './own-cells.ts';
import { NO_TEXT } from './record-parser.ts';
import { bytesOf, type CsvRecord, readRecords } from './records.ts';

/** The text of the file with some cells replaced and every other byte as it was, as UTF-8. */
export async function* correctedText(
  layout: Layout,
  named: NamedColumns,
  corrections: Corrections,
): AsyncIterable<Buffer> {
  if (layout.preamble.length > 0) yield layout.preamble;
  for await (const group of readRecords(layout, { columns: named })) {
    const pieces = group.flatMap((record) => {
      const { kind, blankLines } = record;
      const cells = kind === 'row' ? corrections.take(inputRow(record)) : undefined;
      return [
        blankLines,
        cells === undefined ? bytesOf(record) : correctedRecord(record, layout.delimiter, named, cells),
      ];
    });
    if (pieces.length > 0) yield Buffer.concat(pieces);
  }
  corrections.requireAllMade();
}

function correctedRecord(
  record: CsvRecord,
  delimiter: Delimiter,
  { places }: NamedColumns,
  corrected: ReadonlyMap<number, CorrectedCell>,
): Buffer {
  const separator = Buffer.from(DELIMITERS[delimiter]);
  const { before, cells, after } = piecesOf(record, separator);
  for (const [at, { text }] of corrected) {
    const place = places[at] ?? at;
    // A padded file may have fewer cells in this row.
    while (cells.length <= place) cells.push(NO_TEXT);
    // A cell that stood in quotes does so again.
    const style = cellStyle(DELIMITERS[delimiter], cells[place]?.[0] === QUOTE);
    cells[place] = Buffer.from(cellText(text, style));
  }
  const joined = Buffer.concat(separated(cells, separator));
  // A line of nothing would be no row any more.
  return Buffer.concat([before, joined.length === 0 ? Buffer.from('""') : joined, after]);
}
