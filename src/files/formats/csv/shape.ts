import { stop } from '../../../core/errors.ts';
import { isPackedName } from '../../../core/file-name.ts';
import type { Delimiter, FileBytes, Position, ReadOptions } from '../../../core/format.ts';
import { foreignName } from '../../../core/plain-text.ts';
import { findEncoding } from './encoding.ts';
import { findTitles, sniffDelimiter } from './sniff.ts';
import type { TextSource } from './text-source.ts';
import { readTop, type Top } from './top.ts';

/** How a file of delimited text is to be read: found out once, before anything is read of it. */
export interface Shape extends TextSource {
  readonly delimiter: Delimiter;
  /** Whether rows of another width than the header are padded, or refused. */
  readonly isPadded: boolean;
  /** Whether a row that cannot be read refuses the file. */
  readonly isStrict: boolean;
  /** What stands above the header, as UTF-8: byte-order mark, `sep=` line, title lines. */
  readonly preamble: Buffer;
  /** The position of the header, or of the blank lines above it. */
  readonly start: Position;
  /** What the user should be told, in whole sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads the file's start; and all of it, once, where only that tells UTF-8 from Windows-1252.
 * @throws StopError `input` when the file is of another kind than its name says, or a title stands above its header.
 */
export async function findShape(file: FileBytes, options: ReadOptions): Promise<Shape> {
  const { path } = file;
  const isPacked = isPackedName(path);
  const { encoding, notes } = await findEncoding({ file, isPacked }, options.encoding);
  const source = { file, isPacked, encoding };
  const top = await readTop(source, options.skipLines ?? 0);
  const { preamble, start, separator, sample } = top;
  // A table whose name says so has tabs between its cells, unless another delimiter parts it better.
  const usual = /\.tsv(?:\.gz)?$/i.test(path) ? 'tab' : 'comma';
  const delimiter = options.delimiter ?? separator ?? sniffDelimiter(sample, usual);
  if (options.skipLines === undefined) refuseTitles(path, top, delimiter);
  return {
    ...source,
    delimiter,
    isPadded: options.ragged === 'pad',
    isStrict: options.strict === true,
    preamble,
    start,
    notes,
  };
}

/** A title taken for the header would only be damage to the reader; the user is told what it is instead. */
function refuseTitles(path: string, { sample, start }: Top, delimiter: Delimiter): void {
  const titles = findTitles(sample, delimiter);
  if (titles === undefined) return;
  const { lines, first, header } = titles;
  const columns = header.slice(0, NAMES_SHOWN).map((name) => foreignName(name));
  const line = start.lines + lines + 1;
  const fact = `${path}: ${foreignName(first)} looks like a title, and line ${line} like the header (${columns.join(', ')}).`;
  throw stop('input', fact, `Say --skip-lines ${lines}, or put the names of the columns on the first line.`);
}

const NAMES_SHOWN = 4;
