import { domainToASCII } from 'node:url';
import { isObject } from '../../core/objects.ts';
import type { Call, JsonObject, JsonValue } from '../../core/operation.ts';
import type { Dialect } from '../dialect.ts';
import type { Asked, Sent } from './asked.ts';
import { placesIn } from './holding.ts';
import { nameOf } from './names.ts';

/** Whether the record in an answer to a lookup is the one that was asked for, by the identifiers that it shows. */

interface Identifier {
  readonly label: string;
  /** What is compared; undefined for a text that is no such identifier. */
  read(text: string): string | undefined;
  /** Other texts that show the same: `jo@acme.example` shows `acme.example`. */
  isShownBy(text: string, wanted: string): boolean;
}

const ABN_DIGITS = /^\d{11}$/;

const HOST =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@\s]*@)?(?:www\.)?([^/:?#@\s]+\.[^/:?#@\s.]+)\.?(?:[/:?#]|$)/i;

/** A host name has 253 characters; the rest of an address says nothing of it, and a long text takes long. */
const MOST_OF_ADDRESS = 400;

function hostIn(text: string): string | undefined {
  const host = HOST.exec(text.trim().slice(0, MOST_OF_ADDRESS))?.[1]?.toLowerCase();
  return host !== undefined && /[^\p{ASCII}]/u.test(host) ? domainToASCII(host) : host;
}

/** A host below the other one is its company's as well. */
function isWithin(host: string, other: string): boolean {
  return host === other || host.endsWith(`.${other}`) || other.endsWith(`.${host}`);
}

const SITE: Omit<Identifier, 'label'> = {
  read: hostIn,
  isShownBy: (text, wanted) => text.split(/[\s,;<>"']+/).some((each) => isWithin(hostIn(each) ?? '', wanted)),
};

/** By our names of what was sent. Slugs and addresses of profiles have too many spellings to be held against each other. */
const IDENTIFIERS: Readonly<Record<string, Identifier>> = {
  abn: {
    label: 'ABN',
    read: (text) => onlyDigits(text),
    isShownBy: (text, wanted) => text.replaceAll(/[^\d]/g, '').includes(wanted),
  },
  email: {
    label: 'e-mail address',
    read: (text) => (/^\S+@\S+$/.test(text.trim()) ? text.trim().toLowerCase() : undefined),
    isShownBy: (text, wanted) =>
      text
        .toLowerCase()
        .split(/[\s,;<>"']+/)
        .includes(wanted),
  },
  domain: { label: 'domain', ...SITE },
  website: { label: 'website', ...SITE },
};

function onlyDigits(text: string): string | undefined {
  const digits = text.replaceAll(/[\s.-]/g, '');
  return ABN_DIGITS.test(digits) ? digits : undefined;
}

/** Deeper than that no record shows what it is. */
const DEEPEST = 6;

/**
 * An identifier of the kind that was asked by, which is another one, such as `the domain acme.example`. Where any value of the record
 * shows one that was asked by, it is the record: many have several addresses. It is a match all the same: companies and people are
 * renamed and merged, and who was found is the vendor's to say.
 */
export function otherIn(
  body: JsonValue,
  { fields_at: fields }: Pick<Dialect, 'fields_at'>,
  asked: Asked,
): string | undefined {
  if (!mayBeOther(body, asked)) return undefined;
  const record = oneRecordIn(placesIn(body, fields));
  const found = record === undefined ? [] : shownIn(record, asked);
  const [first] = found;
  if (record === undefined || first === undefined || found.some(({ isSame }) => isSame)) return undefined;
  if (asked.sent.some((sent) => isShownAnywhere(record, sent, DEEPEST))) return undefined;
  return `the ${first.label} ${first.text}`;
}

/** The identifiers of a call by which a record can be told from another one, each as a call of its own. */
export function identifiedCalls(call: Call): readonly Call[] {
  return Object.keys(call.parameters).flatMap((name) => {
    const value = Object.hasOwn(IDENTIFIERS, name) ? call.parameters[name] : undefined;
    if (value === undefined) return [];
    const { sent: _, ...rest } = call;
    return { ...rest, parameters: { [name]: value } };
  });
}

/** Nearly every answer repeats what was asked, by the same name and to the letter, which is seen soonest. */
function mayBeOther(body: JsonValue, asked: Asked): boolean {
  let isIdentified = false;
  for (const sent of asked.sent) {
    if (!Object.hasOwn(IDENTIFIERS, sent.name)) continue;
    if (isObject(body) && body[sent.name] === sent.text) return false;
    isIdentified = true;
  }
  return isIdentified;
}

/** A list of several is about no single one. What is alone in an object is wrapped in it: `{"company":{…}}`. */
function oneRecordIn(places: readonly JsonValue[]): JsonObject | undefined {
  const [record, ...more] = places.flatMap((each) => (Array.isArray(each) ? (each as JsonValue[]) : [each]));
  if (more.length > 0 || !isObject(record)) return undefined;
  const [inner, ...others] = Object.values(record);
  return (others.length === 0 && isObject(inner) ? inner : record) as JsonObject;
}

interface Shown {
  readonly label: string;
  readonly text: string;
  readonly isSame: boolean;
}

function shownIn(record: JsonObject, asked: Asked): readonly Shown[] {
  return Object.keys(record).flatMap((name) => {
    const sent = asked.names.get(nameOf(name).plain);
    const value = record[name];
    const identifier = sent && identifierOf(sent);
    const text = typeof value === 'number' ? String(value) : value;
    if (sent === undefined || identifier === undefined || typeof text !== 'string') return [];
    const [wanted, shown] = [identifier.read(sent.text), identifier.read(text)];
    if (wanted === undefined || shown === undefined) return [];
    const isSame = shown === wanted || identifier.isShownBy(text, wanted);
    return [{ label: identifier.label, text: text.trim(), isSame }];
  });
}

function identifierOf({ name }: Sent): Identifier | undefined {
  return Object.hasOwn(IDENTIFIERS, name) ? IDENTIFIERS[name] : undefined;
}

function isShownAnywhere(value: JsonValue, sent: Sent, deepest: number): boolean {
  if (value !== null && typeof value === 'object')
    return (
      deepest > 0 &&
      Object.values(value).some((each) => isShownAnywhere(each as JsonValue, sent, deepest - 1))
    );
  const identifier = identifierOf(sent);
  const wanted = identifier?.read(sent.text);
  return wanted !== undefined && identifier?.isShownBy(String(value ?? ''), wanted) === true;
}
