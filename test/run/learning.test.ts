/**
 * Goal: without any word about its limits an account is asked as fast as its vendor allows, at the price of a few refused
 * requests.
 * Method: a run on an account without limits, against a vendor that allows 12 requests a second and does not say so.
 * It lives by a clock that stands still while the machine works, so the search takes its ten seconds of that clock alone. The
 * vendor's log says when each request came, and which it refused.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { domainsOf } from '../faults/workplace.ts';
import { JumpingClock } from '../support/jumping-clock.ts';

const ALLOWED_PER_SECOND = 12;

interface Logged {
  readonly status: number;
}

async function runOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-learning-'));
  const clock = new JumpingClock(Date.UTC(2026, 10, 20, 2));
  const [bookPath, logPath] = [join(folder, 'book.jsonl'), join(folder, 'log.jsonl')];
  const rate = `${ALLOWED_PER_SECOND}/s`;
  const vendor = await startSandbox({ bookPath, logPath, rate, matchRate: 1, clock });
  // One request at a time: the clock would run ahead of an answer while another request waits for its turn.
  const data = { vendor: 'provider', base_url: vendor.url, key: 'key-1', limits: { concurrency: 1 } };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data } }), { mode: 0o600 });
  vi.stubEnv('ROWONCE_CONFIG', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  writeFileSync(join(folder, 'list.csv'), `Domain\n${domainsOf('list', 100).join('\n')}\n`);
  const told: RunEvent[] = [];
  const summary = await runJob({
    job: 'enrich-company',
    file: join(folder, 'list.csv'),
    store: join(folder, 'store'),
    budget: credits(100),
    clock,
    onEvent: (event) => told.push(event),
  });
  const logged = readFileSync(logPath, 'utf8').split('\n');
  const requests = logged.filter((line) => line !== '').map((line) => JSON.parse(line) as Logged);
  return { summary, told, requests };
}

test('a limit that nobody tells is found', async () => {
  const { summary, told, requests } = await runOnce();
  expect(summary.counts).toEqual({ matched: 100 });
  const refused = requests.filter(({ status }) => status === 429).length;
  expect(refused, 'refused requests are what learning costs').toBeGreaterThan(0);
  expect(refused).toBeLessThan(10);
  const learned = told.flatMap((event) => (event.kind === 'learned' ? [event.requestsPerSecond] : []));
  expect(learned.at(-1)).toBeGreaterThan(ALLOWED_PER_SECOND / 2);
  expect(learned.at(-1)).toBeLessThanOrEqual(ALLOWED_PER_SECOND);
});
