/**
 * Goal: without any word about its limits an account is asked as fast as its vendor allows, at the price of a few refused
 * requests, and the next run begins with what was learned.
 * Method: two runs on an account without limits, against a vendor that allows 12 requests a second and does not say so.
 * Both live by a clock that stands still while the machine works, so the search takes its ten seconds of that clock alone. The
 * vendor's log says when each request came, and which it refused.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { credits, type RunEvent } from '../../src/index.ts';
import { runJob } from '../../src/run/run-job.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { domainsOf } from '../faults/workplace.ts';
import { JumpingClock } from '../jumping-clock.ts';

const ALLOWED_PER_SECOND = 12;

interface Logged {
  readonly at: string;
  readonly status: number;
}

async function openPlace() {
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

  /** @returns what was told, and the requests as the vendor saw them. */
  const buy = async (name: string, rows: number) => {
    const before = existing(logPath).length;
    writeFileSync(join(folder, name), `Domain\n${domainsOf(name, rows).join('\n')}\n`);
    const told: RunEvent[] = [];
    const summary = await runJob({
      job: 'enrich-company',
      file: join(folder, name),
      store: join(folder, 'store'),
      budget: credits(rows),
      mayCreateStore: true,
      clock,
      onEvent: (event) => told.push(event),
    });
    return { summary, told, requests: existing(logPath).slice(before) };
  };
  return { buy };
}

function existing(logPath: string): readonly Logged[] {
  const lines = readFileSync(logPath, { encoding: 'utf8', flag: 'a+' }).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Logged);
}

/** From the first request to the tenth, in milliseconds. */
function firstTenMs(requests: readonly Logged[]): number {
  return Date.parse(requests[9]?.at ?? '') - Date.parse(requests[0]?.at ?? '');
}

test('a limit that nobody tells is found, and remembered', async () => {
  const { buy } = await openPlace();
  const first = await buy('first.csv', 100);
  expect(first.summary.counts).toEqual({ matched: 100 });
  const refused = first.requests.filter(({ status }) => status === 429).length;
  expect(refused, 'refused requests are what learning costs').toBeGreaterThan(0);
  expect(refused).toBeLessThan(10);
  const learned = first.told.flatMap((event) => (event.kind === 'learned' ? [event.requestsPerSecond] : []));
  expect(learned.at(-1)).toBeGreaterThan(ALLOWED_PER_SECOND / 2);
  expect(learned.at(-1)).toBeLessThanOrEqual(ALLOWED_PER_SECOND);

  const second = await buy('second.csv', 10);
  expect(second.requests.filter(({ status }) => status === 429)).toEqual([]);
  expect(firstTenMs(second.requests)).toBeLessThan(firstTenMs(first.requests) / 2);
});
