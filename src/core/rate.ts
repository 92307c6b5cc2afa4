import { stop } from './errors.ts';

export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

const WINDOW_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Why an account waits, as a clause, where its own limits or those in the vendor's answers say so. */
export const LIMIT_USED_UP = 'the limit of the account is used up';
export const LEARNED_RATE = "the vendor's answers allow no earlier request";

/** Reads `20/s`, `600/min`, `5000/h` or `100/d`; a StopError (usage) for anything else. */
export function parseRate(text: string): Rate {
  const [, requests, unit] = /^(\d+)\/(s|min|h|d)$/.exec(text.trim()) ?? [];
  const windowMs = WINDOW_MS[unit ?? ''];
  if (windowMs === undefined || Number(requests) < 1) {
    const fact = `The rate "${text}" cannot be read.`;
    throw stop('usage', fact, 'Give it as 20/s, 600/min, 5000/h or 100/d, from 1 up.');
  }
  return { requests: Number(requests), windowMs };
}
