import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** Calls, their attempts, and what became of each. */
type Part = Pick<
  Ledger,
  'find' | 'doubts' | 'history' | 'attempts' | 'lostRefresh' | 'append' | 'openAttempts'
>;

export const calls = (_session: Session): Part =>
  notYet<Part>('find', 'doubts', 'history', 'attempts', 'lostRefresh', 'append', 'openAttempts');
