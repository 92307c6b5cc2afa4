/**
 * Goal: rows that `only_if` and `unless` leave out are never asked and cost nothing; the plan says how many each column leaves out, their
 * reason says why, and they are asked by the first list or job that wants them. No one is removed from a team because a row is left out.
 * Method: the real command before a vendor that keeps its own book; a table of conditions over one list.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { SkippedByObject } from '../../src/objects/plan-object.ts';
import { openHost } from '../faults/database-host.ts';
import { PROJECT } from '../faults/team-workplace.ts';
import { type Desk, openDesk } from './desk.ts';
import { openTeam } from './team.ts';

const LIST = [
  'Domain,Country,Status,Size',
  'a.example,AU,Lead,',
  'b.example, nz ,CUSTOMER,0',
  'c.example,US,Lead,n/a',
  'd.example,,customer,-',
  'e.example,NULL,Filled,12',
  '',
].join('\n');

async function deskWith(job: object, operation = 'enrich-company'): Promise<Desk> {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', LIST);
  await desk.write('job.yaml', JSON.stringify({ operation, ...job }));
  return desk;
}

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];

test.each<readonly [conditions: object, leftOut: Readonly<Record<string, readonly number[]>>]>([
  [{ only_if: { Country: 'au' } }, { 'only_if "Country"': [3, 4, 5, 6] }],
  [{ only_if: { Country: ['AU', 'NZ'] } }, { 'only_if "Country"': [4, 5, 6] }],
  [{ only_if: { Country: 'Filled' } }, { 'only_if "Country"': [5, 6] }],
  [{ only_if: { Country: ['AU', 'blank'] } }, { 'only_if "Country"': [3, 4] }],
  [{ only_if: { Size: 'blank' } }, { 'only_if "Size"': [3, 6] }],
  [{ unless: { Status: 'Customer' } }, { 'unless "Status"': [3, 5] }],
  [
    { unless: { Status: 'Customer' }, add: { Size: 'employee_count' }, on_existing: 'fill' },
    { 'unless "Status"': [3, 5], on_existing: [6] },
  ],
  [{ unless: { Status: ['filled'] } }, { 'unless "Status"': [6] }],
  [{ unless: { Status: 'Custmer', Size: 'filled' } }, { 'unless "Status"': [], 'unless "Size"': [3, 6] }],
  [
    { only_if: { Country: 'filled', Status: ['Lead', 'Customer'] }, unless: { Size: '0', Country: 'US' } },
    {
      'only_if "Country"': [5, 6],
      'only_if "Status"': [],
      'unless "Size"': [3],
      'unless "Country"': [4],
    },
  ],
])('the plan says which rows are left out by which column: %j', async (conditions, leftOut) => {
  const desk = await deskWith(conditions);
  const plan = await desk.json(['plan', 'job.yaml', 'list.csv']);
  const counted = plan.skipped_by.map((each: SkippedByObject) => [each.by, each.first_rows]);
  expect(Object.fromEntries(counted)).toEqual(leftOut);
  const skipped = Object.values(leftOut).flat().length;
  expect(plan).toMatchObject({ rows: 5, skipped, to_buy: 5 - skipped });
});

test('a row that is left out is never asked and says why; the next list or job that wants the row asks it', async () => {
  const desk = await deskWith({
    only_if: { Country: ['AU', 'NZ', 'blank'] },
    unless: { Status: 'customer' },
  });
  expect((await desk.type(['plan', 'job.yaml', 'list.csv'])).stdout).toContain(
    '  skipped        3\n  of them        1 by only_if "Country"\n  of them        2 by unless "Status"\n',
  );
  expect(await desk.json(RUN)).toMatchObject({
    counts: { matched: 2, skipped: 3 },
    requests: 2,
    credits: { spent: 2 },
    figures: { rows: 5, asked: 2, found: 2 },
  });
  const rows: Record<string, string>[] = parse(await desk.read('out.csv'), { columns: true });
  expect(rows.slice(1, 4).map((row) => [row._status, row._reason, row._credits, row._source])).toEqual([
    ['skipped', 'unless leaves it out, because "Status" is "CUSTOMER"', '0', ''],
    ['skipped', 'only_if leaves it out, because "Country" is "US"', '0', ''],
    ['skipped', 'unless leaves it out, because "Status" is "customer"', '0', ''],
  ]);
  expect(await desk.read('out.report.html')).toContain('2 of 2 companies found, 100\u00a0%; 3 rows left out');
  expect((await desk.type(RUN)).code, 'the same again').toBe(0);
  expect(await desk.requests()).toBe(2);

  await desk.write('list.csv', LIST.replace(',US,', ',NZ,'));
  expect(await desk.json(RUN), 'next month').toMatchObject({ requests: 1, counts: { matched: 3 } });
  await desk.write('job.yaml', 'operation: enrich-company\nonly_if: { Status: Customer }\n');
  expect(await desk.json(RUN), 'the other rows').toMatchObject({ requests: 2, counts: { matched: 2 } });
  await desk.write('job.yaml', 'operation: enrich-company\nunless: { Country: au }\n');
  expect(await desk.json(RUN), 'what was bought for a row that is left out stays').toMatchObject({
    requests: 0,
    counts: { matched: 4, skipped: 1 },
    figures: { asked: 0, known: 4, found: 4, identifiers: [{ name: 'domain', asked: 4, found: 4 }] },
  });
  const [out]: Record<string, string>[] = parse(await desk.read('out.csv'), { columns: true });
  const reason = 'unless leaves it out, because "Country" is "AU"';
  expect(out).toMatchObject({ _status: 'skipped', _reason: reason, _source: 'ledger', _credits: '0' });
  expect(out?.name, 'as it was bought first').toBe(rows[0]?.name);
  expect(rows[0]?.name).not.toBe('');
});

test.each(['please check', 'please check, so correct it', 'ABN x: wrong, so correct it'])(
  'a cell that reads like words of ours decides nothing: %j',
  async (note) => {
    const desk = await openDesk({ matchRate: 1 });
    await desk.write('list.csv', `Domain,Note\na.example,open\nb.example,"${note}"\n`);
    await desk.write('job.yaml', JSON.stringify({ operation: 'enrich-company', only_if: { Note: 'open' } }));
    const { code, stdout } = await desk.type([...RUN, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ counts: { matched: 1, skipped: 1 }, needs_attention: null },
      figures: { attention: 0, reasons: [] },
    });
    expect(readdirSync(desk.place.folder)).not.toContain('out.needs-attention.csv');
    const [, left]: Record<string, string>[] = parse(await desk.read('out.csv'), { columns: true });
    expect(left?._reason).toBe(`only_if leaves it out, because "Note" is "${note}"`);
  },
);

test('several operations leave out the whole row', async () => {
  const desk = await deskWith({ only_if: { Country: 'AU' } });
  const operations = ['enrich-company', 'enrich-person'];
  await desk.write('job.yaml', JSON.stringify({ operations, unless: { Email: 'blank' } }));
  await desk.write('list.csv', 'Domain,Email\na.example,jo@a.example\nb.example,N/A\n');
  expect(await desk.json(RUN)).toMatchObject({ requests: 2, counts: { matched: 1, skipped: 1 } });
});

test('a worker leaves out the rows that no run has looked at', async () => {
  const host = await openHost();
  const rows = ['1,a.example,', '2,b.example,', '3,c.example,n/a', '4,d.example,', '5,e.example,12'];
  writeFileSync(host.place.path('list.csv'), `No,Domain,Size\n${rows.join('\n')}\n`);
  const fill = { add: { Size: 'employee_count' }, on_existing: 'fill' };
  const job = { operation: 'enrich-company', unless: { No: ['2', '4'] }, ...fill };
  writeFileSync(host.place.path('job.yaml'), JSON.stringify(job));
  expect(
    await host.place.runHere({ store: host.store, job: 'job.yaml', more: ['--limit', '1'] }),
  ).toMatchObject({
    code: 0,
  });
  await host.detach({ job: 'job.yaml' });
  host.startWorker();
  await host.ended(5);
  await host.expectAskedOnce(['a.example', 'c.example']);
});

test('a team: who is left out is neither invited nor removed, and a project of such rows alone stays as it is', async () => {
  const job = { remove_missing: true, guards: { max_removals: 5 }, unless: { Note: 'leave' } };
  const team = await openTeam({ job });
  const [ann, bo, cy, di] = ['ann', 'bo', 'cy', 'di'].map((name) => `${name}@team.example`);
  const sheet = (rows: readonly string[], name = 'team.csv') =>
    writeFileSync(team.place.path(name), `Email,Project,Role,User,Note\n${rows.join('\n')}\n`);
  sheet([`${ann},${PROJECT},viewer,,`, `${bo},${PROJECT},viewer,,`, `${cy},${PROJECT},viewer,,`]);
  expect((await team.runHere()).code).toBe(0);

  sheet([`${ann},${PROJECT},editor,,`, `${bo},${PROJECT},editor,,Leave`, `${di},,,,leave`], 'next.csv');
  const planned = await team.type('plan', 'team.yaml', 'next.csv');
  const left = `= row 3, ${bo}: unless leaves it out, because "Note" is "Leave"`;
  expect(planned.stdout).toContain(`${left}; ${bo} keeps access: viewer in ${PROJECT}\n`);
  expect(planned.stdout).toContain(
    '1 of the 2 who are left out has access now, and keeps it. To remove them,',
  );
  expect(await team.json('plan', 'team.yaml', 'next.csv')).toMatchObject({ left_out: 2, keep_access: 1 });
  expect(planned.stdout).toContain('2 rows left out by unless "Note".\n');
  const ended = await team.runHere({ input: 'next.csv' });
  expect(ended).toMatchObject({ code: 0, report: { counts: { applied: 2, skipped: 2 } } });
  const keeping = 'Access     1 of the 2 who are left out has access now, and keeps it\n';
  expect((await team.type('status', 'last')).stdout).toContain(keeping);
  const { changes } = await team.json('status', 'last');
  expect(changes).toMatchObject({
    keep_access: 1,
    people: { all: 4, changed: 2, unchanged: 0, left_out: 2 },
  });
  expect(team.row(bo ?? '')._reason).toContain(`keeps access: viewer in ${PROJECT}`);
  const state = await team.state();
  expect(state.roles()).toEqual({ [`${PROJECT} ${ann}`]: 'editor', [`${PROJECT} ${bo}`]: 'viewer' });

  sheet([`${bo},${PROJECT},viewer,,`, `,${PROJECT},viewer,,leave`], 'nobody.csv');
  expect((await team.json('plan', 'team.yaml', 'nobody.csv')).changes).toMatchObject([
    { row: 2, action: 'unchanged' },
    { row: 3, action: 'skipped' },
    {
      action: 'unchanged',
      email: ann,
      reason: expect.stringContaining('row 3 is left out and has no e-mail address and may mean anybody'),
    },
  ]);
  const named = { operation: 'onboard', unless: { Note: 'leave' } };
  writeFileSync(team.place.path('named.yaml'), JSON.stringify(named));
  writeFileSync(team.place.path('other.csv'), `Email,Project,Role,Note\n${cy},Atlas,viewer,leave\n`);
  const alone = await team.runHere({ job: 'named.yaml', input: 'other.csv' });
  expect(alone, alone.stderr).toMatchObject({ code: 0, report: { counts: { skipped: 1 } } });
});
