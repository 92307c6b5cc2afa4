import type { Sheet } from '../../core/format.ts';
import { isAbn, isEmail, isWebsite } from '../../operations/lookup/recognise.ts';
import { countryOfNumber } from '../quality/countries.ts';
import { SHARE_THAT_DECIDES, squeezed } from './column-kind.ts';

/** Which country a list is of, by what its cells say beside the numbers: a column of countries, codes, ABNs, ends of addresses. */

export interface GuessedCountry {
  /** Two letters. */
  readonly code: string;
  /** By what, as a phrase. */
  readonly because: string;
}

const ROWS_LOOKED_AT = 500;

/** Fewer addresses may be those of a company abroad. */
const LEAST_ADDRESSES = 3;

const NAMES_OF_COLUMN = new Set([
  'country',
  'countrycode',
  'countryregion',
  'land',
  'pais',
  'pays',
  'nation',
]);

/** Ends that are used everywhere, whatever country they are of. */
const EVERYWHERE = new Set(['ai', 'co', 'fm', 'io', 'me', 'tv', 'eu', 'cc', 'gg', 'ly', 'sh', 'to', 'vc']);

class Votes {
  readonly #counts = new Map<string, number>();
  #all = 0;

  add(code: string): void {
    this.#all += 1;
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
  }

  get count(): number {
    return this.#all;
  }

  get winner(): string | undefined {
    const [code, count] = [...this.#counts].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    return count > 0 && count >= this.#all * SHARE_THAT_DECIDES ? code : undefined;
  }
}

/** The first source that says anything decides, or nothing does: a list of several countries is of none. */
export async function guessCountry(
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
): Promise<GuessedCountry | undefined> {
  const sources = new Sources(header);
  for await (const cells of firstRows(sheet))
    for (const [at, cell] of cells.entries()) await sources.add(at, cell);
  return sources.decision();
}

/** What speaks for countries, in the order in which it is believed. */
class Sources {
  readonly #named = new Votes();
  readonly #numbers = new Votes();
  readonly #abns = new Votes();
  readonly #ends = new Votes();
  readonly #ofCountries: ReadonlySet<number>;

  constructor(header: readonly string[]) {
    this.#ofCountries = new Set(
      header.flatMap((name, place) => (NAMES_OF_COLUMN.has(squeezed(name)) ? [place] : [])),
    );
  }

  async add(place: number, cell: string): Promise<void> {
    const text = cell.trim();
    if (text === '') return;
    if (this.#ofCountries.has(place)) this.#named.add(codeOfName(text) ?? '');
    else if (text.startsWith('+')) this.#numbers.add((await countryOfNumber(text)) ?? '');
    else if (isAbn(text)) this.#abns.add('AU');
    else if (isEmail(text) || isWebsite(text)) addEnd(this.#ends, text);
  }

  decision(): GuessedCountry | undefined {
    const sources = [
      { votes: this.#named, because: 'by its column of countries', least: 2 },
      { votes: this.#numbers, because: 'by its numbers with a country code', least: 2 },
      { votes: this.#abns, because: 'by its ABNs', least: 2 },
      { votes: this.#ends, because: 'by its e-mail addresses and websites', least: LEAST_ADDRESSES },
    ];
    const decisive = sources.find(({ votes, least }) => votes.count >= least);
    const code = decisive?.votes.winner;
    return decisive === undefined || !code ? undefined : { code, because: decisive.because };
  }
}

async function* firstRows(sheet: Pick<Sheet, 'groups'>): AsyncIterable<readonly string[]> {
  let left = ROWS_LOOKED_AT;
  for await (const group of sheet.groups()) {
    for (const { cells, unreadable } of group) {
      if (unreadable !== undefined) continue;
      if (left === 0) return;
      left -= 1;
      yield cells;
    }
  }
}

/** `acme.com.au` → AU. Addresses that end as everywhere say nothing. */
function addEnd(ends: Votes, text: string): void {
  const end = /\.([a-z]{2})(?:[/:?#].*)?$/i.exec(text)?.[1]?.toLowerCase();
  if (end === undefined || EVERYWHERE.has(end)) return;
  ends.add(end === 'uk' ? 'GB' : end.toUpperCase());
}

let codes: ReadonlyMap<string, string> | undefined;

/** `Australia`, `AU` → AU; undefined for a name that no country has in English. */
function codeOfName(name: string): string | undefined {
  codes ??= allNames();
  return codes.get(squeezed(name));
}

const OTHER_NAMES = {
  uk: 'GB',
  usa: 'US',
  unitedstatesofamerica: 'US',
  deutschland: 'DE',
  espana: 'ES',
  aus: 'AU',
  nzl: 'NZ',
};

function allNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const found = letters.flatMap((one) =>
    letters.flatMap((other): [string, string][] => {
      const name = names.of(one + other);
      return name === undefined
        ? []
        : [
            [squeezed(name), one + other],
            [squeezed(one + other), one + other],
          ];
    }),
  );
  return new Map([...found, ...Object.entries(OTHER_NAMES)]);
}
