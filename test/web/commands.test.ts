/**
 * Goal: the page and tools ask by the names of commands, and are told what a terminal is told under `--json`. A file is a list that was
 * brought and a download is of a batch, so no request names a place of this machine. Nothing is bought twice.
 * Method: a real page beside real commands over one store; requests as no browser would send them, and the vendor's book.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import { ask, brought, endOf, servedIn, worked } from './scene.ts';
import type { Served } from './served.ts';

const pageAt = (desk: Desk, words: readonly string[] = []): Promise<Served> =>
  servedIn(desk.place.folder, desk.environment(), words);

const command = (page: Served, name: string, input: object): Promise<JsonResult> =>
  ask(page, 'POST', `/${name}`, input);

/** A file of a batch, with the name under which the page keeps it. */
async function download(page: Served, batch: string, what: string) {
  const { body, headers } = await page.tool(`/api/batches/${batch}/files/${what}`);
  return { body, name: String(headers['content-disposition']).split("''")[1] };
}

test('a command is asked for by its name, and says what it says everywhere', async () => {
  const desk = await openDesk({ faults: 'charged-500:x1', concurrency: 1 });
  desk.list(3);
  expect((await desk.type(desk.run())).code).toBe(3);
  const page = await pageAt(desk);
  const told = async (name: string, input: object) => {
    const { status, ...object } = await command(page, name, input);
    return object;
  };
  expect(await told('status', {})).toEqual(await desk.json(['status']));
  expect(await told('status', { batch: 'last' })).toEqual(await desk.json(['status', 'last']));
  const asked = { batch: 'last', limit: 2, sort: '-Domain', where: { _status: 'matched' } };
  const typed = '--limit 2 --sort -Domain --where _status=matched'.split(' ');
  const table = await told('status', asked);
  expect(table).toEqual(await desk.json(['status', 'last', ...typed]));
  expect(table).toMatchObject({ rows: { length: 2 }, columns: expect.any(Array) });
  expect(await command(page, 'status', { ...asked, sort: 'Town' })).toMatchObject({
    status: 400,
    error: { code: 'usage', message: expect.stringContaining('no column "Town"; it has No, Name, Domain, ') },
  });
  expect(await told('spend', { by: 'batch' })).toEqual(await desk.json(['spend', '--by', 'batch']));
  const { in_doubt: doubts } = await told('settle', { batch: 'last' });
  expect(doubts).toHaveLength(1);
  const settled = await told('settle', { batch: 'last', row: doubts[0].row, skip: true });
  expect(settled).toMatchObject({ decided: 'skip', calls: 1 });
  expect(await desk.json(['settle', 'last'])).toMatchObject({ in_doubt: [] });
  expect((await page.ask('/api/status', { method: 'POST', body: '{}' })).status).toBe(401);
});

test('a request answers several stops at once', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Name,Website\nBlue,p.example/1\nPapa,p.example/2\nOldmill,p.example/3\n');
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const wish = { job: 'enrich-company', file };
  for (const [accept, plan] of [
    [undefined, { to_buy: 0, invalid: 3 }],
    ['shared-host', { to_buy: 1 }],
    [['shared-host', 'large-list'], { to_buy: 1 }],
    [['large-list', 'shared-host'], { to_buy: 1 }],
  ] as const)
    expect(await command(page, 'plan', { ...wish, accept })).toMatchObject({ status: 200, ...plan });
});

test('the page plans and refuses as the command does, a short list in its own process and a long one in another', async () => {
  const desk = await openDesk();
  const page = await pageAt(desk);
  const planned = async (rows: number) => {
    const lines = Array.from({ length: rows }, (_, at) => `company-${at}.example,Company ${at}\n`);
    const file = await brought(page, `${rows}.csv`, `Domain,Name\n${lines.join('')}`);
    const typed = ['plan', 'enrich-company', desk.place.path(`store/lists/${file}/list.csv`)];
    const wish = { job: 'enrich-company', file };
    const { status, ...told } = await command(page, 'plan', { ...wish, each: true, sample: 2 });
    expect(told).toEqual(await desk.json([...typed, '--each', '--sample', '2']));
    expect(told).toMatchObject({ rows, each: expect.any(Array) });
    const { stopped } = await desk.json([...typed, '--only', '99999']);
    expect(await command(page, 'plan', { ...wish, only: '99999' })).toMatchObject({
      status: 400,
      error: { code: stopped.code, message: stopped.message.replace(/\S*list\.csv/, `${rows}.csv`) },
    });
  };
  await planned(3);
  await planned(4_000);
});

