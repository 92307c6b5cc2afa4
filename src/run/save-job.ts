import { present } from '../core/objects.ts';
import { schemaComment } from '../core/paths.ts';
import { openHeader } from '../files/input.ts';
import { ownershipIn, writeOwnFile } from '../files/output/own-files.ts';
import { jobYaml } from '../job/job-yaml.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunOptions } from '../plan/context.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';

/**
 * Writes the job with all guessed and typed settings, so that the next run needs neither the guess nor the flags. An unchanged job file of
 * ours is replaced, so that the same command resumes; any other file is kept, and ours goes beside it.
 */
export async function saveJob(
  path: string,
  { job, account }: ResolvedJob,
  { file, budget = job.budget, onEvent = () => {} }: Pick<RunOptions, 'file' | 'budget' | 'onEvent'>,
  ledger: Ledger,
): Promise<void> {
  const { columns, because } = (await openHeader(file, job, ledger)).columns;
  const kept = { ...present({ budget }), account: account.name, columns: { ...job.columns, ...columns } };
  const text = jobYaml({ ...job, ...kept }, because);
  const say = (message: string): void => onEvent({ kind: 'note', message });
  const savedAs = await writeOwnFile(
    { path, chunks: [schemaComment('job', path) + text], flag: '--save-job' },
    ownershipIn(ledger, say),
  );
  if (savedAs !== path) say(`The job was saved in ${savedAs}.`);
}
