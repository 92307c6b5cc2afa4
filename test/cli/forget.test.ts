/**
 * Goal: a person who is forgotten is in no byte of the store, is not bought again by mistake, and no one else is lost.
 * Method: the real commands over a vendor of our own, which counts; every file of the store's folder is read.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { PROJECT } from '../faults/team-workplace.ts';
import { ask, brought, servedIn } from '../web/scene.ts';
import { Clocks } from './clocks.ts';
import { type Desk, deskBefore, openDesk } from './desk.ts';
import { openTeam } from './team.ts';

const JANE = 'jane.canary@acme.example';
const MARY = 'mary.canary@acme.example';
const DAY_MS = 86_400_000;

/** A desk before a vendor that knows everybody by e-mail, and two people of every company; `lost` in a question loses its answer. */
async function deskOfPeople(more: object = {}) {
  const next = { aheadMs: 0 };
  const at = await deskBefore(({ body, input }) => {
    if (body.includes('lost')) return undefined;
    const { email, company } = input;
    const found =
      company === undefined
        ? { data: { full_name: 'Somebody', emails: [email] } }
        : { data: [JANE, MARY].map((each) => ({ full_name: each.split('@')[0], email: each, company })) };
    const date = new Date(Date.now() + next.aheadMs).toUTCString();
    return Response.json(found, { headers: { date, 'x-request-id': `for <${JANE}>` } });
  }, more);
  return { desk: at.desk, next, asked: () => at.asked.map(({ body }) => body) };
}

