import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** Batches with their plans and the pauses that a person asked for. */
type Part = Pick<
  Ledger,
  | 'batches'
  | 'batchLines'
  | 'batch'
  | 'batchByKey'
  | 'metrics'
  | 'openRequests'
  | 'plannedRows'
  | 'heldSince'
  | 'beginBatch'
  | 'changeBatch'
  | 'noteHold'
>;

export const batches = (_session: Session): Part =>
  notYet<Part>(
    'batches',
    'batchLines',
    'batch',
    'batchByKey',
    'metrics',
    'openRequests',
    'plannedRows',
    'heldSince',
    'beginBatch',
    'changeBatch',
    'noteHold',
  );
