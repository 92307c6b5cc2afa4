import type { Program } from './child.ts';
import type { Sweeps } from './sweeps.ts';
import type { Work } from './work.ts';

export type Given = Readonly<Record<string, unknown>>;

/** A command, without the folder that it comes from. */
export interface PageCommand {
  readonly name: string;
  /** A process of its own: `long` is waited for; `spends` runs alone for its store, and goes on alone. */
  readonly work?: 'long' | 'spends';
  /** Entries that mean something else than on a terminal, each with its meaning on the page. */
  readonly entries: ReadonlyMap<string, string>;
  /** @throws StopError `usage` for an entry that the command does not take from the page. */
  check(given: Given): unknown;
  call(given: Given): Promise<object>;
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
  /** Every command that spends or changes goes through this line. */
  readonly work: Work;
}
