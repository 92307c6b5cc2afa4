import { createHash, hash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { stop } from '../core/errors.ts';
import { AGAIN, byFlag, phrase } from '../core/phrase.ts';
import { isAlive } from './alive.ts';
import { crashPoint } from './faults.ts';
import { codeOf, shortageOf } from './system-errors.ts';

/**
 * Files that are whole or absent. Each is written under a name that no other writer has, and hashed. Only
 * then it takes its place, and it replaces only a file that may go. A crash leaves at most the temporary
 * file. The next writer in that folder removes it when the process that owned it is gone.
 */

export type Chunks = AsyncIterable<Buffer> | Iterable<string>;

export type MayReplace = (path: string, sha256: string) => Promise<boolean>;

/**
 * Called with the contents that may be at a path from now on: the new one, and the old one until it is
 * replaced.
 */
export type NoteWritten = (path: string, sha256s: readonly string[]) => Promise<void>;

/** A file that is whole and on the disk, and has no place yet. */
export class NewFile {
  readonly #path: string;
  readonly sha256: string;

  private constructor(path: string, sha256: string) {
    this.#path = path;
    this.sha256 = sha256;
  }

  /**
   * Writes a file in the folder where it will take its place. Errors are thrown unchanged: `outputProblem`
   * has words for them.
   * @param mode undefined: the mode of the user's other files.
   */
  static async write(folder: string, mode: number | undefined, chunks: Chunks): Promise<NewFile> {
    await removeLeftovers(folder);
    const path = join(folder, temporaryName());
    const file = await open(path, 'ax', mode);
    try {
      if (mode !== undefined) await file.chmod(mode);
      const sha256 = await writeAll(file, chunks);
      await file.sync(); // rule 12c
      await file.close();
      return new NewFile(path, sha256);
    } catch (error) {
      await file.close().catch(() => {});
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  /**
   * Takes the place when it is free, or holds a file that may go. Between the last look at the place and the
   * rename there are no more than a few system calls, and a free place is taken without replacing anything at
   * all.
   * @returns whether it did.
   */
  async take(path: string, mayReplace: MayReplace, note: NoteWritten = async () => {}): Promise<boolean> {
    for (;;) {
      const standing = await standingAt(path);
      if (standing.kind === 'foreign') return false;
      if (standing.kind === 'nothing') {
        await note(path, [this.sha256]); // rule 12b
        if (await this.#create(path)) break;
        continue;
      }
      const { sha256, stamp } = standing;
      if (sha256 !== this.sha256 && !(await mayReplace(path, sha256))) return false;
      await note(path, [...new Set([this.sha256, sha256])]);
      if ((await stampOf(path)) !== stamp) continue;
      await this.replace(path);
      break;
    }
    crashPoint('output-renamed');
    return true;
  }

  replace(path: string): Promise<void> {
    return replaceBy(this.#path, path);
  }

  async #create(path: string): Promise<boolean> {
    const isTaken = await giveName(this.#path, path);
    if (isTaken) await syncEntry(dirname(path));
    return isTaken;
  }

  /** Removes the temporary file. Call it in any case: a file that has taken its place is not touched. */
  async discard(): Promise<void> {
    await rm(this.#path, { force: true }).catch(() => {});
  }
}

/** A file of ours takes the place of another one, and does so behind a loss of power, too. */
export async function replaceBy(newFile: string, path: string): Promise<void> {
  await rename(newFile, path);
  await syncEntry(dirname(path));
}

/** A wait for a write takes longer than the write itself, so small chunks are written together. */
const BYTES_PER_WRITE = 256 * 1024;

/** @returns SHA-256 of all bytes, hex. */
async function writeAll(file: FileHandle, chunks: Chunks): Promise<string> {
  const sha256 = createHash('sha256');
  // Chunks are copied, because their maker may use the memory again for the next one.
  const gathered = Buffer.allocUnsafe(BYTES_PER_WRITE);
  let waiting = 0;
  const write = async (): Promise<void> => {
    const piece = gathered.subarray(0, waiting);
    sha256.update(piece);
    await file.appendFile(piece);
    waiting = 0;
  };
  for await (const chunk of chunks) {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(gathered, waiting, at);
      [at, waiting] = [at + copied, waiting + copied];
      if (waiting === gathered.length) await write();
    }
  }
  await write();
  return sha256.digest('hex');
}

/**
 * Replaces a file in one step: a reader sees the old content or the whole new one. A link stays, and its
 * target is replaced: this is for files of our own, which a user may keep elsewhere, such as the accounts
 * file.
 * @returns false when the old file may not be replaced; then nothing has changed.
 * @throws StopError `output` or `disk_full`.
 */
export async function replaceFile(
  path: string,
  mode: number,
  chunks: Chunks,
  mayReplace: MayReplace = async () => true,
): Promise<boolean> {
  try {
    const real = await realPath(path);
    const file = await NewFile.write(dirname(real), mode, chunks);
    try {
      crashPoint('output-written');
      return await file.take(real, mayReplace);
    } finally {
      await file.discard();
    }
  } catch (error) {
    throw outputProblem(path, error);
  }
}

/** Gives a file another name, unless something has it. @returns whether it did. */
export async function moveWithoutReplacing(from: string, to: string): Promise<boolean> {
  if (!(await giveName(from, to))) return false;
  await rm(from, { force: true });
  await syncEntry(dirname(to));
  return true;
}

/** The target of a link; the path itself when it is no link, or leads nowhere. */
export async function realPath(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  return isLink ? realpath(path).catch(() => path) : path;
}

export type StandingFile =
  | { readonly kind: 'nothing' }
  /**
   * A folder, a device, or a link, wherever it leads: another person may have made it, to make us write
   * there.
   */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'file'; readonly sha256: string; readonly stamp: string };

export async function standingAt(path: string): Promise<StandingFile> {
  const found = await lstat(path).catch(absent);
  if (found === undefined) return { kind: 'nothing' };
  if (!found.isFile()) return { kind: 'foreign' };
  try {
    const stamp = await stampOf(path);
    if (stamp === undefined) return { kind: 'nothing' };
    // A file that became a link since it was looked at is not followed.
    await using file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    return { kind: 'file', stamp, sha256: await sha256Of(piecesOf(file)) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'nothing' };
    if (codeOf(error) === 'ELOOP') return { kind: 'foreign' };
    // We did not write a file that we may not read.
    if (codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM') return { kind: 'foreign' };
    throw error;
  }
}

/**
 * A text that changes with every write, and when another file takes the place; undefined when there is no
 * file.
 */
export async function stampOf(path: string): Promise<string | undefined> {
  const found = await lstat(path, { bigint: true }).catch(absent);
  return found && [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}

/** A missing file is undefined. Every other reason why a file cannot be seen is thrown. */
function absent(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** All bytes of an open file, wherever others read it. Each piece uses the memory of the one before it. */
export async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(BYTES_AT_ONCE);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, BYTES_AT_ONCE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

const BYTES_AT_ONCE = 256 * 1024;

export async function sha256Of(chunks: AsyncIterable<Buffer>): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of chunks) sha256.update(chunk);
  return sha256.digest('hex');
}

/** A second name replaces nothing, where the file system has such names. Elsewhere we only look first. */
async function giveName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!NO_LINKS.has(codeOf(error) ?? '')) throw error;
  }
  if ((await stampOf(to)) !== undefined) return false;
  await rename(from, to);
  return true;
}

const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EXDEV',
]);

