import type { Account } from '../../../client/account/account.ts';
import type { Clock } from '../../../core/clock.ts';
import type { StopError } from '../../../core/errors.ts';
import type { BatchRange, Ledger, ListedRows } from '../../../ledger/ledger.ts';
import type { WorkQueue } from '../../../ledger/work-queue.ts';
import type { RunOptions } from '../../../plan/context.ts';

/** What the parts of a worker share while its store is open. */
export interface Serving extends Pick<RunOptions, 'accept' | 'askAgreement' | 'operations'> {
  readonly ledger: Ledger;
  readonly listed: ListedRows;
  readonly queue: WorkQueue;
  readonly accounts: readonly Account[];
  readonly clock: Clock;
  readonly command: string;
  readonly location: string;
  readonly onEvent: (event: WorkerEvent) => void;
}

/** What a worker tells. */
export type WorkerEvent =
  /** The store is open, and these accounts are served. */
  | { readonly kind: 'ready'; readonly accounts: readonly string[] }
  /** The store cannot be spent from for now: it is tried again. */
  | { readonly kind: 'waiting'; readonly why: string }
  /** The queue has answered. */
  | { readonly kind: 'beat' }
  | ({ readonly kind: 'taken' } & BatchRange)
  | ({ readonly kind: 'done'; readonly rows: number } & BatchRange)
  /** A later run goes on with it. */
  | ({ readonly kind: 'handed_back'; readonly stopped: StopError } & BatchRange)
  | ({ readonly kind: 'failed'; readonly why: string } & BatchRange)
  | { readonly kind: 'note'; readonly message: string };
