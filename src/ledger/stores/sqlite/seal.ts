import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { withFile } from './connection.ts';
import { openIfThere, type StoreFolder, sizeOf, writeAnew } from './folder.ts';
import { isNextLog, LogFrames, type LogPlace, PAGE_BYTES } from './log-frames.ts';
import { PageSums } from './page-sums.ts';
import { type Reached, readSince } from './seal-since.ts';

/**
 * A checksum of every page of the ledger, kept beside it: all of them at an orderly end and now and then, and between that what was
 * written since. A ledger whose pages are as they were written, up to its last commit, needs no further check, which would take
 * many times as long as reading it. Any other need not be damaged: a loss of power may leave one like that. It is checked in full.
 *
 * So a missing, torn or outdated seal costs time and nothing else, and no file of it is synchronised to the disk.
 */
export interface Seal {
  /** A ledger of ten million rows has 9 MB of them, so they are never there twice. */
  readonly sums: PageSums;
  /** When all pages were last read. */
  readonly checkedAtMs: number;
  /**
   * How many commits the ledger counts if nobody else wrote in it, where the newest are in its log alone: SQLite's own sums are
   * all that those pages can be held against. Otherwise undefined.
   */
  readonly commits: number | undefined;
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
  readonly stamp: string;
  readonly checkedAtMs: number;
  readonly commits: number;
  readonly place: { readonly salts: string; readonly at: number } | undefined;
}

/**
 * The seal of a ledger whose pages are as they were written; otherwise undefined. It is looked for by who has the ledger open already
 * and knows whether another program writes in it meanwhile.
 */
export async function unbrokenSeal(folder: StoreFolder, nowMs: number): Promise<Seal | undefined> {
  const written = unlessUnreadable(() => readSeal(folder));
  if (written === undefined) return undefined;
  const { sums, checkedAtMs, isStamped } = written;
  const since = unlessUnreadable(() => readSince(folder.sealedSince, written));
  const ageMs = nowMs - checkedAtMs;
  const isUntouched = isStamped && since === undefined && (sizeOf(folder.log) ?? 0) === 0;
  if (isUntouched && sums.length * PAGE_BYTES > ALWAYS_READ_BYTES && ageMs >= 0 && ageMs < DAY_MS)
    return { sums, checkedAtMs, commits: undefined };
  const reached = since ?? written;
  const logged = takeLogged(folder, sums, reached.place);
  if (logged === undefined) return undefined;
  const isAsWritten = (page: number, bytes: Buffer): boolean =>
    sums.of(page) === crc32(bytes) || logged.has(page) || page === LOCK_PAGE;
  const pages = logged.pages ?? (sizeOf(folder.ledger) ?? 0) / PAGE_BYTES;
  if (!(await readPages(folder, pages, isAsWritten))) return undefined;
  const commits = logged.pages === undefined ? undefined : reached.commits + logged.commits;
  return { sums, checkedAtMs: nowMs, commits };
}

/** The sums of a ledger that was checked otherwise, or was just written as a whole. */
export async function sumsOf(folder: StoreFolder): Promise<PageSums> {
  const sums = new PageSums();
  await readPages(folder, (sizeOf(folder.ledger) ?? 0) / PAGE_BYTES, (page, bytes) => {
    sums.set(page, crc32(bytes));
    return true;
  });
  takeLogged(folder, sums, undefined);
  return sums;
}

interface Logged {
  /** How many commits of the log are behind the place. */
  readonly commits: number;
  /** How many pages the ledger has after them all; undefined where the log has none. */
  readonly pages: number | undefined;
  /** Whether SQLite reads a page from the log, and not from the ledger. */
  has(page: number): boolean;
}

/** @returns undefined for a log that is not a spender's, or says what cannot be. */
function takeLogged(
  { ledger, log }: StoreFolder,
  sums: PageSums,
  place: LogPlace | undefined,
): Logged | undefined {
  const newest = new Map<number, number>();
  const frames = new LogFrames(log, true);
  let behind = 0;
  try {
    const { pages = 0, commits } = frames.read(
      (page, sum) => newest.set(page, sum),
      (end) => {
        if (end.salts !== place?.salts || end.at > place.at) behind += 1;
      },
    );
    const { place: end } = frames;
    const isOther = place !== undefined && end !== undefined && end.salts !== place.salts;
    // What another program has begun anew may have as many commits as it took away.
    if (isOther && !isNextLog(end.salts, place)) return undefined;
    const most = (sizeOf(ledger) ?? 0) / PAGE_BYTES + frames.length;
    if (pages > most || [...newest.keys()].some((page) => page < 0 || page >= most)) return undefined;
    for (const [page, sum] of newest) sums.set(page, sum);
    return { commits: behind, pages: commits === 0 ? undefined : pages, has: (page) => newest.has(page) };
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

/** Says that the ledger has these pages. @returns the sum with which the records of what is written later begin. */
export function writeSeal(folder: StoreFolder, { sums, checkedAtMs, ...reached }: Sealed): number {
  const place = reached.place && { salts: String(reached.place.salts), at: reached.place.at };
  const stamp = stampOf(folder.ledger);
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
export interface Sealed extends Reached, Pick<Seal, 'sums' | 'checkedAtMs'> {}

/** The stored seal; undefined when there is no intact one. */
function readSeal(
  folder: StoreFolder,
): (Sealed & { readonly sum: number; readonly isStamped: boolean }) | undefined {
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
    isStamped: stamp === stampOf(folder.ledger) && isLater(folder.seal, folder.ledger),
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
  const file = (sizeOf(seal) ?? 0) <= most ? openIfThere(seal) : undefined;
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

/**
 * Two writes within one tick of the file system's clock leave the same stamp, so only a later tick tells them apart.
 */
function isLater(file: string, other: string): boolean {
  return statSync(file, { bigint: true }).mtimeNs > statSync(other, { bigint: true }).ctimeNs;
}
