import { grouped, listed } from './plain-text.ts';

/** For what an account charges that makes the changes of a team. Most charge for nothing. */

interface Charge {
  readonly operation: string;
  readonly calls: number;
  readonly most: number;
}

/** `: 4 for 4 × create invite`, behind the sum; blank where nothing is charged. */
export function chargeWords(charges: readonly Charge[] = []): string {
  const each = charges.map(({ operation, calls, most }) => {
    return `${grouped(most)} for ${grouped(calls)} × ${operation.replaceAll('-', ' ')}`;
  });
  return each.length === 0 ? '' : `: ${listed(each)}`;
}
