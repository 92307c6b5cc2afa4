import { type CellKind, isDate, kindOfInput } from './damage.ts';
import { DamageTally, type Finding } from './damage-tally.ts';
import type { Operation } from './operation.ts';
import { isAbn, isCompanyProfile, isEmail, isPersonProfile, isWebsite } from './recognise.ts';
import type { RowNumber } from './row.ts';

/** The damage of a column of which nobody has said what it holds: its header says so, else its first cells. */

/** Cells that are kept until it is decided what their column holds. */
const CELLS_THAT_DECIDE = 200;

/** As of a column's look: more than one cell in five of another kind, and the guess would be ours. */
const SHARE_THAT_DECIDES = 0.8;

/** In a column in which more cells than that are short dates, dates are meant. */
const MOST_NAMES_AS_DATES = 0.2;

/** No operation asks for a phone number, so none knows its names. */
const PHONE_NAMES: ReadonlySet<string> = new Set([
  ...['phone', 'phonenumber', 'phoneno', 'telephone', 'telephonenumber', 'tel', 'mobile', 'mobilenumber'],
  ...['mobilephone', 'cell', 'cellphone', 'workphone', 'contactphone', 'contactnumber', 'businessphone'],
]);

/** What a column surely holds by its name; undefined when the name does not say. */
export function kindByName(header: string, operations: Iterable<Operation>): CellKind | undefined {
  const name = header.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (PHONE_NAMES.has(name)) return 'phone';
  for (const { inputs } of operations) {
    const input = inputs.find((each) => each.aliases.includes(name));
    const kind = input && kindOfInput(input.name);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

export class ColumnDamage {
  /** Undefined until it is decided what the column holds. */
  #tally: DamageTally | undefined;
  #waiting: { readonly row: RowNumber; readonly cell: string }[] = [];
  #filled = 0;

  constructor(kind: CellKind | undefined) {
    this.#tally = kind === undefined ? undefined : new DamageTally(kind);
  }

  /** @param cell not blank. */
  add(row: RowNumber, cell: string): void {
    this.#filled += 1;
    if (this.#tally !== undefined) {
      this.#tally.add(row, cell);
      return;
    }
    this.#waiting.push({ row, cell });
    if (this.#waiting.length === CELLS_THAT_DECIDE) this.#decide();
  }

  findings(): readonly Finding[] {
    const found = (this.#tally ?? this.#decide()).findings();
    return found.filter(
      ({ kind, count }) => kind !== 'name_as_date' || count / this.#filled <= MOST_NAMES_AS_DATES,
    );
  }

  #decide(): DamageTally {
    const tally = new DamageTally(kindByContent(this.#waiting.map(({ cell }) => cell)));
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
  ['date', (cell) => isDate(cell.trim())],
];

function kindByContent(cells: readonly string[]): CellKind {
  const found = BY_CONTENT.find(
    ([, looksSo]) => cells.filter(looksSo).length >= cells.length * SHARE_THAT_DECIDES,
  );
  return cells.length === 0 || found === undefined ? 'text' : found[0];
}
