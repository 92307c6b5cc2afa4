/**
 * Goal: a list that is larger than a day's quota takes as many nights as it must, without anybody watching: every night
 * the same command buys exactly the quota, the vendor never has to refuse, and nothing is bought twice.
 * Method: nights under one virtual clock for the program and for the vendor, which keeps the quota by a sliding log
 * and a book of its own. The store, the files and the requests between the two are real.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import { runJob } from '../../src/run/run-job.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/server.ts';
import { times } from '../combinations.ts';
import { JumpingClock } from '../jumping-clock.ts';
import { domainsOf } from './workplace.ts';

const NIGHTS = times(3, 7);
const QUOTA = 60;
const DAY_MS = 24 * 60 * 60_000;

/** As `--max-pause` off a terminal: far less than the wait for the next day. */
const MAX_PAUSE_MS = 10 * 60_000;

interface Place {
  readonly folder: string;
  readonly clock: JumpingClock;
  readonly vendor: RunningSandbox;
}

async function openPlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-nights-'));
  const clock = new JumpingClock(Date.UTC(2026, 10, 20, 2));
  const vendor = await startSandbox({
    bookPath: join(folder, 'book.jsonl'),
    logPath: join(folder, 'log.jsonl'),
    rate: `${QUOTA}/d`,
    matchRate: 1,
    // So that a night takes some time, and the sends of the next one wait each for its own.
    latencyMs: 40,
    clock,
  });
  // With a second slot, the wait for its turn, which passes at once, would pass while a request is on its way to the vendor.
  const limits = { per_day: QUOTA, concurrency: 1 };
  const data = { vendor: 'provider', base_url: vendor.url, key: 'key-1', limits };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data } }), { mode: 0o600 });
  const domains = domainsOf('nights', NIGHTS * QUOTA);
  writeFileSync(join(folder, 'list.csv'), `Domain\n${domains.map((domain) => `${domain}\n`).join('')}`);
  vi.stubEnv('ROWONCE_CONFIG', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
    await vendor.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, clock, vendor };
}

/** The same command every night. */
function night({ folder, clock }: Place): Promise<RunObject> {
  return runJob({
    job: 'enrich-company',
    file: join(folder, 'list.csv'),
    store: join(folder, 'store'),
    output: join(folder, 'out.csv'),
    budget: credits(NIGHTS * QUOTA),
    maxPauseMs: MAX_PAUSE_MS,
    clock,
  });
}

interface Book {
  readonly charges: number;
  readonly charged_twice: readonly unknown[];
}

async function bookOf({ vendor }: Place): Promise<Book> {
  return (await (await fetch(`${vendor.url}/sandbox/book`)).json()) as Book;
}

function refusals({ folder }: Place): number {
  const lines = readFileSync(join(folder, 'log.jsonl'), 'utf8').trim().split('\n');
  return lines.filter((line) => (JSON.parse(line) as { status: number }).status === 429).length;
}

test(`a list of ${NIGHTS} times the quota of a day: as many rows a night, no refusal, nothing bought twice`, async () => {
  const place = await openPlace();
  const begunMs = place.clock.wallMs();
  for (let number = 1; number <= NIGHTS; number += 1) {
    place.clock.jumpTo(begunMs + (number - 1) * DAY_MS);
    const { requests, counts, stopped } = await night(place);
    const code = number < NIGHTS ? 'paused' : undefined;
    expect([requests, counts.matched, stopped?.code]).toEqual([QUOTA, number * QUOTA, code]);
    if (stopped === null) continue;
    // Not before the first send of this night has left the day, and not much later.
    const tomorrowMs = begunMs + number * DAY_MS;
    const resumeAtMs = Date.parse(stopped.resume_at ?? '');
    expect(resumeAtMs).toBeGreaterThan(tomorrowMs);
    expect(resumeAtMs).toBeLessThan(tomorrowMs + 60_000);
    place.clock.jumpTo(place.clock.wallMs() + 60 * 60_000);
    expect(await night(place), 'on the same day').toMatchObject({ requests: 0, stopped: { code: 'paused' } });
    const { charges, charged_twice: twice } = await bookOf(place);
    expect({ charges, twice, refusals: refusals(place) }).toEqual({
      charges: number * QUOTA,
      twice: [],
      refusals: 0,
    });
  }
});
