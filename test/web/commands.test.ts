/**
 * Goal: the page and tools ask by the names of commands, and are told what a terminal is told under `--json`. A file is a list that was
 * brought and a download a ticket, so no request names a place of this machine. Nothing is bought twice.
 * Method: a real page beside real commands over one store; requests as no browser would send them, and the vendor's book.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { type Desk, type JsonResult, openDesk } from '../cli/desk.ts';
import { ask, brought, servedIn } from './scene.ts';
import type { Served } from './served.ts';

const pageAt = (desk: Desk, words: readonly string[] = []): Promise<Served> =>
  servedIn(desk.place.folder, desk.environment(), words);

const command = (page: Served, name: string, input: object): Promise<JsonResult> =>
  ask(page, 'POST', `/${name}`, input);

/** A file by its ticket, with the name under which a browser keeps it. */
async function download(page: Served, { ticket, name }: JsonResult): Promise<string> {
  const { body, headers } = await page.ask(`/downloads/${ticket}`);
  expect(headers['content-disposition']).toContain(`"${name}"`);
  return body;
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
  expect(await command(page, 'run', { ...wish, plan: plan.id })).toMatchObject({
    status: 400,
    error: { code: 'consent', next: expect.any(String) },
  });
  const order = { ...wish, plan: plan.id, budget: 6 };
  const other = await brought(page, 'other.csv', 'Domain\nother.example\n');
  const moved = await command(page, 'run', { ...order, file: other });
  expect(moved).toMatchObject({
    status: 409,
    error: { code: 'plan', message: expect.stringContaining('rows 6 → 1') },
  });
  expect(await desk.requests()).toBe(0);

  const both = await Promise.all([command(page, 'run', order), command(page, 'run', order)]);
  expect(both[0]).toMatchObject({
    status: 200,
    counts: { matched: 6 },
    credits: { spent: 6 },
    stopped: null,
  });
  expect(both[1]).toMatchObject({ status: 200, batch: both[0].batch });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 6, credits: 6 });
  const { batch } = both[0];
  const exported = await command(page, 'export', { batch });
  expect(exported).toMatchObject({ batch, tickets: { output: { name: 'my leads.enriched.csv' } } });
  expect(Object.keys(exported.tickets)).toEqual(['output', 'report']);
  const rows = (await download(page, exported.tickets.output)).trim().split('\n');
  expect(rows).toHaveLength(7);
  expect(rows[1]).toContain('matched');
  expect(await download(page, exported.tickets.report)).toContain('my leads.csv');
});

test('a result is merged into the edited list that was brought beside it', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { output } = await desk.json(desk.run('--add', 'team=employee_count'));
  const page = await pageAt(desk);
  const result = await brought(page, 'out.csv', await desk.read('out.csv'));
  const own = (await desk.read('list.csv')).split('\n');
  const edited = [own[0], own[3], 'mine,Mine,', own[1]].join('\n');
  const into = await brought(page, 'mine.csv', edited);
  const merged = await command(page, 'merge', { result, into });
  expect(output).toContain('out.csv');
  expect(merged).toMatchObject({ status: 200, rows: 3, found: 2, nowhere: [{ row: 3 }] });
  expect(merged.tickets.output.name).toBe('mine.merged.csv');
  const lines = (await download(page, merged.tickets.output)).split('\n');
  expect(lines[0]).toContain('team');
  expect(lines[2]).toContain('mine,Mine,');
  expect(lines[3]).toContain('matched');
});

test('some rows of a list are planned and asked, by the numbers that it has', async () => {
  const desk = await openDesk();
  desk.list(5);
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const asked = { job: 'enrich-company', file, only: '3,5-6' };
  const plan = await command(page, 'plan', asked);
  expect(plan).toMatchObject({ status: 200, rows: 3, credits: { most: 3 } });
  const run = await command(page, 'run', { ...asked, plan: plan.id, budget: 9 });
  expect(run).toMatchObject({ status: 200, counts: { matched: 3 } });
  expect(await command(page, 'plan', { ...asked, only: '9' })).toMatchObject({ status: 400 });
  expect(await desk.requests()).toBe(3);
});

