/** What is drawn by chance follows from the seed. */
import * as real from 'node:crypto';
import { inWorld, pass } from '../world.ts';

export * from 'node:crypto';

/** Whoever asks for more wants room on a disk, and nothing secret. */
const MOST_DRAWN = 64;

export function randomBytes(size: number): Buffer {
  const random = pass(() => inWorld()?.world.random);
  if (random === undefined) return real.randomBytes(size);
  if (size > MOST_DRAWN) return Buffer.alloc(size, 'x');
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
}

export function randomUUID(): string {
  if (inWorld() === undefined) return real.randomUUID();
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export function randomInt(most: number): number {
  const random = inWorld()?.world.random;
  return random === undefined ? real.randomInt(most) : Math.floor(random() * most);
}
