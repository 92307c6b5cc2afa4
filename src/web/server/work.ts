import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { EXIT, stop } from '../../core/errors.ts';
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

export interface Piece extends Order {
  readonly id: string;
  /** Resolves when the work has ended, or was taken out of the line. */
  readonly over: Promise<ChildEnd>;
  readonly end: (ended: ChildEnd) => void;
  child?: Child;
  ended?: ChildEnd;
}

/** How long work of the page waits for another spender of its store, such as a run in a terminal. */
const WAIT = '12h';

/** A person may still ask about this many pieces of work that have ended. */
const MOST_ENDED = 200;

export class Work {
  readonly #program: Program;
  readonly #pieces: Piece[] = [];
  /** Hears of each piece of work that has ended. */
  onEnd: (order: Order, ended: ChildEnd) => unknown = () => {};
  #isClosed = false;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Begins the work now, or when the work before it on the same store has ended. */
  start({ words, store, about }: Order): Piece {
    if (this.#isClosed)
      throw stop('busy', 'The page is ending.', `Start it again: ${commandLine(['serve'])}`);
    const { promise: over, resolve: end } = Promise.withResolvers<ChildEnd>();
    const piece: Piece = { words, store, about, id: randomUUID(), over, end };
    this.#pieces.push(piece);
    this.#advance(store);
    return piece;
  }

  list(): readonly WorkView[] {
    return this.#pieces.map(workView);
  }

  /** Undefined for work that ended long ago. */
  find(id: string): Piece | undefined {
    return this.#pieces.find((each) => each.id === id);
  }

  /** Stops running work in an orderly way, and takes waiting work out of the line. */
  stop(piece: Piece): void {
    if (piece.child !== undefined) piece.child.stop();
    else this.#end(piece, { exitCode: EXIT.terminated, result: undefined, said: '' });
  }

  /**
   * Drains all work and resolves when the last piece has ended.
   * @returns how many pieces had not ended by themselves.
   */
  async close(): Promise<number> {
    this.#isClosed = true;
    const open = this.#pieces.filter(({ ended }) => ended === undefined);
    for (const piece of open) this.stop(piece);
    await Promise.all(open.map(({ over }) => over));
    return open.length;
  }

  #advance(store: string): void {
    const next = this.#pieces.find((each) => each.store === store && each.ended === undefined);
    if (next === undefined || next.child !== undefined) return;
    next.child = startChild(this.#program, withOption(next.words, '--wait', WAIT));
    void next.child.ended.then((ended) => this.#end(next, ended));
  }

  #end(piece: Piece, ended: ChildEnd): void {
    if (piece.ended !== undefined) return;
    piece.ended = ended;
    void this.onEnd(piece, ended);
    piece.end(ended);
    const over = this.#pieces.filter((each) => each.ended !== undefined);
    for (const each of over.slice(0, -MOST_ENDED)) this.#pieces.splice(this.#pieces.indexOf(each), 1);
    this.#advance(piece.store);
  }
}

const Printed = z.object({ batch: z.string(), sample: SampleObject.optional() });

/** The words of an order begin with the name of its command. */
const kindOf = ([command]: readonly string[]): WorkView['kind'] =>
  command === 'undo' || command === 'nightly' ? command : 'run';

export function workView({ id, words, about, child, ended }: Piece): WorkView {
  const { stopped = null, budget_to_finish } = stoppedIn(ended?.result) ?? {};
  const { batch = null, sample } = Printed.safeParse(ended?.result).data ?? {};
  return {
    id,
    kind: kindOf(words),
    about,
    batch,
    state: ended !== undefined ? 'ended' : child === undefined ? 'waiting' : 'working',
    exit_code: ended?.exitCode ?? null,
    stopped,
    ...present({ budget_to_finish, sample }),
    said: ended?.said ?? null,
  };
}
