import type { JsonObject, OperationOptions } from '../core/operation.ts';

/**
 * Where a job comes from that no user wrote: an undo takes back what a batch changed, and a trial is one call by itself that `try`
 * makes. This file imports no schema, because a list of batches is shown without the code that checks jobs.
 */
export type JobOrigin = { readonly kind: 'undo'; readonly undoes: string } | { readonly kind: 'trial' };

/**
 * The origin of a batch, from the settings that the ledger keeps with it; undefined when a user wrote or named its job.
 */
export function originOf(stored: JsonObject): JobOrigin | undefined {
  if (typeof stored.undoes === 'string') return { kind: 'undo', undoes: stored.undoes };
  return stored.trial === true ? { kind: 'trial' } : undefined;
}

/** The batch whose changes this undo takes back; undefined for a batch that is no undo. */
export function undoneBy(stored: JsonObject): string | undefined {
  const origin = originOf(stored);
  return origin?.kind === 'undo' ? origin.undoes : undefined;
}

/** The names are in ledgers, so none of them may change. */
export function storedOrigin(origin: JobOrigin | undefined): JsonObject {
  switch (origin?.kind) {
    case 'undo':
      return { undoes: origin.undoes };
    case 'trial':
      return { trial: true };
    case undefined:
      return {};
  }
}

/** Batches are found again by a hash of this: an undo would run twice if a name here changed. */
export function askedByOrigin(origin: JobOrigin | undefined): JsonObject {
  return { ...storedOrigin(origin), ...(origin?.kind === 'undo' ? { our_list: true } : {}) };
}

/** Options that let an operation accept rows of such a job that it refuses in other jobs. */
export function optionsByOrigin(origin: JobOrigin | undefined): Pick<OperationOptions, 'isOurList'> {
  return origin?.kind === 'undo' ? { isOurList: true } : {};
}
