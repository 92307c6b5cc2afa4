import { z } from 'zod';
import { StopChoice } from '../../objects/stop-object.ts';

/** Who may ask, and how the server refuses. */

/** A refusal, in the words of a `StopError`: the fact, then what to do. `code` is `bug` for an error of ours. */
export const Refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    next: z.string(),
    /** What a person has to choose between, where only she can say what is meant. */
    choices: z.array(StopChoice).optional(),
  }),
});
export type Refusal = z.infer<typeof Refusal>;

/** The one-time word of an address that `rowonce serve` printed. */
export const OpenRequest = z.strictObject({ opening: z.string().max(100) });
export const OpenAnswer = z.object({
  /** What a tab sends from then on, as `Authorization: Bearer …`. It ends with the server. */
  token: z.string(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;

/** A new address of the page, by the name of this start, with a one-time word that is valid for a minute. */
export const Opening = z.object({
  address: z.string().regex(/^http:\/\/[a-z]+\.localhost:\d{1,5}\/#open=[\w-]{1,100}$/),
});
export type Opening = z.infer<typeof Opening>;

/** Another process that is spending from the store, as its lock names it. */
export const Spender = z.object({ pid: z.number(), command: z.string() });
export type Spender = z.infer<typeof Spender>;

export const State = z.object({
  version: z.string(),
  /** The store's folder. */
  store: z.string(),
});
export type State = z.infer<typeof State>;
