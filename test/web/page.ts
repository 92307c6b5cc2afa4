/**
 * Goal: every view of the page is readable, reachable and whole, in the light, in the dark and in forced colours, on a telephone,
 * on a wide screen and at 200 %; and the figures of the page are measured.
 * Method: a real `rowonce serve` with a list in every state, a real Chromium, axe on every view, and a screenshot of each. Run it by
 * `npm run page [-- FOLDER [PART]]`; the screenshots land in FOLDER (`page-screens`), and PART is a regular expression for the
 * names of the views that are looked at. The pictures of the documents are made anew with them.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { Served } from './served.ts';
import { NIGHT, settleIn, type View, weekIn } from './week.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const BUILT = join(DIST, JSON.parse(readFileSync(join(DIST, 'built-from.json'), 'utf8')).build);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1280, 390] as const;

/** The narrowest telephones that are still sold: nothing may stand beyond their edge. */
const NARROWEST = 360;

/** What is left of a window of 1,280 pixels at 200 %. */
const ZOOMED = 640;

const LOOKS_OF_COLOUR = [
  { name: 'light', media: { colorScheme: 'light', forcedColors: 'none' } },
  { name: 'dark', media: { colorScheme: 'dark', forcedColors: 'none' } },
  { name: 'forced', media: { colorScheme: 'light', forcedColors: 'active' } },
] as const;

/** Of script and style, compressed, that any view may fetch before it is shown. */
const MOST_BYTES = 52 * 1024;

/** An address without a view. */
const NOWHERE = 'nowhere';

interface Finding {
  readonly view: string;
  readonly rule: string;
  readonly nodes: readonly string[];
}

async function inspect(page: Page, view: string): Promise<readonly Finding[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<{ violations: readonly AxeViolation[] }> } }).axe.run(),
  );
  return violations.map(({ id, nodes }) => ({ view, rule: id, nodes: nodes.map(({ html }) => html) }));
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** How often it is looked whether a view still changes: what runs does so without an end. */
const LOOKS = 12;

const WAITS = /One moment…|Counting what it costs/;

/** Waits until a view has what it asked for, and its words have not changed for a while. */
async function settled(page: Page): Promise<void> {
  await page.waitForSelector('fieldset[aria-busy="false"]');
  await page.locator('main', { hasNotText: WAITS }).waitFor();
  let before = '';
  let quiet = 0;
  for (let look = 0; look < LOOKS && quiet < 4; look += 1) {
    await page.waitForTimeout(200);
    const now = (await page.locator('main').textContent()) ?? '';
    quiet = now === before && !WAITS.test(now) ? quiet + 1 : 0;
    before = now;
  }
}

/** Whether a view is wider than its window, so that a telephone would have to be pushed sideways. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1');

const isNavigationWrapped = (page: Page): Promise<boolean> =>
  page.evaluate(
    `new Set([...document.querySelectorAll('header nav a')].map((link) => link.offsetTop)).size > 1`,
  );

/** What is folded away is looked at, too. It may be fetched by that, and hold other folds. */
async function unfold(page: Page): Promise<void> {
  const folds = page.locator('details:not([open])');
  while ((await folds.count()) > 0) {
    await folds.evaluateAll((closed) => {
      for (const each of closed) each.setAttribute('open', '');
    });
    await settled(page);
  }
}

/** How far views were moved by what came late, as browsers sum it up, and what was moved. */
const SHIFTS = `
  globalThis.shifted = 0;
  globalThis.movers = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifted += value;
      const moved = sources.map(({ node, previousRect: { y }, currentRect }) =>
        (node?.className ?? '') + ' ' + node?.nodeName + ' ' + y + ' to ' + currentRect.y);
      movers.push(value.toFixed(2) + ': ' + moved.join(', '));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** Bytes of script and style, compressed, that a browser fetched for a view before all of the view was shown. */
async function weightOf(page: Page): Promise<number> {
  const paths: readonly string[] = await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
  );
  const files = paths
    .filter((path) => /\.(?:js|css)$/.test(path))
    .map((path) => readFileSync(join(BUILT, 'web', path)));
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0);
}

/** Ms from the request to the first paint with content, of a browser that has nothing of the page yet: the middle of five. */
async function firstPaint(browser: Browser, served: Served): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const page = await openTab(browser, served);
    await page.waitForSelector('h1');
    times.push(await page.evaluate(FIRST_PAINT));
    await page.context().close();
  }
  return times.toSorted((a, b) => a - b)[2] ?? 0;
}

const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0];
    if (paint) resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

async function enter(browser: Browser, served: Served, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.on('pageerror', (error) => {
    process.exitCode = 1;
    console.log(`error in the page: ${error.message}`);
  });
  await page.addInitScript(SHIFTS);
  await page.goto(`${served.url}/#open=${await served.newWord()}`);
  await page.waitForSelector('h1');
  return page;
}

