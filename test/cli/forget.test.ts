/**
 * Goal: a person who is forgotten is in no byte of the store, is not bought again by mistake, and nobody else is lost.
 * Method: the real commands over a vendor of our own, which counts; every file of the store's folder is read.
 */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { proof, proofs } from '../combinations.ts';
import { Clocks } from '../faults/clocks.ts';
import { environmentIn, Served } from '../web/served.ts';
import { type Desk, openDesk } from './desk.ts';
import { rowonce } from './rowonce.ts';

const JANE = 'jane.canary@acme.example';
const MARY = 'mary.canary@acme.example';
const DAY_MS = 86_400_000;

/** Knows everybody by e-mail, two people of every company, and what it was asked. */
async function peopleVendor() {
  const asked: string[] = [];
  const next = { isLost: false, aheadMs: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      asked.push(body);
      if (body.includes('lost') || next.isLost) {
        next.isLost = false;
        request.socket.destroy();
        return;
      }
      response.setHeader('date', new Date(Date.now() + next.aheadMs).toUTCString());
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-request-id', `for <${JANE}>`);
      const { email, company } = JSON.parse(body);
      const found =
        company === undefined
          ? { data: { full_name: 'Somebody', emails: [email] } }
          : { data: [JANE, MARY].map((each) => ({ full_name: each.split('@')[0], email: each, company })) };
      response.end(JSON.stringify(found));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, next };
}

async function deskOver(address: string, more: object = {}): Promise<Desk> {
  const desk = await openDesk();
  const account = { vendor: 'provider', base_url: address, key_env: 'TEST_KEY', ...more };
  writeFileSync(desk.place.path('config/accounts.yaml'), JSON.stringify({ accounts: { people: account } }));
  return desk;
}

function run(desk: Desk, operation: string, list: string, ...more: readonly string[]) {
  const words = [
    'run',
    operation,
    list,
    '--budget',
    '100',
    '-o',
    `${list}.out.csv`,
    '--account',
    'people',
    ...more,
  ];
  return desk.type(words, { env: { TEST_KEY: 'a-key-for-the-test' } });
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
  const { address, asked } = await peopleVendor();
  const desk = await deskOver(address);
  await desk.write('people.csv', `email\n${JANE.toUpperCase()}\n${MARY}\n`);
  await desk.write('companies.csv', 'company\nAcme\n');
  expect((await run(desk, 'enrich-person', 'people.csv')).code).toBe(0);
  expect((await run(desk, 'search-people', 'companies.csv')).code).toBe(0);
  const piped = await desk.type(
    ['run', 'enrich-person', '-', '-o', 'piped.csv', '--budget', '9', '--account', 'people'],
    { env: { TEST_KEY: 'a-key-for-the-test' }, stdin: `email,Note\n${JANE},x\n${JANE} ${MARY},two in one\n` },
  );
  expect(piped.code, piped.stderr).toBe(3);
  expect(existsSync(desk.place.path('store/spool'))).toBe(true);
  expect(asked).toHaveLength(3);
  expect(filesWith(desk, JANE)).not.toEqual([]);

  const look = await desk.type(['forget', JANE, '--dry-run']);
  expect(look.stdout).toMatch(/1 request, a part of 2 answers, 3 rows, 1 kept list/);
  expect(look.stdout).toContain('people.csv.out.csv');
  for (const hit of [`a request: ${JANE}`, `an answer: ${JANE}`, `an answer: for <${JANE}>`])
    expect(look.stdout).toContain(`  found in ${hit}\n`);
  expect(look.stdout, 'the whole cell').toMatch(new RegExp(`  found in .*/spool/.*: ${JANE} ${MARY}\n`));
  expect(filesWith(desk, JANE)).not.toEqual([]);
  expect(await desk.type(['forget', JANE])).toMatchObject({ code: 2 });

  const done = await desk.type(['forget', JANE.toUpperCase(), '--yes']);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Backups') });
  expect(filesWith(desk, JANE)).toEqual([]);
  expect(filesWith(desk, MARY)).not.toEqual([]);

  await desk.write('again.csv', `email\n${JANE}\n${MARY}\n`);
  const again = await run(desk, 'enrich-person', 'again.csv');
  expect(asked).toHaveLength(3);
  expect(await desk.read('again.csv.out.csv')).toMatch(/erased on \d{4}-\d\d-\d\d/);
  expect(again.stdout).toMatch(/skipped +1/);
  expect((await desk.type(['plan', 'enrich-person', 'again.csv', '--account', 'people'])).code).toBe(0);
  await run(desk, 'search-people', 'companies.csv');
  const people = readdirSync(desk.place.folder).find((name) => /companies.*people.*csv$/.test(name)) ?? '';
  expect(await desk.read(people)).not.toContain(`\n${JANE}`);

  await run(desk, 'enrich-person', 'again.csv', '--refresh');
  expect(asked.filter((body) => body.includes(JANE))).toHaveLength(2);
  expect((await desk.type(['forget', JANE, '--yes'])).code).toBe(0);
  expect(filesWith(desk, JANE)).toEqual([]);
  expect((await desk.type(['status'])).code).toBe(0);
});

