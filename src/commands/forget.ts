import { z } from 'zod';
import { systemClock } from '../core/clock.ts';
import { ErasureObject } from '../objects/log-object.ts';
import { personOf } from '../operations/lookup/person.ts';
import { eraseIn } from '../run/erase.ts';
import { storesWithLists } from '../run/store-choice.ts';
import { argument, command, flag } from './shared/command.ts';
import { talkedErasure } from './shared/erasure.ts';
import { COMMON, wait } from './shared/input.ts';

export default command({
  name: 'forget',
  summary: 'Erases a person: every request, answer and cell about them.',
  details:
    'Amounts and times stay. It names your own files, ' +
    'and open invites and memberships with the commands that end them. ' +
    'A later row about the person, also in a team, is skipped unless run --refresh asks. ' +
    'Nothing is erased while a doubt about the person is open, ' +
    'or an unfinished batch has plans for them.',
  example: 'forget jo@example.com --dry-run',
  input: z.strictObject({
    ...COMMON,
    person: argument(z.string(), 'an e-mail address, or the address of a profile page'),
    dry_run: flag(z.boolean().default(false), 'only show what would be erased'),
    yes: flag(z.boolean().default(false), 'erase without being asked'),
    wait: wait(),
  }),
  output: z.object({ dry_run: z.boolean(), stores: z.array(ErasureObject) }),
  async run({ person: text, dry_run: isDryRun, yes, wait: waitMs = 0, store, as: operator }, { console }) {
    const person = personOf(text);
    // Other processes read the command's name beside the ledger, so it does not contain the person.
    const options = { clock: systemClock, waitForLockMs: waitMs, command: 'forget', operator };
    const stores: ErasureObject[] = [];
    for (const location of storesWithLists(store)) {
      const erased = await talkedErasure(console, {
        location,
        what: 'everything about this person',
        yes,
        dryRun: isDryRun,
        erase: (dryRun) => eraseIn(location, { kind: 'person', person }, { ...options, dryRun }),
      });
      stores.push(erased);
    }
    return {
      lines: stores.length === 0 ? ['There is no store, so nothing is kept.'] : [],
      object: { dry_run: isDryRun, stores },
    };
  },
});
