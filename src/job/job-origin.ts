import { z } from 'zod';
import type { JsonObject } from '../core/operation.ts';

/**
 * The origin of a job that no user wrote. An undo takes back the changes of a batch. A trial is one call by
 * itself that `try` makes, of a job or an operation, with given values. The names are in ledgers, and batches
 * are found again by a hash of them, so none of them may change.
 */
export type JobOrigin = { readonly undoes: string } | { readonly trial: Trial };

type Trial = z.infer<typeof Trial>;
const Trial = z.object({ job: z.string(), given: z.record(z.string().regex(/^[a-z]/i), z.string()) });

/**
 * @param stored the settings that the ledger keeps with a batch.
 * @returns undefined for a batch that is no trial.
 */
export const triedBy = ({ trial }: JsonObject): Trial | undefined => Trial.safeParse(trial).data;
