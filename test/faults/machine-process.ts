import { typedHere } from '../cli/typed.ts';
import type { Typed } from './machine.ts';
import { type Shift, shiftClocks } from './shifted-clock.ts';

/** The process of a `Machine`: types what it is sent, one command after the other, and sends what came of each. */
let clocks: Shift = {};
shiftClocks(() => clocks);

process.on('message', async ({ words, env, shift }: Typed) => {
  clocks = shift;
  process.send?.(await typedHere(words, { env }));
});
