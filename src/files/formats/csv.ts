import { encodingWords } from '../../core/encodings.ts';
import { StopError, stop } from '../../core/errors.ts';
import type { CellsFor, CopyOptions, Format, ReadOptions, Sheet, Survey } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import type { LeftOut } from '../../core/reading.ts';
import type { InputRow } from '../../core/row.ts';
import { addedTo, Corrections, type NamedColumns, namedColumns, writtenByUs } from '../header.ts';
import { areBoxes } from '../shape/column-words.ts';
import { rowsWithout, TableRows } from '../shape/left-out.ts';
import { ListSize, requireColumns } from '../shape/list-size.ts';
import { joinedNames, layoutNotes, nothingBelow } from '../shape/list-start.ts';
import { findLayout } from './csv/layout.ts';
import { markLength, textOf } from './csv/lines.ts';
import { Misfits } from './csv/misfits.ts';
import {
  type CellStyle,
  type CsvRecord,
  cellStyle,
  cellsOf,
  csvCell,
  isQuoted,
  type Layout,
  lineEndLength,
  readRecords,
} from './csv/records.ts';
import { encoded } from './csv/text.ts';

/**
 * Delimited text: comma, semicolon, tab or pipe between cells, lines ending in CRLF, LF or CR, even mixed, in
 * UTF-8, UTF-16 or an encoding of one byte a character. What is copied are the bytes of the file themselves.
 */
const csv: Format = { name: 'csv', extensions: ['.csv', '.tsv', '.txt'], open: openCsv };
export default csv;

async function openCsv(file: Layout['file'], options: ReadOptions): Promise<Sheet> {
  const layout = await withoutLeftOut(await findLayout(file, options), options);
  let found: NamedColumns | undefined;
  // Every caller asks for the columns, and the bytes are the same whenever they are read.
  const columns = async (): Promise<NamedColumns> => (found ??= await columnsUnder(layout));
  // A bad header is reported only to a caller that asks for the header.
  const isGuessed = Object.keys(layout.found).length > 0;
  const foundNotes = isGuessed ? layoutNotes(layout.found, (await columns()).names) : [];
  const { codec, isMarked, delimiter } = layout;
  return {
    encoding: encodingWords(codec.encoding) + (isMarked ? ' with byte-order mark' : ''),
    delimiter,
    notes: [...layout.notes, ...foundNotes],
    layout: layout.found,
    top: layout.top,
    start: layout.start,
    survey: async (onRow) => survey(layout, await columns(), new ListSize(file, options), onRow),
    header: async () => (await columns()).names,
    async *groups() {
      yield* rowGroups(layout, await columns(), new ListSize(file, options));
    },
    text: () => textOf(layout),
    async *copy(copyOptions, cellsFor) {
      const named = await columns();
      const texts = (misfits: Misfits) => copiedText({ layout, named, misfits }, copyOptions, cellsFor);
      yield* written(layout, texts, copyOptions.note);
    },
    async *corrected(list, note) {
      const named = await columns();
      const corrections = new Corrections(file.path, named.names, list);
      const nothing = { columns: [], dropped: new Set<string>() };
      const cellsFor: CellsFor = async (rows) => rows.map(() => []);
      const texts = (misfits: Misfits) =>
        copiedText({ layout, named, misfits, corrections }, nothing, cellsFor);
      // The list is read again with them, so none of them may be lost.
      yield* written({ ...layout, isEncodingSaid: false }, texts, note);
    },
  };
}

async function* rowGroups(
  layout: Layout,
  columns: NamedColumns,
  size: ListSize,
): AsyncGenerator<readonly InputRow[]> {
  for await (const group of readRecords(layout, columns)) {
    const rows = group.filter(({ kind }) => kind === 'row').map(rowFrom);
    for (const { cells } of rows) size.add(cells);
    await size.check();
    yield rows;
  }
}

function rowFrom({ row, cells, unreadable }: CsvRecord): InputRow {
  return unreadable === undefined ? { row, cells } : { row, cells, unreadable };
}

async function columnsUnder(layout: Layout): Promise<NamedColumns> {
  const { start, file, letters = [] } = layout;
  if (letters.length > 0) return namedColumns(file.path, letters);
  let upper: readonly string[] = [];
  for await (const group of readRecords(layout)) {
    for (const { kind, row, cells } of group) {
      requireColumns(file.path, cells.length);
      if (kind === 'above' && row === start.header.first) upper = cells;
      if (kind === 'header') return namedColumns(file.path, namesOver(layout, upper, cells));
    }
  }
  const above = start.header.last - 1;
  if (above > 0) throw nothingBelow(file.path, above);
  const next = 'Name a file with the column names in its first row.';
  throw stop('input', `${file.path} is empty: it has neither a header nor rows.`, next);
}

