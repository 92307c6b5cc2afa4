/**
 * Goal: an account's key is in nothing that a vendor says, however the vendor writes it, and nothing else is altered.
 * Method: keys of every kind are written in every way that programs echo them, into JSON and beside it.
 */
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/core/answer-body.ts';
import { plainText } from '../../src/core/plain-text.ts';
import { REDACTED, Redaction } from '../../src/lib/redaction.ts';
import { some, times } from '../combinations.ts';

const KEY = 'nk_live/9f+Q~u0041=Zx.7';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const every = (key: string, write: (character: string, at: number) => string): string =>
  [...key].map(write).join('');

/** As what Base64 is folded to, but so short that each key is. */
const inLines = (text: string, lineBreak: string): string => text.replace(/.{19}/g, `$&${lineBreak}`);

/** The header of gzip may hold a name, a comment and more, and say so. */
function gzipNamed(text: string): Buffer {
  const plain = gzipSync(text);
  const more = Buffer.from([3, 0, 1, 2, 3, ...Buffer.from('name\0comment\0')]);
  const head = Buffer.concat([plain.subarray(0, 10), more]);
  head[3] = 2 + 4 + 8 + 16;
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc32(head) & 0xffff);
  return Buffer.concat([head, sum, plain.subarray(10)]);
}

/** What is packed in parts is one text where it is unpacked. */
const inParts = (text: string): Buffer =>
  Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))]);

/** So many words that what packs them brings its own code. */
const WORDS = Array.from({ length: 60 }, (_, at) => `${at * 7919} is number ${at}`);

