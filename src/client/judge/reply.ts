import { type Body, valueAt } from '../../core/answer-body.ts';
import type { StopDetail } from '../../core/errors.ts';
import type { JsonValue } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Reply } from '../../ledger/ledger.ts';
import type { AnswerRule, BodyTest, Dialect } from '../dialect.ts';
import { patternOf } from '../patterns.ts';
import { isFilled, type Leaf, leavesOf } from './names.ts';
import { type Vocabulary, vocabularyOf } from './words.ts';

/** A judged answer, its words, and the stop of a run when the answer concerns the whole account. */
export interface ParsedReply {
  readonly raw: Reply;
  readonly body: Body;
  /** Whether a service gave the answer before the vendor, so that it holds none of the vendor's. */
  readonly isOuter: boolean;
}

/**
 * The vendor's own explanation, made safe to show and shortened: `status 422, "abn must have 11 digits"`.
 * @param quotesAll whether an answer without a text is quoted as a whole.
 */
export function vendorWords({ raw, body }: ParsedReply, { words }: Dialect, quotesAll: boolean): string {
  const status = `status ${raw.status}`;
  if (body.kind === 'blank') return status;
  if (body.kind === 'unreadable')
    return body.why === undefined ? `${status}, "${foreignWords(body.text)}"` : `${status}, ${body.why}`;
  const shown = foreignWords(causeIn(body.value, vocabularyOf(words)));
  if (shown !== '') return `${status}, "${shown}"`;
  return quotesAll ? `${status}, ${foreignWords(JSON.stringify(body.value))}` : status;
}

/** Beside a text, these names say which field the text is about. */
const WHICH = /^(?:field|param|parameter|property|pointer|attribute|loc|location)$/;

/**
 * The first sentence by which an answer explains itself, in any shape, and not the label before it:
 * "Validation failed".
 */
function causeIn(value: JsonValue, vocabulary: Vocabulary): string {
  const leaves = leavesOf(value);
  const explaining = leaves.filter((leaf) => isFilled(leaf.value ?? null) && explains(leaf));
  const code = leaves.find(({ name, value: each }) => name.kind === 'machine' && typeof each === 'string');
  const cause = explaining.find((leaf) => !vocabulary.isLabel(String(leaf.value))) ?? explaining[0] ?? code;
  if (cause === undefined) return '';
  const text = String(cause.value);
  const at = cause.keys.join('.');
  const beside = leaves.findLast(({ name, keys }) => WHICH.test(name.plain) && keys.join('.').startsWith(at));
  const ofField = cause.name.kind === 'field' ? cause.name.raw : String(beside?.value ?? '');
  const field = ofField.split(/[/.]/).at(-1) ?? '';
  return cause.keys.length === 0 || text.toLowerCase().includes(field.toLowerCase())
    ? text
    : `${field}: ${text}`;
}

const EXPLAINS = /^(?:reason|info|cause)$/;

function explains({ name, under, value, key, keys }: Leaf): boolean {
  if (typeof value !== 'string' || WHICH.test(name.plain)) return false;
  const isNamed = ['prose', 'described', 'trouble'].includes(name.kind) || EXPLAINS.test(name.plain);
  return isNamed || (key === '' && keys.length === 0) || under.some(({ kind }) => kind === 'trouble');
}

/** The places where the user corrects a wrong key and a wrong address. */
function placesOf(through: Dialect['through'], isOuter: boolean): readonly [key: string, address: string] {
  if (through === undefined) return ['the account', "the account's base_url"];
  if (isOuter) return ['the service account', "the account's api_call_url"];
  const connected = `the connected account ${foreignWords(through.connectedAccount)} of the service`;
  return [connected, "the operation's path in the dialect"];
}

