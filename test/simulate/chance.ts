/** What is drawn by chance, from the seed and the words of what it is for: the same for the same words, whatever else is drawn. */
import { createHash } from 'node:crypto';
import { type Random, randomFrom } from './schedule.ts';

const numberOf = (words: readonly (string | number)[]): number =>
  createHash('sha256').update(words.join('\n')).digest().readUInt32BE(0);

/** Between 0 and 1. */
export const unit = (...words: readonly (string | number)[]): number => numberOf(words) / 2 ** 32;

export const randomOf = (...words: readonly (string | number)[]): Random => randomFrom(numberOf(words));
