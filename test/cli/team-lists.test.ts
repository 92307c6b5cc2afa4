/**
 * Goal: a team's sheet works without a job, what is missing is said once, and what is said afterwards speaks of the sheet. Who leaves the
 * list loses access, also a person who has accepted the invite meanwhile, and what a list says against that is never passed over.
 * Method: the real commands over sheets of people, month after month, before a sandbox service, whose own state is the judge.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const PEOPLE = ['jo Atlas', 'al Borealis', 'mo Atlas; Borealis'].map((each) => each.split(/ (.*)/));

async function teamWithSheet() {
  const team = await openTeam();
  const rows = PEOPLE.map(([who, project]) => `${who}@team.example,${project},viewer\n`);
  writeFileSync(team.place.path('sheet.csv'), `Email,Project,Role\n${rows.join('')}`);
  return team;
}

const RUN = ['run', 'onboard', 'sheet.csv', '--yes'];
const IDS = ['--project', 'Atlas=proj-a', '--project', 'Borealis=proj-b'];

test('unknown projects are said in one sentence, and a job is written to fill in', async () => {
  const team = await teamWithSheet();
  const planned = await team.type('plan', 'onboard', 'sheet.csv');
  expect(planned.stdout.match(/The ids of these projects are not known: Atlas and Borealis\./g)).toHaveLength(
    1,
  );
  expect(await team.json('plan', 'onboard', 'sheet.csv')).toMatchObject({ rows: 3, invalid: 3 });

  const stopped = await team.type(...RUN, '--save-job', 'team-job.yaml');
  expect(stopped).toMatchObject({ code: 2, stdout: '' });
  expect(stopped.stderr).toContain(
    'The ids of these projects are not known: Atlas and Borealis.\nGive each its id with ',
  );
  expect(stopped.stderr).toMatch(/--project "Atlas=…" .*--create-projects\.$/m);
  expect(await team.requests()).toBe(0);

  const job = readFileSync(team.place.path('team-job.yaml'), 'utf8');
  expect(job).toMatch(/^projects: \{ Atlas: , Borealis: \}/m);
  const blank = await team.type('run', 'team-job.yaml', 'sheet.csv', '--yes');
  expect(blank.code).toBe(2);
  expect(blank.stderr).toMatch(
    /^team-job\.yaml:\d+:\d+: projects: there is no id yet of Atlas and Borealis\.\nFill in /,
  );
  writeFileSync(
    team.place.path('team-job.yaml'),
    job.replace('Atlas: ,', 'Atlas: proj-a,').replace('Borealis: ', 'Borealis: proj-b '),
  );
  expect((await team.type('run', 'team-job.yaml', 'sheet.csv', '--yes')).code).toBe(0);
  expect(Object.keys((await team.state()).roles())).toHaveLength(4);
});

test('a team’s list with the ids of the projects it is done; again it says 0 changes; an undo says names and rows of the sheet', async () => {
  const team = await teamWithSheet();
  expect((await team.type(...RUN, ...IDS)).stdout).toContain('Changes    4 invites\n');
  const again = await team.type(...RUN, ...IDS);
  expect(again.stdout).toContain('Changes    0 changes\nRequests   0 in');

  const undo = await team.type('undo', 'last', '--dry-run');
  expect(undo.stdout.split('\n').slice(0, 4)).toEqual([
    '- remove jo@team.example from Atlas (delete invite) (row 2)',
    '- remove al@team.example from Borealis (delete invite) (row 3)',
    '- remove mo@team.example from Atlas (delete invite) (row 4)',
    '- remove mo@team.example from Borealis (delete invite) (row 4)',
  ]);
  expect(await team.json('undo', 'last', '--dry-run')).toMatchObject({
    changes: [{ row: 2, project: 'Atlas' }, { row: 3 }, { row: 4 }, { row: 4, project: 'Borealis' }],
  });
});

const [ANN, BO, CY] = ['ann@team.example', 'bo@team.example', 'cy@team.example'];

/** A team in which both were invited as viewers and have accepted, and their ids. */
async function bothAccepted() {
  const team = await openTeam({ job: { remove_missing: true, guards: { max_removals: 5 } } });
  await team.apply([
    { email: ANN, role: 'viewer' },
    { email: BO, role: 'viewer' },
  ]);
  for (const email of [ANN, BO]) await team.vendor.accept(email);
  const state = await team.state();
  return { team, ann: state.userId(PROJECT, ANN) ?? '', bo: state.userId(PROJECT, BO) ?? '' };
}

test('month 1 invites, month 2 has the user ids, and who is gone from the list of month 3 has no access', async () => {
  const { team, ann, bo } = await bothAccepted();
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
  const { entries } = await team.json('log', ANN);
  expect(entries).toMatchObject([
    {
      ...{ kind: 'decided', operation: 'note-person', ended: 'told', decided_by: 'person', row: 2 },
      operator: expect.any(String),
      subject: `${ANN} in ${PROJECT} as viewer`,
      asked: { state: 'member', role: 'viewer', user_id: ann },
      ...{ charged: null, in_doubt: null, status: null, said: null },
      why: 'nothing was sent: a list says that they are there already',
    },
    { kind: 'changed', operation: 'create-invite' },
  ]);
  const shown = (await team.type('log', 'last')).stdout.split('\n');
  expect(shown.map((line) => line.slice(22))).toEqual([
    ...[BO, ANN].map((name) => expect.stringContaining(`decided, about ${name} in ${PROJECT}`)),
    expect.stringContaining('began a batch, onboard'),
    '',
  ]);

  team.writeSheet([annRow], 'month-3.csv');
  const third = await team.runHere({ input: 'month-3.csv' });
  expect(third).toMatchObject({ code: 0, report: { counts: { unchanged: 1, applied: 1 } } });
  expect((await team.state()).standing(PROJECT, BO)).toBeUndefined();
  expect((await team.state()).standing(PROJECT, ANN)).toEqual({ as: 'member', role: 'viewer' });
});

test('a list that gives the id of another person changes neither of the two, and says whose it is', async () => {
  const { team, ann, bo } = await bothAccepted();
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
      reason: `user_id "${ann}" belongs to ${ANN}, but the row says ${BO}. Correct one of them, or leave the e-mail address out`,
    },
    { action: 'unchanged', email: BO, beyond: true },
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
  expect(ended.report?.counts).toEqual({ applied: 1, invalid: 1, unchanged: 2 });
  expect((await team.state()).roles()).toEqual({
    [`${PROJECT} ${ANN}`]: 'viewer',
    [`${PROJECT} ${BO}`]: 'viewer',
    [`${PROJECT} ${CY}`]: 'viewer',
  });
});
