import { z } from 'zod';

/** The figures of a batch: summary, `status`, report and page print these, and compose none of their own. */

/**
 * What credits cost in money, by the prices that the accounts file has for a credit: one amount for each
 * currency. It is absent where nothing is paid, or where an account has no price.
 */
export const CostObject = z.array(z.object({ amount: z.number(), currency: z.string() }));

/** What planned credits cost in money: at most, and probably, where that is known. */
export const PlannedCostObject = z.object({ most: CostObject, expected: CostObject.exactOptional() });
export type PlannedCostObject = z.infer<typeof PlannedCostObject>;

/** Credits; they have no currency. */
export const SpentObject = z.object({
  spent: z.number(),
  /** Whether exactly that was spent; otherwise it is the most. */
  exact: z.boolean(),
  in_doubt: z.number(),
});
export type SpentObject = z.output<typeof SpentObject>;

/** What each of several accounts was paid: a credit of one is none of another. */
export const AccountCosts = z.array(z.object({ account: z.string(), spent: z.number() }));

/** The cost of one list by all its batches. `cost` is null where an account has no price. */
export const ListCost = z.object({
  credits: SpentObject,
  /** Left out: one account was paid. */
  accounts: AccountCosts.exactOptional(),
  cost: CostObject.nullable(),
});
export type ListCost = z.output<typeof ListCost>;

/** How many of the found rows were bought, and what each of them cost, with the misses. */
const PriceEach = z.object({ rows: z.number(), credits: z.number(), cost: CostObject.nullable() });

/** The figures of a list by all its starts: what an earlier one has paid for is not free. */
export const ListFigures = ListCost.extend({
  /** Rows that were asked, known from elsewhere, or the same as another row. */
  asked: z.number(),
  known: z.number(),
  twice: z.number(),
  found_free: z.number(),
  /** Null as in `figures`. */
  each: PriceEach.nullable(),
});
export type ListFigures = z.output<typeof ListFigures>;

/** Credits of a batch. */
const MoneyObject = SpentObject.extend({ reserved: z.number(), budget: z.number().nullable() });

/** Number of finished rows by outcome; rows without an outcome are not counted. */
export const Counts = z.record(z.string(), z.number());

// ------------------------------------------------------------------------------------------------ changes

/** How many changes were made, and how they ended. */
export const ChangeFigures = z.object({
  /** Changes that were made, by `invite`, `change_role`, `remove`, `create_project` or `call`. */
  done: z.record(z.string(), z.number()),
  /** Changes by status, or `held_back`. */
  counts: z.record(z.string(), z.number()),
  /** Confirmed without details. */
  without_a_word: z.number(),
});

const ChangeGroupObject = z.object({
  project: z.string().nullable(),
  /** The wanted state there: a role, or `none` for "not in it". */
  to: z.string(),
  ...ChangeFigures.shape,
});

/** Each person once, by the first of these that is so of one of their changes: they add up to `all`. */
const PeopleObject = z.object({
  all: z.number(),
  /** One of their changes needs attention. */
  attention: z.number(),
  pending: z.number(),
  changed: z.number(),
  /** All their changes were taken back since. */
  taken_back: z.number(),
  unchanged: z.number(),
  /** By a condition, or a decision. */
  left_out: z.number(),
});

/** What a batch of changes has done, each subject once. */
export const ChangesObject = z.object({
  ...ChangeFigures.shape,
  people: PeopleObject,
  /** Of those left out: who keeps access. */
  keep_access: z.number().exactOptional(),
  planned: z.number(),
  not_made: z.object({
    half_done: z.number(),
    in_doubt: z.number(),
    pending: z.number(),
    others: z.number(),
  }),
  /** By an undo. */
  taken_back: z.number().exactOptional(),
  taking_back: z.number().exactOptional(),
  /** Changes that the undo left, by kind. */
  stands: z.record(z.string(), z.number()).exactOptional(),
  projects: z.array(ChangeGroupObject),
});
export type ChangesObject = z.output<typeof ChangesObject>;

