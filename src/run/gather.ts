import type { CallEntry, EntryKind, Ledger, Outcomes, RefusedEntry } from '../ledger/ledger.ts';

interface Waiting {
  readonly entry: CallEntry;
  resolve(outcome: Outcomes[EntryKind]): void;
  reject(reason: unknown): void;
}

/**
 * The entries of an account that come in one turn of the event loop are handed to the ledger together, and each caller waits for
 * its own. A crash before a commit leaves no entry of it, and one after it all of them.
 *
 * Replies and ends are told first; who waits for them judges them, and draws what follows, before anything else happens. Intents are
 * told behind that, and where the ledger has to be asked what follows, once it has answered. So no request leaves by an intent
 * before the replies beside it have had their say.
 */
export class Gather {
  readonly #ledger: Pick<Ledger, 'append'>;
  #waiting: Waiting[] = [];
  #isScheduled = false;
  readonly #concluding = new Set<Promise<unknown>>();
  #ended = Promise.withResolvers<void>();

  constructor(ledger: Pick<Ledger, 'append'>) {
    this.#ledger = ledger;
  }

  /** Has the entry written with the others of this turn. @throws what it is refused with. */
  add<Entry extends CallEntry>(entry: Entry): Promise<Outcomes[Entry['kind']]> {
    if (!this.#isScheduled) setImmediate(() => this.append());
    this.#isScheduled = true;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve: resolve as Waiting['resolve'], reject });
    });
  }

  /** No request leaves before what follows from a reply is known. */
  concluding(following: Promise<unknown>): void {
    this.#concluding.add(following);
    const done = (): void => void this.#concluding.delete(following);
    following.then(done, done);
  }

  /** Resolves when the next ends are on the disk: then their calls are known, and their money is released. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Hands over at once what waits, so that it is written before what is written next. */
  append(): void {
    this.#isScheduled = false;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#ledger.append(waiting.map(({ entry }) => entry)).then(
      (outcomes) => this.#tell(waiting, outcomes),
      (error: unknown) => {
        for (const { reject } of waiting) reject(error);
      },
    );
  }

  #tell(waiting: readonly Waiting[], outcomes: readonly (Outcomes[EntryKind] | RefusedEntry)[]): void {
    const intents: (() => void)[] = [];
    let hasEnds = false;
    for (const [at, { entry, resolve, reject }] of waiting.entries()) {
      const outcome = outcomes[at] as Outcomes[EntryKind] | RefusedEntry;
      const tell = (): void => (outcome.kind === 'refused' ? reject(outcome.error) : resolve(outcome));
      if (entry.kind === 'intent') intents.push(tell);
      else tell();
      hasEnds ||= entry.kind === 'end';
    }
    if (hasEnds) {
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    }
    // A tick comes when no promise is left to go on. A turn of the event loop would let replies in between, and make commits smaller.
    if (intents.length > 0) process.nextTick(() => void this.#tellIntents(intents));
  }

  async #tellIntents(intents: readonly (() => void)[]): Promise<void> {
    if (this.#concluding.size > 0) await Promise.allSettled(this.#concluding);
    for (const tell of intents) tell();
  }
}