/** Each turns a key into what somebody may write. */
const WRITINGS: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'in a link': (key) => encodeURIComponent(key),
  'in a link, in small letters': (key) =>
    encodeURIComponent(key).replace(/%../g, (written) => written.toLowerCase()),
  'in a link, every character': (key) => every(key, (character) => `%${hex(character)}`),
  'in a link, every second character, in either case': (key) =>
    every(
      key,
      (character, at) => [character, `%${hex(character).toUpperCase()}`, `%${hex(character)}`][at % 3] ?? '',
    ),
  'in a link in a link': (key) => encodeURIComponent(every(key, (character) => `%${hex(character)}`)),
  'in JSON, every character escaped': (key) => every(key, (character) => `\\u00${hex(character)}`),
  'in JSON, with escaped slashes': (key) => JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON in JSON': (key) =>
    JSON.stringify(JSON.stringify(every(key, (c) => `\\u00${hex(c)}`))).slice(1, -1),
  'in HTML': (key) =>
    every(key, (character) => (/\w/.test(character) ? character : `&#${character.charCodeAt(0)};`)),
  'in HTML, as hexadecimal': (key) => every(key, (character) => `&#x${hex(character)};`),
  'in Base64': (key) => Buffer.from(key).toString('base64'),
  'in Base64, one byte later': (key) => Buffer.from(`:${key}:`).toString('base64'),
  'in Base64, two bytes later': (key) => Buffer.from(`p:${key}, and more`).toString('base64'),
  'in Base64 for links': (key) => Buffer.from(`Bearer proj-9:${key}`).toString('base64url'),
  'in Base64 with escaped slashes': (key) => Buffer.from(key).toString('base64').replaceAll('/', '\\/'),
  'in Base64 in a link': (key) => encodeURIComponent(Buffer.from(`ab${key}`).toString('base64')),
  'in Base64 with line breaks': (key) =>
    JSON.stringify(Buffer.from(key).toString('base64').replace(/.{9}/g, '$&\r\n')).slice(1, -1),
  'in Base64 with line breaks and blanks behind them, in JSON in JSON': (key) =>
    JSON.stringify(JSON.stringify(Buffer.from(`a:${key}`).toString('base64').replace(/.{7}/g, '$&\n  ')))
      .slice(1, -1)
      .slice(2, -2),
  'in Base64 in Base64': (key) => base64(base64(key)),
  'in Base64 in Base64, behind a slash of a link': (key) =>
    `https://a.example/x/${base64(base64(`a:${key}`))}`,
  'in Base64 in Base64 in Base64 in Base64': (key) => base64(base64(base64(base64(`p:${key}, and more`)))),
  'in gzip in Base64': (key) => gzipSync(`{"key":"${key}"}`).toString('base64'),
  'in the second part of gzip in Base64': (key) =>
    `${Buffer.concat([gzipSync('{"key":"'), gzipSync(`${key}"}`)]).toString('base64')}. And so on`,
  'in gzip in Base64 with line breaks': (key) =>
    inLines(gzipSync(`{"key":"${key}"}`).toString('base64'), '\\r\\n'),
  'in gzip in hexadecimal digits with line breaks': (key) => inLines(gzipSync(key).toString('hex'), '\\n  '),
  'in Base64 in Base64 with line breaks': (key) => inLines(base64(base64(`a:${key}`)), '\\n'),
  'in gzip in hexadecimal digits': (key) => gzipSync(`{"key":"${key}"}`).toString('hex'),
  'in zlib in hexadecimal digits behind others': (key) =>
    `0xab${deflateSync(key).toString('hex').toUpperCase()}`,
  'in zlib in Base64 for links': (key) => deflateSync(`user:${key}`).toString('base64url'),
  'in deflate in Base64': (key) => deflateRawSync(`user:${key}`).toString('base64'),
  'in a link in gzip in Base64': (key) => gzipSync(encodeURIComponent(key)).toString('base64'),
  'in two lines': (key) => `${key.slice(0, 9)}\\n${key.slice(9)}`,
  'in escapes of JavaScript': (key) => every(key, (character) => `\\\\u{${hex(character)}}`),
  'in escapes of JavaScript with zeros': (key) => every(key, (character) => `\\\\u{0000${hex(character)}}`),
  'in escapes of an old script': (key) => every(key, (character) => `%u00${hex(character)}`),
  'with a sequence of a terminal in it': (key) => `${key.slice(0, 5)}\\u001b[1;31m${key.slice(5)}`,
  'with a title for a terminal in it': (key) => `${key.slice(0, 5)}\\u001b]0;title\\u0007${key.slice(5)}`,
  'with a sequence that begins with one character': (key) => `${key.slice(0, 5)}\\u009b31m${key.slice(5)}`,
  'with control characters in it': (key) => every(key, (character) => `${character}\\u0000\\u007f`),
  'with marks that turn the reading direction': (key) => every(key, (character) => `\\u202e${character}`),
  'with such marks as they are': (key) => every(key, (character) => `\u200f${character}`),
  'with such marks in HTML': (key) => every(key, (character) => `&#8238;${character}&#x200E;`),
  'in hexadecimal': (key) => Buffer.from(key).toString('hex'),
  'in capital letters': (key) => key.toUpperCase(),
  'as a name of a host': (key) => key.toLowerCase(),
};

const redact = (text: string, ...keys: string[]): string => new Redaction(keys).text(text);

