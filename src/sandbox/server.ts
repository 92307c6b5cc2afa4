import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../core/clock.ts';
import { asStop, messageOf, stop } from '../core/errors.ts';
import { type Fault, loseReply } from './faults.ts';
import { isMembers, jsonIn } from './json.ts';
import { type PlayedDialect, PlayedVendor } from './played.ts';
import { withHeaders } from './vendor.ts';
import { type Extension, type Translator, type VendorOptions, Vendors } from './vendors.ts';

/** The sandbox as an HTTP server on this machine alone: it receives requests and sends answers. */

/** Longer than any client keeps a connection idle, so that only faults cause resets. */
const KEEP_ALIVE_MS = 65_000;

export interface SandboxOptions extends VendorOptions {
  /** The vendor that is played in place of the provider; its share of matches is its own if left out. */
  readonly played?: PlayedDialect;
  /** The port; 0 or left out for any free one. */
  readonly port?: number;
  readonly latencyMs?: number;
}

export interface RunningSandbox {
  readonly url: string;
  readonly port: number;
  /** Ends every connection, answered or not, and closes the book. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. A StopError (usage) when an option, the book or the port cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const { port: wanted = 0, extension, latencyMs = 0, clock = systemClock } = options;
  const played = options.played && new PlayedVendor(options.played);
  const translator = played ?? extension?.translator;
  const vendors = await Vendors.open(played === undefined ? options : played.playing(options));
  const closing = new AbortController();
  try {
    const { exchanged } = extension ?? {};
    const desk = new Desk({ vendors, translator, exchanged, clock, latencyMs, closing: closing.signal });
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
      desk.receive(request, response),
    );
    const port = await listen(server, wanted);
    desk.url = `http://127.0.0.1:${port}`;
    const close = async (): Promise<void> => {
      if (closing.signal.aborted) return;
      closing.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      vendors.close();
    };
    return { url: desk.url, port, close };
  } catch (error) {
    vendors.close();
    throw error;
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const fact = `Port ${port} cannot be used: ${messageOf(error)}.`;
    throw stop('usage', fact, 'Name another with --port, or 0 for any.');
  }
  return (server.address() as AddressInfo).port;
}

// ---------------------------------------------------------------------------------------------- one exchange

/** How much later than others a `slow` answer comes, and the least that is slow at all. */
const SLOW_FACTOR = 10;
const SLOW_LEAST_MS = 500;

interface DeskParts {
  readonly vendors: Vendors;
  readonly translator: Translator | undefined;
  readonly exchanged: Extension['exchanged'] | undefined;
  readonly clock: Clock;
  readonly latencyMs: number;
  /** Fires when the sandbox ends, so that no request waits any longer. */
  readonly closing: AbortSignal;
}

class Desk {
  readonly #parts: DeskParts;
  url = '';

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /**
   * Never throws for what a client did. A bug, or a book that cannot be written, ends the process, because
   * tests could not trust a book with missing lines.
   */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: target = '', headers } = request;
    // A request for the time alone has no key, and comes from no client of a vendor.
    if (request.method === 'HEAD') return this.#tellTime(response);
    if (target.startsWith('/sandbox/')) return this.#control(request, response, target);
    const { vendors, translator, exchanged } = this.#parts;
    const head = { method: request.method ?? '', target, headers };
    // What is asked of a translator may stand in the body alone.
    const early = translator === undefined ? vendors.admit(head) : undefined;
    const received = await this.#body(request);
    if (received === 'gone') return;
    const translatedRequest = translator?.requestOf(head, received.text) ?? { head, text: received.text };
    const admission = early ?? vendors.admit(translatedRequest.head);
    const sequence = vendors.nextSequence();
    const body = { text: translatedRequest.text, contentType: headers['content-type'] ?? '' };
    const handled =
      admission.kind === 'turned_away' ? admission : vendors.handle(admission, sequence, body, this.url);
    const outcome = translator?.translate(handled, translatedRequest.head) ?? handled;
    const { method = '', url = '' } = request;
    const { headers: ofAsked } = translatedRequest.head;
    exchanged?.({ sequence, method, url, headers: ofAsked, text: received.text, admission, outcome });
    await this.#wait(outcome.kind === 'handled' ? outcome.fault : undefined);
    const answer = withHeaders(outcome.answer, { 'x-request-id': `sandbox-${sequence}`, ...vendors.date });
    response.sendDate = false;
    if (outcome.kind === 'handled' && outcome.lost !== undefined) {
      await loseReply(outcome.lost, { response, headers: answer.headers ?? {}, body: answer.body });
    } else {
      sendJson(response, answer.status, answer.body, answer.headers);
    }
  }

  #tellTime(response: ServerResponse): void {
    response.sendDate = false;
    sendJson(response, 404, {}, this.#parts.vendors.date);
  }

  async #body(request: IncomingMessage): Promise<'gone' | { readonly text: string | undefined }> {
    try {
      return { text: await textOf(request) };
    } catch {
      // The request did not arrive whole, so the vendor does nothing for it.
      return 'gone';
    }
  }

  async #wait(fault: Fault | undefined): Promise<void> {
    const { latencyMs, clock, closing } = this.#parts;
    const waitMs = fault?.kind === 'slow' ? Math.max(latencyMs * SLOW_FACTOR, SLOW_LEAST_MS) : latencyMs;
    // The sleep is interrupted when the sandbox ends, which has destroyed the connection already.
    if (waitMs > 0) await clock.sleep(waitMs, closing).catch(() => undefined);
  }

  async #control(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const received = await this.#body(request);
    if (received === 'gone') return;
    const body = jsonIn(received.text ?? '');
    try {
      const reply = this.#parts.vendors.control(`${request.method} ${path}`, isMembers(body) ? body : {});
      sendJson(response, reply.status, reply.body);
    } catch (error) {
      const { message, next } = asStop(error);
      sendJson(response, 400, { error: `${message} ${next}` });
    }
  }
}

/** A larger request is refused and not kept in memory. No real request is so large. */
const MOST_REQUEST_BYTES = 1024 * 1024;

/**
 * The whole body as text; undefined when it is too large. Rejects when the client goes away before its end.
 */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // The body is read to its end, because a client that is still sending would take an early answer for a
    // reset.
    if (bytes <= MOST_REQUEST_BYTES) chunks.push(chunk);
  }
  return bytes <= MOST_REQUEST_BYTES ? Buffer.concat(chunks).toString('utf8') : undefined;
}

/** Sends a whole, well-formed answer. It does not matter whether the client has gone away. */
function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
