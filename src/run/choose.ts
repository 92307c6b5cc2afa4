import { type Accounts, chooseAccount, loadAccounts } from '../client/account/account.ts';
import { dialectOf, withRequestOf } from '../client/dialect.ts';
import { stop } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { present } from '../core/objects.ts';
import { foreignName } from '../core/plain-text.ts';
import { type Job, loadJob } from '../job/job.ts';
import type { JobOptions } from '../plan/context.ts';
import type { ResolvedJob } from '../plan/row-walk.ts';

type Chosen = 'job' | 'account' | 'entries' | 'read' | 'formulas' | 'repair' | 'operations' | 'dialects';
type Choosing = Pick<JobOptions, Chosen>;

export async function choose(options: Choosing): Promise<ResolvedJob> {
  const { repair, ...job } = await loadJob(options.job, options.entries, options);
  const accounts = await loadAccounts();
  requireReceiver(job, accounts);
  const account = chooseAccount(accounts, job.operation.vendor, options.account ?? job.account);
  const dialect = withRequestOf(await dialectOf(account, options.dialects), job.operation);
  const read = { ...job.read, ...options.read };
  const { formulas = job.formulas } = options;
  const said = present({ account: options.account, read: options.read, repair: options.repair });
  return {
    ...{ account, dialect },
    job: {
      ...job,
      ...(Object.keys(read).length === 0 ? {} : { read }),
      ...((options.repair ?? repair) ? { repair: true } : {}),
      ...(Object.keys(said).length === 0 ? {} : { saidToo: said }),
      ...present({ formulas }),
    },
  };
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
