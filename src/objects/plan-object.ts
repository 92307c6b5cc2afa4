import { z } from 'zod';
import { METHODS, PLANNED_ACTIONS } from '../core/operation.ts';
import { CostObject, PlannedCostObject } from './batch-view.ts';
import { FindingObject } from './finding-object.ts';
import { DamageObject, RowsObject, sheets } from './list-object.ts';
import { FactWords } from './stop-object.ts';

/** The purchases or changes that a job would make with a list. */

const CHANGE_ACTIONS = [
  ...PLANNED_ACTIONS,
  'unchanged',
  'invalid',
  'refused',
  'in_doubt',
  'skipped',
] as const;

/** One change of a plan; a row may have two. */
export const PlannedChangeObject = z.object({
  row: z.number(),
  action: z.enum(CHANGE_ACTIONS),
  email: z.string().nullable(),
  user_id: z.string().exactOptional(),
  /** The project's name in the list, else its id. */
  project: z.string().nullable(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The operations that are sent. */
  calls: z.array(z.string()).exactOptional(),
  /** The reason why nothing is sent. */
  reason: z.string().exactOptional(),
  /** The reason as data. */
  findings: z.array(FindingObject).exactOptional(),
  /** The reason as the page says it. */
  says: z.string().exactOptional(),
  /** What the ledger knows besides. */
  note: z.string().exactOptional(),
  /** Whether the list lacks the person. */
  beyond: z.boolean().exactOptional(),
});
export type PlannedChangeObject = z.infer<typeof PlannedChangeObject>;
export type ChangeAction = PlannedChangeObject['action'];

const LeaverObject = z.object({
  email: z.string(),
  project: z.string(),
  role: z.string().nullable(),
});
export type LeaverObject = z.infer<typeof LeaverObject>;

const GuardObject = z.object({
  fact: z.string(),
  /** The same on the page, and the people. */
  says: z.string(),
  who: z.array(z.string()),
  allow: z.string(),
  /** The entries of `guards` that allow it. */
  allows: z.record(z.string(), z.unknown()).exactOptional(),
});
export type GuardObject = z.infer<typeof GuardObject>;

const NameObject = z.object({ name: z.string(), rows: z.number() });
const UnknownObject = z.object({
  projects: z.array(NameObject),
  /** Words for a role. */
  roles: z.array(NameObject),
  /** Unknown or new projects, and the one meant. */
  misspelled: z.array(NameObject.extend({ meant: z.string() })).exactOptional(),
});
export type UnknownObject = z.infer<typeof UnknownObject>;

const DefaultProjectObject = z.object({
  project: z.string(),
  rows: z.number(),
  columns: z.array(z.string()),
});
export type DefaultProjectObject = z.infer<typeof DefaultProjectObject>;

/** What a plan of changes says besides the changes. */
export const ChangesPlan = z.object({
  /** The account's project, for rows without a project column, and the columns that may name one. */
  default_project: DefaultProjectObject.exactOptional(),
  /** People who are removed because the list lacks them. */
  removed: z.number().exactOptional(),
  /** Those held back. */
  held_back: z.number().exactOptional(),
  /** People left out, and those with access. */
  left_out: z.number().exactOptional(),
  keep_access: z.number().exactOptional(),
  /** People whom the list lacks, and who stay. */
  leavers: z.array(LeaverObject).exactOptional(),
  /** People known in the projects, each once per project. */
  people: z.number().exactOptional(),
  /** Names in the list without a meaning yet. */
  unknown: UnknownObject.exactOptional(),
  /** The guards that stop a run. */
  guards: z.array(GuardObject).exactOptional(),
});

const part = z.object({ rows: z.number(), credits: z.number() });
const ReasonObject = z.object({
  reason: z.string(),
  /** The reason as data, as the first of these rows has it. */
  findings: z.array(FindingObject),
  /** The reason as the page says it. */
  says: z.string(),
  ...RowsObject.shape,
});
export type ReasonObject = z.infer<typeof ReasonObject>;
const SkippedByObject = z.object({ by: z.string(), ...RowsObject.shape });
export type SkippedByObject = z.infer<typeof SkippedByObject>;

/** What a step would ask of an account, in rows and credits. */
export const PlannedStepObject = z.object({
  operation: z.string(),
  account: z.string(),
  /** Rows that may reach the account. */
  reached: z.number(),
  /** Rows with an answer in the ledger. */
  known: z.number(),
  most: z.number(),
  /** Null: no match rate is known. */
  expected: z.number().nullable(),
  cost: PlannedCostObject.exactOptional(),
  charges_misses: z.boolean(),
});
export type PlannedStepObject = z.infer<typeof PlannedStepObject>;

/** Rows for which a plan says the same. */
const EachRowObject = z.object({
  /** Their figure of the plan. */
  is: z.enum(['invalid', 'skipped', 'duplicates', 'bought_before', 'accepted', 'in_doubt', 'to_buy']),
  /** Why, as the page says it. Left out where rows have too many reasons. */
  says: z.string().exactOptional(),
  /** Their numbers, such as `5,9,12-20`. */
  rows: z.string(),
});
export type EachRowObject = z.infer<typeof EachRowObject>;

/** Each row of the list is counted once. */
export const PlanFigures = z.object({
  rows: z.number(),
  invalid: z.number(),
  /** Invalid rows that `--accept shared-host` takes. */
  set_aside: z.number().exactOptional(),
  duplicates: z.number(),
  /** Rows that `only_if`, `unless` or `on_existing` leaves out. */
  skipped: z.number().exactOptional(),
  /** These rows by the column that leaves them out. */
  skipped_by: z.array(SkippedByObject).exactOptional(),
  bought_before: z.number(),
  /** Rows that a vendor has accepted, and answers later. */
  accepted: z.number(),
  in_doubt: z.number(),
  to_buy: z.number(),
  /** Rows asked by what tells them apart. */
  told_apart: z.number().exactOptional(),
  /** Rows to buy with answers that are too old. */
  too_old: z.number().exactOptional(),
  /** Rows to buy with a reply that is no answer today. */
  unanswered: part.exactOptional(),
  /** Rows to buy that were bought by another address or name before. */
  asked_otherwise: part.exactOptional(),
  /** Rows in doubt that a run may send again. */
  sent_again: part.exactOptional(),
  credits: z.object({ most: z.number(), expected: z.number() }),
  /** The changes that cost them. */
  charges: z.array(z.object({ operation: z.string(), calls: z.number(), most: z.number() })).exactOptional(),
  /** These credits in money. */
  cost: PlannedCostObject.exactOptional(),
  /** Where there are several accounts or steps. */
  steps: z.array(PlannedStepObject).exactOptional(),
  /** Null while the account has no limit. */
  seconds: z.number().nullable(),
  /** Why rows are invalid, the most frequent reason first. */
  reasons: z.array(ReasonObject).exactOptional(),
  /** With `--each`: the outcome of each row. Of a change see `changes`. */
  each: z.array(EachRowObject).exactOptional(),
});
export type PlanFigures = z.infer<typeof PlanFigures>;

const RangeObject = z.object({ least: z.number(), most: z.number() });

/** The results of a sample. What is forecast does not count its rows in doubt. */
export const SampleObject = z.object({
  rows: z.number(),
  matched: z.number(),
  /** In the order in which they were asked first. */
  identifiers: z.array(z.object({ name: z.string(), asked: z.number(), found: z.number() })),
  /** The plan for the rest of the list. */
  forecast: z
    .object({
      rows: z.number(),
      /** Further rows with known answers, or on the list twice. */
      free: z.number(),
      credits: z.object({ most: z.number(), expected: z.number() }),
      cost: PlannedCostObject.exactOptional(),
      /** Null while the account has no limit. */
      seconds: z.number().nullable(),
      /** What nine of ten such lists bring with all these rows; absent where the sample has no answer. */
      likely: z
        .object({
          found: RangeObject,
          credits: RangeObject,
          /** These credits in money. */
          cost: z.object({ least: CostObject, most: CostObject }).exactOptional(),
          /** Credits for each one that was bought, with the misses. Null where the sample bought none. */
          price: z.number().nullable(),
        })
        .exactOptional(),
    })
    .nullable(),
});
export type SampleObject = z.infer<typeof SampleObject>;

const JobDamageObject = z.object({ input: z.string(), column: z.string(), ...DamageObject.shape });
export type JobDamageObject = z.infer<typeof JobDamageObject>;

/** A word for nothing in the cells of a column by which rows are asked, or which the job fills. */
const BlankWordObject = z.object({ column: z.string(), word: z.string(), ...RowsObject.shape });
export type BlankWordObject = z.infer<typeof BlankWordObject>;

/** Links that lead to another address, which is asked in their place. `cell` and `asked` are of the first. */
const RedirectObject = z.object({
  column: z.string(),
  cell: z.string(),
  asked: z.string(),
  ...RowsObject.shape,
});
export type RedirectObject = z.infer<typeof RedirectObject>;

const RequestObject = z.object({
  /** The entry of the dialect. */
  name: z.string(),
  method: z.enum(METHODS),
  /** With `{{Column}}` and `{field}` in place of values. */
  url: z.string(),
  /** The service that sends it on. */
  through: z.string().exactOptional(),
});
export type RequestObject = z.infer<typeof RequestObject>;

/** The requests of a dialect to which a person agrees once. */
export const AgreementView = z.object({
  agreement: z.string(),
  /** A clause that names the unusual part. */
  fact: z.string(),
  /** Each detail, as one line. */
  details: z.array(z.string()),
});
export type AgreementView = z.infer<typeof AgreementView>;

const RereadObject = z.object({
  batch: z.string(),
  rows: z.number(),
  /** The most credits that it costs to settle them again. */
  most: z.number(),
  /** Values that count as no match today. */
  found_by: z.array(z.object({ value: z.string(), rows: z.number() })).exactOptional(),
  /** Rows that are asked by another address or name than before. */
  asked_otherwise: z.number().exactOptional(),
});
export type RereadObject = z.infer<typeof RereadObject>;

/** What a plan has counted of a list that it still reads. */
export const PlanSoFar = z.object({
  rows: z.number(),
  to_buy: z.number(),
  /** Known, there twice, or left out. */
  free: z.number(),
  invalid: z.number(),
  /** The most credits that one of these rows costs. */
  most_each: z.number(),
});
export type PlanSoFar = z.infer<typeof PlanSoFar>;

/** A budget of an account with fewer credits left than the plan may take of it at most. */
const ShortBudgetObject = z.object({
  account: z.string(),
  period: z.enum(['day', 'month']),
  cap: z.number(),
  left: z.number(),
  rows: z.number().exactOptional(),
});
export type ShortBudgetObject = z.infer<typeof ShortBudgetObject>;

const byName = z.record(z.string(), z.string());
/** The output of `plan JOB FILE`. */
export const PlanObject = z.object({
  id: z.string(),
  /** The open batch that a run continues. */
  unfinished: z.string().exactOptional(),
  /** Input ← column. */
  columns: byName,
  /** The reason for each guessed column. */
  because: byName.exactOptional(),
  ...PlanFigures.shape,
  sheets: sheets.exactOptional(),
  /** Damage in the columns that the job uses. */
  damage: z.array(JobDamageObject),
  /** Rows with an address such as `info@`. */
  role_addresses: z.object(RowsObject.shape).exactOptional(),
  /** Rows that are asked by the address behind a redirect. */
  redirects: z.array(RedirectObject).exactOptional(),
  /** Words that count as blank, most frequent first. */
  blank_words: z.array(BlankWordObject).exactOptional(),
  /** Rows in which a cell is repaired, with `--repair`. */
  repaired: z.number().exactOptional(),
  ...ChangesPlan.shape,
  changes: z.array(PlannedChangeObject).exactOptional(),
  /** The part that is sent, with `--only`, `--limit` or `--sample`. */
  this_run: part.extend({ cost: CostObject.exactOptional() }).exactOptional(),
  /** Budgets that end a run early; a day and a month are UTC. */
  short_budgets: z.array(ShortBudgetObject).exactOptional(),
  /** Fields of answers so far, for `add`. */
  fields: z.array(z.string()).exactOptional(),
  /** Where the job or its own dialect states them. */
  requests: z.array(RequestObject).exactOptional(),
  /** What you have to agree to once. */
  to_agree: AgreementView.exactOptional(),
  /** The account may have moved; `--accept` answers. */
  moved: FactWords.exactOptional(),
  /** Rows of the finished batch that today's dialect reads otherwise. */
  reread: RereadObject.exactOptional(),
});
export type PlanObject = z.infer<typeof PlanObject>;

export const NotUndoneObject = z.object({
  row: z.number(),
  subject: z.string(),
  reason: z.string(),
  /** The reason as data. */
  findings: z.array(FindingObject),
});
/** The output of `undo --dry-run`. */
export const UndoPlanObject = z.object({
  /** With it, `undo --plan` does just that, or nothing. */
  id: z.string(),
  undoes: z.string(),
  // `plan`: an undo may begin. `nothing`: nothing can be undone. `begun`: an undo is not done yet.
  // `undone`: an undo has ended.
  state: z.enum(['plan', 'nothing', 'begun', 'undone']),
  /** The batch that has begun or finished the undo. */
  by: z.string().nullable(),
  ...ChangesPlan.shape,
  changes: z.array(PlannedChangeObject),
  not_undone: z.array(NotUndoneObject),
});
export type UndoPlanObject = z.infer<typeof UndoPlanObject>;
