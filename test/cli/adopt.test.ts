/**
 * Goal: a team that others have made is taken over from a file without one mail: nobody in it is invited again, a list changes
 * only who differs, and what was written down is no work of ours that could be taken back.
 * Method: the real commands before a vendor with people whom nobody has told the ledger about; what reached the vendor is counted.
 */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { TeamWorkplace, type Wanted } from '../faults/team-workplace.ts';

const OLD: readonly Wanted[] = [
  { email: 'ann@team.example', role: 'viewer' },
  { email: 'bo@team.example', role: 'editor', userId: 'user-bo' },
];

let team: TeamWorkplace;
beforeEach(async () => {
  team = await TeamWorkplace.open();
  onTestFinished(() => team[Symbol.asyncDispose]());
});

const adopt = (...more: readonly string[]) => team.type('adopt', 'team.yaml', 'old.csv', ...more);

test('nobody of an adopted team is invited again, and a list sends its difference alone', async () => {
  team.writeSheet([...OLD, { email: 'no address', role: 'viewer' }], 'old.csv');
  const ended = await adopt();
  expect(ended.stdout).toMatch(
    /^2 people adopted from old\.csv, 0 known before; nothing was sent\.\n! row 4: /,
  );
  expect(ended.code).toBe(3);
  expect(await team.requests()).toBe(0);

  team.writeSheet([...OLD, { email: 'cy@team.example', role: 'viewer' }]);
  const { changes } = await team.json('plan', 'team.yaml', 'team.csv');
  expect(changes).toMatchObject([
    { row: 2, action: 'unchanged' },
    { row: 3, action: 'unchanged' },
    { row: 4, action: 'invite' },
  ]);
  expect((await team.runHere()).report?.counts).toEqual({ applied: 1, unchanged: 2 });
  expect(await team.requests()).toBe(1);
});

test('a list is adopted, twice is once, and what the ledger knows better stays', async () => {
  await team.apply([{ email: 'di@team.example', role: 'viewer' }]);
  team.writeSheet([...OLD, { email: 'di@team.example', role: 'editor' }], 'old.csv');
  expect(await team.json('adopt', 'team.yaml', 'old.csv')).toMatchObject({
    ...{ rows: 3, adopted: 2, known: 0 },
    left: [{ row: 4, reason: expect.stringContaining('di@team.example is known as viewer in proj-1') }],
  });
  expect(await team.json('adopt', 'team.yaml', 'old.csv')).toMatchObject({ adopted: 0, known: 2 });
  expect((await team.state()).roles()).toEqual({ 'proj-1 di@team.example': 'viewer' });
});

test('what is about no team is not adopted', async () => {
  expect((await team.type('adopt', 'remove-user', 'old.csv')).stderr).toContain(
    'remove-user does not work on a team, so there is none to adopt.',
  );
});
