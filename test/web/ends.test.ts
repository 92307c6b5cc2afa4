/**
 * Goal: when the page's server is killed, what it had started records every answer that is on its way and sends nothing new;
 * nothing is in doubt, and the same command goes on.
 * Method: a real page that is killed in the middle of a run. The vendor answers slowly, and its book says what was asked.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, brought, servedIn } from './scene.ts';

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
