/**
 * What vendors answer, and what it means to a lookup, to the removal of a user and to a change of a role. Who
 * answers so has done what its words say: the judge of the tests is what the vendor has done.
 */

/** What an answer to a lookup means. In part: something beside it is missing. */
export type OfLookup =
  | 'match'
  | 'match in part'
  | 'no match'
  | 'refused'
  | 'wait'
  | 'in doubt'
  | 'stop: key'
  | 'stop: address'
  | 'stop: credits';

/** What an answer to a change means. Silently: it does not say so. Forbidden: for the whole project. */
export type OfChange =
  | 'done'
  | 'done silently'
  | 'not there'
  | 'refused'
  | 'forbidden'
  | 'wait'
  | 'in doubt'
  | 'stop: key'
  | 'stop: address'
  | 'stop: credits';

/** Status and body, and what they mean to a lookup of `acme.com.au`, a removal of `u-17`, and to `u-17` as an editor. */
export type Answer = readonly [number, string, OfLookup, OfChange, OfChange];

export interface AnswerGroup {
  readonly about: string;
  readonly answers: readonly Answer[];
}

/** As they are written below: a meaning that is left out is the one before it. */
type Written =
  | readonly [number, string, OfLookup & OfChange]
  | readonly [number, string, OfLookup, OfChange, OfChange?];

const whole = ([
  status,
  body,
  lookup,
  removal = lookup as OfChange,
  roleChange = removal,
]: Written): Answer => [status, body, lookup, removal, roleChange];

