/**
 * Goal: whoever brings a list says by clicks which column is meant, what comes back, in which order it is looked up, how old an answer
 * may be, what becomes of doubts, and how far a change may go; on a telephone as well.
 * Method: a real Chromium before a real `rowonce serve`, with play money; the job that its clicks came to is read.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse } from 'yaml';
import { text } from '../../src/web/page/text.ts';
import { proof } from '../combinations.ts';
import { bring, expectToFit, startToEnd, useBrowser } from './scene.ts';
import { Served } from './served.ts';

const { columns: words } = text;

const open = useBrowser();

let served: Served;
beforeAll(async () => {
  served = await Served.start();
});
afterAll(() => served?.[Symbol.asyncDispose]());

const tabAt = (path: string): Promise<Page> => open(served, path);

/** With all that is folded away. */
async function fits(page: Page): Promise<void> {
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  await expectToFit(page);
}

/** The job to which the newest clicks came, once it says that. */
async function jobOf(list: string, wanted: object): Promise<void> {
  const jobs = (): readonly unknown[] =>
    globSync(join(served.folder, 'store', 'lists', list, 'jobs', '*.yaml')).map((path) =>
      parse(readFileSync(path, 'utf8')),
    );
  await expect.poll(jobs).toContainEqual(expect.objectContaining(wanted));
}

proof(
  'a column that is not used is taken by a click, and what comes back is chosen by an example of it',
  async () => {
    const domains = Array.from({ length: 8 }, (_, at) => `,site-${at}.example\n`);
    const list = await bring(
      served,
      'leads.csv',
      `ABN,Webseite\n51824753556,acme.example\n${domains.join('')}`,
      {
        ...{ what: { operation: 'enrich-company' }, account: 'sandbox-provider' },
      },
    );
    await startToEnd(served, list);

    const page = await tabAt(`/lists/${list}/columns`);
    await page.getByText(words.unusedColumn('Webseite', 'domain')).waitFor();
    await page.getByRole('button', { name: words.use }).click();
    await jobOf(list, { columns: { abn: 'ABN', domain: 'Webseite' } });
    await page.getByText(words.fields).click();
    const field = page.locator('.came-back').filter({ hasText: 'location.city' });
    expect(await field.locator('small').textContent()).toMatch(/^[A-Z][a-z]+/);
    await field.getByRole('checkbox').check();
    await page.getByLabel(words.nameOf('location.city')).fill('town');
    await page.getByLabel(words.nameOf('location.city')).blur();
    await page.getByRole('button', { name: words.first('domain') }).click();
    await page.getByText(words.more).click();
    await page.getByLabel(words.refresh_after).selectOption('30d');
    await page.getByLabel(words.doubtsWhat).selectOption('retry');
    await page.getByLabel(words.extraCredits).fill('7');
    await page.getByLabel(words.extraCredits).blur();
    await jobOf(list, {
      add: { town: 'location.city' },
      waterfall: ['domain', 'abn'],
      refresh_after: '30d',
      in_doubt: { retry: { extra_credits: 7 } },
    });
    await fits(page);
    await page.getByRole('button', { name: words.go }).click();
    await page.getByText('town', { exact: true }).waitFor();
  },
);

proof(
  'a column of projects that invite-user would not read is left unread by a tick, and by nothing else',
  async () => {
    const list = await bring(served, 'people.csv', 'Project,Email,Role\nSales,jo@team.example,viewer\n', {
      ...{ what: { operation: 'invite-user' }, account: 'sandbox-service' },
    });
    const page = await tabAt(`/lists/${list}/columns`);
    await page.getByText('invite-user would not read the column').waitFor();
    await page.getByLabel(words.leaveUnread('Project')).check();
    await jobOf(list, { columns: { email: 'Email', role: 'Role', project: '' } });
    await page.getByText('invite-user would not read the column').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: words.go }).click();
    await page.waitForURL(/\/plan$/);
  },
);

proof('filters of a search, and for a team the words of its roles and how far a run may go', async () => {
  const search = await bring(served, 'firms.csv', 'Company\nAcme\nBeta\n', {
    ...{ what: { operation: 'search-people' }, account: 'sandbox-provider' },
  });
  const page = await tabAt(`/lists/${search}/columns`);
  await page.getByText(words.more).click();
  await page.getByLabel(words.filters).fill('country = AU; NZ');
  await page.getByLabel(words.filters).blur();
  await jobOf(search, { filters: { country: ['AU', 'NZ'] } });
  await fits(page);

  const team = await bring(
    served,
    'team.csv',
    'Email,Access,Project\njo@acme.example,Read only,proj-care\n',
    {
      ...{ what: { operation: 'onboard' }, account: 'sandbox-service' },
      columns: { email: 'Email', role: 'Access', project_id: 'Project' },
    },
  );
  await page.goto(`${served.url}/lists/${team}/columns`);
  await page.getByLabel('Read only').selectOption('viewer');
  await page.getByText(words.moreOfChange).click();
  await page.getByLabel(words.maxRemovals).fill('5%');
  await page.getByLabel(words.domains).fill('acme.example');
  await page.getByLabel(words.domains).blur();
  await jobOf(team, {
    roles: { 'Read only': 'viewer' },
    guards: { max_removals: '5%', domains: ['acme.example'] },
  });
  await fits(page);
});
