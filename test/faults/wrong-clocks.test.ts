/**
 * Goal: a clock that is wrong spends nothing twice, passes no budget and makes nothing old: it may hold back, and never pushes on.
 * Method: the real command with its calendar put wrong (`shifted-clock.ts`), over a vendor that has the true time and says it with each answer;
 * where days have to pass for it as well, in a process of its own. What nobody kills is typed on a machine that goes on
 * (`machine.ts`). Its book says what was charged. All cases of clocks are in `ledger/time.test.ts`; here stays what a user sees of them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { proof } from '../combinations.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';
import { Clocks } from './clocks.ts';
import { Machine } from './machine.ts';
import { type Ended, endedOf } from './program.ts';
import type { Shift } from './shifted-clock.ts';
import { domainsOf, type Order, Workplace, type WorkplaceOptions } from './workplace.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

const machine = new Machine();
afterAll(() => machine.stop());

/** A user whose machine's clock goes wrong. */
class WrongPlace {
  readonly place: Workplace;
  readonly clocks: Clocks;

  constructor(place: Workplace) {
    this.place = place;
    this.clocks = new Clocks(place.path('clocks.json'));
  }

  start(order: Order = {}) {
    return this.place.type(this.place.words(order), this.clocks.env);
  }

  run(shift: Shift, order: Order = {}): Promise<Ended> {
    return this.type(shift, this.place.words(order));
  }

  async type(shift: Shift, words: readonly string[]): Promise<Ended> {
    // A sandbox that the command starts is on the same machine.
    this.clocks.set(shift);
    const env = { ...this.place.environment, ...this.clocks.env };
    return endedOf(await machine.type({ words, env, shift }));
  }

  async charged(): Promise<number> {
    return (await this.place.vendor.book()).credits;
  }
}

/** Those of the vendor, when a test needs days to pass. */
function worldClocks(): Clocks {
  return new Clocks(join(temporaryFolder(), 'clocks.json'));
}

async function openWrong(options: WorkplaceOptions, rows: number): Promise<WrongPlace> {
  const place = await Workplace.open(options);
  onTestFinished(() => place[Symbol.asyncDispose]());
  place.writeList(domainsOf('list', rows));
  return new WrongPlace(place);
}

proof(
  'a repeat under a key is not sent when either clock says that the vendor has forgotten it',
  async () => {
    const world = worldClocks();
    const options: WorkplaceOptions = { way: 'keyed', concurrency: 8, latencyMs: 2_000, ownProcess: true };
    const wrong = await world.during(() => openWrong(options, 12));
    const { vendor } = wrong.place;
    const killed = wrong.start();
    await killed.until(() => vendor.requests().length >= 8);
    await killed.kill();
    expect(await wrong.charged()).toBe(8);
    // It resumes 26 hours later, and the calendar stood still for 25 of them.
    world.set({ wallMs: 26 * HOUR_MS });
    const stopped = await wrong.run({ wallMs: HOUR_MS });
    expect(stopped).toMatchObject({ code: 2, report: { stopped: { code: 'clock' } } });
    expect(stopped.report?.stopped?.message).toMatch(/1 d 1 h apart/);
    expect(stopped.report?.stopped?.next).toBe(
      'Set the clock of this machine, then run the same command again.',
    );
    const put = await wrong.run({ wallMs: 6 * HOUR_MS });
    expect(put).toMatchObject({ code: 3, report: { credits: { spent: 4, in_doubt: 8 } } });
    expect(put.stderr).toMatch(
      /This machine's clock says .* they are 20 h apart\. The earlier of the two counts/,
    );
    expect(await vendor.book()).toMatchObject({ credits: 12, charged_twice: [] });
  },
);

proof('a run of nothing but repeats under a key asks for the time, and sends them', async () => {
  const wrong = await openWrong({ way: 'keyed', concurrency: 4, latencyMs: 2_000 }, 4);
  const { vendor } = wrong.place;
  const killed = wrong.start();
  await killed.until(() => vendor.requests().length >= 4);
  await killed.kill();
  expect(await wrong.run({})).toMatchObject({ code: 0, report: { counts: { matched: 4 } } });
  expect(await vendor.book()).toMatchObject({ credits: 4, charged_twice: [] });
});

