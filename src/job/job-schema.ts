import { z } from 'zod';
import { EMAIL_VERDICTS } from '../core/given.ts';
import { croner } from '../core/libraries.ts';
import { roleOf } from '../core/membership.ts';
import type { Present } from '../core/objects.ts';
import { type JsonObject, type JsonValue, METHODS } from '../core/operation.ts';
import { listed } from '../core/plain-text.ts';
import { READING_ENTRIES } from '../core/reading.ts';
import { credits, NOTICE_KINDS } from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';
import { FORMULA_MODES } from '../lib/formulas.ts';
import { opt, optBlock } from '../lib/yaml/schema-problem.ts';
import { tierOfAll } from '../operations/lookup/waterfall.ts';

/**
 * The entries of a job: in its file, in flags and programs beside it, in a batch that keeps them, and in the
 * hand-over to workers. Facts that only an operation knows, such as its inputs, are checked by the code that
 * reads a job.
 */

const text = z
  .string()
  .min(1)
  .regex(/^\P{Cc}*$/u, 'it contains a line break or another control character');
const wholeCredits = z.int().min(0);

const role = text.refine((word) => roleOf(word) !== undefined, {
  error: 'a role is viewer, editor or admin',
});

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const age = text.refine((value) => value === 'never' || parseDurationMs(value) !== undefined, {
  error: 'an age is "never" or a duration such as 30d',
});

const identifier = text.regex(/^[^+]*$/, 'it must be one identifier; list several one by one');

/** One call of a waterfall, in the text form that operations know. */
const tier = z.union([
  text,
  z
    .strictObject({
      all: z
        .array(identifier)
        .min(1)
        .describe('in the place of an identifier: those of this list that a row has, in one call'),
    })
    .transform(({ all }) => tierOfAll(all)),
]);

const cellText = z.union([
  z.string().regex(/\S/, 'for a cell without text, write `blank`'),
  z.boolean().transform(String),
]);

/** What the cells of columns have to say. */
export const conditions = z.record(z.string(), z.union([cellText, z.array(cellText).min(1)]));

function isSchedule(value: string): boolean {
  const { CronPattern } = croner();
  try {
    return new CronPattern(value, undefined, { mode: '5-part' }) instanceof CronPattern;
  } catch {
    return false;
  }
}

const json: z.ZodType<JsonValue> = z.json();

const guards = z.strictObject({
  max_removals: opt(
    z.union([z.int().min(0), z.string().regex(/^\d{1,3}(\.\d+)? ?%$/, 'write a share as 10%')]),
    'the most removals, or the most people removed without a row of their own, as a share of ' +
      'those known in the projects; left out: `10%`',
  ),
  admins: opt(z.enum(['allow']), '`allow` lets a run make a person admin, as `--allow-admin` does'),
  domains: opt(z.array(text.toLowerCase()).min(1), 'the only domains to invite; left out: any'),
  max_invites: opt(z.int().min(0), 'the most invites of a run, also for another role; left out: any number'),
});

/** Projects that `--save-job` wrote without an id, for the user to fill in. */
const blankIn = (ids: object): readonly string[] =>
  Object.entries(ids).flatMap(([name, id]) => (id === null ? [name] : []));

/** Entries that belong to single operations. Each operation names those that it accepts. */
const operationSettings = {
  projects: opt(
    z.record(text, text.nullable()).refine((ids) => blankIn(ids).length === 0, {
      error: ({ input }) => `there is no id yet of ${listed(blankIn(input as object))}`,
      params: { next: 'Fill in the id of each, as the service shows it, or take the name out.' },
    }),
    'of `onboard`: project as the list calls it, in any case: its id',
  ),
  create_projects: opt(
    z.boolean(),
    'of `onboard`: `true` makes projects that `projects` does not have; they cannot be deleted again',
  ),
  remove_missing: opt(
    z.boolean(),
    'of `onboard`: `true` removes people who are no longer on the list; left out: none',
  ),
  role: opt(role, 'of `invite-user`, `change-role` and `onboard`: the role of every row'),
  roles: opt(
    z.record(text, role),
    'a word of the list, in any case, and its role, such as `Read only: viewer`',
  ),
  filters: opt(
    z.record(text, z.union([text, z.number(), z.boolean(), z.array(text)])),
    "of `search-people`: the vendor's filters, with `{{Column}}` for a cell; " +
      'a filter with blank cells is left out',
  ),
  kind: opt(
    z.enum(['read', 'change']),
    "of `api-call`: `read`, or `change` for what alters the vendor's data; left out: " +
      '`read` for `GET` and `POST`, else `change`',
  ),
  method: opt(
    z.enum(METHODS),
    'of `api-call`: `POST` (the default), `GET` (the body becomes the query), ' +
      '`PUT`, `PATCH` or `DELETE`',
  ),
  endpoint: opt(
    text.regex(/^\//, 'an endpoint begins with "/"'),
    "of `api-call`: the path below the account's address, " +
      'with `{{Column}}` for a cell and `{key}` for the key',
  ),
  body: opt(
    z.record(z.string(), json),
    'of `api-call`: what is sent, with the same slots; blank cells are left out',
  ),
  gives: opt(
    z.record(text.regex(/^\w+$/, 'a name has letters, digits and "_"'), text.transform(dotted)),
    'of `api-call`: names for values and their places in the answer, for `add`; ' +
      'an answer without any of them is no match',
  ),
  credits_max: opt(wholeCredits, 'of `api-call` and `search-people`: the most that one call may cost'),
};

/** `results[0].name` is `results.0.name`. */
function dotted(path: string): string {
  return path.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^\./, '');
}

