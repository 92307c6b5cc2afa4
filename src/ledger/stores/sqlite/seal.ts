import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type Connection, withFile } from './connection.ts';
import { type StoreFolder, sizeOf, unlessMissing, writeAnew } from './folder.ts';
import { LogFrames, type LogPlace, PAGE_BYTES } from './log-frames.ts';
import { PageSums } from './page-sums.ts';
import { type Reached, readSince } from './seal-since.ts';

/**
 * A checksum of every page of the ledger, kept beside it: all of them at an orderly end and now and then, and between that what was
 * written since. A ledger whose pages are as they were written, up to its last commit, needs no further check, which would take
 * many times as long as reading it. Any other need not be damaged: a loss of power may leave one like that. It is checked in full.
 *
 * So a missing, torn or outdated seal costs time and nothing else, and no file of it is synchronised to the disk.
 */
export interface Seal extends Summed {
  /** When all pages were last read. */
  readonly checkedAtMs: number;
  /**
   * How many commits the ledger counts if nobody else wrote in it, where the newest are in its log alone: SQLite's own sums are
   * all that those pages can be held against. Otherwise undefined.
   */
  readonly commits: number | undefined;
}

/** What was read of a ledger, up to its last commit. */
export interface Summed {
  /** A ledger of ten million rows has 9 MB of them, so they are never there twice. */
  readonly sums: PageSums;
  /** Where that commit ends in the log; undefined where that is empty. */
  readonly place: LogPlace | undefined;
}

const BLOCK_BYTES = 256 * PAGE_BYTES;

/** SQLite takes locks on bytes of this page, and never writes in it. */
const LOCK_PAGE = 0x4000_0000 / PAGE_BYTES;

/**
 * A larger file that has not changed since it was sealed is not read again within a day: what a disk loses within hours
 * is mostly still in the machine's memory, so reading it would prove nothing.
 */
const ALWAYS_READ_BYTES = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

const MAGIC = 'rowonce seal 2';
const MOST_BYTES_OF_HEAD = 1024;
/** A page has one sum of four bytes; with less than half of that for each of them, a seal is of no such ledger. */
const BYTES_FOR_A_SUM = PAGE_BYTES / 8;

interface Header {
  readonly magic: string;
  readonly stamp: string | undefined;
  readonly checkedAtMs: number;
  readonly commits: number;
  readonly place: { readonly salts: string; readonly at: number } | undefined;
}

/**
 * The seal of a ledger whose pages are as they were written; otherwise undefined. It is looked for by who has the ledger open already
 * and knows whether another program writes in it meanwhile.
 */
export async function unbrokenSeal(
  folder: StoreFolder,
  connection: Connection,
  nowMs: number,
): Promise<Seal | undefined> {
  const sealed = unlessUnreadable(() => readSeal(folder));
  if (sealed === undefined) return undefined;
  const { sums, checkedAtMs, stamp } = sealed;
  const since = unlessUnreadable(() => readSince(folder.sealedSince, sealed));
  const ageMs = nowMs - checkedAtMs;
  const isUntouched =
    stamp === stampOf(folder.ledger) && since === undefined && (sizeOf(folder.log) ?? 0) === 0;
  if (isUntouched && sums.length * PAGE_BYTES > ALWAYS_READ_BYTES && ageMs >= 0 && ageMs < DAY_MS)
    return { sums, checkedAtMs, commits: undefined, place: undefined };
  const { known, moved } = framesInUse(connection);
  const logged = takeLogged(folder, sums);
  const { place: written, commits } = since ?? sealed;
  if (logged?.frames !== known) return undefined;
  // Who has begun a log that is not the noted one may have written in the ledger before, and nothing is left of that.
  if (known > 0 && logged.place?.salts !== written?.salts) return undefined;
  const isRight = (page: number, bytes: Buffer): boolean =>
    sums.of(page) === crc32(bytes) || logged.frameOf(page) > moved || page === LOCK_PAGE;
  const pages = logged.pages ?? (sizeOf(folder.ledger) ?? 0) / PAGE_BYTES;
  if (!(await readPages(folder, pages, isRight))) return undefined;
  const behind = logged.ends.filter((end) => end > (written?.at ?? 0)).length;
  return { sums, checkedAtMs: nowMs, commits: known > 0 ? commits + behind : undefined, place: logged.place };
}

/**
 * How many frames of the log SQLite knows, and how many of those it has moved into the ledger and does not read any more. After a kill
 * it takes both from the log, whose sums it checks. Where somebody else has kept the ledger open it goes on with what it knew, and
 * checks none. Of a ledger that another program has left without a log it says -1.
 */
function framesInUse(connection: Connection): { readonly known: number; readonly moved: number } {
  const said = connection.get<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)');
  return { known: Math.max(0, said?.log ?? 0), moved: Math.max(0, said?.checkpointed ?? 0) };
}

/** The sums of a ledger that was checked otherwise, or was just written as a whole. */
export async function sumsOf(folder: StoreFolder): Promise<Summed> {
  const sums = new PageSums();
  await readPages(folder, (sizeOf(folder.ledger) ?? 0) / PAGE_BYTES, (page, bytes) => {
    sums.set(page, crc32(bytes));
    return true;
  });
  return { sums, place: takeLogged(folder, sums)?.place };
}

interface Logged extends Pick<Summed, 'place'> {
  /** How many frames were read, up to the end of the last commit. */
  readonly frames: number;
  /** Where its commits end, in bytes. */
  readonly ends: readonly number[];
  /** How many pages the ledger has after them all; undefined where the log has none. */
  readonly pages: number | undefined;
  /** The number of the newest frame with this page, from one on; zero where the log does not have it. */
  frameOf(page: number): number;
}

