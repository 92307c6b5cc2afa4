import { isUtf8 } from 'node:buffer';
import { domainToASCII, domainToUnicode } from 'node:url';
import { readBody } from '../../../core/answer-body.ts';
import { stop } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/operation.ts';
import type { Person } from '../../../ledger/erase.ts';
import {
  normalisePersonProfile,
  normaliseProfileSlug,
  withoutTextMark,
} from '../../../operations/lookup/identifiers.ts';

/**
 * The places in texts, answers and files that name a person. A longer address or a longer slug belongs to somebody else, so what stands
 * on either side decides. Letters may be written as they are, as in a URL or as in JSON, those of the person and those beside them alike.
 */

/**
 * Any text with an `@` may be what somebody's answers name, also what no mailbox can be called.
 * @throws StopError `usage` for what is neither an address nor a profile.
 */
export function personOf(text: string): Person {
  const address = withoutTextMark(text).toLowerCase();
  if (address.includes('@') && !IS_PAGE.test(address))
    return new NamedPerson(emailPattern(address), isWholeAddress);
  const read = normalisePersonProfile(text);
  // The address of a whole site would erase everybody who is mentioned with it.
  const isSite = read.kind === 'usable' && new URL(read.value).pathname === '/';
  if (read.kind === 'usable' && !isSite) return new NamedPerson(profilePattern(read.value), isWholePage);
  const why = read.kind === 'unusable' ? read.problem : isSite ? 'is a whole site' : 'is blank';
  throw stop(
    'usage',
    `What is to be forgotten ${why}.`,
    'Name a person by an e-mail address or by the whole address of a profile page.',
  );
}

/** A page may have an `@` in its path, such as `https://social.example/@jo`. */
const IS_PAGE = /^(?:https?:\/\/|[^@/]+\.[^@/]+\/)/;

/** What was found, with the text before it and behind it, decoded. */
interface Mention {
  readonly found: string;
  readonly before: string;
  readonly after: string;
}

type IsWhole = (mention: Mention) => boolean;

class NamedPerson implements Person {
  readonly #pattern: RegExp;
  readonly #isWhole: IsWhole;

  constructor(pattern: string, isWhole: IsWhole) {
    this.#pattern = new RegExp(pattern, 'giu');
    this.#isWhole = isWhole;
  }

  in(text: string | Buffer): boolean {
    const texts = typeof text === 'string' ? [text] : textsOf(text);
    return texts.some((each) => !this.#found(each).next().done);
  }

  replacedIn(name: string): string {
    let replaced = '';
    let from = 0;
    for (const { index, 0: found } of this.#found(name)) {
      replaced += `${name.slice(from, index)}erased`;
      from = index + found.length;
    }
    return replaced + name.slice(from);
  }

  /** The person is left out of lists of several; where the answer is about a company, other values that name them become null. */
  cutFrom(answer: Buffer, about: 'company' | 'anything'): Buffer | undefined {
    const body = readBody(answer);
    if (body.kind !== 'json') return undefined;
    const withValues = about === 'company';
    let isOneOfSeveral = false;
    const isIn = (value: JsonValue): boolean => this.in(JSON.stringify(value));
    const cut = (value: JsonValue): JsonValue => {
      if (!isIn(value)) return value;
      if (value === null || typeof value !== 'object') return withValues ? null : value;
      if (!isList(value))
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each)]));
      const isOfObjects = value.some((each) => each !== null && typeof each === 'object');
      isOneOfSeveral ||= isOfObjects;
      return isOfObjects || withValues ? value.filter((each) => !isIn(each)) : value;
    };
    const left = JSON.stringify(cut(body.value));
    if (!(isOneOfSeveral || withValues) || this.in(left)) return undefined;
    const text = Buffer.from(left);
    return text.length < answer.length ? text : undefined;
  }

  *#found(text: string): Generator<RegExpExecArray> {
    const pattern = new RegExp(this.#pattern);
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [from, to] = [match.index, pattern.lastIndex];
      const before = decoded(text.slice(Math.max(0, from - NEAR), from));
      const after = decoded(text.slice(to, to + NEAR));
      if (this.#isWhole({ found: match[0], before, after })) yield match;
      // What is a part of another address may overlap with the person's own.
      else pattern.lastIndex = from + 1;
    }
  }
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** UTF-16 in either byte order has a zero byte in every letter of an address. Encodings of one byte write `ü` as Latin 1 does. */
function textsOf(bytes: Buffer): readonly string[] {
  if (!bytes.includes(0))
    return isUtf8(bytes) ? [bytes.toString()] : [bytes.toString(), bytes.toString('latin1')];
  const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const littleEndian = pairs.toString('utf16le');
  return [bytes.toString(), littleEndian, pairs.swap16().toString('utf16le')];
}

