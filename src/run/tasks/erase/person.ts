import { readBody } from '../../../core/answer-body.ts';
import { stop } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/operation.ts';
import type { Person } from '../../../ledger/eraser.ts';
import { normalisePersonProfile, withoutTextMark } from '../../../operations/lookup/identifiers.ts';
import { Mentions } from './mentions.ts';

/**
 * Any text with an `@` may be what somebody's answers name, also what no mailbox can be called.
 * @throws StopError `usage` for what is neither an address nor a profile.
 */
export function personOf(text: string): Person {
  const address = withoutTextMark(text).toLowerCase();
  if (address.includes('@') && !IS_PAGE.test(address))
    return new NamedPerson({ kind: 'email', value: address });
  const read = normalisePersonProfile(text);
  // The address of a whole site would erase everybody who is mentioned with it.
  const isSite = read.kind === 'usable' && new URL(read.value).pathname === '/';
  if (read.kind === 'usable' && !isSite) return new NamedPerson({ kind: 'profile', value: read.value });
  const why = read.kind === 'unusable' ? read.problem : isSite ? 'is a whole site' : 'is blank';
  throw stop(
    'usage',
    `What is to be forgotten ${why}.`,
    'Name a person by an e-mail address or by the whole address of a profile page.',
  );
}

/** A page may have an `@` in its path, such as `https://social.example/@jo`. */
const IS_PAGE = /^(?:https?:\/\/|[^@/]+\.[^@/]+\/)/;

class NamedPerson extends Mentions implements Person {
  cutFrom(answer: Buffer, about: 'company' | 'anything'): Buffer | undefined {
    const body = readBody(answer);
    if (body.kind !== 'json') return undefined;
    const cutter = new Cutter(this, about === 'company');
    const left = JSON.stringify(cutter.cut(body.value));
    if (cutter.isInOneAnswer || this.in(left)) return undefined;
    const text = Buffer.from(left);
    return text.length < answer.length ? text : undefined;
  }
}

/**
 * Cuts a person out of an answer: that person is left out of a list of several, and outside of lists the values that name
 * them become null where the answer is about something else, such as a company.
 */
class Cutter {
  readonly #mentions: Mentions;
  readonly #withValues: boolean;
  #lists = 0;

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
