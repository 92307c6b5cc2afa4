import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What is learned about accounts at a vendor. */
type Part = Pick<
  Ledger,
  | 'account'
  | 'newestFound'
  | 'sends'
  | 'pauses'
  | 'forgettingAccounts'
  | 'notePause'
  | 'setLearnedRate'
  | 'setUsage'
>;

export const accounts = (_session: Session): Part =>
  notYet<Part>(
    'account',
    'newestFound',
    'sends',
    'pauses',
    'forgettingAccounts',
    'notePause',
    'setLearnedRate',
    'setUsage',
  );
