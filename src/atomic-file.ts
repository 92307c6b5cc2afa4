import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, stop } from './errors.ts';
import { crashPoint } from './faults.ts';

/**
 * Replaces a file in one step: whoever looks sees the old content or the whole new one. A crash leaves at most the
 * temporary file, whose name is fixed, so that the next run removes it instead of leaving another.
 */
export async function replaceFile(
  path: string,
  mode: number,
  chunks: AsyncIterable<Buffer> | Iterable<string>,
  beforeRename: () => Promise<void> = async () => {},
): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    const file = await openNew(temporary, mode);
    try {
      await file.chmod(mode);
      for await (const chunk of chunks) await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    crashPoint('output-written');
    await beforeRename();
    await rename(temporary, path);
    await syncFolder(dirname(path));
    crashPoint('output-renamed');
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw asOutputProblem(path, error);
  }
}

/**
 * @throws StopError `output` when a file could not be written at this path: a folder or a device stands there, which a
 * rename would fail on or replace, or the folder around it is closed to us. Leaves nothing behind.
 */
export async function checkWritable(path: string): Promise<void> {
  const standing = await stat(path).catch(() => undefined);
  if (standing?.isFile() === false) {
    const what = standing.isDirectory() ? 'a folder' : 'not a regular file';
    throw stop('output', `${path} cannot be written: it is ${what}.`, 'Name another file with -o.');
  }
  const temporary = temporaryPath(path);
  try {
    await (await openNew(temporary, 0o600)).close();
    await rm(temporary);
  } catch (error) {
    throw asOutputProblem(path, error);
  }
}

/** What a crash left under this name may be read-only, and a link under it is not ours to follow. */
async function openNew(temporary: string, mode: number): Promise<FileHandle> {
  await rm(temporary, { force: true });
  return open(temporary, 'wx', mode);
}

function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.rowonce-tmp`);
}

/** A rename is only on disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function asOutputProblem(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
  if (code === 'ENOSPC') {
    return stop(
      'disk_full',
      `${path} cannot be written: the disk is full.`,
      'Free some space, then type the same command again; nothing that was bought is lost.',
    );
  }
  return stop('output', `${path} cannot be written: ${messageOf(error)}.`, 'Name another file with -o.');
}
