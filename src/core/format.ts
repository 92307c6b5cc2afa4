import type { FileHandle } from 'node:fs/promises';
import { FORMATS, loadFamily } from './families.ts';
import type { JsonObject } from './operation.ts';
import type { FoundLayout, Reading } from './reading.ts';
import type { InputRow, RowNumber, RowRange } from './row.ts';

/**
 * The contract of a file format. Reading and writing stream: memory does not grow with the file.
 * One contract suite round-trips the same rows through every format in `formats/`.
 */

export interface ValuedRow extends InputRow {
  readonly object?: JsonObject;
}

/**
 * The facts that one pass over the whole file found. It is made before anything is paid for, so damage is
 * found in time.
 */
export interface Survey {
  readonly sha256: string;
  readonly header: readonly string[];
  readonly rows: number;
}

/**
 * The cells that are appended to each row; `undefined` for a row that is left out of the copy, where only
 * some rows are wanted.
 */
export type CellsFor = (rows: readonly ValuedRow[]) => Promise<readonly (readonly string[] | undefined)[]>;

export interface CopyOptions {
  readonly columns: readonly string[];
  readonly dropped: ReadonlySet<string>;
  /** Called with a whole sentence where the copy cannot be the same as the file. */
  readonly note?: (sentence: string) => void;
  /** Whether only some rows are wanted: then the copy leaves out the parts outside of the table, too. */
  readonly isPart?: boolean;
  /**
   * Whether a workbook becomes a new one of the values alone; left out: the same workbook with cells added,
   * where that is possible.
   */
  readonly byValue?: boolean;
  /**
   * Whether the appended cells are JSON, such as `12` and `["a"]`, and blank where there is nothing; left
   * out: text.
   */
  readonly isJson?: boolean;
}

export interface Correction {
  readonly row: RowNumber;
  readonly column: string;
  readonly value: string;
}

/**
 * How a file is to be read: the user's choices, and settings that no user gives. Left out: the file itself
 * decides.
 */
export interface ReadOptions extends Reading {
  /** A row that cannot be read refuses the file; left out: it is set aside, see `InputRow.unreadable`. */
  readonly strict?: boolean;
  /**
   * Whether a person agrees to a very large list now, or need not be asked, because the store keeps nothing
   * of it; left out: one who has not agreed before is asked.
   */
  readonly large?: 'agreed' | 'unasked';
  /** The columns that a job names: a row that has them is the header. */
  readonly wanted?: readonly string[];
  /** The findings of an earlier batch about the same bytes: then nothing is guessed. */
  readonly asBefore?: FoundLayout;
  /**
   * Opens a file in which what was read may wait for the next reading. Left out where no list is read more
   * than once.
   */
  readonly scratch?: () => Promise<FileHandle>;
}

/**
 * The place where a list begins: as a user said, as a batch found, or as was found now. The reader of a list
 * passes it on.
 */
export interface ListStart {
  /** `NO_HEADER` where no row has the names of the columns. */
  readonly header: RowRange;
  /**
   * Whether the start was found, and differs from the usual one: then the user is told, and the batch keeps
   * it.
   */
  readonly isFound: boolean;
  /** Rows right below the header that say what its columns are, as a survey has them. */
  readonly describing?: RowRange;
  /** All ways to read the list, the likelier first, where only a person can decide. */
  readonly readings?: readonly StartReading[];
}

export interface TopRow {
  readonly row: RowNumber;
  readonly text: string;
}

/** The row is the one that would be the header; where there is none, the first row of the list. */
export interface StartReading extends TopRow {
  readonly header: RowRange;
}

export interface Tab {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isRead: boolean;
}

/**
 * A file as its format reads it. How to read it is found once, when it is opened, and holds for everything
 * that is done with it. Each method reads the file again, no faster than the caller takes the result.
 */
export interface Sheet {
  /** All sheets of its workbook; absent where a file is a table by itself. */
  readonly tabs?: readonly Tab[];
  /** The encoding in words: `UTF-8 with byte-order mark`. */
  readonly encoding: string;
  /** The delimiter in words: `comma`; `cells` where nothing stands between them. */
  readonly delimiter: string;
  /** How many rows it has, where that is known as soon as it is open. */
  readonly rows?: number;
  /** Findings that the user should hear, in whole sentences. */
  readonly notes: readonly string[];
  /** The guesses about the table, or the layout of `asBefore`; the user's choices are no part of it. */
  readonly layout: FoundLayout;
  readonly start: ListStart;
  /** The first rows that hold something. The header is among them. */
  readonly top: readonly TopRow[];
  /**
   * Reads the whole file once.
   * @throws StopError `input` with the line, when the file cannot be read as this format.
   * @param onRow is called with every row that is not blank, so that the caller need not read the file twice.
   */
  survey(onRow?: (row: InputRow) => void): Promise<Survey>;
  header(): Promise<readonly string[]>;
  /**
   * Every row that is not blank, in order, in groups as they are read: waiting for each of a million rows
   * would take too long. Unreadable rows are among them.
   */
  groups(): AsyncIterable<readonly ValuedRow[]>;
  /**
   * The text in which the cells stand as they are, UTF-8, in pieces cut anywhere: whether it has a word is
   * seen without reading the rows. Absent where a file has no such text.
   */
  text?(): AsyncIterable<Buffer>;
  /**
   * A copy of the file with cells appended to each row: every byte that was not ours stays as it was, blank
   * lines, quoting, byte-order mark and line ends included. Yields chunks to write. In a row that cannot be
   * read, its surplus cells stand behind ours, so that ours stand below their names.
   */
  copy(options: CopyOptions, cellsFor: CellsFor): AsyncIterable<Buffer>;
  /**
   * The file with these cells replaced and everything else as it was. Absent for JSON lines.
   * @param note the same as in `CopyOptions`.
   * @throws StopError `input` for a row or a column that is not there, and for a row that cannot be read.
   */
  corrected?(corrections: readonly Correction[], note?: (sentence: string) => void): AsyncIterable<Buffer>;
}

/**
 * The bytes of an input, which are the same whenever they are read: bytes that were read after a change of
 * the file are never handed over. Every method then throws StopError `input`, and also when the file is
 * missing, a folder, not a regular file, or not readable.
 */
export interface FileBytes {
  readonly path: string;
  /**
   * The bytes in order, read no faster than chunks are taken; the file is closed when the caller stops
   * taking.
   * @param startByte left out: the first.
   */
  chunks(startByte?: number): AsyncIterable<Buffer>;
  /** The bytes from there on, `most` of them or all that there are. */
  bytesAt(position: number, most: number): Promise<Buffer>;
  sha256(): Promise<string>;
}

export interface Format {
  readonly name: string;
  /** Lower-case endings of the file names that this format reads, with the dot. */
  readonly extensions: readonly string[];
  /**
   * Reads the file only through the given bytes.
   * @throws StopError `input` when the file has another format, or cannot be read as the options say.
   */
  open(file: FileBytes, options: ReadOptions): Promise<Sheet>;
}

/** The endings of the names of all files that some format reads. */
export async function readableEndings(): Promise<readonly string[]> {
  const formats = await loadFamily<Format>(FORMATS);
  return [...formats.values()].flatMap(({ extensions }) => extensions);
}
