import { isUtf8 } from 'node:buffer';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { Where } from '../../../ledger/eraser.ts';
import { normaliseProfileSlug } from '../../../operations/lookup/identifiers.ts';

/**
 * The places in texts, answers and files that name a person. A longer address or a longer slug belongs to somebody else, so
 * what stands on either side decides: whatever may be a part of an address is taken for one. Letters may be written as they
 * are, as in a URL or as in JSON, those of the person and those beside them alike.
 */

/**
 * In a name, such as a path or a command, a slash and an equals sign separate; in a list a bar does. In any other text they may
 * be a part of an address.
 */
const SEPARATORS: Readonly<Record<Where, string>> = { text: '', name: '/=?&', list: '|' };

/**
 * Who is looked for, in the form in which calls name them: an e-mail address in lower case, or a profile page as
 * `identifiers.ts` writes it.
 */
export interface Identifier {
  readonly kind: 'email' | 'profile';
  readonly value: string;
}

export class Mentions {
  readonly #pattern: RegExp;
  readonly #isWhole: (text: string, from: number, to: number, where: Where) => boolean;

  constructor({ kind, value }: Identifier) {
    this.#pattern = new RegExp(kind === 'email' ? emailPattern(value) : profilePattern(value), 'giu');
    this.#isWhole = kind === 'email' ? isWholeAddress : isWholePage;
  }

  in(text: string, where: Where = 'text'): boolean {
    return !this.#found(text, where).next().done;
  }

  /** The whole cells and values in which the person stands, as they are written; a short name as a whole. */
  cellsIn(text: string | Buffer, where: Where = 'text'): readonly string[] {
    const texts = typeof text === 'string' ? [text] : textsOf(text);
    return texts.flatMap((each) =>
      [...this.#found(each, where)].map(({ index, 0: found }) =>
        where === 'name' && each.length <= LONGEST_CELL
          ? each
          : cellAround(each, index, index + found.length),
      ),
    );
  }

  /** A name with a replacement for the person, in every way of writing them; the rest stays as it was. */
  replacedIn(name: string): string {
    let replaced = '';
    let from = 0;
    for (const { index, 0: found } of this.#found(name, 'name')) {
      replaced += `${name.slice(from, index)}erased`;
      from = index + found.length;
    }
    return replaced + name.slice(from);
  }

  *#found(text: string, where: Where): Generator<RegExpExecArray> {
    const pattern = new RegExp(this.#pattern);
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      if (this.#isWhole(text, found.index, pattern.lastIndex, where)) yield found;
      // What is a part of another address may overlap with the person's own.
      else pattern.lastIndex = found.index + 1;
    }
  }
}

/** UTF-16 in either byte order has a zero byte in every letter of an address. Encodings of one byte write `ü` as Latin 1 does. */
function textsOf(bytes: Buffer): readonly string[] {
  if (!bytes.includes(0))
    return isUtf8(bytes) ? [bytes.toString()] : [bytes.toString(), bytes.toString('latin1')];
  const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const littleEndian = pairs.toString('utf16le');
  return [bytes.toString(), littleEndian, pairs.swap16().toString('utf16le')];
}

/** A cell that is longer is shown from there on. */
const LONGEST_CELL = 300;

const BETWEEN_CELLS = /[\t\r\n,;|"]/;

function cellAround(text: string, from: number, to: number): string {
  const before =
    text
      .slice(Math.max(0, from - LONGEST_CELL), from)
      .split(BETWEEN_CELLS)
      .at(-1) ?? '';
  const [after = ''] = text.slice(to, to + LONGEST_CELL).split(BETWEEN_CELLS, 1);
  return `${before}${text.slice(from, to)}${after}`;
}

function emailPattern(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, at), address.slice(at + 1)];
  const hosts = new Set([host, domainToASCII(host) || host, domainToUnicode(host) || host]);
  return `${anyWriting(`${local}@`)}(?:${[...hosts].map(anyWriting).join('|')})`;
}

/** Hosts of one country belong to the same network; a call by a slug has only the slug. */
function profilePattern(url: string): string {
  const slug = normaliseProfileSlug(url);
  const page = anyWriting(decoded(url).replace(/^https:\/\/(?:www\.)?/, ''));
  return slug.kind === 'usable' ? `${page}|"profile_slug":"${anyWriting(slug.value)}(?=")` : page;
}

