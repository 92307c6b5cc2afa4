import { type Body, readBody, valueAt } from '../core/answer-body.ts';
import { present } from '../core/objects.ts';
import type { RawReply } from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { RateHintNames } from './dialect.ts';
import { type Pattern, patternOf } from './patterns.ts';
import { waitInBody, waitMsIn } from './rate-hints/wait-in-body.ts';

/**
 * Reads what an answer says about the speed: the draft of the IETF (`RateLimit`, `RateLimit-Policy`), its earlier
 * forms, the `X-RateLimit-*` of many vendors, `Retry-After`, and what a dialect names. It depends on its input only and
 * never throws: nonsense is ignored, because a vendor's mistake must neither stop a run nor let it exceed the plan.
 */

export interface RateHints {
  /** The windows that the plan allows, as the vendor states them; the newest answer counts. Empty when it states none. */
  readonly windows: readonly RateWindow[];
  /** How many requests are left, and for how long; when several windows say so, the one that is used up first. */
  readonly left?: { readonly requests: number; readonly resetMs: number };
  /** How long nothing may be sent, because the answer asks for it; at most 24 hours. */
  readonly pauseMs?: number;
}

interface RateWindow {
  readonly requests: number;
  readonly windowMs: number;
}

type Left = NonNullable<RateHints['left']>;

const LONGEST_HEADER = 2_000;

/** The part of a body that is searched: long enough for a message to a person, and no megabytes for a pattern. */
const LONGEST_TEXT = 10_000;

/** More than any plan allows, and exact in any arithmetic. */
const MOST_REQUESTS = 1e9;

/** Up to a calendar month, the longest period of a plan. */
const LONGEST_WINDOW_MS = 31 * 24 * 60 * 60 * 1000;

/** More windows than any plan has: two or three are usual. */
const MOST_WINDOWS = 8;

/** The prefixes of the headers, in order of preference: those of the draft, and the usual ones before it. */
const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'] as const;

/** The suffixes with which gateways mark the headers of one of several windows. */
const SUFFIXES = [
  { suffix: '-second', windowMs: 1000 },
  { suffix: '-minute', windowMs: 60_000 },
  { suffix: '-hour', windowMs: 3_600_000 },
  { suffix: '-day', windowMs: 86_400_000 },
] as const;

/**
 * @param names what the dialect says about this vendor; it wins over the usual names.
 * @param body the answer's body, when it has been read already.
 */
export function rateHintsIn(raw: RawReply, names: RateHintNames | undefined, body?: Body): RateHints {
  // All of the usual names have one of these in them.
  if (names === undefined && !Object.keys(raw.headers).some((name) => /rate|retry/.test(name)))
    return NO_HINTS;
  const windows = strictest(windowsIn(raw, names));
  const left = firstUsedUp(leftIn(raw, names));
  const pauseMs = pauseIn(raw, names, body) ?? pauseUntilReset(raw, left);
  return {
    windows,
    ...present({ left, pauseMs }),
  };
}

const NO_HINTS: RateHints = { windows: [] };

/**
 * How long an answer that says "too fast" asks us to wait, at most 24 hours; undefined when it names no time. Only such an
 * answer is searched for it in its body: elsewhere a `wait` may be anything. Headers win, because their units are the
 * standard's, and a body's are guessed.
 * @param body the answer's body, which has been read already.
 */
export function askedWaitMs(raw: RawReply, names: RateHintNames | undefined, body: Body): number | undefined {
  return (
    rateHintsIn(raw, names, body).pauseMs ?? (body.kind === 'json' ? waitInBody(body.value, raw) : undefined)
  );
}

