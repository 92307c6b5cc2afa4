/**
 * Goal: what is shown of a run tells the truth, says the same as everything else does, and is never in the way of a question.
 * Method: real runs, typed in front of a terminal or not; where minutes have to pass, the real progress on a clock that passes only
 * here, before a ledger that says what the test says.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Progress } from '../../../src/commands/run/progress.ts';
import type { Console } from '../../../src/commands/shared/command.ts';
import { localTime } from '../../../src/core/clock.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import type { Batch, BatchId, LedgerReader } from '../../../src/ledger/ledger.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type Answer, type Desk, deskBefore } from '../desk.ts';

const BATCH = {
  kind: 'batch',
  batch: 'abcdef01' as BatchId,
  rows: 12_000,
  settled: 0,
  inDoubt: 0,
  resumed: false,
} as const;

describe('in time', () => {
  let clock: VirtualClock;
  let shown: (readonly string[])[];
  let said: string[];
  let progress: Progress;
  let counts: Record<string, number>;
  let money: Record<string, number>;

  const ledger = {
    counts: async () => counts,
    batchMoney: async () => money,
    rowsAt: async () => [],
  } as unknown as LedgerReader;

  function begin(watched: boolean, more?: { sample?: number; maxPauseMs?: number }): void {
    clock = new VirtualClock();
    [shown, said, counts, money] = [[], [], {}, { spent: 0, inDoubt: 0, reserved: 0 }];
    const console: Partial<Console> = {
      json: true,
      quiet: false,
      watched,
      say: (line) => void said.push(line),
      status: (...lines) => void shown.push(lines),
    };
    progress = new Progress(console as Console, clock, more);
  }

  async function works(more: Partial<RunEvent> = {}): Promise<void> {
    progress.onEvent({ ...BATCH, ...more } as RunEvent);
    await progress.begin(ledger, { id: BATCH.batch, settings: {} } as Batch);
  }

  /** Lets time pass, for the clock, and at its end for the timer that draws. */
  async function pass(durationMs: number): Promise<void> {
    clock.pass(durationMs);
    await vi.advanceTimersByTimeAsync(Math.min(durationMs, 1_000));
  }

  const line = (): string => shown.at(-1)?.at(-1) ?? '';

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    progress.close();
    vi.useRealTimers();
  });

  test('figures are those of the ledger: reserved is not spent, and spent, in doubt and left are the budget', async () => {
    begin(true);
    await works();
    counts = { matched: 1_200, invalid: 300 };
    money = { cap: 5_000, spent: 1_400, inDoubt: 2, reserved: 8 };
    await pass(1_000);
    expect(line()).toBe(
      '13 % · 1,500/12,000 rows · 1,200 matched · 1,400 credits · 2 in doubt · 3,598 of the budget left',
    );
  });

  test('a long pause is said once, shown with its end, and counted down', async () => {
    begin(true);
    await works();
    const why = 'the vendor asked to wait';
    progress.onEvent({ kind: 'paused', untilMs: clock.wallMs() + 3_600_000, why, asked: true });
    await pass(1_000);
    expect(said).toContain(`Paused until ${localTime(Date.UTC(2026, 10, 20, 1))}: the vendor asked to wait.`);
    progress.onEvent({ kind: 'paused', untilMs: 20 + clock.wallMs() + 3_599_000, why, asked: true });
    expect(said.filter((each) => each.startsWith('Paused'))).toHaveLength(1);
    expect(line()).toContain(' paused, 59 min 59 s to go');
    await pass(3_600_000 - 1_000 - 75_000);
    expect(line()).toContain(' 1 min 15 s to go');
    await pass(75_020);
    expect(line()).not.toContain('paused');
  });

  test('each wait for a probe of a limit without a time is said, with its end', async () => {
    begin(true, { maxPauseMs: 600_000 });
    await works();
    for (const minutes of [1, 2]) {
      const untilMs = clock.wallMs() + minutes * 60_000;
      const why = 'the vendor gives no time';
      progress.onEvent({ kind: 'paused', untilMs, why, asked: false, isProbed: true });
      expect(said.at(-1)).toBe(`Paused until ${localTime(untilMs)}: the vendor gives no time.`);
      await pass(minutes * 60_000);
    }
  });

  test.each([
    [600_000, 'nothing has moved for 10 min (--max-pause)'],
    [undefined, 'you stop it, or give a --max-pause'],
  ])(
    'an outage is said once until an answer comes, with when that is given up: %s',
    async (maxPauseMs, words) => {
      begin(true, maxPauseMs === undefined ? {} : { maxPauseMs });
      await works();
      const paused = async () => {
        await pass(10_000);
        const untilMs = clock.wallMs() + 8_000;
        progress.onEvent({ kind: 'paused', untilMs, why: 'connect ECONNREFUSED', asked: false });
      };
      for (let round = 0; round < 5; round += 1) await paused();
      expect(said.slice(1)).toEqual([`Paused: connect ECONNREFUSED. It is tried until ${words}.`]);
      progress.onEvent({ kind: 'answered', found: true, credits: 1, row: 2, call: 'a' });
      await paused();
      expect(said).toHaveLength(3);
    },
  );

  test('off a terminal there is a line early, then one a minute, and one at the end', async () => {
    begin(false);
    await works();
    await pass(9_000);
    expect(said).toEqual(['Batch abcdef01: 12,000 rows.']);
    await pass(2_000);
    expect(said.slice(1)).toEqual(['0 % · 0/12,000 rows · 0 matched · 0 credits']);
    for (let second = 0; second < 59; second += 1) await pass(1_000);
    expect(said).toHaveLength(2);
    await pass(2_000);
    expect(said).toHaveLength(3);
    counts = { matched: 12_000 };
    await progress.end(ledger, { id: BATCH.batch, settings: {} } as Batch);
    progress.close();
    expect(said.slice(3)).toEqual(['100 % · 12,000/12,000 rows · 12,000 matched · 0 credits']);
  });
});

