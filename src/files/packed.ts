import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StopError, stop } from '../core/errors.ts';
import type { FileBytes } from '../core/format.ts';

/** Files that end in `.gz`: unpacked and packed as they stream, so that neither form is ever held whole. */

/**
 * A table of text packs to a fifth or a twentieth; only a file made to exhaust the machine unpacks to far more. Below
 * the limit of bytes nothing can be exhausted, and a short file of equal rows is nobody's attack.
 */
const MOST_TIMES_ITS_SIZE = 200;
const BYTES_BEYOND_SUSPICION = 64 * 1024 * 1024;

export interface PackedFile {
  readonly file: FileBytes;
  readonly isPacked: boolean;
}

/**
 * The bytes of a file, unpacked where it is packed.
 * @param see gets those of the file itself, in order; of a packed one all of them.
 * @param startByte where to begin in what comes of it.
 * @throws StopError `input` when they cannot be read, are no gzip, or unpack to suspiciously much.
 */
export function unpackedBytes(
  { file, isPacked }: PackedFile,
  see?: (bytes: Buffer) => void,
  startByte = 0,
): AsyncIterable<Buffer> {
  const bytes = file.chunks(isPacked ? 0 : startByte);
  const seen = see === undefined ? bytes : tapped(bytes, see);
  return isPacked ? behind(startByte, unpacked(file.path, seen)) : seen;
}

async function* tapped(chunks: AsyncIterable<Buffer>, see: (bytes: Buffer) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}

/** What is behind the first bytes of what has to be read from its beginning. */
export async function* behind(startByte: number, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let left = startByte;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* unpacked(path: string, packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let bytesIn = 0;
  let bytesOut = 0;
  async function* counted(): AsyncIterable<Buffer> {
    for await (const chunk of packed) {
      bytesIn += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const chunk of through(counted(), createGunzip())) {
      bytesOut += chunk.length;
      if (bytesOut > BYTES_BEYOND_SUSPICION && bytesOut > bytesIn * MOST_TIMES_ITS_SIZE) {
        throw bomb(path, bytesIn, bytesOut);
      }
      yield chunk;
    }
  } catch (error) {
    throw unpackProblem(path, error);
  }
}

/** The same bytes in give the same bytes out: the header holds neither a time nor a name. */
export function packed(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return through(chunks, createGzip());
}

/** What a stream makes of the chunks. Ends with their error, and ends them when it is left early. */
async function* through(
  chunks: AsyncIterable<Buffer>,
  stream: NodeJS.ReadWriteStream & AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  const feeding = pipeline(Readable.from(chunks, { objectMode: true }), stream);
  // The reader of the stream gets the same error.
  feeding.catch(() => {});
  yield* stream;
}

function bomb(path: string, bytesIn: number, bytesOut: number): StopError {
  const fact = `${path} unpacks to more than ${Math.floor(bytesOut / bytesIn)} times its size (${bytesOut} bytes from ${bytesIn} so far), more than any table would.`;
  return stop('input', fact, 'If it is yours, unpack it yourself and name the unpacked file.');
}

function unpackProblem(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof StopError || typeof code !== 'string' || !code.startsWith('Z_')) return error;
  const next = 'Download or pack the file again, or name the unpacked file.';
  if (code === 'Z_BUF_ERROR')
    return stop('input', `${path} ends before its packed content is complete.`, next);
  return stop('input', `${path} cannot be unpacked: it is not a gzip file, or it is damaged.`, next);
}
