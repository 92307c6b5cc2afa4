import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StopError, stop } from '../../core/errors.ts';
import { contentHash } from '../../files/input.ts';
import { NewFile, outputProblem } from '../../lib/atomic-file.ts';
import { distrustOfFolder } from '../../lib/file-trust.ts';

/**
 * Keeps standard input in a file that only this user can read, named by its content, so that the same bytes piped in
 * again are the same batch, and its output can be written again later.
 */
export async function spoolInput(input: Readable, folder: string): Promise<string> {
  let start = Buffer.alloc(0);
  async function* chunks(): AsyncIterable<Buffer> {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      if (start.length < LONGEST_MAGIC) start = Buffer.concat([start, chunk.subarray(0, LONGEST_MAGIC)]);
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
    throw spoolProblem(folder, error);
  }
}

function spoolProblem(folder: string, error: unknown): unknown {
  const problem = outputProblem(folder, error);
  if (!(problem instanceof StopError) || problem.code !== 'output') return problem;
  return stop('input', problem.message, 'Save standard input to a file and name that file.');
}

/** Standard input has no name, so its first bytes say how it is read: packed text, a workbook, JSON lines, or text. */
function endingFor(start: Buffer): string {
  if (start.subarray(0, GZIP.length).equals(GZIP)) return '.csv.gz';
  if (start.subarray(0, ZIP.length).equals(ZIP)) return '.xlsx';
  return BEGINS_OBJECT.test(start.toString('latin1')) ? '.jsonl' : '.csv';
}

/** No list begins its header so, not even behind a byte-order mark. */
const BEGINS_OBJECT = /^(?:\xEF\xBB\xBF)?\s*\{/;

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04');
/** With room for blank lines before an object. */
const LONGEST_MAGIC = 64;
