import { type Info, Parser } from 'csv-parse';
import { DELIMITERS, type Delimiter } from '../../../core/format.ts';
import { MOST_BYTES_PER_ROW } from './record-faults.ts';

/** csv-parse as lists are read with it: it is given chunks of text, and hands over records as soon as it has them. */

/** What may end a record. The parser looks for each of them at every character, so a text without CR is read faster. */
type LineEnds = 'lf' | 'any';

const LINE_ENDS: { readonly [Ends in LineEnds]: string[] } = { lf: ['\n'], any: ['\r\n', '\n', '\r'] };

export interface ParserOptions {
  readonly delimiter: Delimiter;
  /** Whether it gets the very first byte, and may meet a byte-order mark. */
  readonly isFileStart: boolean;
  readonly lineEnds: LineEnds;
  /** @param info what the parser has counted, from where it began. */
  readonly onRecord: (cells: string[], info: Info) => void;
}

export class RecordParser extends Parser {
  readonly #options: ParserOptions;

  constructor(options: ParserOptions) {
    super({
      bom: options.isFileStart,
      delimiter: DELIMITERS[options.delimiter],
      max_record_size: MOST_BYTES_PER_ROW,
      record_delimiter: LINE_ENDS[options.lineEnds],
      // Widths are checked by the reader, which knows which row this is.
      relax_column_count: true,
      // So are quotes where none may stand: the record ends with its line then.
      relax_quotes: true,
      skip_empty_lines: true,
    });
    this.#options = options;
    // `parse` rejects with the error; without a listener it would end the process, too.
    this.on('error', () => {});
  }

  /** Whether it would find each line end of the text. */
  canRead(text: Buffer): boolean {
    return this.#options.lineEnds === 'any' || lineEndsOf(text) === 'lf';
  }

  /** Resolves when it has worked through the text; rejects with what it found wrong. */
  parse(text: Buffer): Promise<void> {
    return settled((done) => this.write(text, done));
  }

  /** The same for what it has kept back until it knew that no text follows. */
  finish(): Promise<void> {
    return settled((done) => this.end(done));
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

export function lineEndsOf(text: Buffer): LineEnds {
  return text.includes(CR) ? 'any' : 'lf';
}

function settled(give: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => give((error) => (error ? reject(error) : resolve())));
}
