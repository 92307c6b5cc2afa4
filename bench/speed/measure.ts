import { type Cost, median, medianCost } from '../program.ts';
import type { FigureName } from './goals.ts';

/** What all measures share: how often and how much, contestants side by side, and what comes of it. */

export interface Options {
  /** Instead of the rows that each measure takes by itself. */
  readonly rows: number | undefined;
  /** Minutes instead of hours: fewer rows. */
  readonly quick: boolean;
  readonly runs: number;
  /** An empty folder, for this measure alone. */
  readonly folder: string;
  /** Says what is being done, to whoever waits. */
  readonly say: (text: string) => void;
}

export function rowsOf({ rows, quick }: Options, full: number, fewer: number): number {
  return rows ?? (quick ? fewer : full);
}

/** One figure beside what it must be. */
export interface Figure {
  readonly name: FigureName;
  readonly now: string;
}

/** A line of the second table: what a contestant costs. */
export interface Line {
  readonly measure: string;
  readonly contestant: string;
  readonly rows: number;
  readonly cost: Cost;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly lines: readonly Line[];
}

export interface Contestant {
  readonly name: string;
  readonly rows: number;
  readonly run: () => Promise<Cost>;
}

/** Of each contestant all runs, the first of each taken in the same round. */
export class Rounds {
  readonly #costs = new Map<string, Cost[]>();
  readonly #contestants: readonly Contestant[];

  private constructor(contestants: readonly Contestant[]) {
    this.#contestants = contestants;
  }

  /** Each runs once in every round, so that what disturbs the machine for a while disturbs all of them. */
  static async of({ runs, say }: Options, contestants: readonly Contestant[]): Promise<Rounds> {
    const rounds = new Rounds(contestants);
    for (let round = 0; round < runs; round += 1) {
      for (const { name, run } of contestants) {
        const cost = await run();
        rounds.#costs.set(name, [...rounds.costs(name), cost]);
        say(`round ${round + 1} of ${runs}: ${name} ${cost.seconds.toFixed(2)} s`);
      }
    }
    return rounds;
  }

  costs(name: string): readonly Cost[] {
    return this.#costs.get(name) ?? [];
  }

  lines(measure: string): readonly Line[] {
    return this.#contestants.map(({ name, rows }) => {
      return { measure, contestant: name, rows, cost: medianCost(this.costs(name)) };
    });
  }

  /** How often the time of one is in that of another, for as many rows: the median of the ratios of the rounds. */
  times(name: string, of: string): string {
    const seconds = this.#ratio(name, of, (cost) => cost.seconds);
    const processor = this.#ratio(name, of, (cost) => cost.processorSeconds + cost.serverSeconds);
    return `${seconds} (processor ${processor})`;
  }

  /** How often the speed of one is in that of another. */
  speed(name: string, of: string): string {
    return this.times(of, name);
  }

  /** How often the processor time of one is in that of another, and what it is for a million rows. */
  processor(name: string, of: string): string {
    const { rows = 1 } = this.#contestants.find((each) => each.name === name) ?? {};
    const { processorSeconds } = medianCost(this.costs(name));
    const million = ((processorSeconds / rows) * 1_000_000).toFixed(0);
    return `${this.#ratio(name, of, (cost) => cost.processorSeconds)} (${million} s a million)`;
  }

  #ratio(name: string, of: string, read: (cost: Cost) => number): string {
    const others = this.costs(of);
    const ratios = this.costs(name).map((cost, round) => read(cost) / read(others[round] ?? cost));
    return median(ratios).toFixed(2);
  }
}
