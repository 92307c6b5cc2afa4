/**
 * Goal: her table is the page. It begins high in every state of a list, what stands above it keeps its height, nobody searches for
 * the one green button, and on a telephone the price and the start are in sight. No word is broken in any view at any width.
 * Method: a real Chromium before a real `rowonce serve` with a list in every state. What is asked of a view is its geometry.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from './scene.ts';
import { Served } from './served.ts';
import { NIGHT, settleIn, type View, weekIn } from './week.ts';

const tabAt = useBrowser();

let home: string;
let week: Awaited<ReturnType<typeof settleIn>>;
let served: Served;
/** Those of lists, and the others. */
let views: readonly View[];
let others: readonly View[];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'rowonce-look-'));
  week = await settleIn(home);
  served = await Served.start([NIGHT], { cwd: home });
  const all = await weekIn(served, week.gateway);
  views = all.filter(({ path }) => path.startsWith('/lists/'));
  others = [
    ...all.filter((each) => !views.includes(each)),
    { name: 'home', path: '/' },
    ...['money', 'nights', 'accounts'].map((name) => ({ name, path: `/${name}` })),
  ];
});

afterAll(async () => {
  await served?.stop('SIGKILL');
  await week?.[Symbol.asyncDispose]();
  // The list that was left running writes for a moment longer.
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

function viewOf(name: string): View {
  const view = views.find((each) => each.name === name);
  if (view === undefined) throw new Error(`No list is called ${name}`);
  return view;
}

/** Opens a list, once its panel says what it is about. */
async function openAt(width: number, height: number, { path }: View): Promise<Page> {
  const page = await tabAt(served, path, { viewport: { width, height } });
  await page.locator('fieldset[aria-busy="false"]').waitFor();
  await page.locator('aside').waitFor();
  await page.getByText('One moment…').first().waitFor({ state: 'detached' });
  await page.locator('.sheet td, .card').first().waitFor();
  return page;
}

/** What the views are measured by, in px. */
const measured = (page: Page) =>
  page.evaluate(() => {
    const all = (selector: string): readonly Element[] => [...document.querySelectorAll(selector)];
    const boxOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const heights = (selector: string) => all(selector).map((each) => each.getBoundingClientRect().height);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    const controls = all('.button, .link, .tile, .chip, select').filter((each) => each.checkVisibility());
    return {
      top: boxOf('.sheet')?.top,
      titles: heights('.title'),
      notices: heights('.notices > .notice'),
      greens: all('.go').length,
      over: all('.tiles, .title').flatMap((bar) => {
        const { right } = bar.getBoundingClientRect();
        const inside = [...bar.querySelectorAll('.button, .tile, input')];
        return inside.flatMap((each) => (each.getBoundingClientRect().right > right ? each.textContent : []));
      }),
      cut: controls.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent),
      sideways: scrollWidth - clientWidth,
      beyond: scrollHeight - clientHeight,
      foot: boxOf('.foot')?.toJSON(),
      panel: boxOf('aside')?.toJSON(),
    };
  });

/** Between a wide window and the narrowest telephone: a half of a screen, a tablet, and 200 %. */
const WIDTHS = [1680, 1280, 1024, 768, 640, 390, 360];

/**
 * Words of which a part stands on the next line, because their place is narrower than they are. Longer ones are no words: an
 * address may be broken.
 */
const brokenWords = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const range = document.createRange();
    const linesOf = (text: Text, from: number, length: number): number => {
      range.setStart(text, from);
      range.setEnd(text, from + length);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const brokenIn = (text: Text): readonly string[] =>
      [...text.data.matchAll(/[^\s\-–/@]+/gu)]
        .filter(({ index, 0: word }) => word.length <= 20 && linesOf(text, index, word.length) > 1)
        .map(([word]) => `${word} in ${text.parentElement?.textContent}`);
    const isRead = (place: Element | null): boolean =>
      place?.checkVisibility({ visibilityProperty: true }) === true && !place.closest('pre, .unseen');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    while (walker.nextNode()) {
      const text = walker.currentNode as Text;
      if (isRead(text.parentElement)) broken.push(...brokenIn(text));
    }
    return broken;
  });

