import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/call-key.ts';
import { isObject } from '../../core/objects.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Dialect, DialectOperation, Differences } from './dialect-schema.ts';

/**
 * How the requests of a dialect differ from the built-in ones. Another person may have written its file, so the user sees every entry
 * that sends something otherwise, and agrees to just these. What answers mean is no part of it.
 */

/** 128 bits: nobody can make two dialects with one hash, and show the harmless one. */
const HASH_DIGITS = 32;

/** @returns undefined when the dialect sends what the built-in one sends. */
export function differencesOf(dialect: Dialect, builtIn: Dialect): Differences | undefined {
  const now = new Map(textsIn(sentBy(dialect)));
  const before = new Map(textsIn(sentBy(builtIn)));
  // In one order, so that a file whose entries were moved about asks nobody again.
  const differing = [...new Set([...now.keys(), ...before.keys()])]
    .filter((name) => now.get(name) !== before.get(name))
    .sort();
  if (differing.length === 0) return undefined;
  const sent = differing.map((name) => [name, now.get(name) ?? null]);
  const text = canonicalJson(['rowonce-dialect-2', dialect.vendor, ...sent]);
  return {
    hash: hash('sha256', text, 'hex').slice(0, HASH_DIGITS),
    words: differing.map((name) => difference(name, now.get(name), before.get(name))),
  };
}

function difference(name: string, now: string | undefined, before: string | undefined): string {
  if (now === undefined) return `${whole(name)}: left out, built in is ${whole(before ?? '')}`;
  if (before === undefined) return `${whole(name)}: ${whole(now)}, which is not built in`;
  return `${whole(name)}: ${whole(now)} instead of ${whole(before)}`;
}

/** Nothing is cut: what a person does not see, they do not agree to. */
const whole = (text: string): string => foreignWords(text, Math.max(text.length, 1));

type Shape = Pick<DialectOperation, 'method' | 'path' | 'headers'> &
  Partial<Pick<DialectOperation, 'fields' | 'body' | 'paging'>>;

/** The entries that decide which requests are sent. The step of a service carries no headers. */
function sentBy(dialect: Dialect): unknown {
  const { through, operations, usage, balance, whoami, list_users, list_invites } = dialect;
  const request = (shape: Shape | undefined) =>
    shape && {
      ...{ method: shape.method, path: shape.path, body: shape.body },
      headers: through === undefined ? shape.headers : undefined,
      // A field that has its parameter's name is named by leaving it out as well.
      fields: Object.fromEntries(
        Object.entries(shape.fields ?? {}).filter(([name, field]) => name !== field),
      ),
      paging: shape.paging && { parameter: shape.paging.parameter, size: shape.paging.size },
    };
  const list = (shape: Dialect['list_users']) =>
    shape && { ...request(shape), next_page: { parameter: shape.next_page?.parameter } };
  const { headers, methods, request: members } = through?.envelope ?? dialect.api_call ?? {};
  return {
    headers: through === undefined ? dialect.headers : undefined,
    operations: Object.fromEntries(
      Object.entries(operations).map(([name, shape]) => [
        name,
        { ...request(shape), read_back: request(shape.read_back) },
      ]),
    ),
    idempotency: { header: dialect.idempotency?.header },
    ...{ usage: request(usage), balance: request(balance), whoami: request(whoami) },
    ...{ list_users: list(list_users), list_invites: list(list_invites) },
    permissions: dialect.permissions,
    api_call: { headers, methods, request: members },
  };
}

/** Every value with its path, as the file has it. */
function textsIn(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [[path.join('.'), value === null ? 'none' : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, [...path, name]));
}
