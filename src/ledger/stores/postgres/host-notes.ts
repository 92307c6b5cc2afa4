import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What is true on a machine alone. */
type Part = Pick<Ledger, 'piecesOf' | 'positionBefore' | 'written' | 'noteWritten' | 'keepPieces'>;

export const hostNotes = (_session: Session): Part =>
  notYet<Part>('piecesOf', 'positionBefore', 'written', 'noteWritten', 'keepPieces');
