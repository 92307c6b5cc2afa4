import { type FileHandle, open } from 'node:fs/promises';
import { type StopError, stop } from '../../errors.ts';
import { damaged } from './damaged.ts';

/** What the directory at the end of a zip archive says of one part. */
export interface ArchiveEntry {
  readonly packing: 'stored' | 'deflated';
  readonly packedBytes: number;
  /** Unpacked. */
  readonly bytes: number;
  /** CRC-32 of the unpacked bytes. */
  readonly checksum: number;
  readonly headerOffset: number;
}

/**
 * Parts of an archive by their names in lower case.
 * @throws StopError `input` when the file is none, or is protected by a password.
 */
export async function readDirectory(path: string): Promise<ReadonlyMap<string, ArchiveEntry>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const start = await bytesAt(file, 0, Math.min(size, OLD_HEADER.length));
    if (start.equals(OLD_HEADER)) throw await oldContainer(path, file, size);
    const tail = await bytesAt(file, Math.max(0, size - MOST_TAIL_BYTES), Math.min(size, MOST_TAIL_BYTES));
    const end = tail.lastIndexOf(END_OF_DIRECTORY);
    if (end === -1 || end + END_BYTES > tail.length)
      throw damaged(path, 'it is cut off, or no workbook at all');
    const length = tail.readUInt32LE(end + 12);
    const offset = tail.readUInt32LE(end + 16);
    if (offset + length > size || length > MOST_DIRECTORY_BYTES)
      throw damaged(path, 'its directory is damaged');
    return entriesIn(path, await bytesAt(file, offset, length));
  } finally {
    await file.close();
  }
}

/** Exactly so many bytes. @throws Error when the file ends before. */
export async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error('it is cut off');
  return buffer;
}

const END_OF_DIRECTORY = Buffer.from('PK\x05\x06');
const END_BYTES = 22;

/** The end of the directory, and a comment behind it of the greatest length that there is. */
const MOST_TAIL_BYTES = END_BYTES + 65_535;

/** Room for a hundred thousand parts; a workbook has some dozen. */
const MOST_DIRECTORY_BYTES = 16 * 1024 * 1024;

const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const IS_ENCRYPTED = 1;

function entriesIn(path: string, directory: Buffer): ReadonlyMap<string, ArchiveEntry> {
  const entries = new Map<string, ArchiveEntry>();
  for (let at = 0; at + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(at) !== ENTRY) throw damaged(path, 'its directory is damaged');
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const name = directory.toString('utf8', at + ENTRY_BYTES, nameEnd);
    if ((directory.readUInt16LE(at + 8) & IS_ENCRYPTED) !== 0) throw isProtected(path);
    const packing = PACKINGS.get(directory.readUInt16LE(at + 10));
    // A part that is packed in another way is missing only when somebody asks for it.
    if (packing !== undefined) {
      const checksum = directory.readUInt32LE(at + 16);
      const sizes = sizesIn(directory, at, directory.subarray(nameEnd, extraEnd));
      entries.set(name.replaceAll('\\', '/').toLowerCase(), { packing, checksum, ...sizes });
    }
    at = extraEnd + directory.readUInt16LE(at + 32);
  }
  return entries;
}

const PACKINGS = new Map<number, ArchiveEntry['packing']>([
  [0, 'stored'],
  [8, 'deflated'],
]);

const IN_EXTRA = 0xffffffff;
const ZIP64 = 1;

/** Some writers put every size where large archives have theirs, into an extra field of 64-bit numbers. */
function sizesIn(
  directory: Buffer,
  at: number,
  extra: Buffer,
): Pick<ArchiveEntry, 'bytes' | 'packedBytes' | 'headerOffset'> {
  const large = largeSizes(extra);
  const next = (value: number): number => (value === IN_EXTRA ? (large.shift() ?? value) : value);
  // In the order in which the extra field has them.
  const bytes = next(directory.readUInt32LE(at + 24));
  const packedBytes = next(directory.readUInt32LE(at + 20));
  return { bytes, packedBytes, headerOffset: next(directory.readUInt32LE(at + 42)) };
}

function largeSizes(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    const body = extra.subarray(at + 4, at + 4 + length);
    if (extra.readUInt16LE(at) === ZIP64) {
      return Array.from({ length: Math.floor(body.length / 8) }, (_, index) =>
        Number(body.readBigUInt64LE(index * 8)),
      );
    }
    at += 4 + length;
  }
  return [];
}

/** How a file of Excel before 2007 begins, and how a newer one does that is protected by a password. */
const OLD_HEADER = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** The part in which a protected workbook is kept, as such a file names its parts. */
const PROTECTED_PART = Buffer.from('EncryptedPackage', 'utf16le');

/** The names of parts stand in the first or the last sectors of such a file. */
const SEARCHED_BYTES = 1024 * 1024;

async function oldContainer(path: string, file: FileHandle, size: number): Promise<StopError> {
  const length = Math.min(size, SEARCHED_BYTES);
  const ends = await Promise.all([bytesAt(file, 0, length), bytesAt(file, size - length, length)]);
  if (ends.some((bytes) => bytes.includes(PROTECTED_PART))) return isProtected(path);
  const fact = `${path} is a workbook of Excel before 2007 (.xls), whatever it is called.`;
  return stop('input', fact, 'Open it in Excel and save it as .xlsx, or save the sheet as CSV.');
}

function isProtected(path: string): StopError {
  const next = 'Open it in Excel, take the password off under File, Info, Protect Workbook, and save it.';
  return stop('input', `${path} is protected by a password.`, next);
}
