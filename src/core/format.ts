import { FORMATS } from './families.ts';
import { loadFamily } from './family.ts';
import type { JsonObject } from './operation.ts';
import type { FoundLayout, Reading } from './reading.ts';
import type { InputRow, RowNumber } from './row.ts';
import type { RowRange } from './row-range.ts';

/**
 * The contract of a file format. Reading and writing stream: memory does not grow with the file.
 * One contract suite round-trips the same rows through every format in `formats/`.
 */

export interface ValuedRow extends InputRow {
  readonly object?: JsonObject;
}

/**
 * What one pass over the whole file learned. Made before anything is paid for, so damage is found in time.
 */
export interface Survey {
  readonly sha256: string;
  readonly bytes: number;
  /** The encoding in words: `UTF-8 with byte-order mark`. */
  readonly encoding: string;
  /** The delimiter in words: `comma`; `cells` where nothing stands between them. */
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly rows: number;
}

/**
 * What is appended to each of some rows, or `undefined` for a row that is left out of the copy, where only
 * some are wanted.
 */
export type CellsFor = (rows: readonly ValuedRow[]) => Promise<readonly (readonly string[] | undefined)[]>;

export interface CopyOptions {
  readonly columns: readonly string[];
  readonly dropped: ReadonlySet<string>;
  /** Is called with a whole sentence where the copy cannot be the same as the file. */
  readonly note?: (sentence: string) => void;
  /** Whether only some rows are wanted: then what is left out of the table is not in the copy either. */
  readonly isPart?: boolean;
  /**
   * Whether a workbook is to be a new one of the values alone; left out: the same with cells added, where
   * that can be.
   */
  readonly byValue?: boolean;
  /**
   * Whether what is appended is JSON, such as `12` and `["a"]`, and blank where there is nothing; left out:
   * text.
   */
  readonly isJson?: boolean;
}

export interface Correction {
  readonly row: RowNumber;
  readonly column: string;
  readonly value: string;
}

/** How a file is to be read: as somebody says, and what no user says. Left out: as the file looks. */
export interface ReadOptions extends Reading {
  /** A row that cannot be read refuses the file; left out: it is set aside, see `InputRow.unreadable`. */
  readonly strict?: boolean;
  /** The columns that a job names: a row that has them is the header. */
  readonly wanted?: readonly string[];
  /** What an earlier batch had found out about the same bytes: nothing is guessed then. */
  readonly asBefore?: FoundLayout;
}

/** Where a list begins, as it was said, found before, or found out. Who reads a list passes it on. */
export interface ListStart {
  /** `NO_HEADER` where no row has the names of the columns. */
  readonly header: RowRange;
  /**
   * Whether that was found out, and is not what any reader would take: it is said, and kept with the batch.
   */
  readonly isFound: boolean;
  /** All ways to read it, the likelier first, where nobody but a person can say which. */
  readonly readings?: readonly StartReading[];
}

export interface StartReading {
  readonly header: RowRange;
  /** The row that would be the header; where there is none the first of the list. */
  readonly row: RowNumber;
  readonly text: string;
}

export interface TopRow {
  readonly row: RowNumber;
  readonly text: string;
}

export interface Tab {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isRead: boolean;
}

/**
 * A file as its format reads it. How it is read is found out once, when it is opened, and holds for all that
 * is done with it; each method reads the file again, and no faster than what it gives is taken.
 */
export interface Sheet {
  /** All sheets of the workbook that it is one of; absent where a file is a table by itself. */
  readonly tabs?: readonly Tab[];
  /** What was found out and is worth saying aloud, in whole sentences. */
  readonly notes: readonly string[];
  /** What was guessed about the table, or told by `asBefore`; what a user says is no part of it. */
  readonly layout: FoundLayout;
  readonly start: ListStart;
  /** The first rows that hold something, among which the header is to be found. */
  readonly top: readonly TopRow[];
  /**
   * Reads the whole file once.
   * @throws StopError `input` with the line, when the file cannot be read as this format.
   * @param onRow is called with every row that is not blank, so that the caller need not read the file twice.
   */
  survey(onRow?: (row: InputRow) => void): Promise<Survey>;
  header(): Promise<readonly string[]>;
  /**
   * Every row that is not blank, in order, in groups as they are read: waiting for each of a million would
   * take too long. Those that cannot be read are among them.
   */
  groups(): AsyncIterable<readonly ValuedRow[]>;
  /**
   * A copy of the file with cells appended to each row: every byte that was not ours stays as it was, blank
   * lines, quoting, byte-order mark and line ends included. Yields chunks to write. Behind what is appended
   * to a row that cannot be read stand the cells that it has too many, so that ours stand below their names.
   */
  copy(options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer>;
  /**
   * The file with these cells replaced and everything else as it was. Absent for JSON lines.
   * @param note as in `CopyOptions`.
   * @throws StopError `input` for a row or a column that is not there, and for a row that cannot be read.
   */
  corrected?(corrections: readonly Correction[], note?: (sentence: string) => void): AsyncIterable<Buffer>;
}

/**
 * The bytes of an input, which are the same whenever they are read: bytes that were read after a change of
 * the file are never handed over. Every method throws StopError `input` then, and when the file is missing, a
 * folder, not a regular file, or not readable.
 */
export interface FileBytes {
  readonly path: string;
  /**
   * The bytes in order, read no faster than chunks are taken; the file is closed when the caller stops
   * taking.
   * @param startByte left out: the first.
   * @param endByte the first byte that is not wanted; left out: there is none.
   */
  chunks(startByte?: number, endByte?: number): AsyncIterable<Buffer>;
  /** Exactly `length` bytes. @throws Error when the file ends before. */
  bytesAt(position: number, length: number): Promise<Buffer>;
  size(): Promise<number>;
  sha256(): Promise<string>;
}

export interface Format {
  readonly name: string;
  /** Lower-case endings of the file names that this format reads, with the dot. */
  readonly extensions: readonly string[];
  /**
   * Reads the file through what it is given, and in no other way.
   * @throws StopError `input` when it is not such a file, or cannot be read as the options say.
   */
  open(file: FileBytes, options: ReadOptions): Promise<Sheet>;
}

/** The endings of the names of all files that some format reads. */
export async function readableEndings(): Promise<readonly string[]> {
  const formats = await loadFamily<Format>(FORMATS);
  return [...formats.values()].flatMap(({ extensions }) => extensions);
}
