import { z } from 'zod';
import { hasCondition, isOddCondition } from '../../core/answer-path.ts';
import { METHODS } from '../../core/operation.ts';
import { pathProblem } from '../../core/vendor-path.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import { opt, optBlock } from '../../lib/yaml/schema-problem.ts';
import { SLOT } from '../slots.ts';
import { makeLinear } from './linear-pattern.ts';

/**
 * A dialect: everything that may differ from vendor to vendor, as data. This one object is the type, the
 * check of a file, the table of `docs/reference/README.md` and the schema for editors. Nothing in it is code,
 * so that a user can override single entries.
 */

/** The meaning of an answer, and what follows from it. `judge.ts` turns a meaning into a verdict. */
export const MEANINGS = {
  as_stated: 'the table decides',
  found: 'charged; the row is matched',
  no_match: 'free, unless `charged`; the waterfall goes on',
  refused: 'free; the waterfall goes on. A row that was only refused is `refused`',
  rate_limited:
    'a pause, as long as the answer says, up to 24 hours, else growing. With `charged: true` it is in doubt',
  key_dead: 'the run stops, exit code 77',
  project_refused: 'refused, because the key may not change this project',
  credits_used_up: 'the run stops, exit code 4',
  wrong_address: 'the run stops, exit code 2',
  pending: 'the vendor answers later: in doubt, "not yet". Only `later` asks again by itself',
  in_doubt: 'may have been charged; the row waits. With `charged: false` it is tried again by itself',
} as const;

export type Meaning = keyof typeof MEANINGS;

// ----------------------------------------------------------------------------------------- words of the file

/** A dotted path into an answer. */
const at = (about: string) =>
  z
    .string()
    .min(1)
    .refine((path) => !hasCondition(path), {
      error: 'a place in a list by what stands there is for `gives`, `add`, `answers` and the id of `later`',
    })
    .describe(about);

/** The same, also through a list by what stands there. */
const place = (about: string) =>
  z
    .string()
    .min(1)
    .refine((path) => !isOddCondition(path), {
      error: 'a place in a list by what stands there is written as contacts[type=email].value',
    })
    .describe(about);

const block = <Shape extends z.ZodRawShape>(about: string, shape: Shape) =>
  z.strictObject(shape).describe(about);

const duration = z.string().refine((text) => parseDurationMs(text) !== undefined, {
  error: 'write a duration as 30s, 10m, 24h or 30d',
});

/** Below a second every answer would be lost. Above an hour a run would seem never to end. */
const timeout = z.string().refine(
  (text) => {
    const ms = parseDurationMs(text) ?? 0;
    return ms >= 1_000 && ms <= 3_600_000;
  },
  { error: 'write a timeout as 30s or 2m, from 1s to 1h' },
);

/** Checking a pattern also makes it run in linear time from then on. */
const pattern = z
  .string()
  .min(1)
  .superRefine((text, { addIssue }) => {
    const refused = makeLinear(text);
    if (refused !== undefined)
      addIssue({ code: 'custom', message: refused.message, params: { next: refused.next } });
  });

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'this is not a valid name for a header')
  .transform((name) => name.toLowerCase());

/** Headers that the transport sets itself; another value would break the request, or send it twice. */
const OUR_HEADERS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

const sentHeader = headerName.refine((name) => !OUR_HEADERS.test(name.replaceAll('_', '-')), {
  error: 'this header is set by Rowonce itself',
});

/** A character outside of ASCII, or a line end, could not be sent. */
const sentHeaders = z.record(
  sentHeader,
  z.string().regex(/^[\x20-\x7e]*$/, 'a header can have only ASCII letters, digits and signs'),
);

const sentName = z.string().min(1);

/** The vendor's name for a value; a dot leads into an object of the body, and `.0` into a list of one. */
const field = sentName
  .refine((name) => !name.includes('[]'), {
    error: 'a list is written with .0 in the place of [], and stands in a JSON body alone',
  })
  .regex(/^(?!\d+\.)[^.{}]+(\.(?:0|(?!\d+(?:\.|$))[^.{}]+))*$/, {
    error: 'a field is a name, or names with single dots between them for nested objects',
  });

const plain = z.union([z.string(), z.number(), z.boolean()]);

/** A placeholder stands in braces. */
const PLACEHOLDER = /\{[^{}]*\}/g;

