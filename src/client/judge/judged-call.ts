import { describedCall } from '../../core/described.ts';
import type { Call, JsonValue } from '../../core/operation.ts';
import { type Dialect, type DialectOperation, dialectOperationOf } from '../dialect.ts';
import { plainName } from './names.ts';
import { type Vocabulary, vocabularyOf } from './words.ts';

/** A value that was sent, and is not blank. */
type SentValue = Readonly<Record<'name' | 'text', string>>;

/** A call that sends more values than this is about many things, and no answer repeats them one by one. */
const MOST_SENT = 200;

/** The parts of what was asked that help to read the answer. */
export class JudgedCall {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  /** Undefined for a free request, and where a service answered before the vendor. */
  readonly call: Call | undefined;
  /**
   * Whether the call is an api-call of the job. Its subject may have a status, a message and a text of
   * its own that says no.
   */
  readonly isOwn: boolean;
  /** The e-mail address of the person whom a change is about, where it is known. */
  readonly email: string | undefined;
  readonly #sent: readonly SentValue[];
  #known: readonly string[] | undefined;

  constructor(
    dialect: Dialect,
    call: Call | undefined,
    operation = call && dialectOperationOf(dialect, call),
  ) {
    this.dialect = dialect;
    this.operation = operation as DialectOperation;
    this.call = call;
    this.isOwn = call !== undefined && describedCall(call.operation).gives === 'any';
    this.email = call?.change && emailOf(call.change);
    // The longest value comes first, because the others may be parts of it.
    this.#sent = sentBy(call).sort((one, other) => other.text.length - one.text.length);
  }

  /** It takes milliseconds to make, and most answers with data are read without it. */
  get vocabulary(): Vocabulary {
    return vocabularyOf(this.dialect.words);
  }

  /** Whether we or the vendor have that plain name for a value that was sent. */
  hasSent(plain: string): boolean {
    const vendors = (name: string): string => this.operation.fields?.[name]?.split('.').at(-1) ?? name;
    return this.#sent.some(({ name }) => [name, vendors(name)].map(plainName).includes(plain));
  }

  /**
   * Whether a value of an answer only repeats a value that was sent, also as a part of an e-mail address. The
   * name of a thing is news, unless a name was sent.
   */
  repeats(value: string | number, name = ''): boolean {
    this.#known ??= plainlySent(this.#sent);
    if (!this.#known.includes(plainName(String(value)))) return false;
    return !/name$/i.test(name) || this.#sent.some((each) => /name$/i.test(each.name));
  }

  /**
   * Whether a value was sent, or is the person of the call. A value that is only spelled alike does not
   * count.
   */
  includes(value: JsonValue): boolean {
    const text = String(value).trim().toLowerCase();
    const ours = [...this.#sent.map((each) => each.text), this.email ?? ''];
    return text !== '' && ours.some((each) => each.trim().toLowerCase() === text);
  }

  /**
   * A text without the values that were sent, which may contain any words: "no results for Rate Limit Ltd".
   * @param instead returns the text in place of a value.
   */
  without(text: string, instead: (sent: SentValue) => string = () => ' '): string {
    return this.#sent.reduce((rest, sent) => {
      const value = sent.text.trim();
      const parts = [value, value.replace(/^https?:\/\/(?:www\.)?/i, ''), value.split('@')[1] ?? value];
      // Making a pattern takes longer than everything else, and few texts repeat a value.
      const repeated = parts.find((part) => rest.toLowerCase().includes(part.toLowerCase()));
      if (repeated === undefined) return rest;
      const pattern = repeated.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'giu');
      return rest.replaceAll(whole, instead(sent));
    }, text);
  }
}

/** The values that were sent, the parts of an e-mail address and both orders of a name, spelled alike. */
function plainlySent(sent: readonly SentValue[]): readonly string[] {
  const plain = sent.map(({ text }) => plainName(text));
  for (const { text } of sent) {
    if (!text.includes('@')) continue;
    const [local = '', domain = ''] = text.split('@');
    plain.push(...[domain, ...local.split(/[._+-]/)].map(plainName));
  }
  const first = sent.find(({ name }) => name === 'first_name')?.text;
  const last = sent.find(({ name }) => name === 'last_name')?.text;
  if (first !== undefined && last !== undefined) plain.push(plainName(first + last), plainName(last + first));
  return plain;
}

const emailOf = ({ leaves, subject }: NonNullable<Call['change']>): string | undefined =>
  [leaves.email, subject.name].find((name) => name?.includes('@'));

/** The values of a call. A method and a path say how it asks, and not for which values. */
function sentBy(call: Call | undefined): SentValue[] {
  const sent: SentValue[] = [];
  for (const name in call?.parameters)
    if (name !== 'method' && name !== 'endpoint') addSent(sent, name, call.parameters[name] ?? null);
  addSent(sent, 'project_id', call?.project ?? null);
  return sent;
}

function addSent(sent: SentValue[], name: string, value: JsonValue): void {
  if (sent.length === MOST_SENT || value === null) return;
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
    sent.push({ name, text: String(value) });
  else if (Array.isArray(value)) for (const each of value) addSent(sent, name, each);
  else if (typeof value === 'object')
    for (const [inner, each] of Object.entries(value)) addSent(sent, inner, each);
}
