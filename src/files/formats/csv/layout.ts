import { type StopError, stop } from '../../../core/errors.ts';
import {
  DELIMITER_NAMES,
  DELIMITERS,
  type Delimiter,
  type Digests,
  type Encoding,
  type FileBytes,
  type FoundLayout,
  NAMED_ENCODINGS,
  type NamedEncoding,
  type Position,
  type ReadOptions,
  type TopRow,
} from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { counted, plainText } from '../../../core/plain-text.ts';
import type { RowNumber } from '../../../core/row.ts';
import { type RowRange, readHeaderRows, readRowRange, rowRangeText } from '../../../core/row-range.ts';
import { loadByteTable } from '../../byte-table.ts';
import { rowsWithout } from '../../shape/left-out.ts';
import { topRows } from '../../shape/shape-words.ts';
import { findEncoding } from './encoding.ts';
import { markLength, nextLine } from './raw-record.ts';
import { PARSER } from './record-parser.ts';
import { findHeaderRows, firstCells, firstRows, sniffDelimiter, type TextSample } from './sniff.ts';
import { type TextSource, textOf } from './text-source.ts';

/** How a file of delimited text is to be read: found out once, before anything is read of it. */
export interface Layout extends TextSource {
  /** Bytes of the file. */
  readonly size: number;
  readonly delimiter: Delimiter;
  /** Whether rows of another width than the header are padded, or refused. */
  readonly isPadded: boolean;
  /** Whether a row that cannot be read refuses the file. */
  readonly isStrict: boolean;
  /** What stands above the header, as UTF-8: byte-order mark, `sep=` line, title lines. */
  readonly preamble: Buffer;
  /** The position of the header, or of the blank lines above it. */
  readonly start: Position;
  /** The rows of the header; the reading starts with the last of them. */
  readonly header: RowRange;
  /** What the upper row of a header of two rows says. */
  readonly upper?: readonly string[];
  /** Whether a row below the header is one of the table. */
  readonly hasRow: (row: RowNumber) => boolean;
  readonly found: FoundLayout;
  readonly top: readonly TopRow[];
  readonly notes: readonly string[];
  readonly digests: Digests;
}

/**
 * Reads the file's start; and all of it, once, where only that tells UTF-8 from Windows-1252.
 * @throws StopError `input` when the file is of another kind than its name says, or has fewer rows than were named.
 */
export async function findLayout(file: FileBytes, options: ReadOptions): Promise<Layout> {
  const { path } = file;
  const { encoding, notes } = await findEncoding(file, options.encoding);
  if (isNamed(encoding)) await loadByteTable(encoding);
  const source = { file, encoding };
  const said = readHeaderRows(options.headerRow ?? options.asBefore?.headerRow ?? '');
  const first = await readTop(source, said === undefined ? (options.skipLines ?? 0) : said.last - 1);
  // A table whose name says so has tabs between its cells, unless another delimiter parts it better.
  const usual = /\.tsv$/i.test(path) ? 'tab' : 'comma';
  const delimiter = options.delimiter ?? first.separator ?? sniffDelimiter(first.sample, usual);
  return {
    ...source,
    ...(await findTable(source, options, { said, first, delimiter })),
    size: await file.size(),
    delimiter,
    isPadded: options.ragged === 'pad',
    isStrict: options.strict === true,
    notes,
  };
}

const isNamed = (encoding: Encoding): encoding is NamedEncoding =>
  NAMED_ENCODINGS.some((name) => name === encoding);

/** Where the table begins and which rows are its, as was said, as it was before, or as the first rows look. */
async function findTable(
  source: TextSource,
  options: ReadOptions,
  { said, first, delimiter }: { said: RowRange | undefined; first: Top; delimiter: Delimiter },
): Promise<Pick<Layout, 'header' | 'upper' | 'hasRow' | 'found' | 'top' | 'preamble' | 'start' | 'digests'>> {
  const mayGuess = said === undefined && options.skipLines === undefined && options.asBefore === undefined;
  const found = mayGuess ? findHeaderRows(first.sample, delimiter) : undefined;
  const { preamble, start } = found === undefined ? first : await readTop(source, found.last - 1);
  const header = said ?? found ?? { first: start.row, last: start.row };
  const only = readRowRange(options.rows ?? '');
  if (only !== undefined && only.first <= header.last) throw rowsAboveHeader(source.file.path, only, header);
  const upper = header.first === header.last ? undefined : (await readTop(source, header.first - 1)).sample;
  const guessed = options.asBefore?.headerRow ?? (found && rowRangeText(found));
  return {
    ...present({ upper: upper && firstCells(upper, delimiter) }),
    header,
    hasRow: rowsWithout(options.asBefore?.leftOut ?? [], only),
    found: present({ headerRow: guessed, leftOut: options.asBefore?.leftOut }),
    top: topRows(firstRows(said === undefined ? first.sample : (await readTop(source, 0)).sample, delimiter)),
    preamble,
    start,
    digests: {
      reading: [PARSER, source.encoding, delimiter, start.row, start.byteOffset].join(' '),
      pieces: undefined,
    },
  };
}

