import { z } from 'zod';

/**
 * The contract of a dialect: everything that may differ from vendor to vendor, as data. Nothing here is code, so a
 * user can override single entries. `docs/dialects.md` explains each entry with an example.
 */

/** What an answer means. `judge.ts` turns a meaning into a verdict. */
export const MEANINGS = [
  'found',
  'no_match',
  'refused',
  'rate_limited',
  'key_dead',
  'project_refused',
  'credits_used_up',
  'wrong_address',
  'in_doubt',
] as const;

export type Meaning = (typeof MEANINGS)[number];

const statusPattern = z.union([
  z.int().min(100).max(599),
  z.string().regex(/^[1-5]xx$/, 'a status is a number or a class such as "4xx"'),
]);

const bodyTest = z.strictObject({
  /** Dotted path into the JSON body; left out: the whole body. */
  path: z.string().min(1).optional(),
  /** `empty`: nothing but blanks, zeros, booleans and empty lists. `unreadable`: not JSON. `blank`: no bytes. */
  is: z.enum(['empty', 'unreadable', 'blank']).optional(),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  /** Case-insensitive regular expression over the text at `path`. */
  matches: z.string().min(1).optional(),
});

/** Tried in order; the first rule of which every part holds gives the meaning. */
export const answerRule = z.strictObject({
  status: z.array(statusPattern).min(1),
  body: bodyTest.optional(),
  /** Response header (lower case) → regular expression over its value. */
  header: z.record(z.string(), z.string()).optional(),
  means: z.enum(MEANINGS),
  /** Whether the vendor charges for such an answer; left out: only for `found`. */
  charged: z.boolean().optional(),
});

export type AnswerRule = z.infer<typeof answerRule>;

export const dialectOperation = z.strictObject({
  method: z.enum(['GET', 'POST']),
  /** `{name}` takes a parameter out of the body and into the path. */
  path: z.string().startsWith('/'),
  /** Headers of this operation, over those of the dialect. `{key}`, `{project_id}`, `{organization_id}` are filled in. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Our parameter → the vendor's field; left out: the same name. */
  fields: z.record(z.string(), z.string()).optional(),
  /** Whole credits: `most` is reserved before sending, `found` is what a successful answer is booked at. */
  credits: z.strictObject({ most: z.int().min(0), found: z.int().min(0) }),
  /** Rules of this operation, tried before those of the dialect. */
  answers: z.array(answerRule).optional(),
});

export type DialectOperation = z.infer<typeof dialectOperation>;

export const dialectSchema = z.strictObject({
  name: z.string().min(1),
  vendor: z.enum(['provider', 'service']),
  headers: z.record(z.string(), z.string()),
  operations: z.record(z.string(), dialectOperation),
  answers: z.array(answerRule),
  /** Response headers that carry the vendor's own id of a request, in order of preference. */
  request_id: z.array(z.string()),
  /** Where an answer says how many credits it cost, when it does. */
  credits_charged: z.strictObject({ header: z.string().optional(), path: z.string().optional() }).optional(),
});

export type Dialect = z.infer<typeof dialectSchema>;