test('a list is described, planned, bought once by its plan, and taken along', async () => {
  const desk = await openDesk();
  desk.list(6);
  const page = await pageAt(desk);
  const file = await brought(page, 'my leads.csv', await desk.read('list.csv'));
  expect(await command(page, 'plan', { file })).toMatchObject({ rows: 6, columns: { length: 3 } });
  const wish = { job: 'enrich-company', file };
  const plan = await command(page, 'plan', wish);
  expect(plan).toMatchObject({ rows: 6, to_buy: 6, credits: { most: 6 } });
  const ofAll = { ...wish, waterfall: [{ all: ['domain'] }] };
  expect(await command(page, 'plan', ofAll)).toMatchObject({ status: 200, to_buy: 6 });
  expect(await command(page, 'run', { ...wish, budget: 6 })).toMatchObject({
    status: 400,
    error: { code: 'usage', message: expect.stringContaining('plan') },
  });
  expect(await worked(page, 'run', { ...wish, plan: plan.id })).toMatchObject({
    stopped: { code: 'consent', next: expect.any(String) },
  });
  const order = { ...wish, plan: plan.id, budget: 6 };
  const other = await brought(page, 'other.csv', 'Domain\nother.example\n');
  expect(await worked(page, 'run', { ...order, file: other })).toMatchObject({
    stopped: { code: 'plan', message: expect.stringContaining('rows 6 → 1') },
  });
  expect(await desk.requests()).toBe(0);

  const both = await Promise.all([worked(page, 'run', order), worked(page, 'run', order)]);
  expect(both[0]).toMatchObject({
    counts: { matched: 6 },
    credits: { spent: 6 },
    stopped: null,
  });
  expect(both[1]).toMatchObject({ batch: both[0]?.batch });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, credits: 6 });
  const { batch } = both[0] ?? {};
  const { body, name } = await download(page, batch, 'output');
  expect(name).toBe('my%20leads.enriched.csv');
  const rows = body.trim().split('\n');
  expect(rows).toHaveLength(7);
  expect(rows[1]).toContain('matched');
  expect((await download(page, batch, 'report')).body).toContain('my leads.csv');
  for (const what of ['needs_attention', 'results', 'batch', 'constructor'])
    expect(await ask(page, 'GET', `/batches/${batch}/files/${what}`), what).toMatchObject({ status: 404 });
});

test('the people who were found for companies are taken along as a file of their own', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Company\nAcme\n');
  const run = await desk.json(['run', 'search-people', 'list.csv', '--budget', '99']);
  const page = await pageAt(desk);
  const name = 'list.enriched.people.csv';
  expect(await download(page, run.batch, 'results')).toEqual({ name, body: await desk.read(name) });
});

test('some rows of a list are planned and asked, by the numbers that it has', async () => {
  const desk = await openDesk();
  desk.list(5);
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const asked = { job: 'enrich-company', file, only: '3,5-6' };
  const plan = await command(page, 'plan', asked);
  expect(plan).toMatchObject({ status: 200, rows: 3, credits: { most: 3 } });
  const run = await worked(page, 'run', { ...asked, plan: plan.id, budget: 9 });
  expect(run).toMatchObject({ counts: { matched: 3 } });
  expect(await command(page, 'plan', { ...asked, only: '9' })).toMatchObject({ status: 400 });
  expect(await desk.requests()).toBe(3);
});

test('a run answers with its work at once; it is listed, and is paused by its batch', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(100);
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const plan = await command(page, 'plan', { job: 'enrich-company', file });
  const order = { job: 'enrich-company', file, plan: plan.id, budget: 1_000 };
  const { work } = await command(page, 'run', order);
  expect(work).toMatchObject({ about: file, batch: null });
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(1);

  const working = (await ask(page, 'GET', '/tasks')).work;
  expect(working).toMatchObject([{ id: work.id, state: 'working' }]);
  const [{ batch }] = (await ask(page, 'GET', `/batches?list=${file}`)).batches;
  expect(await command(page, 'pause', { batch })).toMatchObject({ status: 200, held: true });
  expect(await endOf(page, work.id)).toMatchObject({ batch, stopped: expect.anything() });
  const asked = await desk.requests();
  expect(asked).toBeLessThan(100);
  expect(desk.place.ledger()).toMatchObject({ open: [], inDoubt: 0 });

  desk.place.hurry();
  expect(await command(page, 'resume', { batch })).toMatchObject({ was_held: true });
  const goingOn = await ask(page, 'POST', '/tasks', { batch });
  expect(await endOf(page, goingOn.work.id)).toMatchObject({ batch, counts: { matched: 100 } });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 100, credits: 100 });
});

test('what stops a run is told by its work, which goes on with a larger budget', async () => {
  const desk = await openDesk();
  desk.list(4);
  const page = await pageAt(desk);
  const wish = { job: 'enrich-company', file: await brought(page, 'list.csv', await desk.read('list.csv')) };
  const { id: plan } = await command(page, 'plan', wish);
  const stopped = await worked(page, 'run', { ...wish, plan, budget: 2 });
  expect(stopped).toMatchObject({ stopped: { code: 'budget' }, budget_to_finish: 4, counts: { matched: 2 } });
  const [work] = (await ask(page, 'GET', '/tasks')).work;
  expect(work).toMatchObject({ stopped: { code: 'budget' } });
  const goingOn = await ask(page, 'POST', '/tasks', { batch: work.batch, budget: 4 });
  expect(await endOf(page, goingOn.work.id)).toMatchObject({ counts: { matched: 4 }, stopped: null });
  expect(await desk.requests()).toBe(4);
  const trial = { job: 'enrich-company', given: { domain: 'tried.example' } };
  expect(await worked(page, 'try', trial)).toMatchObject({ stopped: { code: 'consent' } });
  expect(await worked(page, 'try', { ...trial, budget: 1 })).toMatchObject({ stopped: null });
  expect(await desk.requests()).toBe(5);
});

