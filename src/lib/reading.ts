import { z } from 'zod';
import { DELIMITER_NAMES, ENCODINGS, type ReadOptions } from '../core/format.ts';
import type { JsonObject } from '../core/operation.ts';
import { readHeaderRows, readRowRange } from '../core/row-range.ts';

/** How a file is read, where that shall not be detected: as a job has it, a batch keeps it, and the page sends it. */
export const Reading = z.strictObject({
  encoding: z.enum(ENCODINGS).optional(),
  delimiter: z.enum(DELIMITER_NAMES).optional(),
  skip_lines: z.int().min(1).max(1_000).optional(),
  ragged: z.enum(['pad']).optional(),
  sheet: z.string().min(1).optional(),
  header_row: z
    .union([z.int(), z.string()])
    .transform(String)
    .refine((value) => readHeaderRows(value) !== undefined, {
      error: 'give one row, such as 3, two rows in sequence, such as 3-4, or 0 for none',
    })
    .optional(),
  rows: z
    .string()
    .refine((value) => readRowRange(value) !== undefined, {
      error: 'give the first and the last row of the table, such as 5-210',
    })
    .optional(),
});

/** What was found out about a table when its batch began, as the batch keeps it: see `FoundLayout`. */
export const FoundTable = z.object({
  sheet: z.string().optional(),
  header_row: z.string().optional(),
  left_out: z
    .array(
      z.object({
        rows: z.string(),
        why: z.enum(['totals', 'below', 'header']).catch('below'),
        text: z.string(),
      }),
    )
    .optional(),
});

/** The entry of a job or a batch. What is no part of it, such as `strict`, is left out. */
export function readingOf(options: ReadOptions): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(Reading.shape, name)));
}

/** Its flags, by their names. */
export const READING_FLAGS = {
  encoding: ['<name>', 'the encoding of the file, if the guess is wrong'],
  delimiter: ['<name>', 'what separates the cells'],
  skip_lines: ['<lines>', 'lines above the header that do not belong to the table'],
  ragged: ['<pad>', 'pad: rows with too few cells get blank ones'],
  sheet: ['<name>', 'the sheet of a workbook; left out: the one that was open, or looks like a list'],
  header_row: ['<rows>', 'the row of the header, such as 3, or 3-4 for names in two rows; 0: there is none'],
  rows: ['<rows>', 'the first and the last row of the table below its header, such as 5-210'],
} as const satisfies Record<keyof typeof Reading.shape, readonly [string, string]>;

/** Those of them that are one of some words. */
export const READING_WORDS: Readonly<Record<string, readonly string[]>> = {
  encoding: ENCODINGS,
  delimiter: DELIMITER_NAMES,
  ragged: ['pad'],
};
