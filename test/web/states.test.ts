/**
 * Goal: a view that has nothing to show, or cannot show what is asked for, says so once, in words of the page, with the way on.
 * Method: a real Chromium before a real `rowonce serve` whose store is new.
 */
import { expect, test } from 'vitest';
import { openDesk } from '../cli/desk.ts';
import { brought, servedIn, TERMINAL, useBrowser } from './scene.ts';

const tabAt = useBrowser();

test('what is not there is said in words of the page, and leads to the lists', async () => {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  for (const [path, name] of [
    ['/reports/0123abcd', 'Report'],
    ['/files/0123abcd', 'List'],
    ['/lists/0123456789abcdef', 'List'],
  ] as const) {
    const page = await tabAt(served, path);
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText(), path).not.toMatch(TERMINAL);
    await page.locator('main').getByRole('link', { name: 'See your lists' }).click();
    await page.getByRole('heading', { name: 'Lists', exact: true }).waitFor();
  }
});

test('a list without rows, and one that cannot be read, say so once', async () => {
  const desk = await openDesk();
  const served = await servedIn(desk.place.folder, desk.environment());
  for (const [body, says] of [
    ['Company,Domain\n', 'has no rows below the header'],
    ['Company,Domain\n"a,b\nc,d\n', 'a quote opens here'],
  ] as const) {
    const list = await brought(served, 'list.csv', body);
    const page = await tabAt(served, `/lists/${list}`);
    await page.getByText(says).first().waitFor();
    await page.getByRole('grid').waitFor();
    expect(await page.getByText(says).count(), says).toBe(1);
  }
});
