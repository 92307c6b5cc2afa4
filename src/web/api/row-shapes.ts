import { z } from 'zod';
import { OUTCOME_KINDS } from '../../core/row.ts';
import type { Batch } from '../../ledger/ledger.ts';
import { membersOf, noun } from '../../objects/noun.ts';
import { DoubtListObject, DoubtObject } from '../../objects/row-object.ts';
import type { DoubtList, ListedDoubt } from '../../run/tasks/settle.ts';
import { BatchNamed } from './batch-shapes.ts';

export { DecisionObject, LookObject } from '../../objects/row-object.ts';

/** Rows of a batch, and doubts. */

/** A filter: an outcome, `pending`, `finished` for any other, or `attention` for the three outcomes to look at. */
export const RowFilter = z.enum([...OUTCOME_KINDS, 'pending', 'finished', 'attention']);
export type RowFilter = z.infer<typeof RowFilter>;

const USUAL_ROWS = 100;

const Whole = z.coerce.number().int().min(0);

/** Which rows of a batch are shown: those from a row on, or those before one. */
export const RowPageQuery = z.object({
  from: Whole.default(0),
  before: Whole.optional(),
  limit: Whole.default(USUAL_ROWS),
  status: RowFilter.optional(),
});

export const RowView = z.object({
  row: z.number(),
  /** In the order of `header`; null where the list does not have the row, or they were erased. Long ones are cut. */
  cells: z.array(z.string()).nullable(),
  /** In the order of `added`. */
  found: z.array(z.string()),
  /** An outcome, or `pending`. */
  status: z.string(),
  reason: z.string(),
  credits: z.number(),
  /** Where the answer came from, as the output's column `_source` says it. */
  source: z.string(),
});
export type RowView = z.infer<typeof RowView>;

/** Where another page begins: at a row, or before one. */
export const PagePlace = z.union([z.object({ from: z.number() }), z.object({ before: z.number() })]);
export type PagePlace = z.infer<typeof PagePlace>;

export const RowPage = BatchNamed.extend({
  /** Number of rows by status, `pending` among them. */
  counts: z.record(z.string(), z.number()),
  /** The number of the last row. */
  last: z.number(),
  header: z.array(z.string()),
  added: z.array(z.string()),
  /** How many columns of answers are not shown. */
  more_columns: z.number(),
  rows: z.array(RowView),
  prev: PagePlace.nullable(),
  next: PagePlace.nullable(),
});
export type RowPage = z.infer<typeof RowPage>;

const doubt = membersOf<ListedDoubt & { readonly asked: Batch }>();
export const DoubtView = noun({
  ...DoubtObject.members,
  /** Whether the request was sent by this batch, so that its row is one of it. */
  own: doubt(z.boolean(), ({ doubt: { batch }, asked }) => batch === asked.id),
});
export type DoubtView = z.infer<typeof DoubtView>;

const list = membersOf<DoubtList & { readonly batch: Batch }>();
/** What `settle BATCH --json` prints. */
export const DoubtsView = noun({
  ...DoubtListObject.members,
  ...BatchNamed.members,
  in_doubt: list(z.array(DoubtView), ({ doubts, batch }) =>
    doubts.map((listed) => DoubtView.of({ ...listed.doubt, ...listed, asked: batch })),
  ),
});
export type DoubtsView = z.infer<typeof DoubtsView>;

/** What a person decides. `answer` and `not_done` are about one row, or about the only doubt that there is. */
export const SettleRequest = z.strictObject({
  rows: z.union([z.literal('all'), z.array(z.int().min(2)).min(1).max(500)]),
  how: z.enum(['retry', 'skip', 'not_done', 'answer']),
  extra_credits: z.int().min(0).max(1e12).optional(),
  answer: z
    .record(
      z.string().regex(/^[^\s=-][^=]{0,99}$/, 'a name must not begin with a sign or contain ='),
      z.string().max(2_000),
    )
    .optional(),
});
export type SettleRequest = z.infer<typeof SettleRequest>;
