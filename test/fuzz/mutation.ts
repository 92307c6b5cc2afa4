import type { Random } from '../../src/sandbox/random.ts';

/** Scratches on bytes: what a bad disk, a cut connection, a careless editor or somebody of ill will does to a file. */

/** Bytes and sequences that mean something to a reader of text. */
const TOKENS: readonly Buffer[] = [
  '"',
  '""',
  '",',
  ',"',
  '"\n',
  '"\r\n',
  ',',
  ';',
  '\t',
  '|',
  ',,,,',
  '\n',
  '\r',
  '\r\n',
  '\n\r',
  '\n\n\n',
  ' ',
  '\0',
  '\u001a',
  '\uFEFF',
  'é',
  '𝄞',
  '\u0085',
  '\u2028',
  'sep=;\n',
  '__proto__',
  '=1+1',
  "'",
  '\\"',
].map((text) => Buffer.from(text));

/** Half characters, marks of other encodings, beginnings of containers. */
const RAW_TOKENS: readonly Buffer[] = [
  [0xff],
  [0xfe],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x80],
  [0x81],
  [0xc3],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc0, 0x80],
  [0x00, 0x22],
  [0x22, 0x00],
  [0x0a, 0x00],
  [0x00, 0x0d],
  [0x1f, 0x8b, 0x08],
  [0x50, 0x4b, 0x03, 0x04],
].map((bytes) => Buffer.from(bytes));

const MOST_SCRATCHES = 3;

/** @param others files of which parts may be put in. */
export function mutated(bytes: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  let result = bytes;
  for (let left = random.integer(1, MOST_SCRATCHES); left > 0; left -= 1) {
    result = random.pick(SCRATCHES)(result, random, others);
  }
  return result;
}

type Scratch = (bytes: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

const SCRATCHES: readonly Scratch[] = [
  function flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.integer(0, Math.max(0, bytes.length - 1));
    if (bytes.length > 0) copy[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    return copy;
  },
  function setByte(bytes, random) {
    const copy = Buffer.from(bytes);
    if (bytes.length > 0) copy[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
    return copy;
  },
  (bytes, random) => spliced(bytes, place(bytes, random), 0, random.pick(TOKENS)),
  (bytes, random) => spliced(bytes, place(bytes, random), 1, random.pick(TOKENS)),
  (bytes, random) => spliced(bytes, place(bytes, random), 0, random.pick(RAW_TOKENS)),
  function removeRange(bytes, random) {
    return spliced(bytes, place(bytes, random), random.integer(1, 8), NOTHING);
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, place(bytes, random));
  },
  function cutHead(bytes, random) {
    return bytes.subarray(place(bytes, random));
  },
  function repeatRange(bytes, random) {
    return spliced(bytes, place(bytes, random), 0, part(bytes, random));
  },
  function borrow(bytes, random, others) {
    return spliced(bytes, place(bytes, random), 0, part(random.pick(others), random));
  },
];

const NOTHING = Buffer.alloc(0);

/** Anywhere, and more often than by chance at the start, where files say what they are, and at the end. */
function place(bytes: Buffer, random: Random): number {
  const chance = random.fraction();
  if (chance < 0.15) return Math.min(bytes.length, random.integer(0, 3));
  if (chance < 0.3) return Math.max(0, bytes.length - random.integer(0, 3));
  return random.integer(0, bytes.length);
}

function part(bytes: Buffer, random: Random): Buffer {
  const start = place(bytes, random);
  return bytes.subarray(start, start + random.integer(1, 40));
}

function spliced(bytes: Buffer, at: number, removed: number, put: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);
}