function run(desk: Desk, operation: string, list: string, ...more: readonly string[]) {
  return desk.type(['run', operation, list, '--budget', '100', '-o', `${list}.out.csv`, ...more]);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

/** Files of the store in which somebody is, in plain letters, for a URL or as UTF-16. */
function filesWith(desk: Desk, person: string): readonly string[] {
  const words = [person, encodeURIComponent(person)].flatMap((word) => [
    Buffer.from(word),
    Buffer.from(word, 'utf16le'),
  ]);
  return filesBelow(desk.place.path('store')).filter((path) => {
    const bytes = readFileSync(path).toString('latin1').toLowerCase();
    return words.some((word) => bytes.includes(word.toString('latin1').toLowerCase()));
  });
}

test('a forgotten person is in no byte of the store; others stay; nobody is bought again but by --refresh', async () => {
  const { desk, asked } = await deskOfPeople();
  await desk.write('people.csv', `email\n${JANE.toUpperCase()}\n${MARY}\n`);
  await desk.write('companies.csv', 'company\nAcme\n');
  expect((await run(desk, 'enrich-person', 'people.csv')).code).toBe(0);
  expect((await run(desk, 'search-people', 'companies.csv')).code).toBe(0);
  const piped = await desk.type(['run', 'enrich-person', '-', '-o', 'piped.csv', '--budget', '9'], {
    stdin: `email,Note\n${JANE},x\n${JANE} ${MARY},two in one\n`,
  });
  expect(piped.code, piped.stderr).toBe(3);
  expect(existsSync(desk.place.path('store/spool'))).toBe(true);
  expect(asked()).toHaveLength(3);
  expect(filesWith(desk, JANE)).not.toEqual([]);

  const look = await desk.type(['forget', JANE, '--dry-run']);
  expect(look.stdout).toMatch(/1 request, a part of 2 answers, 3 rows, 1 kept list/);
  expect(look.stdout).toContain('people.csv.out.csv');
  expect(filesWith(desk, JANE)).not.toEqual([]);
  expect(await desk.type(['forget', JANE])).toMatchObject({ code: 2 });

  const done = await desk.type(['forget', JANE.toUpperCase(), '--yes']);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Backups') });
  expect(filesWith(desk, JANE)).toEqual([]);
  expect(filesWith(desk, MARY)).not.toEqual([]);

  await desk.write('again.csv', `email\n${JANE}\n${MARY}\n`);
  const again = await run(desk, 'enrich-person', 'again.csv');
  expect(asked()).toHaveLength(3);
  expect(await desk.read('again.csv.out.csv')).toMatch(/erased on \d{4}-\d\d-\d\d/);
  expect(again.stdout).toMatch(/skipped +1/);
  expect((await desk.type(['plan', 'enrich-person', 'again.csv'])).code).toBe(0);
  await run(desk, 'search-people', 'companies.csv');
  const people = readdirSync(desk.place.folder).find((name) => /companies.*people.*csv$/.test(name)) ?? '';
  expect(await desk.read(people)).not.toContain(`\n${JANE}`);

  await run(desk, 'enrich-person', 'again.csv', '--refresh');
  expect(asked().filter((body) => body.includes(JANE))).toHaveLength(2);
  expect((await desk.type(['forget', JANE, '--yes'])).code).toBe(0);
  expect(filesWith(desk, JANE)).toEqual([]);
  const compacted = await desk.type(['store', 'purge', '--compact']);
  expect(compacted).toMatchObject({ code: 0, stdout: expect.stringContaining('is free again') });
  expect((await desk.type(['status'])).code).toBe(0);
});

test('a forgotten person is not bought through another account either, unless --refresh asks for it', async () => {
  const { desk, asked } = await deskOfPeople();
  const file = desk.place.path('config/accounts.yaml');
  const { accounts } = parse(readFileSync(file, 'utf8'));
  writeFileSync(file, stringify({ accounts: { ...accounts, others: { ...accounts.data, id: 'others' } } }));
  await desk.write('people.csv', `email\n${JANE}\n`);
  await run(desk, 'enrich-person', 'people.csv', '--account', 'data');
  expect((await desk.type(['forget', JANE, '--yes'])).code).toBe(0);
  await desk.write('again.csv', `email\n${JANE}\n${MARY}\n`);
  const again = (...more: readonly string[]) =>
    run(desk, 'enrich-person', 'again.csv', '--account', 'others', ...more);
  expect((await again()).stdout).toMatch(/skipped +1/);
  expect(asked().filter((body) => body.includes(JANE))).toHaveLength(1);
  await again('--refresh');
  expect(asked().filter((body) => body.includes(JANE))).toHaveLength(2);
});

test('a row that waits is skipped once its person is forgotten, and nobody is asked about them', async () => {
  const { desk, asked } = await deskOfPeople();
  await desk.write('people.csv', `email\nann@acme.example\n${JANE}\n${MARY}\n`);
  await run(desk, 'enrich-person', 'people.csv', '--limit', '1');
  expect(filesWith(desk, MARY)).not.toEqual([]);
  expect((await desk.type(['forget', MARY, '--yes'])).stderr).toBe('');
  expect(filesWith(desk, MARY)).toEqual([]);
  for (const _ of ['the batch goes on', 'and has ended']) {
    expect((await run(desk, 'enrich-person', 'people.csv')).stdout).toMatch(/matched +2.*skipped +1/s);
    expect(asked().join()).not.toContain(MARY);
  }
});

test('a file that names a forgotten person is told also where the row that found them goes on', async () => {
  const { desk } = await deskBefore(({ path }) =>
    path.includes('company') ? { data: { owner: JANE } } : Response.json({}, { status: 402 }),
  );
  await desk.write('list.csv', 'domain,email\nacme.example,al@acme.example\n');
  await run(desk, 'enrich-company,enrich-person', 'list.csv');
  expect(await desk.read('list.csv.out.csv')).toContain(JANE);
  expect((await desk.type(['forget', JANE, '--yes'])).stdout).toContain('list.csv.out.csv');
});

test('a crash while somebody is forgotten leaves it not begun, or the next command that writes ends it', async () => {
  const { desk, asked } = await deskOfPeople();
  await desk.write('people.csv', `email\n${JANE}\n${MARY}\n`);
  await run(desk, 'enrich-person', 'people.csv');
  let isForgotten = false;
  for (let commit = 1; !isForgotten; commit += 1) {
    const crash = { env: { ROWONCE_CRASH_AT: `after-commit:${commit}` } };
    expect((await desk.type(['forget', MARY, '--yes'], crash)).code, 'killed').toBe(null);
    expect((await run(desk, 'enrich-person', 'people.csv')).code).toBe(0);
    isForgotten = (await desk.type(['forget', MARY, '--dry-run'])).stdout.includes('Nothing of that');
    expect(filesWith(desk, MARY).length > 0).toBe(!isForgotten);
  }
  expect(asked()).toHaveLength(2);
});

test('somebody about whom a request may have been charged is erased only after that is settled', async () => {
  const { desk } = await deskOfPeople();
  await desk.write('people.csv', 'email\nlost.canary@acme.example\n');
  const { stdout } = await run(desk, 'enrich-person', 'people.csv', '--json');
  const { batch } = JSON.parse(stdout);
  expect(await desk.type(['forget', 'lost.canary@acme.example', '--yes'])).toMatchObject({ code: 2 });
  expect((await desk.type(['settle', batch, '2', '--skip'])).code).toBe(0);
  const refused = await desk.type(['forget', 'lost.canary@acme.example', '--yes']);
  expect(refused.code, 'skipped is not settled').toBe(2);
  expect(refused.stderr).toContain(`row 2 of batch ${batch}`);
  expect(refused.stderr).toContain(`rowonce settle ${batch}`);
  expect(filesWith(desk, 'lost.canary@acme.example')).not.toEqual([]);
  const told = await desk.type(['settle', batch, '2', '--answer', 'email=lost.canary@acme.example']);
  expect(told.code, told.stderr).toBe(0);
  expect(await desk.type(['forget', 'lost.canary@acme.example', '--yes'])).toMatchObject({ code: 0 });
  expect(filesWith(desk, 'lost.canary@acme.example')).toEqual([]);
  expect((await desk.json(['status', batch])).credits).toMatchObject({ spent: 2, in_doubt: 0 });
});

test('what passed its retention by what the vendor tells is erased at the end of a run, and may be bought again', async () => {
  const { desk, asked, next } = await deskOfPeople({ retention: '2d' });
  const clocks = new Clocks(desk.place.path('clock.json'));
  const runOver = (list: string, ...more: readonly string[]) =>
    desk.type(['run', 'enrich-person', list, '--budget', '9', '-o', 'out.csv', ...more], {
      env: clocks.env,
    });
  await desk.write('people.csv', `email\n${JANE}\n${MARY}\n`);
  await runOver('people.csv');
  clocks.set({ wallMs: 3 * DAY_MS });
  // A sandbox has the time of this machine, and tells none.
  await desk.write('play.csv', 'email\nplay@example.org\n');
  expect(await runOver('play.csv', '--account', 'sandbox-provider')).toMatchObject({ code: 0 });
  expect((await runOver('people.csv')).stderr, 'no answer has told it').toContain(
    'Data that passed the retention of account data is not erased yet. Nothing is',
  );
  expect(filesWith(desk, MARY)).not.toEqual([]);
  next.aheadMs = 3 * DAY_MS;
  await desk.write('other.csv', 'email\nbob@example.org\n');
  expect((await runOver('other.csv')).stderr).toContain(
    'Erased 2 requests of account data that passed the retention.',
  );
  expect(filesWith(desk, MARY)).toEqual([]);
  await desk.write('again.csv', `email\n${MARY}\n`);
  await runOver('again.csv');
  expect(asked()).toHaveLength(4);
});

const TOMORROW = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);

