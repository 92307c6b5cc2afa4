/**
 * Goal: where a vendor charges for saying "too many requests", the call is not sent again by itself, and the others go on after the pause.
 * A limit of a day is over at midnight. Without any word about its limits an account is asked as fast as its vendor allows, at the price of
 * a few refused requests.
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

describe('a limit of a day', () => {
  const MIDNIGHT = Date.UTC(2026, 10, 21);

  /** A vendor that sells three answers a day. By its `Date` it is five minutes later than here. */
  function sellsThreeADay() {
    const clock = new JumpingClock(Date.UTC(2026, 10, 20, 22));
    const sold = new Map<number, number>();
    const answer: Answer = () => {
      const vendorMs = clock.wallMs() + 5 * 60_000;
      const day = Math.floor(vendorMs / 86_400_000);
      const count = (sold.get(day) ?? 0) + 1;
      sold.set(day, count);
      const headers = { date: new Date(vendorMs).toUTCString() };
      return count > 3
        ? Response.json({ message: 'You have used up your daily allowance.' }, { status: 403, headers })
        : Response.json({ name: `Kauri ${day} ${count}` }, { headers });
    };
    return open(companies('one', 'two', 'three', 'four', 'five'), clock, answer, 2);
  }

  test("a limit of a day is waited for until midnight of UTC by the vendor's Date, and then one request probes", async () => {
    const { asked, run, pauses } = await sellsThreeADay();
    expect(await run()).toMatchObject({ counts: { matched: 5 }, credits: { spent: 5 }, stopped: null });
    const atVendorsMidnight = pauses().filter(
      ({ untilMs }) => Math.abs(MIDNIGHT - 5 * 60_000 - untilMs) < 60_000,
    );
    expect(atVendorsMidnight.length).toBeGreaterThan(0);
    // Three found; at most as many refused as were under way together; two found the next day.
    expect(asked.length).toBeLessThanOrEqual(3 + 2 + 2);
  });

  test('a limit of a day ends a run at once whose --max-pause is shorter, and says when it goes on', async () => {
    const { run } = await sellsThreeADay();
    const { stopped, counts } = await run(600_000);
    expect(stopped).toMatchObject({ code: 'paused', message: expect.stringContaining('daily allowance') });
    expect(Math.abs(Date.parse(stopped?.resume_at ?? '') - (MIDNIGHT - 5 * 60_000))).toBeLessThan(60_000);
    expect(counts).toEqual({ matched: 3 });
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