const WRITTEN: readonly { readonly about: string; readonly answers: readonly Written[] }[] = [
  {
    about: 'What was asked for is there',
    answers: [
      [200, '{"name":"Acme","employee_count":12}', 'match', 'in doubt'],
      [201, '{"name":"Acme"}', 'match', 'in doubt'],
      [200, '{"status":"ok","data":{"name":"Acme"}}', 'match', 'done'],
      [200, '{"success":true,"data":{"name":"Acme"}}', 'match', 'done'],
      [200, '{"a":"","b":[{"c":1}]}', 'match', 'in doubt'],
      [200, '{"name":"Acme","status":"pending"}', 'match', 'in doubt'],
      [200, '{"name":"Acme","state":"NSW","code":410}', 'match', 'refused'],
      [200, '{"name":"No Match Ltd"}', 'match', 'in doubt'],
      [200, '{"title":"Head of Rate Limiting","full_name":"Jo"}', 'match', 'wait'],
      [202, '{"name":"Acme"}', 'match', 'in doubt'],
    ],
  },
  {
    about: 'A part is missing, or all of it is in question',
    answers: [
      [200, '{"data":{"name":"Acme"},"errors":["phones: timed out"]}', 'match in part', 'refused'],
      [200, '{"name":"Acme","error":"emails are not available"}', 'match in part', 'refused'],
    ],
  },
  {
    about: 'Nothing was found',
    answers: [
      [200, '{}', 'no match', 'done silently'],
      [200, '[]', 'no match', 'done silently'],
      [200, 'null', 'no match', 'done silently'],
      [204, '', 'no match', 'done silently'],
      [200, '{"success":true,"count":0,"results":[]}', 'no match', 'in doubt'],
      [200, '{"results":[],"took_ms":4,"engine":"v2"}', 'no match', 'in doubt'],
      [200, '{"data":{},"id":"r-1"}', 'no match', 'in doubt'],
      [200, '{"name":"","size":null,"tags":[""]}', 'no match', 'in doubt'],
      [200, '{"detail":"Company does not exist"}', 'no match', 'not there'],
      [200, '{"matches":[],"query":{"domain":"acme.com.au","country":"AU"}}', 'no match', 'in doubt'],
      [200, '{"statusCode":404,"message":"x"}', 'no match', 'not there'],
      [404, '{"message":"unknown"}', 'no match', 'not there'],
    ],
  },
  {
    about: 'It failed, or nobody knows',
    answers: [
      [200, '', 'in doubt', 'done silently'],
      [200, '{"error":"backend unavailable"}', 'in doubt', 'refused'],
      [200, '{"status":"error","message":"Something went wrong"}', 'in doubt', 'refused'],
      [200, '{"data":null,"message":"Please try again later"}', 'in doubt'],
      [200, '{"status":"processing","id":"job-1"}', 'in doubt'],
      [200, '{"message":"Es ist ein Fehler aufgetreten"}', 'in doubt'],
      [200, '<html>Please log in</html>', 'in doubt'],
      [200, 'Not found', 'in doubt'],
      [200, '{"name":"Ac', 'in doubt'],
      [202, '', 'in doubt'],
      [202, '{}', 'in doubt'],
      [202, '{"ok":true}', 'in doubt'],
      [202, '{"status":"accepted"}', 'in doubt'],
    ],
  },
  {
    about: 'Too fast',
    answers: [
      [429, '', 'wait'],
      [429, '<html>Too many requests</html>', 'wait'],
      [420, '<html>calm</html>', 'in doubt'],
      [503, '<html>rate limit</html>', 'in doubt'],
      [200, '{"code":429}', 'wait'],
      [200, '{"meta":{"status":429}}', 'wait'],
      [200, '{"error":{"type":"throttling","message":"slow down"}}', 'wait'],
      [200, '{"success":false,"code":"rate_limited","error":"Rate limit exceeded. Retry in 1s."}', 'wait'],
      [
        200,
        '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}',
        'wait',
      ],
    ],
  },
  {
    about: 'Done',
    answers: [
      [200, '{"isSuccess":true}', 'in doubt', 'done'],
      [200, '{"status":200,"message":"OK"}', 'in doubt', 'done'],
      [200, '{"message":"User u-17 has been removed from the project"}', 'in doubt', 'done', 'in doubt'],
      [200, '{"message":"Role changed to editor"}', 'in doubt', 'in doubt', 'done'],
      [200, '{"updated":true}', 'in doubt', 'in doubt', 'done'],
      [200, '{"removed":["u-17"]}', 'match', 'done', 'in doubt'],
      [200, '{"failed":[],"removed":["u-17"]}', 'match', 'done', 'in doubt'],
      [200, '{"removed":"u-17"}', 'match', 'done', 'in doubt'],
      [200, '{"deleted":"2026-11-22T00:00:00Z"}', 'match', 'done', 'in doubt'],
    ],
  },
  {
    about: 'Done as far as anybody can tell',
    answers: [
      [200, '{"code":0}', 'in doubt'],
      [200, '{"error":"none"}', 'in doubt'],
      [200, '{"error":{"code":0,"message":"No errors"}}', 'in doubt'],
      [200, '{"user_id":"u-17"}', 'in doubt'],
      [200, '{"user":{"id":"u-17","email":"jo@acme.com.au"}}', 'match', 'in doubt'],
      [200, '{"user_id":"u-17","status":"xyzzy"}', 'in doubt'],
      [200, '{"request_id":"r-1"}', 'in doubt'],
      [200, '{"user_id":"u-17","role":"editor"}', 'match', 'in doubt', 'done'],
      [200, '{"user_id":"u-17","status":"active","role":"editor"}', 'match', 'in doubt', 'done'],
    ],
  },
  {
    about: 'Something else than was asked for',
    answers: [
      [200, '{"user_id":"u-17","role":"viewer"}', 'match', 'in doubt'],
      [200, '{"user":{"id":"u-99"}}', 'in doubt'],
      [200, '{"id":"u-99"}', 'in doubt'],
      [200, '{"removed":["u-99"]}', 'match', 'in doubt'],
      [200, '{"removed":{"id":"u-99"}}', 'in doubt'],
      [200, '{"permissions":{"items":{"serviceDefault":{"actions":{"role:editor":false}}}}}', 'in doubt'],
    ],
  },
  {
    about: 'Not done',
    answers: [
      [200, '{"done":false}', 'in doubt', 'refused'],
      [200, '{"removed":false}', 'in doubt', 'refused', 'in doubt'],
      [200, '{"deleted":0}', 'in doubt', 'refused', 'in doubt'],
      [200, '{"updated":0}', 'in doubt', 'in doubt', 'refused'],
      [200, '{"created":false,"updated":true}', 'in doubt', 'in doubt', 'done'],
      [200, '{"count":0}', 'no match', 'refused'],
      [200, '{"errors":[{"message":"not admin"}]}', 'stop: key', 'forbidden'],
      [200, '{"code":403,"message":"no"}', 'stop: key', 'forbidden'],
    ],
  },
  {
    about: 'Both, not yet, or in words that nobody knows',
    answers: [
      [200, '{"success":true,"message":"User not found"}', 'no match', 'in doubt'],
      [200, '{"success":true,"errors":["mail"]}', 'in doubt'],
      [200, '{"success":true,"error":"?!"}', 'in doubt'],
      [200, '{"message":"Removal is scheduled"}', 'in doubt'],
      [200, '{"message":"User removed, but the seat is kept"}', 'in doubt'],
      [200, '{"message":"Der Benutzer wurde nicht gefunden"}', 'in doubt'],
      [200, '{"user":{"error":"locked"}}', 'in doubt', 'refused'],
    ],
  },
  {
    about: 'Done by another kind of change, or to another person',
    answers: [
      [200, '{"message":"Deletion cancelled: user is the owner"}', 'in doubt'],
      [200, '{"message":"Rollback successful"}', 'in doubt', 'refused'],
      [200, '{"uid":"u-99","deleted":true}', 'match', 'in doubt'],
      [200, '{"id":"r-9","deleted":true}', 'in doubt'],
      [200, '{"id":"r-9","user_id":"u-17","deleted":true}', 'in doubt', 'done', 'in doubt'],
      [200, '{"role_name":"viewer"}', 'match', 'in doubt'],
      [200, '{"id":"u-17","role":"editor","created":"2019-01-01"}', 'match', 'in doubt', 'done'],
      [
        200,
        '{"id":"u-17","roles":[{"value":"editor"}],"meta":{"created":"2019-01-01T00:00:00Z"}}',
        'match',
        'in doubt',
        'done',
      ],
      [200, '{"role":"editor","updated_by":{"id":"u-1","role":"admin"}}', 'match', 'in doubt', 'done'],
    ],
  },
  {
    about: 'Limits of speed, and of a plan',
    answers: [
      [403, '[{"message":"TotalRequests Limit exceeded.","errorCode":"REQUEST_LIMIT_EXCEEDED"}]', 'wait'],
      [403, '{"message":"Your quota has been exceeded"}', 'stop: credits', 'wait'],
      [403, '{"message":"Seat limit reached. Upgrade your plan"}', 'stop: credits', 'forbidden'],
      [400, '{"message":"User limit reached for your plan"}', 'refused'],
      [400, '{"message":"Field domain: character limit exceeded"}', 'refused'],
      [402, '{"message":"Monthly limit reached. Upgrade your plan."}', 'stop: credits'],
    ],
  },
  {
    about: 'Nearly whom it was asked about, and nobody at all',
    answers: [
      [200, '{"user":"u-99","removed":true}', 'match', 'in doubt'],
      [200, '{"user_id":"u17","removed":true}', 'in doubt'],
      [200, '{"removed_user_id":"u-99","ok":true}', 'in doubt'],
      [200, '{"removed":["u17"]}', 'match', 'in doubt'],
      [200, '{"email":"JO@acme.com.au","removed_by":"u-1","ok":true}', 'match', 'done'],
      [200, '{"user_id":"u-17","deleted_at":null}', 'in doubt'],
      [404, '{"message":"Cannot POST /latest/auth/users"}', 'stop: address'],
      [404, '{"message":"no Route matched with those values"}', 'stop: address'],
      [200, '{"statusCode":404,"message":"Cannot POST /x"}', 'stop: address'],
      [404, '<pre>Cannot POST /latest/auth/users</pre>', 'stop: address'],
    ],
  },
  {
    about: 'Not done, but tried, prepared or put into a line',
    answers: [
      [200, '{"ok":true,"job_id":"j-1"}', 'in doubt'],
      [200, '{"task":{"state":"running"}}', 'in doubt'],
    ],
  },
  {
    about: 'What only sounds like no',
    answers: [
      [200, '{"message":"Phone not found","industry":"Retail"}', 'match', 'not there'],
      [200, '{"status":"pending","phone":"08 9000 0000"}', 'match', 'in doubt'],
      [200, '{"errors":{"phone":"not found"},"industry":"Retail"}', 'match in part', 'not there'],
      [200, '{"phone":"08 9000 0000","message":"Rate limit: 10 requests per minute"}', 'match', 'wait'],
      [200, '{"message":"This address will be removed soon","annual_revenue":1200000}', 'match', 'in doubt'],
      [200, '{"about":"No such thing as waste"}', 'match', 'in doubt'],
      [200, '{"removed":true,"error":"N"}', 'in doubt', 'done', 'in doubt'],
      [200, '{"responses":[{"id":"u-99","status":"removed"}]}', 'in doubt'],
      [200, '{"operations":[{"user_id":"u-99","status":"ok"}]}', 'in doubt'],
    ],
  },
  {
    about: 'No, or not yet, with details',
    answers: [
      [200, '{"error":"Company not found","trace":"abc"}', 'no match', 'not there'],
      [200, '{"status":"fail","data":{"domain":"A valid domain is required"}}', 'in doubt', 'refused'],
      [200, '{"title":"Failure Analyst","company":"Acme"}', 'match', 'refused'],
      [200, '{"received_funding":true,"city":"Perth"}', 'match', 'in doubt'],
      [200, '{"status":"processing","progress":40}', 'in doubt'],
      [202, '{"eta":30}', 'in doubt'],
      [200, '{"status_url":"https://acme.com/jobs/1"}', 'in doubt'],
      [200, '{"success":"Y"}', 'in doubt', 'done'],
      [200, '{"responses":[{"id":"1","status":403}]}', 'stop: key', 'forbidden'],
      [200, '{"success_count":0}', 'in doubt', 'refused'],
      [200, '{"processed":1}', 'match', 'done'],
      [200, '{"skipped":1}', 'match', 'refused'],
      [200, '{"queued":"u-17"}', 'match', 'in doubt'],
      [200, '{"ok":true,"job":{"id":"j-1","done":true}}', 'in doubt'],
      [200, '{"before":{"role":"editor"},"after":{"role":"viewer"}}', 'match', 'in doubt'],
    ],
  },
  {
    about: 'No, in lists, wrappers and warnings',
    answers: [
      [200, '{"data":{"removeUser":{"userErrors":[{"message":"x"}],"user":null}}}', 'in doubt', 'refused'],
      [200, '{"notFound":["u-17"]}', 'match', 'not there'],
      [200, '{"user":{"id":"u-17","deleted":false}}', 'in doubt', 'refused', 'in doubt'],
      [200, '{"message":"User deleted. This cannot be undone."}', 'in doubt', 'done', 'in doubt'],
      [200, '{"status":"ok","errorCode":"00000"}', 'in doubt', 'done'],
      [200, '{"id":"u-17","errorReporting":true}', 'in doubt'],
    ],
  },
];

