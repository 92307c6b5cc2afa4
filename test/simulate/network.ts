/**
 * The way to a vendor and back. It delays what goes and what comes, and cuts it: before it arrives, before the answer, or within it. What
 * arrives is acted on, whoever is still there to hear the answer.
 */
import fc, { type Arbitrary } from 'fast-check';
import { randomOf } from './chance.ts';
import type { Random, Schedule } from './schedule.ts';

export interface Question {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long the vendor thinks about it; left out: not at all. */
  readonly afterMs?: number;
  /** The vendor sends no end of it. */
  readonly isEndless?: boolean;
  /** The process has the whole answer. */
  readonly heard?: () => void;
}

/** Who is asked at an address. */
export interface Asked {
  answer(question: Question, nowMs: number): Answer;
}

/** `timeout`: no one answers to the wish for a connection. */
export type Unmade = 'refused' | 'unresolved' | 'certificate' | 'timeout';

/** `going`: it does not arrive. `silence`: it arrives, and no one hears of it any more. */
export type Cut = 'going' | 'answer' | 'body' | 'silence';

/** What happens to one exchange. */
export interface Way {
  /** No connection is made, for that reason. */
  readonly unmade?: Unmade;
  readonly outMs: number;
  readonly backMs: number;
  readonly cut?: Cut;
}

export interface Network {
  readonly schedule: Schedule;
  /** The next exchange is drawn, by what it asks and how often that was asked. */
  way(question: Question): Way;
  /** The vendor acts, and writes into its book. */
  arrive(question: Question): Answer;
  /** A request leaves the process. */
  left(question: Question): void;
}

/** How the network is: chances for each exchange. */
export interface Weather {
  readonly cuts: Readonly<Partial<Record<Cut, number>>>;
  readonly unmade: Readonly<Partial<Record<Unmade, number>>>;
  /** So long each way may take; what is long also comes in another order. */
  readonly outMs: number;
  readonly backMs: number;
}

export const calm: Weather = { cuts: {}, unmade: {}, outMs: 100, backMs: 300 };

const chance = fc.constantFrom(0.02, 0.1, 0.5, 1);

const losing = (cuts: Weather['cuts'], outMs: number, backMs: number): Weather => ({
  cuts,
  unmade: {},
  outMs,
  backMs,
});

export const weathers: Arbitrary<Weather> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(calm), weight: 2 },
  {
    arbitrary: fc
      .tuple(
        fc.record({ going: chance, answer: chance, body: chance, silence: chance }, { requiredKeys: [] }),
        fc.integer({ min: 1, max: 6_000 }),
        fc.integer({ min: 1, max: 6_000 }),
      )
      .map((drawn) => losing(...drawn)),
    weight: 3,
  },
  {
    arbitrary: fc
      .record(
        { refused: chance, unresolved: chance, certificate: chance, timeout: chance },
        { requiredKeys: [] },
      )
      .map((unmade) => ({ ...calm, unmade })),
    weight: 1,
  },
);

const whole = (chances: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(chances).map(([name, each]) => `${name} ${each}`);

export function weatherWords({ cuts, unmade, outMs, backMs }: Weather): string {
  const told = [...whole(cuts), ...whole(unmade)];
  const delays =
    outMs === calm.outMs && backMs === calm.backMs ? [] : [`ways up to ${outMs} and ${backMs} ms`];
  return [...told, ...delays].join(', ') || 'calm';
}

/** How long an attempt to connect goes on where no one answers. */
const CONNECT_MS = 10_000;

/** @param random of that exchange alone. */
export function wayIn({ cuts, unmade, outMs, backMs }: Weather, random: Random): Way {
  const unmadeBy = drawn(unmade, random);
  const way = { outMs: 5 + random() * outMs, backMs: 5 + random() * backMs };
  if (unmadeBy !== undefined)
    return { ...way, unmade: unmadeBy, outMs: unmadeBy === 'timeout' ? CONNECT_MS : way.outMs };
  const cut = drawn(cuts, random);
  return cut === undefined ? way : { ...way, cut };
}

function drawn<Name extends string>(
  chances: Readonly<Partial<Record<Name, number>>>,
  random: Random,
): Name | undefined {
  for (const [name, each] of Object.entries(chances) as [Name, number][]) if (random() < each) return name;
  return undefined;
}

/** The ways of a world: the same question for the same time goes the same way, whatever else is asked. */
export class Ways {
  readonly #seed: number;
  readonly #times = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  next(weather: Weather, { method, path, body }: Question): Way {
    const key = `${method} ${path} ${body}`;
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    return wayIn(weather, randomOf(this.#seed, 'way', key, times));
  }
}
