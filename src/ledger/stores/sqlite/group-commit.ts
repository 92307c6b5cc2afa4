import { StopError } from '../../../core/errors.ts';
import { crashPoint } from '../../../lib/faults.ts';
import { type Connection, concernsOneWrite, diskFull, explained, isDiskFull } from './connection.ts';
import { book } from './money.ts';
import { sumUp } from './table-sums.ts';
import type { Watch } from './watch.ts';
import type { Watermark } from './watermark.ts';

/**
 * What waits for a write: an `in_flight` one belongs to a request that was sent, and is written even when the disk is full;
 * nothing is sent later for a `patient` one, so it makes no commit by itself as long as others follow soon.
 */
type Urgency = 'usual' | 'in_flight' | 'patient';

/**
 * Writes that are requested in the same few turns of the event loop share one transaction, and each resolves once that is
 * on the disk: one wait for the disk instead of one per row.
 *
 * A crash before the commit leaves no write of the group, and none was reported as done; a crash after it leaves all of
 * them, with the watermark behind, which is harmless. An item that is refused falls out alone, and the others are committed.
 */
interface Write {
  readonly work: (items: readonly unknown[]) => Values<unknown>;
  readonly items: Item[];
  /** Whether further items of the same work may join. */
  isOpen: boolean;
  /** What comes before what among the items of one commit. */
  readonly rank?: ((item: unknown) => number) | undefined;
}

/** What the callers get, in the order of their items; undefined where they get nothing. */
type Values<Value> = readonly Value[] | undefined;

/** What is written for one caller. */
interface Item<T = unknown, Value = unknown> {
  readonly item: T;
  readonly urgency: Urgency;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

type Done =
  | { readonly item: Item; readonly value: unknown }
  | { readonly item: Item; readonly error: unknown };

interface Committed {
  readonly done: readonly Done[];
  readonly commits: number;
}

const COUNT_COMMIT = 'UPDATE book SET commits = commits + 1 RETURNING commits';

/** Limits a commit to some milliseconds of the event loop, which the rate limiter shares. */
const LARGEST_GROUP = 1000;

/** A group that still grows is committed after as many turns of the event loop: some milliseconds when there is much to do. */
const MOST_TURNS = 4;

/** How long a patient write is kept for the next commit. What a crash loses of it follows from earlier commits. */
const LONGEST_WAIT_MS = 10;

export interface GroupCommitOptions {
  readonly connection: Connection;
  readonly watermark: Pick<Watermark, 'write'>;
  readonly watch: Pick<Watch, 'refusal' | 'committed'>;
  readonly folder: string;
  /** Frees room on a full disk, once. */
  readonly makeRoom: () => void;
}

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: Write[] = [];
  /** The writes of the queue that further items may join. */
  #joinable: Write[] = [];
  /** How many items the writes of the queue have. */
  #size = 0;
  #scheduled = false;
  /** Runs while all that is queued is patient. */
  #waiting: NodeJS.Timeout | undefined;
  /** How many items there were a turn ago, and how many turns the present group has waited. */
  #before = 0;
  #turns = 0;
  #full = false;
  /** Set when the store itself failed: its content is then unknown until it is opened and checked again. */
  #broken: unknown;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** False after a failure that the next start has to examine. */
  get sound(): boolean {
    return this.#broken === undefined;
  }

  /** `work` runs inside the group's transaction, and may run twice when another write of the group fails. */
  write<T>(work: () => T, urgency: Urgency = 'usual'): Promise<T> {
    // What comes later is written later: a budget that is set now holds for every intent after it.
    this.#close();
    return new Promise((resolve, reject) =>
      this.together(() => [work()])({ item: undefined, urgency, resolve, reject }),
    );
  }

