import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** To which requests of others a person agreed. */
type Part = Pick<Ledger, 'agreement' | 'noteAgreement'>;

export const consents = (_session: Session): Part => notYet<Part>('agreement', 'noteAgreement');
