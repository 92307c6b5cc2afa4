/**
 * Goal: where a vendor charges for saying "too many requests", the call is not sent again by itself, and the others go on after the pause.
 * Method: a vendor that says so about one company, and answers everything else. The run lives by a clock that stands still while the
 * machine works, with one request at a time.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { credits } from '../../src/ledger/ledger.ts';
import { runJob } from '../../src/run/run-job.ts';
import { openDesk } from '../cli/desk.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { JumpingClock } from '../jumping-clock.ts';

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
    mayCreateStore: true,
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
