import { open, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, StopError, stop } from './errors.ts';
import { partsOf } from './file-name.ts';
import { nearest } from './nearest.ts';

/**
 * The bytes of an input file, in order. The file is read no faster than chunks are taken, and closed when the caller
 * stops taking.
 * @param startByte byte offset at which reading starts.
 * @throws StopError `input` when it is missing, a folder, not a regular file, or not readable.
 */
export async function* readInput(path: string, startByte = 0): AsyncGenerator<Buffer, void, undefined> {
  try {
    await requireFile(path);
    const file = await open(path);
    for await (const chunk of file.createReadStream({ start: startByte })) yield chunk;
  } catch (error) {
    throw await describe(path, error);
  }
}

/** As much as a disk gives in one go without waiting; larger pieces are read no faster. */
const BYTES_PER_SCAN = 256 * 1024;

/**
 * As `readInput`, for whoever looks at each chunk and keeps nothing of it: all of them are the same memory, written over
 * by the next, so that a look at a large file leaves no garbage behind.
 * @throws StopError as `readInput`.
 */
export async function* scanInput(path: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    await requireFile(path);
    const file = await open(path);
    try {
      const buffer = Buffer.allocUnsafe(BYTES_PER_SCAN);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, BYTES_PER_SCAN);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw await describe(path, error);
  }
}

/** @throws StopError `input` when it is missing, a folder, or not a regular file. */
export async function requireInputFile(path: string): Promise<void> {
  try {
    await requireFile(path);
  } catch (error) {
    throw await describe(path, error);
  }
}

/** Opening a pipe would wait for a writer, and an input is read more than once, so only regular files will do. */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path);
  if (found.isDirectory()) throw stop('input', `${path} is a folder, not a file.`, 'Name one file in it.');
  if (!found.isFile()) {
    const fact = `${path} is not a regular file, and an input is read more than once.`;
    throw stop('input', fact, 'Save its content to a file and name that file.');
  }
}

async function describe(path: string, error: unknown): Promise<unknown> {
  if (error instanceof StopError || !(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
    return stop('input', `${path} does not exist.`, await meantInstead(path));
  }
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return stop(
      'input',
      `${path} may not be read by this user.`,
      'Give yourself permission to read the file.',
    );
  }
  return unreadable(path, error);
}

/** What to do about a name that no file has: one of almost that name, whatever its ending, may lie in the folder. */
async function meantInstead(path: string): Promise<string> {
  const files = await readdir(dirname(path)).catch(() => []);
  const byStem = new Map(files.map((file) => [partsOf(file).stem, file]));
  const meant = byStem.get(nearest(partsOf(path).stem, [...byStem.keys()]) ?? '');
  return meant === undefined ? 'Check the name of the input file.' : `Did you mean ${meant}?`;
}

function unreadable(path: string, error: unknown): StopError {
  const next = 'Check the disk that holds the file, then repeat the command.';
  return stop('input', `${path} cannot be read: ${messageOf(error)}.`, next);
}
