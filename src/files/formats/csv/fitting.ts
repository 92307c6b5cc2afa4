import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invariant } from '../../../core/errors.ts';
import type { Encoding } from '../../../core/format.ts';
import { encodeText, textDecoder, unwritable } from '../../text-encoding.ts';

/** Is called with the first character that the encoding lacks. */
export type OnUnwritable = (character: string) => void;

/**
 * A text in the encoding of the file that it is a copy of. Where it has a character that the encoding lacks, all of it
 * is UTF-8 with a byte-order mark instead. Both are known only at its end, so until then it waits in a file.
 * @param texts UTF-8, no character split between two chunks.
 */
export function encoded(
  encoding: Encoding,
  texts: AsyncIterable<Buffer>,
  onUnwritable: OnUnwritable,
): AsyncIterable<Buffer> {
  switch (encoding) {
    case 'utf-8':
      return texts;
    case 'utf-16le':
    case 'utf-16be':
      return encodedAtOnce(encoding, texts);
    case 'windows-1252':
      return encodedOrUtf8(encoding, texts, onUnwritable);
  }
}

/** U+FEFF in UTF-8: without it a spreadsheet program would take the file for what it was before. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Every character can be written. */
async function* encodedAtOnce(
  encoding: Encoding,
  texts: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const text of texts) {
    const bytes = encodeText(encoding, text.toString());
    invariant(bytes !== undefined, `${encoding} can write every character`);
    yield bytes;
  }
}

async function* encodedOrUtf8(
  encoding: Encoding,
  texts: AsyncIterable<Buffer>,
  onUnwritable: OnUnwritable,
): AsyncGenerator<Buffer, void, undefined> {
  const waiting = await openUnnamed();
  try {
    let isUtf8 = false;
    for await (const text of texts) {
      const bytes = isUtf8 ? undefined : encodeText(encoding, text.toString());
      if (bytes !== undefined) {
        await waiting.appendFile(bytes);
        continue;
      }
      if (!isUtf8) {
        onUnwritable(unwritable(text.toString()) ?? '');
        yield BYTE_ORDER_MARK;
        const decoder = textDecoder(encoding);
        for await (const earlier of contentOf(waiting)) yield decoder.write(earlier);
      }
      isUtf8 = true;
      yield text;
    }
    if (!isUtf8) yield* contentOf(waiting);
  } finally {
    await waiting.close();
  }
}

/** A file that no name leads to, so that nobody else reads it and a crash leaves nothing behind. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `rowonce-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

function contentOf(file: FileHandle): AsyncIterable<Buffer> {
  return file.createReadStream({ start: 0, autoClose: false });
}
