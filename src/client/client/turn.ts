import type { Clock } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';
import type { Admitted } from '../../ledger/ledger.ts';
import type { Reply } from '../judge.ts';
import type { Permit } from '../limits/limiter.ts';
import type { FreeRequest, HttpRequest } from '../request.ts';
import type { Transport } from '../transport.ts';

/** A request that is finished. */
export interface Sent {
  readonly reply: Reply;
  /** Monotonic time at which the request left, or was given up. */
  readonly sentAtMs: number;
}

/** By what the requests of an account leave. */
export interface Sender {
  readonly transport: Transport;
  readonly machine: Clock;
  /** Reads what an answer says about the time, and dates the answer. */
  readonly heard: (reply: Reply, askedMs: number) => Reply;
}

/** Admissions whose request was sent. */
const USED = new WeakSet<Admitted>();

/** The right to send one request now. Its holder ends it, whatever came of it. */
export class Turn {
  readonly #sender: Sender;
  readonly #permit: Permit;
  /**
   * Taken before the commit, so that a process that is stopped in the middle of it is late as well. It is the machine's own
   * calendar, because a jump of that shows that the machine may have slept.
   */
  readonly #intentAt: { readonly monotonicMs: number; readonly wallMs: number };

  constructor(sender: Sender, permit: Permit) {
    const { machine } = sender;
    this.#sender = sender;
    this.#permit = permit;
    this.#intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
  }

  /** Whether it may still be used, after what answers have said since it was given. */
  get holds(): boolean {
    return this.#permit.holds();
  }

  /** Sends what may cost something, once for each admission. */
  send(admission: Admitted, request: HttpRequest, onSent: () => void): Promise<Sent> {
    invariant(!USED.has(admission), 'an admission sends one request');
    USED.add(admission);
    return this.#exchange(request, onSent);
  }

  /** Sends what costs nothing. */
  ask(request: FreeRequest): Promise<Sent> {
    return this.#exchange(request, () => {});
  }

  /** Ends it early, because the ledger admitted nothing: then it frees nothing for which others wait. */
  giveBack(): void {
    this.#permit.giveBack();
  }

  end(): void {
    this.#permit.done();
  }

  async #exchange(request: HttpRequest, onSent: () => void): Promise<Sent> {
    const { transport, machine, heard } = this.#sender;
    const intentAt = this.#intentAt;
    let sentAtMs = intentAt.monotonicMs;
    const left = (): void => {
      sentAtMs = machine.monotonicMs();
      this.#permit.sent();
      onSent();
    };
    const reply = heard(await transport.send(request, { intentAt, onSent: left }), intentAt.wallMs);
    if (reply.kind === 'answered') this.#permit.answered();
    return { reply, sentAtMs };
  }
}
