/**
 * Goal: the page tells what was spent, saved and done, and about whom, as the ledger has it.
 * Method: raw requests to a real `rowonce serve` beside real commands; what they printed and what the vendor says judge.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HistoryView, SubjectView } from '../../src/web/api.ts';
import { rowonce } from '../cli/rowonce.ts';
import { environmentIn, Served } from './served.ts';

async function said<T>(served: Served, path: string, body?: object): Promise<T> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await served.tool(path, sent);
  expect([answer.status, answer.body]).toEqual([200, expect.any(String)]);
  return JSON.parse(answer.body) as T;
}

test('a month is told by account and day, play money as such, with what was saved; and a company by its address', async () => {
  await using served = await Served.start();
  const { folder } = served;
  writeFileSync(join(folder, 'list.csv'), 'Website\nacme.example\nacme.example\nother.example\n');
  const env = { ...environmentIn(folder), ROWONCE_SANDBOX: '--rate 500/s --latency 1ms' };
  const words = [
    'run',
    'enrich-company',
    'list.csv',
    '--account',
    'sandbox-provider',
    '--as',
    'Ann',
    '--json',
  ];
  const run = JSON.parse((await rowonce(words, { cwd: folder, env })).stdout);
  expect(run.credits).toMatchObject({ in_doubt: 0 });

  const history = await said<HistoryView>(served, '/api/history');
  expect(history.last).toBe(history.month);
  const { spent, saved } = run.credits;
  expect(history.accounts).toMatchObject([
    { name: 'sandbox-provider', sandbox: true, spent, saved, requests: run.requests, batches: 1 },
  ]);
  expect(history.operators).toMatchObject([{ name: 'Ann', sandbox: true, spent, saved, batches: 1 }]);
  expect(history.days.reduce((sum, day) => sum + day.spent, 0)).toBe(spent);
  expect(history.batches).toMatchObject([{ batch: run.batch, spent, saved, can_undo: false }]);
  expect(await said<HistoryView>(served, '/api/history?month=2025-02')).toMatchObject({
    month: '2025-02',
    first: history.month,
    accounts: [],
    batches: [],
  });
  expect((await served.tool('/api/history?month=2025-13')).status).toBe(400);

  const about = await said<SubjectView>(
    served,
    '/api/subjects?text=https%3A%2F%2Fwww.acme.example%2Fcontact',
  );
  expect(about.entries).toHaveLength(1);
  const asked = { batch: run.batch, row: 2, operation: 'enrich-company', sandbox: true, operator: 'Ann' };
  expect(about.entries[0]).toMatchObject(asked);
  const ofBatch = await said<SubjectView>(served, `/api/subjects?text=${run.batch}`);
  expect(ofBatch.entries.map(({ kind, operator }) => `${operator} ${kind}`)).toEqual([
    ...['Ann asked', 'Ann asked', 'Ann begun'],
  ]);
  expect((await said<SubjectView>(served, '/api/subjects?text=nobody%40else.example')).entries).toEqual([]);
  expect((await served.tool('/api/subjects?text=%20')).status).toBe(400);
});
