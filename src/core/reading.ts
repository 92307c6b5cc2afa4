import { z } from 'zod';
import { encodingNamed, encodingNames } from './encodings.ts';
import { suggestion } from './errors.ts';
import { type Present, present } from './objects.ts';
import { foreignName } from './plain-text.ts';
import { readHeaderRows, readRowRange, readRowRanges } from './row.ts';

/** The characters that may stand between two cells, by their names in a job and on the command line. */
export const DELIMITERS = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
  space: ' ',
  tilde: '~',
  caret: '^',
  /** The character that Hive writes, Ctrl-A. */
  'ctrl-a': '\u0001',
} as const;
export type Delimiter = keyof typeof DELIMITERS;
export const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];

/**
 * How a list is read, where that is not to be detected. A job and a flag say it in this form, a batch keeps
 * it, and the page sends it.
 */
export const Reading = z.strictObject({
  encoding: z
    .string()
    .transform((text, context) => {
      const encoding = encodingNamed(text);
      if (encoding !== undefined) return encoding;
      const next = suggestion(text, encodingNames());
      context.addIssue({ code: 'custom', message: `${foreignName(text)} is no encoding`, params: { next } });
      return z.NEVER;
    })
    .optional()
    .describe('the encoding of the file, such as windows-1251, gb18030, shift_jis, euc-kr or cp850'),
  delimiter: z.enum(DELIMITER_NAMES).optional().describe('what separates the cells'),
  ragged: z
    .enum(['pad'])
    .optional()
    .describe('pad: rows with too few cells get blank ones, and those with too many blank ones lose them'),
  sheet: z
    .string()
    .min(1, 'is empty')
    .optional()
    .describe('the sheet of a workbook; left out: the one that was open, or the only list'),
  header_row: z
    .union([z.int(), z.string()])
    .transform(String)
    .refine((value) => readHeaderRows(value) !== undefined, {
      error: 'give one row, such as 3, two rows in sequence, such as 3-4, or 0 for none',
    })
    .optional()
    .describe('the row of the header, such as 3, or 3-4 for names in two rows; 0: there is none'),
  rows: z
    .string()
    .refine((value) => readRowRange(value) !== undefined, {
      error: 'give the first and the last row of the table, such as 5-210',
    })
    .optional()
    .describe('the first and the last row of the table below its header, such as 5-210'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/i, 'write a country as two letters, such as AU')
    .toUpperCase()
    .optional()
    .describe('the country of telephone numbers and postcodes, such as AU; left out: none is repaired'),
});
export type Reading = Readonly<z.infer<typeof Reading>>;

/** Rows of a list by their numbers. */
export const RowRanges = z.string().refine((value) => readRowRanges(value) !== undefined, {
  error: 'name rows by their numbers, such as 5,9,12-20',
});

const ReadingAmongOthers = Reading.strip();

/** The options that say how a list is read, without the others. */
export function readingOf(options: Reading): Present<Reading> {
  return present(ReadingAmongOthers.parse(options));
}

/**
 * The same in the form of a job and a batch: settings that decide which cells are read stand below `read`,
 * the others beside it.
 */
export const READING_ENTRIES = {
  read: Reading.omit({ country: true }).optional().describe('how to read the file where the guess is wrong'),
  country: Reading.shape.country,
};
type ReadingEntries = z.infer<z.ZodObject<typeof READING_ENTRIES>>;

export function readingIn({ read, country }: ReadingEntries): Reading {
  return present({ ...read, country });
}

export function readingEntries(options: Reading) {
  const { country, ...read } = readingOf(options);
  return present({ read: Object.keys(read).length === 0 ? undefined : read, country });
}

/**
 * The findings about a table that does not begin with its header on the first row, or does not end with its
 * last row. They are kept with the batch, so that later versions with better guesses read the same rows.
 * Without findings, every row that is not blank is read, the first as the header.
 */
export const FoundLayout = z.object({
  /** The ending that fits the content, where the name has another. */
  ending: z.enum(['.csv', '.tsv', '.jsonl', '.json', '.xlsx']).optional(),
  /** The name of the sheet, where it is not the active one. */
  sheet: z.string().optional(),
  header_row: z.string().optional(),
  /** `quoted`: each line is one cell in quotes; `cells`: each is the first cell of its row in a workbook. */
  lines: z.enum(['quoted', 'cells']).optional(),
  /** Rows below the header that do not belong to the table. */
  left_out: z
    .array(
      z.object({
        /** `211`, or `214-230`. */
        rows: z.string(),
        text: z.string(),
      }),
    )
    .readonly()
    .optional(),
});
export type FoundLayout = Readonly<z.infer<typeof FoundLayout>>;
export type LeftOut = NonNullable<FoundLayout['left_out']>[number];
