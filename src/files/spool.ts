import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StopError, stop } from '../core/errors.ts';
import { NewFile, outputProblem } from '../lib/atomic-file.ts';
import { distrustOfFolder } from '../lib/file-trust.ts';
import { endingFor, START } from './called.ts';
import { contentHash } from './input.ts';

/**
 * Keeps a list that has no file of its own in one that only this user can read, so that its output can be
 * written again later. The file is named by its content, so the same bytes are the same batch.
 * @param what the list is called where it cannot be kept.
 */
export async function spoolInput(
  input: AsyncIterable<Buffer>,
  folder: string,
  what = 'standard input',
): Promise<string> {
  let start = Buffer.alloc(0);
  async function* chunks(): AsyncIterable<Buffer> {
    for await (const chunk of input) {
      if (start.length < START) start = Buffer.concat([start, chunk.subarray(0, START)]);
      yield chunk;
    }
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const distrust = distrustOfFolder(folder);
    if (distrust !== undefined)
      throw stop('input', `Nothing is kept there: ${distrust.fact}.`, distrust.next);
    const file = await NewFile.write(folder, 0o600, chunks());
    try {
      const path = join(folder, `${file.sha256}${endingFor(start)}`);
      // A file with this content is not replaced, because another run may be reading it.
      const isThere = (await contentHash(path).catch(() => undefined)) === file.sha256;
      if (!isThere) await file.replace(path);
      return path;
    } finally {
      await file.discard();
    }
  } catch (error) {
    throw spoolProblem(folder, what, error);
  }
}

function spoolProblem(folder: string, what: string, error: unknown): unknown {
  const problem = outputProblem(folder, error);
  if (!(problem instanceof StopError) || problem.code !== 'output') return problem;
  return stop('input', problem.message, `Save ${what} to a file and name that file.`);
}