export function stopFor(
  means: 'key_dead' | 'credits_used_up' | 'wrong_address',
  words: string,
  { raw: { status, headers }, body, isOuter }: ParsedReply,
  { vendor, through }: Dialect,
): StopDetail {
  const again = 'run the same command again';
  const name = isOuter ? 'service' : vendor;
  const [keyPlace, addressPlace] = placesOf(through, isOuter);
  if (means === 'credits_used_up') {
    const message = `The ${name} says that the account's credits are used up: ${words}.`;
    return { code: 'vendor_credits', message, next: `Buy credits from the ${name}, then ${again}.` };
  }
  if (means === 'key_dead') {
    // A 403 may be about what the account may do, such as an API to which it is not subscribed.
    const look =
      status === 403 ? `Look at the ${name} what the account may do; if that is right, put` : 'Put';
    const next =
      body.kind === 'unreadable'
        ? 'If a proxy or a firewall parsed this, let this machine through it; ' +
          `otherwise put a working key into ${keyPlace}. Then ${again}.`
        : `${look} a working key into ${keyPlace}, then ${again}.`;
    return { code: 'key', message: `The ${name} refused the key: ${words}.`, next };
  }
  const code = 'address';
  // No vendor answers with this status: it comes from a proxy and is about the proxy.
  if (status === 407) {
    const message = `A proxy between this machine and the ${name} asks for a login: ${words}.`;
    return { code, message, next: `Let this machine through the proxy, or correct ${addressPlace}.` };
  }
  if (is3xx(status)) {
    const message = `The ${name} answered with a redirect to ${foreignWords(headers.location ?? 'nowhere')}: ${words}.`;
    const next = `Correct ${addressPlace}; redirects are not followed, because they could repeat a paid request.`;
    return { code, message, next };
  }
  const next =
    `Correct ${addressPlace}; if it is right, ` +
    "add a rule to the dialect's `answers` that says what this one means.";
  return { code, message: `The ${name} says that the address is wrong: ${words}.`, next };
}

// ------------------------------------------------------------------------------------ the rules of a dialect

/**
 * The first rule whose parts all hold.
 * @param fieldsAt the place of the fields: an answer with nothing there counts as empty.
 */
export function firstFitting<Rule extends Pick<AnswerRule, 'status' | 'body' | 'header'>>(
  rules: readonly Rule[],
  raw: Reply,
  body: Body,
  fieldsAt?: string,
): Rule | undefined {
  return rules.find(
    ({ status, header = {}, body: tests = [] }) =>
      status.some((each) => each === raw.status || each === `${Math.floor(raw.status / 100)}xx`) &&
      Object.entries(header).every(([name, pattern]) => patternOf(pattern).test(headerOf(raw, name) ?? '')) &&
      [tests].flat().every((test) => bodyMatches(test, body, fieldsAt)),
  );
}

/** Whether a body passes a test of the dialect. */
export function bodyMatches({ is, path, equals, matches }: BodyTest, body: Body, fieldsAt?: string): boolean {
  if (is === 'blank' || is === 'unreadable') return body.kind === is;
  if (is === 'readable' && !isReadable(body)) return false;
  const fits = (text: string): boolean => matches === undefined || patternOf(matches).test(text);
  if (body.kind !== 'json')
    return matches !== undefined && path === undefined && body.kind === 'unreadable' && fits(body.text);
  const value = path === undefined ? body.value : valueAt(body.value, path);
  // Where the place of the fields is missing, the whole body is tested, so that it does not count as empty.
  const fields = path === undefined && fieldsAt !== undefined ? valueAt(body.value, fieldsAt) : undefined;
  if (is === 'empty' && !isEmpty(fields === undefined ? value : fields)) return false;
  return (equals === undefined || value === equals) && fits(textOf(value));
}

/**
 * Only own members count, because the dialect chooses the name, and every object also has a `constructor`.
 */
export function headerOf({ headers }: Reply, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/**
 * Whether a body can be the vendor's own statement. All vendors speak JSON here, and a proxy between sends an
 * HTML page or nothing. A bare number such as `404` is plain text as well, so it does not count as JSON.
 */
export function isReadable(body: Body): boolean {
  if (body.kind !== 'json') return false;
  return typeof body.value === 'string' || (typeof body.value === 'object' && body.value !== null);
}

/**
 * Whether a value holds only blanks, zeros and booleans at any depth: `{"count":0,"results":[]}` is empty.
 */
function isEmpty(value: JsonValue | undefined): boolean {
  if (value === null || value === undefined || typeof value === 'boolean') return true;
  if (typeof value === 'object') return Object.values(value).every(isEmpty);
  return value === 0 || value === '';
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const isOf = (hundreds: number) => (status: number) => Math.floor(status / 100) === hundreds;
export const is2xx = isOf(2);
export const is3xx = isOf(3);
export const is4xx = isOf(4);
