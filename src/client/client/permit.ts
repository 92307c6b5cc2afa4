import type { Clock } from '../../core/clock.ts';
import { type Admitted, SENT_WITHIN_MS } from '../../ledger/ledger.ts';
import type { Reply } from '../judge.ts';
import type { Limiter, RatePermit } from '../limits/limiter.ts';
import type { FreeRequest, HttpRequest, TimeRequest } from '../request.ts';
import type { Sending, Transport } from '../transport.ts';

export interface Sent {
  readonly reply: Reply;
  /** When the request left, or was given up, monotonic. */
  readonly sentAtMs: number;
}

export interface Sender {
  readonly transport: Transport;
  readonly machine: Clock;
  readonly limiter: Pick<Limiter, 'leave'>;
  readonly heard: (reply: Reply, askedMs: number) => Reply;
}

/** A concurrency slot and the right to send one request now. Its holder gives it back, whatever came of it. */
export class Permit implements Sending {
  /**
   * Taken before the commit, so that a process that is stopped in the middle of it also counts as late. It is the machine's own
   * calendar, because a jump of that shows that the machine may have slept.
   */
  readonly intentAt: Sending['intentAt'];
  readonly #sender: Sender;
  readonly #rate: RatePermit;
  #sentAtMs: number;
  #isInSlot = true;
  #tellSent = (): void => {};
  #tellReply: (sent: Sent) => void = () => {};

  constructor(sender: Sender, rate: RatePermit) {
    const { machine } = sender;
    this.#sender = sender;
    this.#rate = rate;
    this.intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
    this.#sentAtMs = this.intentAt.monotonicMs;
  }

  /**
   * Resolves when its request may leave, or could not any more; undefined when that is so. What answers say meanwhile may still forbid
   * it.
   */
  untilDue(): Promise<void> | undefined {
    return this.#rate.untilDue(this.intentAt.monotonicMs + SENT_WITHIN_MS);
  }

  get holds(): boolean {
    return this.#rate.holds();
  }

  /** Sends what may cost something, once for each admission. */
  send(admission: Admitted, request: HttpRequest, onSent: () => void): Promise<Sent> {
    admission.use();
    this.#tellSent = onSent;
    return this.#exchange(request);
  }

  async ask(request: FreeRequest | TimeRequest): Promise<Sent> {
    await this.untilDue();
    return this.#exchange(request);
  }

  #exchange(request: HttpRequest | TimeRequest): Promise<Sent> {
    return new Promise((resolve) => {
      this.#tellReply = resolve;
      this.#sender.transport.send(request, this);
    });
  }

  /** Its slot is free for another request; the account still counts the request as under way. */
  leaveSlot(): void {
    if (this.#isInSlot) this.#sender.limiter.leave();
    this.#isInSlot = false;
  }

  giveBack(): void {
    this.#rate.done();
    this.leaveSlot();
  }

  mayLeave(): boolean {
    return this.#rate.mayLeave();
  }

  onSent(): void {
    this.#sentAtMs = this.#sender.machine.monotonicMs();
    this.#rate.sent();
    this.#tellSent();
  }

  onReply(raw: Reply): void {
    const reply = this.#sender.heard(raw, this.intentAt.wallMs);
    if (reply.kind === 'answered') this.#rate.answered();
    this.#tellReply({ reply, sentAtMs: this.#sentAtMs });
  }
}
