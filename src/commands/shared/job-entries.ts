import { z } from 'zod';
import type { ReadOptions } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import { DELIMITER_NAMES, DELIMITERS, Reading, readingEntries, readingOf } from '../../core/reading.ts';
import { type JobEntries, jobEntries } from '../../job/job-schema.ts';
import { flag, onOff, underHeading } from './command.ts';

/** Flags that are entries of a job. A flag overrides the entry in the job's file. */

const byCharacter = (text: string): string | undefined =>
  DELIMITER_NAMES.find((name) => DELIMITERS[name] === text);

/** How a list is read, for every command that reads one. */
export const READ: typeof Reading.shape = Reading.shape;
for (const [name, schema] of Object.entries(READ)) {
  const value =
    { header_row: '<rows>', rows: '<rows>', country: '<code>', ragged: '<pad>' }[name] ?? '<name>';
  flag(schema, schema.description ?? '', value, name === 'delimiter' ? { meant: byCharacter } : {});
}

underHeading('How the list is read:', READ);

/** For a command that sees the file first. Later commands take the file as it was accepted. */
export const STRICT = onOff('refuse the file if a row cannot be read, instead of setting the row aside');

/** The entries of an input that say how a list is read. */
export const readOf = (input: Reading): ReadOptions => readingOf(input);

const entries = jobEntries.shape;

const onePairEach = (add: Readonly<Record<string, string>> = {}): boolean =>
  Object.values(add).every((path) => !/,[^,=]*=/.test(path));

/** Pairs of a record. A pair with a blank value removes the job's entry. */
const pairs = z.record(z.string(), z.string());

const ABOUT_ROLE =
  'which role a word of the list means, such as "Read only=viewer", or one role for all rows';

export const ENTRIES = {
  columns: flag(
    entries.columns,
    "which column feeds an input, instead of the job's or the guess; repeat for each; INPUT= for none",
    '<input=column>',
    { flag: 'column', example: '--column domain=Website' },
  ),
  add: flag(
    pairs.optional().refine(onePairEach, {
      error: 'is more than one pair',
      params: { next: 'Give --add once for each.' },
    }),
    'a column to add, and where its value is in the answer; repeat for each',
    '<column=path>',
    { example: '--add phone=phones.0' },
  ),
  waterfall: flag(
    entries.waterfall,
    'what is tried in order until one matches, such as abn,domain',
    '<inputs>',
  ),
  role: flag(entries.role, ABOUT_ROLE, '<word=role>'),
  roles: flag(pairs.optional(), ABOUT_ROLE, '<word=role>', {
    flag: 'role',
    example: '--role "Read only=viewer"',
  }),
  projects: flag(pairs.optional(), 'the id of a project that the list names; repeat for each', '<name=id>', {
    flag: 'project',
    example: '--project Atlas=proj-1',
  }),
  create_projects: flag(
    entries.create_projects,
    'make the projects that the list names and the service lacks; none can be deleted again',
  ),
  account: flag(entries.account, "the account to use, over the job's", '<name>'),
  repair: flag(
    entries.repair,
    'send damaged cells repaired where that is sure; your own cells stay as they are',
  ),
};

export const FORMULAS = flag(
  entries.formulas,
  "safe (the default): a vendor's text never becomes a formula; raw: as it came",
  '<mode>',
);

export const ASKED = 'What is asked and written:';

// These three are common enough to stand above all groups.
const { columns: _columns, add: _add, account: _account, ...askedEntries } = ENTRIES;
underHeading(ASKED, { ...askedEntries, formulas: FORMULAS, strict: STRICT });

const NAMES = [...Object.keys(ENTRIES), 'formulas'] as (keyof typeof ENTRIES | 'formulas')[];

type Given = Reading & { readonly [Name in (typeof NAMES)[number]]?: z.output<(typeof entries)[Name]> };

/** The entries of an input that are entries of a job. */
export function entriesOf(input: Given): JobEntries {
  const given = Object.fromEntries(NAMES.map((name) => [name, input[name]]));
  return present({ ...given, ...readingEntries(input) });
}
