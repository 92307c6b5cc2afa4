/**
 * Goal: what stops a batch or leaves it in doubt has its next click on the batch itself, on a wide screen and on a phone.
 * Method: a real Chromium before a real `rowonce serve`; the vendor's own book says what the click came to.
 */
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { proof } from '../combinations.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { ask, expectToFit, servedIn, useBrowser } from './scene.ts';

const tabAt = useBrowser();

/** A vendor that knows this key alone. @returns its address, and about what it was asked with that key. */
async function vendorWithKey(key: string): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const vendor = await ScriptedVendor.start(({ headers, body }, response) => {
    const isKnown = Object.values(headers).some((value) => String(value).includes(key));
    if (isKnown) asked.push(body);
    const [status, answer] = isKnown ? [200, { name: 'Company' }] : [401, { error: 'unknown key' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  return { url: vendor.url, asked };
}

interface Started {
  readonly page: Page;
  readonly batch: string;
}

/** Starts a list from the page, and opens its batch. */
async function started(desk: Desk, list: string, budget: number): Promise<Started> {
  const served = await servedIn(desk.place.folder, desk.environment());
  const { id } = await ask(served, 'PUT', '/lists?name=list.csv', list);
  const choices = { what: { operation: 'enrich-company' }, account: 'data' };
  const plan = await ask(served, 'POST', '/plans', { list: id, choices });
  await ask(served, 'POST', '/starts', { plan: plan.id, budget });
  const newest = async () => (await ask(served, 'GET', '/batches')).batches[0]?.batch;
  await expect.poll(newest).toBeDefined();
  const batch = await newest();
  const page = await tabAt(served, `/batches/${batch}`);
  return { page, batch };
}

const isFinished = (page: Page): Promise<void> =>
  page.getByText(text.batch.states.finished, { exact: true }).waitFor();

describe('on a wide screen and on a phone', () => {
  proof('a key that is refused is replaced from the batch that it stopped, which goes on', async () => {
    const desk = await openDesk();
    const vendor = await vendorWithKey('the-new-key');
    const data = { vendor: 'provider', base_url: vendor.url, key: 'the-old-key' };
    await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
    const { page, batch } = await started(desk, 'Domain\none.example\ntwo.example\n', 9);
    await page.getByRole('link', { name: text.batch.changeKey('data') }).click();
    const key = page.getByLabel(text.accounts.newKey);
    await key.fill('the-new-key');
    await expectToFit(page);
    await page.getByRole('button', { name: text.accounts.save }).click();
    await page.waitForURL(`**/batches/${batch}`);
    await page.getByText(text.batch.accountChanged('data')).waitFor();
    expect(await page.getByRole('link', { name: text.batch.changeKey('data') }).count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: text.batch.goOn }).click();
    await isFinished(page);
    expect(vendor.asked).toHaveLength(2);
    expect(await desk.read('config/accounts.yaml')).not.toContain('the-old-key');
  });

  proof(
    'what is decided about a doubt of a finished batch is carried out on its page, and nothing is chosen for anybody',
    async () => {
      const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
      const { page, batch } = await started(desk, 'Domain\none.example\ntwo.example\n', 9);
      await page.getByRole('link', { name: text.batch.doubts('1') }).click();
      const note = page.getByRole('button', { name: text.doubts.submit });
      await note.waitFor();
      expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
      expect(await note.isDisabled()).toBe(true);
      await page.getByRole('radio', { name: text.doubts.retry }).check();
      await note.click();
      await page.getByRole('link', { name: text.doubts.toBatch }).click();
      await page.waitForURL(`**/batches/${batch}`);
      await expectToFit(page);
      await page.getByText('Nothing needs you.').waitFor();
      expect(await page.getByRole('link', { name: text.batch.doubts('1') }).count()).toBe(0);
      expect(await page.getByRole('link', { name: text.batch.came.decide, exact: true }).count()).toBe(0);
      // Its row is to be asked about again, so the batch is open.
      await page.getByRole('button', { name: text.batch.goOn }).click();
      await isFinished(page);
      expect(await desk.place.vendor.book()).toMatchObject({ requests: 3, credits: 3 });
    },
  );

  proof('a doubt of a list that has changed since is not asked again, and its page says why', async () => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    await desk.write('list.csv', 'Domain\none.example\ntwo.example\n');
    const { code } = await desk.type([
      'run',
      'enrich-company',
      'list.csv',
      '--account',
      'data',
      '--budget',
      '9',
    ]);
    expect(code).toBe(3);
    await desk.write('list.csv', 'Domain\none.example\nthree.example\n');
    const served = await servedIn(desk.place.folder, desk.environment());
    const [{ batch }] = (await ask(served, 'GET', '/batches')).batches;
    const page = await tabAt(served, `/batches/${batch}/doubts`);
    await page.getByRole('radio', { name: text.doubts.retry }).check();
    await page.getByRole('button', { name: text.doubts.submit }).click();
    await page.getByText('because its list has changed, so it sends nothing again').waitFor();
    await page.getByRole('radio', { name: text.doubts.notDone }).check();
    await page.getByRole('button', { name: text.doubts.submit }).click();
    await page.getByText(text.doubts.none).waitFor();
    await expectToFit(page);
  });

  proof('a budget that is reached is raised where the batch says so, once', async () => {
    const desk = await openDesk();
    const rows = Array.from({ length: 6 }, (_, at) => `company-${at}.example\n`).join('');
    const { page } = await started(desk, `Domain\n${rows}`, 2);
    const budget = page.getByLabel(text.batch.moreBudget);
    await budget.waitFor();
    expect(await budget.inputValue()).toBe('6');
    await expectToFit(page);
    await page.getByRole('button', { name: text.batch.goOnWith }).click();
    await isFinished(page);
    expect(await desk.place.vendor.book()).toMatchObject({ credits: 6, charged_twice: [] });
  });
});
