/**
 * Two lists that share rows, some six commands, and whatever may happen to them: what people do with a list, an account and a store over
 * weeks. In the end all is well, and both lists must end.
 */
import fc, { type Arbitrary } from 'fast-check';
import { calm, type Weather, weathers, weatherWords } from '../network.ts';
import { clocks, clockWords, DAY_MS, faultWords, HOUR_MS, MINUTE_MS, mishaps, timeWords } from '../people.ts';
import type { WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import { type Mood, moods, moodWords, oddMoods, well } from '../vendor.ts';
import { accountKinds, JOBS, type ListRow, TERMS } from '../workplace.ts';
import { type Act, acts, actWords, type Beside, beside } from './histories/acts.ts';
import { type Beginning, Life } from './histories/life.ts';

interface Step {
  /** How long no one types anything before. */
  readonly restMs: number;
  /** How vendor and network are meanwhile. */
  readonly mood: Mood;
  readonly weather: Weather;
  readonly act: Act;
  readonly faults: readonly Fault[];
  readonly beside: Beside | undefined;
}

interface History extends Beginning {
  readonly steps: readonly Step[];
  /** Of one of the steps, in place of its own. */
  readonly odd: { readonly at: number; readonly mood: Mood } | undefined;
}

const rowsFrom = (least: number): Arbitrary<readonly ListRow[]> =>
  fc.array(
    fc.record({
      company: fc.integer({ min: least, max: least + 9 }),
      isInvalid: fc.constantFrom(false, false, false, false, false, false, true),
    }),
    { minLength: 8, maxLength: 12 },
  );

const keyOf = <Key extends string>(of: Readonly<Record<Key, unknown>>): Arbitrary<Key> =>
  fc.oneof(fc.constant(Object.keys(of)[0] as Key), fc.constantFrom(...(Object.keys(of) as [Key, ...Key[]])));

const rests = fc.constantFrom(5_000, 15 * MINUTE_MS, 5 * HOUR_MS, DAY_MS, 5 * DAY_MS, 20 * DAY_MS);

const mostly = <Value>(usual: Value, all: Arbitrary<Value>): Arbitrary<Value> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: all });

const step: Arbitrary<Step> = fc.record({
  restMs: rests,
  mood: mostly(well, moods),
  weather: mostly(calm, weathers),
  act: acts,
  faults: mishaps,
  beside,
});

const MOST_STEPS = 8;

const withOdd = (steps: readonly Step[], odd: History['odd']): readonly Step[] =>
  steps.map((step, at) => (at === odd?.at ? { ...step, mood: odd.mood } : step));

const histories: WorldKind<History> = {
  name: 'histories',
  history: fc.record({
    clockMs: clocks,
    job: keyOf(JOBS),
    account: accountKinds,
    terms: keyOf(TERMS),
    a: rowsFrom(0),
    b: rowsFrom(5),
    steps: fc.array(step, { minLength: 3, maxLength: MOST_STEPS, size: 'max' }),
    odd: fc.option(fc.record({ at: fc.nat(MOST_STEPS), mood: oddMoods }), { nil: undefined, freq: 1 }),
  }),
  words: ({ clockMs, job, account, terms, a, b, steps, odd }) => [
    `${job}, ${terms} (${account})${clockWords(clockMs)}`,
    `list a: ${rowWords(a)}`,
    `list b: ${rowWords(b)}`,
    ...withOdd(steps, odd).map(stepWords),
  ],
  async play(stage, { steps, odd, ...beginning }) {
    const life = new Life(stage, beginning);
    for (const { restMs, mood, weather, act, faults, beside } of withOdd(steps, odd)) {
      await life.rest(restMs);
      stage.vendor.mood = mood;
      stage.weather = weather;
      await life.act(act, faults, beside);
    }
    await life.ends();
  },
};

const rowWords = (rows: readonly ListRow[]): string =>
  rows.map(({ company, isInvalid }) => `${company}${isInvalid ? ' (invalid)' : ''}`).join(', ');

function stepWords({ restMs, mood, weather, act, faults, beside }: Step): string {
  const also = beside && `${beside.afterMs} ms after it began: ${actWords(beside.act)}`;
  return [
    `${timeWords(restMs)} later: ${actWords(act)}`,
    mood.kind === 'well' ? undefined : `vendor: ${moodWords(mood)}`,
    weather === calm ? undefined : `network: ${weatherWords(weather)}`,
    ...faults.map(faultWords),
    also,
  ]
    .filter((words) => words !== undefined)
    .join('; ');
}

export default histories;
