/**
 * Goal: every view of the page is readable, reachable and whole, in the light and in the dark, on a telephone and on a wide
 * screen; and the figures of the page are measured.
 * Method: a real `rowonce serve` over batches that real commands made with the embedded vendors, a real Chromium, axe on every
 * view, and a screenshot of each. Run it by `npm run page [-- FOLDER [PART]]`; the screenshots land in FOLDER (`page-screens`),
 * and PART is a regular expression for the addresses that are looked at.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import type { BatchList } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { rowonce, startRowonce } from '../cli/rowonce.ts';
import { Vendor } from '../faults/vendor.ts';
import { accountsOf } from '../faults/ways.ts';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { Gateway } from './gateway.ts';
import { environmentIn, Served } from './served.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const BUILT = join(DIST, JSON.parse(readFileSync(join(DIST, 'built-from.json'), 'utf8')).build);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1280, 390] as const;

/** The narrowest telephones that are still sold: nothing may stand beyond their edge. */
const NARROWEST = 360;
const SCHEMES = ['light', 'dark'] as const;

/** An address without a view. */
const NOWHERE = '/nowhere';

interface Finding {
  readonly view: string;
  readonly rule: string;
  readonly nodes: readonly string[];
}

/** A store as a user has after a week: a finished list, one with lost answers, one half done, a team, and a list that waits. */
async function prepare(folder: string): Promise<void> {
  const env = environmentIn(folder);
  for (const name of ['leads.csv', 'people.csv', 'team.csv'])
    copyFileSync(join(ROOT, 'fixtures', name), join(folder, name));
  const type = async (words: readonly string[], sandbox = '--rate 200/s'): Promise<void> => {
    const { code, stderr } = await rowonce([...words], {
      cwd: folder,
      env: { ...env, ROWONCE_SANDBOX: sandbox },
    });
    if (code === null || ![0, 3, 4].includes(code))
      throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
  };
  await type(['run', 'enrich-company', 'leads.csv', '--account', 'sandbox-provider']);
  await type(
    ['run', 'enrich-person', 'people.csv', '--account', 'sandbox-provider'],
    '--rate 200/s --faults charged-reset:0.2',
  );
  await type(['run', 'onboard', 'team.csv', '--account', 'sandbox-service', '--yes', '--allow-admin']);
  const long = `${'A rather long name of a list that somebody exported '.repeat(3)}.csv`;
  copyFileSync(join(folder, 'leads.csv'), join(folder, long));
  await type(['run', 'enrich-company', long, '--account', 'sandbox-provider', '--limit', '5', '--refresh']);
  writeFileSync(join(folder, 'many.csv'), manyRows());
  await type(['run', 'enrich-company', 'many.csv', '--account', 'sandbox-provider', '--limit', '40']);
}

/** A batch for real money in the middle, whose vendor has asked for a pause. */
async function pausedIn(served: Served): Promise<AsyncDisposable> {
  const { folder } = served;
  const vendor = await Vendor.start(folder, { matchRate: 0.7 });
  const pause = { status: 429, headers: { 'retry-after': '590' } };
  const gateway = await Gateway.before(vendor.url, (call) => (call > 24 ? pause : undefined));
  mkdirSync(join(folder, 'config'), { recursive: true });
  const accounts = accountsOf('direct', gateway.url, { limits: { per_second: 5 } });
  writeFileSync(join(folder, 'config', 'accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
  const words = ['run', 'enrich-company', 'leads.csv', '--account', 'data', '--budget', '60'];
  const run = startRowonce(words, { cwd: folder, env: environmentIn(folder) });
  const isPaused = async (): Promise<boolean> => {
    const { batches } = JSON.parse((await served.tool('/api/batches')).body) as BatchList;
    const batch = batches.find(({ account }) => account === 'data')?.batch;
    if (batch === undefined) return false;
    return JSON.parse((await served.tool(`/api/batches/${batch}`)).body).paused_until !== null;
  };
  while (!(await isPaused())) await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    async [Symbol.asyncDispose]() {
      run.kill('SIGKILL');
      await gateway[Symbol.asyncDispose]();
      await vendor.stop();
    },
  };
}

/** Ten thousand rows of which hardly anything is known. */
const manyRows = (): string =>
  `Website,${'A column with a rather long name '.repeat(3)},Notes\n${Array.from(
    { length: 10_000 },
    (_, at) =>
      `company-${at}.example,${at},${at % 7 === 0 ? 'A long remark of somebody. '.repeat(20) : ''}\n`,
  ).join('')}`;

/** The addresses of all views, with the ids that are there. */
async function viewsOf(served: Served): Promise<readonly string[]> {
  const { batches } = JSON.parse((await served.tool('/api/batches')).body) as {
    batches: readonly { batch: string; operation: string }[];
  };
  const upload = await served.tool('/api/lists?name=leads.csv', {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: readFileSync(join(ROOT, 'fixtures', 'leads.csv'), 'utf8'),
  });
  const { id } = JSON.parse(upload.body) as { id: string };
  const ofBatch = batches.flatMap(({ batch, operation }) => [
    `/batches/${batch}`,
    `/batches/${batch}/rows`,
    `/batches/${batch}/rows?status=pending`,
    `/batches/${batch}/doubts`,
    ...(operation === 'onboard' ? [`/batches/${batch}/undo`] : []),
  ]);
  await served.tool(`/api/lists/${id}/draft`, {
    method: 'PUT',
    body: JSON.stringify({ what: { operation: 'enrich-company' }, account: 'sandbox-provider' }),
  });
  const ofList = ['', '/do', '/columns', '/plan'].map((part) => `/lists/${id}${part}`);
  return ['/', '/new', ...ofList, ...ofBatch, '/accounts', NOWHERE];
}

/** Lists that wait for a person: one with its plan, and a team that would lose somebody. */
async function listsInWork(served: Served): Promise<readonly string[]> {
  const ask = async (method: string, path: string, body: string | object) => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    return JSON.parse((await served.tool(`/api${path}`, { method, body: sent })).body);
  };
  const planned = async (name: string, body: string, choices: object) => {
    const { id } = await ask('PUT', `/lists?name=${encodeURIComponent(name)}`, body);
    return { list: id, plan: (await ask('POST', '/plans', { list: id, choices })).id };
  };
  const started = async (request: object): Promise<void> => {
    const { id } = await ask('POST', '/starts', request);
    const isOver = async () =>
      JSON.parse((await served.tool(`/api/tasks/${id}`)).body).work.state === 'ended';
    while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const domains = Array.from({ length: 40 }, (_, at) => `company-${at}.example\n`);
  const companies = { what: { operation: 'enrich-company' }, account: 'sandbox-provider' };
  const { list } = await planned('companies to call.csv', `Domain\n${domains.join('')}`, companies);
  const sheet = (names: readonly string[]): string =>
    `Email,Project,Role\n${names.map((name) => `${name}@acme.example,proj-care,viewer\n`).join('')}`;
  const team = {
    ...{ what: { operation: 'onboard' }, account: 'sandbox-service', remove_missing: true },
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
  };
  await started({ plan: (await planned('team in spring.csv', sheet(['jo', 'al']), team)).plan });
  const autumn = await planned('team in autumn.csv', sheet(['jo', 'bo']), team);
  return [list, autumn.list].map((id) => `/lists/${id}/plan`);
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

/** Waits until the words of a view have not changed for a while: what it asked for is there. */
async function settled(page: Page): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < 3; ) {
    await page.waitForTimeout(150);
    const now = (await page.locator('body').textContent()) ?? '';
    quiet = now === before ? quiet + 1 : 0;
    before = now;
    if (before.length === 0) quiet = 0;
  }
}

