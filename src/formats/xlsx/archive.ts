import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { stop } from '../../errors.ts';
import { damaged, damagedPart } from './damaged.ts';
import { type ArchiveEntry, bytesAt, readDirectory } from './directory.ts';

/**
 * The parts of a workbook, which is a zip archive. What a part unpacks to is told by the archive's directory, so it is
 * held against a limit before anything is unpacked, and no part may become longer than it was said to be: a file of some
 * kilobytes cannot fill the memory or keep the program busy for hours.
 */
export class Archive {
  readonly path: string;
  readonly #entries: ReadonlyMap<string, ArchiveEntry>;

  private constructor(path: string, entries: ReadonlyMap<string, ArchiveEntry>) {
    this.path = path;
    this.#entries = entries;
  }

  /** @throws StopError `input` when the file is no archive, or one that is protected by a password. */
  static async open(path: string): Promise<Archive> {
    return new Archive(path, await readDirectory(path));
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /**
   * The text of a part, in order, read no faster than it is taken.
   * @throws StopError `input` when there is no such part, it is longer than the limit, or its bytes are not what they
   * were when it was packed.
   */
  async *chunks(name: string, mostBytes: number): AsyncGenerator<string, void, undefined> {
    const entry = this.#entries.get(keyOf(name));
    if (entry === undefined) throw damaged(this.path, `its part ${name} is missing`);
    if (entry.bytes > mostBytes) {
      const fact = `${this.path}: its part ${name} would unpack to ${entry.bytes} bytes, and ${mostBytes} are the most.`;
      throw stop('input', fact, 'Save the sheet as CSV, which may be of any size.');
    }
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const bytes of checked(await this.#unpacked(entry), entry)) {
        yield decoder.decode(bytes, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      throw damagedPart(this.path, name, error);
    }
  }

  async #unpacked(entry: ArchiveEntry): Promise<Readable> {
    const file = await open(this.path);
    try {
      const local = await bytesAt(file, entry.headerOffset, LOCAL_HEADER_BYTES);
      if (local.readUInt32LE(0) !== LOCAL_HEADER) throw new Error('it does not begin where it should');
      const start = entry.headerOffset + LOCAL_HEADER_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
      const packed = file.createReadStream({ start, end: start + entry.packedBytes - 1 });
      if (entry.packing === 'stored') return packed;
      // What is wrong with the packed bytes is heard by whoever reads the unpacked ones.
      return pipeline(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), () => {});
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;

/** A few hundred rows at once: smaller pieces cost more steps, larger ones gain nothing. */
const CHUNK_BYTES = 64 * 1024;

/** Some programs write `\` between folders, or their names in other letters than those that refer to them. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}

/** Passes the bytes on that the directory has promised. @throws Error as soon as there are more, or others. */
async function* checked(
  unpacked: AsyncIterable<Buffer>,
  { bytes, checksum }: ArchiveEntry,
): AsyncGenerator<Buffer, void, undefined> {
  let count = 0;
  let sum = 0;
  for await (const chunk of unpacked) {
    count += chunk.length;
    if (count > bytes) throw new Error(`it unpacks to more than the ${bytes} bytes that it says`);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (count !== bytes || sum !== checksum) throw new Error('its checksum fails');
}
