import { z } from 'zod';
import { METHODS } from '../core/operation.ts';
import { SpentObject } from './batch-object.ts';
import { ReplyObject, RuleObject } from './row-object.ts';
import { StopObject } from './stop-object.ts';

const TriedRequest = z.object({
  method: z.enum(METHODS),
  url: z.string(),
  /** The headers, with a word in the place of the key. */
  headers: z.record(z.string(), z.string()),
  body: z.string().exactOptional(),
});

/** The output of `try`. The members about the answer are null where there is none. */
export const TrialObject = z.object({
  batch: z.string(),
  source: z.enum(['bought', 'ledger', 'sandbox']),
  request: TriedRequest,
  reply: ReplyObject.nullable(),
  answer: z.string().nullable(),
  charged: z.number().nullable(),
  /** The entry of the dialect that decided, with what a reply must have for it. */
  rule: RuleObject.nullable(),
  /** With `--means`: the rule that would give such answers this meaning. */
  proposed: z.string().nullable().exactOptional(),
  /** Paths in the answer, for `add`. */
  fields: z.array(z.string()),
  /** The credits that were spent now. */
  credits: SpentObject,
  stopped: StopObject.nullable(),
});
export type TrialObject = z.infer<typeof TrialObject>;
