import { z } from 'zod';
import { SpentObject } from '../../objects/batch-object.ts';
import { LogEntryObject, SpendGroupObject } from '../../objects/log-object.ts';
import { BatchOfMonth } from './batch-shapes.ts';

/** What was spent, and what an undo would send. */

/** `2026-11`. Days and months are those of UTC, as budgets count them. */
export const Month = z.string().regex(/^20\d{2}-(?:0[1-9]|1[0-2])$/);

/** A table of the history as a file: the log, the changes in it, or what a month cost. */
export const HistoryTicketRequest = z.strictObject({
  what: z.enum(['log', 'changes', 'spend']),
  /** The person or company that the log is about; left out: everything. */
  about: z
    .string()
    .max(1_000)
    // What begins like an option would be taken for one.
    .regex(/^[^-]/)
    .optional(),
  /** The month of what was spent; left out: this one. */
  month: Month.optional(),
});
export type HistoryTicketRequest = z.infer<typeof HistoryTicketRequest>;

export const HistoryBatch = BatchOfMonth.extend({
  ...SpentObject.shape,
  saved: z.number(),
  requests: z.number(),
  /** Whether it changed the service, so that an undo can be planned. */
  can_undo: z.boolean(),
});
export type HistoryBatch = z.infer<typeof HistoryBatch>;

export const HistoryView = z.object({
  month: Month,
  /** The month of the oldest batch; null before the first one. */
  first: Month.nullable(),
  /** The month of now. */
  last: Month,
  /** What `spend` tells of the month, by account, by who was at work, and by day. */
  accounts: z.array(SpendGroupObject),
  operators: z.array(SpendGroupObject),
  days: z.array(SpendGroupObject),
  batches: z.array(HistoryBatch),
});
export type HistoryView = z.infer<typeof HistoryView>;

export const SubjectView = z.object({
  /** The spellings that were looked for, or the id of a batch. */
  values: z.array(z.string()),
  entries: z.array(LogEntryObject),
  /** Whether there are more than are shown. */
  more: z.boolean(),
});
export type SubjectView = z.infer<typeof SubjectView>;

export const UndoView = z.object({
  undoes: z.string(),
  state: z.enum(['plan', 'begun', 'nothing', 'undone']),
  /** The undo that has begun or ended. */
  by: z.string().nullable(),
  sandbox: z.boolean(),
  /** What a start names, so that nothing else is done than what was shown. */
  plan: z.string(),
  changes: z.array(
    z.object({
      row: z.number(),
      action: z.string(),
      email: z.string().nullable(),
      project: z.string().nullable(),
      from: z.string().nullable(),
      to: z.string().nullable(),
      reason: z.string().optional(),
    }),
  ),
  not_undone: z.array(z.object({ row: z.number(), subject: z.string(), reason: z.string() })),
});
export type UndoView = z.infer<typeof UndoView>;

export const UndoRequest = z.strictObject({ plan: z.string().max(100) });
