import { PassThrough, Readable } from 'node:stream';

/** A part of an archive, whose length need not be known before it is written. */
export interface ArchivePart {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/**
 * Midnight on 1 January 1980, where the time of zip archives begins, in every time zone: an earlier moment becomes that.
 * The other field that could bear a date counts from 1970 and is left out. So the same parts give the same bytes.
 */
const UNDATED = { mtime: new Date(0), forceDosTimestamp: true };

/**
 * A zip archive of these parts, which are taken no faster than its bytes are, and let go when nobody takes more. What
 * goes wrong with a part is thrown to the caller that takes the bytes.
 */
export async function* zipped(parts: readonly ArchivePart[]): AsyncGenerator<Buffer, void, undefined> {
  // Loaded here, because most runs write no workbook.
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const bytes = zip.outputStream.pipe(new PassThrough());
  const sources = parts.map(({ name, chunks }) => {
    // The library hears nothing of a source that fails, and would wait for its end.
    const source = Readable.from(chunks).once('error', (error) => bytes.destroy(error));
    zip.addReadStream(source, name, UNDATED);
    return source;
  });
  zip.end();
  try {
    yield* bytes;
  } finally {
    for (const source of sources) source.destroy();
  }
}
