import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import type { Entry } from 'yauzl';
import { stop } from '../../../core/errors.ts';
import { type Archive, keyOf, nameOf } from './archive.ts';

/**
 * The same archive with some parts in other words. Every other part is handed on as it was packed, with its name, its time and its
 * place among the others, so that two copies are the same to the byte wherever they are made. No library that
 * writes archives takes a part that is packed already, which is why the few records of an archive are written here.
 */

type PartText = AsyncIterable<string> | Iterable<string>;

export interface PackageChanges {
  /** What stands in a part from now on, by its name. */
  readonly replaced: ReadonlyMap<string, PartText>;
  /** Parts that are not in the archive yet. They come last, at the time at which the archive's first part was made. */
  readonly added: readonly { readonly name: string; readonly text: PartText }[];
}

/** Past this, the records would have to be of the other kind, for archives of more than 4 GiB. */
const MOST_BYTES = 0xffff_ffff;

/** @throws StopError `output` for an archive that grows past 4 GiB. */
export async function* packageCopy(archive: Archive, changes: PackageChanges): AsyncIterable<Buffer> {
  const { list } = archive;
  const replaced = new Map([...changes.replaced].map(([name, text]) => [keyOf(name), text]));
  const byPlace = list.toSorted(
    (one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader,
  );
  const written = new Map<Entry, Written>();
  let offset = 0;
  const counted = (bytes: Buffer): Buffer => {
    offset += bytes.length;
    if (offset > MOST_BYTES) throw tooLarge(archive.path);
    return bytes;
  };
  for (const entry of byPlace) {
    const text = replaced.get(nameOf(entry));
    const start = offset;
    const part = { head: headOf(entry), name: entry.fileNameRaw, extra: plainExtra(entry.extraFieldRaw) };
    if (text === undefined) {
      const { extra, bytes } = await archive.packed(entry);
      const sums = { checksum: entry.crc32, packed: entry.compressedSize, whole: entry.uncompressedSize };
      const head = { ...part.head, flags: entry.generalPurposeBitFlag & ~SUMS_BEHIND };
      yield counted(localRecord(head, entry.fileNameRaw, plainExtra(extra), sums));
      for await (const piece of bytes) yield counted(piece);
      written.set(entry, { ...part, head, sums, start });
    } else {
      const sums = newSums();
      for await (const piece of packedText(part, text, sums)) yield counted(piece);
      written.set(entry, { ...part, head: replacedHead(part.head), sums, start });
    }
  }
  const [first] = list;
  const added: Written[] = [];
  for (const { name, text } of changes.added) {
    const start = offset;
    const head = { ...headOf(first), flags: 0, attributes: 0 };
    const part = { head, name: Buffer.from(name), extra: NO_EXTRA };
    const sums = newSums();
    for await (const piece of packedText(part, text, sums)) yield counted(piece);
    added.push({ ...part, head: replacedHead(head), sums, start });
  }
  const directory = [...list.flatMap((entry) => written.get(entry) ?? []), ...added];
  const start = offset;
  for (const part of directory) yield counted(directoryRecord(part));
  yield counted(endRecord(directory.length, offset - start, start, archive.comment));
}

function tooLarge(path: string): Error {
  const fact = `${path} and what is added to it would be more than 4 GiB, too much for a workbook.`;
  return stop('output', fact, 'Save the sheet as CSV, which may have any size.');
}

// ------------------------------------------------------------------------------------------------------ the parts

interface Head {
  readonly madeBy: number;
  readonly needs: number;
  readonly flags: number;
  readonly method: number;
  readonly time: number;
  readonly date: number;
  readonly inside: number;
  readonly attributes: number;
}

interface Sums {
  checksum: number;
  packed: number;
  whole: number;
}

interface Part {
  readonly head: Head;
  readonly name: Buffer;
  readonly extra: Buffer;
}

interface Written extends Part {
  readonly sums: Sums;
  readonly start: number;
}

const NO_EXTRA = Buffer.alloc(0);
const newSums = (): Sums => ({ checksum: 0, packed: 0, whole: 0 });

const DEFLATE = 8;
/** The flag of a part whose sums stand behind its bytes, because they were not known before. */
const SUMS_BEHIND = 8;
const NEEDS_DEFLATE = 20;
/** Midnight on 1 January 1980, where the time of archives begins. */
const FIRST_DAY = 0x21;

function headOf(entry: Entry | undefined): Head {
  return {
    madeBy: entry?.versionMadeBy ?? NEEDS_DEFLATE,
    needs: entry?.versionNeededToExtract ?? NEEDS_DEFLATE,
    flags: entry?.generalPurposeBitFlag ?? 0,
    method: entry?.compressionMethod ?? DEFLATE,
    time: entry?.lastModFileTime ?? 0,
    date: entry?.lastModFileDate ?? FIRST_DAY,
    inside: entry?.internalFileAttributes ?? 0,
    attributes: entry?.externalFileAttributes ?? 0,
  };
}

function replacedHead(head: Head): Head {
  const needs = Math.max(head.needs, NEEDS_DEFLATE);
  return { ...head, needs, flags: head.flags | SUMS_BEHIND, method: DEFLATE };
}

/** The bytes of a part that is packed here. @param sums get to be known with the last of them. */
async function* packedText(part: Part, text: PartText, sums: Sums): AsyncIterable<Buffer> {
  yield localRecord(replacedHead(part.head), part.name, NO_EXTRA, newSums());
  for await (const piece of deflated(text, sums)) {
    sums.packed += piece.length;
    yield piece;
  }
  const behind = Buffer.alloc(16);
  behind.writeUInt32LE(0x08074b50, 0);
  writeSums(behind, sums, 4);
  yield behind;
}

/** Texts are taken no faster than packed bytes are. What goes wrong with them is thrown to whoever takes the bytes. */
async function* deflated(text: PartText, sums: Sums): AsyncIterable<Buffer> {
  const packer = createDeflateRaw();
  const source = Readable.from(bytesOf(text, sums)).once('error', (error) => packer.destroy(error));
  try {
    yield* source.pipe(packer);
  } finally {
    source.destroy();
    packer.destroy();
  }
}

async function* bytesOf(text: PartText, sums: Sums): AsyncIterable<Buffer> {
  for await (const piece of text) {
    const bytes = Buffer.from(piece);
    sums.checksum = crc32(bytes, sums.checksum);
    sums.whole += bytes.length;
    yield bytes;
  }
}

// ---------------------------------------------------------------------------------------------------- the records

/** The fields of a part but those with lengths above 4 GiB, which would say otherwise than the records here. */
function plainExtra(extra: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) !== 1) kept.push(extra.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function writeSums(record: Buffer, { checksum, packed, whole }: Sums, at: number): void {
  record.writeUInt32LE(checksum, at);
  record.writeUInt32LE(packed, at + 4);
  record.writeUInt32LE(whole, at + 8);
}

/** The fields that the record before a part shares with the one in the directory. */
function writeShared(record: Buffer, at: number, head: Head, name: Buffer, extra: Buffer, sums: Sums): void {
  record.writeUInt16LE(head.needs, at);
  record.writeUInt16LE(head.flags, at + 2);
  record.writeUInt16LE(head.method, at + 4);
  record.writeUInt16LE(head.time, at + 6);
  record.writeUInt16LE(head.date, at + 8);
  writeSums(record, sums, at + 10);
  record.writeUInt16LE(name.length, at + 22);
  record.writeUInt16LE(extra.length, at + 24);
}

function localRecord(head: Head, name: Buffer, extra: Buffer, sums: Sums): Buffer {
  const record = Buffer.alloc(30);
  record.writeUInt32LE(0x04034b50, 0);
  writeShared(record, 4, head, name, extra, sums);
  return Buffer.concat([record, name, extra]);
}

function directoryRecord({ head, name, extra, sums, start }: Written): Buffer {
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(head.madeBy, 4);
  writeShared(record, 6, head, name, extra, sums);
  record.writeUInt16LE(head.inside, 36);
  record.writeUInt32LE(head.attributes, 38);
  record.writeUInt32LE(start, 42);
  return Buffer.concat([record, name, extra]);
}

function endRecord(parts: number, length: number, start: number, comment: Buffer): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(parts, 8);
  record.writeUInt16LE(parts, 10);
  record.writeUInt32LE(length, 12);
  record.writeUInt32LE(start, 16);
  record.writeUInt16LE(comment.length, 20);
  return Buffer.concat([record, comment]);
}