/** Takes the sums of all pages that are in the log. @returns undefined for a log that says what cannot be. */
function takeLogged({ ledger, log }: StoreFolder, sums: PageSums): Logged | undefined {
  const newest = new Map<number, { readonly sum: number; readonly frame: number }>();
  const ends: number[] = [];
  const frames = new LogFrames(log, true);
  try {
    const { pages } = frames.read(
      (page, sum, frame) => newest.set(page, { sum, frame }),
      (at) => ends.push(at),
    );
    const most = (sizeOf(ledger) ?? 0) / PAGE_BYTES + frames.length;
    if ((pages ?? 0) > most || [...newest.keys()].some((page) => page < 0 || page >= most)) return undefined;
    for (const [page, { sum }] of newest) sums.set(page, sum);
    const { place, length } = frames;
    return { place, frames: length, ends, pages, frameOf: (page) => newest.get(page)?.frame ?? 0 };
  } finally {
    frames.close();
  }
}

/**
 * Reads the ledger page by page, and as full of zeros what its file is too short for. A long one takes seconds, in which the process
 * has other things to do.
 * @param take returns false for a page at which the reading ends. @returns whether it came to the last one.
 */
async function readPages(
  { ledger }: StoreFolder,
  pages: number,
  take: (page: number, bytes: Buffer) => boolean,
): Promise<boolean> {
  if (!Number.isInteger(pages)) return false;
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let page = 0; page < pages; await setImmediate()) {
    const from = page * PAGE_BYTES;
    block.fill(
      0,
      withFile(ledger, (file) => readSync(file, block, 0, BLOCK_BYTES, from)),
    );
    for (let at = 0; at < BLOCK_BYTES && page < pages; at += PAGE_BYTES, page += 1)
      if (!take(page, block.subarray(at, at + PAGE_BYTES))) return false;
  }
  return true;
}

/**
 * A stamp of the ledger, for a seal that is written next, which whatever is written to the ledger from here on alters. Two writes
 * within one tick of the file system's clock leave the same, so in the tick of the last one there is none: what is emptied here has
 * the time of now.
 */
export function stampForSeal({ seal, ledger }: StoreFolder): string | undefined {
  writeAnew(seal);
  const stamp = stampOf(ledger);
  const ticks = statSync(seal, { bigint: true }).mtimeNs > statSync(ledger, { bigint: true }).ctimeNs;
  return ticks ? stamp : undefined;
}

/** Says that the ledger has these pages. @returns the sum with which the records of what is written later begin. */
export function writeSeal(folder: StoreFolder, { sums, checkedAtMs, stamp, ...reached }: Sealed): number {
  const place = reached.place && { salts: String(reached.place.salts), at: reached.place.at };
  const header: Header = { magic: MAGIC, stamp, checkedAtMs, commits: reached.commits, place };
  const head = Buffer.from(`${JSON.stringify(header)}\n`);
  const body = sums.bytes;
  const sum = crc32(body, crc32(head));
  const end = Buffer.alloc(4);
  end.writeUInt32LE(sum);
  writeAnew(folder.seal, head, body, end);
  return sum;
}

/** What a seal says of a ledger. */
export interface Sealed extends Reached, Pick<Seal, 'sums' | 'checkedAtMs'> {
  /** Of the ledger when it was sealed; undefined where that would not tell whether it was written to later. */
  readonly stamp: string | undefined;
}

/** The stored seal; undefined when there is no intact one. */
function readSeal(folder: StoreFolder): (Sealed & { readonly sum: number }) | undefined {
  const read = readParts(folder);
  if (read === undefined) return undefined;
  const { head, sums, sum } = read;
  const { magic, stamp, checkedAtMs, commits, place } = JSON.parse(head) as Header;
  if (magic !== MAGIC) return undefined;
  return {
    sums,
    sum,
    checkedAtMs,
    commits,
    place: place && { salts: BigInt(place.salts), at: place.at },
    stamp,
  };
}

/** A seal is worth no more than the time of a check, so whatever is wrong with its files costs that alone. */
function unlessUnreadable<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What stands in it, if that agrees with the sum at its end. */
function readParts({
  seal,
  ledger,
  log,
}: StoreFolder): { head: string; sums: PageSums; sum: number } | undefined {
  const most = MOST_BYTES_OF_HEAD + ((sizeOf(ledger) ?? 0) + (sizeOf(log) ?? 0)) / BYTES_FOR_A_SUM;
  const file = (sizeOf(seal) ?? 0) <= most ? unlessMissing(() => openSync(seal, 'r')) : undefined;
  if (file === undefined) return undefined;
  try {
    const first = Buffer.alloc(MOST_BYTES_OF_HEAD);
    const head = first.subarray(0, first.subarray(0, readSync(file, first)).indexOf('\n') + 1);
    const end = Buffer.alloc(4);
    const { size } = fstatSync(file);
    const sums = new Uint32Array(Math.max(0, Math.floor((size - head.length - end.length) / 4)));
    const body = Buffer.from(sums.buffer);
    readSync(file, body, 0, body.length, head.length);
    readSync(file, end, 0, end.length, head.length + body.length);
    const sum = crc32(body, crc32(head));
    const isIntact = head.length > 0 && end.readUInt32LE() === sum;
    return isIntact ? { head: head.toString(), sums: new PageSums(sums), sum } : undefined;
  } finally {
    closeSync(file);
  }
}

/** A stamp of the file that every write changes and that nobody can set back. */
export function stampOf(path: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}
