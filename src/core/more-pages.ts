import { valueAt } from './answer-body.ts';
import type { JsonValue } from './operation.ts';

/** The objects that may hold the next page. Vendors that put the list into `data` put the next page there as well. */
export const PAGING_PLACES = ['', 'data.', 'data.pagination.', 'pagination.'] as const;

const PLACES = [...PAGING_PLACES, 'meta.', 'paging.'] as const;

/** Names of a flag that is false on the last page, whatever else is named there. */
const MORE = ['has_more', 'hasMore', 'has_next', 'hasNext', 'has_next_page', 'hasNextPage'] as const;

/** Names of how many members the whole list has. */
const TOTAL = ['total', 'total_count', 'totalCount', 'total_results', 'totalResults'] as const;

/** Whether more pages follow; undefined where the page does not say. */
export function saysMore(body: JsonValue | undefined): boolean | undefined {
  return valuesAt(body, MORE).find((flag) => typeof flag === 'boolean');
}

/** How many members the whole list has; undefined where the page does not say. */
export function saysTotal(body: JsonValue | undefined): number | undefined {
  return valuesAt(body, TOTAL).find((count) => typeof count === 'number');
}

function valuesAt(body: JsonValue | undefined, names: readonly string[]): readonly (JsonValue | undefined)[] {
  return PLACES.flatMap((at) => names.map((name) => valueAt(body, at + name)));
}
