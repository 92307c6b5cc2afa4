import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { withFile } from './connection.ts';
import { type StoreFolder, sizeOf, writeAnew } from './folder.ts';

/**
 * A checksum of every page of the ledger, written beside it after an orderly end. A ledger that has not changed since
 * then needs no further check, which would take many times as long as reading it. A ledger that has changed, or was
 * never sealed, need not be damaged: a killed run leaves one like that, too. It is checked in full.
 *
 * So a missing, torn or outdated seal costs time and nothing else, and the file is not synchronised to the disk.
 */
export interface Seal {
  /** CRC-32 of each page, in their order. A ledger of ten million rows has 6 MB of them, so they are never there twice. */
  readonly sums: Uint32Array<ArrayBuffer>;
  /** When all pages were last read. */
  readonly checkedAtMs: number;
}

/** The page size of every ledger: SQLite's default, which no setting of ours changes. */
const PAGE_BYTES = 4096;
const BLOCK_BYTES = 256 * PAGE_BYTES;

/**
 * A larger file that has not changed since it was sealed is not read again within a day: what a disk loses within hours
 * is mostly still in the machine's memory, so reading it would prove nothing.
 */
const ALWAYS_READ_BYTES = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

const MAGIC = 'rowonce seal 1';
const MOST_BYTES_OF_HEAD = 1024;

interface Header {
  readonly magic: string;
  readonly stamp: string;
  readonly checkedAtMs: number;
}

/** The seal of a ledger that has not changed since it was sealed; otherwise undefined. */
export function unbrokenSeal(folder: StoreFolder, nowMs: number): Seal | undefined {
  if ((sizeOf(folder.log) ?? 0) > 0) return undefined;
  const written = readSeal(folder);
  if (written === undefined) return undefined;
  const { sums, checkedAtMs, isStamped } = written;
  const ageMs = nowMs - checkedAtMs;
  if (isStamped && sums.length * PAGE_BYTES > ALWAYS_READ_BYTES && ageMs >= 0 && ageMs < DAY_MS) {
    return { sums, checkedAtMs };
  }
  if (sizeOf(folder.ledger) !== sums.length * PAGE_BYTES) return undefined;
  const isWhole = withFile(folder.ledger, (file) => !anyOther(file, sums));
  return isWhole ? { sums, checkedAtMs: nowMs } : undefined;
}

function anyOther(file: number, sums: Uint32Array): boolean {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  for (let page = 0; page < sums.length; ) {
    const length = readSync(file, block, 0, BLOCK_BYTES, page * PAGE_BYTES);
    if (length < PAGE_BYTES) return true;
    for (let at = 0; at + PAGE_BYTES <= length; at += PAGE_BYTES, page += 1) {
      if (sums[page] !== crc32(block.subarray(at, at + PAGE_BYTES))) return true;
    }
  }
  return false;
}

/**
 * Seals a ledger to which no connection of ours writes any more.
 * @param before the seal with which it was opened, whose memory is taken, and the pages written since: all other pages must be
 *   as they were then. Without it the ledger was checked in full, so all of its pages are right.
 */
export function seal(
  folder: StoreFolder,
  before: { readonly seal: Seal; readonly written: (page: number) => boolean } | undefined,
  nowMs: number,
): void {
  if ((sizeOf(folder.log) ?? 0) > 0) return;
  const sums = withFile(folder.ledger, (file) => {
    const known = before?.seal.sums ?? new Uint32Array();
    const pagesBefore = known.length;
    const pages = fstatSync(file).size / PAGE_BYTES;
    const made = new Uint32Array(known.buffer.transfer(pages * known.BYTES_PER_ELEMENT));
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    for (let at = 0; at < pages; at += 1) {
      if (at >= pagesBefore || before?.written(at) !== false) made[at] = sumOfPage(file, at, page);
    }
    return made;
  });
  writeSeal(folder, { sums, checkedAtMs: before?.seal.checkedAtMs ?? nowMs });
}

function sumOfPage(file: number, at: number, page: Buffer): number {
  readSync(file, page, 0, PAGE_BYTES, at * PAGE_BYTES);
  return crc32(page);
}

function writeSeal(folder: StoreFolder, { sums, checkedAtMs }: Seal): void {
  const header: Header = { magic: MAGIC, stamp: stampOf(folder.ledger), checkedAtMs };
  const head = Buffer.from(`${JSON.stringify(header)}\n`);
  const body = Buffer.from(sums.buffer, sums.byteOffset, sums.byteLength);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(crc32(body, crc32(head)));
  writeAnew(folder.seal, head, body, end);
}

/** The stored seal; undefined when there is no intact one. */
function readSeal(folder: StoreFolder): (Seal & { readonly isStamped: boolean }) | undefined {
  const size = sizeOf(folder.seal);
  if (size === undefined) return undefined;
  const read = readParts(folder.seal, size);
  if (read === undefined) return undefined;
  const { head, sums } = read;
  const { magic, stamp, checkedAtMs } = JSON.parse(head) as Header;
  if (magic !== MAGIC) return undefined;
  return {
    sums,
    checkedAtMs,
    isStamped: stamp === stampOf(folder.ledger) && isLater(folder.seal, folder.ledger),
  };
}

/** What stands in it, if that agrees with the sum at its end. */
function readParts(path: string, size: number): { head: string; sums: Seal['sums'] } | undefined {
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(MOST_BYTES_OF_HEAD);
    const head = first.subarray(0, first.subarray(0, readSync(file, first)).indexOf('\n') + 1);
    const end = Buffer.alloc(4);
    const sums = new Uint32Array(Math.max(0, Math.floor((size - head.length - end.length) / 4)));
    const body = Buffer.from(sums.buffer);
    readSync(file, body, 0, body.length, head.length);
    readSync(file, end, 0, end.length, head.length + body.length);
    const isIntact = head.length > 0 && end.readUInt32LE() === crc32(body, crc32(head));
    return isIntact ? { head: head.toString(), sums } : undefined;
  } finally {
    closeSync(file);
  }
}

/** A stamp of the file that every write changes and that nobody can set back. */
export function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

/**
 * Two writes within one tick of the file system's clock leave the same stamp, so only a later tick tells them apart.
 */
function isLater(file: string, other: string): boolean {
  return statSync(file, { bigint: true }).mtimeNs > statSync(other, { bigint: true }).ctimeNs;
}
