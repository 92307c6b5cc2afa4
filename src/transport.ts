import { createRequire } from 'node:module';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from './clock.ts';
import { messageOf } from './errors.ts';
import { crashPoint } from './faults.ts';
import type { NotSentCause, Reply } from './judge.ts';
import type { RawReply } from './ledger.ts';
import type { HttpRequest } from './request.ts';

/**
 * Sends a request once and says exactly what is known about it afterwards. Nothing here retries, follows a redirect
 * or sends two requests over one connection at a time: each of those was measured to send a paid request twice.
 */

/** Answers are a few kilobytes; more than this is not one of ours, and memory must not depend on the vendor. */
const LARGEST_BODY_BYTES = 4 * 1024 * 1024;

/**
 * An intent older than this is not sent. A process that was stopped and woken up would otherwise send a request
 * that an earlier decision, or another run, has long taken for lost.
 */
const LONGEST_INTENT_AGE_MS = 5_000;

/** Idle connections are given up before common servers and balancers close them (5 s and more) under a request. */
const IDLE_CONNECTION_MS = 4_000;

const CONNECT_TIMEOUT_MS = 10_000;

/** Loaded with the first connection: it is as much code as all of ours, and most commands never connect. */
const loadUndici = (): typeof import('undici') => createRequire(import.meta.url)('undici');

/** Response headers that somebody reads later: the judge, the limiter, a person with a question for the vendor. */
const KEPT_HEADERS =
  /^(date|age|retry-after|location|content-type|content-encoding|(x-)?rate-?limit.*|.*request-id|.*correlation-id|.*credits.*)$/;

export interface Sending {
  /** When the intent was committed, on the monotonic and on the calendar clock: a sleeping machine stops one of them. */
  readonly intentAt: { readonly monotonicMs: number; readonly wallMs: number };
  /** Called at the moment the first byte leaves. */
  onSent(): void;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  /** How long the vendor may take; undici's timers fire up to half a second late, so no rule depends on it. */
  readonly answerTimeoutMs: number;
  readonly clock: Clock;
  /** Kept in the reply besides the usual headers, lower case. */
  readonly keptHeaders: readonly string[];
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #pool: Pool;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { Pool } = loadUndici();
    this.#pool = new Pool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: options.answerTimeoutMs,
      bodyTimeout: options.answerTimeoutMs,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    });
  }

  /** Never rejects: everything that can happen to a request is a kind of reply. */
  send(request: HttpRequest, sending: Sending): Promise<Reply> {
    return new Promise((resolve) => {
      const exchange = new Exchange(this.#options, sending, resolve);
      this.#pool.dispatch(
        {
          method: request.method,
          path: request.path,
          headers: { ...request.headers, 'accept-encoding': 'identity' },
          body: request.body ?? null,
          idempotent: false,
        },
        exchange,
      );
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** One request and what comes back, as undici reports it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #sending: Sending;
  readonly #resolve: (reply: Reply) => void;
  #sent = false;
  #late = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: TransportOptions, sending: Sending, resolve: (reply: Reply) => void) {
    this.#options = options;
    this.#sending = sending;
    this.#resolve = resolve;
  }

  /** undici calls this on a standing connection, in the same turn and just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { clock } = this.#options;
    const { intentAt } = this.#sending;
    const ageMs = Math.max(clock.monotonicMs() - intentAt.monotonicMs, clock.wallMs() - intentAt.wallMs);
    if (ageMs > LONGEST_INTENT_AGE_MS) {
      this.#late = true;
      controller.abort(new Error(`the intent was ${Math.round(ageMs)} ms old`));
      return;
    }
    this.#sent = true;
    this.#sending.onSent();
    setImmediate(crashPoint, 'after-send');
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#status = status;
    this.#headers = this.#kept(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > LARGEST_BODY_BYTES) controller.abort(new Error(tooLarge()));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const raw: RawReply = {
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
      receivedAtMs: this.#options.clock.wallMs(),
    };
    this.#resolve(decoded(raw));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#sent) this.#resolve({ kind: 'lost', message: lostMessage(error, this.#status) });
    else
      this.#resolve({
        kind: 'not_sent',
        cause: this.#late ? 'late' : causeOf(error),
        message: messageOf(error),
      });
  }

  #kept(headers: Record<string, string | string[] | undefined>): Record<string, string> {
    const kept: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) continue;
      if (KEPT_HEADERS.test(name) || this.#options.keptHeaders.includes(name)) kept[name] = String(value);
    }
    return kept;
  }
}

function lostMessage(error: Error, status: number): string {
  const before = status === 0 ? 'no answer came' : `the answer with status ${status} broke off`;
  return `${before} (${messageOf(error)})`;
}

function tooLarge(): string {
  return `the answer is larger than ${LARGEST_BODY_BYTES / 1024 / 1024} MiB`;
}

/** We ask for plain bytes; a vendor that compresses all the same is unpacked within the same bound. */
function decoded(raw: RawReply): Reply {
  const encoding = raw.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity' || raw.body.length === 0)
    return { kind: 'answered', raw };
  const unpack = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[encoding];
  if (unpack === undefined)
    return { kind: 'lost', message: `the answer is packed as ${encoding}, which we cannot read` };
  try {
    return {
      kind: 'answered',
      raw: { ...raw, body: unpack(raw.body, { maxOutputLength: LARGEST_BODY_BYTES }) },
    };
  } catch (error) {
    return { kind: 'lost', message: `the packed answer cannot be unpacked (${messageOf(error)})` };
  }
}

function causeOf(error: Error): NotSentCause {
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (code === 'ENOTFOUND' || code === 'EAI_NONAME') return 'unresolved';
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(code)) return 'certificate';
  return 'unreachable';
}
