import type { Appending, CallEntry, Outcomes, OutcomesOf, RefusedEntry } from '../ledger/ledger.ts';

export type Written = Outcomes[CallEntry['kind']] | RefusedEntry;

export interface Writer {
  /** The reply is on the disk, or there was none to keep: judges it, and has the end written. @param outcome absent if there was none. */
  judge(outcome?: Written): void;
  /** Draws the consequences for the account, and never throws. @returns a promise only where the ledger has to be asked; it never rejects. */
  apply(): Promise<void> | undefined;
  /** The end is on the disk. */
  closed(outcome: Written): void;
  /** Takes what the ledger says to the intent. @returns whether the request may leave. */
  admit(outcome: Written): boolean;
  /** Whatever was answered has had its consequences. It never throws. */
  leave(): void;
  fail(error: unknown): void;
}

/** The weight of one commit in the average. */
const WEIGHT = 0.1;

/**
 * What the attempts of an account have written goes into the ledger in groups: the replies that came, the ends that were judged
 * since, and the intents for free slots, all that comes in one turn of the event loop. When a group is on the disk, every reply of
 * it is judged, then the consequences of each are drawn, and only then its intents leave. A reply never waits for that: the
 * next group is written while the consequences of this one are still asked about.
 *
 * A crash before a commit leaves no entry of the group, and one after it all of them.
 */
export class Groups {
  readonly #ledger: Appending;
  readonly #gathering: Gathering | undefined;
  #entries: CallEntry[] = [];
  #writers: Writer[] = [];
  #unanswered: Writer[] = [];
  #isScheduled = false;
  #waiting: NodeJS.Timeout | undefined;
  #waitingUntilMs = Number.POSITIVE_INFINITY;
  #commitMs = 0;
  /** Replies that are written or about to be, and have not had their consequences yet: the number of each, oldest first. */
  readonly #unapplied = new Map<Writer, number>();
  #replies = 0;
  /** Those whose intents the present group has brought to the disk, and those of groups before that still wait. */
  #admitted: Writer[] = [];
  readonly #leaving: Leaving[] = [];
  #ended = Promise.withResolvers<void>();

  constructor(ledger: Appending, gathering?: Gathering) {
    this.#ledger = ledger;
    this.#gathering = gathering;
  }

  /**
   * Has the entry written with the others of this turn.
   * @param wantedMs by when it is to be on the disk, monotonic; infinite when nobody waits for it. Where entries are gathered, it waits
   *   so long for others. Left out: it does not.
   */
  add(writer: Writer, entry: CallEntry, wantedMs?: number): void {
    this.#entries.push(entry);
    this.#writers.push(writer);
    if (wantedMs === undefined || this.#gathering === undefined) this.#schedule();
    else this.#gather(this.#gathering, wantedMs);
  }

  /** What the last answer brought comes in the same turn, with the next intent. After it there is nothing to wait for. */
  #gather({ leastMs, longestMs, mayMoreCome }: Gathering, wantedMs: number): void {
    if (!mayMoreCome()) this.#schedule();
    const nowMs = performance.now();
    const waitMs = Math.max(leastMs, Math.min(wantedMs - this.#commitMs - nowMs, longestMs));
    if (nowMs + waitMs >= this.#waitingUntilMs) return;
    this.#waitNoMore();
    this.#waitingUntilMs = nowMs + waitMs;
    this.#waiting = setTimeout(() => this.#write(), waitMs);
  }

  #waitNoMore(): void {
    clearTimeout(this.#waiting);
    this.#waitingUntilMs = Number.POSITIVE_INFINITY;
  }

  /** Has an attempt judged in this turn whose request got no reply that could be kept. */
  addUnanswered(writer: Writer): void {
    this.#unanswered.push(writer);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#write());
  }

  #write(): void {
    this.#isScheduled = false;
    const unanswered = this.#unanswered;
    this.#unanswered = [];
    for (const writer of unanswered) this.#await(writer);
    for (const writer of unanswered) this.#take('reply', writer);
    this.append();
    this.#apply(unanswered);
  }

  /** Resolves when the next ends are on the disk: then their calls are known, and their money is released. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Has everything that waits written at once, so that it has its place in the ledger before what is written next. */
  append(): void {
    this.#waitNoMore();
    const entries = this.#entries;
    const writers = this.#writers;
    if (entries.length === 0) return;
    this.#entries = [];
    this.#writers = [];
    for (const [at, writer] of writers.entries()) if (entries[at]?.kind === 'reply') this.#await(writer);
    const beganMs = performance.now();
    this.#ledger.append(entries).then(
      (outcomes) => {
        this.#commitMs += (performance.now() - beganMs - this.#commitMs) * WEIGHT;
        this.#written(entries, writers, outcomes);
      },
      (error: unknown) => {
        for (const writer of writers) {
          writer.fail(error);
          this.#applied(writer);
        }
      },
    );
  }

  #await(writer: Writer): void {
    this.#replies += 1;
    this.#unapplied.set(writer, this.#replies);
  }

  #written(
    entries: readonly CallEntry[],
    writers: readonly Writer[],
    outcomes: OutcomesOf<readonly CallEntry[]>,
  ): void {
    const takeAll = (kind: CallEntry['kind']): void => {
      for (let at = 0; at < entries.length; at += 1)
        if (entries[at]?.kind === kind) this.#take(kind, writers[at] as Writer, outcomes[at]);
    };
    takeAll('reply');
    this.#apply(writers.filter((_, at) => entries[at]?.kind === 'reply'));
    takeAll('end');
    if (entries.some(({ kind }) => kind === 'end')) {
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    }
    takeAll('intent');
    if (this.#admitted.length > 0) this.#leaving.push({ writers: this.#admitted, after: this.#replies });
    this.#admitted = [];
    this.#leave();
  }

  #take(kind: CallEntry['kind'], writer: Writer, outcome?: Written): void {
    try {
      if (kind === 'reply') writer.judge(outcome);
      else if (kind === 'end') writer.closed(outcome as Written);
      else if (writer.admit(outcome as Written)) this.#admitted.push(writer);
    } catch (error) {
      writer.fail(error);
    }
  }

  #apply(writers: readonly Writer[]): void {
    for (const writer of writers) {
      const applying = writer.apply();
      if (applying === undefined) this.#unapplied.delete(writer);
      else void applying.then(() => this.#applied(writer));
    }
    if (writers.length > 0) this.#leave();
  }

  #applied(writer: Writer): void {
    this.#unapplied.delete(writer);
    this.#leave();
  }

  /** Lets the requests leave whose intents are on the disk, unless the consequences of a reply before are still asked about. */
  #leave(): void {
    const [oldest = Number.POSITIVE_INFINITY] = this.#unapplied.values();
    for (let [first] = this.#leaving; first !== undefined && first.after < oldest; [first] = this.#leaving) {
      this.#leaving.shift();
      for (const writer of first.writers) writer.leave();
    }
  }
}

/** How entries wait for others, for a ledger in which each commit takes statements of its own. */
export interface Gathering {
  readonly leastMs: number;
  readonly longestMs: number;
  /** Whether an answer is on its way, which would have entries written. */
  mayMoreCome(): boolean;
}

interface Leaving {
  readonly writers: readonly Writer[];
  /** They wait for the replies up to this number, and for none that comes later, or they would wait as long as any come. */
  readonly after: number;
}
