/**
 * Goal: a vendor that moves, or an account that is written otherwise, is not paid again: what the store knows of an account stays with
 * it, and a person says once which account it is where nothing tells.
 * Method: the real command against one vendor that answers at two addresses, whose book says what was asked and charged.
 */
import { expect, test } from 'vitest';
import { KEY, PROJECT } from '../faults/team-workplace.ts';
import { type Desk, deskBefore, openDesk } from './desk.ts';
import { openTeam } from './team.ts';

/** The vendor's other address: another origin, the same book. */
const moved = ({ place }: Pick<Desk, 'place'>, port = new URL(place.vendor.url).port): string =>
  `http://localhost:${port}`;

/** A desk that has bought the first three of eight companies, and whose vendor has moved since. */
async function halfBought(): Promise<Desk> {
  const desk = await openDesk();
  desk.list(8);
  await desk.type(desk.run('--limit', '3'));
  expect(await desk.requests()).toBe(3);
  desk.place.writeAccount(moved(desk));
  return desk;
}

const booked = async ({ place }: Desk) => {
  const { requests, charged_twice: twice } = await place.vendor.book();
  return { requests, twice };
};

test('a list half bought goes on at the new address once a person says that it is the same account, and is asked about once', async () => {
  const desk = await halfBought();
  const stopped = await desk.json(desk.run());
  expect(stopped).toMatchObject({ stopped: { code: 'moved', answers: ['same-account', 'new-account'] } });
  const { code, stderr } = await desk.type(desk.run('--yes'));
  expect(code, '--yes answers no stop').toBe(2);
  expect(stderr).toContain(
    `was at ${desk.place.vendor.url}, where 3 answers were bought. Is ${moved(desk)} the same account?`,
  );
  expect(await desk.requests(), 'nothing was sent').toBe(3);

  expect((await desk.type(desk.run('--accept', 'same-account'))).code).toBe(0);
  expect(await booked(desk)).toEqual({ requests: 8, twice: [] });
  expect((await desk.type(desk.run())).code, 'asked once').toBe(0);
  expect(desk.place.statuses()).toEqual(Array(8).fill('matched'));
  const { stdout } = await desk.type(['status']);
  expect(stdout.match(/enrich-company/g), 'the batch was resumed').toHaveLength(1);
  // Back again, or with an id, nothing is asked: the address is known, and then the id.
  desk.place.writeAccount(desk.place.vendor.url, { id: 'acme' });
  expect((await desk.type(desk.run())).code).toBe(0);
  desk.place.writeAccount('http://127.0.0.1:9', { id: 'acme' });
  expect((await desk.type(desk.run())).code).toBe(0);
  expect(await booked(desk)).toEqual({ requests: 8, twice: [] });
});

test('an account that is another one begins anew, also said once', async () => {
  const desk = await halfBought();
  expect((await desk.type(desk.run('--accept', 'new-account', '--limit', '3'))).code).toBe(0);
  expect(await desk.requests()).toBe(6);
  expect((await desk.type(desk.run())).code).toBe(0);
  expect(await desk.requests()).toBe(11);
});

test('plan says it, and plans for either answer, and a test of the account says it as well', async () => {
  const desk = await halfBought();
  const plan = await desk.json(['plan', 'enrich-company', 'list.csv']);
  expect(plan).toMatchObject({
    to_buy: 8,
    moved: { next: expect.stringContaining('--accept same-account') },
  });
  const same = await desk.json(['plan', 'enrich-company', 'list.csv', '--accept', 'same-account']);
  expect(same).toMatchObject({ to_buy: 5 });
  const { code, stdout } = await desk.type(['accounts', 'test']);
  expect(code).toBe(0);
  expect(stdout).toContain('where 3 answers were bought');
  expect(await desk.requests()).toBe(3);
});

test('a mistake in the first address is mended without a question', async () => {
  const desk = await openDesk();
  desk.list(3);
  desk.place.writeAccount('https://vendor.invalid');
  expect((await desk.type(desk.run())).code).toBe(2);
  desk.place.writeAccount(moved(desk));
  expect((await desk.type(desk.run())).code).toBe(0);
  expect(await booked(desk)).toEqual({ requests: 3, twice: [] });
});

test('a mistake in the path of the first address is said, and its rows are asked again once the path is corrected', async () => {
  const { desk, asked } = await deskBefore(({ path, input }) =>
    path.startsWith('/v2/')
      ? { name: `${input.domain} Pty Ltd` }
      : Response.json({ detail: 'Not Found' }, { status: 404 }),
  );
  desk.list(3);
  const at = (path: string) => changePath(desk, path);
  await at('/v1');
  const first = await desk.type(desk.run());
  expect(first.stderr).toContain(
    'Account data has answered nothing but 404 so far, so its address may be wrong.',
  );
  expect((await desk.type(desk.run())).code, 'the same path again').toBe(0);
  expect(asked, 'what is known is not asked again').toHaveLength(3);

  const plan = () => desk.json(['plan', 'enrich-company', 'list.csv']);
  expect(await plan()).toMatchObject({ to_buy: 0, bought_before: 3, credits: { most: 0 } });

  await at('/v2');
  const agreed = await plan();
  expect(agreed, 'what the run buys').toMatchObject({ to_buy: 3, bought_before: 0, credits: { most: 3 } });
  const mended = await desk.type(desk.run('--plan', agreed.id));
  expect(mended.code, mended.stderr).toBe(0);
  expect(mended.stderr).not.toContain('404');
  expect(desk.place.statuses()).toEqual(Array(3).fill('matched'));
  await at('/v3');
  expect((await desk.type(desk.run())).code, 'an address that has answered').toBe(0);
  expect(asked).toHaveLength(6);
});

async function changePath(desk: Desk, path: string): Promise<void> {
  const { accounts } = JSON.parse(await desk.read('config/accounts.yaml'));
  Object.assign(accounts.data, { base_url: new URL(path, accounts.data.base_url).href });
  desk.place.writeAccounts(accounts);
}

test('a team half onboarded gets no second mail after the move, and can be undone', async () => {
  const team = await openTeam();
  const people = ['ana', 'ben', 'cas'].map((name) => ({ email: `${name}@acme.example`, role: 'viewer' }));
  team.writeSheet(people);
  expect((await team.runHere({ more: ['--limit', '2'] })).code).toBe(0);
  const service = { vendor: 'service', organization_id: 'org-1', project_id: PROJECT, key: KEY };
  team.place.writeAccount(moved(team), service);
  const before = await team.requests();
  expect((await team.runHere()).code).toBe(2);
  expect(await team.requests()).toBe(before);
  expect((await team.runHere({ more: ['--accept', 'same-account'] })).code).toBe(0);
  const undone = await team.json('undo', 'last', '--dry-run');
  expect(JSON.stringify(undone)).toContain('ana@acme.example');
  expect((await team.vendor.book()).charged_twice).toEqual([]);
  const state = await team.state();
  for (const { email } of people) expect(state.mailsTo(PROJECT, email), email).toHaveLength(1);
});
