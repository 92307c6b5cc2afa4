import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Standard input as a file that only this user can read, named by its content: the same bytes piped in again are the
 * same batch, and its output can be written again later.
 */
export async function spoolInput(input: Readable, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${randomUUID()}.tmp`);
  const hash = createHash('sha256');
  await pipeline(
    input,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(temporary, { mode: 0o600 }),
  );
  const path = join(folder, `${hash.digest('hex')}.csv`);
  await rename(temporary, path);
  return path;
}
