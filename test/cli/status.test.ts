/**
 * Goal: a person finds out at any time what was done, what it cost, what the vendor said and what to type next; of a batch that changes the
 * service what was planned, what was sent about whom, and no credits, because there are none. Where its list or job was edited, nothing of it
 * is sent again, and `settle` says what brings it back. While a vendor asks to wait, it says that the batch waits, why, and until when.
 * Method: the real commands over the store that a real run left, before the sandbox's vendors; each command that is printed is typed.
 */
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { localTime } from '../../src/core/clock.ts';
import { PROJECT } from '../faults/team-workplace.ts';
import { some } from '../support/combinations.ts';
import { Gateway } from '../web/gateway.ts';
import { ask, servedIn } from '../web/scene.ts';
import { type JsonResult, objectIn, openDesk } from './desk.ts';
import { openTeam } from './team.ts';

test('before anything was run there is nothing to show; a store that is named must exist', async () => {
  const desk = await openDesk();
  expect(await desk.type(['status'], { env: { ROWONCE_STORE: '' } })).toMatchObject({
    code: 0,
    stdout: 'There are no batches yet.\n',
  });
  const { code, stderr } = await desk.type(['status']);
  expect(code).toBe(2);
  expect(stderr).toContain(`There is no store at ${desk.place.path('store')}.`);
});

test('a batch that has reached its budget says what it has cost in money, and which budget is enough', async () => {
  const desk = await openDesk({ account: { price: '0.40 AUD' }, concurrency: 1 });
  desk.list(5);
  const run = ['run', 'enrich-company', 'list.csv', '--budget'];
  expect((await desk.type([...run, '2'])).code).toBe(4);
  expect(await desk.json(['status', 'last'])).toMatchObject({
    cost: [{ amount: 0.8, currency: 'AUD' }],
    budget_to_finish: 5,
  });
  expect((await desk.type([...run, '5'])).code).toBe(0);
  const finished = await desk.json(['status', 'last']);
  expect(finished).toMatchObject({ cost: [{ amount: 2, currency: 'AUD' }] });
  expect(finished).not.toHaveProperty('budget_to_finish');
});

test('batches, the newest first; one by its id, by the beginning of it, or by "last"', async () => {
  const desk = await openDesk();
  desk.list(2);
  desk.list(3, 'other.csv');
  const first = await desk.json(desk.run('--limit', '1'));
  const second = await desk.json(['run', 'enrich-company', 'other.csv', '--budget', '7']);

  const { stdout } = await desk.type(['status']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    new RegExp(`^${second.batch} {2}20..-..-..T..:.. {2}finished {4}3/3 rows, 3 credits`),
  );
  expect(lines[1]).toMatch(new RegExp(`^${first.batch} .* open {8}1/2 rows, 1 credit `));
  expect((await desk.json(['status'])).batches.map((batch: { batch: string }) => batch.batch)).toEqual([
    second.batch,
    first.batch,
  ]);

  expect(await desk.json(['status', 'last'])).toMatchObject({
    batch: second.batch,
    state: 'finished',
    rows: 3,
    counts: { matched: 3 },
    credits: { spent: 3, in_doubt: 0, reserved: 0, budget: 7 },
    requests: 3,
    calls: 3,
    paused_until: null,
  });
  const open = await desk.type(['status', first.batch.slice(0, 7)]);
  expect(open.stdout).toContain(`Batch ${first.batch}, open, enrich-company with account data`);
  expect(open.stdout).toContain('  matched   1\n  pending   1\n');
  // The same command again would find nothing to do.
  expect(open.stderr).toBe(`To continue: npx rowonce run enrich-company list.csv -o out.csv\n`);
});