/** What a reader of the text could make of the key: every reading of it, one escape after the other. */
function readings(text: string): readonly string[] {
  const read = (each: string): string =>
    each
      .replace(/\\u00([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(["\\/])/g, '$1');
  const all = [text];
  for (let depth = 0; depth < 4; depth += 1) all.push(read(all.at(-1) ?? ''));
  return all;
}

describe('a key of twelve characters or more', () => {
  test('is not in an answer in UTF-16 either, which says the same afterwards in UTF-8', () => {
    const body = JSON.stringify({ a: KEY, b: every(KEY, (c) => `\\u00${hex(c)}`), c: 'Zoë' });
    const redacted = new Redaction([KEY]).bytes(
      Buffer.from(`\uFEFF${body.replaceAll('\\\\', '\\')}`, 'utf16le'),
    );
    expect(readBody(redacted)).toEqual({ kind: 'json', value: { a: REDACTED, b: REDACTED, c: 'Zoë' } });
    const other = Buffer.from('\uFEFF{"name":"Zoë and others"}', 'utf16le');
    expect(new Redaction([KEY]).bytes(other)).toBe(other);
  });

  test.each([
    ['low', Buffer.from(`key: ${KEY}`, 'utf16le')],
    ['high', Buffer.from(`key: ${KEY}`, 'utf16le').swap16()],
  ])('is not in bytes of UTF-16 without a mark, the %s byte first', (_, bytes) => {
    const redacted = new Redaction([KEY]).bytes(bytes).toString('latin1');
    expect(redacted.replaceAll('\0', '')).toBe(`key: ${REDACTED}`);
  });

  test.each([
    ['gzip', gzipSync],
    ['zlib', deflateSync],
    ['deflate', deflateRawSync],
    ['two parts of gzip', inParts],
    [
      'two parts of gzip with more behind them',
      (text: string) => Buffer.concat([inParts(text), Buffer.from(' and more')]),
    ],
  ])('is not in a body in %s either, which no header says: that is unpacked then', (_, pack) => {
    const redacted = new Redaction([KEY]).bytes(pack(JSON.stringify({ a: KEY, b: 'Acme' })));
    expect(JSON.parse(redacted.toString())).toEqual({ a: REDACTED, b: 'Acme' });
    const other = pack(JSON.stringify({ a: 'Acme' }));
    expect(new Redaction([KEY]).bytes(other)).toBe(other);
  });

  test('in Base64 leaves none of its own characters, and what is not its own as it is', () => {
    for (const before of ['user:', 'users:', 'a user:'])
      for (const after of ['', '.', ', and so']) {
        const shown = redact(`{"a":"${base64(`${before}${KEY}${after}`)}"}`, KEY);
        const [, start = '', end = ''] = /^\{"a":"(.*)\[redacted\](.*)"\}$/.exec(shown) ?? [];
        expect(before).toContain(Buffer.from(start, 'base64').toString());
        expect(after).toContain(Buffer.from(end, 'base64').toString());
      }
  });

  test('in a link in Base64 is found behind letters with which all of the Base64 is another text', () => {
    const key = '[Og-[m$Eg<cM';
    const word = base64(every(key, (character) => `%${hex(character)}`));
    expect(redact(`x6${word}`, key)).toBe(`x6${REDACTED}`);
  });

  const PACKED: Readonly<Record<string, string>> = {
    gzip: gzipSync(`{"key":"${KEY}"}`).toString('base64'),
    'gzip with a name and a comment': gzipNamed(`{"key":"${KEY}"}`).toString('base64'),
    'gzip in gzip': gzipSync(gzipSync(`{"key":"${KEY}"}`)).toString('base64'),
    'gzip in two parts': Buffer.concat([gzipSync('{"key":"'), gzipSync(`${KEY}"}`)]).toString('base64'),
    'gzip in parts of one letter': Buffer.concat([...KEY].map((letter) => gzipSync(letter))).toString(
      'base64',
    ),
    'gzip for links': gzipSync(`{"key":"${KEY}"}`).toString('base64url'),
    zlib: deflateSync(`user:${KEY}`).toString('base64'),
    'zlib that packs little': deflateSync(`user:${KEY}`, { level: 1, windowBits: 9 }).toString('base64'),
    deflate: deflateRawSync(`user:${KEY}`).toString('base64'),
    'deflate of a longer text': deflateRawSync(`${JSON.stringify(WORDS)}${KEY}`).toString('base64'),
    'deflate that packs nothing': deflateRawSync(`user:${KEY}`, { level: 0 }).toString('base64'),
    'Base64 of a path to gzip': base64(`/a/path/to/${gzipSync(KEY).toString('base64')}/and/on`),
    'Base64 of a path to Base64': base64(`/a/path/to/${base64(base64(KEY))}/and/on`),
  };

  describe.each(Object.entries(PACKED))('in %s, as Base64', (_name, packed) => {
    test.each([
      ['has nothing beside it', '', ''],
      ['begins behind one letter', 'a', ''],
      ['begins behind four letters', 'abcd', ''],
      ['begins in a link', '/v1/echo/', ''],
      ['begins in the middle of another word', 'A++-_/eJH4sabcdefghijklmnopqrstuvwxyz0', ''],
      ['goes on in a link', '', '/and/on'],
      ['goes on behind its end', '', '-++'],
      ['ends with an equals sign and goes on', '', '=x'],
      ['stands amid others', 'https/a/', '--0123456789abcdefghijklmnop'],
    ])('is found where the word %s', (_where, before, after) => {
      // Nothing that goes on has an equals sign before it.
      const word = before + (/^[-/]/.test(after) ? packed.replace(/=+$/, '') : packed) + after;
      const shown = JSON.parse(redact(`{"a":"${word}"}`, KEY)).a;
      expect(shown).toContain(REDACTED);
      expect(shown.startsWith(before)).toBe(true);
      expect(shown).not.toContain(packed.slice(16, 40));
    });
  });

  test('behind many long words that are nothing packed is found all the same', () => {
    const words = Array.from({ length: 500 }, (_, at) => base64(`\xff${at}`.repeat(6)));
    const body = JSON.stringify([...words, gzipSync(KEY).toString('base64')]);
    expect(JSON.parse(redact(body, KEY))).toEqual([...words, REDACTED]);
  });

  test('in an answer that unpacks to far more than is looked into takes little of it', () => {
    const bomb = gzipSync(Buffer.alloc(1 << 26)).toString('base64');
    const body = Buffer.from(JSON.stringify(Array.from({ length: 8 }, () => bomb)));
    expect(new Redaction([KEY]).bytes(body)).toBe(body);
  });

  test.each(Object.entries(WRITINGS))('is found %s', (_name, write) => {
    const echo = write(KEY);
    const shown = redact(`{"before":"x","echo":"${echo}","after":true}`, KEY);
    expect(shown).toContain(REDACTED);
    for (const reading of readings(shown)) expect(reading.toLowerCase()).not.toContain(KEY.toLowerCase());
    expect(JSON.parse(shown)).toEqual({ before: 'x', echo: expect.any(String), after: true });
    expect(plainText(JSON.parse(shown).echo).length).toBeLessThan(REDACTED.length + 40);
    expect(plainText(JSON.parse(shown).echo).toLowerCase()).not.toContain(KEY.toLowerCase());
  });

  test('is found wherever it stands, and what stands around it stays as it was, to the byte', () => {
    const around = [Buffer.from([0xff, 0x00, 0xc3]), Buffer.from('ü€ %41 \\u0041 &amp; \\n %')] as const;
    const body = Buffer.concat([
      around[0],
      Buffer.from(KEY),
      around[1],
      Buffer.from(encodeURIComponent(KEY)),
    ]);
    const expected = Buffer.concat([around[0], Buffer.from(REDACTED), around[1], Buffer.from(REDACTED)]);
    expect(new Redaction([KEY]).bytes(body)).toEqual(expected);
  });

  test('that is not there leaves the very same bytes', () => {
    const body = Buffer.from(`{"name":"Acme %41 \\u0041","key":"${KEY.slice(0, -1)}"}`);
    expect(new Redaction([KEY]).bytes(body)).toBe(body);
  });

  test.each([']', '}', '[', '{', ']],', '},{'])('is found where its second line begins with %s', (begun) => {
    const key = `a-key-of-${begun}two-lines`;
    const [first, second] = [key.slice(0, 9), key.slice(9)];
    expect(redact(`{"a":"x ${first}\\n${second} y"}`, key)).toBe('{"a":"x [redacted] y"}');
    expect(redact(`${first}\n  ${second}`, key)).toBe(REDACTED);
  });

  test('of digits is a number where a number stood, and a text where a text stood', () => {
    const digits = '123456789012';
    const shown = redact(`{"a":${digits},"b":-${digits}.5,"c":"${digits}","d":[0.${digits}7]}`, digits);
    expect(shown).not.toContain(digits);
    expect(JSON.parse(shown)).toEqual({ a: 1, b: -1.5, c: REDACTED, d: [0.17] });
    for (const [before, after] of [
      ['%2', '&#x6'],
      ['the key ', ' is wrong'],
    ])
      expect(redact(`{"a":"${before}${digits}${after}"}`, digits)).toBe(
        `{"a":"${before}${REDACTED}${after}"}`,
      );
    expect(JSON.parse(redact(JSON.stringify([Number(digits), {}], null, 40), digits))).toEqual([1, {}]);
  });

  test('takes with it the escape whose end its beginning looks like', () => {
    for (const [key, begun] of [
      ['nabcdefghijkl', '\\'],
      ['41abcdefghijk', '\\u00'],
      ['1abcdefghijkl', '\\u004'],
    ]) {
      const shown = redact(`{"a":"line${begun}${key}","b":"\\\\${key}"}`, key ?? '');
      expect(JSON.parse(shown)).toEqual({ a: `line${REDACTED}`, b: `\\${REDACTED}` });
    }
  });

  test('however it is made, is not in JSON that holds it, and JSON stays JSON', () => {
    // No key has a quote or a backslash in it; one that had would still be found, but might take a quote with it.
    const key = fc.stringMatching(/^[!#-[\]-~]{12,40}$/);
    const way = fc.constantFrom(...Object.values(WRITINGS));
    fc.assert(
      fc.property(key, way, fc.string(), fc.string(), (secret, write, before, after) => {
        const inner =
          JSON.stringify(before).slice(1, -1) + write(secret) + JSON.stringify(after).slice(1, -1);
        const shown = redact(`{"a":"${inner}"}`, secret);
        expect(() => JSON.parse(shown)).not.toThrow();
        expect(shown).not.toContain(write(secret));
      }),
    );
  });
});

describe('a shorter key', () => {
  const raw = { status: 200, receivedAtMs: 0, body: Buffer.from('{"name":"sandbox"}') };

  test('is redacted where it is a whole header, and nowhere else', () => {
    const headers = { 'x-request-id': ' sandbox', date: 'in the sandbox' };
    expect(new Redaction(['sandbox']).reply({ ...raw, headers })).toEqual({
      ...raw,
      headers: { 'x-request-id': REDACTED, date: 'in the sandbox' },
    });
  });

  test('a longer one is redacted in names and values of headers', () => {
    const headers = { [`x-${KEY.toLowerCase()}-request-id`]: `Bearer proj-1:${KEY}` };
    expect(new Redaction([KEY]).reply({ ...raw, headers }).headers).toEqual({
      [`x-${REDACTED}-request-id`]: `Bearer proj-1:${REDACTED}`,
    });
  });
});

describe('four times as much of whatever is repeated takes some four times as long', () => {
  const MEBIBYTES = times(0.5, 4);
  const BYTES = MEBIBYTES * 1024 * 1024;
  /** A key of one character may be read in as many ways as it has characters. */
  const SAME = 'a'.repeat(40);
  const PIECES = [
    'a%61',
    'aa\n',
    '\\',
    '%',
    '&',
    '%25',
    '\\u00',
    '\\\\u005c',
    '&amp;',
    '&#x26;',
    '&a',
    KEY,
    KEY.slice(0, -1),
    'n',
    base64(`a key ${KEY.slice(0, -1)}`),
    `${deflateSync('a key').toString('base64')} `,
    'H4sI',
    'H4sIAAAAAAAAA',
    'eJxL',
    '7801',
    '1f8b08',
    'VVVV',
    'BQAA/',
    '\n]',
    '\\n',
    '\n  ',
    '\u001b[',
    '\u001b]0;',
    '\\u{',
    '\\u{00006e}',
    '\u202e',
    `%0a${KEY.slice(0, -1)}`,
    `${KEY.slice(0, -1)}\u202e`,
    `\n${base64('H4sIH4sI')}`,
    '-%1f8b08',
    '%4a%54%59%30',
  ];

  /** Processor time of this process, in milliseconds: other work on the machine is not what is measured. */
  function costOf(body: Buffer): number {
    const before = process.cpuUsage();
    const shown = new Redaction([KEY, SAME]).bytes(body);
    const { user, system } = process.cpuUsage(before);
    expect(shown.includes(KEY)).toBe(false);
    expect(shown.length).toBeLessThanOrEqual(body.length);
    return (user + system) / 1000;
  }

  /** What grows by the square and takes less than a second for a mebibyte has passed. */
  const LEAST_MS = 1_000 * Math.min(1, MEBIBYTES) ** 2;

  // Work that grows by the square takes sixteen times as long, each time that it is done.
  test.each(some(PIECES, 4))('%s', (piece) => {
    const bodyOf = (bytes: number): Buffer => Buffer.from(piece.repeat(Math.floor(bytes / piece.length)));
    const most = Math.max(LEAST_MS, 12 * costOf(bodyOf(BYTES / 4)));
    const whole = costOf(bodyOf(BYTES));
    expect(whole < most ? whole : costOf(bodyOf(BYTES))).toBeLessThan(most);
  });
});
