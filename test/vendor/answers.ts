/**
 * What vendors answer, and what it means to a lookup, to the removal of a user and to a change of a role. The documentation
 * shows this table. Who answers so has done what its words say: the judge of the tests is what the vendor has done.
 */

/** What an answer to a lookup means. */
export type OfLookup =
  | 'match'
  | 'match, a part is missing'
  | 'no match'
  | 'refused'
  | 'wait'
  | 'in doubt'
  | 'stop: key'
  | 'stop: credits';

/** What an answer to a change means. */
export type OfChange =
  | 'done'
  | 'done, without a word'
  | 'not there'
  | 'refused'
  | 'refused by the project'
  | 'wait'
  | 'in doubt'
  | 'stop: key'
  | 'stop: credits';

/** Status and body, and what they mean to a lookup of `acme.com.au`, a removal of `u-17`, and to `u-17` as an editor. */
export type Answer = readonly [number, string, OfLookup, OfChange, OfChange];

export interface AnswerGroup {
  readonly about: string;
  readonly answers: readonly Answer[];
}

export const ANSWERS: readonly AnswerGroup[] = [
  {
    about: 'What was asked for is there',
    answers: [
      [200, '{"name":"Acme","employee_count":12}', 'match', 'done, without a word', 'done, without a word'],
      [201, '{"name":"Acme"}', 'match', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"data":{"name":"Acme"},"request_id":"r-1"}',
        'match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"status":"ok","data":{"name":"Acme"}}', 'match', 'done', 'done'],
      [200, '{"success":true,"data":{"name":"Acme"}}', 'match', 'done', 'done'],
      [200, '{"result":{"name":"Acme"}}', 'match', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"results":[{"name":"Acme"}],"total":1}',
        'match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '[{"name":"Acme"}]', 'match', 'done, without a word', 'done, without a word'],
      [200, '{"a":"","b":[{"c":1}]}', 'match', 'done, without a word', 'done, without a word'],
      [200, '{"name":"Acme","status":"failed"}', 'match', 'refused', 'refused'],
      [200, '{"name":"Acme","status":"pending"}', 'match', 'in doubt', 'in doubt'],
      [200, '{"name":"Acme","state":"NSW","code":410}', 'match', 'refused', 'refused'],
      [200, '{"name":"No Match Ltd"}', 'match', 'in doubt', 'in doubt'],
      [200, '{"title":"Head of Rate Limiting","full_name":"Jo"}', 'match', 'wait', 'wait'],
      [200, '{"data":{"name":"Acme"},"error":null}', 'match', 'done, without a word', 'done, without a word'],
      [200, '{"data":{"name":"Acme"},"errors":[]}', 'match', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"data":{"name":"Acme"},"warnings":["rate limit near"]}',
        'match',
        'done, without a word',
        'done, without a word',
      ],
      [202, '{"name":"Acme"}', 'match', 'in doubt', 'in doubt'],
    ],
  },
  {
    about: 'A part is missing, or all of it is in question',
    answers: [
      [
        200,
        '{"data":{"name":"Acme"},"errors":["phones: timed out"]}',
        'match, a part is missing',
        'refused',
        'refused',
      ],
      [
        200,
        '{"name":"Acme","error":"emails are not available"}',
        'match, a part is missing',
        'refused',
        'refused',
      ],
      [200, '{"success":false,"data":{"name":"Acme"}}', 'in doubt', 'refused', 'refused'],
      [200, '{"ok":0,"name":"Acme"}', 'in doubt', 'refused', 'refused'],
    ],
  },
  {
    about: 'Nothing was found',
    answers: [
      [200, '{}', 'no match', 'done, without a word', 'done, without a word'],
      [200, '[]', 'no match', 'done, without a word', 'done, without a word'],
      [200, 'null', 'no match', 'done, without a word', 'done, without a word'],
      [200, '""', 'no match', 'done, without a word', 'done, without a word'],
      [204, '', 'no match', 'done, without a word', 'done, without a word'],
      [200, '{"results":[]}', 'no match', 'done, without a word', 'done, without a word'],
      [200, '{"success":true,"count":0,"results":[]}', 'no match', 'in doubt', 'in doubt'],
      [
        200,
        '{"results":[],"took_ms":4,"engine":"v2"}',
        'no match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"data":null,"request_id":"r-1"}', 'no match', 'done, without a word', 'done, without a word'],
      [200, '{"data":{},"id":"r-1"}', 'no match', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"name":"","size":null,"tags":[""]}',
        'no match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"found":false,"domain":"acme.com.au"}', 'no match', 'not there', 'not there'],
      [200, '{"matched":false,"id":"r-1"}', 'no match', 'not there', 'not there'],
      [200, '{"status":"no_match","name":"Acme"}', 'no match', 'not there', 'not there'],
      [200, '{"code":"NOT_FOUND","id":"r-1"}', 'no match', 'not there', 'not there'],
      [200, '{"message":"Company not found."}', 'no match', 'not there', 'not there'],
      [200, '{"detail":"Company does not exist"}', 'no match', 'not there', 'not there'],
      [200, '{"error":"No match"}', 'no match', 'not there', 'not there'],
      [200, '{"success":false,"error":{"code":"COMPANY_NOT_FOUND"}}', 'no match', 'not there', 'not there'],
      [200, '"No match found"', 'no match', 'not there', 'not there'],
      [200, '{"message":"No results for acme.com.au"}', 'no match', 'not there', 'not there'],
      [
        200,
        '{"company":null,"request_id":"r-1"}',
        'no match',
        'done, without a word',
        'done, without a word',
      ],
      [
        200,
        '{"matches":[],"query":{"domain":"acme.com.au","country":"AU"}}',
        'no match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"not_found":true}', 'no match', 'not there', 'not there'],
      [200, '{"exists":false}', 'no match', 'not there', 'not there'],
      [200, '{"statusCode":404,"message":"x"}', 'no match', 'not there', 'not there'],
      [404, '{"message":"unknown"}', 'no match', 'not there', 'not there'],
    ],
  },
  {
    about: 'It failed, or nobody knows',
    answers: [
      [200, '', 'in doubt', 'done, without a word', 'done, without a word'],
      [200, '{"success":false}', 'in doubt', 'refused', 'refused'],
      [200, '{"success":false,"data":null}', 'in doubt', 'refused', 'refused'],
      [200, '{"success":false,"hint":"try later"}', 'in doubt', 'refused', 'refused'],
      [200, '{"error":true}', 'in doubt', 'refused', 'refused'],
      [200, '{"error":"backend unavailable"}', 'in doubt', 'refused', 'refused'],
      [200, '{"status":"error","message":"Something went wrong"}', 'in doubt', 'refused', 'refused'],
      [200, '{"data":null,"message":"Please try again later"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"status":"queued"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"queued":true}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"status":"processing","id":"job-1"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"status":"no longer active"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"status":"xyzzy"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"domain":"acme.com.au"}', 'in doubt', 'done, without a word', 'done, without a word'],
      [200, '{"message":"Es ist ein Fehler aufgetreten"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '"Acme"', 'in doubt', 'in doubt', 'in doubt'],
      [200, '42', 'in doubt', 'in doubt', 'in doubt'],
      [200, '<html>Please log in</html>', 'in doubt', 'in doubt', 'in doubt'],
      [200, 'Not found', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"name":"Ac', 'in doubt', 'in doubt', 'in doubt'],
      [202, '', 'in doubt', 'in doubt', 'in doubt'],
      [202, '{}', 'in doubt', 'in doubt', 'in doubt'],
      [202, '{"ok":true}', 'in doubt', 'in doubt', 'in doubt'],
      [202, '{"status":"accepted"}', 'in doubt', 'in doubt', 'in doubt'],
    ],
  },
  {
    about: 'Too fast',
    answers: [
      [429, '', 'wait', 'wait', 'wait'],
      [429, '<html>Too many requests</html>', 'wait', 'wait', 'wait'],
      [420, '{"error":"Enhance your calm"}', 'wait', 'wait', 'wait'],
      [420, '<html>calm</html>', 'in doubt', 'in doubt', 'in doubt'],
      [503, '{"message":"Too many requests"}', 'wait', 'wait', 'wait'],
      [503, '<html>rate limit</html>', 'in doubt', 'in doubt', 'in doubt'],
      [400, '{"error":"Rate limit exceeded"}', 'wait', 'wait', 'wait'],
      [401, '{"message":"API rate limit exceeded"}', 'wait', 'wait', 'wait'],
      [403, '{"error":{"type":"rate_limit_error"}}', 'wait', 'wait', 'wait'],
      [200, '{"error":"Too many requests."}', 'wait', 'wait', 'wait'],
      [200, '{"code":"RATE_LIMITED"}', 'wait', 'wait', 'wait'],
      [200, '{"code":429}', 'wait', 'wait', 'wait'],
      [200, '{"status":{"code":429,"message":"x"}}', 'wait', 'wait', 'wait'],
      [200, '{"rateLimited":true}', 'wait', 'wait', 'wait'],
      [200, '{"status":"OVER_QUERY_LIMIT"}', 'wait', 'wait', 'wait'],
      [403, '{"message":"Limit Exceeded"}', 'wait', 'wait', 'wait'],
      [200, '{"meta":{"status":429}}', 'wait', 'wait', 'wait'],
      [200, '{"errors":{"rate":["rate limit exceeded"]},"data":null}', 'wait', 'wait', 'wait'],
      [200, '{"errors":[{"code":"rate_limit_exceeded","message":"Wait."}]}', 'wait', 'wait', 'wait'],
      [200, '{"error":{"type":"throttling","message":"slow down"}}', 'wait', 'wait', 'wait'],
      [
        200,
        '{"success":false,"code":"rate_limited","error":"Rate limit exceeded. Retry in 1s."}',
        'wait',
        'wait',
        'wait',
      ],
      [
        200,
        '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}',
        'wait',
        'wait',
        'wait',
      ],
      [200, '{"data":{"name":"Acme"},"errors":[{"code":"RATE_LIMITED"}]}', 'wait', 'wait', 'wait'],
      [200, '{"name":"Acme","code":"rate_limited"}', 'wait', 'wait', 'wait'],
    ],
  },
  {
    about: 'Done',
    answers: [
      [200, '{"ok":true}', 'in doubt', 'done', 'done'],
      [200, '{"success":1}', 'in doubt', 'done', 'done'],
      [200, '{"success":"true"}', 'in doubt', 'done', 'done'],
      [200, '{"isSuccess":true}', 'in doubt', 'done', 'done'],
      [200, '{"count":1}', 'in doubt', 'done', 'done'],
      [200, '{"data":{"success":true}}', 'in doubt', 'done', 'done'],
      [200, '{"result":"success"}', 'in doubt', 'done', 'done'],
      [200, '{"code":0,"message":"success"}', 'in doubt', 'done', 'done'],
      [200, '{"status":200,"message":"OK"}', 'in doubt', 'done', 'done'],
      [200, '{"error":false,"message":"User removed"}', 'in doubt', 'done', 'done'],
      [200, '{"message":"User u-17 has been removed from the project"}', 'in doubt', 'done', 'done'],
      [200, '{"message":"Role changed to editor"}', 'in doubt', 'done', 'done'],
      [200, '{"status":"removed"}', 'in doubt', 'done', 'done'],
      [200, '{"results":[{"status":"removed"}]}', 'in doubt', 'done', 'done'],
      [200, '{"removed":true}', 'in doubt', 'done', 'in doubt'],
      [200, '{"updated":true}', 'in doubt', 'in doubt', 'done'],
      [200, '{"removed":["u-17"]}', 'match', 'done', 'in doubt'],
      [200, '{"failed":[],"removed":["u-17"]}', 'match', 'done', 'in doubt'],
      [200, '{"removed":"u-17"}', 'match', 'done', 'in doubt'],
      [200, '{"deleted":"2026-11-22T00:00:00Z"}', 'match', 'done', 'in doubt'],
      [200, '{"success":"ok"}', 'in doubt', 'done', 'done'],
    ],
  },
  {
    about: 'Done as far as anybody can tell',
    answers: [
      [200, '{"code":0}', 'in doubt', 'done, without a word', 'done, without a word'],
      [200, '{"error":"none"}', 'in doubt', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"error":{"code":0,"message":"No errors"}}',
        'in doubt',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"user_id":"u-17"}', 'in doubt', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"user":{"id":"u-17","email":"jo@acme.com.au"}}',
        'match',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"data":{"id":"u-17"}}', 'in doubt', 'done, without a word', 'done, without a word'],
      [
        200,
        '{"user_id":"u-17","status":"xyzzy"}',
        'in doubt',
        'done, without a word',
        'done, without a word',
      ],
      [200, '{"request_id":"r-1"}', 'in doubt', 'done, without a word', 'done, without a word'],
      [200, '{"user_id":"u-17","role":"editor"}', 'match', 'done, without a word', 'done'],
      [200, '{"user_id":"u-17","status":"active","role":"editor"}', 'match', 'in doubt', 'done'],
    ],
  },
  {
    about: 'Something else than was asked for',
    answers: [
      [200, '{"user_id":"u-17","role":"viewer"}', 'match', 'done, without a word', 'in doubt'],
      [
        200,
        '{"permissions":{"items":{"serviceDefault":{"actions":{"role:viewer":true}}}}}',
        'match',
        'done, without a word',
        'in doubt',
      ],
      [200, '{"user_id":"u-17","active":true}', 'match', 'in doubt', 'done, without a word'],
      [200, '{"user":{"id":"u-17","status":"active"}}', 'in doubt', 'in doubt', 'done, without a word'],
      [200, '{"user_id":"u-99","removed":true}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"user":{"id":"u-99"}}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"id":"u-99"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"removed":["u-99"]}', 'match', 'in doubt', 'in doubt'],
      [200, '{"removed":"u-99"}', 'match', 'in doubt', 'in doubt'],
      [200, '{"removed":{"id":"u-99"}}', 'in doubt', 'in doubt', 'in doubt'],
      [
        200,
        '{"permissions":{"items":{"serviceDefault":{"actions":{"role:editor":false}}}}}',
        'in doubt',
        'done, without a word',
        'in doubt',
      ],
    ],
  },
  {
    about: 'Not done',
    answers: [
      [200, '{"isSuccess":false}', 'in doubt', 'refused', 'refused'],
      [200, '{"success":"false"}', 'in doubt', 'refused', 'refused'],
      [200, '{"done":false}', 'in doubt', 'refused', 'refused'],
      [200, '{"removed":false}', 'in doubt', 'refused', 'in doubt'],
      [200, '{"deleted":0}', 'in doubt', 'refused', 'in doubt'],
      [200, '{"updated":0}', 'in doubt', 'in doubt', 'refused'],
      [200, '{"created":false,"updated":true}', 'in doubt', 'in doubt', 'done'],
      [200, '{"count":0}', 'no match', 'refused', 'refused'],
      [200, '{"data":{"success":false}}', 'in doubt', 'refused', 'refused'],
      [200, '{"results":[{"error":"denied"}]}', 'in doubt', 'refused', 'refused'],
      [200, '{"failed":["u-17"],"removed":[]}', 'in doubt', 'refused', 'refused'],
      [200, '{"error":{"code":"X"}}', 'in doubt', 'refused', 'refused'],
      [
        200,
        '{"errors":[{"message":"not admin"}]}',
        'stop: key',
        'refused by the project',
        'refused by the project',
      ],
      [200, '{"status":"error","message":"User not found"}', 'no match', 'not there', 'not there'],
      [200, '{"message":"User is not a member"}', 'no match', 'not there', 'not there'],
      [200, '{"message":"User not found"}', 'no match', 'not there', 'not there'],
      [200, '{"message":"User could not be removed"}', 'in doubt', 'refused', 'refused'],
      [200, '{"message":"Cannot remove the last admin"}', 'in doubt', 'refused', 'refused'],
      [200, '{"status":"denied"}', 'in doubt', 'refused', 'refused'],
      [200, '{"result":"failure"}', 'in doubt', 'refused', 'refused'],
      [200, '{"code":403,"message":"no"}', 'stop: key', 'refused by the project', 'refused by the project'],
      [200, '{"code":422,"message":"abn must have 11 digits"}', 'refused', 'refused', 'refused'],
    ],
  },
  {
    about: 'Both, not yet, or in words that nobody knows',
    answers: [
      [200, '{"success":true,"message":"User not found"}', 'no match', 'in doubt', 'in doubt'],
      [200, '{"success":true,"errors":["mail"]}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"ok":true,"status":"pending"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"Removal is scheduled"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"The user will be removed"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"0 users removed"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"User removed, but the seat is kept"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"Der Benutzer wurde nicht gefunden"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"message":"Der Benutzer wurde entfernt"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"info":"User not found"}', 'match', 'in doubt', 'in doubt'],
      [200, '{"user":{"error":"locked"}}', 'in doubt', 'in doubt', 'in doubt'],
    ],
  },
  {
    about: 'The key or the credits',
    answers: [
      [401, '{"message":"bad key"}', 'stop: key', 'stop: key', 'stop: key'],
      [402, '{"message":"no credits"}', 'stop: credits', 'stop: credits', 'stop: credits'],
      [200, '{"code":401,"message":"bad key"}', 'stop: key', 'stop: key', 'stop: key'],
      [200, '{"code":402}', 'stop: credits', 'stop: credits', 'stop: credits'],
      [200, '{"error":"Invalid API key"}', 'stop: key', 'stop: key', 'stop: key'],
      [200, '{"error":"Insufficient credits"}', 'stop: credits', 'stop: credits', 'stop: credits'],
    ],
  },
  {
    about: 'By the status',
    answers: [
      [400, '{"error":"bad"}', 'refused', 'refused', 'refused'],
      [400, '<html>Bad Request</html>', 'in doubt', 'in doubt', 'in doubt'],
      [403, '{"message":"Forbidden"}', 'stop: key', 'refused by the project', 'refused by the project'],
      [403, '<html>Forbidden</html>', 'stop: key', 'stop: key', 'stop: key'],
      [404, '<html>Not Found</html>', 'in doubt', 'in doubt', 'in doubt'],
      [404, '', 'in doubt', 'in doubt', 'in doubt'],
      [409, '{"message":"last admin"}', 'refused', 'refused', 'refused'],
      [422, '{"message":"abn must have 11 digits"}', 'refused', 'refused', 'refused'],
      [408, '{"error":"timed out"}', 'in doubt', 'in doubt', 'in doubt'],
      [500, '{"message":"oops"}', 'in doubt', 'in doubt', 'in doubt'],
      [200, '{"code":500,"message":"oops"}', 'in doubt', 'in doubt', 'in doubt'],
      [502, '<html>Bad Gateway</html>', 'in doubt', 'in doubt', 'in doubt'],
      [503, '{"message":"maintenance"}', 'in doubt', 'in doubt', 'in doubt'],
    ],
  },
];

