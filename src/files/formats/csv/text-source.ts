import { type StopError, stop } from '../../../core/errors.ts';
import type { Encoding, FileBytes } from '../../../core/format.ts';
import { textDecoder, Undecodable } from '../../text-encoding.ts';
import { LineCounter } from './raw-record.ts';

/** The text of a file as UTF-8, in order. Offsets count in this text, which for plain UTF-8 is the file. */
export interface TextSource {
  readonly file: FileBytes;
  readonly encoding: Encoding;
}

/**
 * @param startByte where reading starts, counted in the text. Plain UTF-8 is read from there; anything else must be
 *   decoded from its beginning.
 * @param onFileBytes sees the bytes of the file itself, all of them, in order.
 * @throws StopError `input` with the line where the bytes are no text.
 */
export function textOf(
  source: TextSource,
  startByte = 0,
  onFileBytes?: (bytes: Buffer) => void,
): AsyncIterable<Buffer> {
  return source.encoding === 'utf-8' && onFileBytes === undefined
    ? source.file.chunks(startByte)
    : behind(startByte, decoded(source, onFileBytes));
}

/** What is behind the first bytes of what has to be read from its beginning. */
async function* behind(startByte: number, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let left = startByte;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* decoded(
  { file, encoding }: TextSource,
  onFileBytes: ((bytes: Buffer) => void) | undefined,
): AsyncIterable<Buffer> {
  const decoder = textDecoder(encoding);
  // What may turn out to be no text here needs to know the line; UTF-8 is checked by who reads its records.
  const lines = encoding === 'utf-8' || encoding === 'windows-1252' ? undefined : new LineCounter();
  try {
    for await (const chunk of file.chunks()) {
      onFileBytes?.(chunk);
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
  return stop('input', fact, 'Save the file again, or give its encoding with --encoding.');
}
