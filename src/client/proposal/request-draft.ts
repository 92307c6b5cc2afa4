import { stop } from '../../core/errors.ts';
import { isObject } from '../../core/objects.ts';
import type { JsonObject, JsonValue, Method } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import { isCurl } from '../../lib/command-line.ts';
import { type CurlRequest, requestInCurl } from './curl.ts';
import { byOf, inputIn, mayBeSubject, operationIn, type Subject, takenBy } from './inputs.ts';
import { isPlaceholder, type Secret, secretsIn } from './secrets.ts';

/**
 * What a line of curl says of a dialect: which of its parts are the person or the company, which is the key,
 * and what always stands beside them.
 */
export interface RequestDraft {
  readonly origin: string;
  readonly operation: string;
  readonly entry: EntryDraft;
  /** Headers of the dialect; `null` takes the built-in one away. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** What stood in the line in the place of the key, where that may be one. */
  readonly key: string | undefined;
  /** The name and the password of `Basic`; undefined: it has none. */
  readonly auth: { readonly basic: readonly string[] } | undefined;
  /** Further secrets by the names of their slots, with what stood in the line where that may be one. */
  readonly slots: Readonly<Record<string, string | undefined>>;
  /** Whom the line asks for, by our inputs. */
  readonly given: Readonly<Record<string, string>>;
  /** The inputs that the line only shows the place of, such as `<email>`. */
  readonly missing: readonly string[];
  /** The vendor's names for what the line has and the dialect does not send. */
  readonly remainingNames: readonly string[];
  /** What is sent for every row although a person or company may stand there. */
  readonly notes: readonly string[];
}

interface EntryDraft {
  readonly method: Method;
  readonly path: string;
  readonly by: readonly string[];
  readonly fields: Readonly<Record<string, string | null>>;
  readonly body: JsonObject;
}

/** One value of the line. The name of one in the path is its segment. */
export interface Part {
  readonly place: 'query' | 'body' | 'path';
  /** A dot leads into an object, `.0` into a list of one. */
  readonly name: string;
  readonly value: JsonValue;
}

/**
 * @param wanted the operation; left out: as the line shows it.
 * @throws StopError `usage` for a line in which no one is asked for, or which a dialect cannot send.
 */
export function draftOf(request: CurlRequest, wanted?: string): RequestDraft {
  const { secrets, headers, auth, rest } = secretsIn(request, partsOf(request));
  const about = { path: request.path, parts: rest };
  const read = rest.map((part) => ({ part, input: inputIn(part, about) }));
  const operation = wanted ?? operationIn(read, about);
  const subjects = subjectsIn(read, operation);
  if (subjects.length === 0) {
    const fact = 'No part of this line of curl is known as a person or a company.';
    throw stop('usage', fact, 'Take a line that asks for one, such as by an e-mail address or a domain.');
  }
  const isSubject = (part: Part): boolean => subjects.some((each) => each.part === part);
  const others = read.filter(({ part }) => !isSubject(part));
  const isLeft = ({ part, input }: (typeof others)[number]): boolean =>
    input !== undefined || isOfSample(part) || isPlaceholder(part.value);
  const constants = others.filter((each) => !isLeft(each)).map(({ part }) => part);
  const shown = subjects.filter(({ part }) => !isPlaceholder(part.value));
  return {
    origin: request.origin,
    operation,
    headers,
    auth,
    key: shownOf(secrets.find(({ slot }) => slot === 'key')),
    slots: slotsAmong(secrets, rest),
    entry: {
      ...entryOf(request, subjects, constants),
      by: byOf(
        subjects.map(({ input }) => input),
        operation,
      ),
    },
    given: Object.fromEntries(shown.map(({ part, input }) => [input, String(part.value)])),
    missing: subjects.filter(({ part }) => isPlaceholder(part.value)).map(({ input }) => input),
    remainingNames: others
      .filter((each) => isLeft(each) && each.part.place !== 'path')
      .map(({ part }) => part.name),
    notes: constants
      .filter(({ place, value }) => place !== 'path' && mayBeSubject(value))
      .map(({ name, value }) => `${foreignWords(`${name}=${value}`)} is sent for every row.`),
  };
}

/** What stands in the line in the place of a secret, unless that only shows the place. */
const shownOf = (secret: Secret | undefined): string | undefined =>
  secret === undefined || secret.value.length < SHORTEST_SECRET || isPlaceholder(secret.value)
    ? undefined
    : secret.value;

/** What is shorter stands in a line for a secret. */
const SHORTEST_SECRET = 6;

/**
 * The line with a word in the place of each secret, as it may be printed and kept. Of one that cannot be read
 * nothing is left, because it is not known what in it is a secret.
 */
export function lineWithoutKey(line: string): string {
  if (!isCurl(line)) return line;
  try {
    const request = requestInCurl(line);
    const { secrets } = secretsIn(request, partsOf(request));
    const texts = secrets.flatMap((secret) => writtenAs(shownOf(secret)));
    return texts.reduce((lineText, each) => lineText.replaceAll(each, 'YOUR_KEY'), line);
  } catch {
    return 'curl …';
  }
}

