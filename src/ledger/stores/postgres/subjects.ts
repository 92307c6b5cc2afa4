import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What changes altered: on this store nothing does. */
type Part = Pick<Ledger, 'subjects'>;

export const subjects = (_session: Session): Part => notYet<Part>('subjects');
