import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** The answers of status 404 that may only mean a wrong address. */
type Part = Pick<Ledger, 'retractMisses' | 'markMisses'>;

export const misses = (_session: Session): Part => notYet<Part>('retractMisses', 'markMisses');
