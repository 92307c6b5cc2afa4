import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import type { Person } from '../../../ledger/eraser.ts';

/** Files of the store are searched for a person: texts in any encoding, and workbooks. */

const WINDOW_BYTES = 1 << 24;
/** More bytes than any address has, in any encoding. */
const OVERLAP_BYTES = 1 << 13;

/** The cells of a file that name the person; none where it cannot be read. */
export function cellsNaming(path: string, person: Person): readonly string[] {
  try {
    if (!isArchive(path)) return cellsInWindows(partsOf(path, WINDOW_BYTES, OVERLAP_BYTES), person);
    const cells = contentsOf(readFileSync(path)).map((content) => cellsInWindows(windowsOf(content), person));
    return cells.flat().map((cell) => withoutMarkup(cell, person));
  } catch {
    return [];
  }
}

/** In the XML of a workbook tags stand between cells. */
function withoutMarkup(cell: string, person: Person): string {
  return cell.split(/[<>]/).find((text) => person.in(text, 'list')) ?? cell;
}

const ZIP_ENTRY = Buffer.from('PK\x03\x04');
/** The header before each entry of an archive: its length, and where in it are the method, 0 for none, and the lengths of name and extra field. */
const ENTRY = { header: 30, method: 8, name: 26, extra: 28 };
const MOST_UNPACKED = { maxOutputLength: 2 ** 31 };

function isArchive(path: string): boolean {
  for (const begin of partsOf(path, ZIP_ENTRY.length)) return begin.equals(ZIP_ENTRY);
  return false;
}

/** An archive as it is, and each of its entries that can be unpacked. */
function contentsOf(bytes: Buffer): readonly Buffer[] {
  const contents: Buffer[] = [bytes];
  for (let at = 0; at !== -1; at = bytes.indexOf(ZIP_ENTRY, at + ENTRY.header)) {
    if (at + ENTRY.header > bytes.length) break;
    if (bytes.readUInt16LE(at + ENTRY.method) === 0) continue;
    const start =
      at + ENTRY.header + bytes.readUInt16LE(at + ENTRY.name) + bytes.readUInt16LE(at + ENTRY.extra);
    try {
      contents.push(inflateRawSync(bytes.subarray(start), MOST_UNPACKED));
    } catch {
      // What only looks like an entry, or is damaged, is searched as it is.
    }
  }
  return contents;
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
