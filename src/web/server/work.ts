import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { z } from 'zod';
import { EXIT, messageOf, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { commandLine, withOption } from '../../lib/command-line.ts';
import { SampleObject } from '../../objects/plan-object.ts';
import { StoppedObject } from '../../objects/stop-object.ts';
import { nextWordsOf } from '../../run/batches.ts';
import { findBatch } from '../../run/open-ledger.ts';
import { GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, CommandStopped, HttpRefusal, inListNames } from './answers.ts';
import { isInUse, keptLists } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Work that the page has started and that spends, changes or decides. A store has one spender at a time, so
 * work on one store waits in line. When the server ends, running work is drained by the end of its standard
 * input, and waiting work never begins. Then only the batches in the ledger are left, and each goes on by its
 * own command.
 */

interface Order {
  /** The words after `rowonce`, without `--json`. */
  readonly words: readonly string[];
  /** The store's folder. Work on one folder waits in one line. */
  readonly store: string;
  readonly about: string;
}

interface Piece extends Order {
  readonly id: string;
  /** Resolves when the work has ended, or was taken out of the line. */
  readonly over: PromiseWithResolvers<ChildEnd>;
  child?: Child;
  ended?: ChildEnd;
}

/** How long work of the page waits for another spender of its store, such as a run in a terminal. */
const WAIT = '12h';

/** A page that is open for months does not tell of its first nights any more. */
const MOST_PIECES = 200;

export class Work {
  readonly #program: Program;
  readonly pieces: Piece[] = [];
  /** Hears of each piece of work that has ended, which is over when this resolves. */
  onEnd: (order: Order, ended: ChildEnd) => Promise<void> = async () => {};
  #isClosed = false;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Begins the work now, or when the work before it on the same store has ended. */
  start({ words, store, about }: Order): Piece {
    if (this.#isClosed)
      throw stop('busy', 'The page is ending.', `Start it again: ${commandLine(['serve'])}`);
    const piece: Piece = { words, store, about, id: randomUUID(), over: Promise.withResolvers() };
    this.pieces.push(piece);
    this.#advance(store);
    return piece;
  }

  /**
   * Stops running work in an orderly way, and takes waiting work out of the line. Resolves at the end of the
   * work: a run that is asked a second time to stop leaves what is on its way in doubt.
   */
  stop(piece: Piece): Promise<ChildEnd> {
    if (piece.child !== undefined) piece.child.stop();
    else this.#end(piece, { exitCode: EXIT.terminated, result: undefined, said: '' });
    return piece.over.promise;
  }

  /** Drains all work. @returns how many pieces had not ended by themselves. */
  async close(): Promise<number> {
    this.#isClosed = true;
    const open = this.pieces.filter(({ ended }) => ended === undefined);
    await Promise.all(open.map((piece) => this.stop(piece)));
    return open.length;
  }

  openAbout(about: string): readonly Order[] {
    return this.pieces.filter((piece) => piece.about === about && piece.ended === undefined);
  }

  #advance(store: string): void {
    const next = this.pieces.find((each) => each.store === store && each.ended === undefined);
    if (next === undefined || next.child !== undefined) return;
    next.child = startChild(this.#program, withOption(next.words, '--wait', WAIT));
    void next.child.ended.then((ended) => this.#end(next, ended));
  }

  #end(piece: Piece, ended: ChildEnd): void {
    if (piece.ended !== undefined) return;
    piece.ended = ended;
    void this.onEnd(piece, ended).then(() => piece.over.resolve(ended));
    while (this.pieces.length > MOST_PIECES && this.pieces[0]?.ended !== undefined) this.pieces.shift();
    this.#advance(piece.store);
  }
}

const Printed = z.object({ batch: z.string(), sample: SampleObject.optional() });

export function workView(place: Pick<Server, 'folder'>, piece: Piece): WorkView {
  const { id, about, child, ended } = piece;
  const { stopped, budget_to_finish } = stoppedIn(ended?.result) ?? {};
  const { batch = null, sample } = Printed.safeParse(ended?.result).data ?? {};
  return {
    id,
    about,
    batch,
    state: ended !== undefined ? 'ended' : child === undefined ? 'waiting' : 'working',
    exit_code: ended?.exitCode ?? null,
    stopped: stopped === undefined ? null : inListNames(place, stopped),
    ...present({ budget_to_finish, sample }),
    said: ended?.said ?? null,
  };
}

export function taskRoutes(server: Server): Hono {
  const { work } = server;
  const pieceWith = (id: string): Piece => {
    const piece = work.pieces.find((each) => each.id === id);
    if (piece !== undefined) return piece;
    throw new HttpRefusal(404, 'This work is from before the page was started.', 'See all lists.');
  };
  return new Hono()
    .get('/tasks', (context) =>
      context.json({ work: work.pieces.map((piece) => workView(server, piece)) } satisfies WorkList),
    )
    .post('/tasks', async (context) => {
      const { work: id, batch, budget, accept } = await bodyOf(context, GoOnRequest);
      const isEnough = budget !== undefined;
      const order = id === undefined ? await goingOn(server, batch, isEnough) : pieceWith(id);
      const limited = isEnough ? withOption(order.words, '--budget', budget) : order.words;
      const words = accept === undefined ? limited : withOption(limited, '--accept', accept);
      return context.json({ work: workView(server, work.start({ ...order, words })) } satisfies WorkAnswer);
    })
    .get('/tasks/:id', (context) => {
      const piece = pieceWith(context.req.param('id'));
      const answer: WorkAnswer = { work: workView(server, piece), result: piece.ended?.result };
      return context.json(answer);
    })
    .post('/tasks/:id/stop', async (context) => {
      await work.stop(pieceWith(context.req.param('id')));
      return context.json({});
    });
}

/**
 * The command that goes on. A batch that has finished goes on for what was decided about its doubts.
 * @param byHand a sweep has no budget of its own, so a larger one is given to its list by hand.
 */
async function goingOn(server: Server, word: string, byHand: boolean): Promise<Order> {
  const found = await findBatch(word, server.store);
  const { batch, location: store } = found;
  const words = nextWordsOf(found, byHand);
  const mayGoOn = batch.state === 'open' || batch.state === 'finished';
  if (!mayGoOn || words === undefined)
    throw stop('usage', 'This list was replaced or ended.', 'Start it again: nothing is bought twice.');
  const list = (await keptLists(server)).find(({ path }) => path === batch.inputPath);
  const next = 'Let it end, or stop it for good; then go on here.';
  if (list !== undefined && (await isInUse(server, list, batch)))
    throw stop('usage', 'A later start of this list is not done.', next);
  return { words: [...words, '--store', store], store, about: list?.id ?? batch.id };
}

/**
 * What spends or changes is a process of its own, which holds the store's lock only while it works. It ends
 * in an orderly way when its standard input ends, so the end of this server leaves no request in doubt.
 */

interface ChildEnd {
  readonly exitCode: number;
  /** The one object that the command printed under `--json`; undefined when it printed none. */
  readonly result: unknown;
  /** The last line that the command wrote to stderr. */
  readonly said: string;
}

interface Child {
  readonly ended: Promise<ChildEnd>;
  /** Asks the child to stop. It then sends nothing new, and records the answers that are on their way. */
  stop(): void;
}

/** How this process was started, so that a checkout and an installed program each start themselves again. */
export interface Program {
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  /** The operator; left out: the user of the system. */
  readonly operator?: string | undefined;
}

/**
 * Starts a command. Its words go to its standard input, because every user of the machine can read arguments.
 * @param input goes there instead, and then ends. Without it the child lives as long as we do.
 */
function startChild({ script, env, operator }: Program, words: readonly string[], input?: string): Child {
  const as = operator === undefined ? [] : ['--as', operator];
  const asked = [...words, ...as, '--json'];
  const isAsked = input === undefined;
  const child = spawn(process.execPath, [script, ...(isAsked ? ['-'] : asked)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: isAsked ? { ...env, ROWONCE_UNTIL_STDIN_ENDS: '1' } : env,
    // A terminal sends Ctrl-C to its whole process group. A second stop makes a run leave without its
    // answers, so the child has a group of its own.
    detached: true,
    windowsHide: true,
  });
  // The child may have ended before it has read all its input.
  child.stdin.on('error', () => {});
  if (isAsked) child.stdin.write(`${JSON.stringify(asked)}\n`);
  else child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    .then(
      ([printed, said, [code, signal]]): ChildEnd => ({
        exitCode: code ?? (signal === 'SIGTERM' ? EXIT.terminated : EXIT.bug),
        result: printed === '' ? undefined : JSON.parse(printed),
        said: said.trimEnd().split('\n').at(-1) ?? '',
      }),
    )
    .catch((error: unknown) => ({ exitCode: EXIT.bug, result: undefined, said: messageOf(error) }));
  return { ended, stop: () => child.stdin.end() };
}

/** @throws CommandStopped when it refused, and the signal's reason when it was stopped. */
export async function askChild(
  program: Program,
  words: readonly string[],
  input?: string,
  signal?: AbortSignal,
): Promise<object> {
  signal?.throwIfAborted();
  const child = startChild(program, words, input);
  signal?.addEventListener('abort', child.stop, { once: true });
  const { exitCode, result, said } = await child.ended;
  if (exitCode === EXIT.done || exitCode === EXIT.attention) return result as object;
  signal?.throwIfAborted();
  const { stopped } = stoppedIn(result) ?? {};
  if (stopped !== undefined) throw new CommandStopped(stopped);
  throw stop('usage', said || `The command ended with ${exitCode}.`, 'Try it again.');
}

/** The object that a command printed when it stopped; undefined when it went through, or met a bug. */
export function stoppedIn(result: unknown) {
  const { data } = StoppedObject.safeParse(result);
  return data?.stopped.code === 'bug' ? undefined : data;
}
