/** What a kind of world is: histories that are drawn, how one is played, and how it is told. */
import type { Arbitrary } from 'fast-check';
import type { Stage } from './stage.ts';

export interface WorldKind<History> {
  readonly name: string;
  readonly history: Arbitrary<History>;
  /** @throws Broken when a promise does not hold. */
  play(stage: Stage, history: History): Promise<void>;
  /** A line for each thing that happens, in words. */
  words(history: History): readonly string[];
}

/** A promise that a world has shown to be broken, with names and numbers. */
export class Broken extends Error {}

export function promise(holds: boolean, broken: string): asserts holds {
  if (!holds) throw new Broken(broken);
}
