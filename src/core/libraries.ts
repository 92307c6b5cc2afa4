import { createRequire } from 'node:module';
import type Bottleneck from 'bottleneck';

/**
 * Libraries that most commands can do without. Each is loaded when it is first needed, because loading it
 * takes a start some milliseconds.
 */

const require = createRequire(import.meta.url);

function once<Library>(load: () => Library): () => Library {
  let loaded: Library | undefined;
  return () => (loaded ??= load());
}

/** Encodings of text other than UTF-8 and UTF-16. */
export const iconvLite = once<typeof import('iconv-lite')>(() => require('iconv-lite'));

/** Where a public suffix begins, such as `.com.au`. */
export const tldts = once<typeof import('tldts')>(() => require('tldts'));

/** Schedules as cron writes them. */
export const croner = once<typeof import('croner')>(() => require('croner'));

/** Permits at a rate. */
export const bottleneck: () => typeof Bottleneck = once(() => require('bottleneck'));

/** Regular expressions in linear time. */
export const re2js = once<typeof import('re2js')>(() => require('re2js'));
