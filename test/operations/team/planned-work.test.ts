/**
 * Goal: a planned change says in a word what it does, in the plan that is kept: nobody has to tell it from the names of its
 * calls, and a plan that was kept or saved before there was the word is read and run as before.
 * Method: rows of the real operations as the ledger would keep them, with and without the word.
 */
import { describe, expect, test } from 'vitest';
import type { JsonObject, Operation } from '../../../src/core/operation.ts';
import changeRole from '../../../src/operations/change-role.ts';
import deleteInvite from '../../../src/operations/delete-invite.ts';
import inviteUser from '../../../src/operations/invite-user.ts';
import onboard from '../../../src/operations/onboard.ts';
import removeUser from '../../../src/operations/remove-user.ts';
import { keptWork } from '../../../src/operations/team/planned-work.ts';
import { requireSavedPlan, type SavedPlan } from '../../../src/plan/saved-plan.ts';
import type { ChangePlan } from '../../../src/plan/team/change-plan.ts';
import { invited, known, OPTIONS, planned } from '../team.ts';

const [JO, SAM] = ['jo@x.example', 'sam@x.example'];
const TEAM = [
  invited(JO, 'viewer'),
  known(SAM, { state: 'member', userId: 'u-1', email: SAM, role: 'viewer' }),
];
const EDITOR = { email: JO, role: 'editor' };

const CASES: readonly (readonly [string, Operation, Record<string, string>, string | undefined])[] = [
  ['an invite', inviteUser, { email: 'new@x.example', role: 'viewer' }, 'invite'],
  ['an invite that is made anew with another role', changeRole, EDITOR, 'change_role'],
  ['another role of somebody who has accepted', onboard, { email: SAM, role: 'editor' }, 'change_role'],
  ['an invite that is deleted', deleteInvite, { email: JO }, 'remove'],
  ['somebody who is removed', removeUser, { user_id: 'u-1' }, 'remove'],
  ['nothing to do', onboard, { email: JO, role: 'viewer' }, undefined],
];

function keep(operation: Operation, row: Record<string, string>, options = OPTIONS): JsonObject {
  const work = planned(operation, row, TEAM, options);
  if (work.kind === 'invalid') throw new Error(work.reason);
  return work.input as unknown as JsonObject;
}

function withoutWord({ action: _, parts, ...work }: JsonObject): JsonObject {
  return Array.isArray(parts) ? { ...work, parts: parts.map(withoutWord) } : work;
}

const BOTH = { settings: { projects: { Sales: 'proj-1', Data: 'proj-2' } } };

describe('the action of a planned change', () => {
  test.each(CASES)('%s', (_name, operation, row, action) => {
    const work = keep(operation, row);
    expect(work.action).toBe(action);
    expect(keptWork(work).action).toBe(action);
    expect(keptWork(withoutWord(work)), 'of a plan that was kept earlier').toEqual(keptWork(work));
  });

  test('a row about several projects has a word for each, and none for all', () => {
    const work = keep(onboard, { ...EDITOR, project: 'Sales; Data' }, BOTH);
    for (const kept of [keptWork(work), keptWork(withoutWord(work))]) {
      expect(kept.action).toBeUndefined();
      expect(kept.parts?.map(({ action }) => action)).toEqual(['change_role', 'invite']);
    }
  });
});

test('a plan that was saved without the words is run as the plan that it is', async () => {
  const works = [keep(onboard, EDITOR), keep(onboard, { ...EDITOR, project: 'Sales; Data' }, BOTH)];
  const rows = works.map((work, at) => ({ row: at + 2, kind: 'work' as const, work }));
  const plan = { planned: rows, changes: [], inputSha256: 'same' } as unknown as ChangePlan;
  const context = {
    job: { operation: onboard },
    account: { identity: 'account', name: 'team' },
    ledger: {},
  } as unknown as Parameters<typeof requireSavedPlan>[1];
  const saved = (change: (work: JsonObject) => JsonObject): SavedPlan => ({
    rowonce_plan: 1,
    operation: 'onboard',
    account: 'team',
    account_identity: 'account',
    input: 'team.csv',
    input_sha256: 'same',
    changes: [],
    planned: rows.map((row) => ({ ...row, work: change(row.work) })),
  });
  await requireSavedPlan(saved(withoutWord), context, plan);
  const other = saved((work) => ({ ...withoutWord(work), to: 'admin' }));
  await expect(requireSavedPlan(other, context, plan)).rejects.toMatchObject({ code: 'plan' });
});
