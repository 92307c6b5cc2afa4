import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stop, suggestion } from '../core/errors.ts';
import type { JsonMembers } from './json.ts';
import { randomFrom } from './random.ts';
import { type SandboxAnswer, tooMany } from './vendor.ts';

/** The answer is lost on the wire or cannot be read. The charge may have been made, or not. */
const LOST = ['reset', 'timeout', 'truncate', 'cut', 'empty', 'garbage', 'huge', 'bomb'] as const;

/**
 * Whole answers that are never charged. `slow` is the true answer, sent late. A 429 of
 * `limited-429` names no time.
 */
const OTHER = ['limited-200', 'limited-429', 'busy-503', 'slow'] as const;

/**
 * 4xx statuses after which the vendor may have done its work, because they come from a gateway or a lost
 * client.
 */
const UNSURE_STATUSES: readonly number[] = [408, 425, 499];

const REDIRECTS: readonly number[] = [301, 302];

export type WireFault = (typeof LOST)[number];

type FaultKind = WireFault | (typeof OTHER)[number] | { readonly status: number };

export interface Fault {
  readonly name: string;
  readonly kind: FaultKind;
  /** True when the request is carried out and booked before the answer is lost. */
  readonly charged: boolean;
}

type FaultPlan =
  | { readonly fault: Fault; readonly probability: number }
  | { readonly fault: Fault; readonly first: number };

/**
 * The faults of `--faults`, parsed. Those with a count come first, in the order given, then chance decides.
 */
export class Faults {
  readonly #seed: number;
  /** How often each question has come. */
  readonly #timesAsked = new Map<string, number>();
  readonly #counted: { readonly fault: Fault; remaining: number }[] = [];
  readonly #chances: { readonly fault: Fault; readonly upTo: number }[] = [];

  /**
   * `NAME:P` or `NAME:xN`, comma-separated, or nothing. A StopError (usage) says what cannot be read.
   */
  constructor(text: string, seed: number) {
    this.#seed = seed;
    let total = 0;
    for (const item of text.split(',').filter((part) => part.trim() !== '')) {
      const planned = parseItem(item.trim());
      if ('first' in planned) {
        this.#counted.push({ fault: planned.fault, remaining: planned.first });
        continue;
      }
      total += planned.probability;
      this.#chances.push({ fault: planned.fault, upTo: total });
    }
    // Sums of decimal fractions may pass 1 by a rounding error.
    if (total > 1 + 1e-9) {
      const fact = `The faults add up to ${total}, which is more than all requests.`;
      throw stop('usage', fact, 'Lower them: together they may be 1 at most.');
    }
  }

