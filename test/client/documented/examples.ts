import { type Dialect, dialectOperationOf } from '../../../src/client/dialect.ts';
import provider from '../../../src/client/dialects/provider.ts';
import service from '../../../src/client/dialects/service.ts';
import { conclusionOf } from '../../../src/client/judge/meanings.ts';
import { readBody } from '../../../src/core/answer-body.ts';
import type { Call } from '../../../src/core/operation.ts';

/** One answer for each row of the table, by which its page shows what is meant. */

const asked = { ifLost: 'hold', after: 0, project: 'proj-1' } as const;
const subject = { project: 'proj-1', name: 'jo@acme.example' };

/** What was asked; a service in front of the vendor and a free question are about no call. */
const QUESTIONS = {
  company: { ifLost: 'hold', operation: 'enrich-company', parameters: { domain: 'acme.example' } },
  email: { ifLost: 'hold', operation: 'find-email', parameters: { full_name: 'Jo Bell' } },
  own: { ifLost: 'hold', operation: 'api-call', parameters: { method: 'GET', endpoint: '/x', body: null } },
  removal: {
    ...asked,
    operation: 'remove-user',
    parameters: { user_id: 'u-17' },
    change: { subject, leaves: { state: 'gone' } },
  },
  role: {
    ...asked,
    operation: 'update-user',
    parameters: { user_id: 'u-17', role: 'editor' },
    change: { subject, leaves: { state: 'member', role: 'editor' } },
  },
  invite: {
    ...asked,
    operation: 'create-invite',
    parameters: { email: 'jo@acme.example', role: 'viewer' },
    change: { subject, leaves: { state: 'invited', role: 'viewer' } },
  },
  'own change': {
    ...asked,
    operation: 'api-call-change',
    parameters: { method: 'POST', endpoint: '/x', body: { id: 'c-1' } },
    change: { subject: { name: 'call:1' }, leaves: { state: 'done' } },
  },
  free: undefined,
  service: undefined,
} as const satisfies Record<string, Call | undefined>;

/** In the order of the rows: the question, the status, the body, and the `Retry-After`. */
const ANSWERS: readonly (readonly [keyof typeof QUESTIONS, number, string, string?])[] = [
  ['company', 200, '{"status":"searching","name":"Acme","city":"Perth","phone":"1"}'],
  ['email', 200, '{"email":"jo@acme.example","status":"not found"}'],
  ['company', 400, '{"message":"Your credit balance is too low"}'],
  ['company', 403, '{"message":"Daily quota exceeded"}'],
  ['company', 403, '{"reason":"userRateLimitExceeded"}'],
  ['company', 403, '{"message":"Upgrade your plan"}'],
  ['company', 400, '{"message":"The API key has expired"}'],
  ['company', 404, '{"code":"RouteNotFound"}'],
  ['company', 402, '{"message":"The mail server timed out"}'],
  ['company', 200, '{"status":"no_match"}'],
  ['invite', 409, '{"message":"already a member"}'],
  ['service', 404, '{"message":"not here"}'],
  ['company', 302, ''],
  ['company', 429, 'busy'],
  ['company', 503, '{"message":"come back later"}', '7'],
  ['company', 401, ''],
  ['removal', 403, '{"message":"not for you"}'],
  ['company', 403, '{"message":"not for you"}'],
  ['company', 204, ''],
  ['removal', 200, ''],
  ['company', 200, ''],
  ['company', 200, `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
  ['company', 200, 'hello'],
  ['company', 502, '<html>Bad Gateway</html>'],
  ['company', 400, '{"message":"a lookup of it is in progress"}'],
  ['company', 404, '{"code":17}'],
  ['company', 503, '{"message":"overloaded"}'],
  ['company', 422, '{"message":"domain must have a dot"}'],
  ['company', 200, '{"success":false,"company":{"name":"Acme","city":"Perth","phone":"1"}}'],
  ['email', 200, '{"email":"Upgrade to view"}'],
  ['company', 200, '{"name":"Acme","employees":12}'],
  ['company', 202, '{"message":"we look for it"}'],
  ['company', 200, '{"error":"?!"}'],
  ['company', 200, '{"company":null}'],
  ['company', 200, '{"request_id":"r-1"}'],
  ['company', 200, '{"message":"hello"}'],
  ['removal', 200, '{"user_id":"u-99","removed":true}'],
  ['invite', 200, '{"invite_code":"IC-1"}'],
  ['invite', 200, '{"success":true}'],
  ['removal', 200, '{"removed":true,"error":"the seat is locked"}'],
  ['own change', 200, '{"success":false}'],
  ['removal', 200, '{"error":"permission denied"}'],
  ['removal', 200, '{"error":"user not found"}'],
  ['removal', 200, '{"success":false}'],
  ['removal', 200, '{"status":"pending"}'],
  ['removal', 200, '{"job_id":"j-1"}'],
  ['role', 200, '{"user_id":"u-17","role":"editor"}'],
  ['own change', 200, '{"id":"c-1"}'],
  ['own change', 200, '{"success":true}'],
  ['removal', 200, '{"frobnicated":true}'],
  ['removal', 200, '{"removed":true}'],
  ['removal', 200, '{}'],
  ['own change', 200, '{"name":"Acme"}'],
  ['removal', 200, '{"name":"Jo"}'],
  ['service', 200, '{"hello":1}'],
  ['free', 200, '{"success":false}'],
  ['free', 202, '{}'],
  ['free', 200, '{"credits":5}'],
];

const LONGEST_SHOWN = 60;

/** A finder has no entry that is built in. */
const FINDER: Dialect = {
  ...provider,
  operations: {
    'find-email': {
      method: 'POST',
      path: '/find',
      gives: { email: 'email' },
      credits: { most: 1, found: 1 },
    },
  },
};

/** Each example as the page shows it, with the row that decides about it. */
export const EXAMPLES = ANSWERS.map(([question, status, body, retryAfter]) => {
  const call: Call | undefined = QUESTIONS[question];
  const ofProvider = ['company', 'own', 'own change', 'free'].includes(question) ? provider : service;
  const dialect = question === 'email' ? FINDER : ofProvider;
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const raw = { status, headers, body: Buffer.from(body), receivedAtMs: 0 };
  const parsed = { raw, body: readBody(raw.body), isOuter: question === 'service' };
  const operation = dialectOperationOf(
    dialect,
    call ?? (dialect === provider ? QUESTIONS.own : QUESTIONS.removal),
  );
  const shown = body.length > LONGEST_SHOWN ? `${body.slice(0, 12)}…` : body;
  return {
    row: conclusionOf(parsed, dialect, operation, call).row.name,
    shown: `${status} ${retryAfter === undefined ? '' : `Retry-After: ${retryAfter} `}${shown}`.trim(),
    question,
  };
});
