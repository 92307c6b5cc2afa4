import { z } from 'zod';
import { WorkView } from './batches.ts';

/** Sweeps of inboxes. */

export const ScheduleView = z.object({
  /** The job's name. */
  job: z.string(),
  /** Five cron fields. */
  schedule: z.string(),
  inbox: z.string(),
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
    })
    .nullable(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;

export const ScheduleList = z.object({
  time_zone: z.string(),
  schedules: z.array(ScheduleView),
});
export type ScheduleList = z.infer<typeof ScheduleList>;
