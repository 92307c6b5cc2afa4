/**
 * Goal: companies and people of one list are steps of one batch: one plan, one budget that can be raised, one list of doubts, one
 * output; and whatever stops it, the same command goes on.
 * Method: the real command, before a vendor that keeps its own book, or one that answers each step as the test says.
 */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Answer, type Desk, deskBefore, type JsonResult, lastCommand, openDesk } from './desk.ts';

const BOTH = 'enrich-company,enrich-person';
const LIST = 'Domain,Email\na.example,jo@a.example\nb.example,none\nc.example,al@c.example\nnone,\n';

const rowsOf = async (desk: Desk, name: string): Promise<JsonResult[]> =>
  parse(await desk.read(name), { columns: true, bom: true });

test('one plan, one budget that is raised, one batch and one file, in which both steps of a row are told and paid for', async () => {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', LIST);
  expect(await desk.json(['plan', BOTH, 'list.csv'])).toMatchObject({
    rows: 4,
    invalid: 1,
    to_buy: 3,
    credits: { most: 7 },
    columns: { 'enrich-company.domain': 'Domain', 'enrich-person.email': 'Email' },
  });
  expect(await desk.type(['run', BOTH, 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('could spend up to 7 credits'),
  });
  expect(await desk.requests()).toBe(0);

  const reached = await desk.json(['run', BOTH, 'list.csv', '--budget', '5']);
  expect(reached).toMatchObject({ stopped: { code: 'budget' }, budget_to_finish: 7 });
  const spent = async (): Promise<number> => (await desk.place.vendor.book()).credits;
  expect(await spent()).toBeLessThanOrEqual(5);
  const said = await desk.type(['run', BOTH, 'list.csv', '--budget', '5']);
  expect(said).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('The budget of this batch is reached'),
  });
  expect(await desk.type(lastCommand(said.stderr))).toMatchObject({ code: 3 });
  // It asks a credit of each, and a person may cost two.
  expect(await spent()).toBe(5);

  const batches = (await desk.json(['status'])).batches;
  expect(batches).toMatchObject([{ batch: reached.batch, operation: BOTH }]);
  const rows = await rowsOf(desk, 'list.enriched.csv');
  expect(rows).toMatchObject([
    { _status: 'matched', _matched_by: 'domain; email', _credits: '3', _reason: '' },
    { _status: 'matched', _matched_by: 'domain', _credits: '1' },
    { _status: 'matched', _matched_by: 'domain; email', _credits: '3' },
    { _status: 'invalid', _matched_by: '', _credits: '0' },
  ]);
  expect(rows[1]._reason).toMatch(/^enrich-person: no usable identifier: /);
  for (const name of ['name', 'full_name', 'employee_count', 'job_title'])
    expect(rows[0][name], name).not.toBe('');
  const report = (await desk.read('list.enriched.report.html')).replaceAll(/<[^>]+>/g, ' ');
  expect(report).toContain('3 of 3 companies and 2 of 2 people found');
  const header = Object.keys(rows[0]);
  expect(header.filter((name) => name.startsWith('_status'))).toEqual(['_status']);

  const again = await desk.json(['run', BOTH, 'list.csv', '--budget', '7']);
  expect(again).toMatchObject({ batch: reached.batch, requests: 0, counts: { matched: 3, invalid: 1 } });
  // What each found alone is known to them, and the other way round.
  expect(await desk.json(['plan', 'enrich-person', 'list.csv'])).toMatchObject({ to_buy: 0 });
  await desk.write('again.csv', await desk.read('list.enriched.csv'));
  expect(await desk.json(['run', BOTH, 'again.csv', '--budget', '7'])).toMatchObject({
    credits: { spent: 0 },
  });
  expect(Object.keys((await rowsOf(desk, 'again.enriched.csv'))[0])).toEqual(header);
});

test('what a row has found stays in its cells when its other step is lost, and is to be asked again', async () => {
  const at = await deskBefore(({ path }) =>
    path.includes('company') ? { data: { name: 'Acme' } } : undefined,
  );
  const { desk } = at;
  await desk.write('list.csv', 'Domain,Email\na.example,al@a.example\n');
  await desk.type(['run', BOTH, 'list.csv', '--budget', '9']);
  await desk.type(['settle', 'last', '2', '--retry', '--extra-credits', '2']);
  await desk.type(['export', 'last', '-o', 'out.csv']);
  expect(await rowsOf(desk, 'out.csv')).toMatchObject([
    { _status: 'pending', 'data.name': 'Acme', _credits: '1', _source: 'bought' },
  ]);
});