test('a run goes on when nobody waits for its answer; it is listed, and is paused by its batch', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(100);
  const page = await pageAt(desk);
  const file = await brought(page, 'list.csv', await desk.read('list.csv'));
  const plan = await command(page, 'plan', { job: 'enrich-company', file });
  const order = { job: 'enrich-company', file, plan: plan.id, budget: 1_000 };
  const { url, token } = page.note;
  const leaving = request(`${url}/api/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  leaving.on('error', () => {});
  leaving.end(JSON.stringify(order));
  await once(leaving, 'finish');
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(1);
  leaving.destroy();
  const before = await desk.requests();
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(before + 2);

  const working = (await ask(page, 'GET', '/tasks')).work;
  expect(working).toMatchObject([{ kind: 'run', about: file, state: 'working', batch: expect.any(String) }]);
  const { batch } = working[0];
  expect(await command(page, 'pause', { batch })).toMatchObject({ status: 200, held: true });
  await expect.poll(async () => (await ask(page, 'GET', '/tasks')).work[0].state).toBe('ended');
  const asked = await desk.requests();
  expect(asked).toBeLessThan(100);
  expect(desk.place.ledger()).toMatchObject({ open: [], inDoubt: 0 });

  desk.place.hurry();
  expect(await command(page, 'resume', { batch })).toMatchObject({ was_held: true });
  expect(await command(page, 'run', order)).toMatchObject({ status: 200, batch, counts: { matched: 100 } });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 100, credits: 100 });
});

test('what stops a run is told in its answer', async () => {
  const desk = await openDesk();
  desk.list(4);
  const page = await pageAt(desk);
  const wish = { job: 'enrich-company', file: await brought(page, 'list.csv', await desk.read('list.csv')) };
  const { id: plan } = await command(page, 'plan', wish);
  const stopped = await command(page, 'run', { ...wish, plan, budget: 2 });
  expect(stopped).toMatchObject({ status: 200, stopped: { code: 'budget' }, counts: { matched: 2 } });
  expect(await desk.requests()).toBe(2);
  const trial = { job: 'enrich-company', given: { domain: 'tried.example' } };
  expect(await command(page, 'try', trial)).toMatchObject({ status: 400, error: { code: 'consent' } });
  expect(await command(page, 'try', { ...trial, budget: 1 })).toMatchObject({ status: 200, stopped: null });
  expect(await desk.requests()).toBe(3);
});

test.runIf(process.platform === 'linux')(
  'what is asked is in no argument, which everybody on the machine can read',
  async () => {
    const desk = await openDesk({ latencyMs: 1_000 });
    const page = await pageAt(desk);
    const trial = { job: 'enrich-person', given: { email: 'kim@tried.example' }, budget: 2 };
    const tried = command(page, 'try', trial);
    const { pid } = page.child;
    const children = (): readonly string[] =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const typed = (): readonly string[] =>
      children().map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8'));
    await expect.poll(typed, { interval: 20 }).not.toEqual([]);
    expect(typed().join()).not.toMatch(/kim|tried/);
    expect(await tried).toMatchObject({ status: 200, stopped: null });
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
  for (const [name, input, fact] of [
    ['plan', { ...wish, file: path }, `there is no list ${path}`],
    ['plan', { ...wish, file: `../${file}` }, `there is no list ../${file}`],
    ['plan', { ...wish, job: desk.place.path('crm.yaml') }, 'there is no job'],
    ['plan', { ...wish, job: './crm.yaml' }, 'there is no job'],
    ['plan', { ...wish, store: '/etc' }, '"store" is not known here'],
    ['run', { ...wish, plan: 'x', output: '/tmp/x.csv' }, '"output" is not known here'],
    ['run', { ...wish, plan: 'x', save_job: '/tmp/x.yaml' }, '"save_job" is not known here'],
    ['run', { ...wish, plan: 'x', events: '/tmp/x.jsonl' }, '"events" is not known here'],
    ['run', { ...wish, plan: 'x', budget: -1 }, 'budget'],
    ['merge', { result: path, into: file }, `there is no list ${path}`],
    ['export', { batch: '--store=/etc' }, 'There is no store'],
    ['export', {}, 'is missing'],
    ['export', { batch: 'last', output: '/tmp/x.csv' }, '"output" is not known here'],
    ['spend', { output: '/tmp/x.csv' }, '"output" is not known here'],
    ['status', { store: '/etc' }, '"store" is not known here'],
    ['status', { batsh: 'last' }, '"batsh" is not known here'],
    ['try', { job: 'enrich-company', given: { '--store': '/etc' } }, '--store'],
  ] as const)
    expect(await command(page, name, input), `${name} ${fact}`).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining(fact), next: expect.any(String) },
    });
  for (const name of ['serve', 'worker', 'sandbox', 'nightly', 'doctor', 'store', 'accounts add'])
    expect(await command(page, encodeURIComponent(name), {}), name).toMatchObject({ status: 404 });
  expect(await desk.requests()).toBe(0);
});
