import { stop } from '../../../core/errors.ts';
import type { FileBytes, ListStart, ReadOptions, TopRow } from '../../../core/format.ts';
import { present } from '../../../core/objects.ts';
import { plainText } from '../../../core/plain-text.ts';
import { DELIMITER_NAMES, DELIMITERS, type Delimiter, type FoundLayout } from '../../../core/reading.ts';
import type { RowNumber } from '../../../core/row.ts';
import type { RowRange } from '../../../core/row-range.ts';
import { rowsWithout } from '../../shape/left-out.ts';
import { keptOf, listStart, namesIn, rowsBelow, saidHeader, topRows } from '../../shape/list-start.ts';
import { firstRows, sniffDelimiter, type TextSample } from './sniff.ts';
import { type Codec, codecOf, findEncoding, textOf } from './text.ts';

/** How a file of delimited text is to be read: found out once, before anything is read of it. */
export interface Layout {
  readonly file: FileBytes;
  readonly codec: Codec;
  readonly isMarked: boolean;
  readonly delimiter: Delimiter;
  /** Whether a first line such as `sep=;` says so. Spreadsheets show title lines as rows, but take that one for themselves. */
  readonly namesDelimiter: boolean;
  /** Whether rows of another width than the header are padded, or refused. */
  readonly isPadded: boolean;
  /** Whether a row that cannot be read refuses the file. */
  readonly isStrict: boolean;
  readonly header: RowRange;
  readonly start: ListStart;
  /** The names of the columns of a list without a header. */
  readonly letters?: readonly string[];
  /** Whether a record may be the header, by its row and the line where it begins. */
  readonly isHeader: (row: RowNumber, line: number) => boolean;
  /** Whether a row below the header is one of the table. */
  readonly hasRow: (row: RowNumber) => boolean;
  readonly found: FoundLayout;
  readonly top: readonly TopRow[];
  readonly notes: readonly string[];
}

/** @throws StopError `input` when the file is of another kind than its name says, or its options contradict each other. */
export async function findLayout(file: FileBytes, options: ReadOptions): Promise<Layout> {
  const { path } = file;
  const { encoding, notes } = await findEncoding(file, options.encoding);
  const codec = await codecOf(encoding);
  const { text, isMarked, isWhole } = await firstText(file, codec);
  const [separatorLine = '', , separator] = SEPARATOR_LINE.exec(text) ?? [];
  const table = text.slice(separatorLine.length);
  const said = saidHeader(options);
  const skipped = said === undefined ? (options.skip_lines ?? 0) : 0;
  const above = said === undefined ? skipped : Math.max(0, said.last - 1);
  const sample = sampleBelow(above, { text: table, isWhole });
  // A table whose name says so has tabs between its cells, unless another delimiter parts it better.
  const usual = /\.tsv$/i.test(path) ? 'tab' : 'comma';
  const delimiter = options.delimiter ?? delimiterOf(path, separator) ?? sniffDelimiter(sample, usual);
  const rows = firstRows(sample, delimiter);
  const start = listStart(rows, options);
  const { header, isFound } = start;
  const only = rowsBelow(header, options, path);
  const linesAbove = skipped + (separator === undefined ? 0 : 1);
  const isSaid = said !== undefined || isFound;
  return {
    ...{ file, codec, isMarked, delimiter, start, header, notes },
    ...present({ letters: header.last === 0 ? namesIn(rows, header) : undefined }),
    namesDelimiter: separator !== undefined,
    isPadded: options.ragged === 'pad',
    isStrict: options.strict === true,
    isHeader: (row, line) => (isSaid ? row >= header.last : line > linesAbove),
    hasRow: rowsWithout(options.asBefore?.left_out ?? [], only),
    found: { ...keptOf(start), ...present({ left_out: options.asBefore?.left_out }) },
    top: topRows(above === 0 ? rows : firstRows(sampleBelow(0, { text: table, isWhole }), delimiter)),
  };
}

/** Spreadsheet programs write and obey it; some put it in quotes. */
const SEPARATOR_LINE = /^("?)sep=([^"\r\n])\1(?:\r\n|\n|\r|$)/i;

function delimiterOf(path: string, separator: string | undefined): Delimiter | undefined {
  const name = DELIMITER_NAMES.find((each) => DELIMITERS[each] === separator);
  if (name !== undefined || separator === undefined) return name;
  const fact = `${path}, line 1: "sep=${plainText(separator)}" names a separator that is not supported.`;
  throw stop('input', fact, `Save the file again with one of: ${DELIMITER_NAMES.join(', ')}.`);
}

/** Nobody has more of it above a header. */
const MOST_BYTES_LOOKED_AT = 1024 * 1024;

/** Characters of a table from which its delimiter and its titles are guessed. */
const SAMPLE = 64 * 1024;

async function firstText(
  file: FileBytes,
  codec: Codec,
): Promise<TextSample & { readonly isMarked: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of textOf(file, codec)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES_LOOKED_AT) break;
  }
  const text = Buffer.concat(chunks).toString();
  const isMarked = text.startsWith('\uFEFF');
  return { text: isMarked ? text.slice(1) : text, isMarked, isWhole: length <= MOST_BYTES_LOOKED_AT };
}

function sampleBelow(lines: number, { text, isWhole }: TextSample): TextSample {
  const below = lines === 0 ? text : text.split(LINES).slice(lines).join('');
  return { text: below.slice(0, SAMPLE), isWhole: isWhole && below.length <= SAMPLE };
}

const LINES = /(?<=\n|\r(?!\n))/;
