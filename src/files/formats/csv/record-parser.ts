import { CsvError, type CsvErrorCode, type Info, Parser } from 'csv-parse';
import { MOST_BYTES_PER_ROW } from './record-faults.ts';

/** csv-parse without knowledge of files and rows, so that it can run in a thread of its own. */

/** By which digests are kept: another version may find other cells, and so may the same one with other options. */
export const PARSER = 'csv-parse 7.0.3';

export interface ParserOptions {
  readonly delimiter: string;
  /** Whether it gets the very first byte, and may meet a byte-order mark. */
  readonly isFileStart: boolean;
  /** What another parser was given before the first text and left in no record. */
  readonly left?: Uint8Array;
}

export interface ParserFault {
  readonly code: CsvErrorCode;
  /** Where the cell at fault begins, counted from the end of the last record. */
  readonly bytes: number;
}

/** What was found in a text. Lists, and not an object for each record, are handed from thread to thread in half the time. */
export interface Found {
  readonly cells: readonly string[][];
  /** What the parser passed from the end of one record to that of the next. */
  readonly bytes: readonly number[];
  readonly lines: readonly number[];
  /** Behind all of the records, and nothing is parsed after it. */
  readonly fault: ParserFault | undefined;
}

export interface ParsedText extends Found {
  readonly text: Buffer;
  /** It was split by hand, so that no quote stands where none may. */
  readonly isPlain?: boolean;
}

/** Each text with the records that end in it; last an empty one, with what waited until no text followed. */
export async function* parsedHere(
  texts: AsyncIterable<Buffer>,
  options: ParserOptions,
): AsyncIterable<ParsedText> {
  const parser = new RecordParser(options);
  for await (const text of texts) yield { text, ...(await parser.parse(text)) };
  yield { text: NO_TEXT, ...(await parser.finish()) };
}

export const NO_TEXT = Buffer.alloc(0);

type Lists = { readonly [List in keyof Omit<Found, 'fault'>]: Found[List][number][] };

/** The same parser for texts that come by themselves. A CR in one of them alters how all that follows is parsed. */
export class RecordParser {
  readonly #delimiter: string;
  /** Whether no record was found yet, and the text began with the file. */
  #isFileStart: boolean;
  #parser: CsvParser | undefined;
  /** The text behind the last record before this chunk, and how much of it is in records by now. */
  #rest: Buffer;
  #passed = 0;
  /** What the parser had counted by the end of the last record. */
  #bytes = 0;
  #lines = 0;
  #found: Lists = { cells: [], bytes: [], lines: [] };

  constructor({ delimiter, isFileStart, left = NO_TEXT }: ParserOptions) {
    this.#delimiter = delimiter;
    this.#isFileStart = isFileStart;
    this.#rest = Buffer.from(left);
  }

  parse(text: Buffer): Promise<Found> {
    this.#rest = Buffer.concat([this.#rest.subarray(this.#passed), text]);
    this.#passed = 0;
    if (this.#parser?.canRead(text)) return this.#foundBy((parser, done) => parser.write(text, done));
    this.#parser = this.#beginAnew();
    return this.#foundBy((parser, done) => parser.write(this.#rest, done));
  }

  /** The same for what it has kept back until it knew that no text follows. */
  finish(): Promise<Found> {
    return this.#foundBy((parser, done) => parser.end(done));
  }

  /** With what another one goes on behind the last record. */
  left(): ParserOptions {
    const left = new Uint8Array(this.#rest.subarray(this.#passed));
    return { delimiter: this.#delimiter, isFileStart: this.#isFileStart, left };
  }

  #beginAnew(): CsvParser {
    this.#bytes = 0;
    this.#lines = 0;
    return new CsvParser({
      delimiter: this.#delimiter,
      isFileStart: this.#isFileStart,
      lineEnds: lineEndsOf(this.#rest),
      onRecord: (cells, info) => this.#take(cells, info),
    });
  }

  #take(cells: string[], { bytes, lines }: Info): void {
    this.#found.cells.push(cells);
    this.#found.bytes.push(bytes - this.#bytes);
    this.#found.lines.push(lines - this.#lines);
    this.#passed += bytes - this.#bytes;
    this.#bytes = bytes;
    this.#lines = lines;
    this.#isFileStart = false;
  }

  async #foundBy(give: (parser: CsvParser, done: (error?: Error | null) => void) => void): Promise<Found> {
    this.#found = { cells: [], bytes: [], lines: [] };
    const parser = this.#parser;
    if (parser === undefined) return { ...this.#found, fault: undefined };
    const error = await new Promise<Error | null | undefined>((done) => give(parser, done));
    return { ...this.#found, fault: error ? this.#faultOf(error, parser.info) : undefined };
  }

  #faultOf(error: Error, { bytes }: Info): ParserFault {
    if (!(error instanceof CsvError)) throw error;
    return { code: error.code, bytes: bytes - this.#bytes };
  }
}

/** What may end a record. The parser looks for each of them at every character, so a text without CR is read faster. */
type LineEnds = 'lf' | 'any';

const LINE_ENDS: { readonly [Ends in LineEnds]: string[] } = { lf: ['\n'], any: ['\r\n', '\n', '\r'] };

interface CsvParserOptions extends ParserOptions {
  readonly lineEnds: LineEnds;
  /** @param info what the parser has counted, from where it began. */
  readonly onRecord: (cells: string[], info: Info) => void;
}

class CsvParser extends Parser {
  readonly #options: CsvParserOptions;

  constructor(options: CsvParserOptions) {
    super({
      bom: options.isFileStart,
      delimiter: options.delimiter,
      max_record_size: MOST_BYTES_PER_ROW,
      record_delimiter: LINE_ENDS[options.lineEnds],
      // Widths are checked by the reader, which knows which row this is.
      relax_column_count: true,
      // So are quotes where none may stand: the record ends with its line then.
      relax_quotes: true,
      skip_empty_lines: true,
    });
    this.#options = options;
    // Who gives it a text is told of the error; without a listener it would end the process, too.
    this.on('error', () => {});
  }

  /** Whether it would find each line end of the text. */
  canRead(text: Buffer): boolean {
    return this.#options.lineEnds === 'any' || lineEndsOf(text) === 'lf';
  }

  /**
   * Where the parser would put a record into its queue. Its own way to hand them over, `on_record`, makes an object of all
   * that is known for each of them.
   * @param cells null: there are no more.
   */
  override push(cells: string[] | null): boolean {
    if (cells === null) return true;
    // A record that differs in width from the first that was counted costs an error object with its stack, many times as
    // long as the record itself takes, also where any width will do. So none is counted.
    const counts: { records: number } = this.info;
    counts.records = 0;
    this.#options.onRecord(cells, this.info);
    return true;
  }
}

const CR = 0x0d;

function lineEndsOf(text: Buffer): LineEnds {
  return text.includes(CR) ? 'any' : 'lf';
}
