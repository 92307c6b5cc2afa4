import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import { isUtf16 } from '../core/answer-body.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { type Reply, SENT_WITHIN_MS } from '../ledger/ledger.ts';
import { formatDuration } from '../lib/duration.ts';
import { crashPointSoon } from '../lib/faults.ts';
import { connectorTo, isCertificate, isUnresolved, loadUndici, TunnelError } from './connector.ts';
import type { NotSentCause, WireReply } from './judge.ts';
import { type HttpRequest, sentOf, type TimeRequest } from './request.ts';

/**
 * Sends a request once and says exactly what is known about it afterwards. Nothing here retries, follows a
 * redirect or sends two requests over one connection at a time, because measurements showed that each of
 * these sends a paid request twice.
 */

/**
 * Answers are a few kilobytes. A larger one is not an answer to us, and memory must not depend on the vendor.
 */
const LARGEST_BODY_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = 'the answer is larger than 4 MiB';

/**
 * Idle connections are closed before common servers and balancers close them (5 s and more) under a request.
 */
const IDLE_CONNECTION_MS = 4_000;

/**
 * Response headers that are read later: by the judge, by the limiter, or by a person who asks the vendor
 * about a request.
 */
const KEPT_HEADERS =
  /^(date|age|retry-after(?:-ms)?|location|content-type|content-encoding|(x-)?rate-?limit.*|.*request-id|.*correlation-id|.*credits.*)$/;

export interface SendOptions {
  /**
   * The time of the intent's commit, on the monotonic and the calendar clock: a sleeping machine stops one of
   * them.
   */
  readonly intentAt: { readonly monotonicMs: number; readonly wallMs: number };
  /**
   * Whether the request may still leave. It is asked in the very turn in which the first byte would leave.
   */
  mayLeave(): boolean;
  /** Called at the moment the first byte leaves. */
  onSent(): void;
  /**
   * Called once, at the end: every event of a request becomes a kind of reply. No reply holds the key that
   * was sent.
   */
  onReply(reply: WireReply): void;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  readonly clock: Clock;
  /** How long a whole exchange may take, from its start to the last byte, where its request says nothing. */
  readonly timeoutMs: number;
  /** How long a connection may take to be made. */
  readonly connectMs?: number;
  /** Headers that the reply keeps besides the usual ones, in lower case. */
  readonly keptHeaders: ReadonlySet<string>;
  /** Secrets in the requests. They are removed from everything that this returns. */
  readonly keys: readonly string[];
}

/** Sends each request once: undici's retry agent made four requests of one (2026-11-20). */
export class Transport {
  readonly #options: TransportOptions;
  readonly #redaction: Redaction;
  readonly #pool: Pool;

  constructor(options: TransportOptions) {
    const undici = loadUndici();
    this.#options = options;
    this.#redaction = new Redaction(options.keys);
    this.#pool = new undici.Pool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      connect: connectorTo(undici, new URL(options.origin), process.env, options.connectMs),
      // A whole exchange has one deadline, which does not restart with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    });
  }

  send(request: HttpRequest | TimeRequest, sending: SendOptions): void {
    const { path, body } = sentOf(request);
    this.#pool.dispatch(
      {
        method: request.method,
        path,
        headers: { ...request.headers, 'accept-encoding': 'identity' },
        body: body ?? null,
        idempotent: false,
      },
      new Exchanging(this.#options, this.#redaction, sending, timeoutMsOf(request, this.#options)),
    );
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

const timeoutMsOf = (request: HttpRequest | TimeRequest, { timeoutMs }: TransportOptions): number =>
  ('timeoutMs' in request ? request.timeoutMs : undefined) ?? timeoutMs;

/** One request and its result, as undici reports it. */
class Exchanging implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #redaction: Redaction;
  readonly #sending: SendOptions;
  readonly #timeoutMs: number;
  /** This is the machine's own clock and not an injected one, because sockets know no other. */
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #late = false;
  #isOver = false;
  #expired = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: TransportOptions, redaction: Redaction, sending: SendOptions, timeoutMs: number) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#redaction = redaction;
    this.#sending = sending;
    // After a process was stopped and continued, sockets are read first, because answers may have come
    // meanwhile.
    this.#deadline = setTimeout(() => setImmediate(() => this.#expire()), timeoutMs).unref(); // rule 14a
  }