test.each(['jane@bücher-example.de', 'jane@xn--bcher-example-wob.de'])(
  'a host with other letters than a to z has two spellings, and to forget %s covers both, in lists of any encoding',
  async (named) => {
    const { address } = await peopleVendor();
    const desk = await deskOver(address);
    const [plain, ascii] = ['Jane@Bücher-Example.de', 'Jane@xn--bcher-example-wob.de'];
    const options = { env: { TEST_KEY: 'a-key-for-the-test' } };
    const words = ['run', 'enrich-person', '-', '--budget', '9', '--account', 'people', '--attention-ok'];
    const lists = { utf8: `email\n${plain}\n${ascii}\n${MARY}\n`, latin1: `email\n${plain}\n${MARY}\n` };
    for (const [encoding, list] of Object.entries(lists)) {
      const stdin = Buffer.from(list, encoding as 'utf8' | 'latin1');
      expect(await desk.type([...words, '-o', `${encoding}.csv`], { ...options, stdin })).toMatchObject({
        code: 0,
      });
    }
    expect((await desk.type(['forget', named, '--yes'])).stdout).toContain(
      '1 request, 3 rows, 2 kept lists.',
    );
    for (const each of [plain, ascii]) expect(filesWith(desk, each)).toEqual([]);
    expect(filesBelow(desk.place.path('store/spool'))).toEqual([]);
  },
);

proof(
  'a crash while somebody is forgotten leaves it not begun, or the next command that writes ends it',
  async () => {
    const { address, asked } = await peopleVendor();
    const desk = await deskOver(address);
    const people = ['ann', 'bob', 'cat'].map((name) => `${name}.canary@acme.example`);
    const [ann = '', bob = '', cat = ''] = people;
    await desk.write('people.csv', `email\n${people.join('\n')}\n`);
    await run(desk, 'enrich-person', 'people.csv');
    const kill = async (person: string, point: string) => {
      const { code } = await desk.type(['forget', person, '--yes'], { env: { ROWONCE_CRASH_AT: point } });
      expect(code).toBe(null);
    };

    await kill(ann, 'before-commit');
    expect(filesWith(desk, ann)).not.toEqual([]);
    expect((await desk.type(['forget', ann, '--yes'])).code).toBe(0);
    expect(filesWith(desk, ann)).toEqual([]);

    await kill(bob, 'after-commit');
    expect((await run(desk, 'enrich-person', 'people.csv')).code).toBe(0);
    expect(filesWith(desk, bob)).toEqual([]);

    await kill(cat, 'before-commit:2');
    expect((await desk.type(['forget', cat, '--yes'])).stdout).toContain('Nothing of that');
    expect(filesWith(desk, cat)).toEqual([]);
    await desk.write('again.csv', `email\n${people.toReversed().join('\n')}\n`);
    expect((await run(desk, 'enrich-person', 'again.csv')).stdout).toMatch(/skipped +3/);
    expect(asked).toHaveLength(3);
  },
);

