import { abnOf } from '../simulate/workplace.ts';

/**
 * A list that came again, of which the truth is known: 300 companies before and 305 now, 308 rows in all. 294 are as before, wherever
 * they stand; 3 are changed, 8 are new, and 3 are gone.
 */

interface Company {
  readonly name: string;
  readonly abn: string;
  readonly web: string;
  readonly city: string;
}

const HEADER = 'Company,ABN,Web,City';
const CITIES = ['Perth', 'Hobart', 'Cairns', 'Darwin'];

const companyOf = (number: number): Company => ({
  name: `Company ${number} Pty Ltd`,
  abn: abnOf(number),
  web: `https://www.company${number}.example`,
  city: CITIES[number % CITIES.length] ?? '',
});

const lineOf = ({ name, abn, web, city }: Company): string => [name, abn, web, city].join();

const fileOf = (companies: readonly Company[]): string =>
  `${[HEADER, ...companies.map(lineOf)].join('\n')}\n`;

/** Some rows of each of the two lists, by their numbers in a spreadsheet. */
export interface CameAgain {
  readonly before: string;
  readonly now: string;
  readonly truth: {
    readonly same: number;
    readonly added: readonly number[];
    readonly changed: readonly (readonly [now: number, before: number])[];
    readonly gone: readonly number[];
  };
}

export function cameAgain(): CameAgain {
  const before = Array.from({ length: 300 }, (_, at) => companyOf(at));
  const gone = [4, 150, 299];
  // One has another ABN, one another city and no identifier that it had not, one is known by its other cells alone.
  const changes = new Map<number, (of: Company) => Company>([
    [10, (of) => ({ ...of, abn: abnOf(5000) })],
    [20, (of) => ({ ...of, city: 'Broome' })],
    [30, (of) => ({ ...of, abn: of.abn.slice(1), web: '' })],
  ]);
  const kept = before.flatMap((of, at) => (gone.includes(at) ? [] : [{ of, at }]));
  // What was at the end comes first: no row stands where it stood.
  const moved = [...kept.slice(200), ...kept.slice(0, 200)];
  const added = Array.from({ length: 8 }, (_, at) => companyOf(1000 + at));
  const now: { of: Company; at?: number }[] = [...moved];
  // A new row stands at the place of one that is gone.
  for (const [nth, of] of added.entries()) now.splice(nth * 37, 0, { of });
  const rows = now.map(({ of, at }) => (at === undefined ? of : (changes.get(at)?.(of) ?? of)));
  const numberOf = (place: number): number => place + 2;
  return {
    before: fileOf(before),
    now: fileOf(rows),
    truth: {
      same: 294,
      added: now.flatMap(({ at }, place) => (at === undefined ? [numberOf(place)] : [])),
      changed: now.flatMap(({ at }, place) =>
        at !== undefined && changes.has(at) ? [[numberOf(place), numberOf(at)] as const] : [],
      ),
      gone: gone.map(numberOf),
    },
  };
}
