/**
 * Goal: the page says what a month cost, as the command says it, and adds no money of two currencies.
 * Method: real runs at a vendor and of play money, then a real Chromium; answers with two currencies are the test's.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, servedIn, useBrowser } from './scene.ts';
import { openThree, peopleOf, runOf } from './three.ts';

const openTab = useBrowser();

test('a month is told by day, list, account and person, without play money', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD', budget: { per_month: 500 } } });
  desk.list(5);
  await desk.type(desk.run());
  const play = ['run', 'enrich-company', 'list.csv', '--account', 'sandbox-provider', '-o', 'play.csv'];
  await desk.type([...play, '--budget', '9']);
  const served = await servedIn(desk.place.folder, desk.environment());
  const [real, invented] = (await ask(served, 'POST', '/spend', { by: 'month' })).groups;
  expect([real.spent, invented.sandbox]).toEqual([5, true]);
  expect(invented.spent).toBeGreaterThan(0);
  const page = await openTab(served, '/money');
  const chart = page.getByRole('slider', { name: /^Cost of \w+ \d{4}, day by day$/ });
  await chart.waitFor();
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/^\d+ \w+: A\$0\.20, month so far A\$0\.20$/);
  const whole = page.locator('main');
  await whole.getByText('of A$20.00').waitFor();
  // Drawn to scale, the bars of so small a part would be no more than lines.
  await whole.getByText('Budget A$20.00, above this').waitFor();
  await whole.getByText('5 of 500 credits').waitFor();
  const line = page.getByRole('listitem').filter({ hasText: 'list.csv' });
  await line.getByText('companies, 5 requests').waitFor();
  await line.getByText('A$0.20').waitFor();
  await page.getByRole('button', { name: 'Change the budget' }).click();
  await page.getByLabel('data, credits a month').fill('25');
  await page.getByRole('button', { name: 'Save' }).click();
  await whole.getByText('of A$1.00').waitFor();
  await whole.getByText('5 of 25 credits').waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'As CSV' }).click();
  const [head = [], first = []]: string[][] = parse(readFileSync(await (await downloading).path(), 'utf8'));
  expect(head.slice(1)).toEqual([
    'List',
    'Found',
    'Account',
    'Requests',
    'Credits',
    'Cost',
    'Currency',
    'Remark',
  ]);
  expect(first.slice(1)).toEqual(['list.csv', 'companies', 'data', '5', '5', '0.2', 'AUD', '']);
  // What a credit costs is the fact that the command keeps, and every sum follows it.
  await page.getByRole('button', { name: 'What a credit costs' }).click();
  await page.getByText('Also what was bought before is shown at this price.').waitFor();
  await page.getByRole('spinbutton', { name: 'A credit costs' }).fill('0.5');
  await page.getByLabel('Currency of data').selectOption('NZD');
  await page.getByRole('button', { name: 'Save the price' }).click();
  await whole.getByText('of NZ$12.50').waitFor();
  expect(await desk.read('config/accounts.yaml')).toContain('0.5 NZD');
  expect(await whole.innerText()).not.toContain(desk.place.folder);
  expect(await whole.innerText()).not.toMatch(/sandbox|play/i);
  await page.getByLabel('Month').selectOption({ index: 1 });
  await page.getByRole('heading', { name: 'Nothing was spent in ' }).waitFor();
  await page.getByRole('link', { name: 'Bring a list' }).click();
  await page.getByText('Drop a list here').waitFor();
});

test('each line has all that was spent, of whichever account: every currency, and credits without a price', async () => {
  const { desk } = await openThree();
  const lists = {
    all: ['hunter1', 'prospeo1', 'leadmagic1'],
    dollars: ['prospeo2'],
    credits: ['leadmagic2'],
  };
  for (const [name, people] of Object.entries(lists)) {
    await desk.write(`${name}.csv`, peopleOf(...people));
    const { code, stderr } = await desk.type(runOf(name));
    expect(code, stderr).toBe(0);
  }
  const page = await openTab(await servedIn(desk.place.folder, desk.environment()), '/money');
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    const whole = 'at most A$0.04, US$0.20 and 2 credits of leadmagic';
    await page.locator('.big').getByText(whole.replace('at', 'At')).waitFor();
    const parts = await page.locator('.meters > *').allInnerTexts();
    const behind = (name: string) => parts.slice(parts.indexOf(name) + 1).find((text) => text !== '');
    expect(behind('all.csv')).toBe('at most A$0.04, US$0.10 and 1 credit of leadmagic');
    expect(behind('dollars.csv')).toBe('at most US$0.10');
    expect(behind('credits.csv')).toBe('at most 1 credit of leadmagic');
    expect(parts.filter((text) => text === whole)).toHaveLength(1);
    // Nothing stands beyond its edge, and no button lies on another.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    for (const line of await page.locator('.days > li').all()) {
      const { x = 0, width = 0 } = (await line.locator('.num').boundingBox()) ?? {};
      expect(x + width).toBeLessThanOrEqual(viewport.width);
    }
    const buttons = [page.getByLabel('Shown in'), page.getByRole('button', { name: 'Set a budget' })];
    const last = page.getByRole('button', { name: 'What a credit costs' });
    expect(await lieApart(page.locator('section').first(), [...buttons, last])).toBe(true);
  }
});

/** Whether each of these lies within the outer one, and on none of the others. */
async function lieApart(outer: Locator, inner: readonly Locator[]): Promise<boolean> {
  const boxOf = async (of: Locator) => (await of.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const around = await boxOf(outer);
  const all = await Promise.all(inner.map(boxOf));
  const isWithin = all.every(({ x, width }) => x >= around.x && x + width <= around.x + around.width);
  const isOn = (one: typeof around, other: typeof around): boolean =>
    other.x < one.x + one.width &&
    one.x < other.x + other.width &&
    other.y < one.y + one.height &&
    one.y < other.y + other.height;
  return isWithin && all.every((one) => all.every((other) => one === other || !isOn(one, other)));
}

test('on Home the cost of a list is that of all its starts, in credits and in money', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' } });
  for (const rows of [5, 6]) {
    desk.list(rows);
    await desk.type(desk.run());
  }
  const served = await servedIn(desk.place.folder, desk.environment());
  const page = await openTab(served, '/');
  await page.getByRole('listitem').getByText('A$0.24', { exact: true }).waitFor();
});