const COMPANIES: Answer = ({ input: { domain = '' } }) => ({ name: domain, employee_count: 1_200 });
const ADD = ['--add', 'Staff=employee_count'];

async function deskWithCompanies(answer: Answer = COMPANIES): Promise<Desk> {
  const { desk } = await deskBefore(answer);
  const rows = ['Salvation Army,army', 'Acme,acme', 'Initech,initech', 'Hooli,hooli', 'Umbrella,umbrella'];
  await desk.write('list.csv', `Name,Domain\n${rows.map((row) => `${row}.example\n`).join('')}`);
  return desk;
}

describe('on a terminal', () => {
  const FIRST = [
    'row 2  Salvation Army  Staff 1200',
    'row 3  Acme  Staff 1200',
    'row 4  Initech  Staff 1200',
  ];

  test('finds are shown while they are found, and three rows of the output at the end', async () => {
    let waited = 0;
    const desk = await deskWithCompanies((asked, nth) => {
      if (nth !== 4 || waited > 0) return COMPANIES(asked, nth);
      waited += 1;
      return new Response('{"error":"too fast"}', { status: 429, headers: { 'retry-after': '3' } });
    });
    const { stderr } = await desk.type(desk.run(...ADD, '--limit', '4'), { isWatched: true });
    const drawn = stderr.split('\u001b[J');
    const whileRunning = drawn.slice(0, -1).join('');
    for (const find of FIRST) expect(whileRunning).toContain(find);
    expect(whileRunning).toMatch(/3\/4 rows · paused, \d s to go · 3 matched · 3 credits/);
    expect(drawn.at(-1)).toBe(`${FIRST.join('\n')}\n`);
  });
});

test('who finds the store in use is told by whom, with which list, and how far that is', async () => {
  let second = { code: null as number | null, stderr: '' };
  const desk = await deskWithCompanies(async (asked, nth) => {
    // The third question is under way until the second run has ended.
    if (nth === 3) second = await desk.start([...desk.run(), '--as', 'ben']);
    return COMPANIES(asked, nth) as object;
  });
  await desk.type([...desk.run(), '--as', 'anna']);
  const { code, stderr } = second;
  expect(code).toBe(76);
  expect(stderr).toMatch(
    /^anna has been running list\.csv since .* \d\d:\d\d: 2 of 5 rows \(process \d+, ".*list\.csv.*"\)\.\nLet it end, /,
  );
});
