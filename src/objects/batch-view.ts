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

/** What all batches over one list have spent, also in money: null where an account has no price. */
export const ListCost = z.object({ credits: SpentObject, cost: CostObject.nullable() });
export type ListCost = z.output<typeof ListCost>;

/** Credits of a batch. */
const MoneyObject = SpentObject.extend({ reserved: z.number(), budget: z.number().nullable() });

/** Number of finished rows by outcome; rows without an outcome are not counted. */
export const Counts = z.record(z.string(), z.number());

// ------------------------------------------------------------------------------------------------ changes

const figures = {
  /** How many changes were made, by `invite`, `change_role`, `remove`, `create_project` or `call`. */
  done: z.record(z.string(), z.number()),
  /** How the changes ended, by status, or `held_back`. */
  counts: z.record(z.string(), z.number()),
  /** Changes that the service has answered without a word about them. */
  without_a_word: z.number(),
};

const ChangeGroupObject = z.object({
  project: z.string().nullable(),
  /** The wanted state there: a role, or `none` for "not in it". */
  to: z.string(),
  ...figures,
});

/** What a batch of changes has done, each subject once. */
export const ChangesObject = z.object({
  ...figures,
  projects: z.array(ChangeGroupObject),
});
export type ChangesObject = z.output<typeof ChangesObject>;

/** What a step has asked of an account, in rows. */
export const StepObject = z.object({
  operation: z.string(),
  account: z.string(),
  reached: z.number(),
  /** Rows whose answer the ledger knew. */
  known: z.number(),
  asked: z.number(),
  /** Rows, finished or not, with a match that filled a cell. One that its check refuses is missed. */
  found: z.number(),
  missed: z.number(),
  credits: z.object({ spent: z.number(), exact: z.boolean(), for_misses: z.number() }),
  /** The spent credits in money. */
  cost: CostObject.exactOptional(),
  /** What was spent for each of these matches that was bought. Null where there is none. */
  price: z.number().nullable(),
  price_in_money: CostObject.exactOptional(),
  /** The price of a match, divided by the share of calls that were such a match. Null as above. */
  price_by_rate: z.number().nullable(),
});
export type StepObject = z.output<typeof StepObject>;

// ------------------------------------------------------------------------------------------------ results

const AttentionObject = z.object({
  /** `invalid`, `refused` or `in_doubt`; of a row that is done and has a fault, `matched`. */
  kind: z.string(),
  /** The answers are about another company or person. Left out: they are not. */
  is_other: z.literal(true).exactOptional(),
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
  /** Rows for which nothing was asked, because the list has filled their cells. */
  filled_before: z.number(),
  /** Rows that a person has to look at, and why, the most frequent reason first. */
  attention: z.number(),
  reasons: z.array(AttentionObject),
  /** Those that need one for nothing but an answer about another company or person. Left out: none. */
  mismatched: z.number().exactOptional(),
  /** For how many rows each identifier was asked and found. */
  identifiers: z.array(z.object({ name: z.string(), asked: z.number(), found: z.number() })),
  /** In how many rows each added column has a value, of those whose step found something. */
  columns: z.array(z.object({ name: z.string(), filled: z.number(), found: z.number() })),
  /** The cost that answers would have had which were shared or bought before. */
  saved: z.number(),
  /** The vendor's own count of the spent credits, where it is known. */
  vendor_counted: z.number().exactOptional(),
  /** The spent credits in money, one amount for each currency. Null where an account has no price. */
  cost: CostObject.nullable(),
  /** The cost of the list by this start and all before it, where one of these cost something. */
  in_all: ListCost.exactOptional(),
  /**
   * How many of the found rows were bought for this list, and what each of them cost, with the misses. Null
   * where none was, nothing was spent, or rows of several steps are not finished.
   */
  each: z.object({ rows: z.number(), credits: z.number(), cost: CostObject.nullable() }).nullable(),
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
