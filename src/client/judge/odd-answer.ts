import { hash } from 'node:crypto';
import { type Body, readBodyOnce } from '../../core/answer-body.ts';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import type { RawReply } from '../../ledger/ledger.ts';
import { type Dialect, dialectOperationOf, vendorReply } from '../dialect.ts';
import { Asked, withoutValues } from './asked.ts';
import { showsOther } from './change-look.ts';
import { nameOf } from './names.ts';
import { plainValue } from './plain.ts';
import { isFilled } from './values.ts';
import { LONGEST_TEXT, plainWords, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/**
 * Answers that came whole and that nobody can read. Those that have the same names and words are of one shape: one rule of the
 * dialect would read all of them, and one decision of a person is about all of them.
 */
export interface OddAnswer {
  /** Equal for answers of one shape. */
  readonly shape: string;
  /** The rule that would read it; undefined where none is offered. */
  readonly rule: string | undefined;
  /** A service gave it in front of the vendor, and it holds none of the vendor's. */
  readonly isOuter: boolean;
}

/** @returns undefined for a reply that is no success, because then the vendor may be broken. */
export function oddAnswerIn(raw: RawReply, dialect: Dialect, call: Call): OddAnswer | undefined {
  const own = vendorReply(raw, dialect);
  const { status, body: bytes } = own ?? raw;
  if (Math.floor(status / 100) !== 2 || !Object.hasOwn(dialect.operations, call.operation)) return undefined;
  const body = readBodyOnce(bytes);
  const asked = new Asked(call, dialectOperationOf(dialect, call));
  return {
    shape: shapeHash([call.operation, own === undefined, status, body.kind, shapeOfBody(body, asked)]),
    rule: own === undefined ? undefined : ruleFor(status, body, asked, dialect, call),
    isOuter: own === undefined,
  };
}

/**
 * Equal for refusals of one shape; undefined for one that quotes a value of its own question, such as "jane@ is not an e-mail
 * address": it speaks of its row, and not of the account.
 */
export function refusalShape(raw: RawReply, dialect: Dialect, call: Call): string | undefined {
  const own = vendorReply(raw, dialect);
  const { status, body: bytes } = own ?? raw;
  const body = readBodyOnce(bytes);
  const asked = new Asked(call, dialectOperationOf(dialect, call));
  if (body.kind === 'json' && quotes(body.value, '', asked)) return undefined;
  return shapeHash([call.operation, own === undefined, status, body.kind, shapeOfBody(body, asked)]);
}

/** The rule by which an answer that is no success means "no match"; undefined where a service gave it in front of the vendor. */
export function ruleForLost(raw: RawReply, dialect: Dialect): string | undefined {
  const own = vendorReply(raw, dialect);
  if (own === undefined) return undefined;
  const { kind } = readBodyOnce(own.body);
  const test = kind === 'json' ? 'path: …, matches: …' : `is: ${kind}`;
  return `- { status: [${own.status}], body: { ${test} }, means: no_match }`;
}

// --------------------------------------------------------------------------------------------------------- shapes

const shapeHash = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'hex');

/** A page has times and numbers of its own, so all pages are of one shape. */
function shapeOfBody(body: Body, asked: Asked): unknown {
  if (body.kind === 'json') return shapeOf(body.value, '', asked);
  return body.kind === 'unreadable' && body.text.trimStart().startsWith('<') ? 'page' : body.kind;
}

/** More members of a list say nothing more. */
const MEMBERS_LOOKED_AT = 3;