function anyWriting(text: string): string {
  const writings = [...text].map((letter) => {
    const inUrl = [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const units = Array.from(
      { length: letter.length },
      (_, at) => String.raw`\\u` + letter.charCodeAt(at).toString(16).padStart(4, '0'),
    );
    const inJson = /[/"\\]/.test(letter)
      ? String.raw`\\${escaped(letter)}|${units.join('')}`
      : units.join('');
    return `(?:${escaped(letter)}|${inUrl}|${inJson})`;
  });
  return writings.join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

interface Beside {
  readonly letter: string;
  readonly at: number;
}

const LONGEST_WRITING = 12;

const WRITTEN_BEFORE =
  /(?:(?<url>(?:%[0-9a-f]{2}){1,4})|(?<!\\)(?:\\\\)*(?<json>\\(?:u[0-9a-f]{4}|[nrtbf])))$/i;
const WRITTEN_AFTER = /^(?:(?<url>(?:%[0-9a-f]{2}){1,4})|(?<json>\\(?:u[0-9a-f]{4}|[nrtbf"\\])))/i;

function before(text: string, at: number): Beside {
  const near = text.slice(Math.max(0, at - LONGEST_WRITING), at);
  const { url, json } = WRITTEN_BEFORE.exec(near)?.groups ?? {};
  // Of several bytes the last ones that make a letter are it.
  for (let length = 3; url !== undefined && length <= url.length; length += 3) {
    const [letter = '', ...more] = decoded(url.slice(-length));
    if (letter !== '%' && more.length === 0) return { letter, at: at - length };
  }
  if (json !== undefined) return { letter: unescaped(json), at: at - json.length };
  const letter = [...near].at(-1) ?? '';
  return { letter, at: at - letter.length };
}

function after(text: string, at: number): Beside {
  const near = text.slice(at, at + LONGEST_WRITING);
  const { url, json } = WRITTEN_AFTER.exec(near)?.groups ?? {};
  for (let length = 3; url !== undefined && length <= url.length; length += 3) {
    const [letter = '', ...more] = decoded(url.slice(0, length));
    if (letter !== '%' && more.length === 0) return { letter, at: at + length };
  }
  if (json !== undefined) return { letter: unescaped(json), at: at + json.length };
  const letter = [...near][0] ?? '';
  return { letter, at: at + letter.length };
}

function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** All that matters of the other escapes is that they are no letter. */
function unescaped(json: string): string {
  return json[1] === 'u' ? String.fromCharCode(Number.parseInt(json.slice(2), 16)) : ' ';
}

/** RFC 5321 and 6531: `atext`, the dot between such, and what is beyond ASCII, but for blanks, quotes and brackets. */
const LOCAL = /^(?:[\w.!#$%&'*+/=?^`{|}~-]|(?![\p{Z}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Cc}\p{Cf}])[^\0-\x7f])$/u;
const PARAMETER = /[?&][\w.[\]-]{1,80}=$/;
const HOST = /^[\p{L}\p{N}\p{M}_-]$/u;
const SLUG = /^[\p{L}\p{N}\p{M}_~-]$/u;
/** What may stand between two letters of a page, and ends a sentence otherwise. */
const WITHIN_SLUG = /^[.+@$!*]$/;

/** What makes a host longer is the ending of a file's name, where it ends like one. */
const FILE_ENDING =
  /^\.(?:[\p{L}\p{N}_-]{1,40}\.){0,4}(?:csv|tsv|txt|xlsx|gz|jsonl?|ya?ml|html)(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])/iu;

function isWholeAddress(text: string, from: number, to: number, where: Where): boolean {
  return !isLongerBefore(text, from, where) && !isLongerHost(text, to);
}

function isLongerBefore(text: string, from: number, where: Where): boolean {
  const { letter, at } = before(text, from);
  if (!LOCAL.test(letter) || SEPARATORS[where].includes(letter)) return false;
  // An apostrophe that nothing precedes is a quotation mark, or marks a cell as text.
  if (letter === "'") return LOCAL.test(before(text, at).letter);
  return letter !== '=' || !PARAMETER.test(text.slice(Math.max(0, from - 90), from));
}

function isLongerHost(text: string, to: number): boolean {
  const { letter, at } = after(text, to);
  if (HOST.test(letter)) return true;
  return letter === '.' && HOST.test(after(text, at).letter) && !FILE_ENDING.test(text.slice(to, to + 220));
}

function isWholePage(text: string, from: number, to: number): boolean {
  if (text.startsWith('"profile_slug"', from)) return true;
  if (HOST.test(before(text, from).letter)) return false;
  const { letter, at } = after(text, to);
  return !SLUG.test(letter) && !(WITHIN_SLUG.test(letter) && SLUG.test(after(text, at).letter));
}
