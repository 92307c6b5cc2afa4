import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A part of an archive, whose length need not be known before it is written. */
export interface ArchivePart {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** A zip archive of these parts. Every part bears the same date, so that the same parts give the same bytes. */
export async function* zipped(parts: readonly ArchivePart[]): AsyncGenerator<Buffer, void, undefined> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, chunks } of parts) {
    const headerOffset = offset;
    const nameBytes = Buffer.from(name);
    const sizes: Sizes = { checksum: 0, packedBytes: 0, bytes: 0 };
    const header = Buffer.concat([
      LOCAL_HEADER,
      VERSION_TO_ATTRIBUTES,
      NO_SIZES,
      lengthOf(nameBytes),
      nameBytes,
    ]);
    yield header;
    for await (const packed of deflated(counted(chunks, sizes))) {
      sizes.packedBytes += packed.length;
      yield packed;
    }
    const told = sizesBytes(sizes);
    yield Buffer.concat([DESCRIPTOR, told]);
    offset += header.length + sizes.packedBytes + DESCRIPTOR.length + told.length;
    directory.push(Buffer.concat([entryOf(told, nameBytes, headerOffset), nameBytes]));
  }
  yield Buffer.concat([...directory, endOf(directory, offset)]);
}

/** CRC-32 of the unpacked bytes, and how many they are before and after. */
interface Sizes {
  checksum: number;
  packedBytes: number;
  bytes: number;
}

async function* counted(chunks: ArchivePart['chunks'], sizes: Sizes): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    sizes.checksum = crc32(chunk, sizes.checksum);
    sizes.bytes += chunk.length;
    yield chunk;
  }
}

/** What goes wrong with the source is thrown to whoever takes the packed bytes. */
function deflated(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(chunks), createDeflateRaw(), () => {});
}

const LOCAL_HEADER = Buffer.from('PK\x03\x04');
const DESCRIPTOR = Buffer.from('PK\x07\x08');
const ENTRY = Buffer.from('PK\x01\x02');
const END = Buffer.from('PK\x05\x06');

/**
 * As every part has them: version 2.0 is needed to read it; its sizes follow it and its name is UTF-8; it is deflated;
 * and it is of midnight on 1 January 1980, which is where the time of zip archives begins.
 */
const VERSION_TO_ATTRIBUTES = shorts(20, 0x0808, 8, 0, 0x0021);

/** Twelve bytes where the sizes would be, if they were known before the part. */
const NO_SIZES = Buffer.alloc(12);

const MADE_BY = shorts(20);

function sizesBytes({ checksum, packedBytes, bytes }: Sizes): Buffer {
  return longs(checksum, packedBytes, bytes);
}

/** The length of a name, and that no extra field follows it. */
function lengthOf(name: Buffer): Buffer {
  return shorts(name.length, 0);
}

function entryOf(sizes: Buffer, name: Buffer, headerOffset: number): Buffer {
  // No comment, on the first disk, neither text nor attributes.
  const place = Buffer.concat([shorts(0, 0, 0), longs(0, headerOffset)]);
  return Buffer.concat([ENTRY, MADE_BY, VERSION_TO_ATTRIBUTES, sizes, lengthOf(name), place]);
}

function endOf(directory: readonly Buffer[], offset: number): Buffer {
  const length = directory.reduce((sum, entry) => sum + entry.length, 0);
  const count = directory.length;
  return Buffer.concat([END, shorts(0, 0, count, count), longs(length, offset), shorts(0)]);
}

function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

/** @throws RangeError above four gigabytes, which no sheet that Excel could open comes near. */
function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
