/**
 * Whatever waits or holds credits has a way out: a person can say of each call that is accepted or in doubt, also beside an answer that
 * stands, that it was not done.
 */
import type { CallRow, Tables } from './invariants/tables.ts';
import type { Watch } from './invariants.ts';
import { type } from './people.ts';
import { promise } from './played.ts';
import type { Stage } from './stage.ts';

/** So many are tried: each costs a command, and most of a world are alike. */
const MOST_TRIED = 3;

/** Beside an answer nothing waits for a call that holds no credits. */
const isWaiting = ({ state, reserved }: CallRow): boolean =>
  state === 'accepted' ||
  state === 'doubt' ||
  (reserved > 0 && (state === 'retried' || state === 'doubt_beside'));

const waitingIn = (tables: Tables | undefined): readonly CallRow[] =>
  [...(tables?.calls.values() ?? [])].filter(isWaiting);

/** A row of several steps may be in doubt by several calls, which are decided about one after the other. */
const MOST_DECISIONS = 4;

/** At the end of a world, because rows wait again for what was not done. */
export async function requireWaysOut(stage: Stage, watch: Watch): Promise<void> {
  for (const { id, batch, row, state } of waitingIn(watch.tables).slice(0, MOST_TRIED)) {
    const waits = (): boolean => waitingIn(watch.tables).some((call) => call.id === id);
    for (let decided = 0; waits(); decided += 1) {
      const words = ['settle', batch, `${row}`, '--not-done', '--json'];
      const { exitCode, stdout, stderr } = await type(stage, words);
      const goesOn = exitCode === 0 && decided < MOST_DECISIONS;
      promise(
        goesOn || !waits(),
        `call ${id} (${state}) waits, and ${words.join(' ')} -> ${exitCode} ${stdout} ${stderr}`,
      );
    }
  }
}
