import type { FlipStore } from './flip-store.ts';
import { FlipLab, flipNumbered } from './flip-trial.ts';

/** A process of `flips.ts`: tries the flips whose numbers it is sent, one at a time, and sends back what came of each. */

export interface Task {
  readonly base: string;
  readonly folder: string;
  readonly stores: readonly FlipStore[];
  readonly seed: number;
}

const task = JSON.parse(process.argv[2] ?? '') as Task;
const lab = await FlipLab.open(task.base, task.folder);
process.on('message', async (number: number) => {
  process.send?.(await lab.try(flipNumbered(number, task.seed, task.stores)));
});
process.on('disconnect', () => void lab[Symbol.asyncDispose]().then(() => process.exit()));
process.send?.('ready');
