/** One list, mostly of twelve rows, two to three runs, a crash in each but the last. */
import fs from 'node:fs';
import fc from 'fast-check';
import { planLook, requireOneCharge, Watch } from '../invariants.ts';
import { Judge } from '../judge.ts';
import { type ListKind, listKinds } from '../list-kinds.ts';
import { calm, type Weather, weathers, weatherWords } from '../network.ts';
import { clocks, clockWords, crashes, DAY_MS, objectIn, type, typedWords, waitUntil } from '../people.ts';
import { promise, type WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import { FIRST_DAY_MS, type Stage } from '../stage.ts';
import { type Arrival, givesTimes, type Mood, moods, moodWords, oddMoods, well } from '../vendor.ts';
import { requireWaysOut } from '../ways-out.ts';
import { type AccountKind, accountKinds, writeAccounts } from '../workplace.ts';

/** What somebody does before a run. The plan was made before the list was edited. */
type Deed = 'nothing' | 'forgets' | 'runs by a plan that moved';

const deeds = fc.constantFrom<Deed[]>(
  'nothing',
  'nothing',
  'nothing',
  'forgets',
  'runs by a plan that moved',
);

interface Typed {
  readonly deed: Deed;
  readonly faults: readonly Fault[];
  readonly mood: Mood;
  readonly weather: Weather;
}

interface History {
  /** By how much the clock is wrong at first; it is put right a day before the last run. */
  readonly clockMs: number;
  readonly kind: ListKind;
  readonly account: AccountKind;
  readonly rows: readonly number[];
  /** A list of more rows than are read at once. */
  readonly isLong: boolean;
  /** Of each run: what happens in it. */
  readonly runs: readonly Typed[];
  /** Of the first run, in place of its own. */
  readonly odd: Mood | undefined;
}

/** Seldom, because it takes the time of five others. */
const isLong = fc.oneof(
  { weight: 39, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

/** A thousand rows are read at once. Those that wait for answers stand near their end, and behind them. */
function listText({ header, row }: ListKind, rows: readonly number[], isLong: boolean): string {
  const asked = rows.map(row).join('');
  if (!isLong) return `${header}\n${asked}`;
  const one = row(99);
  return `${header}\n${one.repeat(900)}${asked}${one.repeat(88)}${asked.repeat(3)}`;
}

const RUN = ['run', 'job.yaml', 'list.csv', '--budget', '1000', '--yes', '--json'];

const withOdd = ([first, ...others]: readonly Typed[], odd: Mood | undefined): readonly Typed[] =>
  first === undefined ? [] : [{ ...first, mood: odd ?? first.mood }, ...others];

const lists: WorldKind<History> = {
  name: 'lists',
  history: fc.record({
    clockMs: clocks,
    kind: listKinds,
    account: accountKinds,
    rows: fc.array(fc.nat(12), { minLength: 12, maxLength: 12 }),
    isLong,
    runs: fc.array(fc.record({ deed: deeds, faults: crashes, mood: moods, weather: weathers }), {
      minLength: 1,
      maxLength: 2,
    }),
    odd: fc.option(oddMoods, { nil: undefined, freq: 1 }),
  }),
  words: ({ clockMs, kind, account, rows, isLong, runs, odd }) => [
    `${kind.name}, account ${account}${clockWords(clockMs)}`,
    `${isLong ? 'a long list with ' : ''}rows ${rows.join(' ')}`,
    ...withOdd(runs, odd).map(
      ({ deed, faults, mood, weather }) =>
        `${deed === 'nothing' ? '' : `somebody ${deed}; `}${typedWords(RUN, faults)}; vendor: ${moodWords(mood)}; network: ${weatherWords(weather)}`,
    ),
  ],
  async play(stage, { clockMs, kind, account, rows, isLong, runs, odd }) {
    stage.startMs += clockMs;
    writeAccounts(stage, {}, account);
    stage.write('job.yaml', kind.job);
    stage.write('list.csv', listText(kind, rows, isLong));
    const watch = new Watch(stage, CONCURRENCY);
    const judge = new Judge(stage);
    for (const { deed, faults, mood, weather } of withOdd(runs, odd)) {
      if (deed === 'forgets') await forget(stage, judge, kind);
      if (deed === 'runs by a plan that moved') await runByPlan(stage);
      stage.vendor.mood = mood;
      stage.weather = weather;
      const { length: before } = stage.vendor.arrivals;
      judge.run(await watch.run(RUN, faults));
      requireSeriesOfLater(stage.vendor.arrivals.slice(before));
      await watch.requireShown([planLook('job.yaml', 'list.csv')]);
    }
    stage.vendor.mood = well;
    stage.weather = calm;
    stage.startMs = FIRST_DAY_MS;
    if (clockMs !== 0) await stage.rest(DAY_MS);
    const mayBeHeld = withOdd(runs, odd).some(({ mood }) => givesTimes(mood));
    await typeToTheEnd(stage, watch, judge, mayBeHeld);
    requireOneCharge(stage);
    watch.requireBooks();
    judge.rows('list.enriched.csv', kind);
    await requireWaysOut(stage, watch);
  },
};

/**
 * Somebody who was bought, else the person of the first row, where the list has people. Who was bought is not
 * bought again; of others the store knows nothing. The list goes on in another order, because rows that have
 * ended ask nothing.
 */
async function forget(stage: Stage, judge: Judge, { header }: ListKind): Promise<void> {
  if (header !== 'Email') return;
  const [, ...rows] = listOf(stage).trimEnd().split('\n');
  const isBought = (row: string): boolean =>
    stage.vendor.charges.some(({ key }) => key.includes(JSON.stringify(row)));
  const person = rows.find(isBought) ?? rows[0] ?? '';
  const wasBought = isBought(person);
  const { exitCode } = await type(stage, ['forget', person, '--yes', '--json']);
  if (exitCode !== 0) return;
  judge.forgotten.set(person, wasBought);
  stage.write('list.csv', `${[header, ...rows.toReversed()].join('\n')}\n`);
}

const listOf = (stage: Stage): string => fs.readFileSync(stage.path('list.csv'), 'utf8');

/** A list that lost its last row is not what was planned: nothing starts. */
async function runByPlan(stage: Stage): Promise<void> {
  const plan = await type(stage, ['plan', 'job.yaml', 'list.csv', '--json']);
  const id = objectIn<{ id: string }>(plan.stdout)?.id;
  if (id === undefined) return;
  const text = listOf(stage);
  stage.write('list.csv', text.replace(/.*\n$/, ''));
  const { length } = stage.vendor.arrivals;
  const { exitCode } = await type(stage, ['run', 'job.yaml', 'list.csv', '--yes', '--json', '--plan', id]);
  promise(exitCode !== 0 && exitCode !== 3, `a run by a plan that moved ends with ${exitCode}`);
  promise(stage.vendor.arrivals.length === length, 'a run by a plan that moved asks the vendor');
  stage.write('list.csv', text);
}

const CONCURRENCY = 4;
const MOST_LATER = 5;

/** Where nothing else is answered, five answers that come later and for which cannot be asked stop a run. */
function requireSeriesOfLater(arrivals: readonly Arrival[]): void {
  const isAll = arrivals.every(({ ailment }) => ailment === 'webhook');
  const most = MOST_LATER + CONCURRENCY;
  promise(
    !isAll || arrivals.length <= most,
    `${arrivals.length} calls are answered to a webhook, and none else`,
  );
}

const MOST_ENDS = 4;

/**
 * All is well: the same command ends, at the time that it names, and with the answer of a person where it asks for one.
 * @param mayBeHeld whether the vendor has ever given a time; else each start asks it at once, and is answered.
 */
async function typeToTheEnd(stage: Stage, watch: Watch, judge: Judge, mayBeHeld: boolean): Promise<void> {
  const accepted: string[] = [];
  for (let times = 0; times < MOST_ENDS; times += 1) {
    const ended = await watch.run([...RUN, ...accepted]);
    const stop = judge.run(ended)?.stopped;
    if (ended.exitCode === 0 || ended.exitCode === 3) return;
    promise(mayBeHeld || stop?.code !== 'paused', `it waits, and nobody gave a time: ${ended.stdout}`);
    promise(stop?.resume_at !== null || stop.answers?.[0] !== undefined, `it cannot go on: ${ended.stdout}`);
    if (stop?.resume_at) waitUntil(stage, stop.resume_at);
    else accepted.splice(0, accepted.length, '--accept', stop?.answers?.[0] ?? '');
  }
  promise(false, `the list does not end in ${MOST_ENDS} runs`);
}

export default lists;
