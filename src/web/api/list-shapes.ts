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

/** What was brought to the page. */
export const ListView = z.object({
  id: z.string(),
  /** As the user's file is called; data, and never part of a path. */
  name: z.string(),
  bytes: z.number(),
  /** ISO 8601, UTC. */
  at: z.string(),
  reading: Reading,
});
export type ListView = z.infer<typeof ListView>;

export const Lists = z.object({
  /** The one that was brought last comes first. */
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
