/**
 * Goal: where a vendor charges for saying "too many requests", the call is not sent again by itself, and the others go on after the pause.
 * A limit for which the vendor gives no time is asked about now and then, and never believed to last. Without any word about its limits an
 * account is asked as fast as its vendor allows, at the price of a few refused requests.
 * Method: a vendor that answers as the test says, which also says what it was asked. The run lives by a clock that stands still while the
 * machine works, so that a search of ten seconds takes ten of that clock alone.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { type Answer, deskBefore } from '../cli/desk.ts';
import { domainsOf } from '../faults/workplace.ts';
import { JumpingClock } from '../support/jumping-clock.ts';

const companies = (...names: readonly string[]): readonly string[] => names.map((name) => `${name}.example`);

/** A list of these companies before a vendor that says nothing of its limits, and runs of it by one clock. */
async function open(domains: readonly string[], clock: JumpingClock, answer: Answer, concurrency: number) {
  const { desk, asked, speak } = await deskBefore(answer, { limits: { concurrency } });
  desk.here();
  onTestFinished(() => void vi.useRealTimers());
  await desk.write('list.csv', `Domain\n${domains.map((domain) => `${domain}\n`).join('')}`);
  const events: RunEvent[] = [];
  const run = (maxPauseMs?: number) =>
    runJob({
      job: 'enrich-company',
      file: desk.place.path('list.csv'),
      store: desk.place.path('store'),
      output: desk.place.path('out.csv'),
      budget: credits(1000),
      clock,
      onEvent: (event) => events.push(event),
      ...(maxPauseMs === undefined ? {} : { maxPauseMs }),
    });
  const pauses = () => events.filter((event) => event.kind === 'paused');
  return { desk, asked, speak, run, events, pauses };
}

