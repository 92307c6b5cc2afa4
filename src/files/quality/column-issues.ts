import type { Operation } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import {
  isAbn,
  isCompanyProfile,
  isEmail,
  isPersonProfile,
  isWebsite,
} from '../../operations/lookup/recognise.ts';
import { type CellKind, cellIssueOf, isDate, kindOfInput } from './cell-issues.ts';
import { type Finding, IssueTally } from './issue-tally.ts';

/** The damage of a column of which nobody has said what it holds: its header says so, else its first cells. */

/** Cells that are kept until it is decided what their column holds. */
const CELLS_THAT_DECIDE = 200;

/** As of a column's look: more than one cell in five of another kind, and the guess would be ours. */
const SHARE_THAT_DECIDES = 0.8;

/** In a column in which more cells than that are short dates, dates are meant. */
const MOST_NAMES_AS_DATES = 0.2;

/** `51-200`, which no spreadsheet takes for a date: in a column of sizes most others may be `10-Jan` and `Nov-50` by now. */
const RANGE = /^\s*\d+\s?[-\u2013]\s?\d+\s*$/;

/** Of the filled cells, so that a column of months with an odd remark is none of sizes. */
const SHARE_OF_RANGES = 0.1;

/** In a column of dates and of numbers that dates may have become, some dates at least are still there. */
const SHARE_OF_DATES = 0.2;

/**
 * Words of a name that say what its cells hold, also where no operation asks for such a column. Nothing is sent by them,
 * so they may be looser than what an operation takes for sure; cells of another kind are no damage all the same.
 */
const BY_WORDS: readonly (readonly [CellKind, RegExp])[] = [
  ['date', /\b(?:date|dob|(?:created|updated|modified|closed) (?:at|on))\b/],
  ['phone', /phone|\b(?:tel|mobile|cell|fax|contact n(?:umber|o))\b/],
  ['postcode', /\b(?:post ?code|postal code|zip|zip ?code)\b/],
  ['abn', /\babn\b/],
  ['email', /\be ?mail\b/],
];

/** What a column surely holds by its name; undefined when the name does not say. */
export function kindByName(header: string, operations: Iterable<Operation>): CellKind | undefined {
  const name = header.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  for (const { inputs } of operations) {
    const input = inputs.find((each) => each.aliases.includes(name));
    const kind = input && kindOfInput(input.name);
    if (kind !== undefined) return kind;
  }
  const words = header.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  return BY_WORDS.find(([, pattern]) => pattern.test(words.toLowerCase()))?.[0];
}

export class ColumnIssues {
  /** Undefined until it is decided what the column holds. */
  #tally: IssueTally | undefined;
  #waiting: { readonly row: RowNumber; readonly cell: string }[] = [];
  #filled = 0;
  #ranges = 0;

  constructor(kind: CellKind | undefined) {
    this.#tally = kind === undefined ? undefined : new IssueTally(kind);
  }

  /** @param cell not blank. */
  add(row: RowNumber, cell: string): void {
    this.#filled += 1;
    if (RANGE.test(cell)) this.#ranges += 1;
    if (this.#tally !== undefined) {
      this.#tally.add(row, cell);
      return;
    }
    this.#waiting.push({ row, cell });
    if (this.#waiting.length === CELLS_THAT_DECIDE) this.#decide();
  }

  findings(): readonly Finding[] {
    const found = (this.#tally ?? this.#decide()).findings();
    const areSizes = this.#ranges / this.#filled >= SHARE_OF_RANGES;
    return found.filter(
      ({ kind, count }) => kind !== 'name_as_date' || areSizes || count / this.#filled <= MOST_NAMES_AS_DATES,
    );
  }

  #decide(): IssueTally {
    const tally = new IssueTally(kindByContent(this.#waiting.map(({ cell }) => cell)));
    for (const { row, cell } of this.#waiting) tally.add(row, cell);
    this.#waiting = [];
    this.#tally = tally;
    return tally;
  }
}

const BY_CONTENT: readonly (readonly [CellKind, (cell: string) => boolean])[] = [
  ['abn', isAbn],
  ['email', isEmail],
  ['profile_url', (cell) => isPersonProfile(cell) || isCompanyProfile(cell)],
  ['website', isWebsite],
];

function kindByContent(cells: readonly string[]): CellKind {
  if (cells.length === 0) return 'text';
  const shareOf = (looksSo: (cell: string) => boolean): number => cells.filter(looksSo).length / cells.length;
  const found = BY_CONTENT.find(([, looksSo]) => shareOf(looksSo) >= SHARE_THAT_DECIDES);
  if (found !== undefined) return found[0];
  if (shareOf((cell) => RANGE.test(cell)) >= SHARE_OF_RANGES) return 'text';
  const dates = shareOf((cell) => isDate(cell.trim()));
  const mayBeDates = dates + shareOf((cell) => cellIssueOf('date', cell) !== undefined);
  return dates >= SHARE_OF_DATES && mayBeDates >= SHARE_THAT_DECIDES ? 'date' : 'text';
}
