/** A vendor of data with a book of its own. What it answers follows from the seed and from what it was asked, and from its mood. */
import { createHash } from 'node:crypto';
import type { Answer, Question } from './network.ts';

export type Mood = 'well';

export interface Charge {
  readonly key: string;
  readonly atMs: number;
  readonly credits: number;
}

/** Between 0 and 1, always the same for the same words. */
export function unit(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join('\n')).digest().readUInt32BE(0) / 2 ** 32;
}

export class Vendor {
  readonly #seed: number;
  readonly charges: Charge[] = [];
  mood: Mood = 'well';

  constructor(seed: number) {
    this.#seed = seed;
  }

  answer({ method, path, body }: Question, nowMs: number): Answer {
    const headers = { date: new Date(nowMs).toUTCString(), 'content-type': 'application/json' };
    if (method === 'HEAD') return { status: 404, headers, body: '' };
    const key = `${path} ${body}`;
    if (unit(this.#seed, 'known', key) > 0.6) return { status: 200, headers, body: '{}' };
    this.charges.push({ key, atMs: nowMs, credits: path.endsWith('person') ? 2 : 1 });
    const employees = 1 + Math.floor(unit(this.#seed, 'employees', key) * 9999);
    return { status: 200, headers, body: JSON.stringify({ employee_count: employees }) };
  }
}
