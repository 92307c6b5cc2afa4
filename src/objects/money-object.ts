import { z } from 'zod';

/**
 * What credits cost in money, by the prices that the accounts file has for a credit: one amount for each
 * currency. It is absent where nothing is paid, or where an account has no price.
 */
export const CostObject = z.array(z.object({ amount: z.number(), currency: z.string() }));

/** What planned credits cost in money: at most, and probably, where that is known. */
export const PlannedCostObject = z.object({ most: CostObject, expected: CostObject.exactOptional() });
export type PlannedCostObject = z.infer<typeof PlannedCostObject>;