test.for(
  some(
    [
      ['enrich-company', '--budget 2', 6],
      ['enrich-company', '--sample 4 --budget 2', 4],
      ['enrich-company,enrich-person', '--limit 3 --budget 4', 9],
    ] as const,
    2,
  ),
)(
  'behind a reached budget the command that goes on has one that is enough, everywhere: %s %s',
  async ([job, flags, enough]) => {
    const desk = await openDesk({ matchRate: 1, concurrency: 1 });
    const rows = Array.from({ length: 6 }, (_, at) => `c${at}.example,p${at}@c${at}.example`);
    await desk.write('list.csv', `Domain,Email\n${rows.join('\n')}\n`);
    const stopped = await desk.type(['run', job, 'list.csv', ...flags.split(' ')]);
    expect(stopped.code).toBe(4);
    const said = (await desk.type(['status', 'last'])).stderr;
    expect(said).toMatch(new RegExp(` --budget ${enough}\\b`));
    const [, printed = ''] = /^To continue: npx rowonce (.*)$/m.exec(said) ?? [];
    expect((await desk.json(['status', 'last'])).next).toContain(printed);
    expect((await desk.type(['resume', 'last'])).stderr).toContain(printed);
    expect(await desk.type(printed.split(' '))).toMatchObject({ code: 0 });
    expect((await desk.type(['status', 'last'])).stderr).not.toContain(`--budget ${enough}`);
  },
);

test('a name that no batch has, or several have, is refused with what to do', async () => {
  const desk = await openDesk();
  desk.list(1);
  await desk.type(desk.run());
  const { code, stderr } = await desk.type(['status', 'zzz']);
  expect(code).toBe(2);
  expect(stderr).toBe('There is no batch "zzz".\nSee all batches.\nnpx rowonce status\n');
  for (const command of ['status', 'export', 'pause', 'cancel', 'undo', 'settle']) {
    const nameless = await desk.type([command, '']);
    expect(nameless, command).toMatchObject({ code: 2, stderr: expect.stringContaining('no batch ""') });
  }
});

test('a row says why it ended so in words and as data, and what a later version has found by its code', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain,Note\n,please check\nacme.example,open\n');
  await desk.write('job.yaml', 'operation: enrich-company\nonly_if: { Note: open }\n');
  await desk.type(['run', './job.yaml', 'list.csv', '--budget', '9']);
  const left = { code: 'left_out', facts: { by: 'only_if', column: 'Note', cell: 'please check' } };
  const { outcome } = objectIn((await desk.type(['status', 'last', '2', '--json'])).stdout);
  expect(outcome).toMatchObject({ kind: 'skipped', findings: [left], reason: expect.any(String) });
  expect(await desk.json(['status', 'last', '--from', '2', '--limit', '1'])).toMatchObject({
    rows: [{ findings: [left], says: { all: '"Note" is "please check"', steps: {} } }],
  });

  const later = [{ code: 'found_by_a_later_version', facts: { since: '2030' } }];
  const db = new Database(desk.place.path('store/ledger.db'));
  db.prepare('UPDATE rows SET findings = ? WHERE row = 2').run(JSON.stringify(later));
  db.close();
  const said = 'found_by_a_later_version ({"since":"2030"})';
  expect((await desk.type(['status', 'last', '2'])).stdout).toContain(`Row 2: skipped, ${said}`);
  expect((await desk.json(['status', 'last', '2'])).outcome).toMatchObject({ findings: later, reason: said });
  expect(await desk.type(['export', 'last'])).toMatchObject({ code: 0 });
});