/** The names of a header above its rows, blank where it has no cell. */
function namesOver({ unnamed, start }: Layout, upper: readonly string[], lower: readonly string[]) {
  if (unnamed === 'first') return ['', ...lower];
  if (unnamed === 'last') return [...lower, ''];
  if (unnamed === 'none') return lower.slice(0, -1);
  const { first, last } = start.header;
  return first < last ? joinedNames(upper, lower).slice(0, lower.length) : lower;
}

async function survey(
  layout: Layout,
  columns: NamedColumns,
  size: ListSize,
  onRow: (row: InputRow) => void = () => {},
): Promise<Survey> {
  let rows = 0;
  for await (const group of rowGroups(layout, columns, size)) {
    rows += group.length;
    group.forEach(onRow);
  }
  return { sha256: await layout.file.sha256(), header: columns.names, rows };
}

// ------------------------------------------------------------------------------- what is no row of the table

/** The longest beginning of a new file that is searched. A large export of a program has no remarks. */
const MOST_BYTES_SEARCHED = 1024 * 1024;

async function withoutLeftOut(layout: Layout, options: ReadOptions): Promise<Layout> {
  const isSaid = options.asBefore !== undefined || options.rows !== undefined;
  if (isSaid) return layout;
  const leftOut = await leftOutIn(layout, options);
  if (leftOut.length === 0) return layout;
  const found = { ...layout.found, ...present({ left_out: leftOut }) };
  return { ...layout, hasRow: rowsWithout(leftOut, undefined), found };
}

async function leftOutIn(layout: Layout, options: ReadOptions): Promise<readonly LeftOut[]> {
  const { header, describing } = layout.start;
  let rows = header.last > 0 ? undefined : new TableRows(0, [], options, undefined);
  let names: CsvRecord | undefined;
  let bytes = 0;
  const take = (record: CsvRecord): void => {
    const { kind, cells, row } = record;
    bytes += record.bytes.length;
    if (kind === 'header') {
      names = record;
      rows = new TableRows(row, cells, options, describing);
    } else if (kind === 'row') rows?.take({ number: row, cells });
    else if (kind === 'unseen') rows?.unseen(row);
  };
  let isWhole = false;
  try {
    let goesOn: boolean | undefined;
    for await (const group of readRecords(layout)) {
      group.forEach(take);
      if (bytes <= MOST_BYTES_SEARCHED) continue;
      goesOn ??= await hasMoreToLeaveOut(layout, names, bytes);
      if (!goesOn) return rows?.end({ isWhole }) ?? [];
    }
    isWhole = true;
    return rows?.end({ isWhole }) ?? [];
  } catch (error) {
    // A fault that refuses the file is reported when the file is read.
    if (error instanceof StopError) return [];
    throw error;
  }
}

/**
 * Whether the line of the header stands in the text once more, or check boxes alone at its end, where a
 * sheet has them below its last row. The bytes are looked through without reading the rows, so that only such
 * a list is read twice.
 * @param from so many bytes of the text were looked through.
 */
async function hasMoreToLeaveOut(
  layout: Layout,
  header: CsvRecord | undefined,
  from: number,
): Promise<boolean> {
  const bytes = header?.bytes ?? NO_BYTES;
  const line = bytes.subarray(header?.row === 1 ? markLength(bytes) : 0, bytes.length - lineEndLength(bytes));
  if (line.length === 0) return false;
  let passed = 0;
  let rest = NO_BYTES;
  let last = NO_BYTES;
  for await (const text of textOf(layout)) {
    passed += text.length;
    if (passed < from) continue;
    const looked = Buffer.concat([rest, text]);
    for (let at = looked.indexOf(line); at !== -1; at = looked.indexOf(line, at + 1)) {
      const isLineEnd = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;
      const end = looked[at + line.length];
      const isBegin = isLineEnd(looked[at - 1]) || markLength(looked.subarray(Math.max(0, at - 3), at)) > 0;
      if (isBegin && (end === undefined || isLineEnd(end))) return true;
    }
    rest = looked.subarray(-line.length - 3);
    last = looked;
  }
  const [end = ''] = last
    .subarray(-LONGEST_BOXES)
    .toString()
    .trimEnd()
    .split(/[\r\n]/)
    .slice(-1);
  const cells = cellsOf(Buffer.from(end), layout.delimiter);
  return areBoxes(cells.map((cell) => cell.toString().replace(/^"(.*)"$/s, '$1')));
}