function emailPattern(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, at), address.slice(at + 1)];
  const hosts = new Set([host, domainToASCII(host) || host, domainToUnicode(host) || host]);
  return `${anyWriting(`${local}@`)}(?:${[...hosts].map(anyWriting).join('|')})`;
}

/** National hosts belong to the same network; a call by a slug has only the slug. */
function profilePattern(url: string): string {
  const slug = normaliseProfileSlug(url);
  const page = anyWriting(decoded(url).replace(/^https:\/\/(?:www\.)?/, ''));
  return slug.kind === 'usable' ? `${page}|"profile_slug":"${anyWriting(slug.value)}(?=")` : page;
}

function anyWriting(text: string): string {
  const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
  const writings = [...text].map((letter) => {
    const inUrl = [...Buffer.from(letter)].map((byte) => `%${hex(byte, 2)}`).join('');
    const inJson = letter
      .split('')
      .map((unit) => String.raw`\\u${hex(unit.charCodeAt(0), 4)}`)
      .join('');
    const escaped = letter.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
    return `(?:${escaped}|${inUrl}|${inJson}${/[/"\\]/.test(letter) ? String.raw`|\\${escaped}` : ''})`;
  });
  return writings.join('');
}

const WRITTEN = /\\\\|\\u[0-9a-f]{4}|\\[nrtbf"/]|(?:%[0-9a-f]{2})+/gi;

/** As it was before it was put into a URL or into JSON. All that matters of the other escapes is that they are no letter. */
const decoded = (text: string): string =>
  text.replaceAll(WRITTEN, (written) => {
    if (written.startsWith('%')) return Buffer.from(written.replaceAll('%', ''), 'hex').toString();
    if (/^\\u/i.test(written)) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
    return written === String.raw`\/` ? '/' : ' ';
  });

/** More letters than what decides on either side, such as the name of a parameter or the ending of a file. */
const NEAR = 220;

/**
 * RFC 5321 and 6531: `atext`, the dot between such, and what is beyond ASCII, but for blanks, quotes and brackets. What separates in
 * paths, URLs, tables and texts counts as the end of an address, although it may be a part of one.
 */
const LOCAL = /(?:[\w.!#$%'*+^~-]|(?![\p{Z}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Cc}\p{Cf}])[^\0-\x7f])$/u;
const LONGER_HOST = /^\.?[\p{L}\p{N}\p{M}_-]/u;
/** What makes a host longer is the ending of a file's name, where it ends like one. */
const FILE_ENDING =
  /^\.(?:[\p{L}\p{N}_-]{1,40}\.){0,4}(?:csv|tsv|txt|xlsx|gz|jsonl?|ya?ml|html)(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])/iu;

function isWholeAddress({ before, after }: Mention): boolean {
  if (LONGER_HOST.test(after) && !FILE_ENDING.test(after)) return false;
  // An apostrophe that nothing precedes is a quotation mark, or marks a cell as text.
  return !LOCAL.test(before.replace(/'$/, ''));
}

/** Some letters may stand between two of a page, and end a sentence otherwise. */
const LONGER_SLUG = /^[.+@$!*]?[\p{L}\p{N}\p{M}_~-]/u;

const isWholePage: IsWhole = ({ found, before, after }) =>
  found.startsWith('"profile_slug"') || !(/[\p{L}\p{N}\p{M}_-]$/u.test(before) || LONGER_SLUG.test(after));
