/**
 * Goal: a team's sheet works without a job, what is missing is said once, and what is said afterwards speaks of the sheet.
 * Method: the real commands over a sheet of people that names its projects, before a sandbox service, whose own state says who is where.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
  expect(
    planned.stdout.match(/Nobody has said yet which projects these are: Atlas and Borealis\./g),
  ).toHaveLength(1);
  expect(await team.json('plan', 'onboard', 'sheet.csv')).toMatchObject({ rows: 3, invalid: 3 });

  const stopped = await team.type(...RUN, '--save-job', 'team-job.yaml');
  expect(stopped).toMatchObject({ code: 2, stdout: '' });
  expect(stopped.stderr).toContain(
    'Nobody has said yet which projects these are: Atlas and Borealis.\nGive each its id with ',
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
