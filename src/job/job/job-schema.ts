import { CronPattern } from 'croner';
import { z } from 'zod';
import { roleOf } from '../../core/membership.ts';
import { type JsonValue, METHODS } from '../../core/operation.ts';
import { READING_ENTRIES } from '../../core/reading.ts';
import { NOTICE_KINDS } from '../../ledger/ledger.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import { FORMULA_MODES } from '../../lib/formulas.ts';
import { tierOfAll } from '../../operations/lookup/waterfall.ts';

/** The shape of a job file. What only an operation knows, such as its inputs, is checked by the code that reads it. */

const text = z
  .string()
  .min(1)
  .regex(/^\P{Cc}*$/u, 'it contains a line break or another control character');
const wholeCredits = z.int().min(0);

const role = text.refine((word) => roleOf(word) !== undefined, {
  error: 'a role is viewer, editor or admin',
});

const age = text.refine((value) => value === 'never' || parseDurationMs(value) !== undefined, {
  error: 'an age is "never" or a duration such as 30d',
});

const identifier = text.regex(/^[^+]*$/, 'it must be one identifier; list several one by one');

/** One call of a waterfall, as the text by which operations know it. */
const tier = z.union([
  text,
  z.strictObject({ all: z.array(identifier).min(1) }).transform(({ all }) => tierOfAll(all)),
]);

function isSchedule(value: string): boolean {
  try {
    return new CronPattern(value, undefined, { mode: '5-part' }) instanceof CronPattern;
  } catch {
    return false;
  }
}

const json: z.ZodType<JsonValue> = z.json();

const guards = z.strictObject({
  max_removals: z
    .union([z.int().min(0), z.string().regex(/^\d{1,3}(\.\d+)? ?%$/, 'write a share as 10%')])
    .optional(),
  admins: z.enum(['allow']).optional(),
  domains: z.array(text).min(1).optional(),
  max_invites: z.int().min(0).optional(),
});

/** Entries that belong to single operations. Each operation names those that it accepts. */
const operationSettings = {
  /** For `onboard`: maps a project as the list calls it to its id. */
  projects: z.record(text, text).optional(),
  create_projects: z.boolean().optional(),
  remove_missing: z.boolean().optional(),
  /** Which role a person gets: one role for all rows, or a role for each word of the sheet. */
  role: role.optional(),
  roles: z.record(text, role).optional(),
  /** For `search-people`: maps a vendor's filter to its value. */
  filters: z.record(text, z.union([text, z.number(), z.boolean(), z.array(text)])).optional(),
  pages: z.int().min(1).max(20).optional(),
  /** For `api-call`: whether the call reads or changes. */
  kind: z.enum(['read', 'change']).optional(),
  method: z.enum(METHODS).optional(),
  endpoint: text.regex(/^\//, 'an endpoint begins with "/"').optional(),
  body: z.record(z.string(), json).optional(),
  credits_max: wholeCredits.optional(),
};

export const OPERATION_SETTINGS: ReadonlySet<string> = new Set(Object.keys(operationSettings));

const entries = z.strictObject({
  /** Left out where there are several. */
  operation: text.optional(),
  operations: z.array(text).min(2, 'Name two or more, or write operation: and the only one.').optional(),
  account: text.optional(),
  /** Names of columns; in a spreadsheet such a name may have several lines. A blank one: the input is left unread. */
  columns: z.record(text, z.string()).optional(),
  waterfall: z.array(tier).min(1).optional(),
  add: z.record(text, text).optional(),
  on_existing: z.enum(['keep', 'fill', 'replace']).optional(),
  formulas: z.enum(FORMULA_MODES).optional(),
  budget: z.strictObject({ credits: wholeCredits }).optional(),
  in_doubt: z
    .union([
      z.enum(['hold', 'skip']),
      z.strictObject({ retry: z.strictObject({ extra_credits: wholeCredits }) }),
    ])
    .optional(),
  refresh_after: age.optional(),
  refresh_no_match_after: age.optional(),
  ...READING_ENTRIES,
  repair: z.boolean().optional(),
  ...operationSettings,
  guards: guards.optional(),
  /** A folder below that of the job, or a name of the accounts file. */
  inbox: text.optional(),
  /** Who is meant by the name stands in the accounts file. */
  notify: z.strictObject({ to: text, on: z.array(z.enum(NOTICE_KINDS)).min(1).optional() }).optional(),
  schedule: text
    .refine(isSchedule, 'this is not a schedule of five cron fields, such as "0 2 * * *"')
    .optional(),
});

export const jobSchema = entries.superRefine(({ operation, operations }, { addIssue }) => {
  if (operation === undefined && operations === undefined)
    addIssue({ code: 'invalid_type', expected: 'string', path: ['operation'], input: undefined });
});

export type JobFile = z.infer<typeof jobSchema>;

export type Notify = NonNullable<JobFile['notify']>;
