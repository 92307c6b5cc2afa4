/**
 * Goal: of bits that are flipped in a store, at rest or after a kill, none makes anything be bought again, passes a budget
 * or shows a wrong row: each is noticed, in the words for damage, or changes nothing.
 * Method: real commands over copies of stores of real runs, with one bit flipped in each; the vendor is a process with a
 * book of its own. `npm run faults -- --flips 10000` does so at scale; here are enough flips to meet each
 * kind of file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { proof, times } from '../combinations.ts';
import { type FlipStore, makeFlipStores } from './flip-store.ts';
import { type Flip, FlipLab, flipNumbered } from './flip-trial.ts';
import { Workplace } from './workplace.ts';

const FLIPS = times(6, 32);
const ROWS = 30;
const SEED = 10;

proof(
  'a flipped bit is noticed or harmless, whichever file it is in and whatever is typed then',
  {
    timeout: 180_000,
  },
  async () => {
    await using place = await Workplace.open({ matchRate: 0.8 });
    const stores = await makeFlipStores(place, ROWS);
    const folder = mkdtempSync(join(tmpdir(), 'rowonce-flips-'));
    for (const name of ['ROWONCE_CONFIG', 'XDG_STATE_HOME', 'ROWONCE_STORE']) vi.stubEnv(name, undefined);
    try {
      await using lab = await FlipLab.open(place.folder, folder);
      const verdicts = new Map<string, number>();
      for (const flip of flipsOf(stores)) {
        const { verdict, said } = await lab.try(flip);
        const { store, deed, file, byte, bit } = flip;
        if (verdict !== 'harmless' && verdict !== 'detected') {
          expect.fail(`${verdict}: ${store.name} ${file} byte ${byte} bit ${bit}, ${deed.name}: ${said}`);
        }
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
      // Where a flip lands depends on what the store wrote when; each end is met, however few there are.
      expect(verdicts.get('detected')).toBeGreaterThan(0);
      expect(verdicts.get('harmless')).toBeGreaterThan(0);
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

function flipsOf(stores: readonly FlipStore[]): readonly Flip[] {
  return Array.from({ length: FLIPS }, (_, number) => flipNumbered(number, SEED, stores));
}