function shapeOf(value: JsonValue, name: string, asked: Asked): unknown {
  if (Array.isArray(value)) {
    const shapes = value
      .slice(0, MEMBERS_LOOKED_AT)
      .map((each) => JSON.stringify(shapeOf(each, name, asked)));
    return [...new Set(shapes)].sort();
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(([each, inner]) => [
      each,
      shapeOf(inner as JsonValue, each, asked),
    ]);
    return Object.fromEntries(members.sort());
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const isWord = SPEAKING_KINDS.has(nameOf(name).kind);
  if (typeof value === 'number') return isWord ? value : 'number';
  return isWord ? wordsOf(value, asked) : value.trim() === '' ? '' : 'text';
}

const SPEAKING_KINDS: ReadonlySet<string> = new Set([
  'machine',
  'prose',
  'described',
  'success',
  'effect',
  'trouble',
]);

/** A list's own values that differ from row to row; what all rows of an account may share is none. */
const SHARED: ReadonlySet<string> = new Set(['project_id', 'organization_id', 'role']);

/** Shorter values stand in a text by chance. */
const SHORTEST_QUOTED = 4;

/** Whether a text names a value that was sent. What only repeats the question beside the words is no quotation. */
function quotes(value: JsonValue, name: string, asked: Asked, isSaid = false): boolean {
  const { kind } = nameOf(name);
  if (Array.isArray(value)) return value.some((each) => quotes(each, name, asked, isSaid));
  const says = isSaid || SPEAKING_KINDS.has(kind);
  if (isObject(value)) {
    const members = kind === 'about' && !says ? [] : Object.entries(value);
    return members.some(([each, inner]) => quotes(inner as JsonValue, each, asked, says));
  }
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (!says && asked.repeats(value, name)) return false;
  const text = plainValue(String(value));
  return valuesOf(asked).some((sent) => text.includes(sent));
}

function valuesOf({ sent }: Asked): readonly string[] {
  return sent
    .filter(({ name }) => !SHARED.has(name))
    .flatMap(({ text }) => [text, text.split('@')[1] ?? '', text.replace(/^https?:\/\/(?:www\.)?/i, '')])
    .map(plainValue)
    .filter((text) => text.length >= SHORTEST_QUOTED);
}

/** The words of a text without what differs from row to row: values that were sent, numbers, ids. */
function wordsOf(text: string, asked: Asked): string {
  const own = withoutValues(text.slice(0, LONGEST_TEXT).replaceAll(UUID, ' '), asked);
  const words = plainWords(own).split(' ');
  return words.filter((word) => !/\d/.test(word)).join(' ');
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

// --------------------------------------------------------------------------------------------------------- rules

/** A test of the body, and what the answer says there. */
interface Place {
  readonly test: string;
  readonly text: string;
  /** It is a mark of failure, which has no words. */
  readonly isMark: boolean;
}

/** How places are told from others. */
interface Reader {
  readonly asked: Asked;
  readonly vocabulary: Vocabulary;
}

/** @returns undefined where no rule would read such answers and no others, and where what they show speaks against the change. */
function ruleFor(status: number, body: Body, asked: Asked, dialect: Dialect, call: Call): string | undefined {
  const vocabulary = vocabularyOf(dialect.words);
  const isChange = call.change !== undefined;
  if (isChange && body.kind === 'json' && showsOther(body.value, { dialect, call, asked })) return undefined;
  const place = body.kind === 'json' ? placeIn(body.value, { asked, vocabulary }) : BLANK_OR_PAGE[body.kind];
  if (place === undefined) return undefined;
  // What has not happened yet is told by no rule.
  if (vocabulary.sensesOf(place.text).includes('pending')) return undefined;
  const isNo = place.isMark || vocabulary.soundsLikeNo(place.text);
  const means = isNo ? 'refused' : isChange ? 'found' : 'no_match';
  return `- { status: [${status}], body: { ${place.test} }, means: ${means} }`;
}

/** A page, or a text that is no JSON, is seldom the word of the vendor, so no rule is offered for it. */
const BLANK_OR_PAGE = {
  blank: { test: 'is: blank', text: '', isMark: false },
  unreadable: undefined,
} as const;

/** Deeper than that an answer does not speak of itself. */
const DEEPEST = 4;

/** The first place at which an answer says something that not every answer says, as a rule would test it. */
function placeIn(value: JsonValue, reader: Reader, path = '', deepest = DEEPEST): Place | undefined {
  if (typeof value === 'string') return path === '' ? textPlace(path, value, reader) : undefined;
  if (value === null || typeof value !== 'object' || deepest === 0) return undefined;
  for (const [name, each] of Object.entries(value)) {
    // A path cannot lead to it.
    if (name.includes('.')) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const found =
      placeAt(at, name, each as JsonValue, reader) ?? placeIn(each as JsonValue, reader, at, deepest - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What good answers have as well: that all is well, no code, a time. */
const SAYS_NOTHING = /^(?:0+|[23]\d\d|\d{4}-\d\d-\d\d.*)$/;

function placeAt(path: string, name: string, value: JsonValue, reader: Reader): Place | undefined {
  const { kind } = nameOf(name);
  if (!SPEAKING_KINDS.has(kind)) return undefined;
  if (typeof value === 'string') {
    const isTold = value.trim() !== '' && kind !== 'effect' && !SAYS_NOTHING.test(value.trim());
    const isPraise = reader.vocabulary.senseOfCode(value) === 'done';
    return isTold && !isPraise ? textPlace(path, value, reader) : undefined;
  }
  const isMark =
    kind === 'trouble' ? isFilled(value) : kind !== 'machine' && (value === false || value === 0);
  const isCode = kind === 'machine' && typeof value === 'number' && !SAYS_NOTHING.test(String(value));
  if (typeof value === 'object' || !(isMark || isCode)) return undefined;
  return { test: `path: ${yaml(path)}, equals: ${value}`, text: '', isMark };
}

/** So much of a text tells it from another. */
const LONGEST_QUOTED = 60;

function textPlace(path: string, text: string, { asked }: Reader): Place | undefined {
  const where = path === '' ? '' : `path: ${yaml(path)}, `;
  const fixed = withoutValues(text, asked, ANYTHING).replaceAll(/\d+/g, ANYTHING);
  if (fixed === text && path !== '' && !/\s/.test(text.trim()))
    return { test: `${where}equals: ${yaml(text)}`, text, isMark: false };
  const parts = fixed.slice(0, LONGEST_QUOTED).trim().split(ANYTHING);
  // What has no letter of its own would fit every answer.
  if (!parts.some((part) => /\p{L}/u.test(part))) return undefined;
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  const begin = /^\s/.test(text) ? '^\\s*' : '^';
  return { test: `${where}matches: ${yaml(begin + pattern)}`, text, isMark: false };
}

/** Stands for what differs from row to row. No text that is shown has it. */
const ANYTHING = '\u0000';

/** A plain word, or the text between quotes. */
function yaml(text: string): string {
  return /^[a-z][\w.-]*$/i.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
