/**
 * Whatever waits has a way out: a person can say of each call that is accepted or in doubt that it was not done. What was sent again holds
 * what it may have cost, and waits for nothing.
 */
import type { CallRow, Tables } from './invariants/tables.ts';
import type { Watch } from './invariants.ts';
import { type } from './people.ts';
import { promise } from './played.ts';
import type { Stage } from './stage.ts';

/** So many are tried: each costs a command, and most of a world are alike. */
const MOST_TRIED = 3;

const waitingIn = (tables: Tables | undefined): readonly CallRow[] =>
  [...(tables?.calls.values() ?? [])].filter(({ state }) => state === 'accepted' || state === 'doubt');

/** At the end of a world, because rows wait again for what was not done. */
export async function requireWaysOut(stage: Stage, watch: Watch): Promise<void> {
  for (const { id, batch, row, state } of waitingIn(watch.tables).slice(0, MOST_TRIED)) {
    if (!waitingIn(watch.tables).some((call) => call.id === id)) continue;
    const words = ['settle', batch, `${row}`, '--not-done', '--json'];
    const { exitCode, stdout, stderr } = await type(stage, words);
    const waits = waitingIn(watch.tables).some((call) => call.id === id);
    promise(!waits, `call ${id} (${state}) waits, and ${words.join(' ')} -> ${exitCode} ${stdout} ${stderr}`);
  }
}
