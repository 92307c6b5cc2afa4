import { z } from 'zod';
import { type Present, present } from './objects.ts';
import { readHeaderRows, readRowRange } from './row-range.ts';

/** The encodings that a file is found to have by itself. */
export const GUESSED_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type GuessedEncoding = (typeof GUESSED_ENCODINGS)[number];

/**
 * Encodings of one byte a character that are never guessed: only who made a file knows which of them it is.
 */
export const NAMED_ENCODINGS = [
  'macintosh',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1257',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-9',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
] as const;

export const ENCODINGS = [...GUESSED_ENCODINGS, ...NAMED_ENCODINGS] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What may stand between two cells, by the name that a job and the command line have for it. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|', space: ' ' } as const;
export type Delimiter = keyof typeof DELIMITERS;
export const DELIMITER_NAMES = Object.keys(DELIMITERS) as Delimiter[];

/**
 * How a list is read, where that shall not be detected: as a job and a flag say it, a batch keeps it, and the
 * page sends it.
 */
export const Reading = z.strictObject({
  encoding: z.enum(ENCODINGS).optional().describe('the encoding of the file, if the guess is wrong'),
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

const ReadingAmongOthers = Reading.strip();

/** Of some options those that say how a list is read. */
export function readingOf(options: Reading): Present<Reading> {
  return present(ReadingAmongOthers.parse(options));
}

/**
 * The same as a job and a batch have it: what decides which cells are read stands below `read`, the rest
 * beside it.
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
 * What was found out about a table that does not begin with its header on the first row, or does not end with
 * its last row. It is kept with the batch, so that later versions with better guesses read the same rows. An
 * empty one is a table of which every row that is not blank is read, the first as the header.
 */
export const FoundLayout = z.object({
  /** The ending that the content asks for, where the name has another. */
  ending: z.enum(['.csv', '.tsv', '.jsonl', '.xlsx']).optional(),
  /** The sheet, where it is not the open one. */
  sheet: z.string().optional(),
  header_row: z.string().optional(),
  /** Rows below the header that are none of the table. */
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
