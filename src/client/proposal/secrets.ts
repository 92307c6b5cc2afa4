import type { JsonValue } from '../../core/operation.ts';
import type { CurlRequest } from './curl.ts';
import { plainName } from './places.ts';
import type { Part } from './request-draft.ts';

/** Finds what a line of curl has in the place of a key, and takes it out. */

export interface Secret {
  /** What the line calls it: the name of a header or a field, or `-u`. */
  readonly name: string;
  readonly value: string;
  /** `key`, or the name of the slot that the accounts file fills. */
  readonly slot: string;
}

interface Read {
  readonly secrets: readonly Secret[];
  /** The headers of the dialect, with `{key}` in the place of the key. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** The name and the password of `Basic`: `key`, or the name of a slot. */
  readonly auth: { readonly basic: readonly string[] } | undefined;
  /** The parts that are not the key. Where the key stands in the query or the body, it is `{key}`. */
  readonly rest: readonly Part[];
}

export function secretsIn({ headers, user }: CurlRequest, parts: readonly Part[]): Read {
  const isSecret = (part: Part): boolean => part.place !== 'path' && isSecretPart(part);
  const found = headers.map(([name, value]) => ({ name, value, secret: secretOfHeader(name, value) }));
  const ofHeaders = found.flatMap(({ name, secret }) => (secret ? [{ name, value: secret.value }] : []));
  const ofUser = user === undefined ? [] : secretsOfUser(user);
  const ofParts = parts.filter(isSecret).map(({ name, value }) => ({ name, value: String(value) }));
  const all = [...ofUser.toReversed(), ...ofHeaders, ...ofParts];
  const key = all.find(({ name }) => !/secret|(?:^|[^a-z])id$|^user$/i.test(name)) ?? all[0];
  const secrets = all.map((each) => ({ ...each, slot: each === key ? 'key' : slotFor(each.name) }));
  const slotOf = (name: string): string => secrets.find((each) => each.name === name)?.slot ?? 'key';
  const sent: Record<string, string | null> = { authorization: null };
  for (const { name, value, secret } of found)
    if (secret !== undefined) sent[name] = secret.template.replace(KEY_PLACE, `{${slotOf(name)}}`);
    else if (!isOwn(name, value)) sent[name] = value;
  if (sent.authorization === BUILT_IN) delete sent.authorization;
  const rest = parts.map((part) => (isSecret(part) ? { ...part, value: `{${slotOf(part.name)}}` } : part));
  const hasUser = ofUser[0]?.name === USER;
  const basic = ofUser.map(({ name }) => slotOf(name));
  const auth = ofUser.length === 0 ? undefined : { basic: hasUser ? basic : ['', ...basic] };
  return { secrets, headers: sent, auth, rest };
}

/** `x-tomba-secret` is `secret`, and `x-app-id` is `app_id`. */
function slotFor(name: string): string {
  const words = name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== 'x' && word !== '');
  const last = words.at(-1) ?? 'secret';
  return ['id', 'key'].includes(last) ? words.slice(-2).join('_') : last;
}

const BUILT_IN = 'Bearer {key}';

/** `-u KEY:` has no password, some vendors show none, as `-u KEY`, and some have a blank name: `-u :KEY`. */
function secretsOfUser(text: string): readonly Omit<Secret, 'slot'>[] {
  const at = text.indexOf(':');
  const [user, password] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  return [
    { name: USER, value: user },
    { name: 'password', value: password },
  ].filter(({ value }) => value !== '');
}

const USER = 'user';

function secretOfHeader(
  name: string,
  value: string,
): { readonly value: string; readonly template: string } | undefined {
  if (name === 'authorization') {
    // A scheme without a secret says which of several the vendor is to take.
    if (/^(?:basic|bearer)$/i.test(value)) return undefined;
    const [, scheme = '', secret = value] = /^([A-Za-z-]+)\s+(.+)$/.exec(value) ?? [];
    const ofBasic = scheme.toLowerCase() === 'basic' ? basicName(secret) : undefined;
    if (ofBasic !== undefined) return { value: ofBasic, template: 'Basic {basic_key}' };
    const written = scheme.toLowerCase() === 'bearer' ? 'Bearer' : scheme;
    return { value: secret, template: `${written} {key}`.trimStart() };
  }
  if (!SECRET_HEADER.test(plainName(name)) && !isPlaceholder(value)) return undefined;
  return { value, template: '{key}' };
}

/** The name in what `Basic` carries, where it has no password. */
function basicName(secret: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) return undefined;
  return /^([\x21-\x39\x3b-\x7e]+):$/.exec(Buffer.from(secret, 'base64').toString('latin1'))?.[1];
}

const SECRET_HEADER = /(?:key|token|secret|auth|authorization|password|appid|clientid)$/;

/** Names of fields and of parameters that hold a key; the last name of a path counts. */
const SECRET_FIELD =
  /^(?:x?(?:api|access|auth|app|secret|private|client|user|account|license)?(?:key|token|secret|password)|apitoken|apiid|appid|clientid|guid|auth|apikeyv\d|authkey)$/;

function isSecretPart({ name, value }: Part): boolean {
  if (typeof value !== 'string' || value === '') return false;
  return SECRET_FIELD.test(plainName(name.split('.').at(-1) ?? ''));
}

/** What a page shows in the place of a value that the reader has. */
export function isPlaceholder(value: JsonValue): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((each) => isPlaceholder(each as JsonValue));
  return typeof value === 'string' && value !== KEY_PLACE && PLACEHOLDER.test(value.trim());
}

const KEY_PLACE = '{key}';

const PLACEHOLDER =
  /^(?:<[^<>]*>|\{\{?[^{}]*\}?\}|\$\{?\w+\}?(?::\$?\{?\w*\}?)?|\[[^[\]]*\]|:[a-z_]+|x{3,}|\*{3,}|\.{3}|…|string|your[-_ ].*|my[-_ ].*(?:key|token).*|.*\byour[-_ ]?(?:own[-_ ]?)?(?:api|key|token|secret).*|(?:api|secret|access)[-_ ]?(?:key|token)|insert[-_ ].*|replace[-_ ]?(?:with|me).*)$/i;

/** Headers that the program sends itself, or that shape the answer's bytes alone. */
function isOwn(name: string, value: string): boolean {
  if (name === 'accept') return /^(?:\*\/\*|application\/json\b.*|text\/json)$/i.test(value);
  if (name === 'content-type') return /^application\/json\b/i.test(value);
  return /^(?:user-agent|host|content-length|cache-control|pragma|connection|origin|referer|accept-encoding|accept-language|cookie|sec-.*|priority|expect|te|upgrade.*)$/.test(
    name,
  );
}
