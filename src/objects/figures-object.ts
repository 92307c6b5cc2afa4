import { z } from 'zod';
import { CostObject } from './money-object.ts';

/** The results of a batch, in the figures of its report. */

const AttentionObject = z.object({
  /** `invalid`, `refused` or `in_doubt`. */
  kind: z.string(),
  words: z.string(),
  rows: z.number(),
  first_rows: z.array(z.number()),
});

/** The report, the page, `--json` and the words take their figures from here, so that they never differ. */
export const FiguresObject = z.object({
  /** Rows: all, usable, asked for, and found. */
  rows: z.number(),
  usable: z.number(),
  asked: z.number(),
  found: z.number(),
  /** Rows that a person has to look at, and why, the most frequent reason first. */
  attention: z.number(),
  reasons: z.array(AttentionObject),
  /** For how many rows each identifier was asked and found. */
  identifiers: z.array(z.object({ name: z.string(), asked: z.number(), found: z.number() })),
  /** In how many found rows each added column has a value, under its name in the output. */
  columns: z.array(z.object({ name: z.string(), filled: z.number() })),
  /** The cost that answers would have had which were shared or bought before. */
  saved: z.number(),
  /** The vendor's own count of the spent credits, where it is known. */
  vendor_counted: z.number().exactOptional(),
  /** The spent credits in money, one amount for each currency. Null where an account has no price. */
  cost: CostObject.nullable(),
  /** What each found row cost, free ones among them. Null where none was found, or nothing was spent. */
  each: z.object({ credits: z.number(), cost: CostObject.nullable() }).nullable(),
});
export type FiguresObject = z.infer<typeof FiguresObject>;