  /**
   * The fault of a request, if any. Chance depends on the question and on how often it has come, so that the
   * same list meets the same faults in whatever order its requests arrive.
   * @param question what tells the request from others.
   */
  draw(question: string): Fault | undefined {
    const counted = this.#counted.find(({ remaining }) => remaining > 0);
    if (counted !== undefined) {
      counted.remaining -= 1;
      return counted.fault;
    }
    if (this.#chances.length === 0) return undefined;
    const drawn = this.#fractionFor(question);
    return this.#chances.find(({ upTo }) => drawn < upTo)?.fault;
  }

  #fractionFor(question: string): number {
    const times = (this.#timesAsked.get(question) ?? 0) + 1;
    this.#timesAsked.set(question, times);
    return randomFrom('faults', this.#seed, question, times).fraction();
  }
}

function parseItem(item: string): FaultPlan {
  const [name = '', amount = '', ...rest] = item.split(':');
  const fault = parseFault(name);
  const first = /^x([1-9]\d*)$/.exec(amount)?.[1];
  if (first !== undefined && rest.length === 0) return { fault, first: Number(first) };
  const probability = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(amount) ? Number(amount) : Number.NaN;
  if (rest.length === 0 && probability >= 0 && probability <= 1) return { fault, probability };
  const fact = `The fault "${item}" does not say how often.`;
  const next = `Write ${name}:0.02 for two requests in a hundred, or ${name}:x3 for the first three.`;
  throw stop('usage', fact, next);
}

function parseFault(name: string): Fault {
  const charged = name.startsWith('charged-');
  const kind = kindOf(charged ? name.slice('charged-'.length) : name);
  if (kind !== undefined && (!charged || mayBeCharged(kind))) return { name, kind, charged };
  const fact =
    kind === undefined
      ? `"${name}" is not a fault.`
      : `"${name}" is not a fault: that answer never costs anything.`;
  throw stop('usage', fact, suggestion(name, NAMES));
}

function kindOf(name: string): FaultKind | undefined {
  const status = /^[345]\d\d$/.test(name) ? Number(name) : 0;
  if (status >= 400 || REDIRECTS.includes(status)) return { status };
  return [...LOST, ...OTHER].find((known) => known === name);
}

function mayBeCharged(kind: FaultKind): boolean {
  if (typeof kind === 'object') return kind.status >= 500 || UNSURE_STATUSES.includes(kind.status);
  return isWireFault(kind);
}

/** Whether the answer is lost on its way, so that cannot be read it. */
export function isWireFault(kind: FaultKind): kind is WireFault {
  return LOST.some((lost) => lost === kind);
}

/** Those that have a name; a status of 4xx or 5xx is one by its number. */
const NAMES = [...LOST, ...OTHER, '500', ...[...LOST, '500'].map((name) => `charged-${name}`)];

const BUSY_SECONDS = '1';

interface FaultSurroundings {
  /** The target of a redirect. */
  readonly location: string;
  /** The wait in whole seconds that a 429 tells; undefined when it tells none. */
  readonly retryAfter: () => string | undefined;
}

export function answerOnPurpose(
  kind: Exclude<FaultKind, WireFault | 'slow'>,
  { location, retryAfter }: FaultSurroundings,
): SandboxAnswer {
  if (kind === 'limited-200') {
    const error = 'Rate limit exceeded. Retry in 1s.';
    return { status: 200, body: { success: false, code: 'rate_limited', error } };
  }
  if (kind === 'limited-429') return tooMany(undefined);
  if (kind === 'busy-503')
    return { status: 503, body: { error: 'Busy.' }, headers: { 'retry-after': BUSY_SECONDS } };
  const { status } = kind;
  const body = { error: `Status ${status}, on purpose.` };
  if (status < 400) return { status, body, headers: { location } };
  const seconds = status === 429 ? retryAfter() : undefined;
  return seconds === undefined ? { status, body } : { status, body, headers: { 'retry-after': seconds } };
}

/** Larger than any limit that a client may have for an answer. */
const HUGE_BYTES = 64 * 1024 * 1024;
const BOMB_BYTES = 200 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

interface LostReply {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonMembers;
}

/** Resolves when everything that will ever be sent is sent, or the client is gone. */
export async function loseReply(kind: WireFault, reply: LostReply): Promise<void> {
  const { response, headers } = reply;
  switch (kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'timeout':
      // Nothing is sent: the socket stays open until the client gives up or the sandbox ends.
      return;
    case 'truncate':
      return sendPart(reply, (bytes) => `content-length: ${bytes}`);
    case 'cut':
      return sendPart(reply, () => 'connection: close');
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 0, ...headers }).end();
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end('<html>Bad gat');
      return;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      return sendStream(response, Readable.from(longJson(HUGE_BYTES)));
    case 'bomb': {
      const packed = await packedBomb();
      const length = { 'content-encoding': 'gzip', 'content-length': packed.length };
      response.writeHead(200, { 'content-type': 'application/json', ...length, ...headers }).end(packed);
    }
  }
}

/**
 * Sends the first half of the answer and ends the connection. The status is always 200, so that only reading
 * the body shows that it is not whole. It is written to the socket, because node:http would not send such
 * bytes.
 */
function sendPart({ response, headers, body }: LostReply, framing: (bytes: number) => string): void {
  const whole = Buffer.from(JSON.stringify(body));
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    framing(whole.length),
  ];
  response.socket?.write(`${head.join('\r\n')}\r\n\r\n`);
  response.socket?.end(whole.subarray(0, Math.floor(whole.length / 2)));
}

async function sendStream(response: ServerResponse, stream: Readable): Promise<void> {
  try {
    await pipeline(stream, response);
  } catch {
    // The client has closed the connection, as it should.
  }
}

/** Valid JSON of about that size, in pieces that are all the same bytes. */
function* longJson(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x');
  yield Buffer.from('{"name":"');
  for (let sentBytes = 0; sentBytes < bytes; sentBytes += CHUNK_BYTES) yield chunk;
  yield Buffer.from('"}');
}

let bomb: Promise<Buffer> | undefined;

/**
 * The packed bytes. They are made once, on first use and in pieces, so the sandbox never holds the unpacked
 * ones.
 */
function packedBomb(): Promise<Buffer> {
  bomb ??= Readable.from(longJson(BOMB_BYTES))
    .pipe(createGzip())
    .toArray()
    .then((parts) => Buffer.concat(parts));
  return bomb;
}
