import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, isoTime } from '../clock.ts';
import { StopError } from '../errors.ts';
import { readAuthorization } from './authorization.ts';
import { control } from './control.ts';
import { readBody, sendJson } from './exchange.ts';
import type { Fault } from './faults.ts';
import { isMembers, parseJson } from './json.ts';
import type { LineFile } from './line-file.ts';
import { loseReply } from './lost-replies.ts';
import type { Handled, TurnedAway, Vendors } from './vendors.ts';

/** How much later than others a `slow` answer comes, and the least that is slow at all. */
const SLOW_FACTOR = 10;
const SLOW_LEAST_MS = 500;

/** What a 429 that is a fault asks for. */
const FAULT_RETRY_MS = 1000;

export interface DeskParts {
  readonly vendors: Vendors;
  readonly log: LineFile | undefined;
  readonly clock: Clock;
  readonly latencyMs: number;
  /** Fires when the sandbox ends, so that nothing waits on. */
  readonly closing: AbortSignal;
}

/** Where requests come in and answers go out. */
export class Desk {
  readonly #parts: DeskParts;
  url = '';

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /**
   * Never throws for what a client did. A bug, or a book that cannot be written, ends the process: a judge that has
   * lost count is none.
   */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    if (path.startsWith('/sandbox/')) return this.#control(request, response, path);
    const { vendors } = this.#parts;
    const admission = vendors.admit(method, path, headers.authorization);
    const received = await this.#body(request);
    if (received === 'gone') return;
    const sequence = vendors.nextSequence();
    const requestId = { 'x-request-id': `sandbox-${sequence}` };
    if (admission.kind === 'turned_away') {
      this.#note(request, sequence, received.text, admission);
      return this.#turnAway(response, requestId, admission);
    }
    const handled = vendors.handle(admission, sequence, received.text, headers['content-type'] ?? '');
    this.#note(request, sequence, received.text, handled);
    await this.#wait(handled.fault);
    await this.#answer(response, path, requestId, handled);
  }

  async #turnAway(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { status, error, retryAfter }: TurnedAway,
  ): Promise<void> {
    await this.#wait(undefined);
    const wait = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    sendJson(response, status, { error }, { ...headers, ...wait });
  }

  async #body(request: IncomingMessage): Promise<'gone' | { readonly text: string | undefined }> {
    try {
      return { text: await readBody(request) };
    } catch {
      // Not received whole: for the vendor it never happened.
      return 'gone';
    }
  }

  async #wait(fault: Fault | undefined): Promise<void> {
    const { latencyMs, clock, closing } = this.#parts;
    const waitMs = fault?.kind === 'slow' ? Math.max(latencyMs * SLOW_FACTOR, SLOW_LEAST_MS) : latencyMs;
    // A sandbox that ends has destroyed the connection already.
    if (waitMs > 0) await clock.sleep(waitMs, closing).catch(() => undefined);
  }

  async #answer(
    response: ServerResponse,
    path: string,
    headers: Readonly<Record<string, string>>,
    handled: Handled,
  ): Promise<void> {
    const { decision, fault } = handled;
    if (fault === undefined || fault.kind === 'slow') {
      return sendJson(response, decision.status, decision.body, headers);
    }
    await loseReply(fault.kind, {
      response,
      headers,
      body: decision.body,
      location: `${this.url}/moved${path}`,
      rateLimitHeaders: () => {
        const retryAfter = this.#parts.vendors.retryAfter(FAULT_RETRY_MS);
        return retryAfter === undefined ? {} : { 'retry-after': retryAfter };
      },
    });
  }

  #note(
    request: IncomingMessage,
    sequence: number,
    text: string | undefined,
    outcome: TurnedAway | Handled,
  ): void {
    const { log, clock } = this.#parts;
    if (log === undefined) return;
    const { shape, project, account } = readAuthorization(request.headers.authorization);
    log.append({
      at: isoTime(clock.wallMs()),
      sequence,
      method: request.method,
      path: request.url,
      authorization: { shape, project, account },
      body: text === undefined ? null : (parseJson(text) ?? text),
      ...notedOutcome(outcome),
    });
  }

  async #control(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const received = await this.#body(request);
    if (received === 'gone') return;
    const body = parseJson(received.text ?? '');
    try {
      const reply = control(this.#parts.vendors, `${request.method} ${path}`, isMembers(body) ? body : {});
      sendJson(response, reply.status, reply.body);
    } catch (error) {
      if (!(error instanceof StopError)) throw error;
      sendJson(response, 400, { error: `${error.message} ${error.next}` });
    }
  }
}

/** What the log says about how a request ended. `status` is null where the client never sees one. */
function notedOutcome(outcome: TurnedAway | Handled): {
  fault: string | null;
  status: number | null;
  credits: number;
} {
  if ('kind' in outcome) return { fault: null, status: outcome.status, credits: 0 };
  const { fault, decision, credits } = outcome;
  return {
    fault: fault?.name ?? null,
    status: fault === undefined ? decision.status : statusOf(fault, decision.status),
    credits,
  };
}

function statusOf({ kind }: Fault, decided: number): number | null {
  if (typeof kind === 'object') return kind.status;
  if (kind === 'slow') return decided;
  return kind === 'reset' || kind === 'timeout' ? null : 200;
}
