import type { StopError } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import type { BelievedTime } from '../ledger/believed-time.ts';
import type { AttemptId, BatchId, Ledger } from '../ledger/ledger.ts';
import type { Account } from '../vendor/account/account.ts';
import type { Client, Waiter } from '../vendor/client.ts';
import type { AccountHistory } from '../vendor/misses.ts';
import type { ProjectAccess } from './project-access.ts';

/** What belongs to an account: all its runs of this process share it. `sessions.ts` opens it. */
export interface Session {
  readonly account: Pick<Account, 'identity' | 'exclusiveKey'>;
  readonly ledger: Ledger;
  readonly clock: BelievedTime;
  readonly client: Client;
  readonly history: AccountHistory;
  /** What the account is known to charge for. */
  readonly priced: Set<string>;
}

/** What belongs to one run of a batch. */
export interface Run {
  readonly session: Session;
  readonly batch: BatchId;
  /** How long the run waits for a permit, and what ends the wait. */
  readonly waiter: Waiter;
  readonly emit: Listener;
  readonly projects: ProjectAccess;
  /** Doubts that the run has asked the vendor about: once is enough. */
  readonly looked: Set<AttemptId>;
  /** Doubts that are held because no answer has told the time yet: they are looked at again once one has. */
  readonly untimed: Set<AttemptId>;
  /** Stops the admission of everything else; what is in flight is still recorded. */
  stopAll(error: StopError): void;
}
