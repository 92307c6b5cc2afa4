import type { Clock } from '../../core/clock.ts';
import type { Admitted } from '../../ledger/ledger.ts';
import type { Reply } from '../judge.ts';
import type { Permit } from '../limits/limiter.ts';
import type { FreeRequest, HttpRequest } from '../request.ts';
import type { Sending, Transport } from '../transport.ts';

export interface Sent {
  readonly reply: Reply;
  /** When the request left, or was given up, monotonic. */
  readonly sentAtMs: number;
}

/** Hears what becomes of a request. It only takes note, because it is called from the middle of the socket's work. */
export interface Asker {
  sent(): void;
  replied(sent: Sent): void;
}

const NOBODY: Asker = { sent() {}, replied() {} };

export interface Sender {
  readonly transport: Transport;
  readonly machine: Clock;
  readonly heard: (reply: Reply, askedMs: number) => Reply;
}

/** The right to send one request now. Its holder ends it, whatever came of it. */
export class Turn implements Sending {
  /**
   * Taken before the commit, so that a process that is stopped in the middle of it also counts as late. It is the machine's own
   * calendar, because a jump of that shows that the machine may have slept.
   */
  readonly intentAt: Sending['intentAt'];
  readonly #sender: Sender;
  readonly #permit: Permit;
  #sentAtMs: number;
  #asker: Asker = NOBODY;

  constructor(sender: Sender, permit: Permit) {
    const { machine } = sender;
    this.#sender = sender;
    this.#permit = permit;
    this.intentAt = { monotonicMs: machine.monotonicMs(), wallMs: machine.wallMs() };
    this.#sentAtMs = this.intentAt.monotonicMs;
  }

  get dueMs(): number {
    return this.#permit.dueMs;
  }

  /** Resolves when its request may leave; undefined when that is so. What answers say meanwhile may still forbid it. */
  untilDue(): Promise<void> | undefined {
    const { machine } = this.#sender;
    const leftMs = this.dueMs - machine.monotonicMs();
    // A timer takes whole milliseconds.
    return leftMs > 0 ? machine.sleep(Math.ceil(leftMs)) : undefined;
  }

  get holds(): boolean {
    return this.#permit.holds();
  }

  /** Sends what may cost something, once for each admission. */
  send(admission: Admitted, request: HttpRequest, asker: Asker): void {
    admission.use();
    this.#exchange(request, asker);
  }

  async ask(request: FreeRequest): Promise<Sent> {
    await this.untilDue();
    return new Promise((resolve) => this.#exchange(request, { ...NOBODY, replied: resolve }));
  }

  end(): void {
    this.#permit.done();
  }

  mayLeave(): boolean {
    return this.#permit.mayLeave();
  }

  onSent(): void {
    this.#sentAtMs = this.#sender.machine.monotonicMs();
    this.#permit.sent();
    this.#asker.sent();
  }

  onReply(raw: Reply): void {
    const reply = this.#sender.heard(raw, this.intentAt.wallMs);
    if (reply.kind === 'answered') this.#permit.answered();
    this.#asker.replied({ reply, sentAtMs: this.#sentAtMs });
  }

  #exchange(request: HttpRequest, asker: Asker): void {
    this.#asker = asker;
    this.#sender.transport.send(request, this);
  }
}
