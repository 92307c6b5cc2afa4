import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What was spent, and what may be. */
type Part = Pick<
  Ledger,
  'batchMoney' | 'accountMoney' | 'isSpentAtMost' | 'price' | 'matchRate' | 'setAccountCaps'
>;

export const money = (_session: Session): Part =>
  notYet<Part>('batchMoney', 'accountMoney', 'isSpentAtMost', 'price', 'matchRate', 'setAccountCaps');
