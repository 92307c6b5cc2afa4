import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { StopError, stop } from '../../../core/errors.ts';
import type { Encoding, FileBytes } from '../../../core/format.ts';
import { textDecoder, Undecodable } from '../../text-encoding.ts';
import { LineCounter } from './raw-record.ts';

/**
 * The text of a file as UTF-8, in chunks and in order, whatever it is packed and encoded in. All that is said of places
 * in a file (positions, windows) is said of this text; for plain UTF-8 it is the file itself.
 */
export interface TextSource {
  readonly file: FileBytes;
  readonly encoding: Encoding;
  readonly isPacked: boolean;
}

/** The bytes that are encoded text. @throws StopError `input` when they cannot be read or unpacked. */
export function encodedBytes(
  { file, isPacked }: Pick<TextSource, 'file' | 'isPacked'>,
  bytes: AsyncIterable<Buffer> = file.chunks(),
): AsyncIterable<Buffer> {
  return isPacked ? unpacked(file.path, bytes) : bytes;
}

/**
 * @param startByte where reading starts, counted in the text. Plain UTF-8 is read from there; anything else must be
 *   decoded from its beginning.
 * @param onFileBytes sees the bytes of the file itself, all of them, in order.
 * @throws StopError `input` with the line where the bytes are no text.
 */
export async function* textOf(
  source: TextSource,
  startByte = 0,
  onFileBytes?: (bytes: Buffer) => void,
): AsyncIterable<Buffer> {
  const { file, encoding, isPacked } = source;
  if (encoding === 'utf-8' && !isPacked && onFileBytes === undefined) {
    yield* file.chunks(startByte);
    return;
  }
  const fileBytes = onFileBytes === undefined ? file.chunks() : tapped(file.chunks(), onFileBytes);
  let left = startByte;
  for await (const text of decoded(source, encodedBytes(source, fileBytes))) {
    const skipped = Math.min(left, text.length);
    left -= skipped;
    if (skipped < text.length) yield text.subarray(skipped);
  }
}

async function* tapped(chunks: AsyncIterable<Buffer>, see: (bytes: Buffer) => void): AsyncIterable<Buffer> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}

async function* decoded(
  { file, encoding }: TextSource,
  chunks: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  const decoder = textDecoder(encoding);
  // What may turn out to be no text here needs to know the line; UTF-8 is checked by who reads its records.
  const lines = encoding === 'utf-8' || encoding === 'windows-1252' ? undefined : new LineCounter();
  try {
    for await (const chunk of chunks) {
      const text = decoder.write(chunk);
      lines?.add(text);
      yield text;
    }
    yield decoder.end();
  } catch (error) {
    throw error instanceof Undecodable ? undecodable(file.path, error, lines) : error;
  }
}

function undecodable(path: string, error: Undecodable, lines = new LineCounter()): StopError {
  lines.add(error.before);
  const fact = `${path}, line ${lines.count + 1}: ${error.message}.`;
  return stop('input', fact, 'Save the file again, or say with --encoding how it is encoded.');
}

// ---------------------------------------------------------------------------------------------- packed files

/** Files that end in `.gz`: unpacked and packed as they stream, so that neither form is ever held whole. */

/**
 * A table of text packs to a fifth or a twentieth; only a file made to exhaust the machine unpacks to far more. Below
 * the limit of bytes nothing can be exhausted, and a short file of equal rows is nobody's attack.
 */
const MOST_TIMES_ITS_SIZE = 200;
const BYTES_BEYOND_SUSPICION = 64 * 1024 * 1024;

/** @throws StopError `input` when the file is damaged, no gzip, or unpacks to suspiciously much. */
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
  const fact = `${path} unpacks to more than ${Math.floor(bytesOut / bytesIn)} times its size (${bytesOut} bytes from ${bytesIn} so far), which no table does.`;
  return stop('input', fact, 'If it is yours, unpack it yourself and name the unpacked file.');
}

function unpackProblem(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof StopError || typeof code !== 'string' || !code.startsWith('Z_')) return error;
  const next = 'Fetch or pack the file again, or name the unpacked file.';
  if (code === 'Z_BUF_ERROR')
    return stop('input', `${path} breaks off before its packed content ends.`, next);
  return stop('input', `${path} cannot be unpacked: it is no gzip file, or it is damaged.`, next);
}
