import { isObject } from '../../core/objects.ts';
import { type Call, type JsonValue, sentParameters } from '../../core/operation.ts';
import type { DialectOperation } from '../dialect.ts';
import { nameOf } from './names.ts';
import { areAlike, areSame } from './plain.ts';

/** A value that was sent, and is not blank. */
export interface Sent {
  readonly name: string;
  readonly text: string;
}

/** A single word, such as an id: a vendor that shows another one means something else. */
export function isWord({ text }: Sent): boolean {
  return !/\s/.test(text.trim());
}

/** What a call asked with, as far as it helps to read the answer to it. It is found out when it is first needed. */
export class Asked {
  readonly #call: Call | undefined;
  readonly #fields: Readonly<Record<string, string | null>>;
  #sent: readonly Sent[] | undefined;
  #names: ReadonlyMap<string, Sent> | undefined;
  #parts: ReadonlySet<string> | undefined;

  /** @param call undefined for a free question. */
  constructor(call: Call | undefined, { fields = {} }: Pick<DialectOperation, 'fields'>) {
    this.#call = call;
    this.#fields = fields;
  }

  get sent(): readonly Sent[] {
    this.#sent ??= this.#call === undefined ? [] : sentBy(this.#call).slice(0, MOST_SENT);
    return this.#sent;
  }

  /** By the plain names that we and the vendor have for it. */
  get names(): ReadonlyMap<string, Sent> {
    this.#names ??= namesOf(this.sent, this.#fields);
    return this.#names;
  }

  /** Whether a value of an answer repeats what was asked. What the thing is called is news, unless it was asked for by a name. */
  repeats(value: string | number, name = ''): boolean {
    const text = String(value);
    return this.sent.some((each) => areAlike(each.text, text) && (!isNaming(name) || isNaming(each.name)));
  }

  /** Whether it is a part of an e-mail address that was sent: `mia`, `tran` or `acme.com.au`. */
  isInAddress(value: string | number): boolean {
    return this.#inAddresses.has(String(value).trim().toLowerCase());
  }

  get #inAddresses(): ReadonlySet<string> {
    this.#parts ??= new Set(
      this.sent.flatMap(({ text }) => {
        const [local = '', domain] = text.toLowerCase().split('@');
        return domain === undefined
          ? []
          : [domain, ...local.split(/[._+-]/).filter((part) => part.length > 1)];
      }),
    );
    return this.#parts;
  }

  /** Whether it is a question of one's own: what it asks about may have a status, a message and a text that says no itself. */
  get isOwn(): boolean {
    return this.#call?.operation === 'api-call';
  }

  /** The e-mail address of the person whom a change is about, where it is known. */
  get email(): string | undefined {
    const { leaves, subject } = this.#call?.change ?? {};
    return [leaves?.email, subject?.name].find((name) => name?.includes('@'));
  }

  /** Whether a value of an answer is one that was sent, or the person whom it is about: no other that is only spelled alike. */
  includes(value: string | number): boolean {
    const { email } = this;
    const is = (text: string): boolean => areSame(text, String(value));
    return this.sent.some(({ text }) => is(text)) || (email !== undefined && is(email));
  }
}

/** A call that sends more values than these is about many things, and no answer repeats them one by one. */
const MOST_SENT = 200;

/** Whether a name holds what the thing is called: `name`, `legal_name`. */
export const isNaming = (name: string): boolean => /name$/i.test(name);

/** A method and a path are how it was asked, and not what. */
const HOW: ReadonlySet<string> = new Set(['method', 'endpoint']);

function sentBy(call: Call): readonly Sent[] {
  const sent: Sent[] = [];
  const parameters = sentParameters(call);
  for (const name of Object.keys(parameters))
    if (!HOW.has(name)) addSent(sent, name, parameters[name] ?? null);
  if (call.project !== undefined) addSent(sent, 'project_id', call.project);
  return sent;
}

function addSent(sent: Sent[], name: string, value: JsonValue): void {
  if (Array.isArray(value)) for (const each of value) addSent(sent, name, each);
  else if (isObject(value))
    for (const [inner, each] of Object.entries(value)) addSent(sent, inner, each as JsonValue);
  else if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')) {
    sent.push({ name, text: String(value) });
  }
}

function namesOf(
  sent: readonly Sent[],
  fields: Readonly<Record<string, string | null>>,
): ReadonlyMap<string, Sent> {
  const names = new Map<string, Sent>();
  for (const each of sent) {
    const field = Object.hasOwn(fields, each.name) ? fields[each.name] : undefined;
    names.set(nameOf(each.name).plain, each);
    if (typeof field === 'string') names.set(nameOf(field.slice(field.lastIndexOf('.') + 1)).plain, each);
  }
  return names;
}

/** A text without the values that were sent, which may be anybody's name: "no results for Rate Limit Ltd". @param instead stands in their place. */
export function withoutValues(text: string, { sent }: Asked, instead = ' '): string {
  const longestFirst = sent.toSorted((one, other) => other.text.length - one.text.length);
  return longestFirst.reduce((rest, { text: value }) => {
    const words = value.trim().split(/\s+/u);
    // To make a pattern takes longer than all else, and few texts repeat a value.
    if (!rest.toLowerCase().includes((words[0] ?? '').toLowerCase())) return rest;
    const pattern = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
    return rest.replaceAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'giu'), instead);
  }, text);
}
