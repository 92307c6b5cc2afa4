import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import type { ChangeFigures, ChangeGroup, ChangesDone } from '../files/output/changes-done.ts';
import { undoneBy } from '../job/job-origin.ts';
import type { Batch, Money, RangeCounts } from '../ledger/ledger.ts';
import { commandToGoOn } from '../lib/command-line.ts';
import type { BatchOverview, BatchStatus } from '../run/tasks/batch-status.ts';
import type { WorkerAccount, WorkerView } from '../run/tasks/workers.ts';
import { membersOf, noun } from './noun.ts';

/** Batches, and what they have changed. */

const spending = membersOf<Pick<Money, 'spent' | 'isAtMost' | 'inDoubt'>>();
/** Credits; they have no currency. */
export const SpentObject = noun({
  spent: spending(z.number(), ({ spent }) => spent),
  /** Whether just that was spent; otherwise it is the most. */
  exact: spending(z.boolean(), ({ isAtMost }) => isAtMost !== true),
  in_doubt: spending(z.number(), ({ inDoubt }) => inDoubt),
});

const money = membersOf<Money>();
/** Credits of a batch. */
const MoneyObject = noun({
  ...SpentObject.members,
  reserved: money(z.number(), ({ reserved }) => reserved),
  budget: money(z.number().nullable(), ({ cap = null }) => cap),
});

/** Number of finished rows by outcome; rows without an outcome are not counted. */
export const Counts = z.record(z.string(), z.number());

// ------------------------------------------------------------------------------------------------ changes

const figure = membersOf<ChangeFigures>();
const figures = {
  /** How many were made, by `invite`, `change_role`, `remove`, `create_project` or `call`. */
  done: figure(z.record(z.string(), z.number()), ({ done }) => done),
  /** How they ended, by status, or `held_back`. */
  counts: figure(z.record(z.string(), z.number()), ({ counts }) => counts),
  /** Those that the service has answered without a word about them. */
  without_a_word: figure(z.number(), ({ withoutWord }) => withoutWord),
};

const group = membersOf<ChangeGroup>();
const ChangeGroupObject = noun({
  project: group(z.string().nullable(), ({ project = null }) => project),
  /** What is wanted there: a role, or `none` for "not in it". */
  to: group(z.string(), ({ to }) => to),
  ...figures,
});

const changes = membersOf<ChangesDone>();
/** What a batch of changes has done, each subject once. */
export const ChangesObject = noun({
  ...figures,
  projects: changes(z.array(ChangeGroupObject), ({ groups }) => groups.map(ChangeGroupObject.of)),
});

// ------------------------------------------------------------------------------------------------ doubts of a batch

/** What a run and a batch have alike about what is left open; each is left out where there is none. */
export interface LeftOpen {
  readonly changes?: ChangesDone | undefined;
  readonly unanswered?: number;
}

const left = membersOf<LeftOpen>();
export const leftOpen = {
  changes: left(ChangesObject.optional(), (open) => open.changes && ChangesObject.of(open.changes)),
  /** Rows for which what was bought turned out to be no answer. */
  unanswered: left(z.number().optional(), (open) => open.unanswered || undefined),
};

// ------------------------------------------------------------------------------------------------ the batch

const batch = membersOf<{ readonly batch: Batch }>();
/** What a batch is, whatever became of it. */
export const ofBatch = {
  batch: batch(z.string(), (of) => of.batch.id),
  state: batch(z.enum(['open', 'finished', 'superseded', 'cancelled']), (of) => of.batch.state),
  operation: batch(z.string(), (of) => of.batch.operation),
  account: batch(z.string(), (of) => of.batch.accountName),
  input: batch(z.string(), (of) => of.batch.inputPath),
  /** The batch that it takes back. */
  undoes: batch(z.string().nullable(), (of) => undoneBy(of.batch.settings) ?? null),
  rows: batch(z.number(), (of) => of.batch.inputRows),
  /** Rows beyond the list: people who are removed because it does not name them. */
  rows_beyond: batch(z.number().optional(), (of) => of.batch.rowsBeyond),
  /** ISO 8601, UTC. */
  created_at: batch(z.string(), (of) => isoTime(of.batch.createdAtMs)),
};

