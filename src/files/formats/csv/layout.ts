import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { stop } from '../../../core/errors.ts';
import type { FileBytes, ReadOptions } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { plainText } from '../../../core/plain-text.ts';
import { DELIMITER_NAMES, DELIMITERS, type Delimiter } from '../../../core/reading.ts';
import type { RowRange } from '../../../core/row.ts';
import { isUnseen, NUMBER_NAME } from '../../shape/column-words.ts';
import { isLookup, rowsWithout } from '../../shape/left-out.ts';
import {
  isDashes,
  keptOf,
  listStart,
  namesIn,
  ROWS_SAMPLED,
  rowsBelow,
  type SampledRow,
  saidHeader,
  topRows,
  usualWidth,
} from '../../shape/list-start.ts';
import { areLinesQuoted } from '../../shape/parted-lines.ts';
import { findEncoding } from './encoding.ts';
import { KeptRecords } from './kept-records.ts';
import { markLength, textOf } from './lines.ts';
import { hasStrayQuote, type Layout, PARSING } from './records.ts';
import { codecOf } from './text.ts';

/** Finds out how to read a file of delimited text, from its first bytes. */

/**
 * @throws StopError `input` when the file is of another kind than its name says, or its options contradict
 * each other.
 */
export async function findLayout(file: FileBytes, options: ReadOptions): Promise<Layout> {
  const { path } = file;
  const { encoding, notes } = await findEncoding(file, options);
  const codec = codecOf(encoding);
  const plain = await firstText({ file, codec, areLinesQuoted: false });
  const isQuoted =
    options.asBefore === undefined
      ? areLinesQuoted(plain.text.slice(0, SAMPLE), plain.text.length > SAMPLE)
      : options.asBefore.lines === 'quoted';
  const { text, isMarked } = isQuoted ? await firstText({ file, codec, areLinesQuoted: true }) : plain;
  const lines = isQuoted ? ('quoted' as const) : undefined;
  const [separatorLine = '', , separator] = SEPARATOR_LINE.exec(text) ?? [];
  const table = text.slice(separatorLine.length);
  const givenHeader = saidHeader(options);
  const fromHeader = table.split(LINES).slice(Math.max(0, (givenHeader?.last ?? 0) - 1));
  // A table with the ending `.tsv` has tabs between its cells, unless another delimiter parts it better.
  const usual = /\.tsv$/i.test(path) ? 'tab' : 'comma';
  const delimiter =
    options.delimiter ?? delimiterOf(path, separator) ?? sniffDelimiter(fromHeader.join(''), usual);
  const rows = sampledRows(table, delimiter);
  const { readings, ...found } = listStart(rows, options);
  const { header } = found;
  const unnamed = unnamedIn(rows, header);
  // A row that has one cell less than all below it is their header.
  const start = { ...found, ...present({ readings: unnamed === 'first' ? undefined : readings }) };
  return {
    file,
    codec,
    isEncodingSaid: options.encoding !== undefined,
    isMarked,
    areLinesQuoted: isQuoted,
    delimiter,
    start,
    unnamed,
    notes: unnamed === 'first' ? [...notes, ROW_NAMES] : notes,
    ...present({ letters: header.last === 0 ? namesIn(rows, header) : undefined }),
    namesDelimiter: separator !== undefined,
    isPadded: options.ragged === 'pad',
    isStrict: options.strict === true,
    hasRow: rowsWithout(options.asBefore?.left_out ?? [], rowsBelow(header, options, path)),
    found: { ...keptOf(start), ...present({ lines, left_out: options.asBefore?.left_out }) },
    top: topRows(rows),
    ...present({ keptRecords: options.scratch && new KeptRecords(options.scratch) }),
  };
}

const ROW_NAMES =
  'Every row has one cell more than the header, so the first column has no name, ' +
  'and the names belong to the cells behind it.';

/**
 * Where the nameless cells are, if every row has one more than the header. They are in front, as in R, if no
 * two are the same and none is an identifier: an identifier there would mean that a cell was parted by
 * mistake. Blank ones are behind.
 */
function unnamedIn(rows: readonly SampledRow[], header: RowRange): Layout['unnamed'] {
  const names = rows.find(({ number }) => number === header.last)?.cells;
  const below = rows.filter(({ number }) => number > header.last).map(({ cells }) => cells);
  if (names === undefined || header.first < header.last || below.length === 0) return undefined;
  const areWider = (by: number): boolean => below.every((cells) => cells.length === names.length + by);
  if (areWider(-1) && names.at(-1)?.trim() === '') return 'none';
  if (!areWider(1)) return undefined;
  const isCounted = below.every(([cell], at) => cell === `${at + 1}`) && !NUMBER_NAME.test(names[0] ?? '');
  if (!isCounted && below.every((cells) => cells.at(-1)?.trim() === '')) return 'last';
  const first = new Set(below.map(([cell = '']) => cell));
  const isNamed = first.size === below.length && (first.size > 1 || first.has('1'));
  const isParted =
    first.has('') || [...first].some(isLookup) || below.every(([, second]) => second?.startsWith(' '));
  return isNamed && !isParted ? 'first' : undefined;
}

/** Spreadsheet programs write and obey it; some put it in quotes. */
const SEPARATOR_LINE = /^("?)sep=([^"\r\n])\1(?:\r\n|\n|\r|$)/i;

