import { invariant, StopError } from '../core/errors.ts';
import { Unanswered } from '../lib/postgres-server.ts';
import { oneRow } from './context.ts';
import type { Db, Sql } from './db.ts';
import {
  type EndRow,
  type Group,
  type IntentRow,
  isPlain,
  type ReplyRow,
  type Resting,
  type RestingRow,
  type Written,
  writeGroup,
} from './transitions.ts';

/** Knowledge of a store about its ledger that is not in the ledger. */
export interface CommitGuard {
  /** Why nothing new may be written that a request would follow; undefined while everything is as before. */
  refusal(): StopError | undefined;
  committed(): void;
  /** Frees room on a full disk for what is in flight. @returns whether there was any. */
  makeRoom(): boolean;
}

const hasNoRoom = (error: unknown): boolean => error instanceof StopError && error.code === 'disk_full';

/**
 * Whether only one of the writes has failed, so that the others can be written. A failed constraint is a bug
 * of ours. A server that is away or has no room is asked again.
 */
const concernsOneWrite = (error: unknown): boolean =>
  !(error instanceof StopError) || error instanceof Unanswered;

/**
 * How long a write that no one waits for may wait for the next commit. If a crash loses it, it follows again
 * from earlier commits.
 */
const LONGEST_WAIT_MS = 10;

/**
 * A commit waits for so many turns of the event loop, which take some milliseconds where there is much to do.
 */
const MOST_TURNS = 4;

/**
 * A process takes so many numbers at once, and takes the next ones while it has half of them left. Numbers
 * that it does not use are never used.
 */
const NUMBERS_AT_ONCE = 10_000;

/** @returns the last of so many numbers of groups or attempts, which no other process of the ledger has. */
export async function takeNumbers(sql: Sql, count: number): Promise<number> {
  const { last } = await oneRow<{ last: number }>(
    sql,
    `INSERT INTO meta (name, value) VALUES ('numbers', '${count}')
     ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(meta.value AS {int}) + ${count} AS TEXT)
     RETURNING CAST(value AS {int}) AS last`,
  );
  return last;
}

/** A part of a group. */
interface Part {
  readonly reply?: ReplyRow;
  readonly end?: EndRow;
  readonly rows?: readonly RestingRow[];
  readonly fills?: readonly Resting[];
  readonly intent?: IntentRow;
  tell(written: Written): void;
  fail(error: unknown): void;
}

/** Work in a transaction of its own. */
interface OwnTransaction {
  work(): Promise<void>;
  fail(error: unknown): void;
}

const isOwnTransaction = (item: Part | OwnTransaction): item is OwnTransaction => 'work' in item;

function groupOf(items: readonly Part[]): Group {
  const replies: ReplyRow[] = [];
  const ends: EndRow[] = [];
  const rows: RestingRow[] = [];
  const fills: Resting[] = [];
  const intents: IntentRow[] = [];
  for (const item of items) {
    if (item.reply !== undefined) replies.push(item.reply);
    if (item.end !== undefined) ends.push(item.end);
    if (item.rows !== undefined) rows.push(...item.rows);
    if (item.fills !== undefined) fills.push(...item.fills);
    if (item.intent !== undefined) intents.push(item.intent);
  }
  return { replies, ends, rows, fills, intents }; // rule 14c
}

const isInFlight = ({ reply, end }: Part): boolean => reply !== undefined || end !== undefined;

/**
 * Gathers what is written in one turn of the event loop into one transaction, and while that is under way the
 * next. A crash before a commit leaves nothing of it, and one after it all.
 *
 * The replies and ends of a commit resolve first. Their callers judge them, and draw what follows, before
 * anything else happens. Intents resolve behind that, and where the ledger has to be asked what follows, once
 * it has answered. So no request leaves by an intent before the replies beside it have had their say.
 */
export class Gather {
  readonly #db: Db;
  readonly #guard: CommitGuard;
  /** What this process has under way, of calls that the ledger did not know. */
  readonly #first = new Set<number>();
  /** The highest prices that this process has met; the tables know of later ones. */
  readonly prices = new Map<string, number>();
  /** The newest number of a group or an attempt, and the last one that this process has taken. */
  #newest = 0;
  #last = 0;
  #waiting: (Part | OwnTransaction)[] = [];
  /** Whether some of it is to be written without further waiting. */
  #isUrgent = false;
  #isUnderWay = false;
  #timer: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  readonly #concluding = new Set<Promise<unknown>>();
  #ended = Promise.withResolvers<void>();
  /** Set once a full disk was met. */
  #full: unknown;
  /** Set when the database itself failed: what it holds is unknown until it is opened again. */
  #broken: unknown;

  private constructor(db: Db, guard: CommitGuard) {
    this.#db = db;
    this.#guard = guard;
  }

  static async over(db: Db, guard: CommitGuard): Promise<Gather> {
    const gather = new Gather(db, guard);
    await gather.#takeNumbers();
    return gather;
  }

