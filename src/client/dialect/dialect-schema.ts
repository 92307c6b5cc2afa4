import { z } from 'zod';
import { WHOLE_BODY } from '../../core/answer-body.ts';
import { METHODS } from '../../core/operation.ts';
import { pathProblem } from '../../core/vendor-path.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import { isMisleadingField, queryProblem } from '../../lib/misleading-names.ts';
import { makeLinear } from './linear-pattern.ts';
import { headerName, requestHeader, requestHeaders } from './request-headers.ts';

/**
 * The contract of a dialect: everything that may differ from vendor to vendor, as data. Nothing here is code, so a
 * user can override single entries. `docs/dialects.md` explains each entry with an example.
 */

/** What an answer means. `judge.ts` turns a meaning into a verdict. `as_stated`: what the table says. `pending`: the vendor answers later. */
export const MEANINGS = [
  'as_stated',
  'found',
  'no_match',
  'refused',
  'rate_limited',
  'key_dead',
  'project_refused',
  'credits_used_up',
  'wrong_address',
  'pending',
  'in_doubt',
] as const;

export type Meaning = (typeof MEANINGS)[number];

const statusPattern = z.union([
  z.int().min(100).max(599),
  z.string().regex(/^[1-5]xx$/, 'write a status as a number or a class such as "4xx"'),
]);

const duration = z.string().refine((text) => parseDurationMs(text) !== undefined, {
  error: 'write a duration as 30s, 10m, 24h or 30d',
});

/** Checking a pattern has it run in linear time from then on. */
const pattern = z
  .string()
  .min(1)
  .superRefine((text, { addIssue }) => {
    const refused = makeLinear(text);
    if (refused !== undefined)
      addIssue({ code: 'custom', message: refused.message, params: { next: refused.next } });
  });

const sentName = z
  .string()
  .min(1)
  .refine((name) => !isMisleadingField(name), {
    error: 'some servers read a request with a field of that name as another kind',
  });

const bodyTest = z.strictObject({
  /** Dotted path into the JSON body; without it the whole body is tested. */
  path: z.string().min(1).optional(),
  /**
   * `empty`: nothing but blanks, zeros, booleans and empty lists. `unreadable`: not JSON. `blank`: no bytes. `readable`:
   * JSON with words in it (an object, a list or a text), which is how a vendor's own answers look and a proxy's do not.
   */
  is: z.enum(['empty', 'readable', 'unreadable', 'blank']).optional(),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  /** Case-insensitive regular expression over the text at `path`. */
  matches: pattern.optional(),
});

/** Rules are tried in order; the first rule whose parts all hold gives the meaning. */
export const answerRule = z.strictObject({
  status: z.array(statusPattern).min(1),
  body: bodyTest.optional(),
  /** Maps a response header (lower case) to a regular expression over its value. */
  header: z.record(headerName, pattern).optional(),
  means: z.enum(MEANINGS),
  /** Whether the vendor charges for such an answer; without it, only for `found`. */
  charged: z.boolean().optional(),
});

export type AnswerRule = z.infer<typeof answerRule>;

/** The vendor's name for a value; a dot leads into a nested object of the body. No part is a number: a list has no names. */
const field = sentName.regex(/^(?!\d+\.)[^.{}]+(\.(?!\d+(\.|$))[^.{}]+)*$/, {
  error: 'a field is a name, or names with single dots between them for nested objects',
});

/** A field in braces is moved from the body, or the query, into the path. */
const PATH_FIELD = /\{[^{}]*\}/g;

