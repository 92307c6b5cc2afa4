import type { JsonObject, OperationOptions } from '../core/operation.ts';

/**
 * Where a job comes from that nobody wrote: an undo takes back what a batch changed, and a trial is one call by itself that
 * `try` makes. Imports no schema, because a list of batches is shown without what checks those.
 */
export type JobOrigin = { readonly kind: 'undo'; readonly undoes: string } | { readonly kind: 'trial' };

/** The origin of a batch, from the settings that the ledger keeps with it; undefined: somebody wrote or named its job. */
export function originOf(stored: JsonObject): JobOrigin | undefined {
  if (typeof stored.undoes === 'string') return { kind: 'undo', undoes: stored.undoes };
  return stored.trial === true ? { kind: 'trial' } : undefined;
}

/** The batch whose changes that one takes back; undefined for one that is no undo. */
export function undoneBy(stored: JsonObject): string | undefined {
  const origin = originOf(stored);
  return origin?.kind === 'undo' ? origin.undoes : undefined;
}

/** As it is kept with the settings of a batch. The names are in ledgers, so none of them is changed. */
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

/**
 * What makes its batch another than that of the same list without it: an undo of another batch may have the same list.
 * Batches are found again by a hash of this, so a name that is changed here would do an undo twice.
 */
export function askedByOrigin(origin: JobOrigin | undefined): JsonObject {
  return { ...storedOrigin(origin), ...(origin?.kind === 'undo' ? { our_list: true } : {}) };
}

/** What an operation may take of such a job's rows that it does not of others. */
export function optionsByOrigin(origin: JobOrigin | undefined): Pick<OperationOptions, 'isOurList'> {
  return origin?.kind === 'undo' ? { isOurList: true } : {};
}
