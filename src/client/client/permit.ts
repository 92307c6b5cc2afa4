import type { Clock } from '../../core/clock.ts';
import { type Admitted, SENT_WITHIN_MS, type Turn } from '../../ledger/ledger.ts';
import type { Reply } from '../judge.ts';
import type { Limiter, PermitState } from '../limits/limiter.ts';
import type { FreeRequest, HttpRequest, TimeRequest } from '../request.ts';
import type { Sending, Transport } from '../transport.ts';

export interface Sent {
  readonly reply: Reply;
  /** When the request left, or was given up, monotonic. */
  readonly sentAtMs: number;
}

export interface Sender {
  readonly transport: Pick<Transport, 'send'>;
  readonly machine: Clock;
  readonly limiter: Limiter;
  readonly heard: (reply: Reply, askedMs: number) => Reply;
}

/** A concurrency slot and the right to send one request now. Its holder gives it back, whatever came of it. */
export class Permit {
  /**
   * Taken before the commit, so that a process that is stopped in the middle of it also counts as late. It is the machine's own
   * calendar, because a jump of that shows that the machine may have slept.
   */
  readonly intentAt: Sending['intentAt'];
  readonly #sender: Sender;
  readonly #turn: Turn | undefined;
  #state: PermitState | 'done' = 'in hand';
  #isInSlot = true;

  /** @param turn its place in the line of all processes, where there is one. */
  constructor(sender: Sender, turn: Turn | undefined) {
    const { machine } = sender;
    this.#sender = sender;
    this.#turn = turn;
    this.intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
  }

  /**
   * Resolves when its request may leave, or could not any more; undefined when that is so. What answers say meanwhile may still forbid
   * it.
   */
  untilDue(): Promise<void> | undefined {
    return this.#turn?.untilDue(this.intentAt.monotonicMs + SENT_WITHIN_MS);
  }

  get holds(): boolean {
    return this.#mayLeave() && this.#sender.limiter.holds();
  }

  /** Whether it may be used in this very turn, to be asked just before its headers leave. */
  #mayLeave(): boolean {
    return this.#turn?.mayLeave() !== false;
  }

  /** Sends what may cost something, once for each admission. */
  send(admission: Admitted, request: HttpRequest, onSent: () => void): Promise<Sent> {
    admission.use();
    return this.#exchange(request, onSent);
  }

  async ask(request: FreeRequest | TimeRequest): Promise<Sent> {
    await this.untilDue();
    return this.#exchange(request, () => {});
  }

  #exchange(request: HttpRequest | TimeRequest, tellSent: () => void): Promise<Sent> {
    const { intentAt } = this;
    const { transport, machine, heard } = this.#sender;
    let sentAtMs = intentAt.monotonicMs;
    const onSent = (): void => {
      sentAtMs = machine.monotonicMs();
      this.#sent();
      tellSent();
    };
    return new Promise((resolve) => {
      const onReply = (raw: Reply): void => {
        const reply = heard(raw, intentAt.wallMs);
        if (reply.kind === 'answered') this.#answered();
        resolve({ reply, sentAtMs });
      };
      transport.send(request, { intentAt, mayLeave: () => this.#mayLeave(), onSent, onReply });
    });
  }

  #sent(): void {
    if (this.#state !== 'in hand') return;
    this.#state = 'sent';
    this.#turn?.left();
    this.#sender.limiter.sent();
  }

  #answered(): void {
    if (this.#state !== 'sent') return;
    this.#state = 'answered';
    this.#turn?.answered();
    this.#sender.limiter.answered();
  }

  /** Its slot is free for another request; the account still counts the request as under way. */
  leaveSlot(): void {
    if (this.#isInSlot) this.#sender.limiter.leave();
    this.#isInSlot = false;
  }

  giveBack(): void {
    if (this.#state !== 'done') {
      this.#turn?.giveBack();
      this.#sender.limiter.done(this.#state);
    }
    this.#state = 'done';
    this.leaveSlot();
  }
}
