import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { Person } from '../../../ledger/eraser.ts';

/** Files are searched for a person: texts in any encoding, packed ones, and workbooks. */

interface Searched {
  /** The cells that name the person. */
  readonly cells: readonly string[];
  /** False when a part of it could not be read, or not be unpacked. */
  readonly isWhole: boolean;
}

const WINDOW_BYTES = 1 << 24;
/** More bytes than any address has, in any encoding. */
const OVERLAP_BYTES = 1 << 13;

export function searched(path: string, person: Person): Searched {
  try {
    const packed = isPacked(path) ? contentsOf(readFileSync(path)) : undefined;
    if (packed === undefined)
      return { cells: cellsInWindows(partsOf(path, WINDOW_BYTES, OVERLAP_BYTES), person), isWhole: true };
    const cells = packed.map((content) => cellsInWindows(windowsOf(content ?? NOTHING), person));
    return {
      cells: cells.flat().map((cell) => withoutMarkup(cell, person)),
      isWhole: !packed.includes(undefined),
    };
  } catch {
    return { cells: [], isWhole: false };
  }
}

/** In the XML of a workbook tags stand between cells. */
function withoutMarkup(cell: string, person: Person): string {
  return cell.split(/[<>]/).find((text) => person.in(text, 'list')) ?? cell;
}

const NOTHING = Buffer.alloc(0);
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP_ENTRY = Buffer.from('PK\x03\x04');
/** The header before each entry of an archive: its length, and where in it are the method, 0 for none, and the lengths of name and extra field. */
const ENTRY = { header: 30, method: 8, name: 26, extra: 28 };
const MOST_UNPACKED = { maxOutputLength: 2 ** 31 };

function isPacked(path: string): boolean {
  for (const begin of partsOf(path, ZIP_ENTRY.length))
    return begin.equals(ZIP_ENTRY) || begin.subarray(0, GZIP.length).equals(GZIP);
  return false;
}

/** The contents of a packed text, or an archive and each of its entries; undefined for what cannot be unpacked. */
function contentsOf(bytes: Buffer): readonly (Buffer | undefined)[] {
  if (bytes.subarray(0, GZIP.length).equals(GZIP)) return [unpacked(() => gunzipSync(bytes, MOST_UNPACKED))];
  const contents: (Buffer | undefined)[] = [bytes];
  for (let at = 0; at !== -1; at = bytes.indexOf(ZIP_ENTRY, at + ENTRY.header)) {
    if (at + ENTRY.header > bytes.length) break;
    if (bytes.readUInt16LE(at + ENTRY.method) === 0) continue;
    const start =
      at + ENTRY.header + bytes.readUInt16LE(at + ENTRY.name) + bytes.readUInt16LE(at + ENTRY.extra);
    contents.push(unpacked(() => inflateRawSync(bytes.subarray(start), MOST_UNPACKED)));
  }
  return contents;
}

function unpacked(work: () => Buffer): Buffer | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Content is searched in parts that overlap, because a text of a gigabyte is longer than a string may be. */
function cellsInWindows(windows: Iterable<Buffer>, person: Person): readonly string[] {
  const cells: string[] = [];
  for (const window of windows) cells.push(...person.cellsIn(window, 'list'));
  return cells;
}

function* windowsOf(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += WINDOW_BYTES)
    yield content.subarray(at, at + WINDOW_BYTES + OVERLAP_BYTES);
}

/** Each part goes on into the next one by `overlap` bytes, and is in the place of the one before it. */
function* partsOf(path: string, bytes: number, overlap = 0): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.allocUnsafe(bytes + overlap);
    for (let at = 0; ; at += bytes) {
      const length = readSync(file, part, 0, part.length, at);
      if (length === 0) return;
      yield part.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
