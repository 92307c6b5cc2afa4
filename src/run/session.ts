import type { Account } from '../client/account/account.ts';
import type { Client, Waiter } from '../client/client.ts';
import type { StopError } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import type { AttemptId, BatchId, Ledger } from '../ledger/ledger.ts';
import type { AccountTime } from '../ledger/time.ts';
import type { RunChoices } from '../plan/context.ts';
import type { ProjectAccess } from './project-access.ts';
import type { AccountHistory, AllSeries } from './series.ts';

/** The state that all runs of one account share in this process. `sessions.ts` opens it. */
export interface Session {
  readonly account: Pick<Account, 'identity' | 'exclusiveKey' | 'sandbox' | 'budget'>;
  readonly ledger: Ledger;
  readonly clock: AccountTime;
  readonly client: Client;
  readonly history: AccountHistory;
  readonly priced: Set<string>;
  readonly series: AllSeries;
  /** What the runs of the account were told once. */
  readonly said: Set<string>;
}

export interface Run {
  readonly session: Session;
  readonly batch: BatchId;
  /** When the batch began; of one that buys answers anew when they are older than a certain time. */
  readonly begunMs?: number | undefined;
  readonly waiter: Waiter;
  readonly emit: Listener;
  readonly accept?: RunChoices['accept'];
  readonly projects: ProjectAccess;
  /** The doubts that the run has asked the vendor about, because it asks about each only once. */
  readonly looked: Set<AttemptId>;
  /** Stops the admission of all further calls. Answers to requests in flight are still recorded. */
  stopAll(error: StopError): void;
}

/**
 * Has the vendor say what time it is before an age decides, by a request without a key: a run that has nothing but refreshes or repeats would
 * not hear it otherwise. A sandbox has the clock of this machine.
 * @throws StopError `clock` when this machine's is too far from it.
 */
export async function tellTime({ session, waiter }: Run): Promise<void> {
  const { account, client, clock } = session;
  if (!account.sandbox) await clock.askedBy(() => client.askTime(waiter));
  if (clock.apart !== undefined) throw clock.apart;
}

/** The same before something is bought, where this machine's clock alone would make answers old, or give another day its budget. */
export async function tellTimeFirst(run: Run): Promise<void> {
  const { account, clock } = run.session;
  if (run.begunMs !== undefined || clock.apart !== undefined || (hasPeriods(account) && clock.isOtherDay))
    await tellTime(run);
}

export const hasPeriods = ({ budget: { perDay, perMonth } }: Pick<Account, 'budget'>): boolean =>
  perDay !== undefined || perMonth !== undefined;