test('a list that was brought to the page and never run is reached, also as it was first', async () => {
  const desk = await openDesk();
  const page = await servedIn(desk.place.folder, desk.environment());
  await brought(page, 'others.csv', `email\n${MARY}\n`);
  const id = await brought(page, 'people.csv', `email\n${JANE}\n`);
  const mend = { row: 2, column: 'email', value: 'somebody@else.example' };
  await ask(page, 'PUT', `/lists/${id}/mends`, { mends: [mend] });
  expect((await page.stop()).code).toBe(0);
  expect(existsSync(desk.place.path('store/ledger.db'))).toBe(false);
  const half = desk.place.path('store/lists/.rowonce-00000000-1-000000000000.tmp');
  const copy = desk.place.path('store/downloads/copy-abc/out.csv');
  mkdirSync(dirname(copy), { recursive: true });
  for (const path of [half, copy]) writeFileSync(path, `email\n${JANE}\n`);
  expect(filesWith(desk, JANE)).toHaveLength(3);

  expect((await desk.type(['forget', JANE, '--dry-run'])).stdout).toContain('kept list');
  expect(filesWith(desk, JANE)).toHaveLength(3);
  expect(await desk.type(['forget', JANE, '--yes'])).toMatchObject({ code: 0, stderr: '' });
  expect(filesWith(desk, JANE)).toEqual([]);
  expect(filesWith(desk, MARY), 'the list and its copy').toHaveLength(2);
  expect((await desk.type(['forget', JANE, '--yes'])).stdout).toContain('Nothing of that');
  const purge = (...words: readonly string[]) => desk.type(['store', 'purge', ...words, '--yes']);
  const early = await purge('--older-than', '2d');
  expect(early.stdout, 'it is as old as its newest file').toContain('Nothing of that');
  expect((await purge('--before', TOMORROW)).stdout).toContain('Erased in');
  expect(filesWith(desk, MARY)).toEqual([]);
});