test('somebody about whom a request may have been charged is erased only after that is settled', async () => {
  const { address } = await peopleVendor();
  const desk = await deskOver(address);
  await desk.write('people.csv', 'email\nlost.canary@acme.example\n');
  const { stdout } = await run(desk, 'enrich-person', 'people.csv', '--json');
  const { batch } = JSON.parse(stdout);
  const refused = await desk.type(['forget', 'lost.canary@acme.example', '--yes']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`row 2 of batch ${batch}`);
  expect(refused.stderr).toContain(`rowonce settle ${batch}`);
  expect(filesWith(desk, 'lost.canary@acme.example')).not.toEqual([]);
  const told = await desk.type(['settle', batch, '2', '--answer', 'email=lost.canary@acme.example']);
  expect(told.code, told.stderr).toBe(0);
  expect(await desk.type(['forget', 'lost.canary@acme.example', '--yes'])).toMatchObject({ code: 0 });
  expect(filesWith(desk, 'lost.canary@acme.example')).toEqual([]);
  expect((await desk.json(['status', batch])).credits).toMatchObject({ spent: 2, in_doubt: 0 });
});

proof(
  'a forgotten person is not bought through another account either, unless --refresh asks for it',
  async () => {
    const [first, second] = [await peopleVendor(), await peopleVendor()];
    const desk = await deskOver(first.address);
    const account = { vendor: 'provider', base_url: first.address, key_env: 'TEST_KEY' };
    const accounts = { people: account, others: { ...account, base_url: second.address } };
    writeFileSync(desk.place.path('config/accounts.yaml'), JSON.stringify({ accounts }));
    await desk.write('people.csv', `email\n${JANE}\n`);
    await run(desk, 'enrich-person', 'people.csv');
    expect((await desk.type(['forget', JANE, '--yes'])).code).toBe(0);
    await desk.write('again.csv', `email\n${JANE}\n${MARY}\n`);
    const through = ['again.csv', '--account', 'others'];
    const env = { TEST_KEY: 'a-key-for-the-test' };
    const plan = await desk.type(['plan', 'enrich-person', ...through], { env });
    expect(plan.code, plan.stderr).toBe(0);
    const words = ['run', 'enrich-person', ...through, '--budget', '100', '-o', 'out.csv'];
    expect((await desk.type(words, { env })).stdout).toMatch(/skipped +1/);
    expect(second.asked.join()).not.toContain(JANE);
    expect(second.asked).toHaveLength(1);
    await desk.type([...words, '--refresh'], { env });
    expect(second.asked.join()).toContain(JANE);
  },
);

proofs(
  'somebody whose request was lost once is forgotten once nobody can decide about it, and the credits are asked about',
  () => {
    async function lostOnce(isKnown: boolean) {
      const { address, asked, next } = await peopleVendor();
      const desk = await deskOver(address);
      await desk.write('people.csv', `email\n${JANE}\n`);
      if (isKnown) await run(desk, 'enrich-person', 'people.csv');
      next.isLost = true;
      const { stdout } = await run(
        desk,
        'enrich-person',
        'people.csv',
        '--json',
        ...(isKnown ? ['--refresh'] : []),
      );
      return { desk, asked, batch: JSON.parse(stdout).batch };
    }

    async function expectForgotten(desk: Desk): Promise<void> {
      const look = await desk.type(['forget', JANE, '--dry-run']);
      expect(look.stdout).toContain(
        '2 credits may have been charged for lost requests among these. They stay counted, and can no longer be settled.',
      );
      expect(await desk.type(['forget', JANE, '--yes'])).toMatchObject({ code: 0, stderr: '' });
      expect(filesWith(desk, JANE)).toEqual([]);
      expect(await desk.type(['forget', JANE, '--yes'])).toMatchObject({
        stdout: expect.stringContaining('Nothing'),
      });
    }

    proof('after settle --retry that was answered', async () => {
      const { desk, asked, batch } = await lostOnce(false);
      expect(await desk.type(['settle', batch, '2', '--retry', '--extra-credits', '9'])).toMatchObject({
        code: 0,
      });
      await run(desk, 'enrich-person', 'people.csv');
      expect(asked).toHaveLength(2);
      await expectForgotten(desk);
      expect((await desk.json(['status', batch])).credits).toMatchObject({ spent: 2, in_doubt: 2 });
    });

    proof('after settle --skip, and is not bought again', async () => {
      const { desk, asked, batch } = await lostOnce(false);
      expect(await desk.type(['settle', batch, '2', '--skip'])).toMatchObject({ code: 0 });
      await expectForgotten(desk);
      await desk.write('again.csv', `email\n${JANE}\n`);
      for (const list of ['people.csv', 'again.csv'])
        expect((await run(desk, 'enrich-person', list)).stdout).toMatch(/skipped +1/);
      expect(asked).toHaveLength(1);
      expect((await desk.json(['status', batch])).credits).toMatchObject({ spent: 2, in_doubt: 0 });
    });
  },
);

