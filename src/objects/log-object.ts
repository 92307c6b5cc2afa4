import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import type { LogEntry } from '../run/tasks/log.ts';
import type { Drift, Spend, SpendGroup } from '../run/tasks/spend.ts';
import { membersOf, noun } from './noun.ts';

/** Who did what, and what it cost. */

const entry = membersOf<LogEntry>();
const text = (read: (entry: LogEntry) => string | undefined) =>
  entry(z.string().nullable(), (of) => read(of) ?? null);
const count = (read: (entry: LogEntry) => number | undefined) =>
  entry(z.number().nullable(), (of) => read(of) ?? null);

/** One thing that a person did: a request, a decision about one, or what was done with a batch. */
export const LogEntryObject = noun({
  at: entry(z.string(), ({ atMs }) => isoTime(atMs)),
  /** `asked`, `changed`, `decided`, `begun`, `gone_on`, `settled`, `paused`, `resumed`, `cancelled` or `erased`. */
  kind: entry(z.string(), ({ kind }) => kind),
  /** By their own word, or the user of the system. */
  operator: text(({ operator }) => operator),
  batch: text(({ batch }) => batch?.id),
  row: count(({ row }) => row),
  account: text(({ batch }) => batch?.accountName),
  sandbox: entry(z.boolean(), ({ batch }) => batch?.sandbox ?? false),
  operation: text(({ request, batch }) => request?.operation ?? batch?.operation),
  /** Whom a change altered, in words, with the role that was given; null for a question. */
  subject: text(({ request }) => request?.subject),
  /** What was sent; empty where it was erased. */
  asked: entry(z.record(z.string(), z.string()), ({ request }) => request?.asked ?? {}),
  /** By what an erased request is known. */
  hash: text(({ request }) => request?.hash),
  /** `found`, `no_match`, `refused`, `in_doubt`, `not_sent`, `paused`, `stopped` or `open`; of a decision what was decided. */
  ended: text(({ decision, request }) => decision?.kind ?? request?.ended),
  /** Of a decision: `person`, `job` or `rule`. */
  decided_by: text(({ decision }) => decision?.by),
  why: text(({ decision, request }) => decision?.why ?? request?.why),
  /** Credits of a request. */
  charged: count(({ kind, request }) => (kind === 'decided' ? undefined : request?.charged)),
  in_doubt: count(({ kind, request }) => (kind === 'decided' ? undefined : request?.inDoubt)),
  /** What the vendor answered to a change. */
  status: count(({ request }) => request?.status),
  said: text(({ request }) => request?.said),
});

/** What `rowonce log` tells, newest first. */
export const LogObject = z.object({
  /** The spellings that were looked for, or the id of a batch; empty for all. */
  about: z.array(z.string()),
  entries: z.array(LogEntryObject),
  /** Whether there are older ones that are left out. */
  more: z.boolean(),
  /** The file of all of them, if one was written. */
  output: z.string().nullable(),
});

/** Credits of an account, a batch, a day or a person in a month. */
export const SpendGroupObject = z.object({
  /** Null where nobody was noted. */
  name: z.string().nullable(),
  sandbox: z.boolean(),
  spent: z.number(),
  /** Whether just that was spent; otherwise it is the most. */
  exact: z.boolean(),
  in_doubt: z.number(),
  /** What batches that began in the month saved by asking once. */
  saved: z.number(),
  requests: z.number(),
  batches: z.number(),
  /** The month's budget of an account, or the budget of a batch. */
  budget: z.number().nullable(),
  input: z.string().optional(),
  account: z.string().optional(),
}) satisfies z.ZodType<SpendGroup>;

const drift = membersOf<Drift>();
/** By what the vendor's balance fell and our books rose. */
export const DriftObject = noun({
  since: drift(z.string(), ({ sinceMs }) => isoTime(sinceMs)),
  until: drift(z.string(), ({ atMs }) => isoTime(atMs)),
  left: drift(z.number(), ({ left }) => left),
  taken: drift(z.number(), ({ taken }) => taken),
  booked: drift(z.number(), ({ booked }) => booked),
});

const spend = membersOf<Spend & { readonly output: string | undefined }>();
/** What `rowonce spend` tells. */
export const SpendObject = noun({
  month: spend(z.string(), ({ month }) => month),
  by: spend(z.enum(['account', 'batch', 'day', 'operator']), ({ by }) => by),
  groups: spend(z.array(SpendGroupObject), ({ groups }) => groups),
  output: spend(z.string().nullable(), ({ output = null }) => output),
});