test('what is chosen for a list in the words of a job is planned and bought, and names no place', async () => {
  const desk = await openDesk();
  desk.list(3);
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const job = { operation: 'enrich-company', add: { Staff: 'employee_count' }, budget: { credits: 3 } };
  const plan = await command(page, 'plan', { file, job });
  expect(plan).toMatchObject({ status: 200, to_buy: 3 });
  const ended = await worked(page, 'run', { file, job, plan: plan.id });
  expect(ended).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3 } });
  expect((await download(page, ended.batch, 'output')).body).toMatch(/^No,.*,Staff,_status/);
  const unknown = await command(page, 'plan', { file, job: { ...job, account: 'nobody' } });
  expect(unknown).toMatchObject({ status: 400, error: { message: expect.stringContaining('nobody') } });
  expect(unknown.error.message + unknown.error.next).not.toContain(desk.place.path('store'));
  for (const entry of [{ inbox: '/etc' }, { notify: { to: 'x' } }, { requests: {} }, { endpoint: '/x' }])
    expect(await command(page, 'plan', { file, job: { ...job, ...entry } })).toMatchObject({
      status: 400,
      error: { code: 'usage', message: expect.stringContaining(Object.keys(entry)[0] ?? '') },
    });
});

test.runIf(process.platform === 'linux')(
  'what is asked is in no argument, which everybody on the machine can read',
  async () => {
    const desk = await openDesk({ latencyMs: 1_000 });
    const page = await pageAt(desk);
    const trial = { job: 'enrich-person', given: { email: 'kim@tried.example' }, budget: 2 };
    const tried = worked(page, 'try', trial);
    const { pid } = page.child;
    const children = (): readonly string[] =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const typed = (): readonly string[] =>
      children().map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8'));
    await expect.poll(typed, { interval: 20 }).not.toEqual([]);
    expect(typed().join()).not.toMatch(/kim|tried/);
    expect(await tried).toMatchObject({ stopped: null });
  },
);

test('no place of this machine is named, and nothing that a command does not take', async () => {
  const desk = await openDesk();
  desk.list(2);
  const job = {
    operation: 'enrich-company',
    inbox: './inbox',
    schedule: '0 2 * * *',
    budget: { credits: 9 },
  };
  await desk.write('crm.yaml', JSON.stringify(job));
  const page = await pageAt(desk, ['crm.yaml']);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const path = desk.place.path('list.csv');
  expect(await command(page, 'plan', { job: 'crm', file })).toMatchObject({ status: 200, to_buy: 2 });

  const wish = { job: 'enrich-company', file };
  for (const other of [path, `../${file}`])
    expect(await command(page, 'plan', { ...wish, file: other }), other).toMatchObject({ status: 404 });
  for (const [name, input, fact] of [
    ['plan', { ...wish, job: desk.place.path('crm.yaml') }, 'There is no job'],
    ['plan', { ...wish, job: './crm.yaml' }, 'There is no job'],
    ['plan', { ...wish, store: '/etc' }, '"store" is not known here'],
    ['run', { ...wish, plan: 'x', output: '/tmp/x.csv' }, '"output" is not known here'],
    ['run', { ...wish, plan: 'x', save_job: '/tmp/x.yaml' }, '"save_job" is not known here'],
    ['run', { ...wish, plan: 'x', events: '/tmp/x.jsonl' }, '"events" is not known here'],
    ['run', { ...wish, plan: 'x', budget: -1 }, 'budget'],
    ['undo', { batch: '--store=/etc' }, 'There is no store'],
    ['undo', {}, 'is missing'],
    ['spend', { output: '/tmp/x.csv' }, '"output" is not known here'],
    ['status', { store: '/etc' }, '"store" is not known here'],
    ['status', { batsh: 'last' }, '"batsh" is not known here'],
    ['try', { job: 'enrich-company', given: { '--store': '/etc' } }, '--store'],
    ['nightly', { jobs: [desk.place.path('crm.yaml')] }, 'There is no job'],
    ['accounts/add', { name: 'x', key: 'k', key_env: 'HOME' }, '"key_env" is not known here'],
    ['accounts/add', { name: 'x', key: 'k', dialect: './mine.yaml' }, 'There is no vendor'],
  ] as const)
    expect(await command(page, name, input), `${name} ${fact}`).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining(fact), next: expect.any(String) },
    });
  for (const name of [
    'serve',
    'worker',
    'sandbox',
    'export',
    'merge',
    'doctor',
    'store',
    'store/check',
    'accounts',
  ])
    expect(await command(page, name, {}), name).toMatchObject({ status: 404 });
  expect(await desk.requests()).toBe(0);
});
