import { z } from 'zod';
import { FactWords } from './stop-object.ts';

/** Accounts, without their keys. */

/** Requests; null means no limit. */
const LimitsObject = z.object({
  per_second: z.number().nullable(),
  per_minute: z.number().nullable(),
  per_hour: z.number().nullable(),
  per_day: z.number().nullable(),
  concurrency: z.number(),
});

/** Credits; null means no budget. */
const BudgetObject = z.object({ per_day: z.number().nullable(), per_month: z.number().nullable() });

/** An account. It never contains the key, only the place of the key. */
export const AccountObject = z.object({
  name: z.string(),
  vendor: z.enum(['service', 'provider']),
  sandbox: z.boolean(),
  address: z.string().nullable(),
  region: z.string().nullable(),
  documentation: z.string().nullable(),
  organization: z.string().nullable(),
  project: z.string().nullable(),
  via: z.string().nullable(),
  connected_account: z.string().nullable(),
  dialect: z.string().nullable(),
  /** The vendor's name. Left out: its dialect names none, or was not read. */
  title: z.string().exactOptional(),
  /** Left out: its dialect was not read. */
  operations: z.array(z.string()).exactOptional(),
  /** Whether a miss costs something. Left out: its dialect was not read. */
  charges_misses: z.boolean().exactOptional(),
  /** What is wrong with its dialect. */
  problem: FactWords.nullable(),
  limits: LimitsObject,
  budget: BudgetObject,
  /** The price of a credit for its owner, such as `0.04 AUD`. */
  price: z.string().nullable(),
  key: z.string(),
  /** Where each further secret of its dialect comes from. */
  secrets: z.record(z.string(), z.string()).exactOptional(),
});
export type AccountObject = z.infer<typeof AccountObject>;

/** A vendor that comes with the program. */
export const VendorObject = z.object({
  word: z.string(),
  /** As the vendor writes it. */
  name: z.string(),
  operations: z.array(z.string()),
  /** Null where its dialect names none, or where the address is each customer's own. */
  address: z.string().nullable(),
});
export type VendorObject = z.infer<typeof VendorObject>;

/** The facts about an account after it was looked at. */
export const AccountTest = z.object({
  name: z.string(),
  sandbox: z.boolean().optional(),
  dialect: z.string().optional(),
  /** Examples of its dialect that are read as they say. */
  examples: z.number().optional(),
  key: z.string().optional(),
  resolves_to: z.array(z.string()).optional(),
  proxy: z.string().optional(),
  connects: z.boolean().optional(),
  key_tried: z.boolean().optional(),
  user: z.object({ user_id: z.string().nullable(), email: z.string().nullable() }).optional(),
  /** The credits that the vendor says are left. */
  balance: z.number().optional(),
  /** The credits that the account has spent by our books. */
  booked: z.number().optional(),
  /** The vendor's own count of spent credits. */
  vendor_counted: z.number().optional(),
});
export type AccountTest = z.infer<typeof AccountTest>;
