import { hash } from 'node:crypto';
import { describedCall } from './described.ts';
import { subjectText } from './membership.ts';
import { isObject } from './objects.ts';
import type { Call, JsonValue } from './operation.ts';

declare const keyBrand: unique symbol;

/** The identity of a call, 64 hex digits. Equal calls are bought once. */
export type CallKey = string & { readonly [keyBrand]: 'CallKey' };

/**
 * SHA-256 over the account's identity, the logical operation, the project, the canonical parameters and
 * `after`. For a change also over its subject, because `after` counts the changes of one subject. A person
 * who was known by a user id alone and is now known by e-mail is counted from the start. The format is frozen
 * (`test/core/call-key.test.ts`): changing a byte of it would buy every row of every user again.
 */
export function callKeyOf(accountIdentity: string, call: Call): CallKey {
  return keyOfAsked(accountIdentity, askedText(call));
}

/** What a call asks, for any account: equal calls have equal texts. */
export function askedText({ operation, project, parameters, after, change }: Call): string {
  const known = canonicalJson(inOneCase(operation, asKnown(parameters)));
  const callText = `${JSON.stringify(operation)},${jsonOrNull(project)},${known},${jsonOrNull(after)}`;
  return change === undefined ? callText : `${callText},${JSON.stringify(subjectText(change.subject))}`;
}

/**
 * The one form in which a person's profile URL is normalised, for the one network whose slugs are an input as
 * well.
 */
const PROFILE = /^https:\/\/www\.linkedin\.com\/in\/(?<slug>[^/?#]+)$/;

/** Replaces a profile by its slug, whether it came as a URL or as a slug. */
function asKnown(parameters: Call['parameters']): Call['parameters'] {
  const { profile_url: url } = parameters;
  const encoded = typeof url === 'string' ? PROFILE.exec(url)?.groups?.slug : undefined;
  if (encoded === undefined) return parameters;
  const { profile_url: _, ...others } = parameters;
  const slug = PLAIN_SLUG.test(encoded) ? encoded : decodedSlug(encoded);
  // When a call has two different profiles, neither may replace the other.
  return (others.profile_slug ?? slug) === slug ? { ...others, profile_slug: slug } : parameters;
}

/** Nearly all are such. */
const PLAIN_SLUG = /^[\w-]+$/;

const decodedSlug = (encoded: string): string =>
  new URLSearchParams(`slug=${encoded.replaceAll('+', '%2B')}`).get('slug') ?? encoded;

/** A name in capitals is the same question: one list has capitals, and next month's does not. */
function inOneCase(operation: string, parameters: Call['parameters']): Call['parameters'] {
  const names = describedCall(operation).folded;
  if (!names.some((name) => name in parameters)) return parameters;
  const members = Object.entries(parameters).map(([name, value]) => [
    name,
    names.includes(name) && typeof value === 'string' ? value.toLowerCase() : value,
  ]);
  return Object.fromEntries(members);
}

/** @param callText the result of `askedText`. The whole text that is hashed is one JSON list. */
export function keyOfAsked(accountIdentity: string, callText: string): CallKey {
  const text = `["rowonce-call-1",${JSON.stringify(accountIdentity)},${callText}]`;
  return hash('sha256', text, 'hex') as CallKey;
}

function jsonOrNull(value: string | number | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

/**
 * JSON with the names of every object in code-unit order and no white space: equal values give equal text.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value);
  if (names.length > 1) names.sort();
  // A single text has no order, and most calls send nothing else: this takes half the time.
  else if (typeof value[names[0] ?? ''] === 'string') return JSON.stringify(value);
  let members = '';
  for (const name of names) {
    if (members !== '') members += ',';
    members += `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`;
  }
  return `{${members}}`;
}
