import { z } from 'zod';
import { BatchNamed } from './batch-object.ts';

/** Rows of a batch, each with the cells of its list and those that were bought beside them. */

/** A column, and where its cells are from: the list, an answer, or what the ledger knows of the row. */
const TableColumnObject = z.object({
  name: z.string(),
  from: z.enum(['list', 'bought', 'ours']),
  /** The operation that fills it, where the batch has several. */
  operation: z.string().exactOptional(),
  /** The path of its value in the answer, for `add`. */
  path: z.string().exactOptional(),
});
export type TableColumnObject = z.output<typeof TableColumnObject>;

/** The cells of a row in the order of the columns; those of the list are blank once they were erased. */
const TableRowObject = z.object({
  row: z.number(),
  cells: z.array(z.string()),
  /** The cells of each that the row found, in the order of `result_columns`. */
  results: z.array(z.array(z.string())).exactOptional(),
});
export type TableRowObject = z.output<typeof TableRowObject>;

/** The output of `status BATCH` with rows to show. */
export const TableObject = BatchNamed.extend({
  columns: z.array(TableColumnObject),
  /** The columns of what a row found, where one row finds many, such as the people of a company. */
  result_columns: z.array(z.string()).exactOptional(),
  /** Number of bought columns that only the output has. */
  more_columns: z.number(),
  /** The number of the batch's last row. */
  last: z.number(),
  rows: z.array(TableRowObject),
  /** The row with which the next page begins; null on the last one. */
  next: z.number().nullable(),
});
export type TableObject = z.output<typeof TableObject>;
