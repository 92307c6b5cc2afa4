import { z } from 'zod';
import { PLANNED_ACTIONS } from '../../core/operation.ts';
import { BatchView, ChangesObject, FiguresObject } from '../../objects/batch-view.ts';
import { MendedCellObject } from '../../objects/list-object.ts';

/** What came of a batch, as its report shows it: in the file beside the output, and on the page. */

/** `held_back`: a removal for which no row asks, and which an invalid row forbids or no one can make. */
export const CHANGE_ENDS = [
  'applied',
  'unchanged',
  'held_back',
  'refused',
  'in_doubt',
  'skipped',
  'invalid',
  'pending',
] as const;
export type ChangeEnd = (typeof CHANGE_ENDS)[number];

const PersonChange = z.object({
  row: z.number(),
  /** Blank for a change that is about no person. */
  who: z.string(),
  project: z.string().nullable(),
  action: z.enum(PLANNED_ACTIONS),
  from: z.string().optional(),
  to: z.string(),
  ended: z.enum(CHANGE_ENDS),
  reason: z.string(),
  /** Whether the list does not name the person. */
  beyond: z.boolean(),
  /** An undo has taken it back. Left out: the change stands. */
  taken_back: z.literal(true).exactOptional(),
});
export type PersonChange = z.output<typeof PersonChange>;

const LeftOutPerson = z.object({
  row: z.number(),
  who: z.string(),
  /** By which cell, and where the person has access. */
  reason: z.string(),
  keeps_access: z.literal(true).exactOptional(),
});

export const ChangesDone = ChangesObject.extend({
  /**
   * A change of each person with a place that changed or whom the list does not name, in the order of the
   * plan.
   */
  persons: z.array(PersonChange),
  /** Whom the conditions of the job leave out. */
  left_out: z.array(LeftOutPerson),
});
export type ChangesDone = z.output<typeof ChangesDone>;

/** How a batch ended, in words for people who never typed a command. */
const SummaryObject = z.object({
  /** Without a full stop where it is about what was found. */
  headline: z.string(),
  /** Left out where nothing is paid. */
  cost: z.string().exactOptional(),
  /** The price of each found one, and the credits that were saved. Blank where neither is known. */
  besides: z.string(),
  /** Of a start that asked some rows again: how many, and which came back different. */
  again: z.string().exactOptional(),
  needs: z.string(),
});
export type SummaryObject = z.output<typeof SummaryObject>;

/** Blank where every cell of the row is, or the row was erased. */
const NamedRow = z.object({ row: z.number(), name: z.string() });
export type NamedRow = z.output<typeof NamedRow>;

export const ReportObject = BatchView.extend({
  figures: FiguresObject,
  /** The name that people use for the list. */
  list: z.string(),
  operation: z.string(),
  /** The first rows that were not found, by the cell that says whom or what they are about. */
  not_found: z.array(NamedRow),
  /** The same of the rows that need attention, or have another ABN. */
  needing: z.array(NamedRow),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** Cells of the list that were mended on the page for this start. */
  mends: z.array(MendedCellObject),
  /** Who has begun it. */
  started_by: z.string().exactOptional(),
  /** The people who worked on it, by the names that they gave. */
  operators: z.array(z.string()),
  /** The names of the accounts that it may ask, the first one first. */
  accounts_named: z.array(z.string()),
  sandbox: z.boolean(),
  words: SummaryObject,
  /** Absent for a batch that changes nothing. */
  changes: ChangesDone.exactOptional(),
  /** What people did with it, oldest first, such as `started by Jo`. */
  acts: z.array(z.object({ at: z.string(), what: z.string() })),
});
export type ReportObject = z.output<typeof ReportObject>;