  /** The next number of a group or an attempt. No other process of the ledger has it. */
  number(): number {
    invariant(this.#newest < this.#last, 'a process takes numbers before it runs out of them');
    this.#newest += 1;
    return this.#newest;
  }

  async #takeNumbers(): Promise<void> {
    const last = await this.#db.transaction((sql) => takeNumbers(sql, NUMBERS_AT_ONCE));
    [this.#newest, this.#last] = [last - NUMBERS_AT_ONCE, last];
  }

  reply(reply: ReplyRow): Promise<void> {
    return new Promise((resolve, fail) => this.#push({ reply, tell: () => resolve(), fail }));
  }

  /**
   * @returns `over`: others had ended it. `shared`: it is in doubt, because another call has its id.
   * @param isPatient that a reply came is on the disk already, so its end may wait a little.
   */
  end(end: EndRow, isPatient: boolean): Promise<'ended' | 'over' | 'shared'> {
    return new Promise((resolve, fail) => {
      const tell = (written: Written): void => {
        if (written.shared.has(end.attempt)) resolve('shared');
        else resolve(written.has(end.attempt) ? 'ended' : 'over');
      };
      this.#push({ end, tell, fail }, isPatient);
    });
  }

  async rows(rows: readonly RestingRow[], fills: readonly Resting[]): Promise<void> {
    if (rows.length + fills.length === 0) return;
    await new Promise<Written>((tell, fail) => this.#push({ rows, fills, tell, fail }, true));
  }

  /** @returns whether it was admitted. */
  intent(intent: IntentRow): Promise<boolean> {
    return new Promise((resolve, fail) => {
      this.#push({ intent, tell: (written) => resolve(written.has(intent.id)), fail }); // rule 4
    });
  }

  /** Does the work after all that was asked for before, in a transaction of its own. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return new Promise((resolve, fail) => {
      const inTransaction = async (): Promise<void> => {
        const result = await this.#db.transaction(work);
        this.#guard.committed();
        resolve(result);
      };
      this.#push({ work: inTransaction, fail });
    });
  }

  /** No intent resolves before this has settled. */
  concluding(following: Promise<unknown>): void {
    this.#concluding.add(following);
    const done = (): void => void this.#concluding.delete(following);
    following.then(done, done);
  }

  /** Resolves when the next ends are on the disk: then their calls are known, and their money is released. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Writes what waits. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#isUnderWay) {
      this.#schedule();
      await new Promise((resolve) => setImmediate(resolve));
      await this.#idle;
    }
  }

  #push(item: Part | OwnTransaction, isPatient = false): void {
    this.#waiting.push(item);
    if (isPatient) this.#timer ??= setTimeout(() => this.#schedule(), LONGEST_WAIT_MS);
    else this.#schedule();
  }

  #schedule(): void {
    this.#isUrgent = true;
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    setImmediate(() => this.#turn(0, 1));
  }

  /**
   * A commit writes some pages however much is in it, so it waits while every turn of the event loop brings
   * more.
   */
  #turn(before: number, turns: number): void {
    const { length } = this.#waiting;
    if (length > before && turns <= MOST_TURNS) setImmediate(() => this.#turn(length, turns + 1));
    else this.#idle = this.#run();
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const items = this.#waiting;
    this.#waiting = [];
    // If that fails now, as on a full disk, it is tried again with the next write.
    if (this.#last - this.#newest < NUMBERS_AT_ONCE / 2) await this.#takeNumbers().catch(() => {});
    let parts: Part[] = [];
    for (const item of items) {
      if (!isOwnTransaction(item)) {
        parts.push(item);
        continue;
      }
      await this.#write(parts);
      parts = [];
      await this.#work(item);
    }
    await this.#write(parts);
    this.#isUnderWay = false;
    if (this.#isUrgent) this.#schedule();
  }

  async #work({ work, fail }: OwnTransaction): Promise<void> {
    try {
      const refusal = this.#broken ?? this.#guard.refusal();
      if (refusal !== undefined) throw refusal;
      await work();
    } catch (error) {
      fail(error);
    }
  }

  async #write(items: readonly Part[]): Promise<void> {
    if (items.length === 0) return;
    const refusal = this.#broken ?? this.#guard.refusal() ?? this.#full;
    const mayBeWritten = (item: Part): boolean => this.#broken === undefined && isInFlight(item);
    const writableItems = refusal === undefined ? items : items.filter(mayBeWritten);
    if (refusal !== undefined) for (const item of items) if (!mayBeWritten(item)) item.fail(refusal);
    if (writableItems.length === 0) return;
    try {
      await this.#writeTogether(writableItems);
    } catch (error) {
      await this.#failed(writableItems, error);
    }
  }

  async #failed(items: readonly Part[], error: unknown): Promise<void> {
    if (hasNoRoom(error) && (this.#guard.makeRoom() || this.#full === undefined)) {
      this.#full = error;
      await this.#write(items);
    } else if (concernsOneWrite(error) && items.length > 1) {
      for (const item of items) await this.#write([item]);
    } else {
      if (!concernsOneWrite(error) && !hasNoRoom(error)) this.#broken = error;
      for (const item of items) item.fail(error);
    }
  }

  async #writeTogether(items: readonly Part[]): Promise<void> {
    const group = groupOf(items);
    const written = await writeGroup(this.#db, group, this.number(), (attempt) => this.#first.has(attempt));
    for (const { attempt } of group.ends) this.#first.delete(attempt);
    for (const intent of group.intents)
      if (isPlain(intent) && intent.replaces === null && written.has(intent.id)) this.#first.add(intent.id);
    this.#guard.committed();
    for (const item of items) if (item.intent === undefined) item.tell(written);
    if (group.ends.length > 0) {
      this.#ended.resolve();
      this.#ended = Promise.withResolvers();
    }
    if (group.intents.length > 0) this.#tellIntents(items, written);
  }

  /**
   * A tick comes when no promise is left to go on. A turn of the event loop would let replies in between, and
   * make commits smaller.
   */
  #tellIntents(items: readonly Part[], written: Written): void {
    process.nextTick(async () => {
      if (this.#concluding.size > 0) await Promise.allSettled(this.#concluding);
      for (const item of items) if (item.intent !== undefined) item.tell(written);
    });
  }
}
