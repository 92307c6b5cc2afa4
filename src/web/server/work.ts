import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { EXIT, invariant, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { commandLine, withOption } from '../../lib/command-line.ts';
import { SampleObject } from '../../objects/plan-object.ts';
import type { WorkView } from '../api.ts';
import { type Child, type ChildEnd, type Program, startChild, stoppedIn } from './children.ts';

/**
 * Work that the page has started and that spends, changes or decides. A store has one spender at a time, so
 * work on one store waits in line. When the server ends, running work is drained by the end of its standard
 * input, and waiting work never begins. Then only the batches in the ledger are left, and each goes on by its
 * own command.
 */

export interface Order {
  /** The words after `rowonce`, without `--json`. */
  readonly words: readonly string[];
  /** The store's folder. Work on one folder waits in one line. */
  readonly store: string;
  readonly about: string;
}

interface Item extends Order {
  readonly id: string;
  /** Resolves when the work has ended, or was taken out of the line. */
  readonly over: PromiseWithResolvers<ChildEnd>;
  child?: Child;
  ended?: ChildEnd;
}

/** How long work of the page waits for another spender of its store, such as a run in a terminal. */
const WAIT = '12h';

/** A person may still ask about this many pieces of work that have ended. */
const MOST_ENDED = 200;

export class Work {
  readonly #program: Program;
  readonly #items: Item[] = [];
  readonly #heard: ((order: Order, ended: ChildEnd) => unknown)[] = [];
  #isClosed = false;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Begins the work now, or when the work before it on the same store has ended. */
  start(order: Order): WorkView {
    if (this.#isClosed)
      throw stop('busy', 'The page is ending.', `Start it again: ${commandLine(['serve'])}`);
    const over = Promise.withResolvers<ChildEnd>();
    const item: Item = { ...order, id: randomUUID(), over };
    this.#items.push(item);
    this.#advance(item.store);
    return workView(item);
  }

  /** Begins work once more, with other words. @returns undefined where it ended long ago. */
  again(id: string, wordsFor: (words: readonly string[]) => readonly string[]): WorkView | undefined {
    const item = this.#items.find((each) => each.id === id);
    if (item === undefined) return undefined;
    const { words, store, about } = item;
    return this.start({ words: wordsFor(words), store, about });
  }

  /** Hears of each piece of work that has ended. */
  onEnd(hear: (order: Order, ended: ChildEnd) => unknown): void {
    this.#heard.push(hear);
  }

  list(): readonly WorkView[] {
    return this.#items.map(workView);
  }

  /** Undefined for work that ended long ago. */
  find(id: string): WorkView | undefined {
    const item = this.#items.find((each) => each.id === id);
    return item && workView(item);
  }

  /** What the command of ended work printed under `--json`. */
  resultOf(id: string): unknown {
    return this.#items.find((each) => each.id === id)?.ended?.result;
  }

  async ended(id: string): Promise<ChildEnd> {
    const item = this.#items.find((each) => each.id === id);
    invariant(item !== undefined, `work ${id} is not known`);
    return item.over.promise;
  }

  /** Stops running work in an orderly way, and takes waiting work out of the line. */
  stop(id: string): boolean {
    const item = this.#items.find((each) => each.id === id);
    if (item === undefined || item.ended !== undefined) return false;
    if (item.child !== undefined) item.child.stop();
    else this.#end(item, { exitCode: EXIT.terminated, result: undefined, said: '' });
    return true;
  }

  /**
   * Drains all work and resolves when the last piece has ended.
   * @returns how many pieces had not ended by themselves.
   */
  async close(): Promise<number> {
    this.#isClosed = true;
    const open = this.#items.filter(({ ended }) => ended === undefined);
    for (const { id } of open) this.stop(id);
    await Promise.all(open.map(({ child }) => child?.ended));
    return open.length;
  }

  #advance(store: string): void {
    const next = this.#items.find((item) => item.store === store && item.ended === undefined);
    if (next !== undefined && next.child === undefined) this.#begin(next);
  }

  #begin(item: Item): void {
    item.child = startChild(this.#program, withOption(item.words, '--wait', WAIT));
    void item.child.ended.then((ended) => this.#end(item, ended));
  }

  #end(item: Item, ended: ChildEnd): void {
    item.ended = ended;
    for (const hear of this.#heard) void hear(item, ended);
    item.over.resolve(ended);
    const over = this.#items.filter((each) => each.ended !== undefined);
    for (const each of over.slice(0, -MOST_ENDED)) this.#items.splice(this.#items.indexOf(each), 1);
    this.#advance(item.store);
  }
}

const Printed = z.object({ batch: z.string(), sample: SampleObject.optional() });

/** The words of an order begin with the name of its command. */
export const kindOf = ([command]: readonly string[]): WorkView['kind'] =>
  command === 'undo' || command === 'nightly' ? command : 'run';

function workView({ id, words, about, child, ended }: Item): WorkView {
  const { stopped = null, budget_to_finish } = stoppedIn(ended?.result) ?? {};
  const printed = Printed.safeParse(ended?.result).data;
  return {
    id,
    kind: kindOf(words),
    about,
    batch: printed?.batch ?? null,
    state: ended !== undefined ? 'ended' : child === undefined ? 'waiting' : 'working',
    exit_code: ended?.exitCode ?? null,
    stopped,
    ...present({ budget_to_finish, sample: printed?.sample }),
    said: ended?.said ?? null,
  };
}