proof(
  'what passed its retention by what the vendor tells is erased at the end of a run or a night, and may be bought again',
  async () => {
    const { address, asked, next } = await peopleVendor();
    const desk = await deskOver(address, { retention: '2d' });
    const clocks = new Clocks(desk.place.path('clock.json'));
    const then = { env: { TEST_KEY: 'a-key-for-the-test', ...clocks.env } };
    const setDay = (day: number, told = day): void => {
      clocks.set({ wallMs: day * DAY_MS });
      next.aheadMs = told * DAY_MS;
    };
    const words = ['run', 'enrich-person', '--budget', '100', '--account', 'people'];
    const runOver = async (list: string) => desk.type([...words, list, '-o', `${list}.out.csv`], then);
    await desk.write('people.csv', `email\n${JANE}\n${MARY}\n`);
    await runOver('people.csv');
    expect(filesWith(desk, MARY)).not.toEqual([]);

    setDay(3);
    expect((await runOver('people.csv')).stderr, 'no answer has told it').toContain(
      'Data that passed the retention of account people is not erased yet. Nothing is',
    );
    await desk.write('other.csv', 'email\nbob@example.org\n');
    expect((await runOver('other.csv')).stderr).toContain(
      'Erased 2 requests of account people that passed the retention.',
    );
    // Every answer names the other one in its headers.
    expect(filesWith(desk, MARY)).toEqual([]);
    expect(asked).toHaveLength(3);

    await desk.write('again.csv', `email\n${MARY}\n`);
    await runOver('again.csv');
    expect(asked).toHaveLength(4);
    const purge = ['store', 'purge', '--older-than', '1d'];
    expect((await desk.type([...purge, '--dry-run'], then)).stdout).toContain('Nothing of that');
    setDay(6);
    mkdirSync(desk.place.path('in'));
    await desk.write('in/late.csv', 'email\ncat@example.org\n');
    await desk.write(
      'night.yaml',
      'operation: enrich-person\naccount: people\nbudget: { credits: 9 }\ninbox: in\n',
    );
    const night = await desk.type(['nightly', 'night.yaml'], then);
    expect(night.stderr).toContain('Erased 2 requests of account people that passed the retention.');
    expect(filesWith(desk, MARY)).toEqual([]);
    expect((await desk.type([...purge, '--yes'], then)).stdout).toContain('Nothing of that');
  },
);

proof(
  'a clock that is two months ahead for a run, a night or a purge erases nothing that was bought',
  async () => {
    const { address, asked } = await peopleVendor();
    const desk = await deskOver(address, { retention: '30d' });
    await desk.write('people.csv', `email\n${JANE}\n${MARY}\n`);
    await run(desk, 'enrich-person', 'people.csv');
    mkdirSync(desk.place.path('in'));
    await desk.write(
      'night.yaml',
      'operation: enrich-person\naccount: people\nbudget: { credits: 9 }\ninbox: in\n',
    );
    const clocks = new Clocks(desk.place.path('clock.json'));
    const then = { env: { TEST_KEY: 'a-key-for-the-test', ...clocks.env } };
    const words = ['run', 'enrich-person', 'people.csv', '--budget', '100', '-o', 'people.csv.out.csv'];
    clocks.set({ wallMs: 60 * DAY_MS });
    for (const typed of [
      [...words, '--account', 'people'],
      ['nightly', 'night.yaml'],
    ]) {
      const { code, stderr } = await desk.type(typed, then);
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(
          'Data that passed the retention of account people is not erased yet. Nothing is',
        ),
      ]);
    }
    const purge = await desk.type(['store', 'purge', '--older-than', '30d', '--yes'], then);
    expect(purge).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing is erased because of its age'),
    });
    await desk.write('again.csv', `email\n${MARY}\n${JANE}\n`);
    expect(await run(desk, 'enrich-person', 'again.csv')).toMatchObject({ code: 0 });
    expect(asked, 'nothing is bought again').toHaveLength(2);
    expect((await desk.type(['store', 'purge', '--before', '2026-02-30x'])).code).toBe(2);
    expect((await desk.type(['store', 'purge', '--before', TOMORROW, '--yes'], then)).code).toBe(0);
    expect([...filesWith(desk, JANE), ...filesWith(desk, MARY)]).toEqual([]);
  },
);

