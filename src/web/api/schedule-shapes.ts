import { z } from 'zod';
import { AgreementView } from '../../objects/plan-object.ts';
import { WorkView } from './batch-shapes.ts';

/** What begins by itself. */

/** A sweep of an inbox by its schedule. */
export const ScheduleView = z.object({
  /** The job's name. */
  job: z.string(),
  /** Five cron fields. */
  schedule: z.string(),
  inbox: z.string(),
  /** What a person has to agree to first, once: until then nothing is swept. */
  to_agree: z.array(AgreementView),
  account: z.string(),
  sandbox: z.boolean(),
  /** Ms since 1970; null when it never comes. */
  next_ms: z.number().nullable(),
  /** The sweep that waits or works now. */
  work: WorkView.nullable(),
  /** The last sweep that ended. */
  last: z
    .object({
      at_ms: z.number(),
      ended_ms: z.number(),
      exit_code: z.number(),
      message: z.string().nullable(),
      files: z.number(),
      spent: z.number(),
      /** The batch that was worked on, for the start of one list. */
      batch: z.string().nullable().default(null),
    })
    .nullable(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

/** The start of a list at one later moment, and how it ended. It starts only while its plan has not moved. */
export const ScheduledStart = z.object({
  id: z.string(),
  list: z.string(),
  /** The name of the list; null when it was removed. */
  name: z.string().nullable(),
  operation: z.string(),
  account: z.string(),
  sandbox: z.boolean(),
  /** The most credits that it may spend; null when nothing is paid, or the account's budgets limit it. */
  budget: z.number().nullable(),
  plan: z.string(),
  /** Ms since 1970. */
  at_ms: z.number(),
  /** What waits or works now. */
  work: WorkView.nullable(),
  /** How it ended; null until then. */
  last: ScheduleView.shape.last,
});
export type ScheduledStart = z.infer<typeof ScheduledStart>;

/** Agrees to the start of a plan that was shown, at the next moment at which clocks show that time. */
export const LaterRequest = z.strictObject({
  plan: z.string().min(1).max(200),
  budget: z.int().min(0).optional(),
  /** As `02:00`, in the time zone of the schedules. */
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
});

export const ScheduleList = z.object({
  time_zone: z.string(),
  schedules: z.array(ScheduleView),
  starts: z.array(ScheduledStart),
  /** Files of the store's folder that could not be read and lie aside. */
  damaged: z.array(z.string()),
});
export type ScheduleList = z.infer<typeof ScheduleList>;
