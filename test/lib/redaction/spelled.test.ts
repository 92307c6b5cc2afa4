/**
 * Goal: an account's key is found whatever stands beside it or within it that looks like an escape or is not seen.
 * Method: keys beside what begins an escape, and keys that hold one; then keys of such characters, written one way in another
 * and broken in between, beside every beginning of an escape; and the same of keys that are packed.
 */
import { deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDACTED, Redaction } from '../../../src/lib/redaction.ts';

const KEY = 'nk_live/9f+Q~u0041=Zx.7';

const redact = (text: string, key: string): string => new Redaction([key]).text(text);
const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

/** Only characters of ASCII are written otherwise: the others stand for what is not seen. */
const every = (text: string, write: (character: string, at: number) => string): string =>
  [...text].map((character, at) => (character > '~' ? character : write(character, at))).join('');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

test.each([
  ['a percent sign and a digit stand before it', 'a]]]####!##]]', '%0a%5D%5D%5D####!##%5D%5D', '%0*'],
  ['an old escape is begun before it', '0a/cdefghijkl', '%u000a%2Fcdefghijkl', '%u00*'],
  ['a backslash in a link stands before it', 'nabc/defghijk', '%5Cnabc%252Fdefghijk', '%5C*'],
  ['an entity is begun before it', '5;abc/defghij', '&#6%35;abc%2Fdefghij', '&#6*'],
  [
    'it forms a line break before its own',
    'baaa0aa00a0aa',
    '\\\\\\u0062\\u0025\\u0030\\u0041aaa0aa00a0aa',
    '\\\\*',
  ],
  ['it ends with a percent sign before digits', 'ab/cdefghijk%', 'ab\\/cdefghijk%41', '*41'],
  ['it ends with half an escape', 'ab/cdefghijk%4', 'ab\\/cdefghijk%41', '*1'],
  ['it ends with an ampersand', 'ab/cdefghijk&', 'ab%2Fcdefghijk&#65;', '*#65;'],
  ['both', '0ab/cdefghijk%', '%20ab%2Fcdefghijk%41', '%2*41'],
  ['what it begins is read in a later layer', 'aab/cdefghijk', '%250aab%25252Fcdefghijk', '%250*'],
])('a key is found where what stands beside it forms an escape with it: %s', (_where, key, written, left) => {
  expect(redact(`{"a":"${written}"}`, key)).toBe(`{"a":"${left.replace('*', REDACTED)}"}`);
});

test.each([
  ['before its own escape', ']]#]]]#!!%a0]]', ']]#]]]#!!\\n%a0]]'],
  ['and indented before its own escape', ']]#]]]#!!%a0]]', ']]#]]]#!!\\n  %a0]]'],
  ['within its own escape', 'abcdef%41hijklm', 'abcdef%4\\n1hijklm'],
  ['within one of two', 'abcdef%41hij%42', 'abcdef%4\\n1hij%42'],
  ['within the escape of a link', 'abcdefg/hijklm', 'abcdefg%2\\nfhijklm'],
  ['where its escape reads as no character', 'abcdefg%0ahijk', 'abcdefg%0ahi\\njk'],
  ['before its own escape of a blank', 'abcdefg%20hijk', 'abcdefg\\n%20hijk'],
  ['behind its own half of a letter, by a sequence', 'abcdefg%d0hijk', 'abcdefg%d0\\u009b31mhijk'],
  ['within an escape before its own, by a sequence', 'ab&%a0;&cdefg', 'ab&\\u001b[31mamp;%a0;&amp;cdefg'],
])('a key that is broken over two lines %s is found', (_where, key, written) => {
  expect(redact(`{"a":"x ${written} y"}`, key)).toBe(`{"a":"x ${REDACTED} y"}`);
});

test('a key that ends with brackets is found where a line breaks before these', () => {
  expect(redact('{"a":"x abcdefghijk\\n]]"}', 'abcdefghijk]]')).toBe(`{"a":"x ${REDACTED}"}`);
});

test.each(['%0', '%u000', '\\u000', '\\\\x0'])(
  'a packed key is found where %s forms an escape with its Base64',
  (before) => {
    const [first = '', ...others] = deflateSync(`user:${KEY}`).toString('base64');
    const word = first + others.map((character) => `%${hex(character)}`).join('');
    expect(redact(`{"a":"${before}${word}"}`, KEY)).toMatch(/^\{"a":"[%u0x\\]*\[redacted\]"\}$/);
  },
);

const base64 = (packed: Buffer | string): string => Buffer.from(packed).toString('base64');

