/**
 * Goal: what is asked of the page twice, by two tabs or by a page and a command line at once, is bought and changed once.
 * Method: raw requests to a real `rowonce serve` over the embedded vendors, whose book says what was charged.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchList, WorkList, WorkView } from '../../src/web/api.ts';
import { rowonce } from '../cli/rowonce.ts';
import { servedIn } from './scene.ts';
import { type Answer, environmentIn, type Served } from './served.ts';

const QUICK = { ROWONCE_SANDBOX: '--rate 200/s --match-rate 1' };
/** A run of a hundred rows takes far longer than it takes to pause it. */
const SLOW = { ROWONCE_SANDBOX: '--rate 10/s --match-rate 1' };

const post = (served: Served, path: string): Promise<Answer> => served.tool(path, { method: 'POST' });

const newest = async (served: Served) =>
  (JSON.parse((await served.tool('/api/batches')).body) as BatchList).batches[0];

/** How every command that the page started has ended. */
async function allEnded(served: Served): Promise<readonly WorkView[]> {
  const works = async () => (JSON.parse((await served.tool('/api/tasks')).body) as WorkList).work;
  await expect.poll(async () => (await works()).every(({ state }) => state === 'ended')).toBe(true);
  return works();
}

/** How often the vendor charged for each thing that it was asked. */
function charged(served: Served): readonly number[] {
  const lines = readFileSync(join(served.folder, 'store', 'book.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const paid = lines.map((line) => JSON.parse(line)).filter(({ credits }) => credits > 0);
  return [...Map.groupBy(paid, ({ parameters }) => JSON.stringify(parameters)).values()].map(
    (all) => all.length,
  );
}

test('a refresh that two tabs continue at once is bought once', async () => {
  const served = await servedIn(undefined, QUICK);
  const domains = Array.from({ length: 100 }, (_, at) => `company-${at}.example`);
  writeFileSync(join(served.folder, 'leads.csv'), `Domain\n${domains.join('\n')}\n`);
  const words = ['run', 'enrich-company', 'leads.csv', '--account', 'sandbox-provider', '--refresh'];
  const running = rowonce(words, { cwd: served.folder, env: { ...environmentIn(served.folder), ...SLOW } });
  await expect.poll(async () => (await newest(served))?.counts.matched ?? 0).toBeGreaterThan(2);
  const batch = (await newest(served))?.batch ?? '';
  await served.tool('/api/pause', { method: 'POST', body: JSON.stringify({ batch }) });
  expect(await running).toMatchObject({ code: 143 });
  await allEnded(served);

  await Promise.all([1, 2].map(() => post(served, `/api/batches/${batch}/continue`)));
  const ended = (await allEnded(served))
    .slice(-2)
    .map(({ exit_code, stopped }) => [exit_code, stopped?.code]);
  expect(ended).toEqual([
    [0, undefined],
    [0, undefined],
  ]);
  expect(await newest(served)).toMatchObject({ batch, state: 'finished' });
  expect(charged(served)).toEqual(domains.map(() => 1));
});
