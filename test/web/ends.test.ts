/**
 * Goal: when the page's server is killed, what it had started records every answer that is on its way and sends nothing new;
 * nothing is in doubt, and the same command goes on. A download is handed out once, as a file and never as a page, and no copy of it stays.
 * Method: a real page that is killed in the middle of a run, and over a batch that the command line bought. The vendor's book says what was
 * asked, and the page's folder what is left.
 */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, brought, servedIn } from './scene.ts';
import type { Served } from './served.ts';

/** Many seconds, of which a run here sees the beginning; what is left then is asked for by many at once. */
const ROWS = 100;

test('a page that is killed leaves no doubt, and its command goes on', async () => {
  const desk = await openDesk({ latencyMs: 300 });
  desk.list(ROWS);
  const page = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(page, 'list.csv', await desk.read('list.csv'));
  const choices = { what: { operation: 'enrich-company' }, account: 'data' };
  const plan = await ask(page, 'POST', '/plans', { list, choices });
  await ask(page, 'POST', '/starts', { plan: plan.id, budget: 1_000 });
  await expect.poll(() => desk.requests(), { interval: 20 }).toBeGreaterThan(4);

  await page.stop('SIGKILL');
  // It says who it is as long as it holds the store.
  await expect.poll(() => existsSync(desk.place.path('store/spender.json'))).toBe(false);
  const { open, inDoubt, spent } = desk.place.ledger();
  const { requests, credits } = await desk.place.vendor.book();
  expect({ open, inDoubt, spent }).toEqual({ open: [], inDoubt: 0, spent: credits });
  expect(requests, 'stopped on its way').toBeLessThan(ROWS);
  desk.place.hurry();
  const { next } = await desk.json(['status', 'last']);
  expect((await desk.type(next.replace(/^.*? rowonce /, '').split(' '))).code).toBe(0);
  expect((await desk.place.vendor.book()).requests, 'nothing was asked twice').toBe(ROWS);
});

test('a ticket is worth one file; neither a question about it nor a kill leaves anything of it', async () => {
  const desk = await openDesk();
  desk.list(3);
  const { batch } = await desk.json(desk.run());
  const start = () => servedIn(desk.place.folder, desk.environment());
  const copies = () => {
    const folder = desk.place.path('store/downloads');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  };
  const ticketOf = async (page: Served): Promise<string> => {
    return (await ask(page, 'POST', '/export', { batch })).tickets.output.ticket;
  };

  const killed = await start();
  await ticketOf(killed);
  expect(copies(), 'the output and the report').toHaveLength(2);
  await killed.stop('SIGKILL');
  const page = await start();
  expect(copies()).toEqual([]);

  const path = `/downloads/${await ticketOf(page)}`;
  expect((await page.ask(path, { method: 'HEAD' })).status).toBe(404);
  const { status, headers, body } = await page.ask(path);
  expect([status, body]).toEqual([200, await desk.read('out.csv')]);
  expect(headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
  expect((await page.ask(path)).status).toBe(404);
  await expect.poll(copies).toHaveLength(1);
});
