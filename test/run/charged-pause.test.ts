/**
 * Goal: where a vendor charges for saying "too many requests", the call is not sent again by itself, and the others go on after the pause.
 * A limit of a day is over at midnight.
 * Method: a vendor that says so about one company, and answers everything else. The run lives by a clock that stands still while the
 * machine works, with one request at a time.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { openDesk } from '../cli/desk.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { JumpingClock } from '../support/jumping-clock.ts';

test('a "too many requests" that is charged is in doubt with its credits, and not asked again; its account waits', async () => {
  const desk = await openDesk();
  const { place } = desk;
  const vendor = await ScriptedVendor.start(({ body }, response) => {
    const status = body.includes('"two.example"') ? 429 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 429 ? '{"error":"slow down"}' : '{"name":"Kauri Foods"}');
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  });
  const answers = [{ status: [429], means: 'rate_limited', charged: true }];
  await desk.write('dialect.yaml', JSON.stringify({ vendor: 'provider', answers }));
  await desk.write('list.csv', 'Domain\none.example\ntwo.example\nthree.example\n');
  const limits = { concurrency: 1 };
  const account = { vendor: 'provider', base_url: vendor.url, key: 'key-1', limits };
  place.writeAccounts({ data: { ...account, dialect: place.path('dialect.yaml') } });
  const events: RunEvent[] = [];
  const summary = await runJob({
    job: 'enrich-company',
    file: place.path('list.csv'),
    store: place.path('store'),
    output: place.path('out.csv'),
    budget: credits(1000),
    clock: new JumpingClock(Date.UTC(2026, 10, 20, 2)),
    onEvent: (event) => events.push(event),
  });
  expect(summary).toMatchObject({
    counts: { matched: 2, in_doubt: 1 },
    credits: { spent: 2, in_doubt: 1 },
    stopped: null,
  });
  expect(vendor.requests.filter(({ body }) => body.includes('"two.example"'))).toHaveLength(1);
  expect(events.filter(({ kind }) => kind === 'paused')).toHaveLength(1);
  expect(place.rows()[1]?._reason).toContain('1 credit at risk: status 429, "slow down", which is charged');
});

describe('a limit of a day', () => {
  const MIDNIGHT = Date.UTC(2026, 10, 21);

  /** A vendor that sells three answers a day. By its `Date` it is five minutes later than here. */
  async function sellsThreeADay() {
    const desk = await openDesk();
    const { place } = desk;
    const clock = new JumpingClock(Date.UTC(2026, 10, 20, 22));
    const vendorMs = (): number => clock.wallMs() + 5 * 60_000;
    const sold = new Map<number, number>();
    const vendor = await ScriptedVendor.start((_, response) => {
      const day = Math.floor(vendorMs() / 86_400_000);
      const count = (sold.get(day) ?? 0) + 1;
      sold.set(day, count);
      const date = new Date(vendorMs()).toUTCString();
      response.writeHead(count > 3 ? 403 : 200, { 'content-type': 'application/json', date });
      response.end(
        count > 3
          ? '{"message":"You have used up your daily allowance."}'
          : `{"name":"Kauri ${day} ${count}"}`,
      );
    });
    onTestFinished(() => vendor[Symbol.asyncDispose]());
    vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.useRealTimers();
    });
    await desk.write(
      'list.csv',
      'Domain\none.example\ntwo.example\nthree.example\nfour.example\nfive.example\n',
    );
    const limits = { concurrency: 2 };
    place.writeAccounts({ data: { vendor: 'provider', base_url: vendor.url, key: 'key-1', limits } });
    const events: RunEvent[] = [];
    const run = (maxPauseMs?: number) =>
      runJob({
        job: 'enrich-company',
        file: place.path('list.csv'),
        store: place.path('store'),
        output: place.path('out.csv'),
        budget: credits(1000),
        clock,
        onEvent: (event) => events.push(event),
        ...(maxPauseMs === undefined ? {} : { maxPauseMs }),
      });
    return { vendor, run, events };
  }

  test("a limit of a day is waited for until midnight of UTC by the vendor's Date, and then one request probes", async () => {
    const { vendor, run, events } = await sellsThreeADay();
    expect(await run()).toMatchObject({ counts: { matched: 5 }, credits: { spent: 5 }, stopped: null });
    const pauses = events.filter((event) => event.kind === 'paused').map(({ untilMs }) => untilMs);
    const atVendorsMidnight = pauses.filter((untilMs) => Math.abs(MIDNIGHT - 5 * 60_000 - untilMs) < 60_000);
    expect(atVendorsMidnight.length).toBeGreaterThan(0);
    // Three found; at most as many refused as were under way together; two found the next day.
    expect(vendor.requests.length).toBeLessThanOrEqual(3 + 2 + 2);
  });

  test('a limit of a day ends a run at once whose --max-pause is shorter, and says when it goes on', async () => {
    const { run } = await sellsThreeADay();
    const { stopped, counts } = await run(600_000);
    expect(stopped).toMatchObject({ code: 'paused', message: expect.stringContaining('daily allowance') });
    expect(Math.abs(Date.parse(stopped?.resume_at ?? '') - (MIDNIGHT - 5 * 60_000))).toBeLessThan(60_000);
    expect(counts).toEqual({ matched: 3 });
  });
});