/** What a step has asked of an account, in rows. */
export const StepObject = z.object({
  operation: z.string(),
  account: z.string(),
  reached: z.number(),
  /** Rows with an answer that the ledger knew. */
  known: z.number(),
  asked: z.number(),
  /** Rows with a match that filled a cell. */
  found: z.number(),
  missed: z.number(),
  credits: z.object({ spent: z.number(), exact: z.boolean(), for_misses: z.number() }),
  /** The spent credits in money. */
  cost: CostObject.exactOptional(),
  /** The credits for each match that was bought. Null: none was. */
  price: z.number().nullable(),
  price_in_money: CostObject.exactOptional(),
  /** The price of a call, divided by the share of calls with a match. Null as above. */
  price_by_rate: z.number().nullable(),
});
export type StepObject = z.output<typeof StepObject>;

// ------------------------------------------------------------------------------------------------ results

const AttentionObject = z.object({
  /** `invalid`, `refused`, `in_doubt`; `matched`: the row is done and has a damaged cell. */
  kind: z.string(),
  /** The answers are about another company or person. */
  is_other: z.literal(true).exactOptional(),
  words: z.string(),
  rows: z.number(),
  first_rows: z.array(z.number()),
});

const LeftOutObject = z.object({ words: z.string(), rows: z.number() });

const OtherAbnObject = z.object({ count: z.number(), first_rows: z.array(z.number()) });

/** The figures of a batch on all faces. */
export const FiguresObject = z.object({
  /** All rows, usable rows, and rows for which this batch sent a request. */
  rows: z.number(),
  usable: z.number(),
  asked: z.number(),
  /** Rows without a request: known, or the same as another row. */
  known: z.number(),
  twice: z.number(),
  /** Rows that were found, and those that were free. */
  found: z.number(),
  found_free: z.number(),
  /** Rows without a request, because the list had filled their cells. */
  filled_before: z.number(),
  /** Why the job leaves rows out, the most frequent reason first. Left out: none. */
  left_out: z.array(LeftOutObject).exactOptional(),
  /** Rows that need attention, and why, the most frequent reason first. */
  attention: z.number(),
  reasons: z.array(AttentionObject),
  /** Those with only an answer about another company or person. Left out: none. */
  mismatched: z.number().exactOptional(),
  /** Found with another ABN, undecided. Left out: none. */
  other_abn: OtherAbnObject.exactOptional(),
  /** Rows by each identifier. */
  identifiers: z.array(z.object({ name: z.string(), asked: z.number(), found: z.number() })),
  /** Rows with a value in each added column, of the rows that its step found. */
  columns: z.array(z.object({ name: z.string(), filled: z.number(), found: z.number() })),
  /** Rows without a find that were paid, also for what stood in its place. */
  missed_paid: z.number(),
  /** The part of the spent credits that was for misses. */
  for_misses: z.number(),
  /** The price of the answers that were shared or known before. */
  saved: z.number(),
  /** The vendor's own count of spent credits. */
  vendor_counted: z.number().exactOptional(),
  /** The spent credits in money. Null: an account has no price. */
  cost: CostObject.nullable(),
  /** The list by all its starts. */
  in_all: ListFigures.exactOptional(),
  /** Found rows that were bought, and each one's cost with the misses. Null: none. */
  each: PriceEach.nullable(),
});
export type FiguresObject = z.infer<typeof FiguresObject>;

// ------------------------------------------------------------------------------------------------ the view

/** What came of a batch so far. A face that does not show a figure does not ask for it, and leaves it out. */
export const BatchView = z.object({
  /** Rows of the list. */
  rows: z.number(),
  /** Rows beyond the list: people who are removed because it does not name them. */
  rows_beyond: z.number().exactOptional(),
  counts: Counts,
  credits: MoneyObject,
  /** Whether anything here costs credits: changes of a team do not. */
  has_costs: z.boolean(),
  /** Left out: one account was paid. */
  accounts: AccountCosts.exactOptional(),
  /** What it has spent in money. */
  cost: CostObject.exactOptional(),
  /** Requests that were sent, and calls that were answered. */
  requests: z.number(),
  calls: z.number(),
  /** What each account of each step found, where there are several. */
  steps: z.array(StepObject).exactOptional(),
  /** What a reading of all its rows tells. */
  figures: FiguresObject.exactOptional(),
  changes: ChangesObject.exactOptional(),
});
export type BatchView = z.output<typeof BatchView>;
