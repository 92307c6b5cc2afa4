import { isAbn, isEmail, isPersonProfile, isWebsite } from '../../operations/lookup/recognise.ts';
import { isDate } from '../quality/cell-issues.ts';
import { ROWS_SAMPLED } from './header-rows.ts';

/** What the cells of a table's first rows are, so that a row of another kind can be told from them. */

type Look = 'abn' | 'email' | 'website' | 'date' | 'number' | 'text';

/** Kinds by which somebody can be asked about. */
const LOOKUPS: ReadonlySet<Look | undefined> = new Set<Look>(['abn', 'email', 'website']);

const SHARE_THAT_DECIDES = 0.8;

function lookOf(cell: string): Look {
  if (isAbn(cell)) return 'abn';
  if (isEmail(cell)) return 'email';
  if (isDate(cell)) return 'date';
  if (/^[\d\s.,+()%$€£-]+$/.test(cell)) return 'number';
  return isWebsite(cell) || isPersonProfile(cell) ? 'website' : 'text';
}

export class ColumnLooks {
  readonly #counts: Map<Look, number>[] = [];
  #rows = 0;

  /** Rows beyond the first ones are passed over. */
  add(cells: readonly string[]): void {
    if (this.#rows === ROWS_SAMPLED) return;
    this.#rows += 1;
    for (const [place, cell] of cells.entries()) {
      const text = cell.trim();
      if (text === '') continue;
      this.#counts[place] ??= new Map<Look, number>();
      const counts = this.#counts[place];
      const look = lookOf(text);
      counts.set(look, (counts.get(look) ?? 0) + 1);
    }
  }

  get isComplete(): boolean {
    return this.#rows === ROWS_SAMPLED;
  }

  /**
   * What a column holds, where most of its cells agree; undefined for one of texts.
   * @param least so many cells have to say it: a single one may be an odd one.
   */
  kindAt(place: number, least = 2): Look | undefined {
    const counts = this.#counts[place];
    if (counts === undefined) return undefined;
    const filled = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const [look, most] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ['text', 0];
    return look === 'text' || most < least || most / filled < SHARE_THAT_DECIDES ? undefined : look;
  }

  get places(): readonly number[] {
    return [...this.#counts.keys()];
  }

  /** Whether a column holds what somebody can be asked about by. */
  get hasLookups(): boolean {
    return this.places.some((place) => LOOKUPS.has(this.kindAt(place, 1)));
  }

  /** Whether a cell of such a column holds what the others of the column do. */
  fits(cells: readonly string[]): boolean {
    return this.places.some((place) => {
      const kind = this.kindAt(place);
      return LOOKUPS.has(kind) && lookOf((cells[place] ?? '').trim()) === kind;
    });
  }
}
