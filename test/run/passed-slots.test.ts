/**
 * Goal: the next call uses a slot as soon as the reply before it has arrived, in the commit that keeps that reply. What one reply
 * of such a commit forbids is not sent, is not charged and reserves nothing.
 * Method: the real pipeline with eight slots before a vendor that holds its answers until eight requests are there, and then
 * answers all of them at once. The vendor's own list of requests is the judge.
 */
import type { ServerResponse } from 'node:http';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/index.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';

const SLOTS = 8;
/** The vendor answers the last of so many requests as the test says. Before the first answer nothing is handed over. */
const ASKED = 3 * SLOTS;
const ROWS = 2 * ASKED;

let desk: Desk;
let vendor: ScriptedVendor;
/** What the vendor answers to the last ones of those, as many as `bad`; every other one is a match. */
let bad: number;
let last: { readonly status: number; readonly headers?: Record<string, string>; readonly body: string };

beforeEach(async () => {
  desk = await openDesk();
  const held: ServerResponse[] = [];
  vendor = await ScriptedVendor.start((_, response) => {
    held.push(response);
    if (held.length < SLOTS && vendor.requests.length <= ASKED) return;
    for (const [at, each] of held.splice(0).entries()) {
      const isLast = at >= SLOTS - bad && vendor.requests.length === ASKED;
      const { status, headers, body } = isLast
        ? last
        : { status: 200, headers: {}, body: `{"name":"Kauri Foods ${vendor.requests.length + at}"}` };
      each.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    }
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  desk.here();
  const limits = { concurrency: SLOTS, per_second: 10_000 };
  desk.place.writeAccounts({ data: { vendor: 'provider', base_url: vendor.url, key: 'key-1', limits } });
  const domains = Array.from({ length: ROWS }, (_, row) => `row-${row}.example`);
  await desk.write('list.csv', `Domain\n${domains.join('\n')}\n`);
});

const buyAll = () =>
  run({
    job: 'enrich-company',
    file: desk.place.path('list.csv'),
    store: desk.place.path('store'),
    output: desk.place.path('out.csv'),
    budget: 1000,
    max_pause: '1m',
  });

test.each([
  ['a refused key', { status: 401, body: '{"error":"invalid key"}' }, 'key'],
  ['a 429', { status: 429, headers: { 'retry-after': '3600' }, body: '{"error":"slow down"}' }, 'paused'],
  ['no credits', { status: 402, body: '{"error":"insufficient credits"}' }, 'vendor_credits'],
])('after %s only what had left was asked for', async (_, answer, code) => {
  bad = 1;
  last = answer;
  const { stopped, credits, counts } = await buyAll();
  expect(stopped?.code).toBe(code);
  expect(vendor.requests).toHaveLength(ASKED);
  expect(credits).toMatchObject({ spent: ASKED - 1, in_doubt: 0 });
  expect(counts).toMatchObject({ matched: ASKED - 1 });
});

test('after five answers that nobody can read as well, although the ledger is asked about the first of them', async () => {
  bad = 5;
  last = { status: 200, body: '{"status":"unbekannt"}' };
  const { stopped, credits } = await buyAll();
  expect(stopped?.message).toMatch('5 answers of one shape');
  expect(vendor.requests).toHaveLength(ASKED);
  expect(credits).toMatchObject({ spent: ASKED - bad, in_doubt: bad });
});
