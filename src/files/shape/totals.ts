/**
 * Lines of totals. A company may be called Total, so the word alone is not enough: what stands beside it has to be nothing but
 * numbers, and either the sum, mean or count of those above, or apart from the table.
 */

const WORD =
  '(?:(?:grand|sub)?[\\s-]*totals?|sum|average|mean|count|(?:gesamt|zwischen)?summe|gesamt|insgesamt|(?:sous-)?total(?: général)?|somme|suma|(?:sub)?totale|(?:sub)?totaal|итого|всего|合計|小計)';

/** What a line of totals begins with, or ends with as Excel writes it: "NSW Total". */
const WORDS = new RegExp(`^${WORD}(?!\\p{L})[^@]{0,40}$|\\S\\s(?:total|ergebnis)$`, 'iu');

/** Nothing but the word. */
const BARE = new RegExp(`^${WORD}\\s*[:=]?$`, 'iu');

/** What hardly anybody is called. */
const SURELY =
  /^(?:(?:grand|sub)[\s-]?totals?|totals|(?:gesamt|zwischen)summe|insgesamt|sous-total|итого|合計|小計)(?!\p{L})/iu;

const AMOUNT = /^[\s$€£¥(+-]*[A-Z]{0,3}\s?\d[\d\s.,'’]*(?:%|\)|[A-Z]{2,3}|€)?\s*$/u;

/** A number as it is written for people; undefined for what is none. */
function amountOf(cell: string): number | undefined {
  const first = cell.charCodeAt(0);
  // Most cells are texts.
  if (first > 0x39 && first < 0x80 && !/^[A-Z]{2,3}\s?\d/.test(cell)) return undefined;
  if (!AMOUNT.test(cell)) return undefined;
  const digits = cell.replaceAll(/[^\d.,-]/g, '');
  const isDecimalComma = /,\d{1,2}$/.test(digits) && !/\.\d{1,2}$/.test(digits);
  return Number(isDecimalComma ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', ''));
}

interface Running {
  sum: number;
  count: number;
  /** Cells that are no numbers: a column with such a one has no sum. */
  texts: number;
}

const NOTHING: Running = { sum: 0, count: 0, texts: 0 };

/** What the columns of a table add up to, from its first row, and from the last line of totals on. */
export class Sums {
  readonly #all: Running[] = [];
  /** The same at the last line of totals. */
  #then: readonly Running[] = [];

  add(cells: readonly string[]): void {
    for (let place = 0; place < cells.length; place += 1) {
      const cell = cells[place] ?? '';
      if (cell === '') continue;
      const column = this.#all[place] ?? { ...NOTHING };
      this.#all[place] = column;
      const amount = amountOf(cell);
      column.count += 1;
      if (amount === undefined) column.texts += 1;
      else column.sum += amount;
    }
  }

  begin(): void {
    this.#then = Array.from(this.#all, (column) => ({ ...(column ?? NOTHING) }));
  }

  /** Whether the number is what the column comes to. */
  has(place: number, amount: number): boolean {
    const all = this.#all[place] ?? NOTHING;
    return [NOTHING, this.#then[place] ?? NOTHING].some((before) => {
      const count = all.count - before.count;
      if (count < 2) return false;
      if (isSame(count, amount)) return true;
      const sum = all.sum - before.sum;
      return all.texts === before.texts && (isSame(sum, amount) || isSame(sum / count, amount));
    });
  }
}

/** Sums are often rounded where they are shown. */
function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(0.006, Math.abs(other) * 1e-9);
}

/** What the line is called, where it is one of totals; undefined where it may be a row. */
export function totalsWords(
  { cells, lacksValues }: { readonly cells: readonly string[]; readonly lacksValues: boolean },
  sums: Sums,
  isApart: boolean,
): string | undefined {
  const at = cells.findIndex((cell) => cell.trim() !== '');
  const label = (cells[at] ?? '').trim();
  if (label === '' || !WORDS.test(label)) return undefined;
  const others = [...cells.entries()].slice(at + 1).filter(([, cell]) => cell.trim() !== '');
  const amounts = others.map(([place, cell]) => ({ place, amount: amountOf(cell.trim()) }));
  if (amounts.some(({ amount }) => amount === undefined)) return undefined;
  const isSum = amounts.some(({ place, amount }) => amount !== undefined && sums.has(place, amount));
  const isToldByWord = SURELY.test(label) || (isApart && BARE.test(label));
  if (!isSum && !(isToldByWord && (amounts.length > 0 || lacksValues))) return undefined;
  sums.begin();
  return label;
}