  /** The deadline has passed. The connection is closed, because anything that comes on it now is too late. */
  #expire(): void {
    if (this.#isOver) return;
    const error = new Error(`the timeout of ${formatDuration(this.#timeoutMs)} passed`);
    this.#expired = true;
    if (this.#controller === undefined) this.onResponseError(null, error);
    else this.#controller.abort(error);
  }

  /** undici calls this in the same turn and just before it writes the first byte to an open connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { clock } = this.#options;
    const { intentAt } = this.#sending;
    const ageMs = Math.max(clock.monotonicMs() - intentAt.monotonicMs, clock.wallMs() - intentAt.wallMs);
    // A process that was stopped and woken up would send a request that an earlier decision, or another run,
    // has long counted as lost.
    // rule 6
    if (this.#expired || ageMs > SENT_WITHIN_MS) {
      this.#keepBack(controller, `the intent was ${Math.round(ageMs)} ms old`);
      return;
    }
    if (!this.#sending.mayLeave()) {
      this.#keepBack(controller, 'its permit was taken back');
      return;
    }
    this.#controller = controller;
    this.#sending.onSent();
    crashPointSoon('after-send');
  }

  #keepBack(controller: Dispatcher.DispatchController, why: string): void {
    this.#late = true;
    controller.abort(new Error(why));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An interim status such as "still working" is no answer, however often it comes.
    if (status < 200) return;
    this.#status = status;
    this.#headers = this.#keptHeaders(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > LARGEST_BODY_BYTES) controller.abort(new Error(TOO_LARGE));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks);
    const receivedAtMs = this.#options.clock.wallMs();
    this.#over(inUtf8(decoded({ status: this.#status, headers: this.#headers, body, receivedAtMs })));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#controller === undefined) {
      const cause = this.#late ? 'late' : causeOf(error);
      this.#over({ kind: 'not_sent', cause, message: messageOf(error) });
      return;
    }
    const status = this.#status;
    const how = status === 0 ? ({ how: 'none_came' } as const) : ({ how: 'broke_off', status } as const);
    this.#over({ kind: 'lost', ...how, message: messageOf(error) }); // rule 7
  }

  /**
   * A request with a deadline that passed before it had a connection fails once more, with that connection.
   */
  #over(reply: WireReply): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#sending.onReply(redacted(reply, this.#redaction));
  }

  #keptHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
    const headersToKeep: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name];
      if (value === undefined) continue;
      if (KEPT_HEADERS.test(name) || this.#options.keptHeaders.has(name)) headersToKeep[name] = String(value);
    }
    return headersToKeep;
  }
}

/**
 * We ask for plain bytes; if a vendor compresses all the same, its answer is unpacked within the same bound.
 */
function decoded(raw: Reply): WireReply {
  const encoding = raw.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || raw.body.length === 0) return { kind: 'answered', raw };
  const unpack = encoding === 'br' ? brotliDecompressSync : unzipSync;
  try {
    if (!/^(?:(?:x-)?gzip|deflate|br)$/.test(encoding))
      throw new Error(`it is packed as ${encoding}, which Rowonce cannot read`);
    const body = unpack(raw.body, { maxOutputLength: LARGEST_BODY_BYTES });
    return { kind: 'answered', raw: { ...raw, body } };
  } catch (error) {
    return { kind: 'lost', how: 'packed', message: messageOf(error) };
  }
}

/**
 * The same answer in UTF-8, where its header says that it is in another encoding. Servers that name their
 * default encoding and send UTF-8 all the same are believed by their bytes.
 */
function inUtf8(reply: WireReply): WireReply {
  if (reply.kind !== 'answered') return reply;
  const { headers, body } = reply.raw;
  const { charset } = /;\s*charset="?(?<charset>[\w.:-]+)/i.exec(headers['content-type'] ?? '')?.groups ?? {};
  if (charset === undefined || isUtf8(body) || isUtf16(body)) return reply;
  try {
    const text = new TextDecoder(charset).decode(body);
    return { kind: 'answered', raw: { ...reply.raw, body: Buffer.from(text) } };
  } catch {
    return reply;
  }
}

function redacted(reply: WireReply, redaction: Redaction): WireReply {
  return reply.kind === 'answered'
    ? { kind: 'answered', raw: redaction.reply(reply.raw) }
    : { ...reply, message: redaction.text(reply.message) };
}

function causeOf(error: Error): NotSentCause {
  if (error instanceof TunnelError) return error.lasts ? 'proxy' : 'unreachable';
  if (isUnresolved(error)) return 'unresolved';
  return isCertificate(error) ? 'certificate' : 'unreachable';
}

// ------------------------------------------------------------------------------------ no key in what is kept