async function syncEntry(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

const TEMPORARY = /^\.rowonce-(?<machine>[0-9a-f]{8})-(?<pid>\d+)-[0-9a-f]{12}\.tmp$/;

/** Short, because the name of the file itself may be as long as names can be. */
function temporaryName(): string {
  return `.rowonce-${machineName()}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
}

/** The machine on which a process number has a meaning: a container has a name of its own. */
const machineName = (): string => hash('sha256', hostname(), 'hex').slice(0, 8);

/** Removes the files of processes that were killed. A process that may be alive keeps its file. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const { machine: of, pid } = TEMPORARY.exec(name)?.groups ?? {};
    if (of !== machineName() || isAlive(Number(pid))) continue;
    await rm(join(folder, name), { force: true }).catch(() => {});
  }
}

/**
 * @throws StopError `output` when a file could not be written at this path. A folder or a device stands
 *   there, so a rename would fail or replace it; or the name is too long; or the folder around it is closed
 *   to us. Leaves nothing behind.
 */
export async function checkWritable(path: string): Promise<void> {
  try {
    const found = await lstat(path).catch(absent);
    // Beside a link there is room for our file.
    if (found?.isFile() === false && !found.isSymbolicLink()) {
      const what = found.isDirectory() ? 'a folder' : 'not a regular file';
      throw stop(
        'output',
        `${path} cannot be written: it is ${what}.`,
        phrase`Name another file ${byFlag('-o')}.`,
      );
    }
    const temporary = join(dirname(path), temporaryName());
    await (await open(temporary, 'wx', 0o600)).close();
    await rm(temporary);
  } catch (error) {
    throw outputProblem(path, error);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'the place of its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk is read only',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a circle',
  EXDEV: 'its folder spans two disks',
  EBUSY: 'another program is using it',
  EFBIG: 'its disk does not take files of that size',
  EIO: 'its disk has errors',
};

/**
 * A problem of writing a file as a stop in words; any other error unchanged.
 * @param flag the flag with which the user named the file.
 */
export function outputProblem(path: string, error: unknown, flag = '-o'): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const fact = `${path} cannot be written: the disk is full.`;
    const next = phrase`Free some space, then ${AGAIN}; nothing that was bought is lost.`;
    return stop('disk_full', fact, next);
  }
  const short = shortageOf(code);
  if (short !== undefined) return stop('output', `${path} cannot be written: ${short.why}.`, short.next);
  const why = WHY[code] ?? `the system refuses with ${code}`;
  return stop('output', `${path} cannot be written: ${why}.`, phrase`Name another file ${byFlag(flag)}.`);
}
