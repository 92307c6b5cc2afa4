import { present } from '../core/objects.ts';
import { schemaComment } from '../core/paths.ts';
import { openHeader } from '../files/input.ts';
import { ownershipOfSealed, sealedYaml, writeOwnFile } from '../files/output/own-files.ts';
import { jobsYaml } from '../job/job-yaml.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RunOptions } from '../plan/context.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';

/**
 * Writes the job, or those of several operations, with all guessed and typed settings, so that the next run needs neither the guess nor the flags. An
 * unchanged job file of ours is replaced, so that the same command resumes; any other file is kept, and ours goes beside it.
 */
export async function saveJob(
  path: string,
  jobs: readonly ResolvedJob[],
  { file, budget = jobs[0]?.job.budget, onEvent = () => {} }: Pick<RunOptions, 'file' | 'budget' | 'onEvent'>,
  ledger: Ledger,
): Promise<void> {
  const limit = present({ budget });
  const written = jobs.map(async ({ job, account }) => {
    const { columns, because } = (await openHeader(file, job, ledger)).columns;
    return {
      job: { ...job, ...limit, account: account.name, columns: { ...job.columns, ...columns } },
      because,
    };
  });
  const text = jobsYaml(await Promise.all(written));
  const say = (message: string): void => onEvent({ kind: 'note', message });
  const savedAs = await writeOwnFile(
    {
      path,
      chunks: [sealedYaml(schemaComment('job', path) + text)],
      flag: '--save-job',
    },
    ownershipOfSealed(say),
  );
  if (savedAs !== path) say(`The job was saved in ${savedAs}.`);
}
