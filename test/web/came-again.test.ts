/**
 * Goal: a list that comes again says what of it is new, changed and gone, and what is known stands in its cells before anything is
 * started: nothing looks lost, and nothing is bought for it.
 * Method: a real `rowonce serve`, an account that is no play money, the vendor's own book, and 308 rows with a known truth.
 */
import { expect, test } from 'vitest';
import type { ListRows } from '../../src/web/api.ts';
import { openDesk } from '../cli/desk.ts';
import { cameAgain } from '../support/came-again.ts';
import { ask, brought, type OnPage, servedIn, started, useBrowser } from './scene.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name' } };

/** A list of 300 companies that was started, and came again with 305. */
async function onPage(): Promise<OnPage> {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  const list = await brought(served, 'Renewals Q4.csv', cameAgain().before);
  await started({ served, list }, JOB);
  expect(await brought(served, 'Renewals Q4.csv', cameAgain().now)).toBe(list);
  return { desk, served, list };
}

async function rowsOf({ served, list }: OnPage, order: object): Promise<ListRows> {
  return (await ask(served, 'POST', `/lists/${list}/rows`, { limit: 500, ...order })) as unknown as ListRows;
}

const numbers = ({ rows }: ListRows): readonly number[] => rows.map(({ row }) => row);

const cellsIn = ({ columns, rows }: ListRows, column: string): readonly (string | undefined)[] => {
  const at = columns.findIndex(({ name }) => name === column);
  return rows.map(({ cells }) => cells[at]);
};

test('each part of a list that came again is shown alone: 8 new, 3 changed with what they were, 294 as before, 3 gone', async () => {
  const at = await onPage();
  const { truth } = cameAgain();
  const { edited } = await ask(at.served, 'GET', `/lists/${at.list}`);
  expect(edited).toEqual({ added: 8, changed: 3, gone: 3, same: 294 });
  expect(numbers(await rowsOf(at, { since: 'added' }))).toEqual(truth.added);
  const changed = await rowsOf(at, { since: 'changed' });
  expect(numbers(changed)).toEqual(truth.changed.map(([now]) => now));
  expect(changed.rows.map(({ was }) => Object.keys(was ?? {}))).toContainEqual(['ABN']);
  expect(changed.rows.map(({ was }) => Object.keys(was ?? {}))).toContainEqual(['City']);
  expect((await rowsOf(at, { since: 'same' })).rows).toHaveLength(294);
  const gone = await rowsOf(at, { since: 'gone' });
  expect(numbers(gone)).toEqual(truth.gone);
  expect(cellsIn(gone, 'Company')).toContain('Company 150 Pty Ltd');
  const all = await rowsOf(at, {});
  expect(all.rows.filter(({ since }) => since === 'added')).toHaveLength(8);
  expect(all.rows.filter(({ since }) => since === undefined)).toHaveLength(294);
});

test('what is known stands in the cells before a start, as the start then has it, and costs nothing', async () => {
  const at = await onPage();
  const requests = await at.desk.requests();
  const before = await rowsOf(at, { job: JOB });
  const planned = await ask(at.served, 'POST', '/plan', { file: at.list, job: JOB });
  const { bought_before: known, to_buy: toBuy, invalid } = planned;
  const statuses = cellsIn(before, '_status');
  const counts = (...of: readonly string[]) => statuses.filter((status = '') => of.includes(status)).length;
  expect(counts('matched', 'no_match')).toBe(known);
  expect(counts('pending')).toBe(toBuy);
  expect([counts('invalid'), invalid], 'a row that nobody can be asked about').toEqual([1, 1]);
  expect(cellsIn(before, 'Found').filter((name) => name !== '').length).toBeGreaterThan(150);
  const gone = await rowsOf(at, { job: JOB, since: 'gone' });
  expect(cellsIn(gone, '_status')).not.toContain('pending');
  expect(await at.desk.requests(), 'nobody was asked').toBe(requests);
  const { batch } = await started(at, JOB);
  const table = await ask(at.served, 'POST', '/status', { batch, limit: 500 });
  const after = table as unknown as ListRows;
  for (const [nth, name] of cellsIn(before, 'Found').entries())
    if (statuses[nth] !== 'pending') expect(cellsIn(after, 'Found')[nth]).toBe(name);
  expect(await at.desk.requests()).toBe(requests + toBuy);
});

test('answers of another list are known as well, by the fields that they have; a team has none', async () => {
  const at = await onPage();
  const other = await brought(at.served, 'Other.csv', 'Web\nhttps://www.company7.example\nnobody.example\n');
  const { add: _, ...whole } = JOB;
  const of = { ...at, list: other };
  await started({ served: at.served, list: other }, { ...whole, columns: { domain: 'Web' } });
  const again = await brought(
    at.served,
    'Again.csv',
    'Site\nnobody.example\ncompany7.example\nnew.example\n',
  );
  const known = await rowsOf({ ...of, list: again }, { job: { ...whole, columns: { domain: 'Site' } } });
  expect(cellsIn(known, '_status').toSorted().at(-1)).toBe('pending');
  expect(cellsIn(known, '_status').filter((status) => status === 'pending')).toEqual(['pending']);
  const team = { operation: 'onboard', account: 'workspace', columns: { email: 'Site' } };
  expect((await rowsOf({ ...of, list: again }, { job: team })).columns).toHaveLength(1);
});

test('nothing looks lost: the answers stand in the cells at once, each part is one click, and the version before is there', async () => {
  const at = await onPage();
  const page = await tabAt(at.served, `/lists/${at.list}`);
  // The sign before a figure belongs to the name of its button.
  page.setDefaultTimeout(20_000);
  const tile = (name: string) => page.getByRole('button', { name: new RegExp(`^\\W*${name}$`) });
  const lines = () => page.locator('[role=grid] tbody tr').allInnerTexts();
  for (const name of ['305 rows', '8 new', '3 changed', '294 as before', '3 gone'])
    await tile(name).waitFor();
  await page.getByRole('complementary').getByText('Known already').waitFor();
  await page.locator('td.ours', { hasText: '(sandbox)' }).first().waitFor();

  await tile('8 new').click();
  await expect.poll(async () => (await lines()).length).toBe(8);
  expect(
    (await lines()).every((line) => line.startsWith('+') && line.includes('new: will be looked up')),
  ).toBe(true);
  await tile('3 changed').click();
  await expect.poll(async () => (await lines()).length).toBe(3);
  expect((await lines()).every((line) => line.startsWith('~'))).toBe(true);
  expect(await page.locator('td.chg').first().getAttribute('title')).toMatch(/^was /);
  await tile('3 gone').click();
  await expect.poll(() => page.locator('tr.was').count()).toBe(3);
  const struck = page.locator('tr.was td').first();
  expect(await struck.evaluate((cell) => getComputedStyle(cell).textDecorationLine)).toBe('line-through');
  await tile('3 gone').click();

  await page.getByRole('button', { name: 'Versions' }).click();
  await page.getByRole('dialog', { name: 'Versions of the list' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Renewals Q4.csv' }).waitFor();
  await page.getByText('as it was', { exact: false }).first().waitFor();
  await page.getByRole('gridcell', { name: 'Company 4 Pty Ltd', exact: true }).waitFor();
  await page.getByRole('link', { name: 'The list of now' }).click();
  await tile('3 gone').waitFor();
});