export const ANSWERS: readonly AnswerGroup[] = WRITTEN.map(({ about, answers }) => ({
  about,
  answers: answers.map(whole),
}));

/** An operation of which the answer has to hold an id, which is about somebody who is known by e-mail, or which has a price. */
export type SpecialOperation =
  | 'create-invite'
  | 'delete-invite'
  | 'create-project'
  | 'remove-user'
  | 'api-call-change'
  | 'api-call';

/**
 * What answers mean to the invite of `jo@acme.com.au` as a viewer, to the deletion of the invite `IC-1`, to a new project, to the removal of `u-17`, who is
 * `jo@acme.com.au` in `proj-1`, and to a paid change of `c-1`.
 */
export const SPECIAL_ANSWERS: readonly (readonly [SpecialOperation, number, string, OfChange | OfLookup])[] =
  [
    ['create-invite', 200, '{"invite_code":"IC-1"}', 'done'],
    ['create-invite', 200, '{"invite_code":"IC-1","status":"pending"}', 'done'],
    ['create-invite', 200, '{"success":true,"data":{}}', 'in doubt'],
    ['create-invite', 200, '{"status":"accepted"}', 'done'],
    ['create-invite', 200, '{}', 'done'],
    ['create-invite', 200, '{"invite_code":"IC-1","error":"mail failed"}', 'in doubt'],
    ['create-invite', 200, '{"invite_code":"IC-1","email":"al@acme.com.au"}', 'in doubt'],
    ['create-invite', 200, '{"invite_code":0}', 'in doubt'],
    ['create-invite', 200, '{"invite_code":"IC-1","status":"revoked"}', 'in doubt'],
    ['create-invite', 200, '{"invite_code":"IC-1","created":"Nov 25, 2026","updated":"never"}', 'done'],
    ['create-invite', 200, '{"invite_code":"IC-1","message":"The last invite expired, this is new"}', 'done'],
    ['create-invite', 200, '{"invite_code":"IC-1","message":"User already exists"}', 'done'],
    ['create-invite', 200, '{"invite_code":"IC-1","email":"j***@acme.com.au"}', 'in doubt'],
    ['create-invite', 202, '{"status":"accepted"}', 'in doubt'],
    ['create-invite', 200, '{"ok":true}', 'in doubt'],
    ['create-invite', 200, '{"error":"already invited"}', 'refused'],
    ['create-invite', 409, '{"message":"User already exists in another workspace"}', 'refused'],
    ['create-invite', 200, '', 'in doubt'],
    ['delete-invite', 200, '{"status":"cancelled"}', 'done'],
    ['delete-invite', 200, '{"invite_code":"IC-1","status":"active"}', 'in doubt'],
    ['create-project', 200, '{"project_id":"p-1"}', 'done'],
    ['create-project', 200, '{"project_id":"p-1","message":"Rate limit: 9 requests left"}', 'done'],
    ['create-project', 200, '{"project_id":"p-1","status":"error"}', 'in doubt'],
    ['create-project', 200, '{"project_id":"p-1","already_exists":true}', 'in doubt'],
    ['create-project', 200, '{"name":"Research"}', 'in doubt'],
    ['remove-user', 200, '{"project":"proj-1","user_email":"jo@acme.com.au","ok":true}', 'done'],
    ['remove-user', 200, '{"project":"proj-2","ok":true}', 'in doubt'],
    ['remove-user', 200, '{"user_email":"al@acme.com.au","ok":true}', 'in doubt'],
    ['remove-user', 200, '{"user_id":"u-17","email":"j***@acme.com.au"}', 'in doubt'],
    ['remove-user', 200, '{"account":{"id":"a-1","email":"bills@acme.com.au"},"ok":true}', 'done'],
    ['remove-user', 200, '{"removed":["jo@acme.com.au"]}', 'done'],
    ['remove-user', 200, '{"removed":["al@acme.com.au"]}', 'in doubt'],
    ['api-call-change', 200, '{"applied":true}', 'done'],
    ['api-call-change', 200, '{"id":"c-1","status":"active"}', 'done silently'],
    ['api-call-change', 200, '{}', 'done silently'],
    ['api-call-change', 204, '', 'done silently'],
    ['api-call-change', 200, '{"success":false}', 'in doubt'],
    ['api-call-change', 200, '{"error":"no such contact"}', 'in doubt'],
    ['api-call-change', 404, '{"error":"no such contact"}', 'not there'],
    ['api-call', 200, '{"id":7,"status":"pending","amount":12}', 'match'],
    ['api-call', 200, '{"message":"Fix failing test","sha":"4f6a"}', 'match'],
    ['api-call', 200, '{"id":7,"status":"failed","result":{"passed":3}}', 'in doubt'],
    ['api-call', 200, '{"message":"The company does not exist any more."}', 'no match'],
    ['api-call', 200, '{"id":7,"imported":12,"failed":2}', 'match in part'],
    ['api-call', 200, '{"code":"FAILED","message":"Request denied","region":"au"}', 'in doubt'],
  ];
