/**
 * Goal: the recipes send what the guide says that HubSpot, Salesforce, Google Sheets and Slack are sent.
 * Method: the jobs and accounts of the recipes as they stand, before a server that keeps what it is sent and answers as these services
 * publish it. The real services were not asked.
 */
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { typedAt } from './cli/typed.ts';
import { ScriptedVendor } from './faults/scripted-vendor.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'guide', 'recipes.md'), 'utf8');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-recipes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'jobs', 'recipes'), folder, { recursive: true });
  mkdirSync(join(folder, 'config'));
});

/** The accounts file that the page shows for that service. */
const accountsOf = (name: string): string =>
  new RegExp(`^\`\`\`yaml\\n(accounts:\\n {2}${name}:\\n[\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1] ?? '';

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  ROWONCE_STORE: join(folder, 'store'),
  ROWONCE_CONFIG: join(folder, 'config'),
  ROWONCE_SANDBOX: '--rate 2000/s',
  ...more,
});

/** The account of the page, whose address is that of a service of ours. */
function writeAccount(name: string, url: string): void {
  const account = accountsOf(name).replace(/base_url: .*/, `base_url: ${url}`);
  const own = account.replace(/key_command: .*/, 'key_command: [printf, own-key-of-a-test]');
  writeFileSync(join(folder, 'config', 'accounts.yaml'), own, { mode: 0o600 });
}

const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);

/** HubSpot answers with the company as it is now, and Salesforce without a word. */
const FOUND = [
  [
    'hubspot',
    'Record ID',
    200,
    (url: string, body: string) => {
      const times = { createdAt: '2019-10-30T03:30:17.883Z', updatedAt: '2026-11-23T16:50:06.678Z' };
      return JSON.stringify({
        id: basename(url),
        properties: { hs_object_id: basename(url), ...JSON.parse(body).properties },
        ...times,
        archived: false,
      });
    },
  ],
  ['salesforce', 'Account ID', 204, ''],
] as const;

test.each(FOUND)(
  '%s is sent each find once, below the id of its row, and no blank cell',
  async (name, id, status, answer) => {
    const vendor = await ScriptedVendor.start(({ path, body }, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof answer === 'string' ? answer : answer(path, body)),
    );
    onTestFinished(() => vendor[Symbol.asyncDispose]());
    const { url, requests } = vendor;
    writeAccount(name, url);
    write('found.csv', `${id},city,founded\n9001,Perth,1999\n9002,Hobart,\n`);
    const update = () =>
      typedAt(['run', `${name}-update.yaml`, 'found.csv', '--yes', '--json'], {
        cwd: folder,
        env: environment({ HUBSPOT_TOKEN: 'own-key-of-a-test' }),
      });
    const { code, stdout, stderr } = await update();
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).counts).toEqual({ applied: 2 });
    const properties =
      name === 'hubspot'
        ? { city: 'Perth', founded_year: '1999' }
        : { BillingCity: 'Perth', YearStarted: '1999' };
    const [city = ''] = Object.keys(properties);
    const below = name === 'hubspot' ? '/crm/v3/objects/companies' : '/services/data/v60.0/sobjects/Account';
    const bodyOf = (values: object) => JSON.stringify(name === 'hubspot' ? { properties: values } : values);
    const headers = expect.objectContaining({ authorization: 'Bearer own-key-of-a-test' });
    const like = { method: 'PATCH', headers };
    expect(requests.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { ...like, path: `${below}/9001`, body: bodyOf(properties) },
      { ...like, path: `${below}/9002`, body: bodyOf({ [city]: 'Hobart' }) },
    ]);
    write('found.csv', `${id},city,founded\n9002,Hobart,\n`);
    expect(JSON.parse((await update()).stdout).counts).toEqual({ unchanged: 1 });
    expect(requests).toHaveLength(2);
  },
);

test.each([
  ['hubspot', 'Record ID,Company Domain Name\n9001,one.example\n'],
  ['salesforce', 'Account ID,Website\n9001,https://one.example\n'],
])('%s: what it exports is enriched into the columns that are written back', async (name, list) => {
  write('list.csv', list);
  const words = ['run', `${name}-enrich.yaml`, 'list.csv', '--output', 'out.csv', '--attention-ok'];
  const { code, stderr } = await typedAt(words, { cwd: folder, env: environment() });
  expect(code, stderr).toBe(0);
  const [header = ''] = readFileSync(join(folder, 'out.csv'), 'utf8').split('\n');
  const update = readFileSync(join(folder, `${name}-update.yaml`), 'utf8');
  const used = [...update.matchAll(/\{\{(.+?)\}\}/g)].map(([, column]) => column);
  expect(used.length).toBeGreaterThan(2);
  expect(header.split(',')).toEqual(expect.arrayContaining(used));
});

test('the page names every recipe, and says that the real services were not asked', () => {
  const jobs = globSync('jobs/recipes/*.yaml', { cwd: ROOT });
  expect(jobs).toHaveLength(6);
  for (const job of jobs) expect(PAGE).toContain(job);
  expect(PAGE).toContain('**Not tried against the real service:**');
});