/** Looks at a view in one width: each way of its colours, and what is folded away. @returns what is wrong. */
async function lookAt(page: Page, { name, path }: View, width: number): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  const wrong = (rule: string, nodes: readonly string[] = []): unknown =>
    found.push({ view: `${name} ${width}`, rule, nodes });
  await page.setViewportSize({ width, height: 800 });
  await page.goto(`${served.url}${path}`);
  await page.waitForSelector('h1');
  await settled(page);
  const shift: number = await page.evaluate('shifted');
  if (shift > 0.1) wrong(`moves by ${shift}`, await page.evaluate('movers'));
  const weight = await weightOf(page);
  heaviest = Math.max(heaviest, weight);
  if (weight > MOST_BYTES) wrong(`fetches ${weight} bytes of script and style`);
  if (name !== NOWHERE && (await page.textContent('h1')) === 'There is nothing at this address')
    wrong('not there');
  for (const look of LOOKS_OF_COLOUR) {
    await page.emulateMedia(look.media);
    await page.screenshot({ path: join(folder, `${name}-${width}-${look.name}.png`), fullPage: true });
  }
  await unfold(page);
  for (const { name: scheme, media } of LOOKS_OF_COLOUR.slice(0, 2)) {
    await page.emulateMedia(media);
    found.push(...(await inspect(page, `${name} ${width} ${scheme}`)));
  }
  await page.emulateMedia(LOOKS_OF_COLOUR[0].media);
  if (await isNavigationWrapped(page)) wrong('navigation in two lines');
  for (const narrow of [width, ...(width === WIDTHS[0] ? [ZOOMED] : [NARROWEST])]) {
    await page.setViewportSize({ width: narrow, height: 800 });
    if (await isTooWide(page)) wrong(`too wide at ${narrow}`);
  }
  return found;
}

/** The pictures of the documents, and how tall each is. */
const PICTURES = [
  { view: 'before', file: 'cost-and-start.png', height: 640 },
  { view: 'done', file: 'rows.png', height: 660 },
  { view: 'doubt', file: 'doubts.png', height: 700 },
  { view: 'team-before', file: 'team.png', height: 720 },
  { view: 'report-done', file: 'report.png', height: 800 },
];

async function picture(page: Page, views: readonly View[]): Promise<void> {
  for (const { view, file, height } of PICTURES) {
    const path = views.find(({ name }) => name === view)?.path;
    if (path === undefined) continue;
    await page.setViewportSize({ width: 1200, height });
    await page.goto(`${served.url}${path}`);
    await page.waitForSelector('h1');
    await settled(page);
    await page.screenshot({ path: join(ROOT, 'docs', 'screens', file) });
  }
}

const [folder = 'page-screens', part = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const home = mkdtempSync(join(tmpdir(), 'rowonce-week-'));
await using week = await settleIn(home);
await using served = await Served.start([NIGHT], { cwd: home });
const all: readonly View[] = [
  { name: 'home', path: '/' },
  ...(await weekIn(served, week.gateway)),
  ...['money', 'nights', 'accounts', NOWHERE].map((name) => ({ name, path: `/${name}` })),
];
const views = all.filter(({ name }) => name.search(part) >= 0);
const browser = await openBrowser();
const findings: Finding[] = [];
let heaviest = 0;
for (const width of WIDTHS) {
  const page = await enter(browser, served, width);
  for (const view of views) findings.push(...(await lookAt(page, view, width)));
  if (width === WIDTHS[0]) await picture(page, views);
  await page.close();
}
const paintMs = await firstPaint(browser, served);
await browser.close();
for (const { view, rule, nodes } of findings) console.log(`${view}: ${rule} ${nodes.slice(0, 3).join(' ')}`);
writeFileSync(join(folder, 'findings.json'), JSON.stringify(findings, undefined, 2));
console.log(
  `${views.length} views in ${folder}, ${findings.length} findings, ${heaviest} bytes of script and style at most, first paint after ${Math.round(paintMs)} ms (median of five)`,
);
if (findings.length > 0) process.exitCode = 1;
