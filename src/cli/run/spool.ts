import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { contentHash } from '../../input.ts';

/**
 * Standard input as a file that only this user can read, named by its content: the same bytes piped in again are the
 * same batch, and its output can be written again later.
 */
export async function spoolInput(input: Readable, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${randomUUID()}.tmp`);
  const hash = createHash('sha256');
  let start = Buffer.alloc(0);
  await pipeline(
    input,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        if (start.length < LONGEST_MAGIC) start = Buffer.concat([start, chunk.subarray(0, LONGEST_MAGIC)]);
        yield chunk;
      }
    },
    createWriteStream(temporary, { mode: 0o600 }),
  );
  const sha256 = hash.digest('hex');
  const path = join(folder, `${sha256}${endingFor(start)}`);
  // A run that is at work on it would find another file in its place.
  const isThere = (await contentHash(path).catch(() => undefined)) === sha256;
  await (isThere ? rm(temporary) : rename(temporary, path));
  return path;
}

/** What a pipe brings has no name, so its first bytes say how it is read: packed text, a workbook, or text. */
function endingFor(start: Buffer): string {
  if (start.subarray(0, GZIP.length).equals(GZIP)) return '.csv.gz';
  return start.subarray(0, ZIP.length).equals(ZIP) ? '.xlsx' : '.csv';
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04');
const LONGEST_MAGIC = ZIP.length;
