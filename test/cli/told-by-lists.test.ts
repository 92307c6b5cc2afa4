/**
 * Goal: whoever leaves the list loses access, also a person who has accepted the invite meanwhile: what any list has said of
 * them is known. And what a list says against that is never passed over in silence.
 * Method: the real commands, month after month, before the sandbox service, whose own state is the judge.
 */
import { beforeEach, expect, test } from 'vitest';
import { PROJECT, type TeamWorkplace } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const [ANN, BO, CY] = ['ann@team.example', 'bo@team.example', 'cy@team.example'];

let team: TeamWorkplace;
beforeEach(async () => {
  team = await openTeam({ job: { remove_missing: true, guards: { max_removals: 5 } } });
});

/** Both are invited as viewers and accept. @returns their ids. */
async function bothAccepted(): Promise<{ readonly ann: string; readonly bo: string }> {
  await team.apply([
    { email: ANN, role: 'viewer' },
    { email: BO, role: 'viewer' },
  ]);
  for (const email of [ANN, BO]) await team.vendor.accept(email);
  const state = await team.state();
  return { ann: state.userId(PROJECT, ANN) ?? '', bo: state.userId(PROJECT, BO) ?? '' };
}

test('month 1 invites, month 2 has the user ids, and who is gone from the list of month 3 has no access', async () => {
  const { ann, bo } = await bothAccepted();
  const [annRow, boRow] = [
    { email: ANN, role: 'viewer', userId: ann },
    { email: BO, role: 'viewer', userId: bo },
  ];
  const before = await team.requests();
  team.writeSheet([annRow, boRow], 'month-2.csv');
  expect((await team.type('plan', 'team.yaml', 'month-2.csv')).stdout).toContain(
    `= ${ANN} in ${PROJECT}: viewer (row 2); the user_id ${ann} is noted`,
  );
  const second = await team.runHere({ input: 'month-2.csv' });
  expect(second).toMatchObject({ code: 0, report: { counts: { unchanged: 2 }, requests: 0 } });
  expect((await team.type('status', 'last')).stdout).toContain('Requests   0');
  expect(await team.requests()).toBe(before);
  expect((await team.json('spend')).groups).toMatchObject([{ requests: before }]);

  team.writeSheet([annRow], 'month-3.csv');
  const third = await team.runHere({ input: 'month-3.csv' });
  expect(third).toMatchObject({ code: 0, report: { counts: { unchanged: 1, applied: 1 } } });
  expect((await team.state()).standing(PROJECT, BO)).toBeUndefined();
  expect((await team.state()).standing(PROJECT, ANN)).toEqual({ as: 'member', role: 'viewer' });
});

test('a list that gives the id of another person changes neither of the two, and says whose it is', async () => {
  const { ann, bo } = await bothAccepted();
  const [annRow, boRow] = [
    { email: ANN, role: 'viewer', userId: ann },
    { email: BO, role: 'viewer', userId: bo },
  ];
  await team.apply([annRow, boRow], { input: 'month-2.csv' });
  team.writeSheet([annRow, { ...boRow, userId: ann }], 'mixed.csv');
  const { changes } = await team.json('plan', 'team.yaml', 'mixed.csv');
  expect(changes).toMatchObject([
    { row: 2, action: 'unchanged' },
    {
      row: 3,
      action: 'invalid',
      reason: `user_id "${ann}" is that of ${ANN}, but the row says ${BO}. Correct one of them, or leave the e-mail address out`,
    },
    { action: 'refused', email: BO, beyond: true },
  ]);
  // Whose id it is may be meant by that row, and is not taken for missing.
  team.writeSheet(
    [
      { ...boRow, userId: ann, role: 'editor' },
      { email: CY, role: 'viewer' },
    ],
    'alone.csv',
  );
  const ended = await team.runHere({ input: 'alone.csv' });
  expect(ended.report?.counts).toEqual({ applied: 1, invalid: 1, refused: 2 });
  expect((await team.state()).roles()).toEqual({
    [`${PROJECT} ${ANN}`]: 'viewer',
    [`${PROJECT} ${BO}`]: 'viewer',
    [`${PROJECT} ${CY}`]: 'viewer',
  });
});