const requestPath = z
  .string()
  .regex(/^\/[!-"$-~]*$/, 'a path must begin with "/" and have neither blanks nor "#"')
  .refine((template) => pathProblem(template, PLACEHOLDER) === undefined, {
    error:
      "a path must stay below the account's address: " +
      'it begins with one "/", has no segment "." or "..", encoded or not, ' +
      'and no half escape sequence before a {',
  })
  .describe(
    "below the account's address; `{field}` moves a field from the query or body into the path; " +
      '`?guid={key}` puts the key into the query',
  );

const headers = opt(sentHeaders, 'headers of this request, over those of the dialect');

const fields = opt(
  z.record(z.string(), field.nullable()),
  "our parameter: the vendor's field; left out: the same name. " +
    'A dot leads into a nested object, `.0` into a list of one. `null`: ' +
    'the vendor does not take it',
);

const body = opt(
  z.record(
    field,
    z.union([plain, z.array(plain)]).refine((value) => !JSON.stringify(value).includes('{{'), {
      error: 'only a job has {{…}}; {key} is the key',
    }),
  ),
  'what always stands in the JSON body, or the query, beside them: ' +
    'name, as under `fields`, and value, in which `{key}` is the key',
);

/** A request that costs nothing, and alters nothing. */
const freeRequest = {
  method: z.enum(['GET', 'POST']).describe('`GET` or `POST`'),
  path: requestPath,
  headers,
  body,
};

const sureAfter = opt(
  duration,
  'how long after a request the vendor surely knows of it, such as `5m`; left out: two minutes',
);

// ---------------------------------------------------------------------------------------------------- rules

const bodyTest = z.strictObject({
  path: place('a dotted path into the JSON; left out: the whole body').optional(),
  is: opt(
    z.enum(['empty', 'readable', 'unreadable', 'blank']),
    '`blank`: no bytes. `unreadable`: not JSON. `readable`: JSON that is an object, a list or a text. ' +
      '`empty`: nothing but blanks, zeros, booleans and empty lists',
  ),
  equals: opt(z.union([z.string(), z.number(), z.boolean(), z.null()]), 'the plain value that is there'),
  matches: opt(pattern, 'a regular expression over the text that stands there; letter case does not count'),
});

export type BodyTest = z.infer<typeof bodyTest>;

/** In a rule all of the tests must hold. For an accepted invite any one of them is enough. */
const bodyTests = z.union([bodyTest, z.array(bodyTest).min(1)]);

const statusClass = z.string().regex(/^[1-5]xx$/, 'write a status as a number or a class such as "4xx"');

const test = {
  status: z
    .array(z.union([z.int().min(100).max(599), statusClass]))
    .min(1)
    .describe('status codes, or classes such as `4xx`; one of them must fit'),
  body: opt(bodyTests, 'a test of the body, or a list of tests that must all hold; left out: any body'),
};

export const answerRule = z.strictObject({
  ...test,
  header: opt(z.record(headerName, pattern), 'response header: a regular expression over its value'),
  means: z.enum(Object.keys(MEANINGS) as Meaning[]).describe('what such an answer means'),
  charged: opt(z.boolean(), 'whether it is charged; left out: as the answer says, else for `found` alone'),
});

export type AnswerRule = z.infer<typeof answerRule>;

const rules = z.array(answerRule);

// -------------------------------------------------------------------------------------------------- requests

const says = z.enum(['happened', 'not_happened', 'unclear']).describe('what became of the lost call');

const readBack = z.strictObject({
  ...freeRequest,
  fields,
  answers: z
    .array(z.strictObject({ ...test, says }))
    .min(1)
    .describe('rules with `status`, `body` and `says`: `happened`, `not_happened` or `unclear`'),
  answer: at('where the lost answer is in what comes back; left out: it is the whole body').optional(),
  answer_status: at('where its status is; left out: it is that of the read-back').optional(),
  sure_after: sureAfter,
});

export type ReadBack = z.infer<typeof readBack>;

/** A request about an id that an answer gave. */
const requestById = {
  path: requestPath,
  headers,
  fields: optBlock('the name of the field in which the id is sent; left out: `id`', {
    id: field.describe("the vendor's field for the id"),
  }),
  body,
};

const later = z.strictObject({
  method: opt(freeRequest.method, '`GET` or `POST`; left out: `GET`'),
  ...requestById,
  id: place('where the id stands in the first answer'),
  every: duration.describe('how long to wait between two questions, such as `10s`'),
  gives_up: duration.describe('how long after the first answer a call that has no other is in doubt'),
});

export type Later = z.infer<typeof later>;

const listing = z.strictObject({
  ...freeRequest,
  items: at('where the list is in the answer; the other paths lead into its members'),
  email: at('the address of the person'),
  user_id: at('the id by which a role is changed and a person removed').optional(),
  invite_code: at('the code by which an invite is deleted').optional(),
  role: at('the role, as `permissions` names it; left out: the last that is known').optional(),
  next_page: optBlock('how the next page is asked for; left out: all is on one', {
    next: at('where the word for the next page is; nothing there: it was the last'),
    parameter: field.describe('the field that it is sent as'),
  }),
});

export type ListEntry = z.infer<typeof listing>;

const credits = z.int().min(0);

const taking = z.strictObject({
  id: at('where the id stands in the first answer; `data.0.id` leads through a list'),
  first: opt(
    z.boolean(),
    'the first of several is taken; left out: a list of several is refused, with their number',
  ),
  method: opt(z.enum(METHODS), 'left out: that of the operation'),
  ...requestById,
  credits: block('prices, in whole credits', {
    most: credits.describe('reserved before the request leaves'),
    found: opt(credits, 'what a successful answer is booked at; left out: `most`'),
    miss: opt(credits, 'what a miss is booked at, as for the operation'),
    exact: opt(z.boolean(), '`found` is the published price'),
  }),
  answers: opt(rules, 'rules for its answer; left out: those of the operation'),
});

export type Taking = z.infer<typeof taking>;

const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

const verdictWords = z.union([plain, z.array(plain).min(1)]);

const operation = z.strictObject({
  method: z.enum(METHODS).describe('with `GET` the parameters go into the query, else into a JSON body'),
  path: requestPath,
  headers,
  fields,
  body,
  by: opt(
    z.array(z.string().min(1)).min(1),
    'what the vendor takes, the surest first: an input, or several joined by `+`; ' +
      'left out: one input after the other',
  ),
  profiles: opt(
    z.array(z.string().regex(HOST, 'a host is like linkedin.com').toLowerCase()).min(1),
    'the networks of profiles that the vendor takes, such as `[linkedin.com]`; left out: any',
  ),
  gives: opt(
    z.record(
      z.string(),
      place(
        'a dotted path into the body; `contacts[type=email].value` leads through a list by what stands there',
      ),
    ),
    'our name for a value: where it stands in the body. `add` takes these names; a blank there is a miss',
  ),
  verdicts: optBlock('the words that stand at the `verdict` of `gives`, by what they mean', {
    valid: verdictWords.describe('mail arrives'),
    accept_all: opt(verdictWords, 'the host takes mail for every address, so a check cannot tell'),
    invalid: opt(verdictWords, 'mail does not arrive'),
    unknown: opt(verdictWords, 'the vendor could not find out'),
  }),
  timeout: opt(timeout, 'the timeout of this operation, such as `180s`; left out: that of the account'),
  credits: block('prices, in whole credits', {
    most: credits.describe('reserved before the request leaves. When in doubt, the higher number'),
    found: credits.describe('what a successful answer is booked at, when it does not say itself'),
    miss: opt(
      credits,
      'what a miss is booked at; left out: 0, or `found` where its rule says `charged: true`',
    ),
    per_result: opt(credits, 'instead of `found`: what each member of `results` is booked at'),
    exact: opt(z.boolean(), '`found` is the published price, and is not shown as "at most"'),
  }),
  answers: opt(rules, 'rules of this operation, tried before those of the dialect'),
  read_back: opt(
    readBack,
    'a free request that says what became of a call in doubt. ' +
      'In it `{idempotency_key}` is that of the call',
  ),
  later: opt(
    later,
    'a free request for the answer, where the vendor first gives an id alone. ' +
      'In it `{id}` is that id. It is sent until the answer is there',
  ),
  then: opt(
    taking,
    'a second call, which takes what the first one has found by its id alone, at a price of its own. ' +
      'In it `{id}` is that id. `gives` is about its answer',
  ),
  repeated: opt(rules, 'rules for a request that repeats a lost one, tried before all others'),
  answer_fields: optBlock('of a change: what is remembered of its answer, each at a dotted path', {
    invite_code: at('of an invite: its code, to delete it by').optional(),
    user_id: at('of an invite that was accepted at once: the user id, to change the role by').optional(),
    project_id: at('of a project that was made').optional(),
  }),
  accepted: opt(bodyTests, 'of `create-invite`: tests of the body; any tells one that was accepted at once'),
  results: at('where the list of what was found is; left out: the first list in its fields').optional(),
});

export type DialectOperation = z.infer<typeof operation>;

// ----------------------------------------------------------------------------------------------- the dialect

const example = z.strictObject({
  operation: z.string().describe('the operation that was asked'),
  asked: z.record(z.string(), z.string()).describe('by what, as our inputs: invented names'),
  status: z.int().min(100).max(599).describe('the status of the answer'),
  headers: opt(z.record(headerName, z.string()), 'headers of the answer that the dialect reads'),
  body: z.string().describe('its body, with invented names in the place of those of people'),
  means: z.enum(['found', 'no_match']).describe('what the answer means'),
  gives: opt(z.record(z.string(), plain), 'the values that it gives, by our names'),
});

export type Example = z.infer<typeof example>;

const rateHints = z.strictObject({
  remaining: opt(headerName, 'header with the requests that are left for now'),
  reset: opt(headerName, 'header with the time until more are left: seconds, or a time'),
  retry_after: opt(headerName, 'header with how long to wait: seconds, or a date'),
  body: optBlock('words of the body that say how long to wait', {
    path: at('where they stand; left out: anywhere in it').optional(),
    matches: pattern.describe('a regular expression with the group `(?<seconds>…)` or `(?<ms>…)`'),
  }),
});

export type RateHintNames = z.infer<typeof rateHints>;

export const envelope = z.strictObject({
  headers: sentHeaders.describe('headers of the request to the service'),
  request: block('where in its JSON body the inputs of the step stand, each at a dotted path', {
    account: sentName.describe('the connected account'),
    method: sentName.describe("the vendor's method"),
    endpoint: sentName.describe("the vendor's path, with the query"),
    body: sentName.describe("the vendor's body; a request without one has none"),
  }),
  answer: block("where in the service's answer the vendor's own is; `null` takes a built-in place away", {
    status: at("its status; left out: it is that of the service's answer").optional(),
    headers: at('its headers').optional(),
    body: at('its body; `.` where the step answers with the body itself'),
  }),
  answers: rules.describe("rules for answers of the service that hold none of the vendor's"),
});

export type Envelope = z.infer<typeof envelope>;

const phrase = z
  .string()
  .max(200)
  .refine((text) => /[\p{L}\p{N}]/u.test(text), { error: 'a phrase must have a letter or a digit' });

const phrases = (about: string) => z.array(phrase).describe(about);

const words = z.strictObject({
  rate_limited: phrases('requests come too fast'),
  limit_reached: phrases('a limit is reached: one of speed, unless a word of `credits` is with it'),
  limit: phrases('a limit, which is one of speed where a time of a day or less is with it'),
  within_an_hour: phrases('that a limit ends within an hour, such as `per second`'),
  of_a_day: phrases('that a limit is one of a day: it is probed each hour'),
  of_a_month: phrases('that a limit of speed is one of a month: it is probed each hour'),
  credits: phrases(
    'what is bought for a month or longer. With one of `used_up` in its sentence it is used up',
  ),
  used_up: phrases('that there is no more of it'),
  credits_used_up: phrases("the vendor's credits are used up"),
  key: phrases('what a key is called. With one of `dead` in its sentence the key is refused'),
  no_key: phrases('what is called so too, such as the key of a field'),
  dead: phrases('that a key is not valid'),
  key_dead: phrases('the key is refused'),
  project_refused: phrases('the key may not change this project'),
  is_member: phrases('the person to invite is a member, or has the role, before the invite'),
  is_invited: phrases('the person to invite has an invite from before'),
  no_match: phrases('there is no such company, person or thing'),
  refused: phrases('it was not done'),
  working: phrases("a job's own word that it is not done, whatever stands beside it"),
  pending: phrases('it has not happened yet'),
  done: phrases('it was done'),
  label: phrases('what names a kind of error, and not its cause'),
});

export type Words = z.infer<typeof words>;

export const entries = z.strictObject({
  name: z.string().min(1).describe("how messages call it; of a file: left out, the file's name"),
  title: opt(z.string().min(1), "the vendor's name, as the vendor writes it"),
  base_url: opt(z.url(), 'the address that is proposed for a new account'),
  vendor: z
    .enum(['provider', 'service'])
    .describe('`provider` or `service`: the kind of account that uses it'),
  headers: sentHeaders.describe(
    'headers of every request, with `{key}`, `{project_id}`, `{organization_id}`, ' +
      '`{basic_key}` (the key for `Basic`, in Base64) and slots such as `{secret}` from `secrets` ' +
      'of the account; `null` removes a built-in header',
  ),
  auth: optBlock('instead of the header `authorization`', {
    basic: z
      .array(
        z.union([z.literal(''), z.string().regex(SLOT, 'write a name of small letters, digits and "_"')]),
      )
      .min(1)
      .max(2)
      .describe(
        'the name and the password of `Basic`, such as `[user, key]`: `key` is that of the account, ' +
          'each other one a slot; one alone has no password, and `["", key]` no name',
      ),
  }),
  operations: z.record(z.string(), operation).describe("the vendor's operations by our names for them"),
  answers: rules.describe('rules, tried in order; the first with all parts true gives the meaning'),
  words: words.describe(
    'the words by which an answer says of itself what became of the request. ' +
      'Letter case does not count; `*` at the end stands for any ending',
  ),
  request_id: z.array(headerName).describe("response headers that carry the vendor's own id of a request"),
  credits_charged: optBlock('where an answer says what it cost, when it does; rounded up to whole credits', {
    header: opt(headerName, 'in this response header'),
    path: at('at this dotted path of the body').optional(),
  }),
  fields_at: at('where the fields of a found answer stand in its body; left out: at its top').optional(),
  rate_hints: opt(rateHints, 'where answers say how fast we may ask, besides the usual headers and words'),
  idempotency: optBlock('the vendor acts and charges once for all requests with the same key', {
    header: sentHeader.describe('the header that takes the key'),
    valid_for: duration.describe('how long the vendor remembers a key, such as `24h`'),
  }),
  usage: optBlock('a free request that returns how many credits the vendor has counted', {
    ...freeRequest,
    credits: at('where the number is in the answer; it must be one that only ever grows'),
    sure_after: sureAfter,
  }),
  balance: optBlock('a free request that returns how many credits are left', {
    ...freeRequest,
    credits: at('where the number is in the answer'),
  }),
  permissions: optBlock(
    'of a service: how roles are written: `{"items": {ITEM: {"actions": {ACTION: true}}}}`',
    {
      item: sentName.describe('the item'),
      viewer: sentName.describe('the action of a viewer'),
      editor: sentName.describe('the action of an editor'),
      admin: sentName.describe('the action of an admin'),
    },
  ),
  list_users: opt(listing, 'of a service: a free request for all people of a project, `{project_id}`'),
  list_invites: opt(listing, 'of a service: the same for all invites of a project that wait'),
  whoami: optBlock('of a service: a free request for the owner of the key, which also tries the key', {
    ...freeRequest,
    user_id: at('where the user id stands in the answer').optional(),
    email: at('where the e-mail stands in the answer').optional(),
  }),
  api_call: opt(envelope, 'of a service: how other vendors are asked through it'),
  examples: opt(
    z.array(example),
    'answers of the vendor that `accounts test` reads again, without a request',
  ),
});

export type DialectEntries = z.infer<typeof entries>;

/** How requests go through a service instead of to the vendor itself. */
export interface EnvelopeRoute {
  readonly envelope: Envelope;
  /** The service's name for the vendor's account. */
  readonly connectedAccount: string;
}

/** How the requests of a dialect differ from the built-in ones. */
export interface Differences {
  /** The name under which the agreement is kept. It changes when anything else is sent. */
  readonly hash: string;
  /** One line for each difference, without line ends. */
  readonly words: readonly string[];
}

/**
 * A vendor's dialect as an account speaks it: directly, or `through` a service. Without `differences` it
 * sends the same as the built-in one.
 */
export type Dialect = DialectEntries & {
  readonly through?: EnvelopeRoute;
  readonly differences?: Differences;
};
