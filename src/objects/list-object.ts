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

/** Damaged cells of a column. */
export const DamageObject = z.object({
  kind: z.string(),
  /** Says the kind behind the count: `3 in scientific notation`. */
  words: z.string(),
  ...RowsObject.shape,
  /** How many of the cells a repair corrects. */
  repairable: z.number(),
  examples: z.array(DamagedCellObject),
});
export type DamageObject = z.infer<typeof DamageObject>;

const ColumnObject = z.object({
  name: z.string(),
  /** The kind of text in at least four fifths of the filled cells. */
  looks_like: z.string(),
  /** The column holds addresses or numbers of people, by its cells or by its name; it may be blank. */
  contact: z.enum(['email', 'phone']).exactOptional(),
  filled: z.number(),
  examples: z.array(z.string()),
  /** Cells that do not look like the others. */
  odd: RowsObject,
  damage: z.array(DamageObject),
});
export type ColumnObject = z.infer<typeof ColumnObject>;

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
  /** Columns that a run would use only where a job says so. */
  likely: z.array(likely),
  /** Columns that a run must be told to leave unread. */
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
  /** Whether that row was guessed: it is not the first. */
  header_guessed: z.boolean(),
  /** Rows that name nobody and are not asked about: totals, remarks, lines of dashes, numbers alone. */
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
  /** Rows in which nobody knows which cell belongs to which name. */
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
