import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import { credits } from '../ledger/ledger.ts';
import { findOperation, type Job, type OperationSources } from './job.ts';

/**
 * The part of a job by which rows are worked on, as it travels with a batch to processes that do not have the job file. It is read
 * back through zod, because the process that wrote it may be of another version.
 */
const carriedSchema = z.object({
  name: z.string(),
  operation: z.string(),
  columns: z.record(z.string(), z.string()).optional(),
  waterfall: z.array(z.string()).optional(),
  settings: z.record(z.string(), z.json()).optional(),
  repair: z.literal(true).optional(),
  in_doubt: z.enum(['hold', 'skip', 'retry']),
  extra_credits: z.int().min(0).optional(),
});

export function carriedJob({
  name,
  operation,
  columns,
  waterfall,
  settings,
  repair,
  inDoubt,
}: Job): JsonObject {
  const mapped = Object.entries(columns ?? {}).filter(([, column]) => column !== '');
  return {
    ...{ name, operation: operation.name, in_doubt: inDoubt.kind },
    ...(inDoubt.kind === 'retry' ? { extra_credits: inDoubt.extraCredits } : {}),
    ...present({ columns: columns && Object.fromEntries(mapped), waterfall, settings, repair }),
  };
}

/** @throws StopError `store_version` for what this program does not understand, `unsupported` for a change. */
export async function jobCarried(content: JsonObject, sources: OperationSources = {}): Promise<Job> {
  const { data } = carriedSchema.safeParse(content);
  const operation = data && (await findOperation(data.operation, sources));
  if (data === undefined || operation === undefined)
    throw data?.operation.includes('@') === true
      ? stop(
          'store_version',
          `The operation ${foreignWords(data.operation)} of this batch is missing here, or has another version.`,
          'Start a worker in a program that passes this operation.',
        )
      : stop(
          'store_version',
          'The job of this batch comes from another version of Rowonce, and this one cannot read it.',
          'Install the same version on all hosts.',
        );
  const { name, columns, waterfall, settings = {}, repair, in_doubt: kind, extra_credits: extra = 0 } = data;
  const shaped = operation.shapedBy?.(settings, Object.keys(columns ?? {})) ?? operation;
  // Another host, or whoever has its password, may hand over anything: it is sent with this host's keys.
  if (shaped.change !== undefined)
    throw stop(
      'unsupported',
      `The job ${foreignWords(name)} changes something at the vendor, and workers send only what reads.`,
      'Cancel its batch, and run it with a store on the disk of one machine.',
    );
  return {
    name,
    operation: shaped,
    onExisting: 'refuse',
    inDoubt: kind === 'retry' ? { kind, extraCredits: credits(extra) } : { kind },
    ...present({ columns, waterfall, repair }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}
