/**
 * Goal: a call that alone is told "too many requests" holds up nobody, costs nothing, and is asked again by the next run.
 * Method: a vendor that says so about one company or one person, and answers everything else. Runs live by a clock that
 * stands still while the machine works, with one request at a time; the real commands read what they left.
 */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { credits, type RunEvent, type RunSummary, runJob } from '../../src/index.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { ScriptedVendor } from '../faults/scripted-vendor.ts';
import { JumpingClock } from '../jumping-clock.ts';

const REASON =
  'the vendor said "too many requests" to this row 8 times while other rows were answered; nothing is at risk, and the next run asks again';

let desk: Desk;
let vendor: ScriptedVendor;
/** What a request is about that the vendor turns away. */
let turnedAway: RegExp;
beforeEach(async () => {
  desk = await openDesk();
  vendor = await ScriptedVendor.start(({ path, body }, response) => {
    const status = turnedAway.test(path + body) ? 429 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    const done = path.includes('/users/') ? '{}' : '{"name":"Kauri Foods","cost":1}';
    response.end(status === 429 ? '{"error":"slow down"}' : done);
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  vi.stubEnv('ROWONCE_CONFIG', desk.place.path('config'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  });
});

/** The account of the vendor; one request at a time, because the clock would run ahead of an answer while another waits. */
function account(kind: 'provider' | 'service', more: object = {}): void {
  const base = { vendor: kind, base_url: vendor.url, key: 'key-1', limits: { concurrency: 1 }, ...more };
  const accounts = {
    data: kind === 'service' ? { ...base, organization_id: 'org-1', project_id: 'p-1' } : base,
  };
  desk.place.writeAccounts(accounts);
}

function run(job: string, onEvent?: (event: RunEvent) => void): Promise<RunSummary> {
  return runJob({
    job,
    file: desk.place.path('list.csv'),
    store: desk.place.path('store'),
    output: desk.place.path('out.csv'),
    budget: credits(1000),
    mayCreateStore: true,
    askChanges: async () => true,
    clock: new JumpingClock(Date.UTC(2026, 10, 20, 2)),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}

function asked(about: RegExp): number {
  return vendor.requests.filter(({ path, body }) => about.test(path + body)).length;
}

describe('a lookup that alone is told "too many requests"', () => {
  beforeEach(async () => {
    account('provider');
    turnedAway = /"three\.example"/;
    const domains = ['three', 'one', 'two', 'three', 'four', 'five'].map((name) => `${name}.example`);
    await desk.write('list.csv', `Domain\n${domains.join('\n')}\n`);
  });

  test('ends in doubt with nothing at risk, after all others; the next run asks again', async () => {
    const first = await run('enrich-company');
    expect(first).toMatchObject({
      counts: { matched: 4, in_doubt: 2 },
      money: { spent: 4, inDoubt: 0 },
      stopped: undefined,
    });
    // Its slot is free for the others while it waits. Where the list is read slowly, it may ask once in between.
    const order = vendor.requests.map(({ body }) => /[a-z]+(?=\.example)/.exec(body)?.[0]);
    expect(new Set(order.slice(0, 6))).toEqual(new Set(['three', 'one', 'two', 'four', 'five']));
    expect(order.slice(6)).toEqual(Array(6).fill('three'));
    expect(desk.place.rows()).toMatchObject([
      { _status: 'in_doubt', _reason: REASON, _credits: '0' },
      ...Array(2).fill({ _status: 'matched' }),
      { _status: 'in_doubt', _reason: REASON },
      ...Array(2).fill({ _status: 'matched' }),
    ]);
    expect((await desk.type(['settle', 'last'])).stdout).toBe(
      `row 2 waits: ${REASON}\nrow 5 waits: ${REASON}\nNothing in batch ${first.batch} is for you to decide.\n`,
    );
    expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({ to_buy: 1 });
    expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 4, in_doubt: 0 });

    turnedAway = /never/;
    expect(await run('enrich-company')).toMatchObject({ batch: first.batch, counts: { matched: 6 } });
    expect(asked(/"three\.example"/)).toBe(9);
  });

  test('does not go on to another identifier', async () => {
    await desk.write('list.csv', 'Domain,ABN\nthree.example,51 824 753 557\none.example,\ntwo.example,\n');
    expect(await run('enrich-company')).toMatchObject({ counts: { matched: 2, in_doubt: 1 } });
    expect(asked(/51824753557/)).toBe(0);
  });
});

test('one that is charged by the dialect is in doubt with its credits, and not asked again; its account waits', async () => {
  const answers = [{ status: [429], means: 'rate_limited', charged: true }];
  await desk.write('dialect.yaml', JSON.stringify({ vendor: 'provider', answers }));
  account('provider', { dialect: desk.place.path('dialect.yaml') });
  turnedAway = /"two\.example"/;
  await desk.write('list.csv', 'Domain\none.example\ntwo.example\nthree.example\n');
  const events: RunEvent[] = [];
  const summary = await run('enrich-company', (event) => events.push(event));
  expect(summary).toMatchObject({
    counts: { matched: 2, in_doubt: 1 },
    money: { spent: 2, inDoubt: 1 },
    stopped: undefined,
  });
  expect(asked(turnedAway)).toBe(1);
  expect(events.filter(({ kind }) => kind === 'paused')).toHaveLength(1);
  expect(desk.place.rows()[1]?._reason).toContain(
    '1 credit at risk: status 429, "slow down", which is charged',
  );
});

test('a change that alone is told so is not done, blocks nobody, and is sent by the next run', async () => {
  account('service');
  turnedAway = /users\/u-2\//;
  await desk.write('list.csv', 'user_id\nu-1\nu-2\nu-3\n');
  const first = await run('remove-user');
  expect(first).toMatchObject({ counts: { applied: 2, in_doubt: 1 }, money: { inDoubt: 0 } });
  expect(asked(turnedAway)).toBe(8);
  expect((await desk.type(['settle', 'last'])).stdout).toContain(`row 3 waits: ${REASON}`);

  turnedAway = /never/;
  const again = await run('remove-user');
  expect(again.counts).toMatchObject({ applied: expect.any(Number) });
  expect(again.counts.in_doubt ?? 0).toBe(0);
  expect(asked(/users\/u-2\//)).toBe(9);
  expect(asked(/users\/u-1\//)).toBe(1);
});
