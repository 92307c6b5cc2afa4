import { z } from 'zod';

/** Accounts, without their keys. */

export const Usage = z.object({ spent: z.number(), exact: z.boolean(), in_doubt: z.number() });

const count = z.int().min(0).max(1e9).nullable();

/** Requests; `null` is no limit. */
export const LimitsView = z.strictObject({
  per_second: count.optional(),
  per_minute: count.optional(),
  per_hour: count.optional(),
  per_day: count.optional(),
  concurrency: count.optional(),
});
export type LimitsView = z.infer<typeof LimitsView>;

/** Credits; `null` is no budget. */
export const BudgetView = z.strictObject({ per_day: count.optional(), per_month: count.optional() });

/** An account. Its key is never in it, only where that is kept. */
export const PageAccount = z.object({
  name: z.string(),
  vendor: z.enum(['service', 'provider']),
  sandbox: z.boolean(),
  address: z.string().nullable(),
  region: z.string().nullable(),
  documentation: z.string().nullable(),
  organization: z.string().nullable(),
  project: z.string().nullable(),
  via: z.string().nullable(),
  dialect: z.string().nullable(),
  problem: z.object({ message: z.string(), next: z.string() }).nullable(),
  key: z.string(),
  limits: LimitsView,
  budget: BudgetView,
  today: Usage,
  month: Usage,
});
export type PageAccount = z.infer<typeof PageAccount>;

export const AccountList = z.object({
  accounts: z.array(PageAccount),
  /** Regions of the service whose addresses the accounts file has. */
  regions: z.array(z.string()),
});
export type AccountList = z.infer<typeof AccountList>;

const words = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}+$/u, 'it contains a control character');
const key = z.string().min(1).max(10_000);

/**
 * A new account. A program that prints the key, a dialect and the way through another account are set in the file alone:
 * each would let a page name a file or a program of this machine, or send a key that it was not given.
 */
export const NewAccount = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name has letters, digits, ".", "-" and "_"'),
  vendor: z.enum(['service', 'provider']),
  base_url: words.optional(),
  region: z.enum(['AU', 'EU', 'US']).optional(),
  organization: words.optional(),
  project: words.optional(),
  key,
  limits: LimitsView.optional(),
  budget: BudgetView.optional(),
});
export type NewAccount = z.infer<typeof NewAccount>;

/** What is not named stays. A new address needs the key again. */
export const AccountEdit = z.strictObject({
  base_url: words.optional(),
  organization: words.nullable().optional(),
  project: words.nullable().optional(),
  key: key.optional(),
  limits: LimitsView.optional(),
  budget: BudgetView.optional(),
});
export type AccountEdit = z.infer<typeof AccountEdit>;

/** What is known of an account after it was looked at; what a look did not reach is absent. */
export const AccountTest = z.object({
  sandbox: z.boolean().optional(),
  key: z.string().optional(),
  resolves_to: z.array(z.string()).optional(),
  proxy: z.string().optional(),
  key_tried: z.boolean().optional(),
  user: z.object({ user_id: z.string().nullable(), email: z.string().nullable() }).optional(),
});
export type AccountTest = z.infer<typeof AccountTest>;
