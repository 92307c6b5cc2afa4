/**
 * Goal: nothing that is no sandbox is taken for one, because for play money nobody is asked.
 * Method: the real command over an account of a sandbox that was started by hand, and something else, or nothing, at its address.
 */
import { expect, onTestFinished, test } from 'vitest';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { openDesk } from './desk.ts';

async function runAtSandbox(isThere: boolean) {
  const desk = await openDesk();
  const vendor = await ScriptedVendor.start((_, response) => response.end('{"name":"Acme"}'));
  if (isThere) onTestFinished(() => vendor[Symbol.asyncDispose]());
  else await vendor[Symbol.asyncDispose]();
  desk.place.writeAccounts({ play: { vendor: 'provider', sandbox: true, base_url: vendor.url } });
  desk.list(3);
  return { vendor, ...(await desk.type(['run', 'enrich-company', 'list.csv', '--account', 'play'])) };
}

test('what answers there and is no sandbox is asked for nothing that costs', async () => {
  const { vendor, code, stderr } = await runAtSandbox(true);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`at ${vendor.url} is not a sandbox.`)]);
  expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /sandbox/book']);
});

test('where nobody listens the command that starts one is named', async () => {
  const { vendor, code, stderr } = await runAtSandbox(false);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`No sandbox answers at ${vendor.url}: `)]);
  expect(stderr).toContain(`npx --no rowonce sandbox --port ${new URL(vendor.url).port} --book book.jsonl`);
});
