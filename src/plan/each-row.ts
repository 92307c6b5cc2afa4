import { sayAll } from '../core/finding-words.ts';
import { type RowNumber, rowRangesText } from '../core/row.ts';
import { CALLED } from '../files/output/summary-words.ts';
import type { EachRowObject } from '../objects/plan-object.ts';
import type { RowClassification } from '../walk/row-classification.ts';

/** Reasons quote cells: there may be as many as rows, and those behind so many are said without. */
const MOST_REASONS = 1_000;

const IS = {
  invalid: 'invalid',
  skipped: 'skipped',
  left_out: 'skipped',
  duplicate: 'duplicates',
  answered: 'bought_before',
  accepted: 'accepted',
  in_doubt: 'in_doubt',
  to_buy: 'to_buy',
} as const satisfies Record<RowClassification['kind'], EachRowObject['is']>;

/** What becomes of each row by a plan. Rows with the same words stand together. */
export class EachRow {
  readonly #groups = new Map<string, Omit<EachRowObject, 'rows'> & { readonly rows: RowNumber[] }>();

  add(classification: RowClassification): void {
    const is = IS[classification.kind];
    const says = 'findings' in classification ? sayAll(classification.findings, 'page', CALLED) : '';
    const key = this.#groups.has(`${is} ${says}`) || this.#groups.size < MOST_REASONS ? says : '';
    const group = this.#groups.get(`${is} ${key}`) ?? { is, ...(key !== '' && { says: key }), rows: [] };
    group.rows.push(classification.row);
    this.#groups.set(`${is} ${key}`, group);
  }

  /** In the order of their first rows. */
  all(): EachRowObject[] {
    const groups = [...this.#groups.values()];
    for (const { rows } of groups) rows.sort((one, other) => one - other);
    groups.sort((one, other) => (one.rows[0] ?? 0) - (other.rows[0] ?? 0));
    return groups.map(({ rows, ...group }) => ({ ...group, rows: rowRangesText(rows) }));
  }
}
