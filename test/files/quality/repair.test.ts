/**
 * Goal: a repaired row is asked about as it was meant, says so in its reason, and everything else of the operation stays
 * as it was.
 * Method: operations that only read and one that changes, with rows that are damaged and rows that are not.
 */
import { expect, test } from 'vitest';
import { sandboxAccount } from '../../../src/client/account/account.ts';
import provider from '../../../src/client/dialects/provider.ts';
import service from '../../../src/client/dialects/service.ts';
import { Team } from '../../../src/core/membership.ts';
import { present } from '../../../src/core/objects.ts';
import type { Answer, Call, Operation, RowInput } from '../../../src/core/operation.ts';
import type { Job } from '../../../src/job/job.ts';
import createProject from '../../../src/operations/create-project.ts';
import enrichCompany from '../../../src/operations/enrich-company.ts';
import type enrichPerson from '../../../src/operations/enrich-person.ts';
import inviteUser from '../../../src/operations/invite-user.ts';
import { optionsOf, preparedCells, RowWalk } from '../../../src/plan/row-walk.ts';
import { type ResolvedRow, resolved } from '../../../src/plan/team/change-plan/planned-rows.ts';
import { OPTIONS, FOUND as SENT } from '../../operations/team.ts';

/** The first call of a row, and how the row ends when that is answered so. */
function asked(operation: typeof enrichPerson, row: RowInput, answer: Answer) {
  const prepared = preparedCells({ operation, repair: true }, row, {});
  if (prepared.kind === 'invalid') throw new Error(prepared.reason);
  const walk = new RowWalk(operation, provider, prepared);
  const { calls, outcome } = walk.ahead(() => answer);
  return { parameters: calls[0]?.call.parameters, outcome };
}

const FOUND: Answer = { kind: 'found', fields: {} };

test('an identifier that is derived from a repaired cell is derived from what it was read as', () => {
  const { parameters, outcome } = asked(enrichCompany, { website: '"acme.org.au";' }, FOUND);
  expect(parameters).toEqual({ domain: 'acme.org.au' });
  expect(outcome?.reason).toBe('website read as acme.org.au');
});

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

test('a change that needs no repair, and one whose row is refused, are those of the operation itself', () => {
  for (const email of ['jo@x.com', 'jo']) {
    const row = { email, role: 'editor' };
    expect(planned(inviteUser, row, true)).toEqual(planned(inviteUser, row));
  }
  const plain = { name: 'CafÃ©', description: '' };
  expect(planned(createProject, plain, true)).toEqual(planned(createProject, plain));
});
