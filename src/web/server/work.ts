import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import { isoTime, systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { EndedAccount } from '../../core/events.ts';
import { present } from '../../core/objects.ts';
import { asCommand, phrase, typing } from '../../core/phrase.ts';
import { EXIT, pageWordsOf, stopCodes } from '../../core/stops.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { commandLine, withAnother, withFlag, withOption, withoutOption } from '../../lib/command-line.ts';
import { SampleObject } from '../../objects/plan-object.ts';
import { batchLines, type GoingOn, nextWordsOf } from '../../run/batches.ts';
import { findBatch } from '../../run/open-ledger.ts';
import { AgainRequest, GoOnRequest, type WorkAnswer, type WorkList, type WorkView } from '../api.ts';
import { bodyOf, HttpRefusal, inListNames } from './answers.ts';
import { askChild, type Child, type ChildEnd, type Program, startChild, stoppedIn } from './child.ts';
import { type KeptList, keptLists } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Work that the page has started and that spends, changes or decides. A store has one spender at a time, so
 * work on one store waits in line. When the server ends, running work is drained by the end of its standard
 * input, and waiting work never begins. Then each batch of the ledger goes on by its own command.
 */

export interface Order {
  /** The words after `rowonce`, without `--json`. */
  readonly words: readonly string[];
  /** The store's folder. Work on one folder waits in one line. */
  readonly store: string;
  readonly about: string;
  /** A key that the command reads from its standard input. It is kept in no file. */
  readonly key?: string;
}

interface Piece extends Order {
  readonly id: string;
  readonly atMs: number;
  /** Resolves when the work has ended, or was taken out of the line. */
  readonly over: PromiseWithResolvers<ChildEnd>;
  child?: Child;
  ended?: ChildEnd;
  /** The accounts that take no more calls, while others go on. */
  readonly endedAccounts: EndedAccount[];
}

const Met = z.object({ ended: z.object({ account: z.string(), code: z.enum(stopCodes()) }) });

/** How long work of the page waits for another spender of its store, such as a run in a terminal. */
const WAIT = '12h';

/** A page that is open for months does not tell of its first nights any more. */
const MOST_PIECES = 200;

export class CommandQueue {
  readonly #program: Program;
  readonly pieces: Piece[] = [];
  /** Hears of each piece of work that has ended. */
  onEnd: (order: Order, ended: ChildEnd) => void = () => {};
  #isClosed = false;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Begins the work now, or when the work before it on the same store has ended. */
  start({ words, store, about, key, atMs = systemClock.wallMs() }: Order & Partial<Piece>): Piece {
    const command = commandLine(['serve']);
    if (this.#isClosed)
      throw stop('busy', 'The page is ending.', phrase`Start it again${typing`: ${asCommand(command)}`}`);
    const over = Promise.withResolvers<ChildEnd>();
    const piece: Piece = {
      words,
      store,
      about,
      atMs,
      id: randomUUID(),
      over,
      endedAccounts: [],
      ...present({ key }),
    };
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
    else this.#end(piece, { exitCode: EXIT.terminated, result: undefined, lastLine: '' });
    return piece.over.promise;
  }

  /** Drains all work. @returns how many pieces had not ended by themselves. */
  async close(): Promise<number> {
    this.#isClosed = true;
    const open = this.pieces.filter(({ ended }) => ended === undefined);
    await Promise.all(open.map((piece) => this.stop(piece)));
    return open.length;
  }

  #advance(store: string): void {
    const next = this.pieces.find((each) => each.store === store && each.ended === undefined);
    if (next === undefined || next.child !== undefined) return;
    const hear = (message: unknown): void => {
      const { data } = Met.safeParse(message);
      if (data !== undefined) next.endedAccounts.push(data.ended);
    };
    const words = withOption(next.words, '--wait', WAIT);
    next.child = startChild(this.#program, words, undefined, next.key, hear);
    void next.child.ended.then((ended) => this.#end(next, ended));
  }

  #end(piece: Piece, ended: ChildEnd): void {
    if (piece.ended !== undefined) return;
    piece.ended = ended;
    this.onEnd(piece, ended);
    piece.over.resolve(ended);
    while (this.pieces.length > MOST_PIECES && this.pieces[0]?.ended !== undefined) this.pieces.shift();
    this.#advance(piece.store);
  }
}

const Printed = z.object({ batch: z.string(), sample: SampleObject.optional() });

export function workView(place: Pick<Server, 'folder'>, piece: Piece): WorkView {
  const { id, about, atMs, words, child, ended, endedAccounts } = piece;
  const { stopped } = stoppedIn(ended?.result) ?? {};
  const { batch = null, sample } = Printed.safeParse(ended?.result).data ?? {};
  return {
    id,
    about,
    is_undo: words[0] === 'undo',
    at: isoTime(atMs),
    batch,
    state: ended !== undefined ? 'ended' : child === undefined ? 'waiting' : 'working',
    exit_code: ended?.exitCode ?? null,
    stopped:
      stopped === undefined ? null : { ...inListNames(place, stopped), page: pageWordsOf(stopped.code) },
    ended_accounts: endedAccounts.map(({ account, code }) => {
      const { fact = 'ACCOUNT takes no more calls.' } = pageWordsOf(code);
      return fact.replace('ACCOUNT', account);
    }),
    ...present({ sample }),
    said: ended?.lastLine ?? null,
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
      const { work: id, batch, budget, answer, part, again } = await bodyOf(context, GoOnRequest);
      const how = { byHand: budget !== undefined || answer !== undefined, isPart: part };
      const going = batch === undefined ? pieceWith(id) : await goingOn(server, batch, how);
      const order = again === undefined ? going : { ...going, words: againWords(going.words, again) };
      const limited = budget === undefined ? order.words : withOption(order.words, '--budget', budget);
      const words = answer === undefined ? limited : answered(limited, pieceWith(id), answer);
      return context.json({ work: workView(server, work.start({ ...order, words })) } satisfies WorkAnswer);
    })
    .post('/batches/:id/again', async (context) => {
      const again = await bodyOf(context, AgainRequest);
      const { words } = await goingOn(server, context.req.param('id'), { byHand: true });
      const [, ...commandWords] = withoutOption(againWords(words, again), '-o');
      const plan = await askChild(
        server.program,
        ['plan', ...commandWords],
        undefined,
        context.req.raw.signal,
      );
      return context.json(plan);
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
 * The run of a batch, for some of its rows once more: they are bought again, and nothing else is.
 * @throws StopError `usage` for a batch that changes people, and for one that is no run.
 */
function againWords(
  words: readonly string[],
  { only, step, plan }: AgainRequest & { readonly plan?: string },
) {
  if (words[0] !== 'run')
    throw stop('usage', 'No row of this list can be asked again.', 'Start the list again.');
  const parts = ['--only', '--limit', '--sample', '--step'];
  const whole = parts.reduce<readonly string[]>(withoutOption, words);
  const named = withOption(withFlag(whole, '--refresh'), '--only', only);
  const stepped = step === undefined ? named : withOption(named, '--step', step);
  return plan === undefined ? stepped : withOption(stepped, '--plan', plan);
}

/**
 * The command with a person's answer to the stop of a piece. An answer to a plan is one to that plan alone.
 * @throws StopError `usage` for one that the stop does not name.
 */
function answered(
  words: readonly string[],
  { ended }: Piece,
  { flag, value }: NonNullable<z.output<typeof GoOnRequest>['answer']>,
): readonly string[] {
  const { choices = [], plan } = stoppedIn(ended?.result)?.stopped ?? {};
  if (!choices.some((choice) => choice.flag === flag && choice.value === value))
    throw stop('usage', 'This list was not stopped by that.', 'Choose one that it names.');
  const chosen = chosenIn(words, flag, value);
  return plan === undefined ? chosen : withOption(chosen, '--plan', plan);
}

/** What was accepted before stays accepted. */
function chosenIn(words: readonly string[], flag: string, value: string | undefined): readonly string[] {
  if (value === undefined) return withFlag(words, flag);
  return flag === '--accept' ? withAnother(words, flag, value) : withOption(words, flag, value);
}

/**
 * The command that goes on. A batch that has finished goes on for what was decided about its doubts.
 * @param how `byHand`: a sweep takes neither a budget nor an answer for one list, which goes on by hand.
 */
async function goingOn(server: Server, word: string, how: GoingOn): Promise<Order> {
  const found = await findBatch(word, server.store);
  const { batch, location: store } = found;
  const words = nextWordsOf(found, how);
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
 * Whether something is done with the list, or a batch over it is open.
 * @param but what is done with the list as this batch has read it does not count.
 */
export async function isInUse({ store, work }: Server, list: KeptList, but?: Batch): Promise<boolean> {
  const open = (await batchLines(store)).filter(({ batch }) => batch.state === 'open');
  const read = but?.inputSha256;
  const isOver = open.some(({ batch }) => batch.inputPath === list.path && batch.inputSha256 !== read);
  const isOther = (word: string): boolean => read === undefined || !word.includes(read);
  const pieces = work.pieces.filter(({ about, ended }) => about === list.id && ended === undefined);
  return isOver || pieces.some(({ words }) => words.every(isOther));
}