function windowsIn(raw: RawReply, names: RateHintNames | undefined): readonly RateWindow[] {
  const named = windowOf(header(raw, names?.limit), parseDurationMs(names?.window ?? ''));
  if (named !== undefined) return [named];
  const policies = PREFIXES.flatMap((prefix) => [
    ...listIn(raw, `${prefix}-policy`),
    ...listIn(raw, `${prefix}-limit`),
  ]);
  const suffixed = PREFIXES.flatMap((prefix) =>
    SUFFIXES.map(({ suffix, windowMs }) => windowOf(header(raw, `${prefix}-limit${suffix}`), windowMs)),
  );
  const spaced = PREFIXES.map((prefix) =>
    windowOf(header(raw, `${prefix}-limit`), intervalMs(header(raw, `${prefix}-interval`))),
  );
  return [...policies.map(policyWindow), ...suffixed, ...spaced].filter((window) => window !== undefined);
}

/** Reads `"burst";q=100;w=60`, the earlier `100;w=60`, and `100;window=60`. Limits of bytes and of parallel requests are ignored. */
function policyWindow({ value, parameters }: Item): RateWindow | undefined {
  if ((parameters.get('qu') ?? 'requests') !== 'requests') return undefined;
  const seconds = numberIn(parameters.get('w') ?? parameters.get('window'));
  return seconds === undefined ? undefined : windowOf(parameters.get('q') ?? value, seconds * 1000);
}

function windowOf(requests: string | undefined, windowMs: number | undefined): RateWindow | undefined {
  const allowed = numberIn(requests);
  if (allowed === undefined || allowed < 1 || allowed > MOST_REQUESTS) return undefined;
  if (windowMs === undefined || windowMs < 1 || windowMs > LONGEST_WINDOW_MS) return undefined;
  return { requests: Math.floor(allowed), windowMs };
}

function intervalMs(text: string | undefined): number | undefined {
  const seconds = numberIn(text);
  return seconds === undefined ? parseDurationMs(text ?? '') : seconds * 1000;
}

function strictest(windows: readonly RateWindow[]): readonly RateWindow[] {
  const byLength = new Map<number, RateWindow>();
  for (const window of windows) {
    const known = byLength.get(window.windowMs);
    if (known === undefined || window.requests < known.requests) byLength.set(window.windowMs, window);
  }
  return [...byLength.values()].sort((a, b) => a.windowMs - b.windowMs).slice(0, MOST_WINDOWS);
}

function leftIn(raw: RawReply, names: RateHintNames | undefined): readonly Left[] {
  const named = leftOf(header(raw, names?.remaining), header(raw, names?.reset), raw);
  if (named !== undefined) return [named];
  const policies = listIn(raw, 'ratelimit-policy');
  const counted = listIn(raw, 'ratelimit').map((item) => counterLeft(item, policies, raw));
  const suffixes = ['', ...SUFFIXES.map(({ suffix }) => suffix)];
  const separate = PREFIXES.flatMap((prefix) => suffixes.map((suffix) => separateLeft(raw, prefix, suffix)));
  return [...counted, dictionaryLeft(raw), ...separate].filter((left) => left !== undefined);
}

/** Reads `"burst";r=50;t=30`; without `t` the window of its policy gives the latest end. */
function counterLeft(
  { value, parameters }: Item,
  policies: readonly Item[],
  raw: RawReply,
): Left | undefined {
  const policy = policies.find((each) => each.value === value);
  return leftOf(parameters.get('r'), parameters.get('t') ?? policy?.parameters.get('w'), raw);
}

/** Reads the earlier draft's `limit=100, remaining=50, reset=50`. */
function dictionaryLeft(raw: RawReply): Left | undefined {
  const members = new Map(listIn(raw, 'ratelimit').map(({ value }) => pair(value)));
  return leftOf(members.get('remaining'), members.get('reset'), raw);
}

/** Reads `X-RateLimit-Remaining` and similar. `-Reset-After` is always a length of time, so it is preferred. */
function separateLeft(raw: RawReply, prefix: string, suffix: string): Left | undefined {
  const after = header(raw, `${prefix}-reset-after${suffix}`);
  return leftOf(
    header(raw, `${prefix}-remaining${suffix}`),
    after ?? header(raw, `${prefix}-reset${suffix}`),
    raw,
  );
}

