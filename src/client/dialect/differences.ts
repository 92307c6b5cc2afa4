import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/call-key.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Dialect, Differences } from './dialect-schema.ts';

/**
 * How the requests of a dialect differ from the built-in ones. Another person may have written its file, so the user sees
 * every method, path, header and field that is sent otherwise, and agrees to just these: what a value is taken for goes by
 * the name of its field. What answers mean is no part of it.
 */

/** 128 bits: nobody can make two dialects with one hash, and show the harmless one. */
const HASH_DIGITS = 32;

/** @returns undefined when the dialect sends what the built-in one sends. */
export function differencesOf(dialect: Dialect, builtIn: Dialect): Differences | undefined {
  const now = sentBy(dialect, builtIn);
  const before = sentBy(builtIn, dialect);
  // In one order, so that a file whose entries were moved about asks nobody again.
  const differing = [...new Set([...now.keys(), ...before.keys()])]
    .filter((what) => now.get(what) !== before.get(what))
    .sort();
  if (differing.length === 0) return undefined;
  const sent = differing.map((what) => [what, now.get(what) ?? null] as const);
  const words = differing.map((what) => difference(what, now.get(what), before.get(what)));
  const text = canonicalJson(['rowonce-dialect-1', dialect.vendor, ...sent.map((each) => [...each])]);
  return { hash: hash('sha256', text, 'hex').slice(0, HASH_DIGITS), words };
}

function difference(what: string, now: string | undefined, before: string | undefined): string {
  if (now === undefined) return `${whole(what)}: left out, built in is ${whole(before ?? '')}`;
  if (before === undefined) return `${whole(what)}: ${whole(now)}, which is not built in`;
  return `${whole(what)}: ${whole(now)} instead of ${whole(before)}`;
}

/** Nothing is cut: what a person does not see, they do not agree to. */
function whole(text: string): string {
  return foreignWords(text, Math.max(text.length, 1));
}

type Sent = [what: string, text: string];

/**
 * Everything that decides which requests are sent, by words that name it to a user.
 * @param other the dialect beside it: a field that only one of them names has its own name in the other.
 */
function sentBy(dialect: Dialect, other: Dialect): ReadonlyMap<string, string> {
  const { through, operations, usage, balance, whoami, list_users, list_invites, idempotency, permissions } =
    dialect;
  const free = Object.entries({ usage, balance, whoami, list_users, list_invites });
  const requests = [
    ...Object.entries(operations).flatMap(([name, entry]) => [
      ...requestOf(name, entry),
      ...fieldsOf(name, entry, other.operations[name]),
      ...pagesOf(name, entry.paging),
      ...requestOf(`read_back of ${name}`, entry.read_back),
      ...fieldsOf(`read_back of ${name}`, entry.read_back, other.operations[name]?.read_back),
      ...(entry.redirect === undefined ? [] : [[`redirect of ${name}`, 'followed on the same host'] as Sent]),
    ]),
    ...free.flatMap(([name, entry]) => requestOf(name, entry)),
    ...pagesOf('list_users', list_users?.next_page),
    ...pagesOf('list_invites', list_invites?.next_page),
  ];
  const envelope = through?.envelope ?? dialect.api_call;
  const direct = [...headersOf('every request', dialect.headers), ...requests];
  return new Map<string, string>([
    // The step of a service carries no headers.
    ...(through === undefined ? direct : direct.filter(([what]) => !what.startsWith(HEADER))),
    ...(idempotency === undefined ? [] : [['idempotency key in the header', idempotency.header] as Sent]),
    ...Object.entries(permissions ?? {}).map(([role, text]): Sent => [`${role} in permissions`, text]),
    ...headersOf('api_call', envelope?.headers),
    ...Object.entries(envelope?.request ?? {}).map(
      ([part, name]): Sent => [`member for the ${part} in api_call`, `"${name}"`],
    ),
    ...(envelope?.methods === undefined
      ? []
      : [['methods of api_call', envelope.methods.join(', ')] as Sent]),
  ]);
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function requestOf(name: string, entry: Request | undefined): readonly Sent[] {
  if (entry === undefined) return [];
  return [[name, `${entry.method} ${entry.path}`], ...headersOf(name, entry.headers)];
}

interface Fields {
  readonly fields?: Readonly<Record<string, string | null>> | undefined;
}

function fieldsOf(name: string, entry: Fields | undefined, other: Fields | undefined): readonly Sent[] {
  if (entry === undefined) return [];
  const parameters = new Set([...Object.keys(entry.fields ?? {}), ...Object.keys(other?.fields ?? {})]);
  return [...parameters].map((parameter) => {
    const field = entry.fields?.[parameter] === undefined ? parameter : entry.fields[parameter];
    return [`field of ${parameter} in ${name}`, field === null ? 'none' : `"${field}"`];
  });
}

interface Pages {
  readonly parameter: string;
  readonly size?: { readonly parameter: string; readonly results: number } | undefined;
}

function pagesOf(name: string, pages: Pages | undefined): readonly Sent[] {
  if (pages === undefined) return [];
  const { parameter, size } = pages;
  return [
    [`field for the next page of ${name}`, `"${parameter}"`],
    ...(size === undefined
      ? []
      : [[`field for the size of a page of ${name}`, `"${size.parameter}" with ${size.results}`] as Sent]),
  ];
}

const HEADER = 'header ';

function headersOf(name: string, headers: Request['headers'] = {}): readonly Sent[] {
  return Object.entries(headers).map(([header, text]) => [`${HEADER}${header} of ${name}`, `"${text}"`]);
}
