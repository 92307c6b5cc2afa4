import type Database from 'better-sqlite3';
import type { Disk } from './disk.ts';
import type { Spawned } from './doors/child-process.ts';
import type { Network } from './network.ts';
import { running, type SimulatedProcess } from './process.ts';
import type { Random, Schedule } from './schedule.ts';

/** What the doors lead to. One world is played at a time. */
export interface World {
  readonly schedule: Schedule;
  /** For what the program draws: ids, keys, waits. */
  readonly random: Random;
  readonly disk: Disk;
  readonly network: Network;
  /** What the calendar says at time zero of the world, in ms since 1970. Jumps change it. */
  startMs: number;
  /** @throws ESRCH, as Node does, where no such process is there. */
  kill(pid: number, name?: NodeJS.Signals | 0): true;
  /** Starts a command. */
  start(words: readonly string[]): Spawned;
  /** After each commit of a database, in the turn in which it was made. */
  committed(database: Database.Database): void;
}

let played: World | undefined;

export const currentWorld = (): World | undefined => played;

export function play(world: World | undefined): void {
  played = world;
}

/** Code of a process in a world; undefined for code of the simulation itself. */
export function inWorld(): { readonly world: World; readonly process: SimulatedProcess } | undefined {
  const process = running.getStore();
  return process === undefined || played === undefined ? undefined : { world: played, process };
}

/** The same where no other code can be. */
export function here(): { readonly world: World; readonly process: SimulatedProcess } {
  const found = inWorld();
  if (found === undefined) throw new Error('this is no code of a world');
  return found;
}

/** A call through a door. */
export function pass<T>(work: () => T): T {
  const process = running.getStore();
  return process === undefined ? work() : process.pass(work);
}

/**
 * Calls through doors that answer later: they are done at a moment that the schedule draws, and each door counts its own passage. A process
 * that is gone hears nothing.
 */
export function passLater<T>(work: () => T): Promise<T> {
  const found = inWorld();
  if (found === undefined) return new Promise((resolve) => resolve(work()));
  const { world, process } = found;
  return new Promise((resolve, reject) => {
    const answer = (): void => {
      try {
        resolve(work());
      } catch (error) {
        if (!process.isGone) reject(error);
      }
    };
    world.schedule.soon(() => process.enter(answer));
  });
}

/** What is done for a process, once its time has come, if it is still there. */
export function owned(work: () => void): () => void {
  const process = running.getStore();
  if (process === undefined) return work;
  return () => process.enter(work);
}

export const wallMs = (world: World): number => Math.round(world.startMs + world.schedule.nowMs);