test('what is read as nothing by now is in no cell of a row that goes on, as it is no find', async () => {
  const at = await deskBefore(({ path }) =>
    path.includes('company') ? { data: { name: 'Unknown' } } : Response.json({}, { status: 402 }),
  );
  const { desk } = at;
  await desk.write('list.csv', 'Domain,Email\na.example,al@a.example\n');
  const run = ['run', BOTH, 'list.csv', '--budget', '9', '--yes'];
  await desk.type(run);
  expect(await desk.read('list.enriched.csv')).toContain('Unknown');
  const unknown = { path: 'data.name', matches: 'Unknown' };
  at.speak({ answers: [{ status: [200], body: unknown, means: 'no_match' }] });
  expect((await desk.type(run)).stdout).toContain('enrich-company at data: 0 of 1 row found');
  expect(await desk.read('list.enriched.csv')).not.toContain('Unknown');
});

test('a row of which earlier ones ask everything is a duplicate in the plan, as it costs nothing in the run', async () => {
  const desk = await openDesk({ matchRate: 1, concurrency: 1 });
  const rows = [
    ['a.example,jo@a.example', 'b.example,al@b.example', 'a.example,mo@a.example'],
    ['a.example,jo@a.example', ',jo@a.example', 'b.example,', 'a.example,al@b.example'],
  ].flat();
  await desk.write('list.csv', `Domain,Email\n${rows.join('\n')}\n`);
  const planned = await desk.json(['plan', BOTH, 'list.csv']);
  expect(planned).toMatchObject({ duplicates: 4, to_buy: 3, credits: { most: 8 } });
  const done = await desk.json(['run', BOTH, 'list.csv', '--budget', '9']);
  expect(done).toMatchObject({ credits: { spent: planned.credits.most } });
  const shared = (await rowsOf(desk, 'list.enriched.csv')).filter(({ _source }) => /^row \d/.test(_source));
  expect(shared).toHaveLength(planned.duplicates);
  expect(await desk.json(['plan', BOTH, 'list.csv'])).toMatchObject({ duplicates: 4, bought_before: 3 });
});

test('a job of several steps says of each entry whose it is, and a slip is answered by what there is', async () => {
  const desk = await openDesk({ matchRate: 1 });
  await desk.write('list.csv', 'Firm,Site,Person\nA,a.example,jo@a.example\n');
  const job = (columns: string, more = '') =>
    desk.write('job.yaml', `operations: [enrich-company, enrich-person]\ncolumns: ${columns}\n${more}`);
  await job(
    '{ domain: Site, email: Person }',
    'waterfall: [domain, email]\nbudget: { credits: 3 }\nadd: { city: enrich-company.location.city, title: enrich-person.job_title }\n',
  );
  expect((await desk.json(['plan', 'job.yaml', 'list.csv'])).columns).toEqual({
    'enrich-company.domain': 'Site',
    'enrich-person.email': 'Person',
  });
  const done = await desk.json(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--save-job', 'kept.yaml']);
  expect(done).toMatchObject({ counts: { matched: 1 }, credits: { spent: 3 } });
  expect(await desk.read('out.csv')).toMatch(
    /^Firm,Site,Person,city,title,_status,.*_as_of\nA,a\.example,.*,domain; email,/,
  );
  expect(await desk.json(['run', 'kept.yaml', 'list.csv'])).toMatchObject({ batch: done.batch, requests: 0 });
  await job('{ domian: Site }');
  expect((await desk.type(['run', 'job.yaml', 'list.csv'])).stderr).toContain('Did you mean domain?');
  const strange = await desk.type(['plan', 'enrich-company,enrich-persn', 'list.csv']);
  expect(strange.stderr).toContain('Did you mean enrich-person?');
  await desk.write('one.yaml', 'operations: [enrich-company]\n');
  expect((await desk.type(['plan', 'one.yaml', 'list.csv'])).stderr).toMatch(
    /operations has 1 entry\.\nName two or more, or write operation: and the only one\. Then run/,
  );
  const changing = await desk.type(['plan', 'enrich-company,onboard', 'list.csv']);
  expect(changing.stderr).toContain('onboard cannot be one of several steps');
  const tried = await desk.type(['try', BOTH, 'enrich-company.domain=a.example']);
  expect(tried).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Try one of them, such as enrich-company.'),
  });
});

