import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/call-key.ts';
import { isObject } from '../../core/objects.ts';
import { foreignWords, wordsIn } from '../../core/plain-text.ts';
import type { Dialect, Differences } from './dialect-schema.ts';

/**
 * How the requests of a dialect differ from the built-in ones. Another person may have written its file, so the user sees every entry
 * that sends something otherwise, and agrees to just these. What answers mean is no part of it.
 */

/** 128 bits: nobody can make two dialects with one hash, and show the harmless one. */
const HASH_DIGITS = 32;

/** Entries that only read answers, price them or name the dialect; all others may alter a request. */
const NOT_SENT: ReadonlySet<string> = new Set(
  wordsIn(`
    name vendor differences answers words fields_at credits credits_charged rate_hints request_id repeated answer_fields
    accepted results answer answer_status sure_after valid_for connectedAccount
  `),
);

/** In these the names are those of the vendor. */
const OF_VENDOR: ReadonlySet<string> = new Set(['headers', 'fields', 'body', 'request']);

/** @returns undefined when the dialect sends what the built-in one sends. */
export function differencesOf(dialect: Dialect, builtIn: Dialect): Differences | undefined {
  const now = new Map(entriesSent(dialect));
  const before = new Map(entriesSent(builtIn));
  // In one order, so that a file whose entries were moved about asks nobody again.
  const differing = [...new Set([...now.keys(), ...before.keys()])]
    .filter((name) => now.get(name) !== before.get(name))
    .sort();
  if (differing.length === 0) return undefined;
  const sent = differing.map((name) => [name, now.get(name) ?? null]);
  const text = canonicalJson(['rowonce-dialect-3', dialect.vendor, ...sent]);
  return {
    hash: hash('sha256', text, 'hex').slice(0, HASH_DIGITS),
    words: differing.map((name) => difference(name, now.get(name), before.get(name))),
  };
}

function difference(name: string, now: string | undefined, before: string | undefined): string {
  if (now === undefined) return `${whole(name)}: left out, built in is ${whole(before ?? '')}`;
  if (before === undefined) return `${whole(name)}: ${whole(now)}, which is not built in`;
  return `${whole(name)}: ${whole(now)} instead of ${whole(before)}`;
}

/** Nothing is cut: what a person does not see, they do not agree to. */
const whole = (text: string): string => foreignWords(text, Math.max(text.length, 1));

/** Every value that may alter a request, with its path, as the file has it. */
function entriesSent(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [[path.join('.'), value === null ? 'none' : JSON.stringify(value)]];
  const isOfVendor = OF_VENDOR.has(path.at(-1) ?? '');
  return Object.entries(value).flatMap(([name, each]) =>
    !isOfVendor && NOT_SENT.has(name) ? [] : entriesSent(each, [...path, name]),
  );
}