function leftOf(remaining: string | undefined, reset: string | undefined, raw: RawReply): Left | undefined {
  const requests = numberIn(remaining);
  const resetMs = waitMsIn(reset, raw);
  if (requests === undefined || requests > MOST_REQUESTS || resetMs === undefined) return undefined;
  return { requests: Math.floor(requests), resetMs };
}

function firstUsedUp(all: readonly Left[]): Left | undefined {
  const [first] = all.toSorted((a, b) => a.requests - b.requests || b.resetMs - a.resetMs);
  return first;
}

function pauseIn(
  raw: RawReply,
  names: RateHintNames | undefined,
  body: Body | undefined,
): number | undefined {
  return (
    waitMsIn(header(raw, names?.retry_after), raw) ??
    pauseInBody(raw, names, body) ??
    waitMsIn(header(raw, 'retry-after'), raw) ??
    waitMsIn(header(raw, 'x-ratelimit-retry-after'), raw)
  );
}

/** An error that states nothing is left asks us to wait for the new window, even without `Retry-After`. */
function pauseUntilReset(raw: RawReply, left: Left | undefined): number | undefined {
  return raw.status >= 400 && left?.requests === 0 ? left.resetMs : undefined;
}

function pauseInBody(
  raw: RawReply,
  names: RateHintNames | undefined,
  body: Body | undefined,
): number | undefined {
  if (names?.body === undefined) return undefined;
  const { path, matches } = names.body;
  const text = path === undefined ? raw.body.toString('utf8', 0, LONGEST_TEXT) : textAt(raw, path, body);
  const groups = groupsIn(matches, text.slice(0, LONGEST_TEXT));
  const ms = numberIn(groups?.ms ?? undefined);
  return waitMsIn(ms === undefined ? (groups?.seconds ?? undefined) : `${ms}ms`, raw);
}

function textAt(raw: RawReply, path: string, known: Body | undefined): string {
  const body = known ?? readBody(raw.body);
  const value = body.kind === 'json' ? valueAt(body.value, path) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The schema refuses a wrong pattern; a dialect that was made by other means gives no hint instead of a crash. */
function groupsIn(pattern: string, text: string): ReturnType<Pattern['groups']> {
  try {
    return patternOf(pattern).groups(text);
  } catch {
    return undefined;
  }
}

/** A header that came twice is one list. It reads own members only, because the dialect chooses the name. */
function header(raw: RawReply, name: string | undefined): string | undefined {
  if (name === undefined || !Object.hasOwn(raw.headers, name)) return undefined;
  const value = raw.headers[name];
  return value === undefined || value.length > LONGEST_HEADER ? undefined : value;
}

function listIn(raw: RawReply, name: string): readonly Item[] {
  const value = header(raw, name);
  return value === undefined ? [] : itemsIn(value);
}

/** The number at the beginning of a list: `100` of `100, 100;w=60`. It is neither negative nor infinite. */
function numberIn(text: string | undefined): number | undefined {
  const [digits] = /^\d{1,15}(\.\d{1,9})?(?=\s*(,|;|$))/.exec(text?.trim() ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

interface Item {
  readonly value: string;
  /** Parameters with names in lower case and values without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads a list in the syntax of structured fields (RFC 9651), and what vendors write instead of it: blanks in wrong
 * places, names without quotes. It never throws: text that is no list gives members without meaning.
 */
function itemsIn(header: string): readonly Item[] {
  return split(header, ',').map((member) => {
    const [value = '', ...parameters] = split(member, ';');
    return { value: unquoted(value), parameters: new Map(parameters.map(pair)) };
  });
}

function pair(text: string): readonly [string, string] {
  const [name = '', ...value] = split(text, '=');
  return [name.trim().toLowerCase(), unquoted(value.join('='))];
}

function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function unquoted(text: string): string {
  const bare = text.trim();
  return /^".*"$/.test(bare) ? bare.slice(1, -1).replaceAll(/\\(.)/g, '$1') : bare;
}