/** Whether a view is wider than its window, so that a telephone would have to be pushed sideways. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1');

const isNavigationWrapped = (page: Page): Promise<boolean> =>
  page.evaluate(
    `new Set([...document.querySelectorAll('.top nav a')].map((link) => link.offsetTop)).size > 1`,
  );

/** What is folded away is looked at, too. */
const unfold = (page: Page): Promise<void> =>
  page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);

/** How far views were moved by what came late, as browsers sum it up. */
const SHIFTS = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

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

async function enter(
  browser: Browser,
  served: Served,
  width: number,
  scheme: 'light' | 'dark',
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: scheme });
  page.on('pageerror', (error) => {
    process.exitCode = 1;
    console.log(`error in the page: ${error.message}`);
  });
  await page.addInitScript(SHIFTS);
  await page.goto(`${served.url}/#open=${await served.newWord()}`);
  await page.waitForSelector('h1');
  return page;
}

const [folder = 'page-screens', part = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
await using served = await Served.start();
await prepare(served.folder);
await using _paused = await pausedIn(served);
const views = [...(await viewsOf(served)), ...(await listsInWork(served))].filter(
  (view) => view.search(part) >= 0,
);
const browser = await openBrowser();
const findings: Finding[] = [];
let screens = 0;
for (const scheme of SCHEMES) {
  for (const width of WIDTHS) {
    const page = await enter(browser, served, width, scheme);
    for (const view of views) {
      await page.goto(`${served.url}${view}`);
      await page.waitForSelector('h1');
      await settled(page);
      const shift: number = await page.evaluate('shifted');
      if (shift > 0.1)
        findings.push({ view: `${view} ${scheme} ${width}`, rule: `moves by ${shift}`, nodes: [] });
      const name = `${view.replaceAll(/[^\w]+/g, '-').slice(1) || 'batches'}-${scheme}-${width}.png`;
      await page.screenshot({ path: join(folder, name), fullPage: true });
      await unfold(page);
      await settled(page);
      findings.push(...(await inspect(page, `${view} ${scheme} ${width}`)));
      if (view !== NOWHERE && (await page.textContent('h1')) === text.nowhere.title)
        findings.push({ view, rule: 'not there', nodes: [] });
      if (await isNavigationWrapped(page))
        findings.push({ view: `${view} ${scheme} ${width}`, rule: 'navigation in two lines', nodes: [] });
      if (await isTooWide(page))
        findings.push({ view: `${view} ${scheme} ${width}`, rule: 'too wide', nodes: [] });
      screens += 1;
      if (width > 390 || scheme === 'dark') continue;
      await page.setViewportSize({ width: NARROWEST, height: 800 });
      if (await isTooWide(page)) findings.push({ view: `${view} ${NARROWEST}`, rule: 'too wide', nodes: [] });
      await page.setViewportSize({ width, height: 800 });
    }
    await page.close();
  }
}
const paintMs = await firstPaint(browser, served);
await browser.close();
const bytes = ['page.js', 'page.css'].reduce(
  (sum, name) => sum + gzipSync(readFileSync(join(BUILT, 'web', name))).length,
  0,
);
for (const { view, rule, nodes } of findings) console.log(`${view}: ${rule} ${nodes.slice(0, 3).join(' ')}`);
writeFileSync(join(folder, 'findings.json'), JSON.stringify(findings, undefined, 2));
console.log(
  `${views.length} views, ${screens} screenshots in ${folder}, ${findings.length} findings, ${bytes} bytes of script and style, first paint after ${Math.round(paintMs)} ms (median of five)`,
);
if (findings.length > 0 || bytes > 60 * 1024) process.exitCode = 1;
