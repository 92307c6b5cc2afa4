import { isMainThread, parentPort, type Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import { startThread } from '../../../lib/threads.ts';
import { Connection, explainedReading } from './connection.ts';
import { type PageCells, type PageWanted, rowsPage } from './row-records.ts';
import { errorOf, type Problem, problemIn } from './thread-problem.ts';

/**
 * The pages of a long list, read in a thread of its own by a connection of its own: while the caller works on one page, the thread
 * reads and checks the next. It reads what is committed when it comes to the question, as the caller would.
 */

const TASK = 'rowonce: pages';

/** With more, pages outlive the collections of young objects, and cost memory and time. */
const MOST_MEBIBYTES_OF_NEW_OBJECTS = 8;

interface Place {
  readonly path: string;
  readonly folder: string;
}

type Found = { readonly page: PageCells } | { readonly problem: Problem };

export class PageThread {
  readonly #worker: Worker;
  /** Who waits for a page, in the order of the questions. */
  readonly #waiting: ((found: Found) => void)[] = [];
  /** Why it answers nothing any more. */
  #fault: string | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (found: Found) => this.#tell(found));
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
  async page(wanted: PageWanted): Promise<PageCells> {
    if (this.#fault !== undefined) throw new Error(this.#fault);
    this.#worker.ref();
    const found = new Promise<Found>((resolve) => this.#waiting.push(resolve));
    this.#worker.postMessage(wanted);
    const told = await found;
    if ('page' in told) return told.page;
    throw errorOf(told.problem);
  }

  #tell(found: Found): void {
    this.#waiting.shift()?.(found);
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

let opened: Connection | undefined;

function pageFor(wanted: PageWanted, { path, folder }: Place): Found {
  try {
    opened ??= new Connection(path, { readonly: true, timeoutMs: 2_000 });
    const connection = opened;
    return { page: connection.snapshot(() => rowsPage(connection, wanted)) };
  } catch (error) {
    return { problem: problemIn(explainedReading(error, folder)) };
  }
}

const place: Place | undefined = isMainThread ? undefined : workerData?.[TASK];
if (place !== undefined)
  parentPort?.on('message', (wanted: PageWanted) => parentPort?.postMessage(pageFor(wanted, place)));
