import { readBody } from '../core/answer-body.ts';
import { isoTime } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import type { JsonValue } from '../core/operation.ts';
import {
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
} from '../operations/lookup/identifiers.ts';
import type { Person } from './store.ts';

/**
 * A person who is to be forgotten, as the user names them, and the places in texts, answers and files that mention
 * them.
 */

/** @throws StopError `usage` for what is neither an address nor a profile. */
export function personOf(text: string): Person {
  const isAddress = text.includes('@') && !text.includes('/');
  const read = isAddress ? normaliseEmail(text) : normalisePersonProfile(text);
  // The address of a whole site would erase everybody who is mentioned with it.
  const isSite = !isAddress && read.kind === 'usable' && new URL(read.value).pathname === '/';
  if (read.kind === 'usable' && !isSite) return { kind: isAddress ? 'email' : 'profile', value: read.value };
  const why = read.kind === 'unusable' ? read.problem : isSite ? 'is a whole site' : 'is blank';
  throw stop(
    'usage',
    `What is to be forgotten ${why}.`,
    'Name a person by an e-mail address or by the whole address of a profile page.',
  );
}

/** Why a row has no answer any more. The ledger accepts no other words in the place of erased ones. */
export function erasedReason(atMs: number): string {
  return `erased on ${isoTime(atMs).slice(0, 10)}`;
}

/** A longer address, and a longer slug, belong to other people. */
const NO_ADDRESS_BEFORE = String.raw`(?<![\p{L}\p{N}._%+-])`;
/** What makes a host longer, and the address that of another person, unless it ends like a file name. */
const FILE_ENDING = String.raw`(?:[\p{L}\p{N}_-]{1,40}\.){0,4}(?:csv|tsv|txt|xlsx|gz|jsonl?|ya?ml|html)(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;
const NO_HOST_AFTER = String.raw`(?![\p{L}\p{N}-]|\.(?!${FILE_ENDING})[\p{L}\p{N}])`;
const NO_HOST_BEFORE = String.raw`(?<![\p{L}\p{N}-])`;
const NO_SLUG_AFTER = String.raw`(?![\p{L}\p{N}\p{M}_-])`;

export class Mentions {
  readonly #pattern: RegExp;
  /** The pattern for texts whose letters may be written as escapes. */
  readonly #written: RegExp;

  constructor({ kind, value }: Person) {
    const patternOf = kind === 'email' ? emailPattern : profilePattern;
    this.#pattern = new RegExp(patternOf(value, AS_IT_IS), 'giu');
    this.#written = new RegExp(patternOf(value, ANY_WRITING), 'giu');
  }

  in(text: string): boolean {
    if (this.#isIn(text)) return true;
    if (text.includes('\\') && this.#isIn(withoutEscapes(text))) return true;
    return text.includes('%') && this.#isIn(percentDecoded(text));
  }

  /** UTF-16 in either byte order has a zero byte in every letter of an address. */
  inBytes(bytes: Buffer): boolean {
    if (this.in(bytes.toString())) return true;
    if (!bytes.includes(0)) return false;
    const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
    return this.in(pairs.toString('utf16le')) || this.in(pairs.swap16().toString('utf16le'));
  }

  /** The text with a replacement for the person, in every way of writing them; the rest stays as it was. */
  replacedIn(text: string): string {
    return text.replace(this.#pattern, 'erased').replace(this.#written, 'erased');
  }

  #isIn(text: string): boolean {
    this.#pattern.lastIndex = 0;
    return this.#pattern.test(text);
  }
}

interface Writing {
  /** What may stand before the match although it is no boundary. */
  readonly orAfter: string;
  write(text: string): string;
}

const AS_IT_IS: Writing = { orAfter: '', write: escaped };
/** The last letters of an escape before an address do not belong to the address. */
const ANY_WRITING: Writing = { orAfter: String.raw`|(?<=%[0-9a-f]{2}|\\u[0-9a-f]{4})`, write: anyWriting };

function emailPattern(address: string, { orAfter, write }: Writing): string {
  return `(?:${NO_ADDRESS_BEFORE}${orAfter})${write(address)}${NO_HOST_AFTER}`;
}

/** Hosts of one country belong to the same network; a call by a slug has only the slug. */
function profilePattern(url: string, { orAfter, write }: Writing): string {
  const slug = normaliseProfileSlug(url);
  const address = percentDecoded(url).replace(/^https:\/\/(?:www\.)?/, '');
  const page = `(?:${NO_HOST_BEFORE}${orAfter})${write(address)}${NO_SLUG_AFTER}`;
  if (slug.kind !== 'usable') return page;
  return `${page}|"profile_slug":"${write(slug.value)}"`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** A pattern for each letter as it is, as in a URL, or as in JSON. */
function anyWriting(text: string): string {
  const writings = [...text].map((letter) => {
    const inUrl = [...Buffer.from(letter)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const units = Array.from(
      { length: letter.length },
      (_, at) => String.raw`\\u` + letter.charCodeAt(at).toString(16).padStart(4, '0'),
    );
    const inJson = letter === '/' ? String.raw`\\?/|${units.join('')}` : units.join('');
    return `(?:${escaped(letter)}|${inUrl}|${inJson})`;
  });
  return writings.join('');
}

/** The text with JSON's escapes replaced by the letters that they stand for. */
function withoutEscapes(text: string): string {
  return text
    .replaceAll('\\/', '/')
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/**
 * An answer without one person: that person is left out of a list of several, and outside of lists the values that name
 * them become null where the answer is about something else, such as a company.
 * @returns undefined when the answer is about that person, so that all of it must go.
 */
export function answerWithout(
  bytes: Buffer,
  mentions: Mentions,
  about: 'company' | 'anything',
): Buffer | undefined {
  const body = readBody(bytes);
  if (body.kind !== 'json') return undefined;
  const cutter = new Cutter(mentions, about === 'company');
  const left = cutter.cut(body.value);
  if (cutter.isInOneAnswer || mentions.in(JSON.stringify(left))) return undefined;
  const text = Buffer.from(JSON.stringify(left));
  return text.length < bytes.length ? text : undefined;
}

class Cutter {
  readonly #mentions: Mentions;
  readonly #withValues: boolean;
  #lists = 0;

  /** @param withValues whether single values are cut as well as members of lists. */
  constructor(mentions: Mentions, withValues: boolean) {
    this.#mentions = mentions;
    this.#withValues = withValues;
  }

  /** Whether the whole answer is about the person: no list of several people held them. */
  get isInOneAnswer(): boolean {
    return this.#lists === 0 && !this.#withValues;
  }

  cut(value: JsonValue): JsonValue {
    if (!this.#isIn(value)) return value;
    if (isList(value)) return this.#cutList(value);
    if (value === null || typeof value !== 'object') return this.#withValues ? null : value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.cut(each)]));
  }

  #cutList(list: readonly JsonValue[]): readonly JsonValue[] {
    const isOfObjects = list.some((each) => each !== null && typeof each === 'object');
    if (isOfObjects) this.#lists += 1;
    return isOfObjects || this.#withValues ? list.filter((each) => !this.#isIn(each)) : list;
  }

  #isIn(value: JsonValue): boolean {
    return this.#mentions.in(JSON.stringify(value));
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
