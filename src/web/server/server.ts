import type { Program, ProgressListener } from './child.ts';
import type { KeptPlans } from './kept-plans.ts';
import type { Readings } from './readings.ts';
import type { Sweeps } from './sweeps.ts';
import type { CommandQueue } from './work.ts';

export type Given = Readonly<Record<string, unknown>>;

/** What a call has that is not of its input. */
export interface Calling {
  /** Left out: the store of `serve`. */
  readonly store?: string;
  /** Is told what the command has counted so far. */
  readonly onProgress?: ProgressListener;
}

/** A command, without the folder that it comes from. */
export interface PageCommand {
  readonly name: string;
  /**
   * `long` is waited for, and is a process of its own unless its list is short. `spends` is always one, runs
   * alone for its store, and goes on alone.
   */
  readonly work?: 'long' | 'spends';
  /** Entries that mean something else than on a terminal, each with its meaning on the page. */
  readonly entries: ReadonlyMap<string, string>;
  /** @throws StopError `usage` for an entry that the command does not take from the page. */
  check(given: Given): unknown;
  /** Runs the command in this process. Several calls may run side by side. */
  call(given: Given, calling?: Calling): Promise<object>;
  wordsFor(given: Given): readonly string[];
}

export interface Server {
  readonly store: string | undefined;
  /** The folder of the store for real accounts, which also holds uploads and `serve.json`. */
  readonly folder: string;
  readonly program: Program;
  /** Commands that the page calls by their names. Each gives the object that it prints under `--json`. */
  readonly commands: readonly PageCommand[];
  readonly sweeps: Sweeps;
  /** What becomes of each row by the plans that were shown last. */
  readonly plans: KeptPlans;
  /** Every command that spends or changes goes through this line. */
  readonly work: CommandQueue;
  /** The plans that a page waits for. */
  readonly readings: Readings;
}
