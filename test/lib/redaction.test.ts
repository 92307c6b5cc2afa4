/**
 * Goal: an account's key is in nothing that a vendor says, in whichever of four ways it is written, and nothing else is altered.
 * Method: keys of every kind are written as programs echo them, into JSON and beside it.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED, Redaction } from '../../src/client/transport.ts';
import { plainText } from '../../src/core/plain-text.ts';
import { times } from '../support/combinations.ts';

const KEY = 'nk_live/9f+Q~u0041=Zx.7';

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const every = (key: string, write: (character: string) => string): string => [...key].map(write).join('');

/** Each turns a key into what somebody may write. */
const WRITINGS: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'in a link': encodeURIComponent,
  'in a link, in small letters': (key) => encodeURIComponent(key).replace(/%../g, (it) => it.toLowerCase()),
  'in a link, every character': (key) => every(key, (character) => `%${hexOf(character)}`),
  'in JSON, every character escaped': (key) => every(key, (character) => `\\u00${hexOf(character)}`),
  'in JSON, with escaped slashes': (key) => key.replaceAll('/', '\\/'),
  'in Base64': (key) => Buffer.from(key).toString('base64'),
  'in Base64, one byte later': (key) => Buffer.from(`:${key}:`).toString('base64'),
  'in Base64, two bytes later': (key) => Buffer.from(`p:${key}, and more`).toString('base64'),
  'in Base64 for links': (key) => Buffer.from(`Bearer proj-9:${key}`).toString('base64url'),
};

const redaction = new Redaction([KEY]);

/** What a text says to whoever decodes it. */
function* readingsOf(text: string): Generator<string> {
  yield text;
  yield decodeURIComponent(text);
  for (const [word] of decodeURIComponent(text).matchAll(/[\w+/-]+/g))
    for (const offset of [0, 1, 2, 3]) yield Buffer.from(word.slice(offset), 'base64').toString('latin1');
}

describe.each(Object.entries(WRITINGS))('a key %s', (_, write) => {
  const written = write(KEY);

  test('a key is replaced elsewhere, where what stands around it stays', () => {
    const redacted = redaction.bytes(Buffer.from(`<p>key: ${written} <b>é</b></p>`)).toString();
    expect(redacted).toMatch(/^<p>key: .*\[redacted\].* <b>é<\/b><\/p>$/);
    for (const reading of readingsOf(redacted)) expect(reading).not.toContain(KEY.slice(3, -3));
    expect(redaction.text(`key ${written}`)).toBe(
      redacted.replace('<p>key: ', 'key ').replace(' <b>é</b></p>', ''),
    );
  });
});

test('any key in JSON, in its names too, leaves JSON without it', () => {
  const visible = fc
    .string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' })
    .map((key) => key.replaceAll('\\', '/'));
  fc.assert(
    fc.property(visible, fc.string(), fc.jsonValue(), (key, before, beside) => {
      const body = JSON.stringify({ [`${before}${key}`]: `${before}${key}`, beside });
      const redacted = new Redaction([key]).bytes(Buffer.from(body)).toString();
      expect(() => JSON.parse(redacted)).not.toThrow();
      expect(redacted).not.toContain(JSON.stringify(key).slice(1, -1));
    }),
    { numRuns: times(100, 2_000) },
  );
});

test.each([
  ['a control character', '\u0001'],
  ['several', '\u0000\u0007\u001f\u007f'],
  ['one above ASCII', '\u009d'],
  ['a sequence of a terminal', '\u001b[31m'],
  ['a character that turns the reading direction', '\u202e\u200f'],
])('a key that is whole once %s is left out of it is in no text that is shown', (_, between) => {
  const parted = [...KEY].join(between);
  const body = JSON.stringify({ name: `Acme ${parted}!`, note: parted.slice(0, 9) });
  for (const written of [body, JSON.stringify(JSON.parse(body)), JSON.stringify({ body })]) {
    const redacted = redaction.bytes(Buffer.from(written)).toString();
    expect(redacted).toContain(`Acme ${REDACTED}!`);
    expect(() => JSON.parse(redacted)).not.toThrow();
  }
  expect(plainText(redaction.text(`key ${parted}`))).toBe(`key ${REDACTED}`);
});

test('an answer that was cut off, or is in UTF-16, is redacted all the same', () => {
  expect(redaction.bytes(Buffer.from(`{"a":1,"b":"x ${KEY} and th`)).toString()).toBe(
    `{"a":1,"b":"x ${REDACTED} and th`,
  );
  const wide = Buffer.from(`\ufeff{"a":"${KEY}"}`, 'utf16le');
  expect(redaction.bytes(wide).toString()).toContain(`{"a":"${REDACTED}"}`);
});

test('keys in names and values of headers are redacted, and a shorter key where it is a whole value', () => {
  const raw = {
    headers: { [`x-${KEY}`]: `Bearer ${KEY}`, a: 'short', b: 'a short word' },
    body: Buffer.alloc(0),
  };
  expect(new Redaction([KEY, 'short']).reply(raw).headers).toEqual({
    [`x-${REDACTED}`]: `Bearer ${REDACTED}`,
    a: REDACTED,
    b: 'a short word',
  });
});
