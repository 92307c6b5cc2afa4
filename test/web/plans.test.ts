/**
 * Goal: what a list would cost or change is seen before anything is agreed to, what was agreed to is what is started, and a yes that was
 * said on a terminal is one to what was shown there.
 * Method: raw requests to a real `rowonce serve`, beside typed commands on the same store, before a vendor that keeps a book.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { PROGRAM } from '../cli/rowonce.ts';
import { openTeam } from '../cli/team.ts';
import { typed } from '../cli/typed.ts';
import { ask, brought, lastWork, servedIn } from './scene.ts';
import { environmentIn } from './served.ts';

test('what a dialect sends otherwise is shown, nothing starts before it is agreed to, and that holds for every command', async () => {
  const desk = await openDesk();
  const page = await servedIn(desk.place.folder);
  desk.list(6);
  const list = await brought(page, 'leads.csv', await desk.read('list.csv'));
  desk.place.writeDialect({ headers: { 'x-team': 'a' } });
  desk.place.writeAccount(desk.place.vendor.url, { dialect: 'dialect.yaml' });
  const post = (path: string, body: object) => ask(page, 'POST', path, body);
  const choices = { what: { operation: 'enrich-company' } };
  const plan = await post('/plans', { list, choices });
  expect(plan.to_agree.details).toEqual(['headers.x-team: "a", which is not built in']);
  expect(await post('/starts', { plan: plan.id, budget: 9 })).toMatchObject({ error: { code: 'consent' } });
  const other = { plan: plan.id, agreement: `dialect:${'0'.repeat(32)}` };
  expect(await post('/agreements', other)).toMatchObject({ error: { code: 'plan' } });
  const agreed = { plan: plan.id, agreement: plan.to_agree.agreement };
  expect(await post('/agreements', agreed)).toMatchObject({ kept: true });
  const next = await post('/plans', { list, choices });
  expect(next.to_agree).toBeUndefined();
  await post('/starts', { plan: next.id, budget: 9 });
  await lastWork(page);
  expect(await desk.requests()).toBe(6);
});

test('for a team the plan is the diff, and people are removed only when that was typed', async () => {
  const team = await openTeam();
  const page = await servedIn(team.place.folder);
  const listOf = (...names: readonly string[]): Promise<string> => {
    const rows = names.map((name) => `${name}@acme.example,proj-9,viewer\n`);
    return brought(page, 'team.csv', `Email,Project,Role\n${rows.join('')}`);
  };
  const choices = {
    what: { operation: 'onboard' },
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
    remove_missing: true,
  };
  const planned = (list: string, more = {}) =>
    ask(page, 'POST', '/plans', { list, choices: { ...choices, ...more } });
  const start = (order: object) => ask(page, 'POST', '/starts', order);
  const plan = await planned(await listOf('jo', 'al'));
  expect(plan).toMatchObject({ is_change: true, actions: { invite: 2 }, confirm: null, needs_budget: false });
  await start({ plan: plan.id });
  expect((await lastWork(page)).exit_code).toBe(0);

  const list = await listOf('jo', 'bo');
  const guarded = await planned(list);
  expect(guarded.changes).toMatchObject([
    { action: 'remove', beyond: true, email: 'al@acme.example', project: 'proj-9' },
    { action: 'invite', email: 'bo@acme.example' },
    { action: 'unchanged' },
  ]);
  expect(guarded.confirm).toBe('remove 1 person');
  expect(await start({ plan: guarded.id })).toMatchObject({ error: { code: 'guard' } });

  const removal = await planned(list, { guards: { max_removals: 1 } });
  const untyped = await start({ plan: removal.id, typed: 'remove' });
  expect(untyped.error).toMatchObject({ code: 'consent', next: 'Type "remove 1 person" to agree.' });
  await start({ plan: removal.id, typed: 'remove 1 person' });
  expect((await lastWork(page)).exit_code).toBe(0);
});

test('changes that were agreed to on a terminal are not sent from the page where they have moved since', async () => {
  const team = await openTeam({ faults: 'reset:x1' });
  const { place } = team;
  team.writeSheet(['ann', 'bob'].map((who) => ({ email: `${who}@t.example`, role: 'viewer' })));
  for (const [name, value] of Object.entries(environmentIn(place.folder))) vi.stubEnv(name, value);
  const commandLine = process.argv;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.argv = commandLine;
  });
  const line = ['run', place.path('team.yaml'), place.path('team.csv'), '-o', place.path('out.csv')];
  process.argv = [process.execPath, PROGRAM, ...line];
  expect((await typed(line, { answer: 'y' })).code).toBe(3);

  const { batch } = await team.json('status', 'last');
  await team.apply([{ email: 'bob@t.example', role: 'editor' }], { input: 'other.csv' });
  const page = await servedIn(place.folder);
  const requests = await team.requests();
  await ask(page, 'POST', `/batches/${batch}/continue`);
  expect((await lastWork(page)).stopped).toMatchObject({ code: 'consent' });
  expect(await team.requests()).toBe(requests);
});
