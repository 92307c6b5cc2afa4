/**
 * The pictures of the README and the guide, in docs/screens: `npm run pictures`. A real `rowonce serve` over lists that real
 * commands bought with play money, in a real Chromium. Look at each picture before you commit it.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import type { BatchList } from '../../src/web/api.ts';
import { rowonce, startRowonce } from '../cli/rowonce.ts';
import { openTab } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { environmentIn, Served } from './served.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SCREENS = join(ROOT, 'docs', 'screens');
mkdirSync(SCREENS, { recursive: true });

await using served = await Served.start();
const { folder } = served;
const env = environmentIn(folder);

async function type(words: readonly string[], sandbox = '--rate 200/s'): Promise<void> {
  const { code, stderr } = await rowonce([...words], {
    cwd: folder,
    env: { ...env, ROWONCE_SANDBOX: sandbox },
  });
  if (code === null || ![0, 3].includes(code))
    throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
}

async function ask(method: string, path: string, body: string | object): Promise<{ readonly id: string }> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return JSON.parse((await served.tool(`/api${path}`, { method, body: sent })).body);
}

/** Brings a list to the page and says what is to be done with it. */
async function brought(name: string, choices: object): Promise<string> {
  const { id } = await ask('PUT', `/lists?name=${name}`, readFileSync(join(ROOT, 'fixtures', name), 'utf8'));
  await ask('POST', '/plans', { list: id, choices });
  return id;
}

async function batchOf(name: string): Promise<string> {
  const { batches } = JSON.parse((await served.tool('/api/batches')).body) as BatchList;
  const found = batches.find(({ input }) => input.endsWith(name));
  if (found === undefined) throw new Error(`there is no batch of ${name}`);
  return found.batch;
}

for (const name of ['leads.csv', 'people.csv', 'team.csv'])
  copyFileSync(join(ROOT, 'fixtures', name), join(folder, name));

// Companies with a number and a name alone, so that what is found beside them has room in a picture.
const leads = readFileSync(join(ROOT, 'fixtures', 'leads.csv'), 'utf8')
  .split('\n')
  .slice(1);
const named = leads
  .map((line) => line.split(','))
  .filter((cells) => /^\d{11}$/.test(cells[0] ?? '') && !cells.join().includes('"'));
const narrow = named.slice(0, 30).map(([abn, name]) => `${abn},${name}\n`);
writeFileSync(join(folder, 'customers.csv'), `ABN,Name\n${narrow.join('')}`);

const found = ['employees=employee_count', 'industry=industry', 'city=location.city'];
const added = found.flatMap((each) => ['--add', each]);
const companies = ['enrich-company', 'customers.csv', '--account', 'sandbox-provider'];
await type(['run', ...companies, ...added]);
await type(['run', 'enrich-company', 'leads.csv', '--account', 'sandbox-provider']);
await type(
  ['run', 'enrich-person', 'people.csv', '--account', 'sandbox-provider'],
  '--rate 200/s --faults charged-reset:0.2',
);

const team = await brought('team.csv', {
  ...{ what: { operation: 'onboard' }, account: 'sandbox-service' },
  columns: { email: 'Email', role: 'Role', project: 'Project', user_id: 'User_ID' },
  projects: { Platform: 'proj-platform', Research: 'proj-research', Support: 'proj-support' },
});

const browser = await openBrowser();
const page: Page = await openTab(browser, served);
await page.setViewportSize({ width: 1000, height: 700 });

/** Waits until the words of the view have stood still. */
async function settled(): Promise<void> {
  let before = '';
  for (let quiet = 0; quiet < 3; ) {
    await page.waitForTimeout(200);
    const now = (await page.locator('body').textContent()) ?? '';
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
}

async function keep(view: string, name: string, height?: number): Promise<void> {
  await page.goto(view.startsWith('file:') ? view : `${served.url}${view}`);
  await page.waitForSelector('h1');
  await settled();
  const whole: number = await page.evaluate('document.documentElement.scrollHeight');
  const clip = { x: 0, y: 0, width: 1000, height: Math.min(whole, height ?? whole) };
  await page.screenshot({ path: join(SCREENS, `${name}.png`), fullPage: true, clip });
}

await keep(`/batches/${await batchOf('customers.csv')}/rows`, 'rows', 640);
await keep(`/batches/${await batchOf('customers.csv')}`, 'result', 640);
await keep(pathToFileURL(join(folder, 'leads.sandbox.report.html')).href, 'report', 640);
await keep(`/batches/${await batchOf('people.csv')}/doubts`, 'doubts');
await keep(`/lists/${team}/plan`, 'team', 780);

const book = readFileSync(join(ROOT, 'test', 'files', 'formats', 'books', 'filter.xlsx'));
const workbook = JSON.parse(
  (await served.tool('/api/lists?name=leads-2026.xlsx', { method: 'PUT', body: book })).body,
);
await keep(`/lists/${workbook.id}`, 'workbook', 720);

// A batch that is under way, slowly enough to be looked at.
const list = Array.from({ length: 4_000 }, (_, at) => `company-${at}.example\n`).join('');
const { id: many } = await ask('PUT', '/lists?name=companies.csv', `Domain\n${list}`);
await ask('POST', '/plans', {
  list: many,
  choices: { what: { operation: 'enrich-company' }, account: 'sandbox-provider' },
});
await keep(`/lists/${many}/plan`, 'cost-and-start', 560);
const run = startRowonce(
  ['run', 'enrich-company', 'leads.csv', '--account', 'sandbox-provider', '--refresh'],
  {
    cwd: folder,
    env: { ...env, ROWONCE_SANDBOX: '--rate 4/s' },
  },
);
await page.waitForTimeout(7_000);
await page.goto(`${served.url}/batches/${await batchOf('leads.csv')}`);
await page.waitForSelector('h1');
await page.waitForTimeout(1_500);
await page.screenshot({
  path: join(SCREENS, 'running.png'),
  clip: { x: 0, y: 0, width: 1000, height: 560 },
  fullPage: true,
});
run.kill('SIGINT');
await new Promise((resolve) => run.once('close', resolve));
await browser.close();
