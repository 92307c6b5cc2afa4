import { z } from 'zod';
import { Refusal, Spender } from './session.ts';

/** Batches, what runs, and what changes. */

/** Credits; they have no currency. */
export const MoneyView = z.object({
  spent: z.number(),
  /** Whether just that was spent; otherwise it is the most. */
  exact: z.boolean(),
  in_doubt: z.number(),
  reserved: z.number(),
  budget: z.number().nullable(),
});

export const BatchView = z.object({
  batch: z.string(),
  state: z.enum(['open', 'finished', 'superseded', 'cancelled']),
  operation: z.string(),
  account: z.string(),
  /** Invented data for play money. */
  sandbox: z.boolean(),
  input: z.string(),
  undoes: z.string().nullable(),
  rows: z.number(),
  /** Number of settled rows by outcome; rows without an outcome are not counted. */
  counts: z.record(z.string(), z.number()),
  credits: MoneyView,
  /** Whether anything here costs credits: changes of a team do not. */
  has_costs: z.boolean(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** Since when a person has paused it; null when it may go on. */
  held_since: z.string().nullable(),
  /** Whether a process works on it now. */
  running: z.boolean(),
});
export type BatchView = z.infer<typeof BatchView>;

/** Which batches are listed, and which page of them. */
export const BatchListQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  /** Found in the list's name, the operation, the account or the batch's id. */
  text: z.string().max(200).default(''),
  state: z.enum(['all', 'open', 'finished', 'superseded', 'cancelled']).default('all'),
});

export const BatchList = z.object({
  batches: z.array(BatchView),
  /** Number of batches that the filter lets through. */
  total: z.number(),
  per_page: z.number(),
  /** Number of batches that there are. */
  all: z.number(),
});
export type BatchList = z.infer<typeof BatchList>;

/** What a batch sent and was charged, in stretches of equal length, and when its account sent nothing. */
export const ActivityView = z.object({
  from_ms: z.number(),
  bucket_ms: z.number(),
  requests: z.array(z.number()),
  credits: z.array(z.number()),
  pauses: z.array(z.object({ from_ms: z.number(), until_ms: z.number() })),
});
export type ActivityView = z.infer<typeof ActivityView>;

/** How changes ended, by `applied`, `unchanged`, `held_back`, `refused`, `in_doubt`, `skipped`, `invalid` or `pending`. */
const EndCounts = z.record(z.string(), z.number());
/** How many were made, by `invite`, `change_role`, `remove`, `create_project` or `call`. */
const DoneCounts = z.record(z.string(), z.number());

/** What a batch of changes has done, each subject once. */
export const ChangesView = z.object({
  done: DoneCounts,
  counts: EndCounts,
  /** How many of those that were applied the service has answered without a word about them. */
  without_a_word: z.number(),
  /** By project and by what is wanted there: a role, or `none` for "not in it". */
  projects: z.array(
    z.object({
      project: z.string().nullable(),
      to: z.string(),
      done: DoneCounts,
      counts: EndCounts,
      without_a_word: z.number(),
    }),
  ),
  /** Number of changes that are not so any more, or perhaps not, because of another batch. */
  overtaken: z.number(),
});
export type ChangesView = z.infer<typeof ChangesView>;

export const BatchDetail = BatchView.extend({
  settled: z.number(),
  requests: z.number(),
  calls: z.number(),
  /** Requests without an answer yet. */
  open_requests: z.number(),
  /** Requests of its account in the last minute. */
  requests_last_minute: z.number(),
  /** What the account may send in a second, on average; null when no limit is known. */
  limit_per_second: z.number().nullable(),
  /** Since when a process works on it; null when none does. */
  running_since: z.string().nullable(),
  /** Until when the account sends nothing, why, and whether the vendor asked for it. */
  paused: z.object({ until: z.string(), why: z.string(), asked: z.boolean() }).nullable(),
  activity: ActivityView,
  /** How long the rest takes at the rate of the last seconds; null when that is unknown, as during a pause. */
  seconds_left: z.number().nullable(),
  /** What was changed; null for a batch that changes nothing. */
  changes: ChangesView.nullable(),
  /** What is typed to go on. */
  next: z.string().nullable(),
  /** How many of its rows wait, because what was bought for them turned out to be no answer. */
  unanswered: z.number(),
  /** Whether the dialect has changed since its answers were read, so that it may settle rows otherwise today. */
  read_before: z.boolean(),
  /** When its account was last changed on the page, ms since 1970; null when it was not. */
  account_changed_ms: z.number().nullable(),
  /** The newer batch of the same job and list, which has taken its place. */
  followed_by: z.string().nullable(),
  /** The name of the file that was written. */
  output: z.string().nullable(),
  /** Another process that is spending from the store, on something else. */
  spender: Spender.nullable(),
});
export type BatchDetail = z.infer<typeof BatchDetail>;

