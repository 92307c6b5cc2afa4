import { z } from 'zod';
import { type Account, describeKey } from '../client/account/account.ts';
import type { StopError } from '../core/errors.ts';
import { membersOf, noun } from './noun.ts';

/** Accounts, without their keys. */

type Window = Account['limits']['windows'][number];

const limits = membersOf<Account['limits']>();
const within = (windowMs: number) =>
  limits(
    z.number().nullable(),
    ({ windows }) => windows.find((each: Window) => each.windowMs === windowMs)?.requests ?? null,
  );
/** Requests; null is no limit. */
const LimitsObject = noun({
  per_second: within(1_000),
  per_minute: within(60_000),
  per_hour: within(3_600_000),
  per_day: within(86_400_000),
  concurrency: limits(z.number(), ({ concurrency }) => concurrency),
});

const budget = membersOf<Account['budget']>();
/** Credits; null is no budget. */
const BudgetObject = noun({
  per_day: budget(z.number().nullable(), ({ perDay = null }) => perDay),
  per_month: budget(z.number().nullable(), ({ perMonth = null }) => perMonth),
});

const account = membersOf<Account>();
const text = (read: (account: Account) => string | undefined) =>
  account(z.string().nullable(), (of) => read(of) ?? null);
const found = membersOf<{ readonly problem: StopError | undefined }>();
const problem = z.object({ message: z.string(), next: z.string() });

/** An account. Its key is never in it, only where that is kept. */
export const AccountObject = noun({
  name: account(z.string(), ({ name }) => name),
  vendor: account(z.enum(['service', 'provider']), ({ vendor }) => vendor),
  sandbox: account(z.boolean(), ({ sandbox }) => sandbox),
  address: text(({ baseUrl }) => baseUrl?.href),
  region: text(({ region }) => region),
  documentation: text(({ documentationUrl }) => documentationUrl),
  organization: text(({ organizationId }) => organizationId),
  project: text(({ projectId }) => projectId),
  via: text(({ via }) => via?.service),
  connected_account: text(({ via }) => via?.connectedAccount),
  dialect: text(({ dialectPath }) => dialectPath),
  /** What is wrong with its dialect. */
  problem: found(problem.nullable(), ({ problem: of }) =>
    of ? { message: of.message, next: of.next } : null,
  ),
  limits: account(LimitsObject, (of) => LimitsObject.of(of.limits)),
  budget: account(BudgetObject, (of) => BudgetObject.of(of.budget)),
  /** What a credit costs its owner, such as `0.04 AUD`. */
  price: text(({ price }) => price && `${price.amount} ${price.currency}`),
  key: account(z.string(), ({ key }) => describeKey(key)),
});

/** What is known of an account after it was looked at. */
export const AccountTest = z.object({
  name: z.string(),
  sandbox: z.boolean().optional(),
  dialect: z.string().optional(),
  key: z.string().optional(),
  resolves_to: z.array(z.string()).optional(),
  proxy: z.string().optional(),
  connects: z.boolean().optional(),
  key_tried: z.boolean().optional(),
  user: z.object({ user_id: z.string().nullable(), email: z.string().nullable() }).optional(),
  /** The credits that the vendor says are left. */
  balance: z.number().optional(),
  /** The credits that it has spent by our books. */
  booked: z.number().optional(),
});
export type AccountTest = z.infer<typeof AccountTest>;
