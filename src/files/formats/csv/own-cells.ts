import { bodyOf, cellsOf } from './raw-record.ts';
import { bytesOf, type CsvRecord } from './records.ts';

/** A record in pieces, to be put together again with other cells among its own. */

export const QUOTE = 0x22;

/** Its cells as they stand in the file, with what stands before and after all of them: byte-order mark and line end. */
export function piecesOf(
  record: CsvRecord,
  separator: Buffer,
): { before: Buffer; cells: Buffer[]; after: Buffer } {
  const bytes = bytesOf(record);
  const body = bodyOf(bytes, record.position.byteOffset);
  const start = body.byteOffset - bytes.byteOffset;
  return {
    before: bytes.subarray(0, start),
    cells: cellsOf(body, separator[0] ?? 0).map((cell) => body.subarray(cell.start, cell.end)),
    after: bytes.subarray(start + body.length),
  };
}

export function separated(cells: readonly Buffer[], separator: Buffer): readonly Buffer[] {
  return cells.flatMap((cell, at) => (at === 0 ? [cell] : [separator, cell]));
}

/** How cells of ours are written, so that they look like the user's. */
export interface CellStyle {
  readonly separator: string;
  /** All cells stand in quotes, and not only those that need them. */
  readonly isQuoted: boolean;
  /** What has to stand in quotes, or could not be read again. */
  readonly needsCare: RegExp;
}

/** @param separator one character. */
export function cellStyle(separator: string, isQuoted = false): CellStyle {
  return { separator, isQuoted, needsCare: new RegExp(`[${separator}"\\r\\n\\0]`) };
}

/** A cell of ours. A file with a zero byte could not be read again, so it becomes U+FFFD, the sign for what cannot be shown. */
export function cellText(value: string, { isQuoted, needsCare }: CellStyle): string {
  if (!isQuoted && !needsCare.test(value)) return value;
  return `"${value.replaceAll('\0', '\uFFFD').replaceAll('"', '""')}"`;
}
