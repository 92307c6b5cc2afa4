import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Shift } from './shifted-clock.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'));

/** The clocks of programs that are started with `env`: put wrong before they start, or while they run. */
export class Clocks {
  readonly #path: string;

  /** @param path of a file of its own. */
  constructor(path: string) {
    this.#path = path;
    this.set({});
  }

  get env(): Readonly<Record<string, string>> {
    const preload = new URL(PRELOAD);
    preload.searchParams.set('shift', this.#path);
    return { NODE_OPTIONS: `--import=${preload}` };
  }

  set(shift: Shift): void {
    // By a rename, because a program may be reading it.
    writeFileSync(`${this.#path}.new`, JSON.stringify(shift));
    renameSync(`${this.#path}.new`, this.#path);
  }
}
