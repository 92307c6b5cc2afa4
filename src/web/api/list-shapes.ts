import { z } from 'zod';
import { Reading as ReadWords } from '../../core/reading.ts';

export { DamageObject, ListDescription, OperationFit } from '../../objects/list-object.ts';

/** Lists that are brought to the page. */

export { ReadWords };

/** Which rows of a list are shown. How it is read is said as well where it is not read as was chosen. */
export const ListRowsQuery = ReadWords.extend({
  from: z.coerce.number().int().min(0).default(2),
  limit: z.coerce.number().int().min(0).default(100),
});

/** How the list is read and whether what is sure is repaired, as it was chosen on its view. */
export const Reading = z.strictObject({ read: ReadWords, repair: z.boolean() });
export type Reading = z.infer<typeof Reading>;

/** What was brought to the page. Its id is its lineage: a run over a corrected list goes on. */
export const ListView = z.object({
  id: z.string(),
  /** As the user's file is called; data, and never part of a path. */
  name: z.string(),
  /** 1 as it was brought; each correction and each other upload counts one more. */
  version: z.number(),
  bytes: z.number(),
  /** ISO 8601, UTC. */
  at: z.string(),
  reading: Reading,
});
export type ListView = z.infer<typeof ListView>;

export const Lists = z.object({
  /** The one that was brought or corrected last comes first. */
  lists: z.array(ListView),
  /** The most bytes that an upload may have now, by the limit and by what is free on the disk. */
  most_bytes: z.number(),
  /** The endings of names that can be read, such as `.csv`. */
  endings: z.array(z.string()),
});
export type Lists = z.infer<typeof Lists>;

const ListRow = z.object({
  row: z.number(),
  cells: z.array(z.string()),
  /** Why nobody knows which cell stands below which name. */
  unreadable: z.string().optional(),
});
export type ListRow = z.infer<typeof ListRow>;

export const ListRows = z.object({
  header: z.array(z.string()),
  rows: z.array(ListRow),
  /** The number of the row after these; null where the list ends, or where no more of a long one is shown. */
  next: z.number().nullable(),
});
export type ListRows = z.infer<typeof ListRows>;

/** Rows that a person has to look at after a batch. */
export const ListAttention = z.object({
  /** The newest batch over the list, or the one that was asked for; null when there is none. */
  batch: z
    .object({
      batch: z.string(),
      operation: z.string(),
      /** Input of the operation → column. */
      columns: z.record(z.string(), z.string()),
      read: ReadWords,
      sandbox: z.boolean(),
    })
    .nullable(),
  header: z.array(z.string()),
  rows: z.array(ListRow.extend({ status: z.string(), reason: z.string() })),
  /** Whether there are more of them. */
  more: z.boolean(),
});
export type ListAttention = z.infer<typeof ListAttention>;

export const CorrectionsRequest = z.strictObject({
  /** The version that was corrected, as it was seen. */
  version: z.number().int(),
  read: ReadWords,
  corrections: z
    .array(
      z.strictObject({
        row: z.number().int().min(1),
        column: z.string().max(10_000),
        value: z.string().max(100_000),
      }),
    )
    .min(1)
    .max(10_000),
});
export type CorrectionsRequest = z.infer<typeof CorrectionsRequest>;

export const Corrected = z.object({
  list: ListView,
  /** Where the new version cannot be just the same in everything else. */
  notes: z.array(z.string()),
});
export type Corrected = z.infer<typeof Corrected>;

/** Rows as they would be, before they are saved. */
export const CheckRequest = z.strictObject({
  operation: z.string().max(100),
  columns: z.record(z.string(), z.string()),
  rows: z.array(z.strictObject({ row: z.number(), cells: z.record(z.string(), z.string()) })).max(500),
});
export type CheckRequest = z.infer<typeof CheckRequest>;

export const Checked = z.object({
  rows: z.array(
    z.object({
      row: z.number(),
      /** Why no request can be made for the row; null when one can, or when only the job can tell. */
      problem: z.string().nullable(),
      /** What may be meant by a cell, by its column. What is not sure is for a person to choose. */
      meant: z.record(z.string(), z.object({ sure: z.boolean(), words: z.array(z.string()) })),
    }),
  ),
});
export type Checked = z.infer<typeof Checked>;
