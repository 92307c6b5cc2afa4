import type { SpenderOptions } from '../../run-job.ts';
import { openSpender, type Spender } from '../../run-job.ts';
import { chooseStore } from '../../store-choice.ts';
import type { SweptJob } from './jobs.ts';

/** An open store, and the jobs that spend from it. */
export interface SweptStore {
  readonly spender: Spender;
  readonly jobs: readonly SweptJob[];
}

/** Opens the stores of these jobs: the named one, or else up to two, because sandbox accounts have a store of their own. */
export async function openStores(
  jobs: readonly SweptJob[],
  options: SpenderOptions,
): Promise<readonly SweptStore[]> {
  const byLocation = Map.groupBy(jobs, ({ account }) => chooseStore(options.store, account.sandbox).location);
  const opened: SweptStore[] = [];
  try {
    for (const group of byLocation.values()) {
      const sandbox = group.every(({ account }) => account.sandbox);
      opened.push({ spender: await openSpender(sandbox, options), jobs: group });
    }
    return opened;
  } catch (error) {
    await Promise.all(opened.map(({ spender }) => spender.close()));
    throw error;
  }
}
