import type { Random } from '../../src/sandbox/random.ts';
import type { Way } from './ways.ts';

/** What a long drive of kills is: work that is killed again and again, and figures that say what was kept. */

export interface Settings {
  readonly kills: number;
  /** In each list. */
  readonly rows: number;
  readonly seed: number;
  /** Stores, each with a vendor of its own, that are worked on side by side. */
  readonly lanes: number;
  readonly way: Way;
  /** Whether it is about budgets. */
  readonly budget: boolean;
  /** Whether it is about a team that is onboarded. */
  readonly team: boolean;
  /** What it is about workers over one database; left out: nothing. */
  readonly machines?: MachineSettings | undefined;
  /** Whether lists meet with other mishaps besides kills. */
  readonly mishaps?: boolean;
}

/**
 * To workers over one database: kills; stops by a signal that go on; ends of the database as by a crash; cuts of all connections;
 * connections of one worker that die without a word; others that take all connections; a disk of the database that is full.
 */
export const MISHAP_NAMES = ['kills', 'pauses', 'stops', 'cuts', 'silences', 'crowds', 'full-disks'] as const;

export type MishapName = (typeof MISHAP_NAMES)[number];

export interface MachineSettings {
  /** At once. */
  readonly workers: number;
  /** How often each may happen. It does as long as there are rows left. */
  readonly most: Readonly<Record<MishapName, number>>;
  /** As long as a worker is stopped by a signal. */
  readonly pauseSeconds: number;
  /** Workers whose clock is an hour off. */
  readonly wrongClocks: number;
  /** The limit of the account. */
  readonly perSecond: number;
  /** The budget of the list at first; undefined: enough. */
  readonly cap: number | undefined;
}

export interface Lane {
  readonly name: string;
  readonly random: Random;
}

export type TableLine = readonly [string, string | number];

export interface KillDrive {
  /** In all lanes so far. */
  readonly kills: number;
  readonly lists: number;
  /** Works until enough was killed; the last list is always brought to its end. */
  run(lane: Lane): Promise<void>;
  table(): readonly TableLine[];
  /** False when a promise was broken. */
  isKept(): boolean;
}
