import { createHash } from 'node:crypto';
import { stop } from '../../core/errors.ts';
import type {
  CellsFor,
  CopyOptions,
  Correction,
  Encoding,
  Format,
  Position,
  PositionedRow,
  Sheet,
  Survey,
} from '../../core/format.ts';
import { counted } from '../../core/plain-text.ts';
import type { InputRow } from '../../core/row.ts';
import { rowRangeText } from '../../core/row-range.ts';
import { Corrections } from '../corrections.ts';
import { type NamedColumns, namedColumns } from '../header.ts';
import { joinedNames } from '../shape/header-rows.ts';
import { layoutNotes } from '../shape/shape-words.ts';
import { copiedText, encoded, inputRow } from './csv/copying.ts';
import { correctedText } from './csv/correcting.ts';
import { Digester, nearest } from './csv/digests.ts';
import { findLayout, type Layout } from './csv/layout.ts';
import { leavingOut } from './csv/leaving-out.ts';
import { markLength } from './csv/raw-record.ts';
import { type CsvRecord, readRecords } from './csv/records.ts';
import { textOf } from './csv/text-source.ts';

/**
 * Delimited text: comma, semicolon, tab or pipe between cells, lines ending in CRLF, LF or CR, even mixed, in UTF-8,
 * UTF-16 or Windows-1252. What is copied are the bytes of the file themselves:
 *
 *     file → UTF-8 → records → with our cells → the file's encoding
 */
const csv: Format = {
  name: 'csv',
  extensions: ['.csv', '.tsv', '.txt'],
  async open(file, options): Promise<Sheet> {
    const layout = await leavingOut(await findLayout(file, options), options);
    let columns: NamedColumns | undefined;
    // Everything asks for them, and the bytes are the same whenever they are read.
    const table: Table = { layout, columns: async () => (columns ??= await columnsOf(layout)) };
    return {
      notes: [...layout.notes, ...(await foundNotes(table))],
      layout: layout.found,
      top: layout.top,
      headerRow: rowRangeText(layout.header),
      digests: layout.digests,
      survey: (onRow) => survey(table, onRow),
      header: async () => (await table.columns()).names,
      groups: (from) => groups(table, from),
      copy: (copyOptions, cellsFor) => copy(table, copyOptions, cellsFor),
      corrected: (corrections, note) => corrected(table, corrections, note),
    };
  },
};

interface Table {
  readonly layout: Layout;
  readonly columns: () => Promise<NamedColumns>;
}

export default csv;

async function survey(table: Table, onRow?: (row: InputRow) => void): Promise<Survey> {
  const { layout } = table;
  const columns = await table.columns();
  const sha256 = createHash('sha256');
  let bytes = 0;
  const onFileBytes = (chunk: Buffer): void => {
    sha256.update(chunk);
    bytes += chunk.length;
  };
  let rowCount = 0;
  const digester = new Digester(layout.start);
  for await (const group of readRecords(layout, { columns, onFileBytes, digester })) {
    for (const record of group) {
      if (record.kind !== 'row') continue;
      rowCount += 1;
      onRow?.(inputRow(record));
    }
  }
  layout.digests.pieces = digester.end();
  return {
    sha256: sha256.digest('hex'),
    bytes,
    encoding: await encodingWords(layout),
    delimiter: layout.delimiter,
    header: columns.names,
    rows: rowCount,
  };
}

const ENCODING_WORDS: { readonly [Name in Encoding]?: string } = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252',
  macintosh: 'Mac OS Roman',
};

/** `windows-1251` is a name by itself. */
const wordsOf = (encoding: Encoding): string =>
  ENCODING_WORDS[encoding] ?? encoding.replace('windows', 'Windows').replace('iso', 'ISO');

async function encodingWords(layout: Layout): Promise<string> {
  const words = wordsOf(layout.encoding);
  for await (const start of textOf(layout)) {
    return markLength(start) > 0 ? `${words} with byte-order mark` : words;
  }
  return words;
}

async function columnsOf(layout: Layout): Promise<NamedColumns> {
  const { start } = layout;
  const { path } = layout.file;
  for await (const group of readRecords(layout, {})) {
    const [first] = group;
    if (first?.kind === 'header') return namedColumns(path, namesOf(layout, first.cells));
  }
  const skipped = start.row - 1;
  if (skipped > 0) {
    const fact = `${path} has nothing below its first ${counted(skipped, 'line')}: neither a header nor rows.`;
    throw stop('input', fact, 'Let --skip-lines count only the lines above the column names.');
  }
  const next = 'Name a file whose first row holds the names of the columns.';
  throw stop('input', `${path} is empty: it has neither a header nor rows.`, next);
}

function namesOf({ upper }: Layout, cells: readonly string[]): readonly string[] {
  return upper === undefined ? cells : joinedNames(upper, cells).slice(0, cells.length);
}

/** The columns are read only where something was guessed, because a bad header is said by whoever asks for it. */
async function foundNotes({ layout, columns }: Table): Promise<readonly string[]> {
  if (Object.keys(layout.found).length === 0) return [];
  return layoutNotes(layout.found, layout.header, (await columns()).names);
}

async function* groups(table: Table, from?: Position): AsyncIterable<readonly PositionedRow[]> {
  const columns = await table.columns();
  const { row } = from ?? table.layout.start;
  const isWanted = ({ kind, position }: CsvRecord): boolean => kind === 'row' && position.row >= row;
  const near = nearest(table.layout, from);
  for await (const group of readRecords(near.layout, { columns, from: near.from })) {
    yield group.flatMap((record) => (isWanted(record) ? [positionedRow(record)] : []));
  }
}

function positionedRow({ position, cells, unreadable }: CsvRecord): PositionedRow {
  const { row } = position;
  return unreadable === undefined ? { row, cells, position } : { row, cells, unreadable, position };
}

async function* copy(table: Table, options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer> {
  const { layout } = table;
  const texts = copiedText(layout, await table.columns(), options, cellsFor);
  yield* encodedAs(layout, texts, options.note);
}

async function* corrected(
  table: Table,
  list: readonly Correction[],
  note: CopyOptions['note'],
): AsyncIterable<Buffer> {
  const { layout } = table;
  const columns = await table.columns();
  const corrections = new Corrections(layout.file.path, columns.names, list);
  yield* encodedAs(layout, correctedText(layout, columns, corrections), note);
}

function encodedAs(
  { encoding }: Layout,
  texts: AsyncIterable<Buffer>,
  note: CopyOptions['note'],
): AsyncIterable<Buffer> {
  return encoded(encoding, texts, (character) => {
    const name = `"${character}" (U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`;
    note?.(`${wordsOf(encoding)} has no ${name}, so the output is UTF-8 with a byte-order mark.`);
  });
}