/** A row of check boxes alone is no longer. */
const LONGEST_BOXES = 4096;

// ------------------------------------------------------------------------------------------- what is written

/** A copy in the encoding of the file, with a note on the cells that do not fit into it. */
async function* written(
  layout: Layout,
  textsWith: (misfits: Misfits) => AsyncIterable<Buffer>,
  note: CopyOptions['note'],
): AsyncIterable<Buffer> {
  const misfits = new Misfits(layout);
  yield* encoded(layout, textsWith(misfits), () => misfits.areThere);
  if (misfits.words !== undefined) note?.(misfits.words);
}

const NO_BYTES = Buffer.alloc(0);

/** Past 256 rows, asking for their cells at once gets no faster, and very long rows would take memory. */
const ROWS_PER_BATCH = 256;

interface Copied {
  readonly layout: Layout;
  readonly named: NamedColumns;
  readonly misfits: Misfits;
  /** Cells of the user's that are corrected. */
  readonly corrections?: Corrections;
}

async function* copiedText(copied: Copied, options: CopyOptions, cellsFor: CellsFor): AsyncGenerator<Buffer> {
  const { layout, named, misfits, corrections } = copied;
  const blanks = options.isPart ? undefined : options.columns.map(() => '');
  const copy = new Copy(copied, options);
  for await (const group of readRecords(layout, named)) {
    for (let at = 0; at < group.length; at += ROWS_PER_BATCH) {
      const batch = group.slice(at, at + ROWS_PER_BATCH);
      const added = await addedTo(batch, rowFrom, options, cellsFor);
      const lines = batch.map((record, position) => {
        const ours = record.kind === 'left_out' ? blanks : added[position];
        ours?.forEach((cell, place) => {
          misfits.add(record.row, options.columns[place] ?? '', cell);
        });
        return copy.of(record, ours);
      });
      yield Buffer.concat(lines);
    }
  }
  corrections?.requireAllMade();
}

class Copy {
  readonly #layout: Layout;
  readonly #named: NamedColumns;
  readonly #misfits: Misfits;
  readonly #corrections: Corrections | undefined;
  readonly #droppedNames: ReadonlySet<string>;
  readonly #dropped: ReadonlySet<number>;
  #style: CellStyle;
  /** The names that come above the first row of a list without a header. */
  #names: readonly string[] | undefined;

  constructor({ layout, named, misfits, corrections }: Copied, { dropped, columns }: CopyOptions) {
    this.#layout = layout;
    this.#named = named;
    this.#misfits = misfits;
    this.#corrections = corrections;
    this.#droppedNames = dropped;
    this.#dropped = new Set(named.positions.filter((_position, at) => dropped.has(named.names[at] ?? '')));
    this.#style = cellStyle(layout.delimiter, false);
    if (layout.letters !== undefined && corrections === undefined)
      this.#names = [...layout.letters, ...columns];
  }

