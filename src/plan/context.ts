import type { Agreement, AgreementQuestion } from '../client/account/agreements.ts';
import type { OwnDialect } from '../client/dialect.ts';
import type { Clock } from '../core/clock.ts';
import type { Listener } from '../core/events.ts';
import type { Acceptable } from '../core/stops.ts';
import type { MappedInput } from '../files/input.ts';
import type { SharedHosts } from '../files/quality/shared-hosts.ts';
import type { JobEntries } from '../job/job-schema.ts';
import type { OwnOperation } from '../job/own-operation.ts';
import type { Batch, Credits, Ledger, LedgerReader, RangeLeft } from '../ledger/ledger.ts';
import type { Tell } from '../lib/postgres-server.ts';
import type { PlanContext } from '../walk/resolved-job.ts';
import type { BatchNames } from './batch-key.ts';
import type { Plan } from './plan.ts';
import type { ChangePlan } from './team/change-plan.ts';

/** What a user may say about a job over a file, for a plan as for a run. */
export interface JobOptions {
  /** The path of a YAML file, or the name of an operation. */
  readonly job: string;
  readonly file: string;
  /**
   * Entries that are given beside the job. Each takes precedence over the entry of the job with that name.
   */
  readonly entries?: JobEntries | undefined;
  /** Whether a row that cannot be read refuses the file. */
  readonly strict?: boolean | undefined;
  /** Operations that are not built in, which the job may name. */
  readonly operations?: readonly OwnOperation[] | undefined;
  /** Dialects in the place of the account's dialect files, one for each vendor at most. */
  readonly dialects?: readonly OwnDialect[] | undefined;
  /** The store's folder; left out: `$ROWONCE_STORE`, else this user's folder. */
  readonly store?: string | undefined;
}

/** What a run is allowed to do by its flags, its job, its account and the person who was asked. */
export interface Consent {
  /** The most that its batch may spend; undefined leaves the cap of a resumed batch as it is. */
  readonly budget: Credits | undefined;
  /** Whether calls with a reply that turned out to be no answer are bought again. */
  readonly buysAgain: boolean;
}

export interface RunChoices {
  /** A path or a stream for the output, or `false` for none; left out: a file beside the input. */
  readonly output?: string | NodeJS.WritableStream | false | undefined;
  /** The most that this batch may ever spend. It takes precedence over the job's budget. */
  readonly budget?: Credits | undefined;
  /** The run works on this many rows below the header and no others. */
  readonly limit?: number | undefined;
  /** The run works on the rows with these numbers, such as `5,9,12-20`, and on no others. */
  readonly only?: string | undefined;
  /** The run asks this step of the job alone, by its name. */
  readonly step?: string | undefined;
  /** The run buys this many random rows and plans the rest by what they found. */
  readonly sample?: number | undefined;
  /** Whether the list is only submitted, and left to workers. */
  readonly detach?: boolean | undefined;
  /** Whether the run belongs to a sweep: its command goes on with everything that its jobs have. */
  readonly isSweep?: boolean | undefined;
  /** Whether every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** How long the run may make no progress before it stops; left out: for ever. */
  readonly maxPauseMs?: number | undefined;
  /**
   * Called with the plan when nothing limits the run; it returns how much may be spent, or undefined for
   * "no". Left out: no one can be asked.
   */
  readonly askBudget?: ((plan: Plan) => Promise<number | undefined>) | undefined;
  /**
   * Called with the changes that the run would make in the service; it returns whether the run may. Left out:
   * "no", except for a sandbox account.
   */
  readonly askChanges?: ((plan: ChangePlan) => Promise<boolean>) | undefined;
  /** Called with the changes before a stop to which a person may answer for exactly that plan. */
  readonly showChanges?: ((plan: ChangePlan) => void) | undefined;
  /**
   * Whether calls with a reply that turned out to be no answer are bought again. Left out: only where a
   * person agrees to a plan that counts them.
   */
  readonly buyAgain?: boolean | undefined;
  /**
   * The user's answers to stops of earlier runs:
   * - kept are suspect misses (`no-match`), refusals of one shape (`refused`) and matches that show the same
   *   facts (`same-answers`);
   * - answers that cannot be read (`doubts`), or come later (`later`), stay in doubt and stop no run;
   * - a store that is behind is used as it is (`store`);
   * - the changes that guards hold back in the plan with the id `planId` are intended (`guards`);
   * - a very large list is meant (`large-list`);
   * - rows that were set aside for a host of several companies are asked (`shared-host`);
   * - the requests that a stop named by their hash are agreed to (`dialect:HASH`).
   */
  readonly accept?: readonly (Acceptable | Agreement)[] | undefined;
  /**
   * Called once for each dialect that sends other requests than the built-in one, with everything that
   * differs; it returns whether they may be sent, and a yes is kept. Left out: no one can be asked, and only
   * `accept` agrees.
   */
  readonly askAgreement?: ((question: AgreementQuestion<string>) => Promise<boolean>) | undefined;
  /** Whether the run may make people admin, whatever the job's guards say. */
  readonly allowAdmin?: boolean | undefined;
  /** The id of a plan. The run begins only while its plan is still that one. */
  readonly planId?: string | undefined;
  readonly watcher?: Watcher | undefined;
}

