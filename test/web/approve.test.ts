/**
 * Goal: who has to approve what changes a team needs no terminal: a plan that was saved on one is opened on the page, is carried out
 * as it stands by one click, and is refused when its list or its team has moved since.
 * Method: the real commands save plans before the embedded service, and a real Chromium brings them to a real `rowonce serve`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { text } from '../../src/web/page/text.ts';
import { rowonce } from '../cli/rowonce.ts';
import { proof } from '../combinations.ts';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { environmentIn, Served } from './served.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const TEAM = ['Email,Project,Role', 'jo@acme.example,proj-care,viewer', 'al@acme.example,proj-care,editor'];

async function bring(page: Page, served: Served, file: string): Promise<void> {
  await page.goto(`${served.url}/new`);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: text.bring.choose }).click();
  await (await choosing).setFiles(join(served.folder, file));
}

proof(
  'a saved plan is approved on the page, done as it stands, and refused where its list or its team has moved',
  async () => {
    const served = await Served.start();
    onTestFinished(() => served[Symbol.asyncDispose]());
    const write = (name: string, lines: readonly string[]): void =>
      writeFileSync(join(served.folder, name), `${lines.join('\n')}\n`);
    const save = async (list: string, plan: string): Promise<void> => {
      const words = ['plan', 'team.yaml', list, '--save', plan];
      const { code, stderr } = await rowonce(words, {
        cwd: served.folder,
        env: environmentIn(served.folder),
      });
      expect(code, stderr).toBe(0);
    };
    write('team.yaml', [
      'operation: onboard',
      'account: sandbox-service',
      'columns: { email: Email, project_id: Project, role: Role }',
    ]);
    write('spring.csv', TEAM);
    write('moved.csv', TEAM);
    write('wide.csv', [...TEAM, 'bo@acme.example,proj-sales,viewer']);
    await save('spring.csv', 'spring.json');
    await save('moved.csv', 'moved.json');
    await save('wide.csv', 'wide.json');
    write('moved.csv', [...TEAM, 'bo@acme.example,proj-sales,viewer']);
    write('other.json', ['[{"email": "jo@acme.example"}]']);
    const page = await openTab(browser, served, { path: '/new' });
    onTestFinished(() => page.context().close());

    await bring(page, served, 'moved.json');
    await page.getByText('The saved plan is out of date: the file has changed since.').waitFor();
    await bring(page, served, 'other.json');
    await page.getByText('other.json is neither a list nor a saved plan').waitFor();

    await bring(page, served, 'spring.json');
    await page.getByRole('heading', { name: text.plan.saved }).waitFor();
    await page.getByText('al@acme.example').waitFor();
    await page.getByRole('button', { name: `${text.plan.startChanges} 2 changes` }).click();
    await page.getByText(text.batch.states.finished, { exact: true }).waitFor();
    const done = readFileSync(join(served.folder, 'spring.sandbox.csv'), 'utf8');
    expect(done.match(/applied/g)).toHaveLength(2);

    // Somebody had it planned before that, with another person in it.
    await bring(page, served, 'wide.json');
    await page.getByText(/is out of date: row 2, jo@acme.example in proj-care: was to be invited/).waitFor();
    expect(await page.getByRole('button', { name: new RegExp(text.plan.startChanges) }).count()).toBe(0);
  },
);
