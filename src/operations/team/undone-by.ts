import type { JsonObject } from '../../core/operation.ts';

/**
 * The batch whose changes that one takes back, from the settings that the ledger keeps with it; undefined for one that is
 * no undo. Apart from the other settings, because a list of batches is shown without what checks those.
 */
export function undoneBy(stored: JsonObject): string | undefined {
  return typeof stored.undoes === 'string' ? stored.undoes : undefined;
}

/** Whether it is one call by itself, which `try` made. */
export function isTrial(stored: JsonObject): boolean {
  return stored.trial === true;
}
