import type { StopError } from '../../../core/errors.ts';
import { crashPoint } from '../../../lib/faults.ts';
import { type Connection, concernsOneWrite, diskFull, explained, isDiskFull } from './connection.ts';
import { type AnyWrites, JoinedWrites, RefusedWrite, type Tell, type Writing } from './joined-writes.ts';
import { book } from './money.ts';
import { sumUp } from './table-sums.ts';
import type { Watch } from './watch.ts';

/** Limits a commit to some milliseconds of the event loop, which the rate limiter shares. */
const LARGEST_GROUP = 1000;

/** A group that still grows is committed after as many turns of the event loop: some milliseconds when there is much to do. */
const MOST_TURNS = 4;

/** How long a patient write is kept for the next commit. What a crash loses of it follows from earlier commits. */
const LONGEST_WAIT_MS = 10;

/** So many patient writes wait for no other: the ends and the rows of 64 calls at once are fewer. */
const MOST_WAITING = 200;

export interface GroupCommitOptions {
  readonly connection: Connection;
  readonly watch: Pick<Watch, 'refusal' | 'committed'>;
  readonly folder: string;
  /** Frees room on a full disk, once. */
  readonly makeRoom: () => void;
}

/**
 * Writes that are requested in the same few turns of the event loop share one transaction, and each resolves once that is
 * on the disk: one wait for the disk instead of one per row.
 *
 * A crash before the commit leaves no write of the group, and none was reported as done; a crash after it leaves all of
 * them. An entry that is refused falls out alone, and the others are committed.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #queue: AnyWrites[] = [];
  /** The writes of the queue that further lists may join. */
  #joinable: AnyWrites[] = [];
  #size = 0;
  #scheduled = false;
  /** Runs while all that is queued is patient. */
  #waiting: NodeJS.Timeout | undefined;
  /** How much it was a turn ago, and how many turns the present group has waited. */
  #before = 0;
  #turns = 0;
  #full = false;
  /** Set when the store itself failed: its content is then unknown until it is opened again. */
  #broken: unknown;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** `work` runs inside the group's transaction, and may run twice when another write of the group fails. */
  write<T>(work: () => T): Promise<T> {
    // What comes later is written later: a budget that is set now holds for every intent after it.
    this.#close();
    const add = this.together({ work: () => [work()] });
    return new Promise((resolve, reject) => add([undefined], toldOne(resolve, reject)));
  }

  /**
   * Writes the lists that come until the next commit in one go, and tells what came of each entry of a list. They are written
   * with the first of them, and so before what is written together in other ways meanwhile; a write by itself ends that.
   */
  together<Entry, Outcome>(
    writing: Writing<Entry, Outcome>,
  ): (entries: readonly Entry[], tell: Tell<Outcome>) => void {
    let last: JoinedWrites<Entry, Outcome> | undefined;
    return (entries, tell) => {
      if (last?.isOpen !== true || last.size >= LARGEST_GROUP) {
        last = new JoinedWrites(writing);
        this.#queue.push(last);
        this.#joinable.push(last);
      }
      const before = last.size;
      const isPatient = last.add(entries, tell);
      this.#size += last.size - before;
      this.#expect(isPatient);
    };
  }

  #expect(isPatient: boolean): void {
    if (this.#scheduled) return;
    if (!isPatient || this.#size >= MOST_WAITING) this.#schedule();
    else this.#waiting ??= setTimeout(() => this.#schedule(), LONGEST_WAIT_MS);
  }

  drain(): void {
    this.#endWait();
    while (this.#queue.length > 0) this.#commitGroup(this.#nextGroup());
  }

  /** The writes of the queue, up to the largest group. A list stays whole, however long it is. */
  #nextGroup(): readonly AnyWrites[] {
    this.#close();
    let [count, size] = [0, 0];
    for (; count < this.#queue.length && size < LARGEST_GROUP; count += 1)
      size += this.#queue[count]?.size ?? 0;
    this.#size -= size;
    return this.#queue.splice(0, count);
  }

  /** Nothing joins the writes of the queue from here on. */
  #close(): void {
    for (const writes of this.#joinable) writes.close();
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

  #commitGroup(group: readonly AnyWrites[]): void {
    const refusal = this.#refusal();
    if (refusal !== undefined) refuseNew(group, refusal);
    this.#write(group);
    for (const writes of group) writes.tell();
  }

  #write(group: readonly AnyWrites[]): void {
    try {
      this.#commit(group.filter(({ left }) => left.length > 0));
    } catch (error) {
      if (isDiskFull(error) && !this.#full) this.#writeInFlight(group, error);
      else this.#fail(group, error);
    }
  }

  /** Why only replies to requests in flight are still written: those may have been paid for. */
  #refusal(): StopError | undefined {
    const { folder, watch } = this.#options;
    return this.#full ? diskFull(folder, undefined) : watch.refusal();
  }

  #fail(group: readonly AnyWrites[], error: unknown): void {
    const reason = explained(error, this.#options.folder);
    if (!isDiskFull(error)) this.#broken = reason;
    for (const writes of group) writes.refuseLeft(reason);
  }

  /** The disk has become full: from here on only replies to requests in flight are written, into the freed room. */
  #writeInFlight(group: readonly AnyWrites[], cause: unknown): void {
    this.#full = true;
    this.#options.makeRoom();
    refuseNew(group, diskFull(this.#options.folder, cause));
    this.#write(group);
  }

  #commit(group: readonly AnyWrites[]): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (group.length === 0) return;
    this.#commitAll(group);
    this.#options.watch.committed();
  }

  #commitAll(group: readonly AnyWrites[]): void {
    try {
      this.#transaction(() => {
        for (const writes of group) writes.writeAll();
      });
    } catch (error) {
      if (!concernsOneWrite(error) || isDiskFull(error)) throw error;
      // Savepoints cost a fifth of a small write, so they are only used after a group has failed.
      this.#transaction(() => forEachLeft(group, (writes, at) => this.#apart(writes, at)));
    }
  }

  #transaction(work: () => void): void {
    const { connection } = this.#options;
    connection.begin();
    try {
      work();
      book(connection);
      sumUp(connection);
      crashPoint('before-commit');
      connection.commit();
    } catch (error) {
      connection.rollBack();
      throw error;
    }
    crashPoint('after-commit');
  }

  /** Writes one entry of the group, which is rolled back alone when it is refused. */
  #apart(writes: AnyWrites, at: number): void {
    const { connection } = this.#options;
    connection.run('SAVEPOINT apart');
    try {
      writes.writeOne(at);
      // Each is booked alone, so that the one which is above a cap is the one that is refused.
      book(connection);
      connection.run('RELEASE apart');
    } catch (error) {
      if (!concernsOneWrite(error) || isDiskFull(error)) throw error;
      connection.rollBack('apart');
      connection.run('RELEASE apart');
      // Where another process has the store as well, what it wrote is why this write is refused.
      writes.refuse(at, this.#refusal() ?? explained(error, this.#options.folder));
    }
  }
}

/** Resolves or rejects as a list of one entry tells. */
export const toldOne =
  <T>(resolve: (value: T) => void, reject: (reason: unknown) => void): Tell<T> =>
  ([outcome]) => {
    if (outcome instanceof RefusedWrite) reject(outcome.error);
    else resolve(outcome as T);
  };

function refuseNew(group: readonly AnyWrites[], stopped: unknown): void {
  for (const writes of group) writes.refuseNew(stopped);
}

function forEachLeft(group: readonly AnyWrites[], work: (writes: AnyWrites, at: number) => void): void {
  for (const writes of group) for (const at of writes.left) work(writes, at);
}
