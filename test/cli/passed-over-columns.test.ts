/**
 * Goal: a column that says where a person goes, or who it is, is never passed over by what changes the service: it is read, or a
 * person says that it is not. What only looks up stops for no column.
 * Method: the real commands over sheets of people before the sandbox service; what reached it is counted.
 */
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { PROJECT, type TeamWorkplace } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';

let team: TeamWorkplace;
beforeEach(async () => {
  team = await openTeam();
  write('people.csv', `Project,Email,Role\nproj-sales,${JO},viewer\n`);
});

const write = (name: string, text: string): void => writeFileSync(team.place.path(name), text);

test('invite-user stops for a column of projects, names onboard, and goes on once it is said to be left unread', async () => {
  for (const command of [['plan'], ['run', '--yes']]) {
    const [name = '', ...more] = command;
    expect(await team.type(name, 'invite-user', 'people.csv', ...more)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'invite-user would not read the column "Project", which says where a person goes.\n' +
        'Use onboard, which reads it, or say with --column project= that it is left unread.\n',
    });
  }
  expect(await team.requests()).toBe(0);
  const ended = await team.type('run', 'invite-user', 'people.csv', '--yes', '--column', 'project=');
  expect(ended.code).toBe(0);
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'viewer' });
});

test('plan offers onboard for such a sheet, and invite-user not', async () => {
  const offered = async (name: string): Promise<unknown> =>
    (await team.json('plan', 'people.csv')).operations.find(
      ({ operation }: { readonly operation: string }) => operation === name,
    ).problem;
  expect(await offered('onboard')).toBeNull();
  expect(await offered('invite-user')).toContain('would not read the column "Project"');
  write('people.csv', `Email,Role\n${JO},viewer\n`);
  expect(await offered('invite-user')).toBeNull();
});

test.each([
  [
    'invite-user',
    'User ID,Email,Role',
    'u-1,jo@team.example,viewer',
    'user_id',
    'Use onboard, which reads it, or say',
  ],
  ['change-role', 'Team,User ID,Role', 'Sales,u-1,viewer', 'project', 'Use onboard, which reads it, or say'],
  ['remove-user', 'Project,User ID', 'Sales,u-1', 'project', 'Say'],
  ['delete-invite', 'User ID,Email', 'u-1,jo@team.example', 'user_id', 'Say'],
])(
  '%s stops for %s, and names onboard where people are to come in',
  async (operation, header, row, input, advice) => {
    write('list.csv', `${header}\n${row}\n`);
    const { code, stderr } = await team.type('plan', operation, 'list.csv');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`\n${advice} with --column ${input}=`)]);
    expect((await team.type('plan', operation, 'list.csv', '--column', `${input}=`)).code).toBe(0);
  },
);

test('a job that reads no project of onboard says so, and so does the job that is saved', async () => {
  team.writeJob({ columns: { email: 'Email', role: 'Role' } }, 'some.yaml');
  const stopped = await team.type('plan', 'some.yaml', 'people.csv');
  expect(stopped).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Read it with --column project=Project'),
  });
  const unread = ['--column', 'project=', '--save-job', team.place.path('saved.yaml')];
  expect((await team.type('run', 'some.yaml', 'people.csv', '--yes', ...unread)).code).toBe(0);
  expect((await team.type('plan', 'saved.yaml', 'people.csv')).code).toBe(0);
});

test('a lookup stops for no column, and may be told to leave one unread that it does not have', async () => {
  write('leads.csv', `Project,User ID,Email\nSales,u-1,${JO}\n`);
  for (const more of [[], ['--column', 'project=']])
    expect(
      (await team.type('plan', 'enrich-person', 'leads.csv', '--account', 'sandbox-provider', ...more)).code,
    ).toBe(0);
});