function delimiterOf(path: string, separator: string | undefined): Delimiter | undefined {
  const name = DELIMITER_NAMES.find((each) => DELIMITERS[each] === separator);
  if (name !== undefined || separator === undefined) return name;
  const fact = `${path}, line 1: "sep=${plainText(separator)}" names a separator that is not supported.`;
  throw stop('input', fact, `Save the file again with one of: ${DELIMITER_NAMES.join(', ')}.`);
}

/** No real file has more text than this above its header. */
const MOST_BYTES_LOOKED_AT = 1024 * 1024;

async function firstText(
  source: Pick<Layout, 'file' | 'codec' | 'areLinesQuoted'>,
): Promise<{ readonly text: string; readonly isMarked: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of textOf(source)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES_LOOKED_AT) break;
  }
  const bytes = Buffer.concat(chunks);
  const mark = markLength(bytes);
  return { text: bytes.toString('utf8', mark), isMarked: mark > 0 };
}

const LINES = /(?<=\n|\r(?!\n))/;

// --------------------------------------------------------------------------------- what stands between cells

/** Characters of a table from which its delimiter and its titles are guessed. */
const SAMPLE = 64 * 1024;

/** A table that R separates by spaces: a header in quotes, and rows that begin with their names in quotes. */
const BY_SPACES = /^"[^"\r\n]*"(?: "[^"\r\n]*")*\r?\n"[^"\r\n]*" \S/;

/** These part a list only where no other does so as evenly: they stand in cells as well. */
const RARE: readonly Delimiter[] = ['tilde', 'caret', 'ctrl-a'];
const rarity = (name: Delimiter): number => (RARE.includes(name) ? 1 : 0);

/**
 * The delimiter that parts the records most evenly, quotes respected. Among equals the one that finds more
 * columns, then the one that is more usual for the file's ending; a text that nothing parts is one column.
 */
function sniffDelimiter(text: string, usual: Delimiter): Delimiter {
  if (BY_SPACES.test(text)) return 'space';
  const others = DELIMITER_NAMES.filter(
    (name) => name !== usual && name !== 'space' && text.includes(DELIMITERS[name]),
  );
  if (others.length === 0) return usual;
  const scored = [usual, ...others].map((name) => {
    const records = sampledRecords(text, name);
    const width = usualWidth(records);
    return { name, width, evenness: evennessOf(records, width) };
  });
  // The sort is stable, so the order of the candidates decides last.
  const [best] = scored.sort(
    (a, b) => b.evenness - a.evenness || rarity(a.name) - rarity(b.name) || b.width - a.width,
  );
  return best === undefined || best.evenness === 0 ? usual : best.name;
}

/**
 * From 0, nothing is parted, to 2, every record has as many cells as the first. Where the first differs, the
 * delimiter only counts when it parts more than half of the records alike, or a title stands above a table
 * that is without fault.
 */
function evennessOf(records: readonly SampledRecord[], width: number): number {
  if (width < 2) return 0;
  const isEven = ({ cells, isSound }: SampledRecord): boolean => isSound && cells.length === width;
  const share = records.filter(isEven).length / records.length;
  const first = records.findIndex(({ cells }) => cells.length === width);
  if (first === 0) return 1 + share;
  if ((records[0]?.cells.length ?? 0) > 1 && share > 0.5) return share;
  const table = records.slice(first);
  const areTitles = records.slice(0, first).every(({ cells }) => filled(cells).length * 2 <= width);
  const isFootnote = (each: SampledRecord): boolean => each === table.at(-1) && each.cells.length === 1;
  const isTable = table.every((each) => isEven(each) || isFootnote(each));
  return areTitles && table.length >= LEAST_RECORDS_BELOW_A_TITLE && isTable ? share : 0;
}

/** A header and two rows: fewer could as well be a list of one column in which a comma happens to stand. */
const LEAST_RECORDS_BELOW_A_TITLE = 3;

/** A record of the sample that is neither blank nor a line of dashes. */
interface SampledRecord extends SampledRow {
  /**
   * Whether quotes stand only where a cell in quotes may have them. A wrong delimiter cuts through quotes.
   */
  readonly isSound: boolean;
}

const filled = (cells: readonly string[]): string[] => cells.map((cell) => cell.trim()).filter(Boolean);

/** The first rows that hold more than dashes. */
function sampledRows(text: string, delimiter: Delimiter): readonly SampledRow[] {
  return sampledRecords(text, delimiter)
    .filter(({ cells }) => filled(cells).length > 0)
    .slice(0, ROWS_SAMPLED);
}

/**
 * The records of the sample as the delimiter parts them. Bears damage, because a wrong guess looks like
 * damage.
 */
function sampledRecords(text: string, delimiter: Delimiter): readonly SampledRecord[] {
  const found: SampledRecord[] = [];
  let number = 0;
  const take = ({ record: cells, raw }: { record: string[]; raw: string }): null => {
    number += 1;
    if (isUnseen(raw) || isDashes(cells, true)) return null;
    const hasQuote = cells.some((cell) => cell.includes('"'));
    found.push({ cells, number, isSound: !hasQuote || !hasStrayQuote(Buffer.from(raw), delimiter) });
    return null;
  };
  const sample = text.slice(0, SAMPLE);
  try {
    parse(sample, { ...PARSING, delimiter: DELIMITERS[delimiter], raw: true, on_record: take as never });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  // The last one may be cut. A record that is longer than the sample is better than none.
  if (sample.length < text.length && found.length > 1) found.pop();
  return found;
}
