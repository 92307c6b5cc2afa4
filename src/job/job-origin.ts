import type { JsonObject } from '../core/operation.ts';

/**
 * Where a job comes from that no user wrote: an undo takes back what a batch changed, and a trial is one call by itself that `try`
 * makes. The names are in ledgers, and batches are found again by a hash of them, so none of them may change.
 */
export type JobOrigin = { readonly undoes: string } | { readonly trial: true };

/** The batch whose changes this undo takes back; undefined for a batch that is no undo. */
export const undoneBy = ({ undoes }: JsonObject): string | undefined =>
  typeof undoes === 'string' ? undoes : undefined;

/** @param stored the settings that the ledger keeps with a batch. */
export const isTrial = (stored: JsonObject): boolean => stored.trial === true;
