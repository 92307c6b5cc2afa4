/**
 * Goal: a clock that is wrong spends nothing twice and passes no budget: it may forbid, and never permit.
 * Method: the real command with its calendar, its boot clock and the name of its boot put wrong (`shifted-clock.ts`), over
 * a vendor that has the true time and says it with each answer; where days have to pass for it as well, in a process of
 * its own. What nobody kills is typed on a machine that goes on (`machine.ts`). Its book says what was charged. Here stays one shift for each rule that a clock could get past, the day ahead,
 * the day back, the other boot and the missing Date, because each is held by a check of its own; ten shifts from seconds to
 * a year, at random moments between kills, are the matter of `npm run faults -- --kills 1000`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';
import { Clocks } from './clocks.ts';
import { Machine } from './machine.ts';
import { type Ended, endedOf } from './program.ts';
import type { Shift } from './shifted-clock.ts';
import { domainsOf, type Order, Workplace, type WorkplaceOptions } from './workplace.ts';

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** Each start of a machine, by the name of its boot; undefined: this one, with the clocks of the tester. */
const machines = new Map<string | undefined, Machine>();

afterAll(() => {
  for (const machine of machines.values()) machine.stop();
});

function machineOf(boot: string | undefined): Machine {
  const machine = machines.get(boot) ?? new Machine();
  machines.set(boot, machine);
  return machine;
}

/** A user whose machine's clocks go wrong. */
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
    return endedOf(await machineOf(shift.boot).type({ words, env, shift }));
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
  'a repeat under a key is not sent when the boot clock says that the vendor has forgotten it',
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
    const stopped = await wrong.run({ wallMs: HOUR_MS, uptimeMs: 26 * HOUR_MS });
    expect(stopped).toMatchObject({ code: 2, report: { stopped: { code: 'clock' } } });
    expect(stopped.report?.stopped?.message).toMatch(/1 d 1 h apart/);
    const put = await wrong.run({ wallMs: 26 * HOUR_MS, uptimeMs: 26 * HOUR_MS });
    expect(put).toMatchObject({ code: 3, report: { credits: { spent: 4, in_doubt: 8 } } });
    expect(await vendor.book()).toMatchObject({ credits: 12, charged_twice: [] });
  },
);

proof(
  'a repeat under a key waits, in another boot, until an answer has told the time, and is then sent',
  async () => {
    const wrong = await openWrong({ way: 'keyed', concurrency: 4, latencyMs: 100 }, 14);
    const { vendor } = wrong.place;
    const killed = wrong.start();
    // Answered once, so that the time of the first boot is known.
    await killed.until(() => vendor.requests().length >= 7);
    await killed.kill();
    const ended = await wrong.run({ boot: 'second', uptimeMs: -HOUR_MS });
    expect(ended).toMatchObject({ code: 0, report: { counts: { matched: 14 } } });
    expect(await vendor.book()).toMatchObject({ credits: 14, charged_twice: [] });
    // Nothing else was bought here that could have told it.
    const alone = await openWrong({ way: 'keyed', concurrency: 4, latencyMs: 10_000 }, 4);
    const first = alone.start();
    await first.until(() => alone.place.vendor.requests().length >= 4);
    await first.kill();
    const held = await alone.run({ boot: 'second' });
    expect(held).toMatchObject({ code: 3, report: { requests: 0, counts: { in_doubt: 4 } } });
  },
);

