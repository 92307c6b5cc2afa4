import { z } from 'zod';
import { AccountObject } from '../../objects/account-object.ts';
import { SpentObject } from '../../objects/batch-object.ts';
import { membersOf, noun } from '../../objects/noun.ts';

export { AccountTest } from '../../objects/account-object.ts';

const count = z.int().min(0).max(1e9).nullable();

/** Requests; `null` is no limit. */
export const LimitsView = z.strictObject({
  per_second: count.optional(),
  per_minute: count.optional(),
  per_hour: count.optional(),
  per_day: count.optional(),
  concurrency: count.optional(),
});

/** Credits; `null` is no budget. */
export const BudgetView = z.strictObject({ per_day: count.optional(), per_month: count.optional() });

const used = membersOf<Record<'today' | 'month', z.infer<typeof SpentObject>>>();
/** An account. Its key is never in it, only where that is kept. */
export const PageAccount = noun({
  ...AccountObject.members,
  today: used(SpentObject, ({ today }) => today),
  month: used(SpentObject, ({ month }) => month),
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
