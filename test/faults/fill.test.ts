import { expect, test } from 'vitest';
import { randomFrom } from '../../src/sandbox/random.ts';
import { proof } from '../support/combinations.ts';
import { openFill } from './fill.ts';
import { FILL_SLOTS } from './finders.ts';
import { drive, Tally } from './kills.ts';

/*
 * Goal: six vendors fill the blanks of a list, whatever is killed, and by each of their books nothing is paid for twice.
 * Method: the drive of `npm run faults -- --fill`, with few kills over a short list; what it has seen, which is shown when it fails,
 * says what was broken.
 */

async function expectKept(isDisturbed: boolean): Promise<void> {
  const tally = new Tally(6, FILL_SLOTS);
  const lane = { name: 'fill', random: randomFrom('fill', 3) };
  await drive((store) => openFill({ rows: 60, seed: 3, isDisturbed }, store, tally), 1, lane, tally);
  expect(tally.isKept, JSON.stringify(tally.table(), undefined, 2)).toBe(true);
}

test('kills, two budgets that are reached, a key that dies and a vendor that is away: no vendor is paid twice, over its share or out of its turn, and each cell is what its book has', async () => {
  await expectKept(true);
});

proof('kills alone: the cells are those of a run that nobody disturbs', async () => {
  await expectKept(false);
});
