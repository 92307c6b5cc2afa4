/**
 * Goal: a person asks one row, the rows that she selected, or the rows in view once more. The price stands on the button, just these rows
 * are charged, and everything else of the list stays as it was.
 * Method: a real `rowonce serve`, a real browser, and an account that is not play money; the vendor's own book says what was bought.
 */
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ask, brought, endOf, servedIn } from './scene.ts';
import type { Served } from './served.ts';

const JOB = { operation: 'enrich-company', account: 'data', add: { Employees: 'employee_count' } };

async function found(desk: Desk, served: Served) {
  const id = await brought(served, 'list.csv', await desk.read('list.csv'));
  await ask(served, 'PUT', `/lists/${id}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file: id, job: JOB });
  const { work } = await ask(served, 'POST', '/run', { file: id, job: JOB, plan, budget: 100 });
  const { batch } = await endOf(served, work.id);
  return { id, batch: String(batch) };
}

const pageAt = (desk: Desk): Promise<Served> => servedIn(desk.place.folder, desk.environment());

test('rows are asked again by the price that was said, once, and the list is whole as before', async () => {
  const desk = await openDesk({ matchRate: 1 });
  desk.list(5);
  const served = await pageAt(desk);
  const { id, batch } = await found(desk, served);
  const price = await ask(served, 'POST', `/batches/${batch}/again`, { only: '3-4' });
  expect(price).toMatchObject({ status: 200, rows: 2, to_buy: 2, credits: { most: 2 } });
  const order = { batch, again: { only: '3-4', plan: price.id }, budget: 2 };
  const { work } = await ask(served, 'POST', '/tasks', order);
  expect(await endOf(served, work.id)).toMatchObject({ counts: { matched: 5 }, credits: { spent: 2 } });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 7, credits: 7 });
  // A second click of the same button buys nothing.
  const { work: twice } = await ask(served, 'POST', '/tasks', order);
  expect(await endOf(served, twice.id)).toMatchObject({ stopped: { code: 'plan' } });
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 7 });
  const { standing } = await ask(served, 'GET', `/lists/${id}`);
  expect(standing).toMatchObject({ is: 'as_started' });
  expect(await ask(served, 'POST', '/status', { batch: standing.batch })).toMatchObject({
    state: 'finished',
    counts: { matched: 5 },
  });
});
