import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { messageOf, StopError, stop } from '../../../core/errors.ts';
import type { FileBytes } from '../../../core/format.ts';
import { damaged, damagedAt } from './damaged.ts';
import { FileRanges } from './file-ranges.ts';
import { isProtected, refuseOldFile } from './old-file.ts';

/** A workbook has some dozen, one with thousands of pictures as many; a hundred thousand would take ten seconds to list. */
const MOST_PARTS = 20_000;

/**
 * The parts of a workbook, which is a zip archive. What a part unpacks to is told by the archive's directory, so it is
 * held against a limit before anything is unpacked, and no part may become longer than it was said to be: a file of some
 * kilobytes cannot fill the memory or keep the program busy for hours.
 */
export class Archive {
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  /** @throws StopError `input` when the file is no archive, or one that is protected by a password. */
  static async open(file: FileBytes): Promise<Archive> {
    const { path } = file;
    const size = await file.size();
    await refuseOldFile(file, size);
    // It is never closed, as nothing is open between two readings. Names are keys here, and never paths on the disk.
    const options = { autoClose: false, decodeStrings: false };
    const zip = await fromRandomAccessReaderPromise(new FileRanges(file), size, options).catch(
      (error: unknown) => {
        if (error instanceof StopError) throw error;
        return undefined;
      },
    );
    if (zip === undefined) throw damaged(path, 'it is cut off, or no workbook at all');
    return new Archive(path, zip, await entriesOf(path, zip));
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
    if (entry.uncompressedSize > mostBytes) {
      const fact = `${this.path}: its part ${name} would unpack to ${entry.uncompressedSize} bytes, and ${mostBytes} are the most.`;
      throw stop('input', fact, 'Save the sheet as CSV, which may be of any size.');
    }
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const bytes of this.#unpacked(entry)) yield decoder.decode(bytes, { stream: true });
      yield decoder.decode();
    } catch (error) {
      throw damagedAt(this.path, `its part ${name}`, error);
    }
  }

  /** The library holds the length against what was said, and leaves the checksum to us. */
  async *#unpacked(entry: Entry): AsyncGenerator<Buffer, void, undefined> {
    let checksum = 0;
    const stream: AsyncIterable<Buffer> = await this.#zip.openReadStreamPromise(entry);
    for await (const bytes of stream) {
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    if (checksum !== entry.crc32) throw new Error('its checksum fails');
  }
}

async function entriesOf(path: string, zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > MOST_PARTS) throw damaged(path, `it says that it has ${zip.entryCount} parts`);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw isProtected(path);
      entries.set(keyOf(entry.fileNameRaw.toString()), entry);
    }
  } catch (error) {
    // The library refuses one of the two ways to encrypt before it lets us see the part.
    throw messageOf(error).includes('encryption')
      ? isProtected(path)
      : damagedAt(path, 'its directory', error);
  }
  return entries;
}

/** Some programs write `\` between folders, or their names in other letters than those that refer to them. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase();
}
