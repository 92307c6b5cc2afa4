import type { Account } from '../client/account/account.ts';
import type { Client, Waiter } from '../client/client.ts';
import type { AccountHistory } from '../client/misses.ts';
import type { StopError } from '../core/errors.ts';
import type { Listener } from '../core/events.ts';
import type { AttemptId, BatchId, Ledger } from '../ledger/ledger.ts';
import type { RunChoices } from '../plan/context.ts';
import type { BelievedTime } from '../time/believed-time.ts';
import type { Gather } from './gather.ts';
import type { ProjectAccess } from './project-access.ts';
import type { Series } from './series.ts';
import type { TooFast } from './too-fast.ts';

/** The state that all runs of one account share in this process. `sessions.ts` opens it. */
export interface Session {
  readonly account: Pick<Account, 'identity' | 'exclusiveKey'>;
  readonly ledger: Ledger;
  readonly clock: BelievedTime;
  readonly client: Client;
  readonly history: AccountHistory;
  readonly priced: Set<string>;
  readonly tooFast: TooFast;
  readonly gather: Gather;
  readonly series: { readonly refused: Series; readonly same: Series };
  readonly oddShapes: Map<string, Promise<OddShape>>;
}

export interface OddShape {
  readonly isAccepted: boolean;
  count: number;
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
  /** The doubts that are held until an answer has told the time. Then they are looked at again. */
  readonly untimed: Set<AttemptId>;
  /** Stops the admission of all further calls. Answers to requests in flight are still recorded. */
  stopAll(error: StopError): void;
}
