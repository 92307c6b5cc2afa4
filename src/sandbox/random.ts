import { hash } from 'node:crypto';
import { invariant } from '../core/errors.ts';

/** Repeatable random numbers: the same parts give the same numbers on every machine and in every run. */
export interface Random {
  /** The next number in [0, 1). */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
}

/**
 * A generator seeded by SHA-256 over the parts, so that nearby seeds and identifiers have nothing in common.
 */
export function randomFrom(...parts: readonly (string | number)[]): Random {
  const digest = Buffer.from(hash('sha256', JSON.stringify(parts), 'hex'), 'hex');
  const fraction = generator(digest);
  return {
    fraction,
    integer: (least, most) => least + Math.floor(fraction() * (most - least + 1)),
    pick: (list) => {
      const picked = list[Math.floor(fraction() * list.length)];
      invariant(picked !== undefined, 'there is nothing to pick from');
      return picked;
    },
  };
}

/**
 * The generator sfc32 with 128 bits of state from the digest. It is fast enough to be made for every request.
 */
function generator(digest: Buffer): () => number {
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
