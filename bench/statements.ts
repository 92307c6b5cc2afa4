import { groupsOf, STEPS, type StepWork, totalOf, workOf } from '../test/ceilings/scene.ts';
import { inFolder } from './program.ts';

/** Where the statements of a list go: each by its text, with how often it is run. What may be run is in `test/ceilings/ceilings.ts`. */

const ROWS = 1000;

/** What opens a store and the like is run a few times, however long the list is. */
const FEWEST = ROWS / 100;

/** So much of a statement says which it is. */
const WIDTH = 150;

export function measureStatements(): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    const works = await workOf(folder, ROWS);
    return STEPS.flatMap((step) => ['', `${ROWS} rows ${step}: ${words(works[step])}`, ...rows(works[step])]);
  });
}

function words(work: StepWork): string {
  const { commits, snapshots, syncs, requests } = work;
  return `${totalOf(work)} statements, ${commits} commits, ${groupsOf(work)} groups of entries, ${snapshots} snapshots, ${syncs} syncs beside the ledger, ${requests} requests`;
}

function rows({ statements }: StepWork): readonly string[] {
  const often = [...statements].filter(([, count]) => count > FEWEST);
  const shown = often.sort(([, one], [, other]) => other - one);
  return shown.map(([text, count]) => `${String(count).padStart(8)}  ${text.slice(0, WIDTH)}`);
}
