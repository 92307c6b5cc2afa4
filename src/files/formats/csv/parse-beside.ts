import { on } from 'node:events';
import { isMainThread, type MessagePort, parentPort, type Worker, workerData } from 'node:worker_threads';
import { startThread } from '../../../lib/threads.ts';
import { type Found, NO_TEXT, type ParsedText, type ParserOptions, RecordParser } from './record-parser.ts';

/**
 * csv-parse in a thread of its own, for lists that take longer to parse than a thread takes to start. The texts are read and
 * the records used by the caller's thread, and meanwhile the other one parses what comes next.
 */

const TASK = 'rowonce: parse';

const MOST_MEBIBYTES_OF_NEW_OBJECTS = 8;

/** Some thousand rows of a long list are often all that is wanted, and are parsed before a thread would have started. */
const TEXTS_PARSED_HERE = 8;

/**
 * As `parsedHere`. One text is parsed while the caller is busy with the one before it: more would take memory and no less time.
 * Where a text cannot be read, the one before it is not handed over any more. Where there is no thread, all is parsed here.
 */
export async function* parsedBeside(
  texts: AsyncIterable<Buffer>,
  options: ParserOptions,
): AsyncIterable<ParsedText> {
  const here = new RecordParser(options);
  let left = TEXTS_PARSED_HERE;
  let thread: ParserThread | undefined;
  let given: Buffer | undefined;
  try {
    for await (const text of texts) {
      if (left > 0) left -= 1;
      else thread ??= ParserThread.start(here.left());
      if (thread === undefined) {
        yield { text, ...(await here.parse(text)) };
        continue;
      }
      thread.give(text);
      if (given !== undefined) yield { text: given, ...(await thread.found()) };
      given = text;
    }
    thread?.give(undefined);
    if (thread && given) yield { text: given, ...(await thread.found()) };
    yield { text: NO_TEXT, ...(await (thread?.found() ?? here.finish())) };
  } finally {
    await thread?.end();
  }
}

class ParserThread {
  readonly #worker: Worker;
  readonly #answers: AsyncIterator<[Found]>;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#answers = on(worker, 'message', { close: ['exit'] }) as AsyncIterator<[Found]>;
    worker.unref();
  }

  static start(options: ParserOptions): ParserThread | undefined {
    const worker = startThread(import.meta.url, {
      workerData: { [TASK]: options },
      resourceLimits: { maxYoungGenerationSizeMb: MOST_MEBIBYTES_OF_NEW_OBJECTS },
    });
    return worker && new ParserThread(worker);
  }

  /** @param text undefined: there are no more. */
  give(text: Buffer | undefined): void {
    // The text itself may be a part of more memory, which would be copied as a whole, and is still needed here.
    const copy = text && new Uint8Array(text);
    this.#worker.postMessage(copy, copy ? [copy.buffer] : []);
  }

  /** Keeps the process alive for no longer than somebody waits for the answer. */
  async found(): Promise<Found> {
    this.#worker.ref();
    const { value, done } = await this.#answers.next();
    this.#worker.unref();
    if (done) throw new Error('the thread that parses ended before its texts did');
    return value[0];
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function answer(port: MessagePort, parser: RecordParser): Promise<void> {
  for await (const [text] of on(port, 'message') as AsyncIterable<[Uint8Array | undefined]>) {
    const found = await (text ? parser.parse(Buffer.from(text.buffer)) : parser.finish());
    port.postMessage(found);
    // The next text may be waiting, and the parser takes no more.
    if (found.fault !== undefined) return;
  }
}

const options: ParserOptions | undefined = isMainThread ? undefined : workerData?.[TASK];
if (options && parentPort) answer(parentPort, new RecordParser(options));
