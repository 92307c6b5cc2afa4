/**
 * Goal: a run goes as far as its guards let it and no step further; what was meant can be allowed.
 * Method: plans of a few changes, at each guard's edge and one beyond it.
 */
import { expect, test } from 'vitest';
import type { Job } from '../../../src/job/job.ts';
import { loadJob } from '../../../src/job/job.ts';
import type { PlannedChangeObject as PlannedChange } from '../../../src/objects/plan-object.ts';
import { checkGuards, guardProblems } from '../../../src/plan/team/change-guards.ts';
import type { ChangePlan } from '../../../src/plan/team/change-plan.ts';

const onboard = await loadJob('onboard');
type Guards = NonNullable<Job['guards']>;
const jobWith = (guards: Guards): Job => ({ ...onboard, guards });

function planOf(changes: PlannedChange[], more: Partial<ChangePlan> = {}): ChangePlan {
  return {
    rows: changes.length,
    rowsBeyond: 0,
    planned: [],
    changes,
    duplicates: 0,
    calls: changes.length,
    costs: [],
    people: 0,
    unknownNames: { projects: [], roles: [] },
    leavers: [],
    ...more,
  };
}

const invite = (row: number, more: Partial<PlannedChange> = {}): PlannedChange => ({
  row,
  action: 'invite',
  email: `p${row}@acme.example`,
  project: 'Sales',
  from: null,
  to: 'viewer',
  calls: ['create-invite'],
  ...more,
});

const removal = (row: number, more: Partial<PlannedChange> = {}): PlannedChange =>
  invite(row, { action: 'remove', to: 'none', calls: ['delete-invite'], ...more });

const missing = (count: number): PlannedChange[] =>
  Array.from({ length: count }, (_, index) => removal(index + 2, { beyond: true }));

/** The facts of what holds a run back; empty when nothing does. */
function held(guards: Guards, plan: ChangePlan, allowAdmin = false): readonly string[] {
  return guardProblems({ job: jobWith(guards), allowAdmin }, plan).map(({ fact }) => fact);
}

test('a tenth of the people may be missing from a list, and one more may not', () => {
  expect(held({}, planOf(missing(2), { people: 20 }))).toEqual([]);
  expect(held({}, planOf(missing(3), { people: 20 }))).toEqual([
    expect.stringMatching(/^remove 3 of 20 people whom the file no longer names, and the limit is 10%/),
  ]);
  expect(held({ max_removals: '15%' }, planOf(missing(3), { people: 20 }))).toEqual([]);
  expect(held({ max_removals: '100%' }, planOf(missing(20), { people: 20 }))).toEqual([]);
});

test('a share leaves alone who was asked to be removed; a number counts everybody', () => {
  const asked = planOf([removal(2), removal(3), ...missing(1)], { people: 10 });
  expect(held({}, asked)).toEqual([]);
  expect(held({ max_removals: 3 }, asked)).toEqual([]);
  expect(held({ max_removals: 2 }, asked)).toEqual([
    expect.stringMatching(/^make 3 removals, and the limit is 2/),
  ]);
  expect(held({ max_removals: 0 }, planOf([removal(2)]))).toHaveLength(1);
});

test('only addresses at the named domains are invited, and a domain within one is another', () => {
  const domains = ['acme.example'];
  expect(held({ domains }, planOf([invite(2, { email: 'jo@ACME.example' })]))).toEqual([]);
  expect(held({ domains: ['@acme.example'] }, planOf([invite(2)]))).toEqual([]);
  for (const email of ['jo@evil.example', 'jo@sub.acme.example', 'jo@notacme.example']) {
    expect(held({ domains }, planOf([invite(2, { email })]))).toHaveLength(1);
  }
  const outside = { email: 'jo@evil.example' };
  expect(held({ domains }, planOf([removal(2, outside)]))).toEqual([]);
  const anew = {
    ...outside,
    action: 'change_role',
    calls: ['delete-invite', 'create-invite'],
  } satisfies Partial<PlannedChange>;
  expect(held({ domains }, planOf([invite(2, anew)]))).toHaveLength(1);
});

test("nothing lets a run take away the place of the key's own user", () => {
  const plan = (change: PlannedChange) =>
    planOf([change], { ownUser: { email: 'Me@x.example', userId: 'u1' } });
  const role = { action: 'change_role', calls: ['update-user'] } satisfies Partial<PlannedChange>;
  expect(held({}, plan(removal(2, { email: 'me@x.example' })))).toHaveLength(1);
  expect(held({}, plan(invite(2, { ...role, user_id: 'u1' })))).toHaveLength(1);
  expect(held({}, plan(invite(2, { ...role, user_id: 'u2' })))).toEqual([]);
});

const idOf = async () => 'its id';

test('who has agreed to just this plan may accept what is held back of it, but for what nobody can allow', async () => {
  const job = jobWith({ max_invites: 0 });
  const accepted = { job, accept: ['guards'], planId: 'its id' } as const;
  const plan = planOf([invite(2, { to: 'admin' })]);
  await checkGuards(accepted, plan, idOf);
  await expect(checkGuards({ ...accepted, planId: undefined }, plan, idOf)).rejects.toThrow('send 1 invite');
  const ownUser = { email: 'me@x.example', userId: 'u1' };
  const own = planOf([invite(2, { to: 'admin' }), removal(3, { email: 'me@x.example' })], { ownUser });
  await expect(checkGuards(accepted, own, idOf)).rejects.toMatchObject({
    message: expect.stringMatching(/^Nothing was sent, because this run would change the rights of the user/),
    answers: undefined,
  });
});
