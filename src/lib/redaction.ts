import { isUtf16 } from '../core/answer-body.ts';

/**
 * Keeps an account's key out of everything that is recorded or shown. A vendor may return the key in any
 * answer: in an error that quotes the request, in a link, in a debug page. It is found as it is, escaped as
 * in JSON, percent-encoded and in Base64. A key that comes back packed, or encoded twice, is not looked for.
 */

/**
 * Stands in the place of the key. It is no longer than the shortest key that it replaces, so no answer grows
 * by it.
 */
export const REDACTED = '[redacted]';

/**
 * A shorter key is also found in words that mean something else, so it is only recognised where it is a whole
 * header.
 */
const LEAST_LENGTH = 12;

interface KeptReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class Redaction {
  readonly #written: RegExp | undefined;
  readonly #short: readonly string[];

  constructor(keys: readonly string[]) {
    const long = keys.filter((key) => key.length >= LEAST_LENGTH).map((key) => Buffer.from(key));
    const texts = new Set(long.flatMap((key) => [key.toString('latin1'), ...base64Of(key)]));
    this.#written = texts.size === 0 ? undefined : new RegExp([...texts].map(writtenAnyWay).join('|'), 'gi');
    this.#short = keys.filter((key) => key !== '' && key.length < LEAST_LENGTH);
  }

  reply<Reply extends KeptReply>(raw: Reply): Reply {
    return { ...raw, headers: this.#headers(raw.headers), body: this.bytes(raw.body) };
  }

  text(words: string): string {
    // The pattern is made of bytes, so that a key is found in any encoding.
    if (!/[^\0-\x7f]/.test(words)) return this.#redacted(words);
    const bytes = Buffer.from(words);
    const redacted = this.bytes(bytes);
    return redacted === bytes ? words : redacted.toString();
  }

  /** The same buffer when the key is not in it. An escape is replaced as a whole, so that JSON stays JSON. */
  bytes(body: Buffer): Buffer {
    if (this.#written === undefined) return body;
    if (isUtf16(body)) {
      const narrow = Buffer.from(body.toString('utf16le'));
      const redacted = this.bytes(narrow);
      return redacted === narrow ? body : redacted;
    }
    const text = body.toString('latin1');
    const redacted = this.#redacted(text);
    return redacted === text ? body : Buffer.from(redacted, 'latin1');
  }

  #redacted(text: string): string {
    return this.#written === undefined ? text : text.replace(this.#written, REDACTED);
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name] ?? '';
      shown[this.text(name)] = this.#short.includes(value.trim()) ? REDACTED : this.text(value);
    }
    return shown;
  }
}

/**
 * In Base64, three bytes are four characters, so the form of a key depends on the number of bytes before it.
 * These are the characters that depend on the key alone.
 */
function base64Of(key: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), key])
      .toString('base64')
      .replace(/=+$/, '');
    const isWhole = (before + key.length) % 3 === 0;
    const own = encoded.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * A pattern for a text in which each character may be escaped as in JSON, also in JSON within JSON, or
 * percent-encoded. It ignores case, in which escapes and names of headers differ.
 */
function writtenAnyWay(text: string): string {
  return Array.from(text, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `(?:(?<!\\\\)\\\\+(?:u00${hex}|\\x${hex})|%${hex}|\\x${hex})`;
  }).join('');
}