/** A secret as it may stand in the line: by itself, in a query, and in what `Basic` carries. */
const writtenAs = (secret: string | undefined): readonly string[] =>
  secret === undefined
    ? []
    : [Buffer.from(`${secret}:`).toString('base64'), encodeURIComponent(secret), secret];

/** @throws StopError `usage` where a second secret stands in the query or the body. */
function slotsAmong(secrets: readonly Secret[], rest: readonly Part[]): RequestDraft['slots'] {
  const others = secrets.filter(({ slot }) => slot !== 'key');
  const unsent = others.find(({ slot }) => rest.some(({ value }) => value === `{${slot}}`));
  if (unsent !== undefined) {
    const fact = `Besides the key this line of curl has a secret in its query or body: ${unsent.name}.`;
    throw stop('usage', fact, 'A dialect takes a second secret only in a header.');
  }
  return Object.fromEntries(others.map((each) => [each.slot, shownOf(each)]));
}

/** A part is asked by where the operation takes it; each input has one part. */
function subjectsIn(
  read: readonly { readonly part: Part; readonly input: string | undefined }[],
  operation: string,
): readonly Subject[] {
  const taken = new Map<string, Subject>();
  for (const { part, input } of read) {
    const named = input === undefined ? undefined : takenBy(operation, input);
    if (named !== undefined && part.value !== '' && !taken.has(named))
      taken.set(named, { part, input: named });
  }
  return [...taken.values()];
}

/** What is about the person of the sample, or about who asks, and would be wrong beside any other person. */
const OF_SAMPLE =
  /(?:^|[._])(?:job_?title|title|position|location|city|region|state|locality|postal_?code|street\w*|school|birth\w*|gender|twitter\w*|facebook\w*|github\w*|ip_?address|ip|external_?id|custom\w*|reference|metadata)(?:$|\.)/i;

/** Whom the vendor is to tell; a name without an address is that of a function around the answer. */
const isHook = ({ name, value }: Part): boolean =>
  /hook|call_?back|notif/i.test(name) && /^https?:/.test(String(value));

/** What is blank in the line may have to be there. */
const isOfSample = ({ place, name, value }: Part): boolean =>
  place !== 'path' &&
  value !== '' &&
  (isHook({ place, name, value }) || OF_SAMPLE.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')));

// ------------------------------------------------------------------------------------------ the parts of one

function partsOf({ path, query, body }: CurlRequest): readonly Part[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  return [
    ...segments.map((value) => ({ place: 'path', name: value, value }) as const),
    ...query.map(([name, value]) => ({ place: 'query', name, value }) as const),
    ...(isObject(body) ? partsBelow(body, '') : []),
  ];
}

/** Of a list of objects the first is taken: a dialect asks for one at a time. */
function partsBelow(value: JsonValue, name: string): readonly Part[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ place: 'body', name, value }];
  if (Array.isArray(value)) {
    const [first] = value as readonly JsonValue[];
    const isPlain = value.every((each) => each !== null && typeof each !== 'object');
    if (isPlain) return [{ place: 'body', name, value: value as readonly JsonValue[] }];
    return first === undefined ? [] : partsBelow(first, `${name}.0`);
  }
  return Object.entries(value).flatMap(([each, member]) =>
    partsBelow(member as JsonValue, name === '' ? each : `${name}.${each}`),
  );
}

// ------------------------------------------------------------------------------------------- how it is asked

function entryOf(
  { method, path }: CurlRequest,
  subjects: readonly Subject[],
  constants: readonly Part[],
): Omit<EntryDraft, 'by'> {
  const isGet = method === 'GET';
  const fields: Record<string, string | null> = {};
  const inPath = new Map<string, string>();
  const query: string[] = [];
  for (const { part, input } of subjects) {
    const field = fieldOf(part, input);
    if (field !== input) fields[input] = field;
    if (part.place === 'path') inPath.set(part.name, `{${field}}`);
    else if (part.place === 'query' && !isGet) query.push(`${encodeURIComponent(field)}={${field}}`);
  }
  const body: Record<string, JsonValue> = {};
  for (const { place, name, value } of constants) {
    if (place === 'body') body[name] = value;
    else if (place === 'query') query.push(`${encodeURIComponent(name)}=${keptBraces(String(value))}`);
  }
  const segments = path.split('/').map((segment) => inPath.get(segment) ?? keptBraces(segment));
  return {
    method,
    path: segments.join('/') + (query.length === 0 ? '' : `?${query.join('&')}`),
    fields,
    body,
  };
}

const KEY = '{key}';

/** Encoded, but for the place of the key. */
const keptBraces = (text: string): string => text.split(KEY).map(encodeURIComponent).join(KEY);

function fieldOf({ place, name, value }: Part, input: string): string {
  if (place === 'path') return input;
  return Array.isArray(value) ? `${name}.0` : name;
}
