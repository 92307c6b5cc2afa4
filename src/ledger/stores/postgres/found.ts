import type { ErasableRow, Found as FoundIn } from '../../rules/found.ts';

/** What this store finds to erase: an answer is cut in its entry. */
export interface Cut {
  readonly id: number;
  readonly of: number;
  readonly call: number;
  readonly body: Buffer;
}

export type Found = FoundIn<Cut>;
export type { ErasableRow };

export const ROWS = `
SELECT DISTINCT r.batch, r.row FROM rows r CROSS JOIN unnest(r.answers) u (attempt)
  JOIN entries a ON a.of = u.attempt AND a.id = a.of WHERE a.call = ANY ($1)`;
