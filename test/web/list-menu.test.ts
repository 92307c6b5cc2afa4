/**
 * Goal: a list gets another name and is still the list of its file; it is deleted with what was bought for it staying known or being
 * erased, as she chooses, and nothing is erased that she did not see.
 * Method: a real Chromium before a real `rowonce serve`, an account that is no play money, and the vendor's own book.
 */
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ask, brought, endOf, servedIn, useBrowser } from './scene.ts';
import type { Served } from './served.ts';

const tabAt = useBrowser();

const JOB = { operation: 'enrich-company', account: 'data', add: { Found: 'name' } };

async function started(served: Served, name: string, ...domains: readonly string[]): Promise<string> {
  const file = await brought(served, name, `Domain\n${domains.join('\n')}\n`);
  await ask(served, 'PUT', `/lists/${file}/job`, JOB);
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
  await endOf(served, (await ask(served, 'POST', '/run', { file, job: JOB, plan, budget: 100 })).work.id);
  return file;
}

async function onPage(): Promise<{ readonly desk: Desk; readonly served: Served; readonly list: string }> {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  return { desk, served, list: await started(served, 'export.csv', 'a.example', 'b.example') };
}

const namesOf = async (served: Served): Promise<readonly string[]> =>
  (await ask(served, 'GET', '/lists')).lists.map(({ name }: { readonly name: string }) => name).toSorted();

test('a list is renamed, also its download; the next file of its old name is its next version', async () => {
  const { served, list } = await onPage();
  const page = await tabAt(served, `/lists/${list}`);
  await page.getByRole('button', { name: '⋯' }).click();
  await page.getByLabel('Name of the list').fill('Renewals Q4');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Renewals Q4.csv' }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as ▾' }).click();
  await page.getByRole('button', { name: /^CSV$/ }).click();
  expect((await saving).suggestedFilename()).toMatch(/^Renewals Q4\./);
  // The report that she mails knows no other name of it either.
  const [{ batch }] = (await ask(served, 'GET', '/batches')).batches;
  const { body, headers } = await served.tool(`/api/batches/${batch}/files/report`);
  expect(headers['content-disposition']).toContain('Renewals%20Q4.');
  expect(body).toContain('Renewals Q4.csv, 2 rows');
  expect(body).not.toMatch(/\b(?:export|list)\.csv/);
  expect(await brought(served, 'export.csv', 'Domain\na.example\nb.example\nc.example\n')).toBe(list);
  expect(await namesOf(served)).toEqual(['Renewals Q4.csv']);
  const other = await brought(served, 'other.csv', 'Domain\nz.example\n');
  const refused = await ask(served, 'PUT', `/lists/${other}/name`, { name: 'Renewals Q4' });
  expect(refused).toMatchObject({ status: 400, error: { message: expect.stringContaining('called') } });
});

test('a list that was stopped is stopped for good where it is to be deleted, and then it is', async () => {
  const desk = await openDesk({ concurrency: 1 });
  const served = await servedIn(desk.place.folder, desk.environment());
  const file = await brought(served, 'export.csv', 'Domain\na.example\nb.example\nc.example\n');
  const { id: plan } = await ask(served, 'POST', '/plan', { file, job: JOB });
  await endOf(served, (await ask(served, 'POST', '/run', { file, job: JOB, plan, budget: 1 })).work.id);
  const page = await tabAt(served, `/lists/${file}`);
  await page.getByRole('button', { name: '⋯' }).click();
  await page.getByRole('button', { name: 'Delete the list…' }).click();
  const menu = page.getByRole('dialog', { name: 'More about export.csv' });
  await menu.getByText('“export.csv” can go on. Stop it for good, and it can be deleted.').waitFor();
  await menu.getByRole('button', { name: 'Stop for good…' }).click();
  await page.getByRole('button', { name: 'Stop for good', exact: true }).click();
  await menu.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
  expect(await namesOf(served)).toEqual([]);
});

test('a list is deleted, and what was bought stays known, or is erased as far as no other list has it', async () => {
  const { desk, served, list } = await onPage();
  await started(served, 'other.csv', 'b.example');
  expect(await desk.requests()).toBe(2);
  expect(await ask(served, 'GET', `/lists/${list}/erasure`)).toEqual({
    status: 200,
    ...{ answers: 1, credits: expect.any(Number), shared: 1, changed_people: false },
  });
  expect(await ask(served, 'DELETE', `/lists/${list}?erase=7`), 'she saw another figure').toMatchObject({
    status: 409,
  });
  expect(await namesOf(served)).toEqual(['export.csv', 'other.csv']);

  const page = await tabAt(served, `/lists/${list}`);
  await page.getByRole('button', { name: '⋯' }).click();
  await page.getByRole('button', { name: 'Delete the list…' }).click();
  await page.getByRole('radio', { name: 'is erased, too' }).check();
  await page.getByText('1 answer stays: other lists have the same rows.').waitFor();
  await page.getByRole('button', { name: 'Delete and erase' }).click();
  const asked = page.getByRole('dialog', { name: 'Erase 1 answer for good?' });
  await asked.getByRole('button', { name: 'Delete and erase' }).click();
  await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
  expect(await namesOf(served)).toEqual(['other.csv']);
  const again = await started(served, 'again.csv', 'a.example', 'b.example');
  expect(await desk.requests(), 'what was erased is bought again, and nothing else').toBe(3);

  expect(await ask(served, 'DELETE', `/lists/${again}`)).toMatchObject({ status: 200 });
  const more = await started(served, 'once-more.csv', 'a.example', 'b.example');
  expect(await desk.requests(), 'without an erasure everything stays known').toBe(3);
  // Her month is told by the names that she gave, also of a deleted list whose answers stay.
  expect(await ask(served, 'DELETE', `/lists/${more}`)).toMatchObject({ status: 200 });
  const { groups } = await ask(served, 'POST', '/spend', { by: 'list' });
  const names = groups.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['a deleted list', 'once-more.csv', 'other.csv']));
});