/** What two of the next characters of a word, or four, form an escape with, that is not seen or is itself of a word. */
test.each([
  ['-%', gzipSync(KEY).toString('hex')],
  ['/%', deflateSync(KEY).toString('hex')],
  ['a%u', deflateSync(KEY).toString('hex')],
  ['-%', base64(deflateSync(KEY, { level: 1 }))],
  ['%0%0', base64(deflateSync(KEY))],
  ['-%', base64('h-live%2F9f%2BQ%7Eu0041%3DZx.7')],
])(
  'a key in a word that is folded is found where %s forms an escape with its first characters',
  (before, word) => {
    const folded = word.replace(/.{19}/g, '$&\\n  ');
    expect(new Redaction([KEY, 'h-live/9f+Q~u0041=Zx.7']).text(`{"a":"${before}${folded}"}`)).toBe(
      `{"a":"${before}${REDACTED}"}`,
    );
  },
);

const WRITINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => every(text, (character) => `%${hex(character)}`),
  (text) => every(text, (character, at) => (at % 2 === 0 ? `%${hex(character)}` : character)),
  (text) => every(text, (character) => `%u00${hex(character)}`),
  (text) => every(text, (character) => `&#${character.charCodeAt(0)};`),
  (text) => every(text, (character) => (/\w/.test(character) ? character : `&#x${hex(character)};`)),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
];

const IN_JSON: readonly ((text: string) => string)[] = [
  inJson,
  (text) => inJson(text).replaceAll('/', '\\/'),
  (text) => every(text, (character) => `\\u00${hex(character)}`),
];

const BREAKS = ['', '\n', '\r\n  ', '\u001b[31m', '\u200f'];

const BESIDE = [
  ...['', 'n', ';', '41', '0', 'x41', 'u00', 'amp;', '\n', 'é'],
  ...['%', '%0', '%2', '%25', '%0%0', '%u', '%u000', '\\', '\\\\', '&', '&#', '&#6', '&#x6', '&amp'],
];

/** As what a key is packed, so that no part of it is read alone. */
const PACKINGS: readonly ((key: string) => string)[] = [
  (key) => gzipSync(key).toString('hex'),
  (key) => deflateSync(key).toString('hex'),
  (key) => deflateSync(key, { level: 1 }).toString('hex'),
  (key) => base64(deflateSync(key)),
  (key) => base64(deflateSync(key, { level: 1 })),
  (key) => base64(base64(key)),
];

const BEGUN = ['%', '%0', '%2', '%u', '%u0', '%u00', '\\', '\\x', '\\u0', '&#x6'];

test('a key is found however it is packed, folded and written, and whatever escape begins before it', () => {
  const word = fc
    .tuple(fc.stringMatching(/^[!#-[\]-~]{12,30}$/), fc.constantFrom(...PACKINGS))
    .map(([secret, pack]) => ({ secret, packed: pack(secret) }));
  const folding = fc.record({ width: fc.integer({ min: 7, max: 30 }), by: fc.constantFrom(...BREAKS) });
  const ways = fc.record({ outer: fc.constantFrom(...WRITINGS), json: fc.constantFrom(...IN_JSON) });
  const before = fc
    .tuple(fc.constantFrom('', '-', 'a/', '%25'), fc.constantFrom(...BEGUN))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(word, folding, ways, before, ({ secret, packed }, { width, by }, { outer, json }, begun) => {
      const folded = packed.replace(new RegExp(`.{${width}}(?=.)`, 'g'), (line) => line + by);
      const text = `{"a":"${inJson(begun)}${json(outer(folded))}"}`;
      expect(JSON.parse(redact(text, secret)).a, text).toContain(REDACTED);
    }),
  );
});

test('a key is found however two writings of it are nested, and whatever escape begins or ends beside it', () => {
  const key = fc.oneof(
    ...[/^[a-f\d]{12,30}$/, /^[\w-]{12,30}$/, /^[!#-[\]-~]{12,30}$/, /^[%&u0041;#x2ab]{12,30}$/].map((kind) =>
      fc.stringMatching(kind),
    ),
  );
  const way = fc.constantFrom(...WRITINGS);
  const ways = fc.record({ inner: way, outer: way, json: fc.constantFrom(...IN_JSON) });
  const cut = fc.record({ at: fc.nat(11), by: fc.constantFrom(...BREAKS), isFirst: fc.boolean() });
  const beside = fc.array(fc.constantFrom(...BESIDE), { maxLength: 2 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      key,
      ways,
      cut,
      beside,
      beside,
      (secret, { inner, outer, json }, { at, by, isFirst }, before, after) => {
        const broken = (text: string): string => text.slice(0, at) + by + text.slice(at);
        const written = isFirst ? inner(broken(secret)) : broken(inner(secret));
        const text = `{"a":"${inJson(before)}${json(outer(written))}${inJson(after)}"}`;
        const shown = redact(text, secret);
        expect(JSON.parse(shown).a, text).toContain(REDACTED);
      },
    ),
  );
});
