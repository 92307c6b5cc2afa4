/**
 * Goal: the report of a usual list is one page of A4, is whole on a telephone, in the light and in the dark and without a script,
 * is read aloud in its order, and has no word of a terminal before its folds.
 * Method: reports that the real command wrote, opened as a file by a real browser; axe, and what it would print.
 */
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowonce } from '../cli/rowonce.ts';
import { openBrowser } from './chromium.ts';
import { environmentIn } from './served.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const LISTS = [
  ['leads.csv', 'enrich-company', 'sandbox-provider'],
  ['people.csv', 'enrich-company,enrich-person', 'sandbox-provider'],
  ['team.csv', 'onboard', 'sandbox-service', '--yes', '--allow-admin', '--create-projects'],
] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function reportOf([list, operation, account, ...words]: (typeof LISTS)[number]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-report-'));
  copyFileSync(join(FIXTURES, list), join(folder, list));
  const env = { ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 200/s' };
  const { code, stderr } = await rowonce(['run', operation, list, '--account', account, ...words], {
    cwd: folder,
    env,
  });
  expect(code, stderr).toBe(3);
  return join(folder, list.replace('.csv', '.sandbox.report.html'));
}

const sheetsIn = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

/** The headings and folds, as a screen reader has them. */
const outline = async (page: Page): Promise<readonly string[]> => {
  const tree = await page.locator('main').ariaSnapshot();
  return [...tree.matchAll(/heading "([^"]*)"/g)].map(([, name = '']) => name);
};

test.for(LISTS)('the report of %s is one sheet, and whole on each screen', async (list) => {
  const file = await reportOf(list);
  for (const colorScheme of ['light', 'dark'] as const) {
    const options = { colorScheme, viewport: { width: 390, height: 844 } };
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(pathToFileURL(file).href);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.evaluate(AXE);
    expect(await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))')).toEqual(
      [],
    );
    if (colorScheme === 'light') expect(sheetsIn(await page.pdf({ preferCSSPageSize: true }))).toBe(1);
    const [first, ...others] = await outline(page);
    expect(first).toMatch(
      list[0] === 'team.csv'
        ? /^14 people, 17 changes: all done$/
        : /^\d+ of \d+ \w+(?: found, \d+.%| and \d+ of \d+ \w+ found)$/,
    );
    const lookedUp = [
      'Cost',
      expect.stringMatching(/^What came back, of \d+ /),
      ...(list[0] === 'people.csv' ? ['Who found it'] : []),
    ];
    const more = ['Damaged cells of rows that are done', 'Found with another ABN than yours: 7 rows'];
    const done = list[0] === 'leads.csv' ? more : [];
    const came = list[0] === 'team.csv' ? ['What was changed'] : lookedUp;
    const last = list[0] === 'team.csv' ? 'Became admin' : expect.stringMatching(/^Not found: \d+ /);
    const needs = expect.stringMatching(/^Needs attention: \d+ rows?\. Correct the list\.$/);
    expect(others).toEqual([...came, needs, ...done, last]);
    // It is whole when it is mailed: nothing of it lies elsewhere.
    expect(await page.locator('a, img, script, link, iframe').count()).toBe(0);
    expect((await page.locator('main').innerText()).split('How it went')[0]).not.toMatch(
      /--[a-z]|\/tmp|\/shm|[0-9a-f]{8}|\b(?:batch|operation|settle)\b/,
    );
    await page.context().close();
  }
});