  /**
   * Blank lines and titles stay, also where rows are left out.
   * @param ours undefined: the row is left out.
   */
  of(read: CsvRecord, ours: readonly string[] | undefined): Buffer {
    const record = read.kind === 'header' && this.#layout.unnamed === 'first' ? this.#withFirst(read) : read;
    const { kind, bytes, unreadable, found } = record;
    if (kind === 'blank' || kind === 'unseen' || kind === 'above') return bytes;
    if (kind === 'header') this.#style = this.#styleOf(record);
    if (this.#names !== undefined) return this.#belowNames(record, this.#names, ours);
    if (ours === undefined) return NO_BYTES;
    const corrected = kind === 'row' ? this.#corrections?.take(rowFrom(record)) : undefined;
    if (corrected !== undefined) return this.#corrected(record, corrected);
    const isAsItWas = unreadable === undefined && found === this.#named.width && this.#dropped.size === 0;
    if (!isAsItWas && this.#corrections === undefined) return this.#rewritten(record, ours);
    const cells = ours.map((cell) => this.#style.separator + csvCell(cell, this.#style));
    const end = bytes.length - lineEndLength(bytes);
    return Buffer.concat([bytes.subarray(0, end), Buffer.from(cells.join('')), bytes.subarray(end)]);
  }

  /** A header with a blank name in front, so that each name stands above its cells for every program. */
  #withFirst(record: CsvRecord): CsvRecord {
    const { mark, cells, lineEnd } = this.#partsOf(record);
    const first = Buffer.from(cells.every(isQuoted) ? '""' : '');
    const bytes = this.#joined(mark, [first, ...cells], lineEnd);
    return { ...record, bytes, cells: ['', ...record.cells], found: record.found + 1 };
  }

  /** The byte-order mark stays first. */
  #belowNames(record: CsvRecord, names: readonly string[], ours: readonly string[] | undefined): Buffer {
    this.#names = undefined;
    this.#style = this.#styleOf(record);
    const { mark, lineEnd } = this.#partsOf(record);
    const line = names.map((name) => csvCell(name, this.#style)).join(this.#style.separator);
    const copied = this.of(record, ours);
    const above = [mark, Buffer.from(line), lineEnd.length === 0 ? Buffer.from('\n') : lineEnd];
    return Buffer.concat([...above, copied.subarray(mark.length)]);
  }

  /** Where all cells of the header stand in quotes, so do ours. */
  #styleOf(record: CsvRecord): CellStyle {
    return cellStyle(this.#layout.delimiter, this.#partsOf(record).cells.every(isQuoted));
  }

  /**
   * The record's own cells, byte for byte and without the dropped ones, and ours below their names. Blank
   * cells go between where the record has too few. In a padded file, the blank cells behind the header's last
   * go where the record has too many. If a record cannot be read, its surplus cells stand behind ours, so
   * that any program that reads the copy finds the same cells in it as in the file. None of the user's cells
   * is left out, because no one knows below which name it belongs.
   */
  #rewritten(record: CsvRecord, ours: readonly string[]): Buffer {
    const { mark, cells, lineEnd } = this.#partsOf(record);
    const { width } = this.#named;
    const isReadable = record.unreadable === undefined;
    const leftOut = isReadable
      ? this.#dropped
      : writtenByUs(this.#named, this.#droppedNames, (at) => record.cells[at]);
    const mayLose = isReadable && record.kind !== 'left_out';
    const ownCells = (mayLose ? cells.slice(0, width) : cells).filter(
      (_cell, position) => !leftOut.has(position),
    );
    const room = width - this.#dropped.size;
    const padding = Array<Buffer>(Math.max(0, room - ownCells.length)).fill(NO_BYTES);
    const added = ours.map((cell) => Buffer.from(csvCell(cell, this.#style)));
    return this.#joined(
      mark,
      [...ownCells.slice(0, room), ...padding, ...added, ...ownCells.slice(room)],
      lineEnd,
    );
  }

  /** A cell that was in quotes is in quotes again. */
  #corrected(record: CsvRecord, corrected: ReadonlyMap<number, string>): Buffer {
    const { mark, cells, lineEnd } = this.#partsOf(record);
    for (const [at, text] of corrected) {
      this.#misfits.add(record.row, this.#named.names[at] ?? '', text);
      const position = this.#named.positions[at] ?? at;
      // A padded file may have fewer cells in this row.
      while (cells.length <= position) cells.push(NO_BYTES);
      cells[position] = Buffer.from(
        csvCell(text, cellStyle(this.#layout.delimiter, isQuoted(cells[position]))),
      );
    }
    // An empty line would no longer be a row.
    const isNothing = cells.length === 1 && cells[0]?.length === 0;
    return this.#joined(mark, isNothing ? [Buffer.from('""')] : cells, lineEnd);
  }

  #partsOf({ row, bytes }: CsvRecord): { mark: Buffer; cells: Buffer[]; lineEnd: Buffer } {
    const start = row === 1 ? markLength(bytes) : 0;
    const end = bytes.length - lineEndLength(bytes);
    return {
      mark: bytes.subarray(0, start),
      cells: cellsOf(bytes.subarray(start, end), this.#layout.delimiter),
      lineEnd: bytes.subarray(end),
    };
  }

  #joined(mark: Buffer, cells: readonly Buffer[], lineEnd: Buffer): Buffer {
    const separator = Buffer.from(this.#style.separator);
    const parted = cells.flatMap((cell, at) => (at === 0 ? [cell] : [separator, cell]));
    return Buffer.concat([mark, ...parted, lineEnd]);
  }
}