const TOMORROW = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);

proof('a purge in the middle of a batch takes nothing that its other rows would buy again', async () => {
  const { address, asked } = await peopleVendor();
  const desk = await deskOver(address);
  // The open batch asks for the cat as well, and never for the dog, which the ledger cannot know.
  await desk.write('known.csv', 'email\ncat.canary@acme.example\ndog.canary@acme.example\n');
  await run(desk, 'enrich-person', 'known.csv');
  await desk.write('people.csv', `email\n${JANE}\n${MARY}\n${JANE}\ncat.canary@acme.example\n`);
  const { batch } = JSON.parse(
    (await run(desk, 'enrich-person', 'people.csv', '--limit', '2', '--json')).stdout,
  );
  const purge = ['store', 'purge', '--before', TOMORROW, '--yes'];
  expect((await desk.type(purge)).stdout).toBe(
    `Nothing of that can be erased in ${desk.place.path('store')}.\n  stays: 4 requests that batch ${batch} may still need: as long as it is open, every answer to its operation on its account counts. To end it, run its list, or run npx --no rowonce cancel ${batch}; for what is in doubt, npx --no rowonce settle ${batch}\n`,
  );
  expect(await desk.json(purge)).toMatchObject({ requests: 0, needed: 4, needed_by: [batch] });
  expect(await run(desk, 'enrich-person', 'people.csv')).toMatchObject({ code: 0 });
  expect(asked).toHaveLength(4);
  expect((await desk.read('people.csv.out.csv')).match(/Somebody/g)).toHaveLength(4);
  expect((await desk.type(purge)).stdout).toMatch(/4 requests, 6 rows/);
});

proof(
  'names of files that were removed are forgotten too, and what the page kept; of one file it says one thing',
  async () => {
    const { address } = await peopleVendor();
    const desk = await deskOver(address);
    const inStore = (...names: readonly string[]) => desk.place.path(join('store', ...names));
    await desk.write('people.csv', `email\n${JANE}\n`);
    await run(desk, 'enrich-person', 'people.csv');
    for (const folder of ['columns', 'jobs', 'lists/0123456789abcdef'])
      mkdirSync(inStore(folder), { recursive: true });
    writeFileSync(inStore('columns', 'a.json'), JSON.stringify({ [JANE]: 'email' }));
    writeFileSync(inStore('columns', 'b.json'), JSON.stringify({ [MARY]: 'email' }));
    writeFileSync(inStore('jobs', 'a.yaml'), `operation: enrich-person\n# for ${JANE}\n`);
    writeFileSync(inStore('jobs', `${JANE}.yaml`), 'operation: enrich-person\n');
    const list = inStore('lists/0123456789abcdef', 'list.csv');
    writeFileSync(list, `email,Note\n${JANE},x\n`);
    expect((await run(desk, 'enrich-person', list)).code).toBe(0);

    rmSync(desk.place.path('people.csv.out.report.html'));
    const done = await desk.type(['forget', JANE, '--yes']);
    expect(done.code, done.stderr).toBe(0);
    expect(filesWith(desk, JANE)).toEqual([]);
    expect(filesBelow(inStore()).join()).not.toContain(JANE);
    expect(existsSync(inStore('columns', 'b.json'))).toBe(true);
    const said = (word: string) =>
      [...done.stdout.matchAll(new RegExp(`^  ${word}: (.*)$`, 'gm'))].map(([, path]) => path);
    const [removed, stays] = [said('removed'), said('stays; check it yourself')];
    expect(removed).toEqual(expect.arrayContaining([list, `${list}.out.csv`]));
    expect(stays).toEqual(
      expect.arrayContaining([desk.place.path('people.csv'), desk.place.path('people.csv.out.csv')]),
    );
    expect(stays.filter((path) => removed.includes(path))).toEqual([]);
    expect(stays.filter((path = '') => !existsSync(path))).toEqual([]);
  },
);