  /**
   * Writes the items that come until the next commit in one go, because a statement of many rows takes a fraction of the time.
   * They are written with the first of them, and so before what is written together in other ways meanwhile; a write by itself
   * ends the list.
   * @param work writes items in their order, and returns what each caller gets. It runs for each item alone when one of the
   *   group is refused.
   * @param rank which items come before which; those of one rank stay in the order in which they came.
   */
  together<T, Value>(
    work: (items: readonly T[]) => Values<Value>,
    rank?: (item: T) => number,
  ): (item: Item<T, Value>) => void {
    let last: Write | undefined;
    return (item) => {
      if (last?.isOpen !== true) {
        last = { work, items: [], isOpen: true, rank } as unknown as Write;
        this.#queue.push(last);
        this.#joinable.push(last);
      }
      last.items.push(item as unknown as Item);
      this.#size += 1;
      if (this.#scheduled) return;
      if (item.urgency === 'patient') this.#waiting ??= setTimeout(() => this.#schedule(), LONGEST_WAIT_MS);
      else this.#schedule();
    };
  }

  /** Commits all waiting writes. */
  drain(): void {
    this.#endWait();
    while (this.#queue.length > 0) this.#commitGroup(this.#nextGroup());
  }

  /** The writes of the queue: as many as there are, up to the largest group. */
  #nextGroup(): readonly Write[] {
    this.#close();
    const group = this.#queue.splice(0, LARGEST_GROUP);
    for (const { items, rank } of group) {
      this.#size -= items.length;
      if (rank !== undefined) items.sort((a, b) => rank(a.item) - rank(b.item));
    }
    return group;
  }

  /** Nothing joins the writes of the queue from here on. */
  #close(): void {
    for (const write of this.#joinable) write.isOpen = false;
    this.#joinable = [];
  }

  #schedule(): void {
    this.#endWait();
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #endWait(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  /** A commit writes some pages however many entries it has, so a group waits while every turn brings more of them. */
  #turn(): void {
    const isGrowing = this.#size > this.#before && this.#size < LARGEST_GROUP;
    if (isGrowing && this.#turns < MOST_TURNS) {
      this.#before = this.#size;
      this.#turns += 1;
      setImmediate(() => this.#turn());
      return;
    }
    this.#before = 0;
    this.#turns = 0;
    this.#scheduled = false;
    this.#commitGroup(this.#nextGroup());
    if (this.#queue.length > 0 && !this.#scheduled) this.#schedule();
  }

  #commitGroup(group: readonly Write[]): void {
    if (group.length === 0) return;
    const refusal = this.#refusal();
    const writable = refusal === undefined ? group : refuseNew(group, refusal);
    try {
      settle(this.#commit(writable));
    } catch (error) {
      if (isDiskFull(error) && !this.#full) this.#commitInFlight(writable, error);
      else if (isDamage(explained(error, this.#options.folder))) this.#rescue(writable, error);
      else this.#fail(writable, error);
    }
  }

  /** Why only replies to requests in flight are still written: those may have been paid for. */
  #refusal(): StopError | undefined {
    const { folder, watch } = this.#options;
    return this.#full ? diskFull(folder, undefined) : watch.refusal();
  }

  /**
   * The ledger is damaged. Not all of its pages are, so replies to requests in flight are written one by one, as far as
   * that is possible: they may have been paid for.
   */
  #rescue(group: readonly Write[], cause: unknown): void {
    this.#broken ??= explained(cause, this.#options.folder);
    for (const [write, item] of itemsOf(group)) {
      try {
        if (item.urgency !== 'in_flight') throw this.#broken;
        const { done, commits } = this.#transaction(() => together({ ...write, items: [item] }), endRescue);
        this.#mark(commits);
        settle(done);
      } catch (error) {
        item.reject(explained(error, this.#options.folder));
      }
    }
  }

  #fail(group: readonly Write[], error: unknown): void {
    const reason = explained(error, this.#options.folder);
    if (!isDiskFull(error)) this.#broken = reason;
    for (const [, item] of itemsOf(group)) item.reject(reason);
  }

  /** The disk has become full: from here on only replies to requests in flight are written, into the freed room. */
  #commitInFlight(group: readonly Write[], cause: unknown): void {
    this.#full = true;
    this.#options.makeRoom();
    this.#commitGroup(refuseNew(group, diskFull(this.#options.folder, cause)));
  }

  #commit(group: readonly Write[]): readonly Done[] {
    if (this.#broken !== undefined) throw this.#broken;
    if (group.length === 0) return [];
    const { done, commits } = this.#committed(group);
    this.#mark(commits);
    this.#options.watch.committed();
    return done;
  }

  #committed(group: readonly Write[]): Committed {
    try {
      return this.#transaction(() => group.flatMap(together));
    } catch (error) {
      if (!concernsOneWrite(error) || isDiskFull(error)) throw error;
      // Savepoints cost a fifth of a small write, so they are only used after a group has failed.
      return this.#transaction(() => itemsOf(group).map(([write, item]) => this.#apart(write, item)));
    }
  }

  #transaction(work: () => readonly Done[], end = endGroup): Committed {
    const { connection } = this.#options;
    connection.begin();
    try {
      const done = work();
      end(connection);
      const counted = connection.get<{ commits: number }>(COUNT_COMMIT);
      crashPoint('before-commit');
      connection.commit();
      return { done, commits: counted?.commits ?? 0 };
    } catch (error) {
      connection.rollBack();
      throw error;
    }
  }

  /** The group is committed by now, so its writes are true whatever happens here; later writes may not be safe. */
  #mark(commits: number): void {
    const { watermark, folder, makeRoom } = this.#options;
    crashPoint('before-watermark');
    try {
      watermark.write(commits);
    } catch (error) {
      this.#broken = explained(error, folder);
      if (!isDiskFull(error) || this.#full) return;
      // Some file systems need free room to overwrite as well.
      this.#full = true;
      makeRoom();
      this.#broken = undefined;
      this.#mark(commits);
    }
  }

  /** Writes one item of the group, which is rolled back alone when it is refused. */
  #apart({ work }: Write, item: Item): Done {
    const { connection } = this.#options;
    connection.run('SAVEPOINT apart');
    try {
      const [value] = work([item.item]) ?? [];
      // Each is booked alone, so that the one which is above a cap is the one that is refused.
      book(connection);
      connection.run('RELEASE apart');
      return { item, value };
    } catch (error) {
      if (!concernsOneWrite(error) || isDiskFull(error)) throw error;
      connection.rollBack('apart');
      connection.run('RELEASE apart');
      // Where another process has the store as well, what it wrote is why this write is refused.
      return { item, error: this.#refusal() ?? error };
    }
  }
}

function endGroup(connection: Connection): void {
  book(connection);
  sumUp(connection);
}

/** A reply moves no money, and is kept whatever became of the tables that count it. */
function endRescue(connection: Connection): void {
  if (book(connection)) sumUp(connection);
}

function refuseNew(group: readonly Write[], stopped: StopError): readonly Write[] {
  for (const [, item] of itemsOf(group)) if (item.urgency !== 'in_flight') item.reject(stopped);
  return group.flatMap((write) => {
    const items = write.items.filter(({ urgency }) => urgency === 'in_flight');
    return items.length === 0 ? [] : [{ ...write, items }];
  });
}

const itemsOf = (group: readonly Write[]): readonly (readonly [Write, Item])[] =>
  group.flatMap((write) => write.items.map((item) => [write, item] as const));

/** Writes all items of a write at once. */
function together({ work, items }: Pick<Write, 'work' | 'items'>): readonly Done[] {
  const values = work(items.map(({ item }) => item)) ?? [];
  return items.map((item, at) => ({ item, value: values[at] }));
}

function isDamage(error: unknown): boolean {
  return error instanceof StopError && error.code === 'store_damaged';
}

function settle(done: readonly Done[]): void {
  for (const each of done) {
    if ('error' in each) each.item.reject(each.error);
    else each.item.resolve(each.value);
  }
}
