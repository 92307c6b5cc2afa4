import { DELIMITERS } from '../../../core/format.ts';
import type { Corrections } from '../../corrections.ts';
import type { NamedColumns } from '../../header.ts';
import { inputRow } from './copying.ts';
import type { Layout } from './layout.ts';
import { bodyOf, cellsOf } from './raw-record.ts';
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
        cells === undefined ? bytesOf(record) : correctedRecord(record, layout, named, cells),
      ];
    });
    if (pieces.length > 0) yield Buffer.concat(pieces);
  }
  corrections.requireAllMade();
}

const QUOTE = 0x22;
const EMPTY = Buffer.alloc(0);

function correctedRecord(
  record: CsvRecord,
  { delimiter }: Pick<Layout, 'delimiter'>,
  { places }: NamedColumns,
  corrected: ReadonlyMap<number, string>,
): Buffer {
  const separator = Buffer.from(DELIMITERS[delimiter]);
  const bytes = bytesOf(record);
  const body = bodyOf(bytes, record.position.byteOffset);
  const bodyStart = body.byteOffset - bytes.byteOffset;
  const cells = cellsOf(body, separator[0] ?? 0).map(({ start, end }) => body.subarray(start, end));
  for (const [at, value] of corrected) {
    const place = places[at] ?? at;
    // A padded file may have fewer cells in this row.
    while (cells.length <= place) cells.push(EMPTY);
    cells[place] = cellBytes(value, separator, cells[place]?.[0] === QUOTE);
  }
  const joined = Buffer.concat(cells.flatMap((cell, at) => (at === 0 ? [cell] : [separator, cell])));
  // A line of nothing would be no row any more.
  const own = joined.length === 0 ? Buffer.from('""') : joined;
  return Buffer.concat([bytes.subarray(0, bodyStart), own, bytes.subarray(bodyStart + body.length)]);
}

/** @param wasQuoted a cell that stood in quotes does so again. */
function cellBytes(value: string, separator: Buffer, wasQuoted: boolean): Buffer {
  const isPlain = !wasQuoted && !/["\r\n]/.test(value) && !value.includes(separator.toString());
  return Buffer.from(isPlain ? value : `"${value.replaceAll('"', '""')}"`);
}
