import { z } from 'zod';

export { AgreementView } from '../../objects/plan-object.ts';

/** What a person agrees to once: what a dialect sends, or the code of a package. */

const agreement = z.string().min(1).max(200);

/** Agrees to what a plan or its refusal has as `to_agree`: `agreement` is that one's. A plan is made again then. */
export const AgreementRequest = z.union([
  z.strictObject({ plan: z.string().min(1).max(200), agreement }),
  z.strictObject({
    /** The list whose plan was refused with it. */
    list: z.string().min(1).max(200),
    agreement,
  }),
]);
export type AgreementRequest = z.infer<typeof AgreementRequest>;
export const AgreementKept = z.object({ kept: z.literal(true) });
export type AgreementKept = z.infer<typeof AgreementKept>;