test("a row's attempts: when, what was asked, the vendor's request id, the raw answer, and what came of it", async () => {
  const desk = await openDesk({ faults: 'reset:x1' });
  await desk.write('job.yaml', 'operation: enrich-company\nin_doubt: { retry: { extra_credits: 5 } }\n');
  await desk.write('list.csv', 'Domain\nacme.example\n');
  await desk.type(['run', './job.yaml', 'list.csv', '--budget', '9']);

  const { stdout } = await desk.type(['status', 'last', '2']);
  expect(stdout).toMatch(/^Row 2: matched\n/);
  expect(
    stdout.match(/ batch [0-9a-f]{8}: enrich-company, domain acme\.example; 1 reserved$/gm),
  ).toHaveLength(2);
  expect(stdout).toMatch(/^ {4}in_doubt at .*Z \(no answer came \(.*\)\)$/m);
  expect(stdout).toMatch(/^ {4}sent again: the job says in_doubt: retry$/m);
  expect(stdout).toMatch(/^ {4}status 200, request id sandbox-2: \{"name":".* \(sandbox\)",.*\}$/m);
  expect(stdout).toMatch(/^ {4}found, 1 credit at .*Z/m);
  expect(stdout).toMatch(/^ {4}read as found by the table: it holds what was asked for$/m);

  const { attempts, outcome } = objectIn((await desk.type(['status', 'last', '2', '--json'])).stdout);
  expect(outcome).toMatchObject({ kind: 'matched', matched_by: 'domain' });
  expect(attempts).toMatchObject([
    {
      parameters: { domain: 'acme.example' },
      reply: null,
      rule: null,
      closure: { kind: 'in_doubt' },
      decision: null,
      replaces: null,
      idempotency_key: null,
      looks: [],
      released: null,
    },
    {
      reply: { status: 200, request_id: 'sandbox-2' },
      closure: { kind: 'answered', answer: 'found', charged: 1 },
      rule: { row: 'it holds what was asked for', means: 'found' },
      decision: { kind: 'retry', by: 'job' },
    },
  ]);
  expect(JSON.parse(attempts[1].reply.body).domain).toBe('acme.example');
});

// ------------------------------------------------------------------------------------------------ a batch that changes the service

const JO = 'jo@team.example';
const MO = 'mo@team.example';

test('status of changes counts without credits; a row with its plan and every request; people whom the list does not name', async () => {
  const team = await openTeam();
  await team.apply([
    { email: JO, role: 'viewer' },
    { email: MO, role: 'viewer' },
  ]);
  team.writeJob({ remove_missing: true, guards: { max_removals: '100%' } });
  await team.apply([{ email: JO, role: 'editor' }]);

  const { stdout } = await team.type('status', 'last');
  expect(stdout).toContain(
    'team.csv, 1 row, and 1 for people whom it does not name\n  applied   2\nPeople     2: 2 changed\nChanges    1 role, 1 removal\n',
  );
  expect(stdout).not.toMatch(/credit|pending/i);
  expect((await team.type('status')).stdout).toMatch(
    / finished {4}2\/2 rows {2}onboard .*\n.* 2\/2 rows {2}onboard /,
  );
  expect(await team.json('status', 'last')).toMatchObject({
    rows: 1,
    rows_beyond: 1,
    undoes: null,
    changes: { done: { change_role: 1, remove: 1 }, counts: { applied: 2 } },
  });

  const { stdout: row } = await team.type('status', 'last', '2');
  expect(row).toContain(`  planned: ${JO} in ${PROJECT}, viewer → editor\n`);
  expect(row).toMatch(
    / delete-invite of jo@team\.example in proj-1, invite_code invite-\d+; change 2 of it\n/,
  );
  expect(row).toMatch(/ create-invite of jo@team\.example in proj-1, role editor; change 3 of it\n/);
  expect(await team.json('status', 'last', '2')).toMatchObject({
    planned: { from: 'viewer', to: 'editor' },
    attempts: [
      { operation: 'delete-invite', project: PROJECT, subject: `${JO} in ${PROJECT}`, after: 1 },
      { operation: 'create-invite', after: 2, reply: { status: 200 } },
    ],
  });

  const { stdout: removed } = await team.type('status', 'last', '3');
  expect(removed).toMatch(/^Row 3: applied.*\n {2}planned: mo@team\.example in proj-1, viewer → none\n/);
});

// ------------------------------------------------------------------------------------------------ a batch whose list or job was edited

const OWN_JOB = 'operation: enrich-company\naccount: data\n';
const EDITED = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9'] as const;

