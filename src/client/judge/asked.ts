import type { Call, JsonValue } from '../../core/operation.ts';
import type { DialectOperation } from '../dialect.ts';
import { membersOf, nameOf, plainName } from './names.ts';

/** A value that was sent, and is not blank. */
export interface Sent {
  readonly name: string;
  readonly text: string;
}

/** A call that sends more values than these is about many things, and no answer repeats them one by one. */
const MOST_SENT = 200;

/** A method and a path are how it was asked, and not what. */
const HOW: readonly string[] = ['method', 'endpoint'];

/** What a call asked with, as far as it helps to read the answer to it. */
export class Asked {
  readonly sent: readonly Sent[];
  /** A question of one's own: what it asks about may have a status, a message and a text that says no itself. */
  readonly isOwn: boolean;
  /** The e-mail address of the person whom a change is about, where it is known. */
  readonly email: string | undefined;
  readonly #fields: Readonly<Record<string, string | null>>;
  #names: ReadonlyMap<string, Sent> | undefined;
  #longestFirst: readonly Sent[] | undefined;

  /** @param call undefined for a free question. */
  constructor(call: Call | undefined, { fields = {} }: Pick<DialectOperation, 'fields'>) {
    const { leaves, subject } = call?.change ?? {};
    this.sent = call === undefined ? [] : sentBy(call).slice(0, MOST_SENT);
    this.isOwn = call?.operation === 'api-call';
    this.email = [leaves?.email, subject?.name].find((name) => name?.includes('@'));
    this.#fields = fields;
  }

  /** By the plain names that we and the vendor have for it. */
  get names(): ReadonlyMap<string, Sent> {
    this.#names ??= new Map(
      this.sent.flatMap((each) => {
        const field = Object.hasOwn(this.#fields, each.name) ? this.#fields[each.name] : undefined;
        return [each.name, field?.split('.').at(-1) ?? each.name].map((name) => [nameOf(name).plain, each]);
      }),
    );
    return this.#names;
  }

  /** Whether a value of an answer repeats what was asked. What the thing is called is news, unless it was asked for by a name. */
  repeats(value: string | number, name = ''): boolean {
    const text = String(value);
    return this.sent.some((each) => areAlike(each.text, text) && (!isNaming(name) || isNaming(each.name)));
  }

  /** Whether a value says nothing but what was asked, also as a part of an e-mail address: `mia`, `tran` or `acme.com.au`. */
  knows(value: string | number): boolean {
    const text = String(value).trim().toLowerCase();
    const isPart = ([local = '', domain]: readonly string[]): boolean =>
      domain !== undefined && [domain, ...local.split(/[._+-]/)].includes(text);
    return this.repeats(value) || this.sent.some((each) => isPart(each.text.toLowerCase().split('@')));
  }

  /** Whether a value is one that was sent, or the person whom it is about: no other that is only spelled alike. */
  includes(value: string | number): boolean {
    return [...this.sent.map(({ text }) => text), this.email ?? ''].some((text) => areSame(text, `${value}`));
  }

  /** A text without the values that were sent, which may be anybody's name: "no results for Rate Limit Ltd". @param instead stands in their place. */
  without(text: string, instead: (sent: Sent) => string = () => ' '): string {
    this.#longestFirst ??= this.sent
      .flatMap(partsOf)
      .sort((one, other) => other.text.length - one.text.length);
    return this.#longestFirst.reduce((rest, sent) => {
      const words = sent.text.trim().split(/\s+/u);
      // To make a pattern takes longer than all else, and few texts repeat a value.
      if (!rest.toLowerCase().includes((words[0] ?? '').toLowerCase())) return rest;
      const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
      const whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'giu');
      return rest.replaceAll(whole, instead(sent));
    }, text);
  }
}

/** A value, and what of it answers repeat: the domain of an e-mail address, and an address without its scheme. */
function partsOf({ name, text }: Sent): readonly Sent[] {
  const parts = [text, text.split('@')[1] ?? '', text.replace(/^https?:\/\/(?:www\.)?/i, '')];
  return [...new Set(parts)].flatMap((part) => (part.trim() === '' ? [] : [{ name, text: part }]));
}

/** Whether a name holds what the thing is called: `name`, `legal_name`. */
export const isNaming = (name: string): boolean => /name$/i.test(name);

function sentBy(call: Call): readonly Sent[] {
  const parameters = Object.entries(call.parameters).filter(([name]) => !HOW.includes(name));
  const project = call.project === undefined ? [] : [{ name: 'project_id', text: call.project }];
  return [...parameters.flatMap(([name, value]) => sentIn(name, value ?? null)), ...project];
}

function sentIn(name: string, value: JsonValue): readonly Sent[] {
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => sentIn(name, each));
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
    return [{ name, text: String(value) }];
  return membersOf(value).flatMap(([inner, each]) => sentIn(inner, each));
}

/**
 * Whether two texts name one thing: in any letter case, and digits also in groups. Other signs tell one from another, as in
 * `jo.b@acme.example` and `job@acme.example`.
 */
export function areSame(one: string, other: string): boolean {
  if (one.trim().toLowerCase() === other.trim().toLowerCase()) return true;
  return GROUPED_DIGITS.test(one) && GROUPED_DIGITS.test(other) && areAlike(one, other);
}

const GROUPED_DIGITS = /^[\d\s]+$/;

/** Whether two texts are the same but for their signs. Most are told apart by their first characters, which takes no time. */
function areAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one.charAt(0).toLowerCase(), other.charAt(0).toLowerCase()];
  if (first !== second && /^[a-z0-9]{2}$/.test(first + second)) return false;
  const plain = plainName(one);
  return plain !== '' && plain === plainName(other);
}
