import { isMainThread, parentPort, type Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import { startThread } from '../../../lib/threads.ts';
import { Connection, explainedReading } from './connection.ts';
import { type PageCells, type PageWanted, rowsPage } from './row-records.ts';
import { errorOf, type Problem, problemIn } from './thread-problem.ts';

/**
 * The pages of a long list, read in a thread of its own by a connection of its own: while the caller works on one page, the thread
 * reads and checks the next, and the one behind that before it is asked for, so that nobody waits for a slow one. It reads what is
 * committed when it comes to the question, as the caller would: what was read ahead answers no question after a commit of the caller.
 */

const TASK = 'rowonce: pages';

const MOST_MEBIBYTES_OF_NEW_OBJECTS = 8;

interface Place {
  readonly path: string;
  readonly folder: string;
}

type Found = { readonly page: PageCells } | { readonly problem: Problem };

interface Question extends PageWanted {
  /** How much the caller has committed. */
  readonly commits: number;
}

interface Answer {
  readonly to: Question;
  readonly found: Found;
}

interface Waiting {
  readonly question: Question;
  readonly tell: (found: Found) => void;
}

export class PageThread {
  readonly #worker: Worker;
  /** In the order of the questions. */
  readonly #waiting: Waiting[] = [];
  /** The answer to a question that was not asked yet. */
  #ahead: Answer | undefined;
  /** Why it answers nothing any more. */
  #fault: string | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: Answer) => this.#hear(answer));
    worker.on('error', (error) => this.#fail(messageOf(error)));
    worker.on('exit', () => this.#fail('the thread that reads the ledger has ended'));
    worker.unref();
  }

  /** Undefined where there is no further thread. */
  static start(place: Place): PageThread | undefined {
    const worker = startThread(import.meta.url, {
      workerData: { [TASK]: place },
      resourceLimits: { maxYoungGenerationSizeMb: MOST_MEBIBYTES_OF_NEW_OBJECTS },
    });
    return worker && new PageThread(worker);
  }

  /** Keeps the process alive for as long as somebody waits. @throws StopError what is wrong with the page. */
  async page(question: Question): Promise<PageCells> {
    if (this.#fault !== undefined) throw new Error(this.#fault);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    // The thread is told of a question that it has answered as well, and reads on.
    this.#worker.postMessage(question);
    const found = ahead && isSame(ahead.to, question) ? ahead.found : await this.#answered(question);
    if ('page' in found) return found.page;
    throw errorOf(found.problem);
  }

  #answered(question: Question): Promise<Found> {
    this.#worker.ref();
    return new Promise((tell) => this.#waiting.push({ question, tell }));
  }

  #hear(answer: Answer): void {
    const [first] = this.#waiting;
    if (first !== undefined && isSame(first.question, answer.to)) this.#tell(answer.found);
    else this.#ahead = answer;
  }

  #tell(found: Found): void {
    this.#waiting.shift()?.tell(found);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #fail(bug: string): void {
    this.#fault ??= bug;
    while (this.#waiting.length > 0) this.#tell({ problem: { bug } });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

function isSame(one: Question, other: Question): boolean {
  return (
    one.batch === other.batch &&
    one.fromRow === other.fromRow &&
    one.limit === other.limit &&
    one.commits === other.commits
  );
}

let opened: Connection | undefined;

function pageFor(wanted: PageWanted, { path, folder }: Place): Found {
  try {
    opened ??= new Connection(path, 'read');
    const connection = opened;
    return { page: connection.snapshot(() => rowsPage(connection, wanted)) };
  } catch (error) {
    return { problem: problemIn(explainedReading(error, folder)) };
  }
}

/** The question that was answered before it was asked, and the one behind it. */
let ahead: { readonly to: Question; readonly behind: Question | undefined } | undefined;

function answer(question: Question, place: Place): void {
  const isTold = ahead !== undefined && isSame(ahead.to, question);
  const next = isTold ? ahead?.behind : told(question, place);
  ahead = next && { to: next, behind: told(next, place) };
}

/** @returns what is asked next by whoever reads on; undefined where nothing comes behind. */
function told(question: Question, place: Place): Question | undefined {
  const found = pageFor(question, place);
  parentPort?.postMessage({ to: question, found } satisfies Answer);
  const rows = 'page' in found ? found.page.rows : [];
  const last = rows.length < question.limit ? undefined : rows.at(-1);
  return last && { ...question, fromRow: last[0] + 1 };
}

const place: Place | undefined = isMainThread ? undefined : workerData?.[TASK];
if (place !== undefined) parentPort?.on('message', (question: Question) => answer(question, place));