const waterfall = z.array(tier).min(1);
const add = z.record(text, text.transform(dotted));
const policy = z.enum(['hold', 'skip']);
const accounts = z.union([text, z.array(text).min(1)]);

/** The entries of one step, which stand over those of the whole job. */
export const stepEntries = z.strictObject({
  account: opt(accounts, 'who is asked: one account, or several in this order until one has it'),
  waterfall: opt(waterfall, 'the identifiers of this step, tried in this order'),
  add: opt(add, 'the columns that this step fills'),
  accept: opt(
    z.array(z.enum(EMAIL_VERDICTS)).min(1),
    "of `find-email`: the finder's own verdicts with which an address is taken; another one is looked for " +
      'where it has none of them; left out: all',
  ),
  check: optBlock('checks each address that the step finds; another one is looked for where it fails', {
    account: accounts.describe(
      'who checks: an account with `check-email`, or several; after `unknown` the next one is asked',
    ),
    accept: opt(
      z.array(z.enum(EMAIL_VERDICTS)).min(1),
      'the verdicts with which an address is taken; left out: `[valid]`',
    ),
  }),
  in_doubt: opt(policy, '`skip` leaves out a call in doubt, and asks the next account; else `hold`'),
  method: operationSettings.method,
  endpoint: operationSettings.endpoint,
  body: operationSettings.body,
  gives: operationSettings.gives,
  credits_max: operationSettings.credits_max,
});
export type StepEntries = ReadValue<Present<z.infer<typeof stepEntries>>>;

