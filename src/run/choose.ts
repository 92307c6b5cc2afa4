import { type Accounts, chooseAccount, loadAccounts } from '../client/account/account.ts';
import { dialectOf, withRequestOf } from '../client/dialect.ts';
import { stop } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { present } from '../core/objects.ts';
import { schemaComment } from '../core/paths.ts';
import { foreignName } from '../core/plain-text.ts';
import { openHeader } from '../files/input.ts';
import { ownershipIn, writeOwnFile } from '../files/output/own-files.ts';
import { type Job, jobInDialect, loadJob } from '../job/job.ts';
import { jobYaml } from '../job/job-yaml.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { JobOptions, RunOptions } from '../plan/context.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';
import { preparedRows, unknownProjects } from '../plan/team/planned-rows.ts';

export async function choose({
  job: argument,
  entries,
  strict,
  ...own
}: Pick<JobOptions, 'job' | 'entries' | 'strict' | 'operations' | 'dialects'>): Promise<ResolvedJob> {
  const job = await loadJob(argument, entries, own);
  const accounts = await loadAccounts();
  requireReceiver(job, accounts);
  const account = chooseAccount(accounts, job.operation.vendor, job.account);
  const dialect = withRequestOf(await dialectOf(account, own.dialects), job.operation);
  return { account, dialect, job: { ...jobInDialect(job, dialect), ...present({ strict }) } };
}

/** @throws StopError `job` where the accounts file does not say who is notified. */
function requireReceiver({ name, notify }: Job, { path, notify: receivers = new Map() }: Accounts): void {
  if (notify === undefined || receivers.has(notify.to)) return;
  const names = [...receivers.keys()];
  throw stop(
    'job',
    `${name}: notify.to: there is no ${foreignName(notify.to)} under notify in ${path}.`,
    names.length === 0
      ? `Add it there, as notify: { ${notify.to}: { webhook: https://… } }, or leave notify out of the job.`
      : suggestion(notify.to, names),
  );
}

/**
 * Writes the job with all guessed and typed settings, so that the next run needs neither the guess nor the
 * flags. A job file of ours that nobody has changed is replaced, so that the same command resumes. Any other
 * file is kept, and the new one gets a name of its own beside it.
 */
export async function saveJob(
  path: string,
  chosen: ResolvedJob,
  { file, budget, onEvent = () => {} }: Pick<RunOptions, 'file' | 'budget' | 'onEvent'>,
  ledger: Ledger,
): Promise<void> {
  const { job, account } = chosen;
  const input = await openHeader(file, job, ledger);
  const { columns, because } = input.columns;
  const isChange = job.operation.change !== undefined;
  const context = { ...chosen, ledger };
  const unknown = isChange ? unknownProjects(context, await preparedRows(context, input)) : [];
  const limit = budget === undefined ? {} : { budget: { credits: budget } };
  const kept = { ...limit, account: account.name, columns: { ...job.columns, ...columns } };
  const toFill = unknown.length > 0 && { projects: Object.fromEntries(unknown.map((name) => [name, null])) };
  const text = jobYaml({ ...job, ...kept, ...toFill }, because);
  const say = (message: string): void => onEvent({ kind: 'note', message });
  const savedAs = await writeOwnFile(
    { path, chunks: [schemaComment('job', path) + text], flag: '--save-job' },
    ownershipIn(ledger, say),
  );
  if (savedAs !== path) say(`The job was saved in ${savedAs}.`);
}
