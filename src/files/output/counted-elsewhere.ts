import { grouped, listed } from '../../core/plain-text.ts';
import type { DoubtObject } from '../../objects/row-object.ts';

/**
 * `, counted in a.csv`: which of the credits in doubt another list has, because it has sent the request. So
 * the credits of several lists can be added.
 */
export function countedElsewhere(doubts: readonly Pick<DoubtObject, 'credits' | 'sent_for'>[]): string {
  const sum = (of: typeof doubts): number => of.reduce((all, { credits }) => all + credits, 0);
  const others = doubts.filter((doubt) => doubt.sent_for !== undefined);
  if (others.length === 0) return '';
  const part = sum(others) < sum(doubts) ? `${grouped(sum(others))} of them ` : '';
  return `, ${part}counted in ${listed([...new Set(others.map((doubt) => doubt.sent_for ?? ''))])}`;
}
