/**
 * Goal: the code of a package runs only where accounts.yaml lists it and a person has agreed to just its files; what it asks is
 * bought once, however a run ends, and its results outlive it.
 * Method: the sample package of `fixtures/packages` in the node_modules of a user's folder, the real command, and the sandbox's book.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proof } from '../combinations.ts';
import { type Desk, openDesk } from './desk.ts';

const SAMPLE = join(import.meta.dirname, '..', '..', 'fixtures', 'packages', 'rowonce-work-email');
const NAME = 'rowonce-work-email';
const RUN = ['run', NAME, 'list.csv', '--budget', '100', '-o', 'out.csv'];

/** A folder with the package installed, and listed where `packages` has it. */
async function deskWith(packages: readonly string[] = [NAME]): Promise<{ desk: Desk; folder: string }> {
  const desk = await openDesk({ matchRate: 1 });
  const folder = desk.place.path(`node_modules/${NAME}`);
  cpSync(SAMPLE, folder, { recursive: true });
  list(desk, packages);
  desk.place.writePeople(['Jo@acme.example', 'al@gmail.com', 'jo@acme.example', 'zo@acme.example']);
  return { desk, folder };
}

function list({ place }: Desk, packages: readonly string[]): void {
  const file = JSON.parse(readFileSync(place.path('config/accounts.yaml'), 'utf8'));
  writeFileSync(place.path('config/accounts.yaml'), JSON.stringify({ ...file, packages }));
}

async function agreementOf(desk: Desk): Promise<string> {
  const { code, stderr } = await desk.type(['plan', NAME, 'list.csv']);
  expect(code).toBe(2);
  return /--accept (package:[0-9a-f]{32})$/m.exec(stderr)?.[1] ?? stderr;
}

test('a package runs once it is listed and agreed to, and no more when one of its files is another', async () => {
  const { desk, folder } = await deskWith([]);
  const mark = desk.place.path('ran');
  appendFileSync(
    join(folder, 'index.js'),
    `\nimport { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\n`,
  );
  const unlisted = await desk.type(RUN);
  expect([unlisted.code, unlisted.stderr]).toEqual([
    2,
    expect.stringContaining(`add packages: [${NAME}] to that file.`),
  ]);
  list(desk, [NAME]);
  const agreement = await agreementOf(desk);
  expect(existsSync(mark)).toBe(false);

  const first = await desk.type([...RUN, '--accept', agreement]);
  expect([first.code, existsSync(mark)]).toEqual([3, true]);
  expect(desk.place.rows().map(({ _status, _reason }) => [_status, _reason])).toEqual([
    ['matched', ''],
    ['invalid', 'e-mail: gmail.com has private addresses'],
    ['matched', ''],
    ['matched', ''],
  ]);
  expect(await desk.requests()).toBe(2);

  rmSync(mark);
  writeFileSync(join(folder, 'private-domains.js'), 'export const PRIVATE_DOMAINS = new Set();\n');
  const changed = await desk.type([...RUN, '--refresh']);
  expect(changed.code).toBe(2);
  expect(changed.stderr).toContain(
    `${NAME} 1.0.0 has files that differ from those agreed to, which were of 1.0.0`,
  );
  expect([existsSync(mark), await desk.requests()]).toEqual([false, 2]);
  const again = await agreementOf(desk);
  expect(again).not.toBe(agreement);
  const { stderr } = await desk.type([...RUN, '--accept', again]);
  expect(stderr).toContain('has changed since this program began.');
});

proof(
  'a killed run goes on without buying twice, beside built-in operations; results outlive the package',
  async () => {
    const { desk, folder } = await deskWith();
    await desk.write('people.yaml', `operation: ${NAME}\nadd: { found: full_name }\n`);
    const run = ['run', 'people.yaml', ...RUN.slice(2)];
    const killed = await desk.start([...run, '--accept', await agreementOf(desk)], {
      env: { ROWONCE_CRASH_AT: 'after-record' },
    });
    expect(killed.code).toBe(null);
    desk.list(2, 'companies.csv');
    const other = await desk.type(['run', 'enrich-company', 'companies.csv', '--budget', '9', '-o', 'c.csv']);
    expect(other.code).toBe(0);

    const { batch, counts } = await desk.json(run);
    expect(counts).toEqual({ matched: 3, invalid: 1 });
    expect(await desk.place.vendor.book()).toMatchObject({ requests: 4, charged_twice: [] });
    const written = await desk.read('out.csv');
    rmSync(folder, { recursive: true });
    expect((await desk.type(['export', batch, '-o', 'again.csv'])).code).toBe(0);
    expect(await desk.read('again.csv')).toBe(written);
    const gone = await desk.type(run);
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining(`npm install ${NAME}`)]);
  },
);

test('a night, and a page that is to sweep, ask for the agreement before the first file, and the night goes on with it', async () => {
  const { desk } = await deskWith();
  mkdirSync(desk.place.path('inbox'));
  renameSync(desk.place.path('list.csv'), desk.place.path('inbox/list.csv'));
  const schedule = 'schedule: "0 2 * * *"';
  await desk.write('night.yaml', `operation: ${NAME}\ninbox: inbox\n${schedule}\nbudget: { credits: 9 }\n`);
  const served = await desk.type(['serve', 'night.yaml', '--no-open']);
  expect([served.code, served.stderr]).toEqual([2, expect.stringMatching(/--accept package:[0-9a-f]{32}$/m)]);
  const { code, stderr } = await desk.type(['nightly', 'night.yaml']);
  expect([code, await desk.requests()]).toEqual([2, 0]);
  const [agreement = ''] = /package:[0-9a-f]{32}$/m.exec(stderr) ?? [];
  expect((await desk.type(['nightly', 'night.yaml', '--accept', agreement])).code).toBe(3);
  expect(await desk.requests()).toBe(2);
});

test.each([
  ['needs left-pad', (folder: string) => edit(folder, { dependencies: { 'left-pad': '1' } })],
  ['does not name one of its files', (folder: string) => edit(folder, { exports: '../elsewhere.js' })],
  ['has no package.json with its name', (folder: string) => edit(folder, { name: 'rowonce-other' })],
  ['neither a file nor a folder', (folder: string) => symlinkSync('/etc/hostname', join(folder, 'data'))],
])('a package is refused whose files are not all of it: it %s', async (fact, spoil) => {
  const { desk, folder } = await deskWith();
  spoil(folder);
  const { code, stderr } = await desk.type(['plan', NAME, 'list.csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining(fact)]);
});

function edit(folder: string, entries: object): void {
  const path = join(folder, 'package.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...entries }));
}
