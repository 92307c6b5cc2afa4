import type { InputRow, RowNumber } from './row.ts';

/**
 * The contract of a file format. Reading and writing stream: memory does not grow with the file.
 * One contract suite round-trips the same rows through every format in `formats/`.
 */

/** Where in the file a row starts, so that a resumed run need not parse what is settled. */
export interface Position {
  readonly row: RowNumber;
  readonly byteOffset: number;
  /** Lines before the row, for messages. */
  readonly lines: number;
}

/** A row with where it stands. */
export interface PositionedRow extends InputRow {
  readonly position: Position;
}

/** What one pass over the whole file learned. Made before anything is paid for, so damage is found in time. */
export interface Survey {
  /** SHA-256 of the file's bytes, hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** As a person calls it: `UTF-8 with byte-order mark`. */
  readonly encoding: string;
  /** What stands between cells, as a person calls it: `comma`. */
  readonly delimiter: string;
  readonly header: readonly string[];
  /** Records below the header that are not blank. */
  readonly rows: number;
}

/** What is appended to one row, or `undefined` for a row that is left out of the copy. */
export type CellsFor = (row: InputRow) => Promise<readonly string[] | undefined>;

export interface CopyOptions {
  /** Names of the cells that are appended. */
  readonly columns: readonly string[];
  /** Columns of the input that are left out, because they are an earlier run's. */
  readonly dropped: ReadonlySet<string>;
}

export interface Format {
  readonly name: string;
  /** Lower-case endings of the file names that this format reads, with the dot. */
  readonly extensions: readonly string[];
  /**
   * Reads the whole file once. @throws StopError `input` with the line, when the file cannot be read as this format.
   * @param onRow hears of every row that is not blank, so that whoever wants both need not read the file twice.
   */
  survey(path: string, onRow?: (row: InputRow) => void): Promise<Survey>;
  /** The header alone. @throws StopError `input`. */
  header(path: string): Promise<readonly string[]>;
  /** Every row that is not blank, in order, from a position on; the file is read no faster than rows are taken. */
  rows(path: string, from?: Position): AsyncIterable<PositionedRow>;
  /** The same from the start, in groups as they are read, for a million rows of which none is waited for by itself. */
  groups(path: string): AsyncIterable<readonly InputRow[]>;
  /**
   * A copy of the file with cells appended to each row: every byte that was not ours stays as it was, blank lines,
   * quoting, byte-order mark and line ends included. Yields chunks to write.
   */
  copy(path: string, options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer>;
}
