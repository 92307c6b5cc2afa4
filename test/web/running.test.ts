/**
 * Goal: the page shows a batch as its ledger has it, and what a person does with a batch there is what
 * the command line does: no request is left in doubt, and none is made twice.
 * Method: raw requests to a real `rowonce serve`, beside real runs before the embedded vendor.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { BatchDetail, BatchList, SummaryView } from '../../src/web/api.ts';
import { rowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { type Answer, environmentIn, Served } from './served.ts';

const SANDBOX = { ROWONCE_SANDBOX: '--rate 100/s --latency 20ms --match-rate 1' };
/** A run of 300 rows takes far longer than it takes to pause it. */
const SLOW = { ROWONCE_SANDBOX: '--rate 10/s --match-rate 1' };

let served: Served;

beforeAll(async () => {
  served = await Served.start([], { env: SANDBOX });
});

afterAll(() => served[Symbol.asyncDispose]());

/** A list in a folder of its own, with a row that nobody can send. */
function list(name: string, rows: number, folder = '.'): void {
  mkdirSync(join(served.folder, folder), { recursive: true });
  const domains = Array.from({ length: rows }, (_, at) => `${at},${name.replace('.csv', '')}-${at}.example`);
  writeFileSync(join(served.folder, folder, name), `No,Domain\n${domains.join('\n')}\n0,no domain at all\n`);
}

function run(name: string, folder = '.', more: readonly string[] = [], sandbox = SANDBOX) {
  const words = ['run', 'enrich-company', name, '--account', 'sandbox-provider', ...more];
  const env = { ...environmentIn(served.folder), ...sandbox };
  return rowonce(words, { cwd: join(served.folder, folder), env });
}

const post = (path: string, body?: object): Promise<Answer> =>
  served.tool(path, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

const batches = async (query = ''): Promise<BatchList> =>
  JSON.parse((await served.tool(`/api/batches${query}`)).body);

const detail = async (batch: string): Promise<BatchDetail> =>
  JSON.parse((await served.tool(`/api/batches/${batch}`)).body);

proof(
  'batches are listed by pages and filters, and one of them is told with what it cost and saved',
  async () => {
    expect(await batches()).toEqual({ batches: [], total: 0, per_page: 50, all: 0 });
    list('first.csv', 3);
    list('second.csv', 2);
    await run('first.csv');
    await run('first.csv', '.', ['--refresh', '--limit', '1']);
    await run('second.csv');
    const all = await batches();
    expect(all).toMatchObject({ total: 3, all: 3 });
    expect(all.batches.map(({ input }) => input)).toEqual(['second.csv', 'first.csv', 'first.csv']);
    expect(await batches('?text=SECOND')).toMatchObject({ total: 1, all: 3, batches: [{ rows: 3 }] });
    expect(await batches('?state=open')).toMatchObject({ total: 1, batches: [{ state: 'open' }] });
    expect(await batches('?page=2')).toMatchObject({ total: 3, batches: [] });
    expect((await served.tool('/api/batches?page=0')).status).toBe(400);
    const [second] = all.batches;
    expect(await detail(second?.batch ?? '')).toMatchObject({
      state: 'finished',
      sandbox: true,
      counts: { matched: 2, invalid: 1 },
      credits: { spent: 2 },
      requests: 2,
      running: false,
      spender: null,
      output: expect.stringMatching(/\/second\.sandbox\.csv$/),
      seconds_left: null,
    });
    const said = JSON.parse((await served.tool(`/api/batches/${second?.batch}/summary`)).body) as SummaryView;
    expect(said).toMatchObject({
      headline: 'We found 2 of your 3 companies.',
      needs: '1 row needs you.',
      list: null,
      figures: { rows: 3, usable: 2, asked: 2, found: 2, attention: 1, saved: 0, cost: null },
    });
    for (const path of ['/api/batches/00000000', '/api/batches/last', '/api/batches/..%2f..'])
      expect((await served.tool(path)).status).toBe(404);
  },
);

proof('a run beside the page is paused by it without a doubt, and goes on by its own command', async () => {
  list('long.csv', 300, 'elsewhere');
  const running = run('long.csv', 'elsewhere', [], SLOW);
  const found = async () => (await batches('?text=long')).batches[0];
  await expect.poll(async () => (await found())?.counts.matched ?? 0).toBeGreaterThan(5);
  const batch = (await found())?.batch ?? '';
  expect(await detail(batch)).toMatchObject({ running: true, spender: null, limit_per_second: 10 });

  const [one, two] = await Promise.all([
    post(`/api/batches/${batch}/pause`),
    post(`/api/batches/${batch}/pause`),
  ]);
  expect(JSON.parse(one.body).id).toBe(JSON.parse(two.body).id);
  expect(await running).toMatchObject({ code: 143 });
  await expect.poll(async () => (await detail(batch)).held_since).toBeDefined();
  const paused = await detail(batch);
  expect(paused).toMatchObject({ running: false, open: 0, state: 'open' });
  expect(paused.counts).not.toHaveProperty('in_doubt');

  expect((await post(`/api/batches/${batch}/continue`)).status).toBe(200);
  await expect.poll(async () => (await detail(batch)).state).toBe('finished');
  // A request that the vendor asked to wait with is no call, and costs nothing.
  expect(await detail(batch)).toMatchObject({
    calls: 300,
    credits: { spent: 300 },
    counts: { matched: 300, invalid: 1 },
  });
});

proof(
  'a running batch is cancelled after its run was stopped, and an ended one goes on no more',
  async () => {
    list('gone.csv', 300);
    const running = run('gone.csv', '.', [], SLOW);
    const found = async () => (await batches('?text=gone')).batches[0];
    await expect.poll(async () => (await found())?.counts.matched ?? 0).toBeGreaterThan(5);
    const batch = (await found())?.batch ?? '';
    expect((await post(`/api/batches/${batch}/cancel`)).status).toBe(200);
    expect(await running).toMatchObject({ code: 143 });
    await expect.poll(async () => (await detail(batch)).state).toBe('cancelled');
    expect((await detail(batch)).counts).not.toHaveProperty('in_doubt');
    const refused = await post(`/api/batches/${batch}/continue`);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body).error.message).toContain(`Batch ${batch} is cancelled`);
  },
);

proof(
  'a download has the name of its list in every letter, and leaves the output of the batch as it is',
  async () => {
    list("Bob's löng list.csv", 2);
    await run("Bob's löng list.csv");
    const batch = (await batches('?text=bob')).batches[0]?.batch ?? '';
    const take = async (wanted: object): Promise<Answer> => {
      const { ticket } = JSON.parse((await post(`/api/batches/${batch}/tickets`, wanted)).body);
      return served.ask(`/downloads/${ticket}`);
    };
    const output = await take({ what: 'output' });
    expect(output.body).toMatch(/^No,Domain,.*_status/);
    expect(output.headers).toMatchObject({
      'content-disposition':
        'attachment; filename="Bob_s l_ng list.sandbox.csv"; filename*=UTF-8\'\'Bob%27s%20l%C3%B6ng%20list.sandbox.csv',
    });
    expect((await take({ what: 'needs_attention' })).body).toContain('no domain at all');
    expect((await take({ what: 'report' })).body).toContain('<!doctype html>');
    expect((await take({ what: 'output', format: 'xlsx' })).body.slice(0, 2)).toBe('PK');
    expect(await detail(batch)).toMatchObject({
      output: expect.stringMatching(/\/Bob's löng list\.sandbox\.csv$/),
    });
    expect((await post(`/api/batches/${batch}/tickets`, { what: '../ledger.db' })).status).toBe(400);
  },
);
