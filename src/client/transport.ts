import zlib, { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { type RawReply, SENT_WITHIN_MS } from '../ledger/ledger.ts';
import { formatDuration } from '../lib/duration.ts';
import { crashPointSoon } from '../lib/faults.ts';
import { Redaction } from '../lib/redaction.ts';
import { isCertificate, isUnresolved, NoTunnel } from './connector.ts';
import type { NotSentCause, Reply } from './judge.ts';
import type { HttpRequest, TimeRequest } from './request.ts';
import { type Carried, Wire, Wires, type WiresOptions } from './transport/wires.ts';

/**
 * Sends a request once and says exactly what is known about it afterwards. Nothing here retries, follows a redirect
 * or sends two requests over one connection at a time: each of those was measured to send a paid request twice.
 */

/** Answers are a few kilobytes; more than this is not one of ours, and memory must not depend on the vendor. */
const LARGEST_BODY_BYTES = 4 * 1024 * 1024;

/** Response headers that are read later: by the judge, by the limiter, or by a person who asks the vendor about a request. */
const KEPT_HEADERS =
  /^(date|age|retry-after|location|content-type|content-encoding|(x-)?rate-?limit.*|.*request-id|.*correlation-id|.*credits.*)$/;

export interface Sending {
  /** When the intent was committed, on the monotonic and the calendar clock: a sleeping machine stops one of them. */
  readonly intentAt: { readonly monotonicMs: number; readonly wallMs: number };
  /** Whether the request may still leave: asked in the very turn in which its first byte would. */
  mayLeave(): boolean;
  /** Called at the moment the first byte leaves. */
  onSent(): void;
  /** Called once, at its end: every event of a request is a kind of reply. No reply holds the key that was sent. */
  onReply(reply: Reply): void;
}

export interface TransportOptions extends WiresOptions {
  /** How long a whole exchange may take, from its start to the last byte. */
  readonly timeoutMs: number;
  /** Headers that the reply keeps besides the usual ones, in lower case. */
  readonly keptHeaders: readonly string[];
  /** Secrets in the requests; they are removed from everything that this returns. */
  readonly keys: readonly string[];
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #wires: Wires;
  readonly #deadlines: Deadlines;
  readonly #redaction: Redaction;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#redaction = new Redaction(options.keys);
    this.#wires = new Wires(options);
    this.#deadlines = new Deadlines(options.timeoutMs);
  }

  /**
   * Resolves when a request may be sent without the risk that it gets the answer to another one. It is to be awaited
   * before a request has its permit and its intent, which must not wait.
   * @returns undefined when it may be sent at once.
   */
  untilQuiet(): Promise<void> | undefined {
    return this.#wires.untilQuiet();
  }

  send(request: HttpRequest | TimeRequest, sending: Sending): void {
    const exchange: Exchange = new Exchange(this.#options, sending, this.#wires, (reply) => {
      // An exchange whose deadline was over before it had a connection fails once more, with that connection.
      if (this.#deadlines.end(exchange)) sending.onReply(redacted(reply, this.#redaction));
    });
    this.#deadlines.begin(exchange);
    this.#wires.dispatch(
      {
        method: request.method,
        path:
          'keyInPath' in request
            ? request.path.replace('{key}', () => request.keyInPath ?? '')
            : request.path,
        headers: { ...request.headers, 'accept-encoding': 'identity' },
        body: request.body ?? null,
        idempotent: false,
        // The server hears "connection: close", and the connection ends with its answer.
        reset: !this.#wires.isReusing,
      },
      exchange,
    );
  }

  close(): Promise<void> {
    this.#deadlines.close();
    return this.#wires.close();
  }
}

/** One request and what comes back, as undici reports it. */
class Exchange implements Dispatcher.DispatchHandler, Carried {
  /** The connection that carries the exchange; a placeholder until that is known. */
  wire = new Wire();
  readonly #options: TransportOptions;
  readonly #sending: Sending;
  readonly #wires: Wires;
  readonly #resolve: (reply: Reply) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #late = false;
  #expired = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: TransportOptions, sending: Sending, wires: Wires, resolve: (reply: Reply) => void) {
    this.#options = options;
    this.#sending = sending;
    this.#wires = wires;
    this.#resolve = resolve;
  }

  /** The deadline has passed. The connection is closed, because anything that comes on it now is too late. */
  expire(): void {
    const error = new Error(`the timeout of ${formatDuration(this.#options.timeoutMs)} passed`);
    this.#expired = true;
    if (this.#controller === undefined) this.#neverLeft(error);
    else this.#controller.abort(error);
  }

  /** undici calls this in the same turn and just before it writes the first byte to an open connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { clock } = this.#options;
    const { intentAt } = this.#sending;
    const ageMs = Math.max(clock.monotonicMs() - intentAt.monotonicMs, clock.wallMs() - intentAt.wallMs);
    // A process that was stopped and woken up would send a request that an earlier decision, or another run, has long taken for lost.
    if (this.#expired || ageMs > SENT_WITHIN_MS) {
      this.#keepBack(controller, `the intent was ${Math.round(ageMs)} ms old`);
      return;
    }
    if (!this.#sending.mayLeave()) {
      this.#keepBack(controller, 'its permit was taken back');
      return;
    }
    this.#controller = controller;
    this.#sent = true;
    this.wire.isBusy = true;
    this.wire.requests += 1;
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
    this.#headers = this.#kept(headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > LARGEST_BODY_BYTES) controller.abort(new Error(tooLarge()));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const { wire } = this;
    wire.isBusy = false;
    this.#wires.answered();
    const raw = this.#takeAnswer();
    // The first answer on a connection belongs to the first request. A later one is only certain when no other follows.
    if (wire.requests <= 1) this.#resolve(decoded(raw));
    else this.#wires.afterClosing(() => this.#resolve(wire.isSpoiled ? SURPLUS : decoded(raw)));
  }

  /** What came. The exchange keeps none of it. */
  #takeAnswer(): RawReply {
    const headers = this.#headers;
    const chunks = this.#chunks;
    this.#headers = {};
    this.#chunks = [];
    const [first] = chunks;
    return {
      status: this.#status,
      headers,
      body: first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks),
      receivedAtMs: this.#options.clock.wallMs(),
    };
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#sent) this.#lost(error);
    else this.#neverLeft(error);
  }

  #lost(error: Error): void {
    this.wire.isBusy = false;
    if (this.#status === 0 && !this.#expired) this.#wires.broke(this.wire);
    this.#resolve({ kind: 'lost', message: lostMessage(error, this.#status) });
  }

  #neverLeft(error: Error): void {
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