test('a run whose clock is days away stops with the first answer that says so, and the next one goes on', async () => {
  const wrong = await openWrong({ concurrency: 2, latencyMs: 20 }, 12);
  for (const wallMs of [2 * DAY_MS, -2 * DAY_MS]) {
    const stopped = await wrong.run({ wallMs });
    expect(stopped).toMatchObject({ code: 2, report: { stopped: { code: 'clock' } } });
  }
  // The first one alone shows the price. Then two are under way when one of them is answered, and others may have their admission by then.
  expect(await wrong.charged()).toBeLessThanOrEqual(1 + 2 * 2);
  expect(await wrong.run({})).toMatchObject({ code: 0, report: { counts: { matched: 12 } } });
  expect(await wrong.charged()).toBe(12);
});

describe('refresh_after', () => {
  const JOB = { job: 'job.yaml' };

  async function bought(options: WorkplaceOptions = {}): Promise<WrongPlace> {
    const wrong = await openWrong(options, 6);
    writeFileSync(wrong.place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
    expect(await wrong.run({}, JOB)).toMatchObject({ code: 0 });
    return wrong;
  }

  test('buys nothing anew when the calendar is a year ahead, and none later for that', async () => {
    const wrong = await bought();
    for (let again = 0; again < 2; again += 1)
      expect(await wrong.run({ wallMs: 365 * DAY_MS }, JOB)).toMatchObject({
        code: 2,
        report: { stopped: { code: 'clock' }, requests: 0 },
      });
    const right = await wrong.run({}, JOB);
    expect(right).toMatchObject({ code: 0, report: { requests: 0 } });
    expect(right.stderr).toContain('so the batch takes nothing as too old');
    expect(await wrong.charged()).toBe(6);
  });

  proof('buys anew what is old, at full speed, once the vendor has told the time', async () => {
    const world = worldClocks();
    const wrong = await world.during(() => bought({ ownProcess: true }));
    world.set({ wallMs: 31 * DAY_MS });
    expect(await wrong.run({ wallMs: 31 * DAY_MS }, JOB)).toMatchObject({ code: 0, report: { requests: 6 } });
    expect(await wrong.charged()).toBe(12);
  });
});

describe('a budget per day', () => {
  const perDay = { account: { budget: { per_day: 5 } } };
  const order = { budget: 100 };

  test('is one budget, whichever day the calendar says', async () => {
    const wrong = await openWrong(perDay, 15);
    const shifts = [0, -20 * HOUR_MS, 20 * HOUR_MS, 40 * DAY_MS, -40 * DAY_MS];
    const ended = [];
    for (const wallMs of shifts) ended.push(await wrong.run({ wallMs }, order));
    expect(ended.map(({ report }) => report?.stopped?.code)).toEqual([
      ...['account_budget', 'account_budget', 'account_budget'],
      ...['clock', 'clock'],
    ]);
    expect(await wrong.charged()).toBe(5);
  });

  test('is spent by one request at a time while the vendor is hours away, and the run says so', async () => {
    const options = { ...perDay, concurrency: 4, latencyMs: 100 };
    const wrong = await openWrong(options, 5);
    const { vendor } = wrong.place;
    await vendor.setDate(-2 * HOUR_MS);
    const program = wrong.start(order);
    let mostOpen = 0;
    await program.until(() => {
      mostOpen = Math.max(mostOpen, wrong.place.ledger().open.length);
      return vendor.requests().length >= 5;
    });
    const { code, stderr } = await program.ended;
    expect([code, mostOpen]).toEqual([0, 1]);
    expect(stderr).toMatch(/they are 2 h apart\. The earlier of the two counts/);
  });

  proof('is one budget, too, where the vendor says no time and the calendar goes back', async () => {
    const wrong = await openWrong(perDay, 15);
    expect(await wrong.run({}, order)).toMatchObject({ code: 4 });
    await wrong.place.vendor.setDate(null);
    const again = await wrong.run({ wallMs: -DAY_MS }, order);
    expect(again).toMatchObject({ code: 4, report: { stopped: { code: 'account_budget' } } });
    expect(again.report?.stopped?.message).toMatch(/Today is counted as .*; this machine's clock says/);
    expect(again.stderr).toMatch(/before which nothing is dated/);
    expect(await wrong.charged()).toBe(5);
  });

  proof('is a new one on the next day, in a run by night that nobody watches', async () => {
    const world = worldClocks();
    const wrong = await world.during(() => openWrong({ ...perDay, ownProcess: true }, 15));
    for (const day of [0, 1]) {
      world.set({ wallMs: day * DAY_MS });
      await wrong.run({ wallMs: day * DAY_MS }, order);
      expect(await wrong.charged()).toBe(5 * (day + 1));
    }
    await wrong.place.vendor.setDate(null);
    wrong.place.writeList(domainsOf('more', 15));
    const silent = await wrong.run({ wallMs: 2 * DAY_MS }, order);
    expect(silent.stderr).toMatch(/answers have no Date, so days and ages come from this machine's clock/);
    expect(await wrong.charged()).toBe(15);
  });
});

function purge(wrong: WrongPlace, shift: Shift): Promise<Ended> {
  const words = ['store', 'purge', '--older-than', '30d', '--yes', '--json', '--store'];
  return wrong.type(shift, [...words, wrong.place.path('store')]);
}

describe('a sandbox in the store of a real account', () => {
  const PLAY: Order = { input: 'play.csv', output: 'play.out.csv', more: ['--account', 'sandbox-provider'] };

  /** A store in which a real vendor has told the time, and a list for the sandbox. */
  async function boughtBeside(): Promise<WrongPlace> {
    const wrong = await openWrong({ account: { retention: '30d' } }, 3);
    wrong.place.writeList(domainsOf('play', 3), 'play.csv');
    expect(await wrong.run({})).toMatchObject({ code: 0 });
    return wrong;
  }

  test('tells no time: a calendar that is ahead erases nothing, and leaves nothing behind', async () => {
    const wrong = await boughtBeside();
    const ahead = { wallMs: 60 * DAY_MS };
    expect(await wrong.run(ahead, PLAY)).toMatchObject({ code: 0, report: { counts: { matched: 3 } } });
    expect(await purge(wrong, ahead)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing is erased because of its age'),
    });
    expect(await wrong.run({})).toMatchObject({ code: 0, report: { requests: 0 } });
    wrong.place.writeList(domainsOf('more', 2));
    expect(await wrong.run({})).toMatchObject({ code: 0, report: { requests: 2 } });
    expect(await purge(wrong, {})).toMatchObject({ code: 0, report: { requests: 0 } });
  });

  proof(
    'sends as many requests at once as ever, though no answer of it tells more than the clock',
    async () => {
      const wrong = await boughtBeside();
      writeFileSync(wrong.place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
      const env = { ...wrong.clocks.env, ROWONCE_SANDBOX: '--latency 2s' };
      const playing = wrong.place.type(wrong.place.words({ ...PLAY, job: 'job.yaml' }), env);
      // The first one shows the price.
      const areTogether = (): boolean => wrong.place.ledger().open.length === 2;
      await playing.until(areTogether);
      expect(areTogether()).toBe(true);
      await playing.kill();
    },
  );

  proof('tells the time for its own answers, which are erased by it', async () => {
    const wrong = await openWrong({}, 3);
    wrong.place.writeList(domainsOf('play', 3), 'play.csv');
    expect(await wrong.run({}, PLAY)).toMatchObject({ code: 0 });
    wrong.place.writeList(domainsOf('again', 1), 'play.csv');
    expect(await wrong.run({ wallMs: 31 * DAY_MS }, PLAY)).toMatchObject({ code: 0 });
    expect(await purge(wrong, { wallMs: 31 * DAY_MS })).toMatchObject({ code: 0, report: { requests: 3 } });
  });
});

proof(
  'a calendar that is set back by a day during a run holds it up for no longer than a second',
  async () => {
    const wrong = await openWrong(
      { latencyMs: 20, account: { limits: { per_second: 50, concurrency: 4 } } },
      60,
    );
    await wrong.place.vendor.setDate(null);
    const program = wrong.start();
    await program.until(() => wrong.place.vendor.requests().length >= 5);
    wrong.clocks.set({ wallMs: -DAY_MS });
    const { code, report } = await program.ended;
    expect({ code, matched: report?.counts.matched }).toEqual({ code: 0, matched: 60 });
  },
);
