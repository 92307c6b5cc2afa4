import { hasCondition, wordsOfPlace } from '../core/answer-path.ts';
import { type VerdictWords, verdictIn } from '../core/given.ts';
import type { JsonValue } from '../core/operation.ts';
import { holdsNothing } from './blank.ts';
import { email } from './email.ts';
import { phone } from './phone.ts';
import { isUsable } from './reading.ts';
import { EMAIL_LIKE, readAddress } from './web-address.ts';

/**
 * What stands in an answer in the place of a value that we have a name for. Vendors put a word there for an
 * address that they do not show, such as "Upgrade to view", a mask, or `true`, and charge for it.
 */
export type Found =
  /** `value`: what is written into a cell. */
  | { readonly kind: 'found'; readonly value: JsonValue }
  /** The place is there, with nothing in it, or a word for that. */
  | { readonly kind: 'blank' }
  /** Something else than the name says stands there. */
  | { readonly kind: 'other'; readonly value: JsonValue };

/** @param name ours, under `gives` of a dialect. It says the kind of the value. */
export type Named = { readonly name: string; readonly verdicts?: VerdictWords | undefined };

/**
 * The first of the values that is of its kind. A list among them is looked through.
 * @param values those at the place; there may be several. @returns undefined where there is none.
 */
export function foundAmong(values: readonly JsonValue[], named: Named): Found | undefined {
  const isOf = KINDS[named.name];
  const all = isOf === undefined ? values : values.flatMap((value) => membersOf(value));
  const read = all.map((value) => foundIn(value, named));
  const first = read.find(({ kind }) => kind === 'found') ?? read.find(({ kind }) => kind === 'other');
  return first ?? (values.length === 0 ? undefined : NOTHING);
}

const NOTHING: Found = { kind: 'blank' };

const membersOf = (value: JsonValue): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [value];

function foundIn(value: JsonValue, { name, verdicts }: Named): Found {
  if (name === 'verdict') return verdictOf(value, verdicts);
  if (holdsNothing(value)) return NOTHING;
  const isOf = KINDS[name];
  if (typeof value === 'object') return { kind: isOf === undefined ? 'found' : 'other', value };
  const text = String(value).trim();
  const isRight = isOf === undefined ? value !== true && !isMask(text) : isOf(text);
  if (!isRight) return { kind: 'other', value };
  return { kind: 'found', value: isOf !== undefined && typeof value === 'string' ? text : value };
}

/** A verdict is found by the words of the vendor; `false` may be one. */
function verdictOf(value: JsonValue, words: VerdictWords = {}): Found {
  if (value !== null && typeof value !== 'object') {
    const verdict = verdictIn(value, words);
    if (verdict !== undefined) return { kind: 'found', value: verdict };
  }
  return holdsNothing(value) ? NOTHING : { kind: 'other', value };
}

const isEmail = (text: string): boolean => {
  const read = email.read(text);
  // What was bought is kept, also where a list of what domains end in does not have it yet.
  return (
    read.kind === 'usable' ||
    (read.kind === 'unusable' && (read.code === 'non_ascii_host' || read.code === 'unknown_tld'))
  );
};

const isPhone = (text: string): boolean => isUsable(phone.read(text));

/** The vendor has to know the owner of the page: a platform may be the only website that a company has. */
const isPage = (text: string): boolean => !EMAIL_LIKE.test(text) && 'url' in readAddress(text);

const hasDigit = (text: string): boolean => /\p{N}/u.test(text);

/** The names whose values have a form. Of any other, every text is one. */
const KINDS: Readonly<Record<string, ((text: string) => boolean) | undefined>> = {
  email: isEmail,
  phone: isPhone,
  website: isPage,
  domain: isPage,
  profile_url: isPage,
  abn: hasDigit,
  number: hasDigit,
  verdict: () => true,
};

/**
 * A member so called is what its list says that it is; one called `status` or `score` is something about it.
 */
const VALUE_NAMES: readonly string[] = ['value', 'address', 'contact', 'text', 'data'];

/**
 * The name of the kind that a place in a list says: `email` for `contacts[type=email].value` and
 * `contacts[type=work].email`. Undefined where the place says none.
 */
export function kindNamedIn(path: string): string | undefined {
  if (!hasCondition(path)) return undefined;
  const { conditions, last } = wordsOfPlace(path);
  const isKind = (word: string): boolean => word !== 'verdict' && Object.hasOwn(KINDS, word);
  if (isKind(last)) return last;
  return VALUE_NAMES.includes(last.toLowerCase()) ? conditions.find(isKind) : undefined;
}

/** `****`, `••••`: no one writes a name or a place without a letter or a digit. */
const isMask = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text);