/** A watcher of a run while it goes. It is shown what the ledger has, as everywhere else. */
export interface Watcher {
  preparing(what: string): void;
  /** The rows are worked on from now on. */
  begin(ledger: LedgerReader, batch: Batch): Promise<void>;
  end(ledger: LedgerReader, batch: Batch): Promise<void>;
}

/** How a store is opened for spending, and the process that opens it. */
export interface OpeningOptions {
  /** How long to wait for another spender of the store. */
  readonly waitForLockMs?: number | undefined;
  /**
   * False: a first store that no one named is made only for sandbox accounts. Otherwise it is made where it
   * will last.
   */
  readonly makesStore?: boolean | undefined;
  /** Receives messages about the store for the user. */
  readonly tell?: Tell | undefined;
  /** The command as it was typed, shown to others who find the store in use. */
  readonly command?: string | undefined;
  /** The words of the command behind the program's name; a stop adds the store to them. */
  readonly words?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  /**
   * The name of the person at work, kept with the steps of the run: a note, and no proof. Left out: the user
   * of the system.
   */
  readonly operator?: string | undefined;
}

export interface RunOptions extends JobOptions, RunChoices, OpeningOptions {
  /** The path to which the job is written as a commented file. */
  readonly saveJobAs?: string | undefined;
  /**
   * Once it is aborted with a StopError, nothing new is sent; answers to requests in flight are still
   * recorded.
   */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: Listener | undefined;
}

/** The options for a run of a chosen job in an open store. */
export type FileOptions = Pick<RunOptions, 'file' | 'signal' | 'onEvent'> & RunChoices;

export interface RangeQueue {
  /**
   * Sends ranges. One that waits or is worked on is not sent twice. One that was set aside is sent again
   * where rows of it were finished since it was sent, or where a person asks for it.
   */
  send(ranges: readonly RangeLeft[], sender: 'person' | 'worker'): Promise<void>;
}

/**
 * A resolved run: one job over one file, and how far it may go. The command line and the web page build the
 * same.
 */
export interface RunContext extends RunChoices, PlanContext {
  readonly ledger: Ledger;
  /** The hosts of the list with several names of companies. */
  readonly named?: SharedHosts | undefined;
  /** Hands ranges of the list to workers; undefined where the store has none. */
  readonly queue?: RangeQueue | undefined;
  readonly inputPath: string;
  /** The store, where this run is the first in it. */
  readonly newStore?: { readonly path: string; readonly made: true };
  /** The folder in which the embedded vendors of sandbox accounts keep their book. */
  readonly sandboxFolder: string;
  readonly clock: Clock;
  /**
   * Aborted with a StopError as its reason when nothing new may be sent; requests in flight are still
   * recorded.
   */
  readonly signal: AbortSignal;
  readonly emit: Listener;
  /** Called with the credits that the vendor says are left; left out: the vendor is not asked. */
  readonly hearBalance?: (credits: number) => void;
}

/** The list of a run, and what the ledger knows it by. */
export interface RunList {
  readonly context: RunContext;
  readonly input: MappedInput;
  readonly names: BatchNames;
}