/** A vendor that answers each step as it is told: `lost` hangs up after it was asked. */
type Said = 'found' | 'none' | 'refused' | 'lost';
const answering =
  (company: Said, person: Said): Answer =>
  ({ path }) => {
    const said = path.includes('company') ? company : person;
    if (said === 'lost') return undefined;
    if (said === 'none') return Response.json({}, { status: 404 });
    if (said === 'refused') return Response.json({ error: 'not this one' }, { status: 422 });
    return path.includes('company')
      ? { name: 'A', employee_count: 3 }
      : { full_name: 'Jo', job_title: 'CEO' };
  };

const ONE = 'Domain,Email\na.example,jo@a.example\n';
const RUN = ['run', BOTH, 'list.csv', '--budget', '50', '-o', 'out.csv'];

test.each<readonly [Said, Said, string, string, RegExp]>([
  ['found', 'none', 'matched', 'domain', /^enrich-person: no match by email$/],
  ['none', 'found', 'matched', 'email', /^enrich-company: no match by domain$/],
  ['none', 'none', 'no_match', '', /^enrich-company: no match by domain; enrich-person: no match by email$/],
  ['refused', 'found', 'refused', 'email', /^enrich-company: the vendor refused domain \([^;]*\)$/],
  ['lost', 'refused', 'in_doubt', '', /^enrich-company: .*; enrich-person: the vendor refused email/],
])('a row whose company is %s and whose person is %s is %s', async (company, person, status, by, reason) => {
  const { desk } = await deskBefore(answering(company, person));
  await desk.write('list.csv', ONE);
  await desk.type(RUN);
  const [row] = await rowsOf(desk, 'out.csv');
  expect(row).toMatchObject({ _status: status, _matched_by: by });
  expect(row._reason).toMatch(reason);
});

const countsOf = async (desk: Desk): Promise<JsonResult> => (await desk.json(['status', 'last'])).counts;
const doubtsIn = async (desk: Desk): Promise<JsonResult> =>
  (await desk.json(['settle', 'last', '2'])).in_doubt;

test('a row that is in doubt twice rests on the first, and when that is settled, on the second', async () => {
  const { desk, asked } = await deskBefore(answering('lost', 'lost'));
  await desk.write('list.csv', ONE);
  expect(await desk.type(RUN)).toMatchObject({ code: 3 });
  expect(asked).toHaveLength(2);
  expect(await countsOf(desk)).toEqual({ in_doubt: 1 });
  const list = await desk.json(['settle', 'last']);
  expect(list).toMatchObject({ in_doubt: [{ operation: 'enrich-company' }], at_risk: 3 });
  expect(list.in_doubt).toHaveLength(1);

  await desk.type(['settle', 'last', '2', '--answer', 'name=Acme']);
  expect(await countsOf(desk)).toEqual({ in_doubt: 1 });
  expect(await doubtsIn(desk)).toMatchObject([{ operation: 'enrich-person' }]);
  await desk.type(['settle', 'last', '2', '--skip']);
  expect(await countsOf(desk)).toEqual({ skipped: 1 });
  await desk.type(RUN);
  expect(asked).toHaveLength(2);
  const [row] = await rowsOf(desk, 'out.csv');
  expect(row).toMatchObject({ name: 'Acme', _status: 'skipped', _matched_by: 'domain' });
  expect(row._reason).toMatch(/^enrich-person: skipped by the user: /);
});

test('a run that is killed between two steps leaves the row pending, and the same command does the second', async () => {
  const at = await deskBefore(answering('lost', 'found'));
  const { desk, asked } = at;
  await desk.write('list.csv', ONE);
  const killed = await desk.type(RUN, { env: { ROWONCE_CRASH_AT: 'before-intent:2' } });
  expect(killed.code).toBe(null);
  expect(asked).toHaveLength(1);
  expect(await countsOf(desk)).toEqual({});
  await desk.type(RUN);
  expect(asked).toHaveLength(2);
  expect(await countsOf(desk)).toEqual({ in_doubt: 1 });
});