/**
 * Keeps an account's key out of everything that is recorded or shown. A vendor may return the key in any
 * answer: in an error that quotes the request, in a link, in a debug page. It is found as it is, escaped as
 * in JSON, percent-encoded and in Base64. It is also found with characters in it that a terminal or a cell
 * leaves out, because without them the key would be whole. A key that comes back packed, or encoded twice, is
 * not looked for. In its place stands a word that is no longer than the shortest key for which it stands, so
 * no answer grows by it.
 */
export const REDACTED = '[redacted]';

/**
 * A shorter key is also found in words that mean something else, so it is only recognised where it is a whole
 * header.
 */
const LEAST_LENGTH = 12;

export class Redaction {
  readonly #written: RegExp | undefined;
  readonly #short: readonly string[];

  constructor(keys: readonly string[]) {
    const long = keys.filter((key) => key.length >= LEAST_LENGTH).map((key) => Buffer.from(key));
    const plain = new Set(long.map((key) => writtenAnyWay(key.toString('latin1'), LEFT_OUT)));
    const encoded = new Set(long.flatMap(base64Of).map((text) => writtenAnyWay(text)));
    this.#written = plain.size === 0 ? undefined : new RegExp([...plain, ...encoded].join('|'), 'gi');
    this.#short = keys.filter((key) => key !== '' && key.length < LEAST_LENGTH);
  }

  reply<Kept extends Pick<Reply, 'headers' | 'body'>>(raw: Kept): Kept {
    return { ...raw, headers: this.#headers(raw.headers), body: this.bytes(raw.body) };
  }

  text(words: string): string {
    // The pattern is made of bytes, so that a key is found in any encoding.
    if (!/[^\0-\x7f]/.test(words)) return this.#redacted(words);
    const bytes = Buffer.from(words);
    const redacted = this.bytes(bytes);
    return redacted === bytes ? words : redacted.toString();
  }

  /** The same buffer when the key is not in it. An escape is replaced as a whole, so that JSON stays JSON. */
  bytes(body: Buffer): Buffer {
    if (this.#written === undefined) return body;
    if (isUtf16(body)) {
      const narrow = Buffer.from(body.toString('utf16le'));
      const redacted = this.bytes(narrow);
      return redacted === narrow ? body : redacted;
    }
    const text = body.toString('latin1');
    const redacted = this.#redacted(text);
    return redacted === text ? body : Buffer.from(redacted, 'latin1');
  }

  #redacted(text: string): string {
    return this.#written === undefined ? text : text.replace(this.#written, REDACTED);
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const shown: Record<string, string> = {};
    for (const name in headers) {
      const value = headers[name] ?? '';
      shown[this.text(name)] = this.#short.includes(value.trim()) ? REDACTED : this.text(value);
    }
    return shown;
  }
}

/**
 * In Base64, three bytes are four characters, so the form of a key depends on the number of bytes before it.
 * These are the characters that depend on the key alone.
 */
function base64Of(key: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), key])
      .toString('base64')
      .replace(/=+$/, '');
    const isWhole = (before + key.length) % 3 === 0;
    const ownPart = encoded.slice(before === 0 ? 0 : before + 1, isWhole ? undefined : -1);
    return [ownPart, ownPart.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * A pattern for a text in which each character may be escaped as in JSON, also in JSON within JSON, or
 * percent-encoded. It ignores case, in which escapes and names of headers differ.
 * @param between a pattern for what may stand between two of them.
 */
function writtenAnyWay(text: string, between = ''): string {
  return Array.from(text, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `(?:(?<!\\\\)\\\\+(?:u00${hex}|\\x${hex})|%${hex}|\\x${hex})`;
  }).join(between);
}

/**
 * What `plainText` and `safeCell` leave out of a text, in UTF-8 or escaped as in JSON: sequences of a
 * terminal, control characters but tab and line ends, and characters that turn the reading direction. A long
 * run of them is looked at once.
 */
const LEFT_OUT = (() => {
  const esc = String.raw`(?:\x1b|(?<!\\)\\+u001b)`;
  const sequence = String.raw`${esc}\[[0-?]*[ -/]*[@-~]`;
  const control = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]`;
  const direction = String.raw`\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]`;
  const code = '00(?:0[0-8bcef]|1[0-9a-f]|[89][0-9a-f]|7f)|061c|20(?:0[ef]|2[a-e]|6[6-9])';
  return `(?:${sequence}|${control}|${direction}|(?<!\\\\)\\\\+(?:u(?:${code})|[bf]))*`;
})();
