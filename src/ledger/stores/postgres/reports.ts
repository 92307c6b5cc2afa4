import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What is shown of many calls at once. */
type Part = Pick<Ledger, 'attemptsAbout' | 'saved' | 'sent'>;

export const reports = (_session: Session): Part => notYet<Part>('attemptsAbout', 'saved', 'sent');
