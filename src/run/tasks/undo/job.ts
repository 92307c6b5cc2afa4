import type { Account } from '../../../client/account/account.ts';
import { dialectOf } from '../../../client/dialect.ts';
import { invariant } from '../../../core/errors.ts';
import { loadJob } from '../../../job/job.ts';
import type { Batch } from '../../../ledger/ledger.ts';
import type { ResolvedJob } from '../../../plan/row-walk.ts';
import { UNDO_COLUMNS } from './list-file.ts';

/**
 * The job of an undo is `onboard` over a list of ours, in which a role may be `none`. The list is not a state to be kept:
 * once the undo is finished, later changes by other people stay. So it never gets a new generation.
 */
export async function undoJob(batch: Batch, account: Account): Promise<ResolvedJob> {
  const onboard = await loadJob('onboard');
  const dialect = await dialectOf(account);
  const { change, ...operation } = onboard.operation;
  invariant(change !== undefined, 'onboard changes the service');
  return {
    job: {
      name: 'undo',
      operation: {
        ...operation,
        change: { ...change, isState: false },
      },
      columns: Object.fromEntries(UNDO_COLUMNS.map((name) => [name, name])),
      onExisting: 'refuse',
      inDoubt: { kind: 'hold' },
      origin: { kind: 'undo', undoes: batch.id },
      // Each person that this job makes admin was admin before.
      guards: { admins: 'allow' },
    },
    account,
    dialect,
  };
}
