import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { startRowonce, type Ended as Typed } from '../cli/rowonce.ts';

/** The real command as a process that tests watch, signal and kill. */

/** What `run --json` prints, as far as it is looked at. */
export interface RunReport {
  readonly batch: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly credits: { readonly spent: number; readonly in_doubt: number };
  readonly requests: number;
  readonly output: string | null;
  readonly stopped: {
    readonly code: string;
    readonly message: string;
    readonly next: string;
    readonly resume_at: string | null;
  } | null;
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** The last line of stderr that is not blank. */
  readonly lastLine: string;
  /** Undefined when it was killed before it could print one. */
  readonly report: RunReport | undefined;
}

const LOOK_EVERY_MS = 3;

export class Program {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #stderr = '';
  #isOver = false;

  constructor(words: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = startRowonce(words, { env });
    this.#child.stdin?.end();
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk;
    });
    this.ended = this.#end();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it has said so far. */
  get stderr(): string {
    return this.#stderr;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it as a loss of power would. Resolves when the kernel has taken it away. */
  async kill(): Promise<Ended> {
    this.signal('SIGKILL');
    return this.ended;
  }

  /** Resolves when it has said so on stderr, or has ended without. */
  said(words: RegExp): Promise<void> {
    return this.until(() => words.test(this.#stderr));
  }

  /** Resolves when that holds, or when it has ended. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#isOver) await delay(LOOK_EVERY_MS);
  }

  async #end(): Promise<Ended> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the program has no standard output');
    const [[code, signal], printed] = await Promise.all([once(this.#child, 'close'), text(stdout)]);
    this.#isOver = true;
    return { ...endedOf({ code, stderr: this.#stderr, stdout: printed }), signal };
  }
}

/** A program that ended by itself. */
export function endedOf({ code, stdout, stderr }: Typed): Ended {
  const lines = stderr.split('\n').filter((line) => line !== '');
  return { code, signal: null, stderr, lastLine: lines.at(-1) ?? '', report: reportIn(stdout) };
}

function reportIn(printed: string): RunReport | undefined {
  return printed === '' ? undefined : (JSON.parse(printed) as RunReport);
}
