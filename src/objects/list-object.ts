import { z } from 'zod';

/** A description of a file, before there is a job. */

export const RowsObject = z.object({
  count: z.number(),
  first_rows: z.array(z.number()),
});
export type RowsObject = z.infer<typeof RowsObject>;

const DamagedCellObject = z.object({
  row: z.number(),
  cell: z.string(),
  repaired: z.string().exactOptional(),
});

/** A cell that a person has mended on the page. */
export const MendedCellObject = z.object({ row: z.number(), column: z.string(), value: z.string() });

/** Damaged cells of a column. */
export const DamageObject = z.object({
  kind: z.string(),
  /** The kind, as in `3 in scientific notation`. */
  words: z.string(),
  ...RowsObject.shape,
  /** Cells that `--repair` corrects. */
  repairable: z.number(),
  examples: z.array(DamagedCellObject),
});
export type DamageObject = z.infer<typeof DamageObject>;

const ColumnObject = z.object({
  name: z.string(),
  /** The kind of text in at least four fifths of the filled cells. */
  looks_like: z.string(),
  /** E-mails or telephone numbers of people. */
  contact: z.enum(['email', 'phone']).exactOptional(),
  filled: z.number(),
  examples: z.array(z.string()),
  /** Cells that do not look like the others. */
  odd: RowsObject,
  damage: z.array(DamageObject),
});
export type ColumnObject = z.infer<typeof ColumnObject>;

/** What is wrong with a cell, before anything is asked. */
export const CellFaultObject = z.object({
  /** A clause behind the cell, such as `10 digits of 11`. */
  says: z.string(),
  /** What the cell was before: one alone is sure, of several a person chooses. Left out: no one can know. */
  meant: z.array(z.string()).exactOptional(),
});
export type CellFaultObject = z.infer<typeof CellFaultObject>;

/** Cells that are wrong alike. */
const FaultsObject = z.object({
  /** With their count: `10 lost a digit`, `2 are not ABNs`. */
  says: z.string(),
  ...RowsObject.shape,
});

/**
 * The wrong cells of a column: those with a known right value, and the others; and addresses that may be
 * mistyped.
 */
export const ColumnFaultsObject = z.object({
  column: z.string(),
  meant: FaultsObject.exactOptional(),
  others: FaultsObject.exactOptional(),
  near: FaultsObject.exactOptional(),
});
export type ColumnFaultsObject = z.infer<typeof ColumnFaultsObject>;

export const DuplicatesObject = z.object({ same: RowsObject });
export type DuplicatesObject = z.infer<typeof DuplicatesObject>;

const likely = z.object({ input: z.string(), column: z.string(), because: z.string() });
const namesByInput = z.record(z.string(), z.string());
/** How the columns of a list fit an operation. */
export const OperationFit = z.object({
  operation: z.string(),
  /** Input ← column, as a run would use it. */
  columns: namesByInput,
  because: namesByInput,
  /** Columns that a run uses only where a job names them. */
  likely: z.array(likely),
  /** Columns that you must tell a run to leave unread. */
  unheeded: z.array(likely.omit({ because: true })).exactOptional(),
  /** Null when a run would not be refused. */
  problem: z.string().nullable(),
});
export type OperationFit = z.infer<typeof OperationFit>;

/** The sheets of a workbook, by the names that `--sheet` takes. */
export const sheets = z.array(z.object({ name: z.string(), hidden: z.boolean(), read: z.boolean() }));

/** The place of the table in a list, and which part of it was guessed. */
const LayoutObject = z.object({
  /** `3`, or `3-4` for names in two rows. */
  header_row: z.string(),
  /** Whether it was guessed. */
  header_guessed: z.boolean(),
  /** Rows that are no records: totals, remarks, lines of dashes, numbers alone. */
  left_out: z.array(z.object({ rows: z.string(), text: z.string() })),
  /** The first rows that hold something. */
  top: z.array(z.object({ row: z.number(), text: z.string() })),
});

const unreadable = z.object({
  count: z.number(),
  first: z.array(z.object({ row: z.number(), reason: z.string() })),
});
/** The output of `plan FILE`. */
export const ListDescription = z.object({
  rows: z.number(),
  /** Rows in which is not known which cell belongs to which name. */
  unreadable,
  encoding: z.string(),
  delimiter: z.string(),
  columns: z.array(ColumnObject),
  duplicates: DuplicatesObject,
  operations: z.array(OperationFit),
  sheets: sheets.exactOptional(),
  layout: LayoutObject,
});
export type ListDescription = z.infer<typeof ListDescription>;