test.each([
  ['list', 'list.csv', 'Domain\nother.example\n'],
  ['job or account', 'job.yaml', `${OWN_JOB}waterfall: [domain]\n`],
])(
  'a lost call of a batch whose %s was edited is not sent again until that is put back',
  async (what, file, edited) => {
    const desk = await openDesk({ faults: 'charged-reset:x1' });
    desk.list(1);
    await desk.write('job.yaml', OWN_JOB);
    const { batch } = await desk.json([...EDITED]);
    const before = await desk.read(file);
    await desk.write(file, edited);
    const retry = ['settle', batch, '--retry', '--extra-credits', '1'];
    const refused = await desk.type(retry);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      `No run goes on with batch ${batch}, because its ${what} has changed, so it sends nothing again.\nSay what happened with --answer or --not-done.\n`,
    );
    await desk.write(file, before);
    expect(await desk.type(retry)).toMatchObject({ code: 0 });
    expect(await desk.json([...EDITED])).toMatchObject({ batch, counts: { matched: 1 } });
  },
);

// ------------------------------------------------------------------------------------------------ a batch that a run works on

test('status of a batch that a run works on says so, since when, why it waits, and nothing of going on', async () => {
  const desk = await openDesk({ concurrency: 1 });
  desk.list(20);
  // Three rows are answered before the vendor goes down.
  const gateway = await Gateway.before(desk.place.vendor.url, (call) =>
    call <= 3 ? undefined : { status: 429, headers: { 'retry-after': '300' } },
  );
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  desk.place.writeAccount(gateway.url, { limits: { per_second: 2_000, concurrency: 1 } });
  const served = await servedIn(desk.place.folder, desk.environment());
  const words = desk.run().map((word) => (word.endsWith('.csv') ? desk.place.path(word) : word));
  const running = desk.place.type(words, desk.environment());
  onTestFinished(async () => void (await running.kill()));
  await running.said(/Batch [0-9a-f]{8}: 20 rows/);

  const last = (): Promise<JsonResult> => desk.json(['status', 'last']);
  await expect.poll(async () => (await last()).paused_why ?? '').toContain('asked to wait');
  const { batch, paused_until, running_since } = await last();
  expect(await ask(served, 'POST', '/status', { batch })).toMatchObject({ running_since, paused_until });
  const { stdout, stderr } = await desk.type(['status', 'last']);
  expect(stdout).toContain(`Batch ${batch}, running, enrich-company`);
  expect(stdout).toContain(`Running    since ${localTime(Date.parse(running_since))}\n`);
  expect(stdout).toContain(
    `Paused     until ${localTime(Date.parse(paused_until))}: the vendor asked to wait`,
  );
  expect(stderr).not.toContain('To continue');
  expect((await desk.type(['status'])).stdout).toMatch(/ {2}running {5}3\/20 rows/);
  expect((await desk.json(['status'])).batches).toMatchObject([{ state: 'open', running: true }]);

  await running.kill();
  expect(await last()).toMatchObject({ state: 'open', running: false, paused_until });
  expect((await desk.type(['status', 'last'])).stderr).toContain('To continue');
});

test('`last` of a file that was edited and is put back is its first batch again, which was started last', async () => {
  const desk = await openDesk();
  desk.list(2);
  const list = await desk.read('list.csv');
  await desk.type(desk.run());
  const first = (await desk.json(['status', 'last'])).batch;
  await desk.write('list.csv', list.replace('list.csv-2', 'list.csv-20'));
  await desk.type(desk.run());
  const second = (await desk.json(['status', 'last'])).batch;
  await desk.write('list.csv', list);
  const again = await desk.json(desk.run());
  expect(again).toMatchObject({ batch: first });
  expect((await desk.json(['status', 'last'])).batch).toBe(first);
  expect(second).not.toBe(first);
  expect((await desk.json(['export', 'last'])).batch).toBe(first);
  expect(await desk.read('out.csv')).toContain('list.csv-2.example');
  expect(await desk.requests()).toBe(3);
});
