import { fstatSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Advice, messageOf, StopError, stop } from '../core/errors.ts';
import type { FileBytes } from '../core/format.ts';
import { foreignWords } from '../core/plain-text.ts';
import { sha256Of } from '../lib/atomic-file.ts';
import { nearPath } from '../lib/command-line.ts';
import { firstListIn, meantPath } from '../lib/near-path.ts';
import { codeOf, shortage } from '../lib/system-errors.ts';

/**
 * Groups of rows are handed on as their bytes are read, so that larger pieces would hold more rows in memory.
 */
const BYTES_PER_CHUNK = 64 * 1024;

/** The read that finds the end of a file asks for so many. */
const BYTES_BEHIND = 1024;

/**
 * A file that is read more than once and is the same each time. Its stamp is taken before the first byte is
 * read, and compared after each read, before the bytes are handed over: rows belong to the bytes by whose
 * hash their batch is known, and not to bytes that stood in their place for a while. A file that was replaced
 * by another of its name goes on being read where it is open, and is missed when it is opened again.
 */
export class InputFile implements FileBytes {
  readonly path: string;
  /** Where it stands, how long it is, and when it was last written to. */
  #stamp: string | undefined;
  #sha256: string | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async *chunks(startByte = 0): AsyncGenerator<Buffer> {
    let position = startByte;
    try {
      await using file = await this.#open();
      const { size } = fstatSync(file.fd);
      for (;;) {
        const left = Math.max(size - position, BYTES_BEHIND);
        const buffer = Buffer.allocUnsafe(Math.min(BYTES_PER_CHUNK, left));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        this.#requireSame(file);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw await describe(this.path, error);
    }
  }

  async bytesAt(position: number, most: number): Promise<Buffer> {
    let bytes = Buffer.alloc(0);
    for await (const chunk of this.chunks(position)) {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length >= most) break;
    }
    return bytes.subarray(0, most);
  }

  async sha256(): Promise<string> {
    this.#sha256 ??= await sha256Of(this.chunks());
    return this.#sha256;
  }

  /** @throws StopError `input` when what stands at the path is not the file any more that was read. */
  async requireUnchanged(): Promise<void> {
    const isThere = await stat(this.path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isThere) throw changedFile(this.path);
    await this.bytesAt(0, 1);
  }

  /** The same, also where the file system tells nothing of a change. @param sha256 of all bytes. */
  async requireContent(sha256: string): Promise<void> {
    await this.requireUnchanged();
    if ((await sha256Of(this.chunks())) !== sha256) throw changedFile(this.path);
  }

  async #open(): Promise<FileHandle> {
    await requireFile(this.path);
    const file = await open(this.path);
    try {
      this.#requireSame(file);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * The system knows this of an open file at once. A wait for it after each read would take longer than the
   * look itself.
   */
  #requireSame(file: FileHandle): void {
    const { dev, ino, size, mtimeNs } = fstatSync(file.fd, { bigint: true });
    const stamp = `${dev} ${ino} ${size} ${mtimeNs}`;
    this.#stamp ??= stamp;
    if (stamp !== this.#stamp) throw changedFile(this.path);
  }
}

/** The stop of a run whose file has changed since it was first read. */
function changedFile(path: string): StopError {
  const fact = `${path} changed during the run, so its rows and their answers may not belong together.`;
  const next = 'Run the same command again: everything bought is kept, and only the difference is bought.';
  return stop('input', fact, next);
}

/**
 * Opening a pipe would wait for a writer, and an input is read more than once, so only regular files will do.
 */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path);
  if (found.isDirectory()) throw stop('input', `${path} is a folder, not a file.`, await listIn(path));
  if (!found.isFile()) {
    const fact = `${path} is not a regular file, but an input must be read more than once.`;
    throw stop('input', fact, 'Save its content to a file and name that file.');
  }
}

async function listIn(folder: string): Promise<Advice> {
  const list = await firstListIn(folder);
  if (list === undefined) return 'Name one file in it.';
  const meant = nearPath(join(folder, list));
  return { next: `Name one file in it, such as ${foreignWords(meant)}.`, again: { typed: folder, meant } };
}

async function describe(path: string, error: unknown): Promise<unknown> {
  if (error instanceof StopError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    const advice = await meantPath(path, 'Check the name of the input file.');
    return stop('input', `${path} does not exist.`, advice);
  }
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    const fact = `${path} cannot be read by this user.`;
    return stop('input', fact, 'Give yourself permission to read the file.');
  }
  return unreadable(path, error);
}

function unreadable(path: string, error: unknown): StopError {
  const short = shortage(codeOf(error));
  const next = short?.next ?? 'Check the disk with the file, then run the command again.';
  return stop('input', `${path} cannot be read: ${short?.why ?? messageOf(error)}.`, next);
}