/** An operation of which the answer has to hold an id, or which has a price. */
export type SpecialOperation = 'create-invite' | 'create-project' | 'api-call-change';

/** What answers mean to the invite of `jo@acme.com.au` as a viewer, to a new project, and to a paid change of `c-1`. */
export const SPECIAL_ANSWERS: readonly (readonly [SpecialOperation, number, string, OfChange])[] = [
  ['create-invite', 200, '{"invite_code":"IC-1"}', 'done'],
  ['create-invite', 200, '{"invite_code":"IC-1","status":"pending"}', 'done'],
  ['create-invite', 202, '{"invite_code":"IC-1"}', 'done'],
  ['create-invite', 200, '{"data":{"invite_code":"IC-1"}}', 'done'],
  ['create-invite', 200, '{"status":"ACCEPTED"}', 'done'],
  ['create-invite', 200, '{"success":true,"data":{}}', 'in doubt'],
  ['create-invite', 200, '{"status":"accepted"}', 'done'],
  ['create-invite', 200, '{"accepted":true}', 'done'],
  ['create-invite', 200, '{}', 'done'],
  ['create-invite', 200, '{"invite_code":"IC-1","error":"mail failed"}', 'in doubt'],
  ['create-invite', 200, '{"success":false,"invite_code":"IC-1"}', 'in doubt'],
  ['create-invite', 200, '{"invite_code":"IC-1","email":"al@acme.com.au"}', 'in doubt'],
  ['create-invite', 200, '{"ok":true}', 'in doubt'],
  ['create-invite', 200, '{"error":"already invited"}', 'in doubt'],
  ['create-invite', 200, '', 'in doubt'],
  ['create-invite', 200, '{"error":"Too many requests"}', 'wait'],
  ['create-project', 200, '{"project_id":"p-1"}', 'done'],
  ['create-project', 200, '{"project_id":"p-1","name":"Research"}', 'done'],
  ['create-project', 200, '{"project_id":"p-1","description":"Removed users go here"}', 'done'],
  ['create-project', 200, '{"project_id":"p-1","status":"error"}', 'in doubt'],
  ['create-project', 200, '{"project_id":"p-1","code":429}', 'in doubt'],
  ['create-project', 200, '{"name":"Research"}', 'in doubt'],
  ['api-call-change', 200, '{"applied":true}', 'done'],
  ['api-call-change', 200, '{"id":"c-1","status":"active"}', 'done, without a word'],
  ['api-call-change', 200, '{}', 'done, without a word'],
  ['api-call-change', 204, '', 'done, without a word'],
  ['api-call-change', 200, '{"success":false}', 'in doubt'],
  ['api-call-change', 200, '{"error":"no such contact"}', 'in doubt'],
  ['api-call-change', 200, '{"code":429}', 'wait'],
  ['api-call-change', 404, '{"error":"no such contact"}', 'not there'],
];
