import type { Call, JsonValue } from '../../core/operation.ts';
import { type Dialect, type DialectOperation, dialectOperationOf } from '../dialect.ts';
import { membersOf, nameOf, plainName } from './names.ts';
import { type Vocabulary, vocabularyOf } from './words.ts';

/** A value that was sent, and is not blank. */
export interface Sent {
  readonly name: string;
  readonly text: string;
}

/** A call that sends more values than these is about many things, and no answer repeats them one by one. */
const MOST_SENT = 200;

/** A question as far as it helps to read the answer to it. */
export class Question {
  readonly dialect: Dialect;
  readonly operation: DialectOperation;
  /** Undefined for a free question, and for one that a service answered in front of the vendor. */
  readonly call: Call | undefined;
  readonly vocabulary: Vocabulary;
  readonly sent: readonly Sent[];
  /** By the plain names that we and the vendor have for it. */
  readonly names: ReadonlyMap<string, Sent>;
  /** A question of one's own: what it asks about may have a status, a message and a text that says no itself. */
  readonly isOwn: boolean;
  /** The e-mail address of the person whom a change is about, where it is known. */
  readonly email: string | undefined;
  #known: ReadonlySet<string> | undefined;
  #longestFirst: readonly Sent[] | undefined;

  constructor(
    dialect: Dialect,
    call: Call | undefined,
    operation = call && dialectOperationOf(dialect, call),
  ) {
    this.dialect = dialect;
    this.operation = operation as DialectOperation;
    this.call = call;
    this.vocabulary = vocabularyOf(dialect.words);
    this.sent = call === undefined ? [] : sentBy(call).slice(0, MOST_SENT);
    const fields = new Map(Object.entries(this.operation.fields ?? {}));
    this.names = new Map(
      this.sent.flatMap((each) =>
        [each.name, fields.get(each.name)?.split('.').at(-1) ?? each.name].map(
          (name) => [nameOf(name).plain, each] as const,
        ),
      ),
    );
    this.isOwn = call?.operation === 'api-call';
    const { leaves, subject } = call?.change ?? {};
    this.email = [leaves?.email, subject?.name].find((name) => name?.includes('@'));
  }

  /**
   * Whether a value of an answer says nothing but what was asked, also as a part of an e-mail address: `mia` or `acme.example`. What the
   * thing is called is news, unless it was asked for by a name.
   */
  repeats(value: string | number, name = ''): boolean {
    const plain = plainName(String(value));
    if (isNaming(name))
      return this.sent.some((each) => isNaming(each.name) && plainName(each.text) === plain);
    this.#known ??= new Set(this.sent.flatMap(({ text }) => [text, ...partsOfEmail(text)]).map(plainName));
    return this.#known.has(plain);
  }

  /** Whether a value is one that was sent, or the person whom it is about: no other that is only spelled alike. */
  includes(value: JsonValue): boolean {
    const text = String(value).trim().toLowerCase();
    const ours = [...this.sent.map((each) => each.text), this.email ?? ''];
    return text !== '' && ours.some((each) => each.trim().toLowerCase() === text);
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

/** Whether a name holds what the thing is called: `name`, `legal_name`. */
const isNaming = (name: string): boolean => /name$/i.test(name);

function partsOfEmail(text: string): readonly string[] {
  const [local = '', domain] = text.split('@');
  return domain === undefined ? [] : [domain, ...local.split(/[._+-]/)];
}

/** A value, and what of it answers repeat: the domain of an e-mail address, and an address without its scheme. */
function partsOf({ name, text }: Sent): readonly Sent[] {
  const parts = [text, text.split('@')[1] ?? '', text.replace(/^https?:\/\/(?:www\.)?/i, '')];
  return [...new Set(parts)].flatMap((part) => (part.trim() === '' ? [] : [{ name, text: part }]));
}

/** A method and a path are how it was asked, and not what. */
function sentBy(call: Call): readonly Sent[] {
  const { method, endpoint, ...sent } = call.parameters;
  return sentIn('', { ...sent, ...(call.project === undefined ? {} : { project_id: call.project }) });
}

function sentIn(name: string, value: JsonValue): readonly Sent[] {
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => sentIn(name, each));
  if (typeof value === 'number' || (typeof value === 'string' && value.trim() !== ''))
    return [{ name, text: String(value) }];
  return membersOf(value).flatMap(([inner, each]) => sentIn(inner, each));
}