/** What answers that were shared or bought before would have cost. */
export const SavedView = z.object({ credits: z.number() });
export type SavedView = z.infer<typeof SavedView>;

export const TicketRequest = z.strictObject({
  what: z.enum(['output', 'needs_attention', 'report']),
  /** Left out: as the input is. */
  format: z.enum(['csv', 'xlsx']).optional(),
});
export type TicketRequest = z.infer<typeof TicketRequest>;
/** Opens `/downloads/TICKET` once, within a minute. */
export const Ticket = z.object({ ticket: z.string(), name: z.string() });
export type Ticket = z.infer<typeof Ticket>;

/** A message of the stream of events: what is to be asked for again. */
export const ChangeMessage = z.object({
  /** Ids of batches that are not as they were. */
  batches: z.array(z.string()),
  /** Whether something that the page started has begun or ended. */
  work: z.boolean(),
  /** Processes that spend from the stores and were not started by the page. */
  spenders: z.array(Spender),
});
export type ChangeMessage = z.infer<typeof ChangeMessage>;

/** Behind the `?`: what a person says to what stopped the batch, or to what waits in it. */
export const Continuation = z.strictObject({
  /** The most credits that the batch may spend from now on; left out: as many as before. */
  budget: z.coerce.number().int().positive().optional(),
  /**
   * One of the `answers` of the stop. `yes` also buys again what turned out to be no answer; `anew` asks for the plan that settles
   * a finished batch by today's dialect.
   */
  answer: z
    .string()
    .regex(/^(?:yes|no-match|take-back|doubts|store|guards|anew|(?:dialect|inbox):[0-9a-f]{32})$/)
    .optional(),
  /** The `plan` of the stop, where it has one: `yes` and `guards` agree to that plan alone. */
  plan: z.string().max(300).optional(),
});
export type Continuation = z.infer<typeof Continuation>;

/** What was started from the page: a command that runs, waits for the one before it, or has ended. */
export const WorkView = z.object({
  id: z.string(),
  kind: z.enum(['run', 'sample', 'settle', 'undo', 'cancel', 'pause', 'resume', 'sweep', 'export']),
  /** The batch, the list or the job. */
  about: z.string(),
  /** The batch that its plan began, as soon as there is one. */
  batch: z.string().nullable(),
  /** Ms since 1970. */
  at_ms: z.number(),
  state: z.enum(['waiting', 'working', 'ended']),
  exit_code: z.number().nullable(),
  /** `budget`: one that is enough; `answers`: what a person may say, so that it goes on; `plan`: what `yes` agrees to. */
  stopped: Refusal.shape.error
    .extend({
      budget: z.number().optional(),
      answers: z.array(z.string()).optional(),
      plan: z.string().optional(),
    })
    .nullable(),
  /** The last lines that it said. */
  said: z.array(z.string()),
  /** What the command printed under `--json`. */
  result: z.unknown(),
});
export type WorkView = z.infer<typeof WorkView>;

export const WorkList = z.object({ work: z.array(WorkView) });
export type WorkList = z.infer<typeof WorkList>;

/** Batches whose end a person wants to be told of, by a notification of the browser. */
export const AwaitedEnds = z.object({
  batches: z.array(z.string()),
  /** Whether the request has changed that. */
  changed: z.boolean(),
});
export type AwaitedEnds = z.infer<typeof AwaitedEnds>;