describe('refresh_after', () => {
  const JOB = { job: 'job.yaml' };

  async function bought(options: WorkplaceOptions = {}): Promise<WrongPlace> {
    const wrong = await openWrong(options, 6);
    writeFileSync(wrong.place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
    expect(await wrong.run({}, JOB)).toMatchObject({ code: 0 });
    return wrong;
  }

  test('buys nothing anew when the calendar is a year ahead, and the run says so', async () => {
    const wrong = await bought();
    const inAYear = { wallMs: 365 * DAY_MS };
    const ahead = await wrong.run(inAYear, JOB);
    expect(ahead).toMatchObject({ code: 0, report: { credits: { spent: 6 } } });
    expect(ahead.stderr).toMatch(/This machine's clock says .*, but a vendor.s answer says/);
    const [, job = '', list = ''] = wrong.place.words(JOB);
    const words = ['plan', job, list, '--account', 'data', '--store', wrong.place.path('store'), '--json'];
    const planned = await wrong.type(inAYear, words);
    expect(planned.report, 'and a plan says so, too').toMatchObject({ bought_before: 6, to_buy: 0 });
    expect(await wrong.charged()).toBe(6);
  });

  proof(
    'buys one at most when the machine was started with it, stops, and buys no more once it is right',
    async () => {
      const wrong = await bought();
      const ahead = await wrong.run({ wallMs: 365 * DAY_MS, boot: 'second' }, JOB);
      expect(ahead).toMatchObject({ code: 2, report: { stopped: { code: 'clock' } } });
      expect(ahead.report?.stopped?.next).toBe(
        'Set the clock of this machine, then run the same command again.',
      );
      expect(await wrong.run({ wallMs: 365 * DAY_MS, boot: 'second' }, JOB)).toMatchObject({ code: 0 });
      expect(await wrong.run({ boot: 'second' }, JOB)).toMatchObject({ code: 0 });
      expect(await wrong.charged()).toBe(7);
    },
  );

  proof('buys anew what is old, at full speed, once the first answer has confirmed the time', async () => {
    const world = worldClocks();
    const wrong = await world.during(() => bought({ ownProcess: true }));
    world.set({ wallMs: 31 * DAY_MS });
    const later = await wrong.run({ wallMs: 31 * DAY_MS, boot: 'second' }, JOB);
    expect(later).toMatchObject({ code: 0, report: { requests: 6 } });
    expect(await wrong.charged()).toBe(12);
  });
});

describe('a budget per day', () => {
  const perDay = { account: { budget: { per_day: 5 } } };
  const order = { budget: 100 };

  test('is one budget, whichever day the calendar says, while the machine runs', async () => {
    const wrong = await openWrong(perDay, 15);
    for (const wallMs of [0, -DAY_MS, 40 * DAY_MS])
      expect(await wrong.run({ wallMs }, order), `${wallMs}`).toMatchObject({ code: 4 });
    expect(await wrong.charged()).toBe(5);
  });

  proof('is one budget, too, where the vendor says no time', async () => {
    const wrong = await openWrong(perDay, 15);
    await wrong.place.vendor.setDate(null);
    const first = await wrong.run({}, order);
    expect(first.stderr).toMatch(/answers have no Date, so days and ages come from this machine's clocks/);
    expect(await wrong.run({ wallMs: DAY_MS }, order)).toMatchObject({ code: 4 });
    expect(await wrong.charged()).toBe(5);
  });

  proof(
    'gets a request more, and not a new day, from a machine that was started with a wrong day',
    async () => {
      const wrong = await openWrong(perDay, 15);
      await wrong.run({}, order);
      for (let again = 0; again < 2; again += 1) {
        const ended = await wrong.run({ wallMs: DAY_MS, boot: 'second' }, order);
        expect(ended.code).toBe(again === 0 ? 2 : 4);
      }
      expect(await wrong.charged()).toBe(6);
      const right = await wrong.run({ boot: 'second' }, order);
      expect(right).toMatchObject({ code: 4, report: { stopped: { code: 'account_budget' } } });
      expect(right.report?.stopped?.message).toMatch(
        /Today is counted as .*, and what was spent on .* counts as well/,
      );
      const least = /raise per_day in the account to (\d+)/.exec(right.report?.stopped?.next ?? '')?.[1];
      const edit = ['accounts', 'edit', 'data', `--budget-per-day=${least}`, '--json'];
      expect(await wrong.type({}, edit)).toMatchObject({ code: 0 });
      expect(await wrong.run({ boot: 'second' }, order)).toMatchObject({
        code: 4,
        report: { stopped: { message: expect.not.stringContaining('Today counts') } },
      });
    },
  );

  proof.each([
    ['none, a false one, and none again', [null, -3, null]],
    ['a false one four times, and others', [-5, -5, -5, -5, -4, -3, 0]],
  ])('is one budget when the vendor sends these Dates: %s', async (_, days) => {
    const FEW = { input: 'few.csv', output: 'few.out.csv' };
    const wrong = await openWrong(perDay, 15);
    wrong.place.writeList(domainsOf('few', 4), 'few.csv');
    for (const [index, day] of days.entries()) {
      await wrong.place.vendor.setDate(day === null ? null : day * DAY_MS);
      await wrong.run({}, index === 0 ? { ...order, ...FEW } : order);
    }
    expect(await wrong.charged()).toBe(5);
  });

  proof('is a new one on the next day, in a run by night that nobody watches', async () => {
    const world = worldClocks();
    const wrong = await world.during(() => openWrong({ ...perDay, ownProcess: true }, 15));
    for (const day of [0, 1]) {
      world.set({ wallMs: day * DAY_MS });
      await wrong.run({ wallMs: day * DAY_MS, boot: `of day ${day}` }, order);
      expect(await wrong.charged()).toBe(5 * (day + 1));
    }
    await wrong.place.vendor.setDate(null);
    wrong.place.writeList(domainsOf('more', 15));
    for (const day of [2, 3]) {
      await wrong.run({ wallMs: day * DAY_MS, boot: `of day ${day}` }, order);
      expect(await wrong.charged()).toBe(5 * (day + 1));
    }
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

  test.each(
    some(
      [
        ['in another boot', { boot: 'second', uptimeMs: -HOUR_MS }],
        ['in the same boot', {}],
      ],
      1,
    ),
  )(
    'tells no time: a calendar that is ahead %s erases nothing, and leaves nothing behind',
    async (_, boot) => {
      const wrong = await boughtBeside();
      const ahead = { ...boot, wallMs: 60 * DAY_MS };
      expect(await wrong.run(ahead, PLAY)).toMatchObject({ code: 0, report: { counts: { matched: 3 } } });
      expect(await purge(wrong, ahead)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Nothing is erased because of its age'),
      });
      expect(await wrong.run(boot)).toMatchObject({ code: 0, report: { requests: 0 } });
      wrong.place.writeList(domainsOf('more', 2));
      expect(await wrong.run(boot)).toMatchObject({ code: 0, report: { requests: 2 } });
      expect(await purge(wrong, boot)).toMatchObject({ code: 0, report: { requests: 0 } });
    },
  );

  proof(
    'sends as many requests at once as ever, though no answer of it will ever tell the time',
    async () => {
      const wrong = await boughtBeside();
      writeFileSync(wrong.place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
      wrong.clocks.set({ boot: 'second' });
      const env = { ...wrong.clocks.env, ROWONCE_SANDBOX: '--latency 2s' };
      const playing = wrong.place.type(wrong.place.words({ ...PLAY, job: 'job.yaml' }), env);
      // The first one shows the price.
      const areTogether = (): boolean => wrong.place.ledger().open.length === 2;
      await playing.until(areTogether);
      expect(areTogether()).toBe(true);
      await playing.kill();
    },
  );

  proof(
    'tells the time where nothing was bought yet, and the first real run begins without what it told',
    async () => {
      const wrong = await openWrong({ account: { budget: { per_day: 2 } } }, 3);
      wrong.place.writeList(domainsOf('play', 3), 'play.csv');
      expect(await wrong.run({}, PLAY)).toMatchObject({ code: 0 });
      const later = { wallMs: 31 * DAY_MS, uptimeMs: 31 * DAY_MS };
      expect(await purge(wrong, later)).toMatchObject({ code: 0, report: { requests: 3 } });
      const ahead = { boot: 'second', wallMs: 60 * DAY_MS };
      wrong.place.writeList(domainsOf('more', 2), 'play.csv');
      expect(await wrong.run(ahead, PLAY)).toMatchObject({ code: 0, report: { requests: 2 } });
      const real = await wrong.run({ boot: 'third' }, { budget: 100 });
      expect([real.code, real.report?.requests]).toEqual([4, 2]);
      expect(real.stderr).not.toContain("a vendor's answer says");
      expect(await purge(wrong, { boot: 'third' })).toMatchObject({ code: 0, report: { requests: 0 } });
    },
  );
});

describe('a future that the vendor and the calendar had both claimed', () => {
  test('is taken back by the next answer that agrees with the calendar, and no day is paid for twice', async () => {
    const wrong = await openWrong({ concurrency: 1, account: { budget: { per_day: 5 } } }, 3);
    const { vendor } = wrong.place;
    const run = async (shift: Shift, list: string, rows: number): Promise<Ended> => {
      await vendor.setDate(shift.wallMs ?? 0);
      wrong.place.writeList(domainsOf(list, rows), `${list}.csv`);
      return wrong.run(shift, { input: `${list}.csv`, output: `${list}.out.csv`, budget: 100 });
    };
    expect(await run({}, 'then', 3)).toMatchObject({ code: 0 });
    expect(await run({ wallMs: 60 * DAY_MS, boot: 'second' }, 'ahead', 2)).toMatchObject({ code: 0 });
    const now = await run({ boot: 'third' }, 'now', 9);
    expect(now).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/which was wrong: this machine's clock/),
    });
    expect(now.report?.requests, 'one of that day, and what this day has left').toBe(1 + 2);
    expect(await wrong.charged()).toBe(3 + 2 + 1 + 2);
    expect(await purge(wrong, { boot: 'third' })).toMatchObject({ code: 0, report: { requests: 0 } });
  });

  proof('sends nothing again under a key that it had called forgotten', async () => {
    const wrong = await openWrong({ way: 'keyed', concurrency: 4, latencyMs: 2_000 }, 4);
    const { vendor } = wrong.place;
    const killed = wrong.start();
    await killed.until(() => vendor.requests().length >= 4);
    await killed.kill();
    const run = async (shift: Shift, list: string): Promise<Ended> => {
      await vendor.setDate(shift.wallMs ?? 0);
      wrong.place.writeList(domainsOf(list, 1), `${list}.csv`);
      return wrong.run(shift, { input: `${list}.csv`, output: `${list}.out.csv` });
    };
    expect(await run({ wallMs: 2 * DAY_MS, boot: 'second' }, 'ahead')).toMatchObject({ code: 0 });
    expect(await run({ boot: 'third' }, 'now')).toMatchObject({ code: 0 });
    const again = await wrong.run({ boot: 'third' });
    expect(again).toMatchObject({ code: 3, report: { requests: 0, counts: { in_doubt: 4 } } });
  });

  proof(
    'ends a run that buys anew by a cut-off of that future, and the same command goes on without one',
    async () => {
      const wrong = await openWrong({ concurrency: 1 }, 3);
      writeFileSync(wrong.place.path('job.yaml'), 'operation: enrich-company\nrefresh_after: 30d\n');
      expect(await wrong.run({})).toMatchObject({ code: 0 });
      await wrong.place.vendor.setDate(60 * DAY_MS);
      wrong.place.writeList(domainsOf('ahead', 1), 'ahead.csv');
      const ahead = { input: 'ahead.csv', output: 'ahead.out.csv' };
      expect(await wrong.run({ wallMs: 60 * DAY_MS, boot: 'second' }, ahead)).toMatchObject({ code: 0 });
      await wrong.place.vendor.setDate(0);
      const third = { boot: 'third' };
      const stopped = await wrong.run(third, { job: 'job.yaml' });
      expect(stopped).toMatchObject({ code: 2, report: { stopped: { code: 'clock' }, requests: 1 } });
      expect(await wrong.run(third, { job: 'job.yaml' })).toMatchObject({ code: 0, report: { requests: 0 } });
      expect(await wrong.charged()).toBe(3 + 1 + 1);
    },
  );
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
    const { code, stderr, report } = await program.ended;
    expect({ code, matched: report?.counts.matched }).toEqual({ code: 0, matched: 60 });
    expect(stderr).toMatch(/This machine's clock was set 1 d back/);
  },
);
