import { z } from 'zod';
import type { Job } from './job.ts';
import type { JsonObject } from './operation.ts';

/**
 * The part of a job that the ledger keeps with a batch, so that its output can be written again without the job file.
 * Read back through zod, because a ledger outlives the program that wrote it.
 */
const settingsSchema = z.object({
  job: z.string(),
  columns: z.record(z.string(), z.string()),
  waterfall: z.array(z.string()).optional(),
  add: z.record(z.string(), z.string()).optional(),
  on_existing: z.enum(['refuse', 'keep', 'fill', 'replace']),
});

export interface OutputSettings {
  readonly add?: Readonly<Record<string, string>>;
  readonly onExisting: Job['onExisting'];
  readonly columns: Readonly<Record<string, string>>;
}

export function jobSettings(job: Job, columns: Readonly<Record<string, string>>): JsonObject {
  return {
    job: job.path ?? job.name,
    columns,
    ...(job.waterfall === undefined ? {} : { waterfall: job.waterfall }),
    ...(job.add === undefined ? {} : { add: job.add }),
    on_existing: job.onExisting,
  };
}

export function outputSettings(stored: JsonObject): OutputSettings {
  const { add, on_existing: onExisting, columns } = settingsSchema.parse(stored);
  return { onExisting, columns, ...(add === undefined ? {} : { add }) };
}