/** Holds a view against each width, from the widest to the narrowest. */
async function expectWhole(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const { sideways, cut, over } = await measured(page);
    expect.soft(over, `beyond the edge in ${name} at ${width}`).toEqual([]);
    expect.soft(await brokenWords(page), `broken words of ${name} at ${width}`).toEqual([]);
    expect.soft([sideways, cut], `${name} at ${width}`).toEqual([0, []]);
  }
}

/** On a telephone the panel is one line that opens. */
async function expectTelephone(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 844 });
  const start = page.locator('.foot .go');
  if (!(await start.isVisible())) return;
  const { foot } = await measured(page);
  expect(foot.bottom, name).toBe(844);
  expect(foot.height, `of ${name}`).toBeLessThan(844 / 3);
}

/** A stop, and the panel of what else can be done. */
async function expectOneGreen(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Do something else' }).click();
  await page.locator('.foot .go').waitFor();
  expect((await measured(page)).greens, 'green buttons beside a stop').toBe(1);
}

const sheetsIn = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

test('no word is broken in a view at any width, also once an account has been tested, and a report is one sheet', async () => {
  for (const view of others) {
    const page = await tabAt(served, view.path, { viewport: { width: 1680, height: 800 } });
    await page.locator('fieldset[aria-busy="false"]').waitFor();
    await page.locator('.paper').last().waitFor();
    if (view.name === 'accounts') {
      await page.getByRole('button', { name: 'Test, free' }).first().click();
      await page.getByText('It answers.').waitFor();
      await page.getByText('Play money: it needs no key').click();
    }
    await expectWhole(page, view.name);
    if (view.path.startsWith('/reports/')) {
      const pdf = await page.pdf({ preferCSSPageSize: true });
      expect(sheetsIn(pdf), `sheets of ${view.name}`).toBe(1);
    }
    await page.context().close();
  }
});

test('in every state of a list the table begins within 240 px, under one title and notices of one line, and on a telephone the start is in sight', async () => {
  for (const view of views) {
    const page = await openAt(1280, 800, view);
    const { name } = view;
    const { top, titles, notices, greens, cut, sideways, beyond } = await measured(page);
    expect(top, `the table of ${name}`).toBeLessThanOrEqual(240);
    expect(titles, name).toEqual([52]);
    for (const height of notices) expect(Math.round(height), `a notice of ${name}`).toBe(40);
    expect(greens, `green buttons of ${name}`).toBeLessThanOrEqual(1);
    expect(cut, `cut words of ${name}`).toEqual([]);
    expect([sideways, beyond], `${name} is no larger than its window`).toEqual([0, 0]);
    await expectWhole(page, name);
    await expectTelephone(page, name);
    if (name === 'stop') await expectOneGreen(page);
    await page.context().close();
  }
});

test('where the tiles leave no room stand the search and the columns as signs, a search opens over them, and the name is whole', async () => {
  const page = await openAt(1110, 800, viewOf('tried'));
  await expect.poll(() => page.locator('.tile').count()).toBe(6);
  const search = page.getByRole('searchbox', { name: 'Search this list' });
  const widthOf = async (): Promise<number> => (await search.boundingBox())?.width ?? 0;
  await expect.poll(widthOf).toBe(32);
  expect((await page.getByRole('button', { name: /^Columns/ }).boundingBox())?.width).toBeLessThan(40);
  expect(await page.locator('h1').evaluate((name) => name.scrollWidth - name.clientWidth)).toBe(0);
  await search.fill('Banksia');
  expect(await widthOf()).toBeGreaterThan(140);
  await page.context().close();
});

test('the button that starts stays in sight while the panel is scrolled, and so does why it is grey', async () => {
  for (const name of ['before', 'team-before', 'team-guards']) {
    const page = await openAt(1280, 800, viewOf(name));
    const start = page.locator('.foot .go');
    await start.waitFor();
    await page.locator('aside > .scroll').evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
    const { foot, panel } = await measured(page);
    expect(foot.bottom, name).toBeLessThanOrEqual(panel.bottom);
    if (await start.isDisabled())
      expect(await page.locator('.foot .why').first().isVisible(), `why ${name} waits`).toBe(true);
    await page.context().close();
  }
});
