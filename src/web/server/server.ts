import type { Clock } from '../../core/clock.ts';
import type { Program } from './children.ts';
import type { Sweeps } from './sweeps.ts';
import type { Work } from './work.ts';

type Given = Readonly<Record<string, unknown>>;

/** A command, without the room that it is from. */
export interface PageCommand {
  readonly name: string;
  /** A process of its own, which takes `long`, or `spends`: then one at a time for each store. */
  readonly work?: 'long' | 'spends';
  /** What entries are that are another thing than for a terminal. */
  readonly entries: ReadonlyMap<string, string>;
  /** @throws StopError `usage` for what the command does not take from the page. */
  check(given: Given): unknown;
  call(given: Given): Promise<object>;
  wordsFor(given: Given): readonly string[];
}

export interface Server {
  readonly store: string | undefined;
  /** The folder of the store for real accounts, where uploads and `serve.json` are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly program: Program;
  /** Commands that are asked for by their names, with what they print under `--json`. */
  readonly commands: readonly PageCommand[];
  readonly sweeps: Pick<Sweeps, 'jobs' | 'samples'>;
  /** Everything that spends or changes goes through this line. */
  readonly work: Work;
}