/** Deadlines this close together expire at once, so that none of them takes a connection that another must give up. */
const COARSE_MS = 10;

/**
 * The deadlines of the exchanges of one transport. All have the same time, so the oldest is always the next to end, and
 * one timer does for all of them: a timer for each was measured to cost a fifth of the speed.
 *
 * The times are the machine's own and not those of an injected clock, because sockets know no other.
 */
class Deadlines {
  readonly #timeoutMs: number;
  /** The time at which each expires, in the order of sending. */
  readonly #dueMs = new Map<Exchange, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  begin(expiring: Exchange): void {
    this.#dueMs.set(expiring, performance.now() + this.#timeoutMs);
    if (this.#timer === undefined) this.#arm(this.#timeoutMs);
  }

  /** @returns whether it was not over yet. */
  end(expiring: Exchange): boolean {
    return this.#dueMs.delete(expiring);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #arm(inMs: number): void {
    // After a process was stopped and continued, sockets are read first: answers may have come meanwhile.
    this.#timer = setTimeout(() => setImmediate(() => this.#expire()), inMs);
    this.#timer.unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = performance.now();
    for (const [expiring, dueMs] of this.#dueMs) {
      if (dueMs > nowMs + COARSE_MS) {
        this.#arm(dueMs - nowMs);
        return;
      }
      expiring.expire();
    }
  }
}

const SURPLUS: Reply = {
  kind: 'lost',
  message: 'its connection brought more answers than requests, so nobody knows which one belongs to it',
};

function lostMessage(error: Error, status: number): string {
  const before = status === 0 ? 'no answer came' : `the answer with status ${status} broke off`;
  return `${before} (${messageOf(error)})`;
}

function tooLarge(): string {
  return `the answer is larger than ${LARGEST_BODY_BYTES / 1024 / 1024} MiB`;
}

/** We ask for plain bytes; if a vendor compresses all the same, its answer is unpacked within the same bound. */
function decoded(raw: RawReply): Reply {
  try {
    const body = unpackedBySign(unpacked(raw.body, raw.headers['content-encoding']));
    return { kind: 'answered', raw: body === raw.body ? raw : { ...raw, body } };
  } catch (error) {
    return { kind: 'lost', message: `the packed answer cannot be read (${messageOf(error)})` };
  }
}

type Unpacker = (packed: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** A map and not an object: the vendor chooses the names, and an object also has `toString`. */
const UNPACKERS: ReadonlyMap<string, Unpacker> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', (packed, options) => zlib.zstdDecompressSync(packed, options)],
]);

/** Each layer may unpack to the whole bound, so many of them would keep the machine busy for seconds. */
const MOST_LAYERS = 3;

/**
 * Unpacks bytes as the header `content-encoding` says: one name, or a list in the order of packing.
 * @throws Error when the bytes cannot be unpacked, or are more than an answer may have at any layer.
 */
function unpacked(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  const names = encoding
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return body;
  if (names.length > MOST_LAYERS) throw new Error(`it is packed ${names.length} times`);
  return names.reduceRight((packed, name) => {
    const unpack = UNPACKERS.get(name);
    if (unpack === undefined) throw new Error(`it is packed as ${name}, which Rowonce cannot read`);
    return unpack(packed, { maxOutputLength: LARGEST_BODY_BYTES });
  }, body);
}

/** What packed bytes begin with. Those of the other ways begin with nothing of their own. */
const SIGNS: readonly (readonly [name: string, sign: Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
];

/** Unpacks bytes that no header calls packed: nobody could read them, or find the key in them. @throws Error as `unpacked`. */
function unpackedBySign(body: Buffer, layer = 0): Buffer {
  const [name = ''] = SIGNS.find(([, sign]) => beginsWith(body, sign)) ?? [];
  const unpack = UNPACKERS.get(name);
  if (unpack === undefined) return body;
  if (layer === MOST_LAYERS) throw new Error(`it is packed more than ${MOST_LAYERS} times`);
  return unpackedBySign(unpack(body, { maxOutputLength: LARGEST_BODY_BYTES }), layer + 1);
}

function beginsWith(body: Buffer, sign: Buffer): boolean {
  return body.length >= sign.length && sign.compare(body, 0, sign.length) === 0;
}

function redacted(reply: Reply, redaction: Redaction): Reply {
  return reply.kind === 'answered'
    ? { kind: 'answered', raw: redaction.reply(reply.raw) }
    : { ...reply, message: redaction.text(reply.message) };
}

function causeOf(error: Error): NotSentCause {
  if (error instanceof NoTunnel) return error.lasts ? 'proxy' : 'unreachable';
  if (isUnresolved(error)) return 'unresolved';
  return isCertificate(error) ? 'certificate' : 'unreachable';
}