test('a forgotten person of a team is named with what ends it, and is invited again by --refresh alone', async () => {
  const team = await openTeam();
  await team.apply([JANE, MARY].map((email) => ({ email, role: 'viewer' })));
  const mails = async () => (await team.state()).mailsTo(PROJECT, JANE).length;
  for (const more of [['--dry-run'], []])
    expect((await team.type('forget', JANE, ...more)).stdout).toMatch(
      /stays invited to \S+; to end that first: /,
    );
  const { stores } = await team.json('forget', JANE, '--dry-run');
  const typed = /printf '%s.n' (\S+) (\S+) \| .*rowonce (.*)$/.exec(stores[0].memberships[0].end_with);
  const [, header = '', row = '', words = ''] = typed ?? [];
  expect((await team.type('forget', JANE, '--yes')).stdout).toMatch(/stays invited to \S+; .*Erased in/s);
  const skipped = { code: 0, report: { counts: { skipped: 1 }, requests: 0 } };
  for (const _ of ['once', 'and again']) {
    expect(await team.runHere()).toMatchObject(skipped);
    expect(team.row(JANE)._reason).toMatch(/^erased on/);
  }
  expect(await team.type('plan', 'team.yaml', 'team.csv')).toMatchObject({ code: 0 });
  const other = { input: 'other.csv', output: 'other.out.csv' };
  expect(await team.apply([{ email: JANE, role: 'editor', project: 'proj-2' }], other)).toMatchObject(
    skipped,
  );
  // What ends it is pasted afterwards: the list names no one.
  writeFileSync(team.place.path('ends.csv'), `${header}\n${row}\n`);
  expect(await team.type(...words.replace(' - ', ' ends.csv ').split(' '))).toMatchObject({ code: 0 });
  expect(Object.keys((await team.state()).roles())).toEqual([`${PROJECT} ${MARY}`]);
  expect([await team.runHere(), await mails()]).toMatchObject([skipped, 1]);
  await team.runHere({ more: ['--refresh'] });
  expect(await mails()).toBe(2);
  expect(await team.runHere()).toMatchObject({ code: 0, report: { requests: 0 } });
  expect(await mails()).toBe(2);
});

test('a list is erased with its people: what another list has stays known, and nothing goes while it may have been charged', async () => {
  const { desk, asked } = await deskOfPeople();
  await desk.write('people.csv', `email\n${MARY}\n${JANE}\n`);
  await desk.write('others.csv', `email\n${JANE}\n`);
  await desk.write('lost.csv', 'email\nlost@acme.example\n');
  for (const list of ['people.csv', 'others.csv'])
    expect((await run(desk, 'enrich-person', list)).code).toBe(0);
  expect(asked()).toHaveLength(2);
  const batchOf = async (list: string): Promise<string> => {
    const { batches } = await desk.json(['status']);
    return batches.find(({ input }: { readonly input: string }) => input.endsWith(`/${list}`)).batch;
  };
  const people = await batchOf('people.csv');
  const look = await desk.type(['store', 'purge', '--list', people, '--dry-run']);
  expect(look.stdout).toMatch(/1 request, 2 rows/);
  expect(look.stdout).toMatch(
    /they cost \d+ credits?, and may be bought again\n.*stays: 1 request on which other lists rest/,
  );
  expect(filesWith(desk, MARY)).not.toEqual([]);
  expect(await desk.type(['store', 'purge', '--list', people])).toMatchObject({ code: 2 });
  expect(await desk.type(['store', 'purge', '--list', people, '--yes'])).toMatchObject({ code: 0 });
  expect(filesWith(desk, MARY)).toEqual([]);
  expect(filesWith(desk, JANE)).not.toEqual([]);

  await run(desk, 'enrich-person', 'others.csv');
  expect(asked(), 'the other list has what it had').toHaveLength(2);
  await desk.write('again.csv', `email\n${MARY}\n${JANE}\n`);
  expect((await run(desk, 'enrich-person', 'again.csv')).code).toBe(0);
  expect(asked(), 'what was erased is bought again, and nothing else').toHaveLength(3);

  expect((await run(desk, 'enrich-person', 'lost.csv')).code).toBe(3);
  const lost = await batchOf('lost.csv');
  const refused = await desk.type(['store', 'purge', '--list', lost, '--yes']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('in doubt') });
  expect(filesWith(desk, 'lost@acme.example')).not.toEqual([]);
  const beside = await desk.type(['store', 'purge', '--list', people, '--older-than', '1d', '--yes']);
  expect(beside).toMatchObject({ code: 2, stderr: expect.stringContaining('whole') });
});
