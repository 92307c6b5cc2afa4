import { isUtf8 } from 'node:buffer';
import { domainToASCII, domainToUnicode } from 'node:url';
import { readBody } from '../../core/answer-body.ts';
import { problemWords } from '../../core/cell-problems.ts';
import { stop } from '../../core/errors.ts';
import type { JsonValue } from '../../core/operation.ts';
import { withoutTextMark } from '../../values/cell-text.ts';
import { pageAddress, profileSlug } from '../../values/profile.ts';
import { isList } from './cell-template.ts';

/**
 * The answers about a person may name any text with an `@`, also one that no mailbox can be called.
 * @throws StopError `usage` for what is neither an address nor a profile.
 */
export function personOf(text: string): Person {
  const address = withoutTextMark(text).toLowerCase();
  if (address.includes('@') && !IS_PAGE.test(address)) return new Person(emailPattern(address), address);
  // The address of a whole site would erase everybody who is mentioned with it, so it is none.
  const read = pageAddress(text);
  if (read.kind === 'usable') return new Person(profilePattern(read.value));
  const why = read.kind === 'unusable' ? problemWords(read) : 'is blank';
  throw stop(
    'usage',
    `What is to be forgotten ${why}.`,
    'Name a person by an e-mail address or by the whole address of a profile page.',
  );
}

/** A page may have an `@` in its path, such as `https://social.example/@jo`. */
const IS_PAGE = /^(?:https?:\/\/|[^@/]+\.[^@/]+\/)/;

/**
 * A person who is to be forgotten: where texts and answers name them, as they are, as in a URL or as in JSON,
 * and what is left without them.
 */
export class Person {
  /** In lower case; undefined of a profile. */
  readonly email: string | undefined;
  readonly #named: RegExp;

  /** @param pattern of texts as people read them. */
  constructor(pattern: string, email?: string) {
    this.email = email;
    this.#named = new RegExp(pattern, 'giu');
  }

  in(text: string | Buffer): boolean {
    const texts = typeof text === 'string' ? [text] : textsOf(text);
    return texts.some((each) => decoded(each).search(this.#named) >= 0);
  }

  /**
   * A text of ours, be it JSON, with another word in the person's place; it takes all of a text in which they
   * are escaped.
   */
  replacedIn(text: string): string {
    if (!this.in(text)) return text;
    try {
      return JSON.stringify(this.#replaced(JSON.parse(text)));
    } catch {
      const erasedText = text.replaceAll(this.#named, 'erased');
      return this.in(erasedText) ? 'erased' : erasedText;
    }
  }

  #replaced(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.replacedIn(value);
    if (value === null || typeof value !== 'object') return value;
    if (isList(value)) return value.map((each) => this.#replaced(each));
    const members = Object.entries(value).map(([name, each]) => [
      this.replacedIn(name),
      this.#replaced(each),
    ]);
    return Object.fromEntries(members);
  }

  /**
   * An answer without the person, who is left out of lists of several.
   * @param what `values`: single values that name them become null, and are cut from lists.
   * @returns undefined when the answer is about that person, so that all of it must go.
   */
  cutFrom(answer: Buffer, what: 'in_lists' | 'values'): Buffer | undefined {
    const body = readBody(answer);
    if (body.kind !== 'json') return undefined;
    const withValues = what === 'values';
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
    const cutText = JSON.stringify(cut(body.value));
    if (!(isOneOfSeveral || withValues) || this.in(cutText)) return undefined;
    const text = Buffer.from(cutText);
    return text.length < answer.length ? text : undefined;
  }
}

/**
 * UTF-16 in either byte order has a zero byte in every letter of an address. Encodings of one byte write `ü`
 * as Latin 1 does.
 */
function textsOf(bytes: Buffer): readonly string[] {
  if (!bytes.includes(0))
    return isUtf8(bytes) ? [bytes.toString()] : [bytes.toString(), bytes.toString('latin1')];
  const pairs = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  const littleEndian = pairs.toString('utf16le');
  return [bytes.toString(), littleEndian, pairs.swap16().toString('utf16le')];
}

const ESCAPED = /\\u[0-9a-f]{4}|\\[\\nrtbf"/]|(?:%[0-9a-f]{2})+/gi;

/** The text as it was before it was encoded for a URL or for JSON. */
const decoded = (text: string): string =>
  text.replaceAll(ESCAPED, (written) => {
    if (written.startsWith('%')) return Buffer.from(written.replaceAll('%', ''), 'hex').toString();
    if (/^\\u/i.test(written)) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
    return /[nrtbf]/.test(written) ? ' ' : written.slice(1);
  });

const pattern = (text: string): string => decoded(text).replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/**
 * RFC 5321 and 6531: `atext`, the dot between such, and what is beyond ASCII, but for blanks, quotes and
 * brackets.
 */
const LOCAL = String.raw`(?:[\w.!#$%'*+^~\-]|(?![\p{Z}\p{Pi}\p{Pf}\p{Ps}\p{Pe}\p{Cc}\p{Cf}])[^\0-\x7f])`;
/** They stand in local parts as well; `=` and `|` are taken to separate all the same. */
const ALSO_LOCAL = '[&/?{}`]';
/**
 * The signs before an address make it longer, except for the path of a file, the path or query of a URL, or
 * the signs that follow another address.
 */
const LONGER = String.raw`(?<![@=|\w.\-]|${ALSO_LOCAL})(?![/?])(?:${LOCAL}|[=|]|${ALSO_LOCAL}){1,64}${ALSO_LOCAL}`;
/** What makes a host longer is the ending of a file's name, where it ends like one. */
const FILE_ENDING = String.raw`\.(?:[\p{L}\p{N}_\-]{1,40}\.){0,4}(?:csv|tsv|txt|xlsx|gz|jsonl?|ya?ml|html)(?![\p{L}\p{N}\-]|\.[\p{L}\p{N}])`;

/**
 * A longer address belongs to another person. An apostrophe that nothing precedes is a quotation mark, or
 * marks a cell as text.
 */
function emailPattern(address: string): string {
  const at = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, at), address.slice(at + 1)];
  const hosts = new Set([host, domainToASCII(host) || host, domainToUnicode(host) || host]);
  const [begins, goesOn] = [pattern(`${local}@`), `(?:${[...hosts].map(pattern).join('|')})`];
  const ends = String.raw`(?:(?=${FILE_ENDING})|(?!\.?[\p{L}\p{N}\p{M}_\-]))`;
  // Behind the letters, because whatever precedes a letter of a long text would be looked at.
  const whole = `(?<!(?:${LOCAL}'|(?!')${LOCAL})${begins})(?:(?=${goesOn}${FILE_ENDING})|(?<!${LONGER}${begins}))`;
  return begins + whole + goesOn + ends;
}

/**
 * A longer slug belongs to another person. National hosts belong to the same network; a call by a slug has
 * only the slug.
 */
function profilePattern(url: string): string {
  const slug = profileSlug.read(url);
  const page = pattern(url.replace(/^https:\/\/(?:www\.)?/, ''));
  // Some letters may stand between two of a page, and end a sentence otherwise.
  const whole = String.raw`(?<![\p{L}\p{N}\p{M}_\-])${page}(?![.+@$!*]?[\p{L}\p{N}\p{M}_~\-])`;
  return slug.kind === 'usable' ? `${whole}|"profile_slug":"${pattern(slug.value)}"` : whole;
}
