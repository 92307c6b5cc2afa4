import zlib, { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

type Unpacker = (packed: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** A map and not an object: the vendor chooses the names, and an object also has `toString`. */
const UNPACKERS: ReadonlyMap<string, Unpacker> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', (packed, options) => zlib.zstdDecompressSync(packed, options)],
]);

/** Each layer may unpack to the whole bound, so many of them would keep the machine busy for seconds. */
const MOST_LAYERS = 3;

/**
 * Unpacks bytes as the header `content-encoding` says: one name, or a list in the order of packing.
 * @throws Error when the bytes cannot be unpacked, or are more than `mostBytes` at any layer.
 */
export function unpacked(body: Buffer, encoding: string | undefined, mostBytes: number): Buffer {
  const names = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (body.length === 0 || names.length === 0) return body;
  if (names.length > MOST_LAYERS) throw new Error(`it is packed ${names.length} times`);
  return names.reduceRight((packed, name) => {
    const unpack = UNPACKERS.get(name);
    if (unpack === undefined) throw new Error(`it is packed as ${name}, which we cannot read`);
    return unpack(packed, { maxOutputLength: mostBytes });
  }, body);
}
