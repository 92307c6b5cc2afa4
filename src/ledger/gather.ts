import { StopError } from '../core/errors.ts';
import { type Db, type Sql, Unanswered } from './db.ts';
import type { CallId, End } from './ends.ts';
import { type Group, type Intent, type Reply, type Row, type Written, writeGroup } from './group.ts';

/** What a place knows of its ledger beside what is in it. */
export interface Keeping {
  /** Why nothing new may be written that a request would follow; undefined while everything is as before. */
  refusal(): StopError | undefined;
  committed(): void;
  /** Frees room on a full disk for what is in flight. @returns whether there was any. */
  makeRoom(): boolean;
}

const isFull = (error: unknown): boolean => error instanceof StopError && error.code === 'disk_full';

/** Whether the others need not suffer: a failed constraint is a bug of ours, and a server that is away or has no room is asked again. */
const concernsOneWrite = (error: unknown): boolean =>
  !(error instanceof StopError) || error instanceof Unanswered;

/** How long what nobody waits for is kept for the next commit. What a crash loses of it follows from earlier commits. */
const LONGEST_WAIT_MS = 10;

/** Of the event loop: some milliseconds where there is much to do. */
const MOST_TURNS = 4;

interface Item extends Partial<Group> {
  readonly isFirst?: boolean;
  readonly work?: (sql: Sql) => Promise<unknown>;
  readonly tell: (found: Written) => void;
  readonly done?: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
}

const isInFlight = ({ replies, ends }: Item): boolean => replies !== undefined || ends !== undefined;

/** Gathers what is written in one turn of the event loop into one transaction, and while that is under way the next. */
export class Gather {
  readonly #db: Db;
  readonly #keeping: Keeping;
  readonly #first = new Set<CallId>();
  /** The highest prices that this process has met; the tables know of later ones. */
  readonly prices = new Map<string, number>();
  /** Numbers groups and calls of this process; each is its own. */
  #newest: number;
  #waiting: Item[] = [];
  #isScheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #idle: Promise<void> = Promise.resolve();
  /** Set once a full disk was met. */
  #full: unknown;
  /** Set when the database itself failed: what it holds is unknown until it is opened again. */
  #broken: unknown;

  constructor(db: Db, worker: number, keeping: Keeping) {
    this.#db = db;
    this.#keeping = keeping;
    this.#newest = worker * 2 ** 32;
  }

  number(): number {
    this.#newest += 1;
    return this.#newest;
  }

  /** @returns whether others had ended its call. */
  async reply(reply: Reply): Promise<'written' | 'late'> {
    const { late } = await this.#add({ replies: [reply] });
    return late.has(reply.call) ? 'late' : 'written';
  }

  /** @returns `over`: others had ended it. @param isPatient that a reply came is on the disk already, so its end may wait a little. */
  async end(end: End, isPatient: boolean): Promise<'written' | 'over'> {
    const { ended } = await this.#add({ ends: [end] }, isPatient);
    return ended.has(end.call) ? 'written' : 'over';
  }

  async rows(rows: readonly Row[]): Promise<void> {
    if (rows.length > 0) await this.#add({ rows }, true);
  }

  /** @returns whether it was admitted. */
  async intent(intent: Intent, isFirst: boolean): Promise<boolean> {
    const { admitted } = await this.#add({ intents: [intent], isFirst });
    return admitted.has(intent.id);
  }

  /** Behind all that was asked for before, and in a transaction of its own. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return new Promise((resolve, fail) => {
      this.#push({ work, tell: () => {}, done: resolve as (result: unknown) => void, fail }, false);
    });
  }

  /** Writes what waits. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0 || this.#isScheduled) {
      this.#schedule();
      await new Promise((resolve) => setImmediate(resolve));
      await this.#idle;
    }
  }

  #add(item: Omit<Item, 'tell' | 'fail'>, isPatient = false): Promise<Written> {
    return new Promise((tell, fail) => this.#push({ ...item, tell, fail }, isPatient));
  }

  #push(item: Item, isPatient: boolean): void {
    this.#waiting.push(item);
    if (!isPatient) this.#schedule();
    else if (!this.#isScheduled) this.#timer ??= setTimeout(() => this.#schedule(), LONGEST_WAIT_MS);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn(0, 1));
  }

  /** A commit writes some pages however much is in it, so it waits while every turn of the event loop brings more. */
  #turn(before: number, turns: number): void {
    const { length } = this.#waiting;
    if (length > before && turns <= MOST_TURNS) setImmediate(() => this.#turn(length, turns + 1));
    else this.#idle = this.#run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const at = this.#waiting.findIndex(({ work }) => work !== undefined);
      if (at === 0) await this.#work(this.#waiting.shift() as Item);
      else await this.#write(this.#waiting.splice(0, at === -1 ? this.#waiting.length : at));
    }
    this.#isScheduled = false;
  }

  async #work({ work, done, fail }: Item): Promise<void> {
    try {
      const refusal = this.#broken ?? this.#keeping.refusal();
      if (refusal !== undefined) throw refusal;
      const result = await this.#db.transaction(work as NonNullable<typeof work>);
      this.#keeping.committed();
      done?.(result);
    } catch (error) {
      fail(error);
    }
  }

  async #write(items: readonly Item[]): Promise<void> {
    const refusal = this.#broken ?? this.#keeping.refusal() ?? this.#full;
    const mayBeWritten = (item: Item): boolean => this.#broken === undefined && isInFlight(item);
    const left = refusal === undefined ? items : items.filter(mayBeWritten);
    if (refusal !== undefined) for (const item of items) if (!mayBeWritten(item)) item.fail(refusal);
    if (left.length === 0) return;
    try {
      await this.#writeTogether(left);
    } catch (error) {
      await this.#failed(left, error);
    }
  }

  async #failed(items: readonly Item[], error: unknown): Promise<void> {
    if (isFull(error) && (this.#keeping.makeRoom() || this.#full === undefined)) {
      this.#full = error;
      await this.#write(items);
    } else if (concernsOneWrite(error) && items.length > 1) {
      for (const item of items) await this.#write([item]);
    } else {
      if (!concernsOneWrite(error) && !isFull(error)) this.#broken = error;
      for (const item of items) item.fail(error);
    }
  }

  async #writeTogether(items: readonly Item[]): Promise<void> {
    const group = {
      replies: items.flatMap(({ replies = [] }) => replies),
      ends: items.flatMap(({ ends = [] }) => ends),
      rows: items.flatMap(({ rows = [] }) => rows),
      intents: items.flatMap(({ intents = [] }) => intents),
    };
    const written = await writeGroup(this.#db, group, this.number(), (call) => this.#first.has(call));
    for (const call of written.ended) this.#first.delete(call);
    for (const { isFirst, intents = [] } of items)
      for (const { id } of intents) if (isFirst && written.admitted.has(id)) this.#first.add(id);
    this.#keeping.committed();
    for (const item of items) item.tell(written);
  }
}
