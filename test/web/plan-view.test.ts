/**
 * Goal: whoever looks at what a list costs can try it, put it off to the night, step back and come again, and loses nothing
 * that was chosen; and nobody is removed from a team out of sight.
 * Method: a real Chromium before a real `rowonce serve`, and the vendor's own book.
 */
import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { rowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { Workplace } from '../faults/workplace.ts';
import { bring, expectToFit, startToEnd, useBrowser } from './scene.ts';
import { environmentIn, Served } from './served.ts';

const tabAt = useBrowser();

async function servedAt(place: Workplace): Promise<Served> {
  const served = await Served.start(['--time-zone', 'Australia/Melbourne'], { cwd: place.folder });
  onTestFinished(async () => {
    await served[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });
  return served;
}

const { plan: words } = text;

proof(
  'what a dialect sends otherwise is read before anything can be started, and one press agrees to it for good',
  async () => {
    const place = await Workplace.open();
    const served = await servedAt(place);
    place.writeDialect({
      headers: { 'x-team': 'a' },
      usage: { method: 'GET', path: '/used', credits: 'all' },
    });
    place.writeAccount(place.vendor.url, { dialect: 'dialect.yaml' });
    const choices = { what: { operation: 'enrich-company' }, account: 'data' };
    const id = await bring(served, 'leads.csv', 'Domain\na.example\n', choices);
    const page = await tabAt(served, `/lists/${id}/plan`);
    await page.getByText('headers.x-team: "a", which is not built in').waitFor();
    await page.getByText('usage.path: "/used", which is not built in').waitFor();
    const start = page.getByRole('button', { name: `${words.startMost} 1 credit` });
    expect(await start.isDisabled()).toBe(true);
    await expectToFit(page);
    await page.getByRole('button', { name: text.agree.meant }).click();
    await expect.poll(() => start.isEnabled()).toBe(true);
    expect(await page.getByRole('button', { name: text.agree.meant }).count()).toBe(0);
    await page.reload();
    await start.click();
    await expect.poll(async () => (await place.vendor.book()).requests).toBe(1);
  },
);

proof(
  'a sample is judged in its rows, the rest is put off to the night, and a step back loses nothing that was chosen; the batch says why it stopped',
  async () => {
    const place = await Workplace.open();
    const served = await servedAt(place);
    const rows = Array.from({ length: 30 }, (_, at) => `${at},company-${at}.example\n`);
    const choices = { what: { operation: 'enrich-company' }, account: 'data' };
    const id = await bring(served, 'leads.csv', `No,Domain\n${rows.join('')}`, choices);
    const page = await tabAt(served, `/lists/${id}/plan`);
    const budget = page.getByLabel(words.budget);
    const saved = page.waitForResponse(/\/draft$/);
    await budget.fill('25');
    await page.getByRole('button', { name: words.sample }).click();
    await saved;
    await page.getByRole('heading', { name: words.answers.title }).waitFor();
    expect(await page.getByText(words.moved).count()).toBe(0);
    expect(await page.locator('tbody tr').count()).toBe(20);
    expect((await place.vendor.book()).requests).toBe(20);
    expect(await budget.inputValue()).toBe('25');

    const steps = page.getByRole('navigation', { name: text.steps.label });
    await steps.getByRole('link', { name: text.steps.list }).click();
    await page.getByRole('link', { name: text.list.next }).click();
    const way = text.todo.operations['enrich-company'];
    await page.getByRole('button', { name: `${way}: ${text.todo.go}` }).click();
    await page.getByRole('button', { name: text.columns.go }).click();
    await expect.poll(() => budget.inputValue()).toBe('25');

    await budget.fill('22');
    await page.getByRole('button', { name: words.startMost }).click();
    await page.waitForURL(/\/batches\/\w+$/);
    await page
      .getByRole('alert')
      .getByText(/budget/)
      .first()
      .waitFor();
    expect((await place.vendor.book()).requests).toBe(22);
  },
);

proof('after a sample only what something else has moved is told', async () => {
  const place = await Workplace.open();
  const served = await servedAt(place);
  const domains = Array.from({ length: 30 }, (_, at) => `company-${at}.example\n`);
  const choices = { what: { operation: 'enrich-company' }, account: 'data' };
  const id = await bring(served, 'leads.csv', `Domain\n${domains.join('')}`, choices);
  const work = await startToEnd(served, id, { sample: 20, budget: 30 });
  writeFileSync(place.path('other.csv'), `No,Domain\n1,${domains.join('1,')}`);
  const elsewhere = ['run', 'enrich-company', 'other.csv', '--account', 'data', '--budget', '30'];
  expect(await rowonce(elsewhere, { cwd: place.folder, env: environmentIn(place.folder) })).toMatchObject({
    code: 0,
  });
  const page = await tabAt(served, `/tasks/${work}`);
  expect(await page.locator('.notice', { hasText: words.moved }).textContent()).toBe(
    `${words.moved} rows bought before 20 → 30; rows to buy 10 → 0; credits at most 10 → 0.`,
  );
});

proof(
  'people whom the list does not name stand before everything else of their project, however much that is',
  async () => {
    const place = await Workplace.open();
    const served = await servedAt(place);
    const sheet = (people: readonly string[]): string =>
      `Email,Project,Role\n${people.map((name) => `${name}@acme.example,proj-9,viewer\n`).join('')}`;
    const choices = {
      ...{ what: { operation: 'onboard' }, account: 'sandbox-service', remove_missing: true },
      columns: { email: 'Email', role: 'Role', project_id: 'Project' },
    };
    const first = await bring(served, 'first.csv', sheet(['gone']), choices);
    await startToEnd(served, first);
    const many = Array.from({ length: 120 }, (_, at) => `new-${at}`);
    const id = await bring(served, 'team.csv', sheet(many), choices);
    const page = await tabAt(served, `/lists/${id}/plan`);
    const project = page.locator('details', { has: page.getByText('proj-9', { exact: true }) });
    await project.getByText('gone@acme.example').waitFor();
    await project.getByText(text.diff.beyondTitle('1 person')).waitFor();
  },
);