export const jobEntries = z.strictObject({
  operation: opt(text, 'what is done with each row: a built-in operation, or one that a program passes'),
  operations: opt(
    z.union([
      z.array(text).min(2, 'Name two or more, or write operation: and the only one.'),
      z.record(text, stepEntries),
    ]),
    'in the place of `operation`: several, one after the other, such as `[enrich-company, enrich-person]`; ' +
      'or each with entries of its own, such as `{ find-email: { account: [hunter, prospeo] } }`',
  ),
  account: opt(
    accounts,
    'the account, or several that are asked in this order until one has a match; ' +
      'left out: the only one that fits',
  ),
  /** In a spreadsheet the name of a column may have several lines. */
  columns: opt(
    z.record(text, z.string()),
    'input of the operation: the column of the list that holds it; a blank one is left unread; ' +
      'left out: what is sure',
  ),
  waterfall: opt(
    waterfall,
    'identifiers, tried in this order until one matches; `abn+domain` sends both in one call; ' +
      'left out: the order of the operation',
  ),
  add: opt(
    add,
    'new column: where its value is in the answer, such as `location.city`; left out: the whole answer',
  ),
  on_existing: opt(
    z.enum(['keep', 'fill', 'replace']),
    'where the list has a column of `add`: ' +
      '`keep` adds nothing, `fill` fills its blank cells and names the source in `NAME_source`, ' +
      '`replace` replaces cells with a found value; left out: refused',
  ),
  only_if: opt(
    conditions,
    'column of the list: what it has to say, as `AU`, `[AU, NZ]`, `filled` or `blank`; ' +
      'a row in which one column says something else is `skipped`, and costs nothing; left out: none is',
  ),
  unless: opt(
    conditions,
    'column of the list: what it must not say, in the same words; ' +
      'a row in which one column says that is `skipped`, and costs nothing; left out: none is',
  ),
  accept_hosts: opt(
    z.array(text.regex(HOST, 'a host is like crunchbase.com').toLowerCase()).min(1),
    'hosts of platforms, such as `[crunchbase.com]`, that companies in this list run; ' +
      'left out: no website there is sent',
  ),
  role_addresses: opt(
    z.literal('send'),
    '`send`: `info@`, `noreply@` and their kind are people in this list, and are sent; ' +
      'left out: they are not',
  ),
  mismatch: opt(
    z.enum(['flag', 'blank', 'ignore']),
    'an answer about another company or person, by its own ABN, profile or name: ' +
      '`flag` (the default) keeps its cells and says so in `_match`, `blank` leaves them blank, ' +
      '`ignore` says nothing',
  ),
  formulas: opt(
    z.enum(FORMULA_MODES),
    'what becomes of cells of ours that would begin a formula: `safe`, which is the default, or `raw`',
  ),
  budget: optBlock('limits of a batch, which nothing passes', {
    credits: wholeCredits.transform(credits).describe('the most credits that the batch may ever spend'),
    accounts: opt(
      z.record(text, wholeCredits.transform(credits)),
      'the most credits of them at one account; left out: no limit of its own',
    ),
  }),
  in_doubt: opt(
    z.union([
      policy,
      z.strictObject({
        retry: z
          .strictObject({
            extra_credits: wholeCredits
              .transform(credits)
              .describe('the most credits that all such retries of the batch may cost'),
          })
          .describe('pays again by itself, once for each lost call and batch, within a limit'),
      }),
    ]),
    'what happens to a call in doubt: ' +
      '`hold` waits for you, which is the default, `skip` leaves its rows out, or `retry`',
  ),
  refresh_after: opt(
    age,
    'how old a bought match may be when a batch begins and still be used, such as `30d`; ' +
      '`never`, which is the default: however old it is',
  ),
  refresh_no_match_after: opt(age, 'the same for every other answer'),
  ...READING_ENTRIES,
  repair: opt(z.boolean(), '`true` sends damaged cells repaired where that is sure; left out: as they are'),
  ...operationSettings,
  guards: opt(guards, 'how far a run that changes the service may go'),
  inbox: opt(
    text,
    'the folder of lists for `nightly`: ' +
      'one below the folder of the job, or a name under `inboxes` in accounts.yaml',
  ),
  notify: optBlock('who is told how a list ended', {
    to: text.describe('a name under `notify` in accounts.yaml'),
    on: opt(
      z.array(z.enum(NOTICE_KINDS)).min(1),
      'when: `end`, `stop`, `doubt`, `low_balance`; left out: all of them',
    ),
  }),
  schedule: opt(
    text.refine(isSchedule, 'this is not a schedule of five cron fields, such as "0 2 * * *"'),
    'five cron fields, by which `serve` sweeps in its time zone; `nightly` ignores it',
  ),
});

export const jobSchema = jobEntries.superRefine(({ operation, operations }, { addIssue }) => {
  if (operation === undefined && operations === undefined)
    addIssue({ code: 'invalid_type', expected: 'string', path: ['operation'], input: undefined });
});

type ReadValue<Value> = [JsonValue] extends [Value]
  ? Value
  : Value extends string | number | boolean
    ? Value
    : { readonly [Name in keyof Value]: ReadValue<Value[Name]> };

/** Entries as they are read, all optional. */
export type JobEntries = ReadValue<Present<z.infer<typeof jobEntries>>>;

/** The treatment of calls in doubt that no rule settles. */
export function policyOf({
  in_doubt: policy = 'hold',
}: Pick<JobEntries, 'in_doubt'>): 'hold' | 'skip' | 'retry' {
  return typeof policy === 'string' ? policy : 'retry';
}

const OPERATION_SETTINGS = Object.keys(operationSettings) as readonly (keyof typeof operationSettings)[];

/** The entries that belong to single operations. */
export function settingsOf(entries: Pick<JobEntries, keyof typeof operationSettings>): JsonObject {
  const given = OPERATION_SETTINGS.filter((name) => entries[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, entries[name]])) as JsonObject;
}

const FLAGS: Readonly<Record<string, string>> = { columns: 'column', roles: 'role', projects: 'project' };

/** The accounts of an entry, in their order; `a,b` as a flag says it is a list as well. */
export const accountNames = (entry: string | readonly string[] = []): readonly string[] =>
  [entry].flat().flatMap((names) => names.split(',').map((name) => name.trim()));

/** The flag that gives an entry beside a job. */
export const flagFor = (entry: string): string => `--${FLAGS[entry] ?? entry.replaceAll('_', '-')}`;