/** The paths that a line of `forget` names. */
function pathsSaid({ stdout }: { readonly stdout: string }, words: string): readonly string[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith(`  ${words}: `));
  return lines.map((line) => line.slice(`  ${words}: `.length)).sort();
}
const STAYS = 'stays; check it yourself';
const PATH_FORGOTTEN = 'stays on the disk, and the store forgets it, because its path names them';

test('who is named by nothing but the header of an answer about somebody else is forgotten as well', async () => {
  const { address } = await peopleVendor();
  const desk = await deskOver(address);
  await desk.write('people.csv', `email\n${MARY}\n`);
  await run(desk, 'enrich-person', 'people.csv');
  expect((await desk.type(['forget', JANE, '--yes'])).stdout).toContain('a part of 1 answer.');
  expect(filesWith(desk, JANE)).toEqual([]);
  expect(filesWith(desk, MARY)).not.toEqual([]);
});

test('the outputs that were written for the rows are named, wherever they are, and stay as they are', async () => {
  const { address } = await peopleVendor();
  const desk = await deskOver(address);
  const env = { TEST_KEY: 'a-key-for-the-test' };
  await desk.write('companies.csv', `company,Note\nAcme,nobody\nlost,${JANE}\n`);
  for (const out of ['first.csv', 'gone.csv', 'workbook.xlsx'])
    await run(desk, 'search-people', 'companies.csv', '-o', out);
  expect((await desk.type(['export', 'last', '--copy', '-o', 'copied.csv'], { env })).code).toBe(0);
  for (const name of readdirSync(desk.place.folder).filter((each) => each.startsWith('gone.')))
    rmSync(desk.place.path(name));
  await desk.type(['settle', 'last', '3', '--answer', `email=${MARY}`], { env });
  const written = await desk.read('first.people.csv');
  const look = await desk.type(['forget', JANE, '--dry-run']);
  const outputs = ['first.csv', 'first.people.csv', 'workbook.xlsx', 'copied.csv', 'copied.people.csv'];
  expect(pathsSaid(look, STAYS)).toEqual(
    expect.arrayContaining(outputs.map((name) => desk.place.path(name))),
  );
  expect(look.stdout).not.toContain('gone.csv');
  expect(await desk.type(['forget', JANE, '--yes'])).toMatchObject({ code: 0 });
  expect(filesWith(desk, JANE)).toEqual([]);
  expect(await desk.read('first.people.csv')).toBe(written);
});

proof(
  'a path that names the person is said once and kept nowhere, also one that an export beside a run has noted',
  async () => {
    const { address } = await peopleVendor();
    const desk = await deskOver(address);
    await desk.write('people.csv', `email\n${JANE}\n`);
    const [output, copy] = [`${JANE}.csv`, `copy-for/${JANE}/out.csv`];
    mkdirSync(dirname(desk.place.path(copy)), { recursive: true });
    await run(desk, 'enrich-person', 'people.csv', '-o', output);
    expect((await desk.type(['export', 'last', '--copy', '-o', copy])).code).toBe(0);
    expect(filesWith(desk, JANE).map((path) => basename(dirname(path)))).toContain('so-far');
    const done = await desk.type(['forget', JANE, '--yes', '--store', 'store']);
    expect(pathsSaid(done, STAYS)).toEqual([desk.place.path('people.csv')]);
    expect(pathsSaid(done, PATH_FORGOTTEN)).toEqual(
      expect.arrayContaining([output, copy].map((name) => desk.place.path(name))),
    );
    expect(filesWith(desk, JANE)).toEqual([]);
    expect(await desk.type(['forget', JANE, '--yes'])).toMatchObject({
      stdout: expect.not.stringContaining(output),
    });
  },
);

