import { z } from 'zod';

export { AgreementView } from '../../objects/plan-object.ts';

/** Agrees to what a plan has as `to_agree`: `agreement` is that one's. A plan is made again then. */
export const AgreementRequest = z.strictObject({
  plan: z.string().min(1).max(200),
  agreement: z.string().min(1).max(200),
});
export type AgreementRequest = z.infer<typeof AgreementRequest>;
export const AgreementKept = z.object({ kept: z.literal(true) });
export type AgreementKept = z.infer<typeof AgreementKept>;
