import { grouped, listed } from './plain-text.ts';

/** What an account charges for the changes of a team. Most accounts charge nothing. */

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
