import { expect } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof } from '../combinations.ts';
import { TeamWorld } from './team-worlds.ts';

/*
 * Goal: whatever happened to the people of a list, a run, an undo and an output that is written again say what is so at the
 * service now, or that they do not know it; and once all is settled, the list says that it is done.
 * Method: random worlds, each step of which is held against the service's own state. `WORLDS` and `SEED` in the environment
 * say how many others, `STEPS` how long they are.
 */

const WORLDS = Number(process.env.WORLDS ?? 3);
const SEED = process.env.SEED ?? '1';
const STEPS = Number(process.env.STEPS ?? 8);

proof.each(Array.from({ length: WORLDS }, (_, world) => world + 1))('world %i', async (world) => {
  const { claims } = await TeamWorld.run(randomFrom('team worlds', SEED, world), STEPS);
  expect(claims).toBeGreaterThan(0);
});
