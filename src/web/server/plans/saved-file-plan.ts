import { basename } from 'node:path';
import { chooseAccount, loadAccounts } from '../../../client/account/account.ts';
import { StopError, stop } from '../../../core/errors.ts';
import { loadJob } from '../../../job/job.ts';
import { commandLine } from '../../../lib/command-line.ts';
import { PlanObject } from '../../../objects/plan-object.ts';
import { orderIn, readSavedPlan } from '../../../plan/saved-plan.ts';
import { chooseStore } from '../../../run/store-choice.ts';
import { askChild } from '../children.ts';
import type { KeptList } from '../list-files.ts';
import type { Server } from '../server.ts';
import { type ShownPlan, viewOfPlan } from './list-plan.ts';

/**
 * A plan that was saved on a terminal and brought to the page, so that a person can approve it here. It is planned again
 * each time: where the list, the service or the ledger has moved, it is refused with what has.
 */
export async function planSavedFile(server: Server, file: KeptList, signal: AbortSignal): Promise<ShownPlan> {
  const saved = await readSavedPlan(file.path);
  const order = orderIn(saved, file.name);
  const job = await loadJob(order.job);
  const account = chooseAccount(await loadAccounts(), job.operation.vendor, order.account);
  const store = chooseStore(server.store, account.sandbox).location;
  if (order.store !== undefined && order.store !== store)
    throw stop(
      'plan',
      `${file.name} was planned with another store: ${order.store}.`,
      'Open the page of that store, and add it there.',
    );
  const printed = await askChild(
    server.program,
    ['plan', file.path, '--store', store],
    undefined,
    signal,
  ).catch((error) => {
    throw error instanceof StopError && error.code === 'plan' ? movedSince(error, file) : error;
  });
  const words = ['run', '--plan', file.path];
  const view = viewOfPlan(PlanObject.parse(printed), {
    ...{ list: file.id, name: basename(order.file), choices: { what: { operation: saved.operation } } },
    ...{ operation: saved.operation, account, waterfall: [], adds: [], is_saved: true },
    command: commandLine(words),
  });
  return { view, list: file, jobs: [], words, store };
}

function movedSince({ message }: StopError, { name, path }: KeptList): StopError {
  return stop('plan', message.replaceAll(path, name), 'Plan and save it again, and add that file.');
}
