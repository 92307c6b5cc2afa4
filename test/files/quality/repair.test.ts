/**
 * Goal: a change is made for whom a repaired cell means, and its row says so. Lookups are shown by the command line.
 * Method: an invite whose address is damaged, planned and kept as a run keeps it.
 */
import { expect, test } from 'vitest';
import { sandboxAccount } from '../../../src/client/account/account.ts';
import service from '../../../src/client/dialects/service.ts';
import { Team } from '../../../src/core/membership.ts';
import { present } from '../../../src/core/objects.ts';
import type { Call, Operation, RowInput } from '../../../src/core/operation.ts';
import type { Job } from '../../../src/job/job.ts';
import inviteUser from '../../../src/operations/invite-user.ts';
import { optionsOf, preparedCells, RowWalk } from '../../../src/plan/row-walk.ts';
import { type ResolvedRow, resolved } from '../../../src/plan/team/change-plan/planned-rows.ts';
import { OPTIONS, FOUND as SENT } from '../../operations/team.ts';

/** The row of a change as a plan keeps it. What is kept is JSON, so it goes through JSON. */
function planned(operation: Operation, cells: RowInput, repair?: true): ResolvedRow | undefined {
  const job: Job = {
    name: 'test',
    operation,
    onExisting: 'refuse',
    inDoubt: { kind: 'hold' },
    ...present({ repair }),
  };
  const resolvedJob = { job, account: { ...sandboxAccount('service'), ...OPTIONS }, dialect: service };
  const prepared = preparedCells(job, cells, optionsOf(resolvedJob));
  const rows = [{ row: 2, text: cells, input: 0, prepared }];
  return JSON.parse(JSON.stringify(resolved({ ...resolvedJob, ledger: undefined }, rows, new Team([]))[0]));
}

test('a change is made for whom the repaired cell means, also after its plan was kept as JSON', () => {
  const row = planned(inviteUser, { email: 'Jo <jo@x.com>', role: 'editor' }, true);
  if (row?.kind !== 'work') throw new Error('nothing is planned');
  const { work, calls } = row;
  expect(calls.map(({ parameters }: Call) => parameters.email)).toEqual(['jo@x.com']);
  const { outcome } = new RowWalk(inviteUser, service, { input: work, repaired: work.repaired }).ahead(
    () => SENT,
  );
  expect(outcome).toMatchObject({ kind: 'applied', reason: 'invited as editor; e-mail read as jo@x.com' });
});