const request = {
  method: z.enum(['GET', 'POST']),
  /** `{name}` moves a field from the body, or the query, into the path. */
  path: z
    .string()
    .regex(/^\/[!-"$-~]*$/, 'a path must begin with "/" and have neither blanks nor "#"')
    .refine((template) => pathProblem(template, PATH_FIELD) === undefined, {
      error:
        'a path must stay below the account\'s address: it begins with one "/", has no segment "." or "..", encoded or not, and no half escape sequence before a {',
    })
    .superRefine((template, { addIssue }) => {
      const message = queryProblem(template);
      if (message !== undefined) addIssue({ code: 'custom', message });
    }),
  /** Headers of this request, which win over those of the dialect. `{key}`, `{project_id}`, `{organization_id}` are filled in. */
  headers: requestHeaders.optional(),
  /**
   * Maps our parameter to the vendor's field; a parameter that is not named keeps its name. `null` means that the
   * vendor has no such field. An operation is then never called with that parameter, because a call without it would be
   * another call; a read-back omits it.
   */
  fields: z.record(z.string(), field.nullable()).optional(),
};

/**
 * How long after a request was sent the vendor surely knows what became of it. Before that it may still be working on
 * it, so it is not asked. Without it, two minutes.
 */
const sureAfter = duration.optional();

/**
 * A free request that says what became of a call whose answer was lost. It is asked with the call's parameters, and
 * `{idempotency_key}` in its path or headers is the lost attempt's.
 */
export const readBackSchema = z.strictObject({
  ...request,
  /** Rules are tried in order; an answer that none of them fits is `unclear`. */
  answers: z
    .array(
      z.strictObject({
        status: z.array(statusPattern).min(1),
        body: bodyTest.optional(),
        says: z.enum(['happened', 'not_happened', 'unclear']),
      }),
    )
    .min(1),
  /** Where the lost answer stands in the read-back's body, in its original form; without it, it is the whole body. */
  answer: z.string().min(1).optional(),
  /** Where the lost answer's status stands; without it, it is the status of the read-back. */
  answer_status: z.string().min(1).optional(),
  sure_after: sureAfter,
});

export type ReadBack = z.infer<typeof readBackSchema>;

const path = z.string().min(1);

/** A free request for all users, or all invites, of a project, which `{project_id}` in its path or headers names. Few services have one. */
export const listing = z.strictObject({
  method: request.method,
  path: request.path,
  headers: request.headers,
  /** Where the list stands; the other paths lead into each of its members. */
  items: path,
  email: path,
  user_id: path.optional(),
  invite_code: path.optional(),
  /** Where the role stands, in the form that `permissions` gives to roles. */
  role: path.optional(),
  /** The value at the path `next`, if there is one, is sent as `parameter` for the next page. */
  next_page: z.strictObject({ next: path, parameter: field }).optional(),
  /** How long the list may miss a recent change, as with a read-back. */
  sure_after: sureAfter,
});

export type Listing = z.infer<typeof listing>;

const paging = {
  /** The field that asks for a page. The first page is requested without it. */
  parameter: field,
  /** A field that every page is requested with, and the number of results that it asks for. */
  size: z.strictObject({ parameter: field, results: z.int().min(1) }).optional(),
};

export const dialectOperation = z.strictObject({
  ...request,
  method: z.enum(METHODS),
  /** Whole credits: `most` is reserved before sending, `found` is what a successful answer is booked at. */
  credits: z.strictObject({
    most: z.int().min(0),
    found: z.int().min(0),
    /** What is booked for each member of `results`, instead of `found`. */
    per_result: z.int().min(0).optional(),
    /** The vendor publishes `found` as the price. Without it, it is the most that an answer may have cost. */
    exact: z.boolean().optional(),
  }),
  /** Rules of this operation, tried before those of the dialect. */
  answers: z.array(answerRule).optional(),
  /** `same_host`: a 307 or 308 to another path of the same host says where the operation is now. Without it, an error. */
  redirect: z.enum(['same_host']).optional(),
  read_back: readBackSchema.optional(),
  /** Rules for a request that repeats a lost one, tried before all others: what is gone already was done by that. */
  repeated: z.array(answerRule).optional(),
  /** Where a change's answer holds what is remembered of it. */
  answer_fields: z
    .strictObject({ invite_code: path.optional(), user_id: path.optional(), project_id: path.optional() })
    .optional(),
  /** Tests for an invite that was accepted at once; one must fit. Without them nobody can tell it from one that waits. */
  accepted: z.union([bodyTest, z.array(bodyTest).min(1)]).optional(),
  /** Where an answer holds the list of results; without it, at the first member that is a list. */
  results: path.optional(),
  /** How the next page is requested. Without it there are no pages. */
  paging: z
    .union([
      /** The value at the path, until there is none. Of an address it is the parameter in its query. */
      z.strictObject({ ...paging, next: path }),
      /** The same in a response header; of `Link` the address that is called next. */
      z.strictObject({ ...paging, next_header: headerName }),
      /** Counts pages from this number on, until one is empty. */
      z.strictObject({ ...paging, from: z.int() }),
      /** Counts results from this number on, until a page is empty. */
      z.strictObject({ ...paging, offset: z.int() }),
    ])
    .optional(),
});

export type DialectOperation = z.infer<typeof dialectOperation>;

/**
 * Where answers say how fast we may ask. The usual headers (`RateLimit`, `RateLimit-Policy`, `RateLimit-*`,
 * `X-RateLimit-*`, `Retry-After`) are read without any of this; what is named here is read first.
 */
export const rateHints = z.strictObject({
  /** Header with the requests that a window allows, and how long that window is. */
  limit: headerName.optional(),
  window: duration.optional(),
  /** Header with the requests that are left in this window. */
  remaining: headerName.optional(),
  /** Header with the time until the window begins anew: seconds, or a time. */
  reset: headerName.optional(),
  /** Header that says how long to wait: seconds, or a date. */
  retry_after: headerName.optional(),
  /** Text at `path` (without it, the whole body) with the seconds to wait in the group `(?<seconds>…)` or `(?<ms>…)`. */
  body: z.strictObject({ path: z.string().min(1).optional(), matches: pattern }).optional(),
});

export type RateHintNames = z.infer<typeof rateHints>;

/** Path of what can only be a part of an answer. */
const part = path.refine((text) => text !== WHOLE_BODY, { error: 'only the body can be the whole answer' });

/** The "API Call" step of a service: how a request to another vendor is wrapped in one of its own, and how the answer is unwrapped. */
export const envelope = z.strictObject({
  /** Headers of the outer request; `{key}` is the service's. */
  headers: requestHeaders,
  /** Methods of inner requests that the step accepts; without it GET and POST, as published. */
  methods: z.array(z.enum(METHODS)).min(1).optional(),
  /** Names of the outer body's members; each may be a dotted path. */
  request: z.strictObject({
    account: sentName,
    method: sentName,
    endpoint: sentName,
    body: sentName,
  }),
  /**
   * Where the vendor's own answer stands in the outer one. Without `status`, the status of the outer answer counts. A
   * `body` of `.` is all of the outer answer, and has neither status nor headers of its own.
   */
  answer: z.strictObject({ status: part.optional(), headers: part.optional(), body: path }),
  /** Rules for outer answers that are no 2xx, and for a 2xx that does not hold the vendor's answer. */
  answers: z.array(answerRule),
});

export type Envelope = z.infer<typeof envelope>;

/** A word or a sentence. With a star at its end it stands for every word that begins so. */
const phrase = z
  .string()
  .max(200)
  .refine((text) => /[\p{L}\p{N}]/u.test(text), { error: 'a phrase must have a letter or a digit' });

const phrases = z.array(phrase);

/** What vendors say in codes and messages, by what it means. Answers that are read `as_stated` are read by it. */
export const words = z.strictObject({
  rate_limited: phrases,
  credits_used_up: phrases,
  /** A quota of a plan is used up: out of credits, unless a word of `within_a_day` stands with it. */
  quota_used_up: phrases,
  within_a_day: phrases,
  key_dead: phrases,
  project_refused: phrases,
  no_match: phrases,
  refused: phrases,
  /** A job's own word that it is not done, whatever stands beside it. */
  working: phrases,
  /** It has not happened yet; beside data it may be a word of the data. */
  pending: phrases,
  done: phrases,
});

export type Words = z.infer<typeof words>;

export const dialectSchema = z.strictObject({
  name: z.string().min(1),
  vendor: z.enum(['provider', 'service']),
  headers: requestHeaders,
  operations: z.record(z.string(), dialectOperation),
  answers: z.array(answerRule),
  words,
  /** Response headers that carry the vendor's own id of a request, in order of preference. */
  request_id: z.array(headerName),
  /** Where an answer says how many credits it cost; absent when no answer says it. */
  credits_charged: z
    .strictObject({ header: headerName.optional(), path: z.string().min(1).optional() })
    .optional(),
  /** Where a found answer's fields stand in its body; without it, at the top. */
  fields_at: z.string().min(1).optional(),
  rate_hints: rateHints.optional(),
  /** For that long the vendor acts and charges once for all requests with the same value of this header. */
  idempotency: z.strictObject({ header: requestHeader, valid_for: duration }).optional(),
  /** A free request with the vendor's own count of credits, which only ever grows, at `credits` in its answer. */
  usage: z
    .strictObject({
      method: request.method,
      path: request.path,
      headers: request.headers,
      credits: z.string().min(1),
      sure_after: sureAfter,
    })
    .optional(),
  /** A free request that says how many credits are left, at `credits` in its answer. */
  balance: z
    .strictObject({
      method: request.method,
      path: request.path,
      headers: request.headers,
      credits: z.string().min(1),
    })
    .optional(),
  /** Only a service has roles. They are written as `{"items": {ITEM: {"actions": {ACTION: true}}}}`. */
  permissions: z
    .strictObject({ item: sentName, viewer: sentName, editor: sentName, admin: sentName })
    .optional(),
  list_users: listing.optional(),
  list_invites: listing.optional(),
  /** A free request that says whose key it is. */
  whoami: z
    .strictObject({
      method: request.method,
      path: request.path,
      headers: request.headers,
      user_id: path.optional(),
      email: path.optional(),
    })
    .optional(),
  /** How requests to its "API Call" step are written. */
  api_call: envelope.optional(),
});

/** How requests go through a service instead of to the vendor itself. */
export interface Through {
  readonly envelope: Envelope;
  /** The service's name for the vendor's account. */
  readonly connectedAccount: string;
}

/** How the requests of a dialect file differ from the built-in ones. */
export interface Differences {
  /** By which the agreement is kept: it is another one when anything else is sent. */
  readonly hash: string;
  /** One line for each, without line ends. */
  readonly words: readonly string[];
}

/**
 * A vendor's dialect as an account speaks it: directly, or `through` a service. Without `differences` it sends what the built-in one
 * sends.
 */
export type Dialect = z.infer<typeof dialectSchema> & {
  readonly through?: Through;
  readonly differences?: Differences;
};
