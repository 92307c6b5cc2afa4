import { RowCount, type RowNumber } from '../../core/row.ts';

export interface DateForm {
  readonly example: string;
  readonly firstRows: readonly RowNumber[];
}

/** The signs between day, month and year, and whether the year comes first. `5/4` and `4.5` may be the same day. */
function formOf(cell: string): string | undefined {
  const [, first = '', sign = ''] = /^(\d{1,4})([-/.])\d{1,2}\2\d{1,4}/.exec(cell.trim()) ?? [];
  if (sign === '') return undefined;
  return first.length === 4 ? 'year' : sign;
}

/** Finds out whether the dates of a column are written in one way. A month by its name cannot be mistaken. */
export class DateForms {
  readonly #forms = new Map<string, { readonly rows: RowCount; readonly example: string }>();

  add(row: RowNumber, cell: string): void {
    const form = formOf(cell);
    if (form === undefined) return;
    const found = this.#forms.get(form) ?? { rows: new RowCount(), example: cell.trim() };
    this.#forms.set(form, found);
    found.rows.add(row);
  }

  /** Nothing where there is one way, or none. */
  found(): readonly DateForm[] {
    if (this.#forms.size < 2) return [];
    return [...this.#forms.values()].map(({ rows, example }) => ({ example, firstRows: rows.firstRows }));
  }
}
