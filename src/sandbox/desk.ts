import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, isoTime } from '../core/clock.ts';
import { StopError } from '../core/errors.ts';
import type { RequestHead, SandboxAdmitted, TurnedAway } from './admission.ts';
import { readAuthorization } from './authorization.ts';
import { readBody, sendJson } from './exchange.ts';
import type { Fault, WireFault } from './faults.ts';
import { isMembers, parseJson } from './json.ts';
import type { LineFile } from './line-file.ts';
import { loseReply } from './lost-replies.ts';
import { parametersIn } from './routes.ts';
import { withHeaders } from './vendor.ts';
import type { Handled, Vendors } from './vendors.ts';
import { refusalOf } from './visitors.ts';

/** How much later than others a `slow` answer comes, and the least that is slow at all. */
const SLOW_FACTOR = 10;
const SLOW_LEAST_MS = 500;

export interface DeskParts {
  readonly vendors: Vendors;
  readonly log: LineFile | undefined;
  readonly clock: Clock;
  readonly latencyMs: number;
  /** Fires when the sandbox ends, so that no request waits any longer. */
  readonly closing: AbortSignal;
}

/** Receives requests and sends answers. */
export class Desk {
  readonly #parts: DeskParts;
  url = '';

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /**
   * Never throws for what a client did. A bug, or a book that cannot be written, ends the process, because tests
   * could not trust a book with missing lines.
   */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: target = '', headers } = request;
    const refusal = refusalOf(headers);
    if (refusal !== undefined) return sendJson(response, 403, { error: refusal }, { connection: 'close' });
    if (target.startsWith('/sandbox/')) return this.#control(request, response, target);
    const { vendors } = this.#parts;
    const admission = vendors.admit(headOf(request));
    const received = await this.#body(request);
    if (received === 'gone') return;
    const sequence = vendors.nextSequence();
    const body = { text: received.text, contentType: headers['content-type'] ?? '' };
    const outcome =
      admission.kind === 'turned_away' ? admission : vendors.handle(admission, sequence, body, this.url);
    this.#note(request, sequence, received.text, admission, outcome);
    await this.#wait(outcome.kind === 'handled' ? outcome.fault : undefined);
    const answer = withHeaders(outcome.answer, { 'x-request-id': `sandbox-${sequence}`, ...vendors.date });
    response.sendDate = false;
    if (outcome.kind === 'handled' && outcome.lost !== undefined) {
      await loseReply(outcome.lost, { response, headers: answer.headers ?? {}, body: answer.body });
    } else {
      sendJson(response, answer.status, answer.body, answer.headers);
    }
  }

  async #body(request: IncomingMessage): Promise<'gone' | { readonly text: string | undefined }> {
    try {
      return { text: await readBody(request) };
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

  #note(
    request: IncomingMessage,
    sequence: number,
    text: string | undefined,
    admission: SandboxAdmitted | TurnedAway,
    outcome: TurnedAway | Handled,
  ): void {
    const { log, clock } = this.#parts;
    if (log === undefined) return;
    const { shape, project, account } = readAuthorization(request.headers.authorization);
    const { method, url = '' } = request;
    const body = text === undefined ? null : (parseJson(text) ?? text);
    log.append({
      at: isoTime(clock.wallMs()),
      sequence,
      method,
      path: url,
      operation: admission.kind === 'admitted' ? admission.operation.name : admission.operation,
      authorization: { shape, project, account },
      body: method === 'GET' ? parametersIn(url) : body,
      ...notedOutcome(outcome),
    });
  }

  async #control(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const received = await this.#body(request);
    if (received === 'gone') return;
    const body = parseJson(received.text ?? '');
    try {
      const reply = this.#parts.vendors.control(`${request.method} ${path}`, isMembers(body) ? body : {});
      sendJson(response, reply.status, reply.body);
    } catch (error) {
      if (!(error instanceof StopError)) throw error;
      sendJson(response, 400, { error: `${error.message} ${error.next}` });
    }
  }
}

function headOf({ method = '', url = '', headers }: IncomingMessage): RequestHead {
  const key = headers['idempotency-key'];
  return {
    method,
    target: url,
    authorization: headers.authorization,
    idempotencyKey: typeof key === 'string' && key !== '' ? key : undefined,
  };
}

/** The members of the log about how a request ended. `status` is null when the client sees none. */
function notedOutcome(outcome: TurnedAway | Handled): object {
  if (outcome.kind === 'turned_away') return { fault: null, status: outcome.answer.status, credits: 0 };
  const { fault, lost, answer, credits, inner } = outcome;
  const noted = { fault: fault?.name ?? null, status: seenStatus(lost, answer.status), credits };
  return inner === undefined ? noted : { ...noted, inner };
}

/** The status that the client sees: an answer that is lost halfway begins like a good one. */
function seenStatus(lost: WireFault | undefined, status: number): number | null {
  if (lost === undefined) return status;
  return lost === 'reset' || lost === 'timeout' ? null : 200;
}
