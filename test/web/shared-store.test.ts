/**
 * Goal: the page beside a database shows its batches, their ranges and who is at work on them, and a list that is started there is shared
 * with workers.
 * Method: a real Chromium before a real `rowonce serve` over a real PostgreSQL, beside a real worker, with a vendor that answers when the
 * test says so.
 */
import { hostname } from 'node:os';
import { expect, onTestFinished } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { openDesk } from '../cli/desk.ts';
import { typed } from '../cli/typed.ts';
import { proof } from '../combinations.ts';
import { Gateway } from '../faults/gateway.ts';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import { Gate } from './under-way.ts';

const tabAt = useBrowser();

proof(
  'a list that is started on the page over a database shows who works on it where, and is done when they are',
  async () => {
    const server = await postgresServer();
    await server.createDatabase('page');
    const ROWONCE_STORE = server.url('page');
    await typed(['store', 'init', ROWONCE_STORE]);
    const desk = await openDesk();
    const gateway = await Gateway.before(desk.place.vendor.url);
    onTestFinished(() => gateway[Symbol.asyncDispose]());
    const gate = new Gate(gateway);
    desk.place.writeAccount(gateway.url, { limits: { per_second: 200, concurrency: 4, timeout: '10m' } });
    const env = { ...desk.environment(), ROWONCE_STORE };
    const served = await servedIn(desk.place.folder, env);
    const worker = desk.place.type(['worker', '--json'], env);
    const page = await tabAt(served, '/');
    await page.getByText(text.workers.title('1')).waitFor();

    const rows = Array.from({ length: 60 }, (_, at) => `company-${at}.example\n`).join('');
    const list = (await ask(served, 'PUT', '/lists?name=list.csv', `Domain\n${rows}`)).id;
    const choices = { what: { operation: 'enrich-company' }, account: 'data' };
    const plan = await ask(served, 'POST', '/plans', { list, choices });
    await ask(served, 'POST', '/starts', { plan: plan.id, budget: 1_000 });

    // Without a reload: the batch, the run of the page and the worker, each with what it has on its way.
    await page.getByRole('link', { name: 'list.csv' }).waitFor();
    await page.getByText(text.batch.states.running, { exact: true }).waitFor();
    const lines = page.getByRole('region', { name: text.workers.table }).locator('tbody tr');
    const cells = async () =>
      Promise.all((await lines.all()).map((line) => line.locator('td').allInnerTexts()));
    const shownOf = (command: string) => [hostname(), expect.stringMatching(/^\d+$/), command, 'data', '4'];
    const beaten = expect.stringMatching(/^\d\.\d s ago$/);
    await expect.poll(cells).toEqual([
      [...shownOf('worker'), beaten],
      [...shownOf('run'), beaten],
    ]);
    const { batches } = await ask(served, 'GET', '/batches');
    await page.goto(`${served.url}/batches/${batches[0]?.batch}`);
    await page.getByText(text.batch.ranges).waitFor();

    gate.let();
    await page.getByText(text.batch.states.finished, { exact: true }).waitFor();
    const { ticket } = await ask(served, 'POST', `/batches/${batches[0]?.batch}/tickets`, { what: 'output' });
    expect((await served.ask(`/downloads/${ticket}`)).body.trim().split('\n')).toHaveLength(61);
    const { requests, charged_twice: twice } = await desk.place.vendor.book();
    expect({ requests, twice }).toEqual({ requests: 60, twice: [] });
    worker.signal('SIGTERM');
    expect((await worker.ended).code).toBe(143);
  },
);
