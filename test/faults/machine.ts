import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Ended } from '../cli/rowonce.ts';
import type { Shift } from './shifted-clock.ts';

/** A command, and how wrong the clocks are while it runs. */
export interface Typed {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly shift: Shift;
}

/**
 * A machine whose clock is wrong: a process that types one command after the other, as `typedAt` does, so that nothing but these commands
 * has its time.
 */
export class Machine {
  readonly #process: ChildProcess;

  constructor() {
    this.#process = fork(join(import.meta.dirname, 'machine-process.ts'), { execArgv: [] });
  }

  async type(typed: Typed): Promise<Ended> {
    const ended = once(this.#process, 'message');
    this.#process.send(typed);
    const [message] = await ended;
    return message as Ended;
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }
}
