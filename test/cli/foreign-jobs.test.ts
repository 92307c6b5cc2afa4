/**
 * Goal: a job or a dialect from somebody else does not act unseen. What it sends is shown with method and address, and what
 * could do more than its operation says is agreed to once for its content; nothing is sent before.
 * Method: the command typed in this process, with and without somebody at the terminal, before a vendor that keeps what it
 * was asked.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { Workplace } from '../faults/workplace.ts';
import { objectIn } from './desk.ts';
import { typed } from './typed.ts';

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
  process.env.ROWONCE_CONFIG = place.path('config');
});
afterAll(() => place[Symbol.asyncDispose]());

let stores = 0;

/** A vendor below a path of its own, a store of its own, and a list of two companies. */
async function vendor(dialect?: object): Promise<ScriptedVendor> {
  const started = await ScriptedVendor.start((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"Acme"}'),
  );
  onTestFinished(() => started[Symbol.asyncDispose]());
  stores += 1;
  process.env.ROWONCE_STORE = place.path(`store-${stores}`);
  if (dialect !== undefined) place.writeDialect(dialect);
  place.writeAccount(`${started.url}/base`, dialect === undefined ? {} : { dialect: 'dialect.yaml' });
  place.writeList(['a.example', 'b.example']);
  return started;
}

const write = (name: string, content: object): string => {
  writeFileSync(place.path(name), JSON.stringify(content));
  return place.path(name);
};

const LIST = (): string => place.path('list.csv');
const run = (job: string, ...more: readonly string[]): readonly string[] => [
  ...['run', job, LIST(), '--budget', '100', '-o', place.path('out.csv')],
  ...more,
];

const POST = (more: object = {}): object => ({
  operation: 'api-call',
  endpoint: '/tags/apply',
  kind: 'read',
  body: { domain: '{{Domain}}' },
  ...more,
});

test('a POST of a job is asked about once, whoever types it, and not again for the same content', async () => {
  const { url, requests } = await vendor();
  const job = write('job.yaml', POST());
  const unasked = await typed(run(job));
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    `The job job sends POST ${url}/base/tags/apply (api-call). Nobody has agreed to that yet.`,
  );
  const no = await typed(run(job), { answer: 'n' });
  expect(no.stderr).toContain(`sends POST ${url}/base/tags/apply (api-call). This is asked once`);
  expect(no.stderr).toMatch(/Not agreed; nothing was sent\.\n.*\n$/);
  expect([no.code, requests.length]).toEqual([2, 0]);
  expect((await typed(run(job), { answer: 'y' })).code).toBe(0);
  expect(requests).toHaveLength(2);
  // Another list, a budget and another column of the answer are the user's own affair.
  place.writeList(['c.example', 'a.example']);
  write('job.yaml', POST({ add: { company: 'name' }, in_doubt: 'skip' }));
  expect((await typed(run(job))).code).toBe(0);
  expect(requests).toHaveLength(3);
});

test.each([
  ['another path', { endpoint: '/tags/remove' }],
  ['another body', { body: { domain: '{{Domain}}', admin: true } }],
  ['another method', { method: 'PUT' }],
])('%s is asked about anew, and --yes agrees to it', async (_, change) => {
  const { requests } = await vendor();
  const job = write('job.yaml', POST());
  expect((await typed(run(job, '--yes'))).code).toBe(0);
  write('job.yaml', POST(change));
  expect((await typed(run(job))).code).toBe(2);
  expect(requests).toHaveLength(2);
  expect((await typed(run(job, '--yes'))).code).toBe(0);
  expect((await typed(run(job))).code).toBe(0);
  expect(requests).toHaveLength(4);
});

test('a GET is not asked about, a batch that was begun is not, and play money never is', async () => {
  const { requests } = await vendor();
  const get = { operation: 'api-call', method: 'GET', endpoint: '/tags/{{Domain}}' };
  expect((await typed(run(write('get.yaml', get)))).code).toBe(0);
  expect(requests).toHaveLength(2);
  const job = write('job.yaml', POST());
  const begun = await typed(run(job, '--yes', '--limit', '1'));
  expect([begun.code, requests.length]).toEqual([0, 3]);
  // The dialect is another one by now, and with it the content; the batch goes on all the same.
  place.writeDialect({ fields_at: 'data' });
  expect((await typed(run(job))).code).toBe(0);
  const play = await typed([...run(job), '--account', 'sandbox-provider']);
  expect(play.stderr).not.toContain('Nobody has agreed');
});

test('a dialect by which a purchase costs nothing is asked about, and its price does not slip through a budget', async () => {
  const free = { operations: { 'enrich-company': { credits: { most: 0, found: 0 } } } };
  const { requests } = await vendor(free);
  const { code, stderr } = await typed(run('enrich-company'));
  expect(code).toBe(2);
  expect(stderr).toContain(
    'The dialect dialect says that enrich-company costs nothing, and up to 1 credit a call are usual. Nobody has agreed',
  );
  expect(requests).toHaveLength(0);
  expect((await typed(run('enrich-company', '--yes'))).code).toBe(0);
  place.writeList(['d.example']);
  expect((await typed(run('enrich-company'))).code).toBe(0);
  // Another operation is another content, and its price is the usual one.
  expect((await typed(run('enrich-company', '--refresh'))).code).toBe(0);
});

test('the plan and the run show method and address of a job, and of a dialect that changes them', async () => {
  const dialect = {
    operations: { 'enrich-company': { method: 'PUT', path: '/v2/firms' } },
    usage: { method: 'GET', path: '/v2/usage', credits: 'used' },
  };
  const { url, requests } = await vendor(dialect);
  const planned = await typed(['plan', 'enrich-company', LIST()]);
  expect(planned.stdout).toContain(`  request        PUT ${url}/base/v2/firms (enrich-company)\n`);
  expect(planned.stdout).toContain(`  request        GET ${url}/base/v2/usage (usage)\n`);
  const { stdout } = await typed(['plan', write('job.yaml', POST()), LIST(), '--json']);
  expect(objectIn(stdout).requests).toContainEqual({
    name: 'api-call',
    method: 'POST',
    url: `${url}/base/tags/apply`,
  });
  const asked = await typed(['run', 'enrich-company', LIST()], { answer: 'n' });
  expect(asked.stderr).toContain(`Sends PUT ${url}/base/v2/firms (enrich-company).\n`);
  expect(asked.stderr).toContain('Spend at most 2 credits? [y/N]');
  expect(asked.stderr).toMatch(/Not agreed; nothing was sent\.\n.*\n$/);
  expect(requests).toHaveLength(0);
});
