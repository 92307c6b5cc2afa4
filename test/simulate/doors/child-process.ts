/** Commands that the page starts: each is a process of the world. */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { SimulatedProcess } from '../process.ts';
import { here, owned } from '../world.ts';

/** What a process has written to one of its streams. */
interface Written {
  readonly text: string;
}

export interface Spawned {
  readonly process: SimulatedProcess;
  readonly stdout: Written;
  readonly stderr: Written;
}

/** What the page uses of Node's `ChildProcess`. */
class Child extends EventEmitter {
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly stdin: Writable;
  readonly #here = here();
  #typed = '';
  #process: SimulatedProcess | undefined;

  /** @param words left out: they are the first line of its standard input. */
  constructor(words: readonly string[] | undefined) {
    super();
    const hear = (chunk: Buffer, _encoding: string, done: () => void): void => {
      this.#hear(chunk.toString());
      done();
    };
    this.stdin = new Writable({ write: hear });
    if (words !== undefined) this.#begin(words);
    // A command that has its words from standard input is asked to stop by its end.
    else this.stdin.once('finish', () => this.#process?.isGone === false && this.#process.signal('SIGTERM'));
  }

  #hear(text: string): void {
    this.#typed += text;
    if (this.#process === undefined && this.#typed.endsWith('\n')) this.#begin(JSON.parse(this.#typed));
  }

  #begin(words: readonly string[]): void {
    const { world } = this.#here;
    const { process, stdout, stderr } = world.start(words);
    this.#process = process;
    const end = owned(() => {
      this.stdout.end(stdout.text);
      this.stderr.end(stderr.text);
      this.emit('close', process.exitCode ?? null, process.exitCode === undefined ? 'SIGKILL' : null);
    });
    // It may have been killed before it did anything.
    if (process.isGone) world.schedule.soon(end);
    else process.atEnd(() => world.schedule.soon(end));
  }
}

export const spawn = (_node: string, [, ...words]: readonly string[]): Child =>
  new Child(words[0] === '-' ? undefined : words);