const overview = membersOf<BatchOverview>();
/** A batch, as `status` lists it. */
export const BatchObject = noun({
  ...ofBatch,
  counts: overview(Counts, ({ counts }) => counts),
  credits: overview(MoneyObject, (of) => MoneyObject.of(of.money)),
  /** The file that was written. */
  output: overview(z.string().nullable(), (of) => of.batch.outputPath ?? null),
  /** What is typed to go on; null for a batch that was ended. */
  next: overview(z.string().nullable(), ({ batch: of }) => {
    const isEnded = of.state === 'cancelled' || of.state === 'superseded';
    return isEnded ? null : (commandToGoOn(of) ?? null);
  }),
  /** Since when a person has paused it. */
  held_since: overview(z.string().optional(), ({ batch: { heldSinceMs: ms } }) =>
    ms ? isoTime(ms) : undefined,
  ),
  /** Whether a process works on it now. */
  running: overview(z.boolean(), ({ run, ranges }) => run !== undefined || (ranges?.running ?? 0) > 0),
  /** Since when that process works. */
  running_since: overview(z.string().optional(), ({ run }) => run?.since),
});

const account = membersOf<WorkerAccount>();
const WorkerAccountObject = noun({
  account: account(z.string(), (of) => of.account),
  in_flight: account(z.number(), ({ inFlight }) => inFlight),
});

const worker = membersOf<WorkerView>();
/** A process that spends from a store which several share. */
export const WorkerObject = noun({
  host: worker(z.string(), ({ host }) => host),
  pid: worker(z.number(), ({ pid }) => pid),
  command: worker(z.string(), ({ command }) => command),
  /** How many seconds ago it began, and last said this. */
  since_seconds: worker(z.number(), ({ sinceMs }) => Math.round(sinceMs / 1000)),
  beat_seconds: worker(z.number().optional(), ({ beatAgoMs: ms }) => ms && Math.round(ms) / 1000),
  accounts: worker(z.array(WorkerAccountObject), ({ accounts }) => accounts.map(WorkerAccountObject.of)),
});

const all = membersOf<{
  readonly batches: readonly BatchOverview[];
  readonly workers: readonly WorkerView[];
}>();
/** What `status` prints: all batches, the newest first. */
export const BatchListObject = noun({
  batches: all(z.array(BatchObject), ({ batches }) => batches.map(BatchObject.of)),
  /** Of a store from which several processes spend. */
  workers: all(z.array(WorkerObject).optional(), ({ workers }) =>
    workers.length === 0 ? undefined : workers.map(WorkerObject.of),
  ),
});

const counts = membersOf<RangeCounts>();
const RangesObject = noun({
  waiting: counts(z.number(), ({ waiting }) => waiting),
  running: counts(z.number(), ({ running }) => running),
  /** Those that killed five workers. A run works on them. */
  set_aside: counts(z.number(), ({ setAside }) => setAside),
});

const status = membersOf<BatchStatus>();
/** What `status BATCH` prints. */
export const BatchStatusObject = noun({
  ...BatchObject.members,
  /** Who worked on it, in their order, by their own word. */
  operators: status(z.array(z.string()), ({ acts }) => [...new Set(acts.map(({ operator }) => operator))]),
  requests: status(z.number(), ({ requests }) => requests),
  calls: status(z.number(), ({ calls }) => calls),
  /** Requests without an answer yet. */
  open: status(z.number(), ({ open }) => open),
  /** Requests of its account in the last minute. */
  requests_last_minute: status(z.number(), ({ lastMinute }) => lastMinute),
  /** Until when the account sends nothing, and why. */
  paused_until: status(z.string().nullable(), ({ pause }) => (pause ? isoTime(pause.untilMs) : null)),
  paused_why: status(z.string().optional(), ({ pause }) => pause?.why),
  /** The newer batch that has taken its place. */
  followed_by: status(z.string().nullable(), ({ followedBy = null }) => followedBy),
  /** A sentence for each person whose invite it deleted and has not created again. */
  half_done: status(z.array(z.string()).optional(), ({ halfDone: notes }) =>
    notes.length === 0 ? undefined : notes,
  ),
  /** Ranges of its rows, for workers. */
  ranges: status(RangesObject.optional(), ({ ranges }) => ranges && RangesObject.of(ranges)),
  ...leftOpen,
});