function rowsAboveHeader(path: string, only: RowRange, header: RowRange): StopError {
  const fact = `${path}: --rows begins with row ${only.first}, and row ${header.last} is the header.`;
  return stop('input', fact, 'Name the rows below the header, or the header with --header-row.');
}

/** The first bytes of a text, parted into what stands above the header and a sample of the table. */
interface Top {
  /** What a first line such as `sep=;` says. */
  readonly separator: Delimiter | undefined;
  /** What stands above the header, as UTF-8. It is empty where the header is on the first line, with the byte-order mark. */
  readonly preamble: Buffer;
  /** The position of the header, or of the blank lines above it. */
  readonly start: Position;
  readonly sample: TextSample;
}

/** The bytes of a table from which its delimiter and its titles are guessed. */
const SAMPLE_BYTES = 64 * 1024;

/** What stands above the header waits in memory. Nobody has a megabyte of it. */
const MOST_BYTES_OF_PREAMBLE = 1024 * 1024;

/** @throws StopError `input` when there are not so many lines to skip, or the `sep=` line names what cannot be read. */
async function readTop(source: TextSource, skipLines: number): Promise<Top> {
  const { path } = source.file;
  const { text, isWhole } = await firstBytes(source, skipLines);
  const above = aboveHeader(text, skipLines);
  if (above.lines < skipLines) throw tooFewLines(path, skipLines, above.lines, isWhole);
  const isSeparated = above.separator !== undefined;
  const table = text.subarray(Math.max(above.length, markLength(text)));
  return {
    separator: isSeparated ? separatorOf(path, above.separator) : undefined,
    preamble: Buffer.from(text.subarray(0, above.length)),
    // Spreadsheets show title lines as rows, but take a `sep=` line for themselves.
    start: { row: skipLines + 1, byteOffset: above.length, lines: skipLines + (isSeparated ? 1 : 0) },
    sample: {
      text: table.subarray(0, SAMPLE_BYTES).toString(),
      isWhole: isWhole && table.length <= SAMPLE_BYTES,
    },
  };
}

/** All that stands above the header and a sample below it, or the whole text when it has no more. */
async function firstBytes(
  source: TextSource,
  skipLines: number,
): Promise<{ readonly text: Buffer; readonly isWhole: boolean }> {
  let text = Buffer.alloc(0);
  for await (const chunk of textOf(source)) {
    text = Buffer.concat([text, chunk]);
    const { length, lines } = aboveHeader(text, skipLines);
    const isEnough = lines === skipLines && text.length - length >= SAMPLE_BYTES;
    if (isEnough || text.length > MOST_BYTES_OF_PREAMBLE) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}

interface AboveHeader {
  readonly separator: string | undefined;
  /** Lines that were skipped; fewer than wanted when the text has no more. */
  readonly lines: number;
  /** Bytes; 0 when there is nothing but a byte-order mark, which then belongs to the header. */
  readonly length: number;
}

function aboveHeader(text: Buffer, skipLines: number): AboveHeader {
  const mark = markLength(text);
  const firstEnd = nextLine(text, mark) ?? mark;
  const separator = SEPARATOR_LINE.exec(text.subarray(mark, firstEnd).toString())?.groups?.separator;
  let length = separator === undefined ? mark : firstEnd;
  let lines = 0;
  for (; lines < skipLines; lines += 1) {
    const next = nextLine(text, length);
    if (next === undefined) break;
    length = next;
  }
  return { separator, lines, length: length === mark ? 0 : length };
}

/** Spreadsheet programs write and obey it; some put it in quotes. */
const SEPARATOR_LINE = /^(?<quote>"?)sep=(?<separator>[^"\r\n])\k<quote>[\r\n]*$/i;

function separatorOf(path: string, character = ''): Delimiter {
  const name = DELIMITER_NAMES.find((each) => DELIMITERS[each] === character);
  if (name !== undefined) return name;
  const fact = `${path}, line 1: "sep=${plainText(character)}" names a separator that is not supported.`;
  throw stop('input', fact, `Save the file again with one of: ${DELIMITER_NAMES.join(', ')}.`);
}

function tooFewLines(path: string, wanted: number, found: number, isWhole: boolean): StopError {
  const lines = `${counted(wanted, 'line')} above the header`;
  const fact = isWhole
    ? `${path} has ${counted(found, 'line')} in all, so there are no ${lines}.`
    : `${path}: the ${lines} are more than ${MOST_BYTES_OF_PREAMBLE} bytes.`;
  return stop(
    'input',
    fact,
    'Give --header-row the row of the column names, or --skip-lines the lines above them.',
  );
}