test('a "too many requests" that is charged is in doubt with its credits, and not asked again; its account waits', async () => {
  const clock = new JumpingClock(Date.UTC(2026, 10, 20, 2));
  const answer: Answer = ({ input }) => {
    const headers = { date: new Date(clock.wallMs()).toUTCString() };
    return input.domain === 'two.example'
      ? Response.json({ error: 'slow down' }, { status: 429, headers })
      : Response.json({ name: 'Kauri Foods' }, { headers });
  };
  const { desk, asked, speak, run, pauses } = await open(companies('one', 'two', 'three'), clock, answer, 1);
  speak({ answers: [{ status: [429], means: 'rate_limited', charged: true }] });
  expect(await run()).toMatchObject({
    counts: { matched: 2, in_doubt: 1 },
    credits: { spent: 2, in_doubt: 1 },
    stopped: null,
  });
  expect(asked.filter(({ input }) => input.domain === 'two.example')).toHaveLength(1);
  expect(pauses()).toHaveLength(1);
  expect(desk.place.rows()[1]?._reason).toContain(
    '1 credit at risk: status 429, "slow down", which is charged',
  );
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('a limit of a day or a month, of which the vendor says no more', () => {
  /** A vendor that sells three answers a day, of eight hours later than here, and says so in these words. */
  function sellsThreeADay(words: string) {
    const clock = new JumpingClock(Date.UTC(2026, 10, 20, 11));
    const sold = new Map<number, number>();
    const askedAtMs: number[] = [];
    const answer: Answer = () => {
      askedAtMs.push(clock.wallMs());
      const day = Math.floor((clock.wallMs() + 8 * HOUR_MS) / 86_400_000);
      const count = (sold.get(day) ?? 0) + 1;
      sold.set(day, count);
      const headers = { date: new Date(clock.wallMs()).toUTCString() };
      return count > 3
        ? Response.json({ message: words }, { status: 403, headers })
        : Response.json({ name: `Kauri ${day} ${count}` }, { headers });
    };
    const opened = open(companies('one', 'two', 'three', 'four', 'five'), clock, answer, 2);
    return opened.then((at) => ({ ...at, askedAtMs }));
  }

  test.each(['You have used up your daily allowance.', 'Rate limit: 3 requests per month.'])(
    'is asked about each hour and not held until midnight of UTC: %s',
    async (words) => {
      const { run, askedAtMs } = await sellsThreeADay(words);
      expect(await run()).toMatchObject({ counts: { matched: 5 }, credits: { spent: 5 }, stopped: null });
      const probed = askedAtMs.slice(-6);
      const waits = probed.slice(1).map((ms, at) => Math.round((ms - (probed[at] ?? 0)) / MINUTE_MS));
      // The vendor's day begins at 16:00 of UTC, five hours from then.
      expect(waits).toEqual([60, 60, 60, 60, 0]);
    },
  );

  test('ends a run at once whose --max-pause is shorter, which says when the next request asks', async () => {
    const { run } = await sellsThreeADay('You have used up your daily allowance.');
    const { stopped, counts } = await run(600_000);
    expect(stopped).toMatchObject({ code: 'paused', message: expect.stringContaining('daily allowance') });
    expect(Date.parse(stopped?.resume_at ?? '') - Date.UTC(2026, 10, 20, 12)).toBeLessThan(MINUTE_MS);
    expect(counts).toEqual({ matched: 3 });
  });
});

describe('a limit for which the vendor gives no time', () => {
  /** A vendor that refuses everything for so long from its first request on. */
  async function refusesFor(lastsMs: number) {
    const clock = new JumpingClock(Date.UTC(2026, 10, 20, 2));
    const askedAtMs: number[] = [];
    const answer: Answer = ({ input }) => {
      askedAtMs.push(clock.wallMs());
      const headers = { date: new Date(clock.wallMs()).toUTCString() };
      return clock.wallMs() - (askedAtMs[0] ?? 0) < lastsMs
        ? Response.json({ error: 'Quota of this hour is gone' }, { status: 429, headers })
        : Response.json({ name: `Kauri ${input.domain}` }, { headers });
    };
    const at = await open(companies('one', 'two', 'three'), clock, answer, 1);
    const waits = (from: number): readonly number[] =>
      askedAtMs.slice(from).map((ms, nth) => Math.round((ms - (askedAtMs[from + nth - 1] ?? 0)) / MINUTE_MS));
    return { ...at, askedAtMs, waits, clock };
  }

  test('is asked about after 1, 2, 4, 8 and then each 15 minutes, is never a day, and says when', async () => {
    const { run, waits, pauses } = await refusesFor(50 * MINUTE_MS);
    expect(await run()).toMatchObject({ counts: { matched: 3 }, stopped: null });
    expect(waits(10)).toEqual([1, 2, 4, 8, 15, 15, 15, 0, 0]);
    const told = pauses().filter(({ isProbed }) => isProbed);
    expect(told).toHaveLength(7);
    expect(told[0]?.why).toContain('"Quota of this hour is gone"');
  });

  test('ends a run whose --max-pause has less left, with the time of the next probe; the next start asks once at once', async () => {
    const { run, askedAtMs, clock, desk } = await refusesFor(120 * MINUTE_MS);
    const { stopped } = await run(600_000);
    // After 1, 2 and 4 minutes; eight more are beyond ten.
    expect(askedAtMs).toHaveLength(13);
    const resumeMs = (askedAtMs.at(-1) ?? 0) + 8 * MINUTE_MS;
    expect(stopped).toMatchObject({
      code: 'paused',
      message: expect.stringContaining('Quota of this hour is gone'),
      resume_at: new Date(resumeMs).toISOString(),
    });
    const again = await run(600_000);
    expect(askedAtMs).toHaveLength(14);
    expect(again.stopped).toMatchObject({
      code: 'paused',
      message: expect.stringContaining('Quota of this hour is gone'),
      resume_at: new Date(clock.wallMs() + 15 * MINUTE_MS).toISOString(),
    });
    await clock.sleep(120 * MINUTE_MS);
    expect(await run(600_000)).toMatchObject({ counts: { matched: 3 }, stopped: null });
    expect(desk.place.rows()).toHaveLength(3);
  });
});

test('a limit that nobody tells is found', async () => {
  const ALLOWED_PER_SECOND = 12;
  const clock = new JumpingClock(Date.UTC(2026, 10, 20, 2));
  const allowed: number[] = [];
  let refused = 0;
  const answer: Answer = ({ input }) => {
    const nowMs = clock.wallMs();
    const headers = { date: new Date(nowMs).toUTCString() };
    if (allowed.filter((ms) => ms > nowMs - 1_000).length < ALLOWED_PER_SECOND) {
      allowed.push(nowMs);
      return Response.json({ name: `Kauri ${input.domain}` }, { headers });
    }
    refused += 1;
    return Response.json({ error: 'too fast' }, { status: 429, headers });
  };
  // One request at a time: the clock would run ahead of an answer while another request waits for its turn.
  const { run } = await open(domainsOf('list', 100), clock, answer, 1);
  expect((await run()).counts).toEqual({ matched: 100 });
  expect(refused, 'refused requests are what learning costs').toBeGreaterThan(0);
  expect(refused).toBeLessThan(10);
  const [from = 0, to = 0] = [allowed.at(-25), allowed.at(-1)];
  expect(24_000 / (to - from), 'the rate of the last ones').toBeGreaterThan(ALLOWED_PER_SECOND / 2);
});
