/**
 * Goal: the page says what a month cost, as the command says it, and adds no money of two currencies.
 * Method: real runs at a vendor and of play money, then a real Chromium; answers with two currencies are the test's.
 */
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { ask, servedIn, useBrowser } from './scene.ts';

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
  await page.getByRole('heading', { name: /^\w+ \d{4}: 5 credits, A\$0\.20$/ }).waitFor();
  const whole = page.locator('main');
  await whole.getByText('5 of 500, A$0.20').waitFor();
  await whole
    .getByText(/At this rate \d+ by the end of the month/)
    .first()
    .waitFor();
  await page.getByRole('img', { name: 'Credits a day, at most 5' }).waitFor();
  await page.getByText('Day by day').first().click();
  await page.getByRole('cell', { name: 'A$0.20', exact: true }).waitFor();
  expect(await whole.innerText()).not.toContain(desk.place.folder);
  expect(await whole.innerText()).not.toMatch(/sandbox|play/i);
  await page.getByLabel('Month').selectOption({ index: 1 });
  await page.getByText(/^Nothing was spent in /).waitFor();
});

test('on Home the cost of a list is that of all its starts, in credits and in money', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' } });
  for (const rows of [5, 6]) {
    desk.list(rows);
    await desk.type(desk.run());
  }
  const served = await servedIn(desk.place.folder, desk.environment());
  const page = await openTab(served, '/');
  await page.getByRole('listitem').getByText('6 credits (A$0.24)', { exact: true }).waitFor();
});

test('money of two currencies stands side by side, and the vendor’s own count with its difference', async () => {
  const served = await servedIn();
  const page = await openTab(served, '/');
  const group = { sandbox: false, exact: true, in_doubt: 0, saved: 0, requests: 9, batches: 1, budget: null };
  const cost = [
    { amount: 1.6, currency: 'AUD' },
    { amount: 0.5, currency: 'EUR' },
  ];
  await page.route('**/api/spend', async (route) => {
    const { by, month } = route.request().postDataJSON();
    const more = by === 'account' ? { vendor_counted: 43 } : {};
    const name = by === 'day' ? `${month}-02` : by;
    const groups = [{ ...group, name, spent: 50, for_misses: 6, cost, ...more }];
    await route.fulfill({ json: { month, by, groups } });
  });
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('heading', { name: ': 50 credits, A$1.60 and €0.50' }).waitFor();
  await page.getByText('50, A$1.60 and €0.50; the vendor counted 43, 7 fewer').waitFor();
  await page.getByText('6 credits were paid for misses.').waitFor();
});
