import { vi } from 'vitest';
import type { Clock } from '../../../src/core/clock.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { RunObject } from '../../../src/objects/run-object.ts';
import { chooseJob } from '../../../src/run/choose.ts';
import { openSpender, type Spender } from '../../../src/run/run-job.ts';
import type { TeamWorkplace } from '../../faults/team-workplace.ts';

/** The store of a workplace, open in this process: for runs in such numbers that starting a program for each takes long. */
export class OpenTeam implements AsyncDisposable {
  readonly #team: TeamWorkplace;
  readonly #spender: Spender;

  private constructor(team: TeamWorkplace, spender: Spender) {
    this.#team = team;
    this.#spender = spender;
  }

  /** One at a time in a process, because where the accounts are is told by its environment. */
  static async open(team: TeamWorkplace, clock?: Clock): Promise<OpenTeam> {
    vi.stubEnv('ROWONCE_CONFIG', team.place.path('config'));
    // A command that is typed beside it in this process has that folder too; a note elsewhere would be another copy's.
    vi.stubEnv('XDG_STATE_HOME', team.place.path('state'));
    vi.stubEnv('ROWONCE_TEST_HOOKS', '1');
    vi.stubEnv('ROWONCE_VENDOR_IS_QUICK', '1');
    return new OpenTeam(team, await openSpender(false, { store: team.place.path('store'), clock }));
  }

  get ledger(): Ledger {
    return this.#spender.ledger;
  }

  /** Everything that the run asks is agreed to. */
  async run({ job = 'team.yaml', input = 'team.csv', output = 'out.csv' } = {}): Promise<RunObject> {
    const { place } = this.#team;
    const named = job.endsWith('.yaml') ? place.path(job) : job;
    const chosen = await chooseJob({ job: named, entries: { account: 'data' } });
    return this.#spender.run(chosen, {
      file: place.path(input),
      output: place.path(output),
      askAgreement: async () => true,
      askChanges: async () => true,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#spender.close();
  }
}
