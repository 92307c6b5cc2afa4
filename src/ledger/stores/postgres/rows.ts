import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** Rows, and how each was finished. */
type Part = Pick<
  Ledger,
  | 'counts'
  | 'rows'
  | 'finishedRows'
  | 'rowKinds'
  | 'rowsReadOtherwise'
  | 'rowsUnanswered'
  | 'hasOlderThan'
  | 'finishRows'
>;

export const rows = (_session: Session): Part =>
  notYet<Part>(
    'counts',
    'rows',
    'finishedRows',
    'rowKinds',
    'rowsReadOtherwise',
    'rowsUnanswered',
    'hasOlderThan',
    'finishRows',
  );
