/**
 * Goal: `undo` puts people back where a batch found them, says what it cannot put back, and is a batch like any other.
 * Method: the real commands before a sandbox service, whose own state says who is invited with which role and which mails
 * were sent; the judge is never the ledger.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT, type Wanted } from '../faults/team-workplace.ts';
import { openDesk } from './desk.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';
const MO = 'mo@team.example';
const VI = 'vi@team.example';

const person = (email: string, role: string, more: Partial<Wanted> = {}): Wanted => ({
  email,
  role,
  ...more,
});

test('invites are deleted and roles set back; the same list then is applied anew; to undo again does nothing', async () => {
  const team = await openTeam();
  await team.apply([person(JO, 'viewer')]);
  const sheet = [person(JO, 'editor'), person(MO, 'admin')];
  await team.apply(sheet, { more: ['--allow-admin'] });
  const { batch } = await team.json('status', 'last');

  const undone = await team.json('undo', 'last', '--yes');
  expect(undone).toMatchObject({
    undoes: batch,
    rows: 2,
    counts: { applied: 2 },
    requests: 3,
    not_undone: [],
  });
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'viewer' });
  expect((await team.type('status', 'last')).stdout).toContain(
    `finished, undo of ${batch} with account data`,
  );

  const again = await team.type('undo', batch, '--yes');
  expect(again).toMatchObject({
    code: 0,
    stdout: `Batch ${batch} was undone by batch ${undone.batch}: 2 applied. Nothing is left to send.\n`,
  });
  const requests = await team.requests();
  const once = await team.apply(sheet, { more: ['--allow-admin'] });
  expect(once.report?.counts).toEqual({ applied: 2 });
  expect(await team.requests()).toBe(requests + 3);
  const state = await team.state();
  expect(state.roles()).toEqual({ [`${PROJECT} ${JO}`]: 'editor', [`${PROJECT} ${MO}`]: 'admin' });
  expect(state.mailsTo(PROJECT, JO)).toEqual(['viewer', 'editor', 'viewer', 'editor']);
  expect(state.mailsTo(PROJECT, MO)).toEqual(['admin', 'admin']);
  expect(state.invitedTwice()).toEqual([]);
});

test('nothing is sent without --yes; an undo can be undone, and whoever would get a new mail is listed', async () => {
  const team = await openTeam();
  await team.apply([person(JO, 'viewer')]);
  await team.apply([person(JO, 'editor'), person(MO, 'viewer')]);
  const requests = await team.requests();
  const { code, stderr } = await team.type('undo', 'last');
  expect(code).toBe(2);
  expect(stderr).toContain(`- remove ${MO} from ${PROJECT} (delete invite) (row 3)`);
  expect(stderr).toContain('agree with --yes');
  expect(await team.requests()).toBe(requests);

  const { batch } = await team.json('undo', 'last', '--yes');
  const list = readFileSync(team.place.path(`store/undo/${(await team.json('status', batch)).undoes}.csv`));
  expect(list.toString()).toBe(
    `email,project_id,role,user_id\n${JO},${PROJECT},viewer,\n${MO},${PROJECT},none,\n`,
  );

  const back = await team.type('undo', 'last', '--yes', '--json');
  expect(back.code).toBe(3);
  expect(JSON.parse(back.stdout)).toMatchObject({
    undoes: batch,
    counts: { applied: 1 },
    not_undone: [{ row: 3, subject: `${MO} in ${PROJECT}`, reason: expect.stringContaining('invite them') }],
  });
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'editor' });
});

test('an undo by the id of its plan sends just what was shown, or nothing', async () => {
  const team = await openTeam();
  await team.apply([person(JO, 'viewer'), person(MO, 'viewer')]);
  const { batch } = await team.json('status', 'last');
  const shown = await team.json('undo', batch, '--dry-run');
  expect(shown).toMatchObject({ id: expect.any(String), changes: { length: 2 } });
  await team.apply([person(VI, 'viewer'), person(MO, 'editor')], { input: 'other.csv' });
  const requests = await team.requests();
  const moved = await team.type('undo', batch, '--plan', shown.id);
  expect(moved).toMatchObject({ code: 2, stderr: expect.stringContaining('has changed since') });
  expect(await team.requests()).toBe(requests);
  const { id } = await team.json('undo', batch, '--dry-run');
  expect(await team.json('undo', batch, '--plan', id)).toMatchObject({ counts: { applied: 1 } });
  expect((await team.state()).roles()).not.toHaveProperty(`${PROJECT} ${JO}`);
});

test('what it cannot take back is listed with the reason, and the rest is done', async () => {
  const team = await openTeam({ job: { columns: COLUMNS_WITH_NAMES, create_projects: true } });
  const rows = [`${JO},Launch,,viewer`, `${MO},,${PROJECT},viewer`, `${VI},,${PROJECT},viewer`];
  writeFileSync(team.place.path('team.csv'), `Email,Name,Project,Role\n${rows.join('\n')}\n`);
  expect(await team.runHere()).toMatchObject({ code: 0 });
  const { batch } = await team.json('status', 'last');
  await team.vendor.accept(MO);
  await team.apply([person(VI, 'editor')], {
    job: 'change-role',
    input: 'other.csv',
    more: ['--account', 'data', '--column', 'project='],
  });
  const since = (await team.json('status', 'last')).batch;

  const { code, stdout, stderr } = await team.type('undo', batch, '--yes');
  expect(code).toBe(3);
  expect(stderr).toContain(`- remove ${MO} from ${PROJECT} (delete invite)`);
  expect(stdout).toMatch(/ undoes batch .*: 1 applied, 1 refused; 2 requests\n/);
  expect(stdout).toMatch(
    /! project launch \(row 2 of batch .*\): project project-\d+ was created, and the service does not offer/,
  );
  expect(stdout).toContain(
    `! ${VI} in ${PROJECT} (row 4 of batch ${batch}): changed since by batch ${since}; undo that first`,
  );
  const attention = team.place.rows(`store/undo/${batch}.enriched.needs-attention.csv`);
  expect(attention).toMatchObject([
    { email: MO, _reason: expect.stringContaining('it was accepted, or another person') },
  ]);
  const { project = '' } = (await team.state()).projects[0] ?? {};
  expect((await team.state()).standing(project, JO)).toBeUndefined();
  expect((await team.state()).standing(PROJECT, MO)).toMatchObject({ as: 'member' });

  await team.type('undo', since, '--yes');
  expect(await team.json('undo', batch, '--yes'), 'what stood in the way is gone').toMatchObject({
    rows: 1,
    counts: { applied: 1 },
  });
  expect((await team.state()).standing(PROJECT, VI)).toBeUndefined();
  const lists = readdirSync(team.place.path('store/undo'));
  expect(lists, 'each undo keeps its own').toEqual(
    expect.arrayContaining([`${batch}.csv`, `${batch}-2.csv`, `${since}.csv`]),
  );
});

test('an invite that was sent again after a lost answer, and was there already, is named by undo and report', async () => {
  const team = await openTeam({ faults: 'charged-reset:x1' });
  const admins = { more: ['--allow-admin'] };
  await team.apply([person(JO, 'admin'), person(MO, 'viewer')], admins);
  const { batch } = await team.json('status', 'last');
  await team.type('settle', batch, '--retry');
  expect((await team.runHere(team.order(admins))).report?.counts).toEqual({ applied: 1, unchanged: 1 });

  // The invite is there, and its code is not known: she has to delete it by hand.
  const { stdout } = await team.type('undo', batch, '--dry-run');
  expect(stdout).toContain(`! row 2, ${JO} in ${PROJECT}: the code of the invite of ${JO} is not known.`);
  expect(stdout).toContain(`- remove ${MO} from ${PROJECT} (delete invite) (row 3)`);
  expect(readFileSync(team.place.path('out.report.html'), 'utf8')).toContain('Became admin');
});

test('an undo killed in the middle: the same command goes on with the same list, and with no other', async () => {
  const team = await openTeam();
  await team.apply([JO, MO, VI].map((email) => person(email, 'viewer')));
  const { batch } = await team.json('status', 'last');
  const words = ['undo', batch, '--yes', '--json', '--store', team.place.path('store')];
  const killed = await team.place.type(words, { ROWONCE_CRASH_AT: 'after-end:2' }).ended;
  expect(killed).toMatchObject({ signal: 'SIGKILL' });
  const begun = await team.json('status', 'last');
  expect(begun).toMatchObject({ undoes: batch, state: 'open', rows: 3 });

  const listPath = team.place.path(`store/undo/${batch}.csv`);
  const list = readFileSync(listPath);
  writeFileSync(listPath, `email,project_id,role,user_id\n${VI},${PROJECT},admin,\n`);
  const { code, stderr } = await team.type('undo', batch, '--yes');
  expect(code).toBe(2);
  expect(stderr).toContain(`the list of batch ${begun.batch}, which undoes batch ${batch}, has changed.`);

  writeFileSync(listPath, list);
  const undone = await team.json('undo', batch, '--yes');
  expect(undone).toMatchObject({ batch: begun.batch, counts: { applied: 3 }, requests: 1 });
  expect((await team.state()).roles()).toEqual({});
  const deleted = team.vendor.requests().filter(({ operation }) => operation === 'delete-invite');
  expect(deleted).toHaveLength(3);
  expect(statSync(listPath).mode & 0o777).toBe(0o600);
});

test('a batch that only looked something up has nothing that could be undone', async () => {
  const desk = await openDesk();
  desk.list(1);
  const { batch } = await desk.json(desk.run());
  expect(await desk.type(['undo', 'last'])).toMatchObject({
    code: 2,
    stderr: `Batch ${batch} is a batch of enrich-company, which changes nothing in the service.\nName a batch that does.\nnpx rowonce status\n`,
  });
});

const COLUMNS_WITH_NAMES = { email: 'Email', role: 'Role', project_id: 'Project', project: 'Name' };

test('an undo that makes a person admin again names them in its plan, which is what is agreed to', async () => {
  const team = await openTeam();
  await team.apply([person(JO, 'admin')], { more: ['--allow-admin'] });
  await team.apply([person(JO, 'viewer')]);
  const { batch } = await team.json('status', 'last');
  const shown = await team.json('undo', batch, '--dry-run');
  expect(shown.guards).toMatchObject([{ says: '1 becomes admin', who: [`${JO} in ${PROJECT}`] }]);
  expect((await team.type('undo', batch, '--plan', shown.id)).code).toBe(0);
  expect((await team.state()).roles()).toEqual({ [`${PROJECT} ${JO}`]: 'admin' });
});
