import type { Clock } from '../../core/clock.ts';
import type { Program } from './children.ts';
import type { Work } from './work.ts';

export interface Server {
  readonly store: string | undefined;
  /** The folder of the store for real accounts, where uploads and `serve.json` are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly program: Program;
  readonly mostUploadBytes: number;
  /** Commands that are asked for by their names, with what they print under `--json`. */
  readonly calls: ReadonlyMap<string, (given: unknown) => Promise<object>>;
  /** Everything that spends or changes goes through this line. */
  readonly work: Work;
}
