/** One list of twelve rows, two to three runs, a crash in each but the last. */
import fc from 'fast-check';
import { requireOneCharge } from '../invariants.ts';
import { crashes, type, typedWords } from '../people.ts';
import { promise, type WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import { companyRow, JOB, writeAccounts } from '../workplace.ts';

interface History {
  readonly rows: readonly number[];
  /** Of each run: what happens in it. */
  readonly runs: readonly (readonly Fault[])[];
}

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '1000', '--yes', '--json'];

const lists: WorldKind<History> = {
  name: 'lists',
  history: fc.record({
    rows: fc.array(fc.nat(12), { minLength: 12, maxLength: 12 }),
    runs: fc.array(crashes, { minLength: 1, maxLength: 2 }),
  }),
  words: ({ rows, runs }) => [`rows ${rows.join(' ')}`, ...runs.map((faults) => typedWords(RUN, faults))],
  async play(stage, { rows, runs }) {
    writeAccounts(stage);
    stage.write('job.yaml', JOB);
    stage.write('list.csv', `ABN,Site\n${rows.map(companyRow).join('')}`);
    for (const faults of runs) await type(stage, RUN, faults);
    const { exitCode } = await type(stage, RUN);
    promise(exitCode === 0 || exitCode === 3, `the list does not end: ${exitCode}`);
    requireOneCharge(stage);
  },
};

export default lists;