/** What was spent at an account, at so much a credit. */
const at = (account: string, spent: number, price?: number, currency = 'AUD') => ({
  account,
  spent,
  exact: true,
  requests: spent + 1,
  ...(price && { cost: [{ amount: spent * price, currency }] }),
});
type At = ReturnType<typeof at>;

/** Money on 26 November, for which these were spent, and by these on the days of the month. */
async function moneyOf(byAccount: readonly At[], byDay: Readonly<Record<number, At[]>>, more: object = {}) {
  const page = await openTab(await servedIn(), '/');
  await page.clock.setFixedTime(new Date('2026-11-26T10:00:00Z'));
  const group = (name: string, accounts: readonly At[]) => ({
    ...{ name, sandbox: false, exact: true, in_doubt: 0, saved: 0, requests: 9, batches: 1, budget: null },
    ...{ for_misses: 0, spent: accounts.reduce((sum, { spent }) => sum + spent, 0), accounts },
  });
  await page.route('**/api/spend', async (route) => {
    const { by, month } = route.request().postDataJSON();
    const days = Object.entries(byDay).map(([day, accounts]) => {
      const lists = [{ list: '/lists/fair.csv', operation: 'enrich-company', accounts }];
      return { ...group(`${month}-${day.padStart(2, '0')}`, accounts), lists };
    });
    const accounts = byAccount.map((each) => ({ ...group(each.account, [each]), cost: each.cost, ...more }));
    const groups = by === 'day' ? days : by === 'account' ? accounts : [group(by, byAccount)];
    await route.fulfill({ json: { month, by, groups } });
  });
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('slider').waitFor();
  return page;
}

const DAYS = { 3: [at('data', 10, 0.4)], 25: [at('data', 118, 0.4)], 26: [at('data', 408, 0.4)] };

test('the chart has rounded marks, days, the budget and where the month leads, and says each day by keys and pointer', async () => {
  const page = await moneyOf([at('data', 536, 0.4)], DAYS, { budget: 1_000, vendor_counted: 530 });
  const chart = page.getByRole('slider', { name: 'Cost of November 2026, day by day' });
  await page.getByText('of A$400.00, about A$247.38 by the 30th').waitFor();
  const said = ['A$0', 'A$100', 'A$200', 'A$300', 'A$400', 'about A$247.38', 'Budget A$400.00'];
  const marked = await chart.locator('text').allTextContents();
  expect(marked).toEqual([...said, '1', '5', '10', '15', '20', '25', '30']);
  const says = (): Promise<string | null> => chart.getAttribute('aria-valuetext');
  expect(await says()).toBe('26 November: A$163.20, month so far A$214.40');
  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await says()).toBe('25 November: A$47.20, month so far A$51.20');
  await page.keyboard.press('Home');
  expect(await says()).toBe('1 November: A$0.00, month so far A$0.00');
  await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuenow')).toBe('1');
  const { x, y, width, height } = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(x + 52 + ((width - 60) * 2.5) / 30, y + height / 2);
  await page.getByText('3 November: A$4.00, month so far A$4.00').waitFor();
  // No day that has not come is shown.
  await page.mouse.move(x + width - 10, y + height / 2);
  await page.getByText('26 November: A$163.20, month so far A$214.40').waitFor();
  await page.getByText('data itself counted 530, 6 fewer.').waitFor();
});

test('credits of accounts without a price stand by account, and are in no sum', async () => {
  const [data, hunter] = [at('data', 40), at('hunter', 12)];
  const page = await moneyOf([data, hunter], { 20: [data, hunter] });
  await page.getByText('40, about 46 by the 30th').waitFor();
  const chart = page.getByRole('slider');
  expect(await chart.getAttribute('aria-valuetext')).toBe('26 November: 0 credits, month so far 40');
  expect(await page.getByText('40 credits of data and 12 credits of hunter').count()).toBe(4);
  expect(await page.locator('main').innerText()).not.toContain('52');
  await page.getByLabel('Shown in').selectOption('credits of hunter');
  expect(await chart.getAttribute('aria-valuetext')).toBe('26 November: 0 credits, month so far 12');
});

test('money of two currencies is never added: the sum has both, and the chart one at a time', async () => {
  const both = [at('data', 4, 0.4), at('euro', 2, 0.25, 'EUR')];
  const page = await moneyOf(both, { 2: both });
  const chart = page.getByRole('slider');
  expect(await page.locator('.big').innerText()).toBe('A$1.60 and €0.50');
  expect(await chart.getAttribute('aria-valuetext')).toBe('26 November: A$0.00, month so far A$1.60');
  await page.getByLabel('Shown in').selectOption('€');
  expect(await chart.getAttribute('aria-valuetext')).toBe('26 November: €0.00, month so far €0.50');
});

test('what cannot be told is said in its place', async () => {
  const page = await openTab(await servedIn(), '/');
  const error = { code: 'store', message: 'The ledger cannot be read.', next: 'Try it again.' };
  await page.route('**/api/spend', (route) => route.fulfill({ status: 400, json: { error } }));
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('alert').getByText('The ledger cannot be read.').waitFor();
});