/** A folder with a page's store: nothing was run, and two lists were brought, the second one twice. */
async function broughtLists(): Promise<{ folder: string; store: string; env: Record<string, string> }> {
  const served = await Served.start();
  onTestFinished(() => served[Symbol.asyncDispose]());
  const bring = async (query: string, body: string): Promise<string> => {
    const { status, body: said } = await served.tool(`/api/lists?${query}`, { method: 'PUT', body });
    expect([status, said]).toEqual([201, expect.any(String)]);
    return JSON.parse(said).id;
  };
  await bring('name=others.csv', `email\n${MARY}\n`);
  const id = await bring('name=people.csv', `email\n${JANE}\n`);
  await bring(`name=people.csv&list=${id}`, 'email\nsomebody@else.example\n');
  expect((await served.stop()).code).toBe(0);
  return { folder: served.folder, store: join(served.folder, 'store'), env: environmentIn(served.folder) };
}

/** Files below a folder in which these letters are, or that are called by them. */
const filesNaming = (folder: string, text: string): readonly string[] =>
  filesBelow(folder).filter((path) => `${path}${readFileSync(path, 'latin1')}`.includes(text));

test('a list that was brought to the page and never run is reached, also as it was first', async () => {
  const { folder, store, env } = await broughtLists();
  expect(existsSync(join(store, 'ledger.db'))).toBe(false);
  const half = join(store, 'lists', '.rowonce-00000000-1-000000000000.tmp');
  const copy = join(store, 'downloads', 'copy-abc', 'out.csv');
  mkdirSync(dirname(copy), { recursive: true });
  for (const path of [half, copy]) writeFileSync(path, `email\n${JANE}\n`);
  expect(filesNaming(store, JANE)).toHaveLength(3);

  const type = (...words: readonly string[]) => rowonce(words, { cwd: folder, env });
  expect((await type('forget', JANE, '--dry-run')).stdout).toContain('kept list');
  expect(filesNaming(store, JANE)).toHaveLength(3);
  expect(await type('forget', JANE, '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect(filesNaming(store, JANE)).toEqual([]);
  expect(filesNaming(store, MARY)).toHaveLength(1);
  expect((await type('forget', JANE, '--yes')).stdout).toContain('Nothing of that');
  expect(existsSync(join(store, 'ledger.db'))).toBe(false);
});

test('it is as old as its newest file for a purge, and is reached where the store has no name', async () => {
  const { folder, store, env } = await broughtLists();
  const type = (words: readonly string[], more: Record<string, string> = {}) =>
    rowonce(words, { cwd: folder, env: { ...env, ...more } });
  const purge = ['store', 'purge', '--older-than', '2d', '--yes'];
  expect((await type(purge)).stdout).toContain('Nothing of that');
  expect(filesNaming(store, MARY)).toHaveLength(1);

  const unnamed = { ...env, ROWONCE_STORE: '', XDG_STATE_HOME: join(folder, 'state') };
  mkdirSync(join(folder, 'state'));
  renameSync(store, join(folder, 'state', 'rowonce'));
  expect((await type(['forget', JANE, '--yes'], unnamed)).stdout).toContain('Erased in');
  expect(filesNaming(folder, JANE)).toEqual([]);

  const clocks = new Clocks(join(folder, 'clock.json'));
  clocks.set({ wallMs: 3 * DAY_MS });
  const held = await type(purge, { ...unnamed, ...clocks.env });
  expect(held.stderr, 'nothing was ever run').toContain("no vendor's answer in the store has told the time");
  expect((await type(['store', 'purge', '--before', TOMORROW, '--yes'], unnamed)).stdout).toContain(
    'Erased in',
  );
  expect(filesNaming(folder, MARY)).toEqual([]);
});

test('where there is neither a ledger nor a list, there is no store', async () => {
  const desk = await openDesk();
  expect(await desk.type(['forget', JANE])).toMatchObject({ code: 2 });
  expect(existsSync(desk.place.path('store'))).toBe(false);
});
