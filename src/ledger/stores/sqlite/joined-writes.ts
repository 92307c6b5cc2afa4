export interface Writing<Entry, Outcome> {
  /**
   * Writes entries in one go, because a statement of many rows takes a fraction of the time, and returns what came of each, in
   * their order. It runs for each entry alone when one of the group is refused.
   */
  readonly work: (entries: readonly Entry[]) => readonly Outcome[];
  /** Which entries belong to a request that was sent: they are written even when the disk is full. None without it. */
  readonly isInFlight?: (entry: Entry) => boolean;
  /** For which entries nothing is sent later: they make no commit by themselves as long as others follow soon. None without it. */
  readonly isPatient?: (entry: Entry) => boolean;
  /** Which entries of a commit come before which; those of one rank stay in the order in which they came. */
  readonly rankOf?: (entry: Entry) => number;
  /** How much of a commit an entry takes; 1 without it. */
  readonly sizeOf?: (entry: Entry) => number;
}

/** What comes of an entry of which nothing is written. */
export class RefusedWrite {
  readonly kind = 'refused';
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

export type Tell<Outcome> = (outcomes: (Outcome | RefusedWrite)[]) => void;

interface List<Outcome> {
  readonly from: number;
  readonly end: number;
  readonly lastRank: number;
  readonly tell: Tell<Outcome>;
}

export type AnyWrites = Omit<JoinedWrites<never, never>, 'add'>;

/** Lists of entries that are written in one go. Each list has one caller, who is told what came of each of its entries. */
export class JoinedWrites<Entry, Outcome> {
  readonly #writing: Writing<Entry, Outcome>;
  /** In the order in which they came, as what comes of them. */
  readonly #entries: Entry[] = [];
  readonly #outcomes: (Outcome | RefusedWrite)[] = [];
  readonly #lists: List<Outcome>[] = [];
  /** The places of the entries that are still to be written, in the order in which that is done. */
  #left: number[] = [];
  #size = 0;
  isOpen = true;

  constructor(writing: Writing<Entry, Outcome>) {
    this.#writing = writing;
  }

  get size(): number {
    return this.#size;
  }

  get left(): readonly number[] {
    return this.#left;
  }

  /** @returns whether all entries of the list are patient. */
  add(entries: readonly Entry[], tell: Tell<Outcome>): boolean {
    const { rankOf, sizeOf } = this.#writing;
    const from = this.#entries.length;
    let [isPatient, lastRank] = [true, 0];
    for (const entry of entries) {
      this.#left.push(this.#entries.push(entry) - 1);
      this.#size += sizeOf?.(entry) ?? 1;
      isPatient &&= this.#writing.isPatient?.(entry) === true;
      lastRank = Math.max(lastRank, rankOf?.(entry) ?? 0);
    }
    this.#lists.push({ from, end: this.#entries.length, lastRank, tell });
    return isPatient;
  }

  close(): void {
    const { rankOf } = this.#writing;
    this.isOpen = false;
    if (rankOf === undefined) return;
    const rankAt = (at: number): number => rankOf(this.#entries[at] as Entry);
    this.#left.sort((one, other) => rankAt(one) - rankAt(other));
  }

  writeAll(): void {
    const outcomes = this.#writing.work(this.#left.map((at) => this.#entries[at] as Entry));
    for (let each = 0; each < this.#left.length; each += 1)
      this.#outcomes[this.#left[each] as number] = outcomes[each] as Outcome;
  }

  writeOne(at: number): void {
    const [outcome] = this.#writing.work([this.#entries[at] as Entry]);
    this.#outcomes[at] = outcome as Outcome;
  }

  isInFlight(at: number): boolean {
    return this.#writing.isInFlight?.(this.#entries[at] as Entry) === true;
  }

  refuse(at: number, error: unknown): void {
    this.#outcomes[at] = new RefusedWrite(error);
  }

  refuseLeft(error: unknown): void {
    for (const at of this.#left) this.refuse(at, error);
  }

  /** Leaves nothing to be written but what is in flight. */
  refuseNew(error: unknown): void {
    for (const at of this.#left) if (!this.isInFlight(at)) this.refuse(at, error);
    this.#left = this.#left.filter((at) => this.isInFlight(at));
  }

  /** Tells every caller what came of the entries of the list, first those whose last entry was written first. */
  tell(): void {
    this.#lists.sort((one, other) => one.lastRank - other.lastRank);
    for (const { from, end, tell } of this.#lists) tell(this.#outcomes.slice(from, end));
  }
}
