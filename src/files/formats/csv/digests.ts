import { hash } from 'node:crypto';
import { invariant } from '../../../core/errors.ts';
import type { DigestedPiece, Position } from '../../../core/format.ts';
import { changedFile } from '../../input-file.ts';
import { ByteWindow } from './byte-window.ts';
import type { Layout } from './layout.ts';
import { type Found, type ParsedText, type ParserOptions, RecordParser } from './record-parser.ts';
import { splitPlainly } from './split.ts';

/**
 * The parser reads a file once, and judges what its records are. Of what it found it leaves a digest for each piece of the text, and
 * whoever reads the file again splits its plain pieces by hand: what comes of that counts only where the digest is the same.
 */

/** A piece ends with the first read behind which it has more, so most have twice of it. */
const BYTES_PER_PIECE = 64 * 1024;

/** The rows of a piece are in memory together, and may be as short as a digit. */
const ROWS_PER_PIECE = 5_000;

const HEX_DIGITS = 32;

/** Part of the stored format, frozen by `test/files/formats/csv-digests.test.ts`. */
function digestOf({ row }: Position, { cells, bytes }: Pick<Found, 'cells' | 'bytes'>): string {
  return hash('blake2b512', JSON.stringify([row, cells, bytes])).slice(0, HEX_DIGITS);
}

export class Digester {
  readonly #pieces: DigestedPiece[] = [];
  #start: Position;
  #cells: string[][] = [];
  #bytes: number[] = [];

  constructor(start: Position) {
    this.#start = start;
  }

  /** @param next where the records of the text end. */
  add({ cells, bytes }: Found, next: Position): void {
    this.#cells = this.#cells.concat(cells);
    this.#bytes = this.#bytes.concat(bytes);
    const isFull = next.byteOffset - this.#start.byteOffset >= BYTES_PER_PIECE;
    if (isFull || this.#cells.length >= ROWS_PER_PIECE) this.#cut(next);
  }

  /** All pieces; the last one has what follows the last record, and may have nothing. */
  end(): readonly DigestedPiece[] {
    this.#cut(this.#start);
    return this.#pieces;
  }

  #cut(next: Position): void {
    const found = { cells: this.#cells, bytes: this.#bytes };
    this.#pieces.push({ start: this.#start, digest: digestOf(this.#start, found) });
    this.#start = next;
    this.#cells = [];
    this.#bytes = [];
  }
}

/** Where reading begins to get at a position: with the piece that it is in, or else there. Undefined: where the header is. */
export function nearest(
  layout: Layout,
  position: Position | undefined,
): { readonly layout: Layout; readonly from: Position | undefined } {
  const { digests } = layout;
  const { pieces } = digests;
  if (position === undefined || pieces === undefined) return { layout, from: position };
  const at = pieces.findLastIndex(({ start }) => start.row <= position.row);
  return at < 1
    ? { layout, from: undefined }
    : { layout: { ...layout, digests: { ...digests, pieces: pieces.slice(at) } }, from: pieces[at]?.start };
}

/**
 * Each piece with its records. The file is asked whether it is still the same after every read, and so before any digest.
 * @param texts from the start of the first piece on.
 * @throws StopError `input` where not even the parser finds what it found in the piece before.
 */
export async function* parsedUnder(
  pieces: readonly DigestedPiece[],
  texts: AsyncIterable<Buffer>,
  { delimiter, path }: Pick<ParserOptions, 'delimiter'> & { readonly path: string },
): AsyncIterable<ParsedText> {
  for await (const [{ start, digest }, text] of inPieces(pieces, texts)) {
    const isAsBefore = (found: Found): boolean => digestOf(start, found) === digest;
    const split = splitPlainly(text, delimiter);
    if (split && isAsBefore(split)) {
      yield { text, isPlain: true, ...split };
      continue;
    }
    const found = await parsedAlone(text, { delimiter, isFileStart: start.byteOffset === 0 });
    if (!isAsBefore(found)) throw changedFile(path);
    yield { text, ...found };
  }
}

/** Texts as pieces, which they rarely end with. */
async function* inPieces(
  pieces: readonly DigestedPiece[],
  texts: AsyncIterable<Buffer>,
): AsyncIterable<readonly [DigestedPiece, Buffer]> {
  const left = pieces.values();
  let piece = left.next().value;
  invariant(piece !== undefined, 'every file has a piece, be it empty');
  const window = new ByteWindow(piece.start.byteOffset);
  let next = left.next().value;
  for await (const text of texts) {
    window.append(text);
    while (next !== undefined && next.start.byteOffset <= window.end) {
      yield [piece, window.take(next.start.byteOffset)];
      piece = next;
      next = left.next().value;
    }
  }
  yield [piece, window.take(window.end)];
}

async function parsedAlone(text: Buffer, options: ParserOptions): Promise<Found> {
  const parser = new RecordParser(options);
  const found = await parser.parse(text);
  if (found.fault !== undefined) return found;
  const last = await parser.finish();
  return {
    cells: found.cells.concat(last.cells),
    bytes: found.bytes.concat(last.bytes),
    lines: found.lines.concat(last.lines),
    fault: last.fault,
  };
}
