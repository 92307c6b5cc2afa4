import { version } from '../../core/families.ts';
import type { AnswerRule, Dialect } from '../dialect.ts';
import { COMMON_WORDS, NO_RIGHT } from '../usual-words.ts';

/** Only the data provider charges credits. */
const NO_CREDITS = { most: 0, found: 0 };

const COMMON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'user-agent': `rowonce/${version()}`,
};

/** Published: the key's project stands before the key, and one operation omits the word "Bearer". */
const PROJECT_BEARER = { authorization: 'Bearer {project_id}:{key}' };
const PROJECT_PLAIN = { authorization: '{project_id}:{key}' };
const NO_PROJECT_BEARER = { authorization: 'Bearer :{key}' };

/**
 * A person who is already in the organization is in the project at once, and there is no invite with a code.
 * How the service says so is not published. These shapes occur, and each of them counts.
 */
const ACCEPTED_AT_ONCE = [
  { path: 'status', matches: '^accepted$' },
  { path: 'accepted', equals: true },
  { matches: '^\\{\\}$' },
];

/**
 * A repeat finds nothing if the lost first request has deleted the invite or user. Only the service itself
 * can say so.
 */
const GONE_ALREADY: AnswerRule[] = [{ status: [404], body: { is: 'readable' }, means: 'found' }];

/**
 * The governance platform. Published are the paths, the Authorization headers and the bodies, which differ
 * from operation to operation. In the answers only the ids are published, so the rules below read the usual
 * meaning of HTTP. Other vendors are reached through its "API Call" step. The inputs of the step are
 * published; its own HTTP request and the shape of its answer are not, and a dialect file may correct all of
 * that.
 */
const service: Dialect = {
  name: 'service',
  vendor: 'service',
  headers: { ...NO_PROJECT_BEARER, ...COMMON_HEADERS },
  operations: {
    'create-project': {
      method: 'POST',
      path: '/latest/projects/create',
      headers: NO_PROJECT_BEARER,
      credits: NO_CREDITS,
      answer_fields: { project_id: 'project_id' },
    },
    'create-invite': {
      method: 'POST',
      path: '/latest/auth/invite/create',
      headers: PROJECT_BEARER,
      credits: NO_CREDITS,
      // The user id of a person who is in the project at once is not published. Where an answer has it, an
      // undo can use it to remove the person.
      answer_fields: { invite_code: 'invite_code', user_id: 'user_id' },
      accepted: ACCEPTED_AT_ONCE,
    },
    'update-user': {
      method: 'POST',
      path: '/latest/auth/users/{user_id}/update',
      headers: PROJECT_PLAIN,
      credits: NO_CREDITS,
    },
    'delete-invite': {
      method: 'POST',
      path: '/latest/auth/invite/delete',
      headers: PROJECT_BEARER,
      credits: NO_CREDITS,
      repeated: GONE_ALREADY,
    },
    'remove-user': {
      method: 'POST',
      path: '/latest/auth/users/{user_id}/delete',
      headers: PROJECT_BEARER,
      credits: NO_CREDITS,
      repeated: GONE_ALREADY,
    },
  },
  answers: [],
  // A service has no credits, so a quota is a quota of requests.
  words: {
    ...COMMON_WORDS,
    project_refused: NO_RIGHT,
    credits: ['credit*', 'balance', 'funds'],
    rate_limited: [...COMMON_WORDS.rate_limited, 'quota*', 'request rate*'],
  },
  permissions: { item: 'serviceDefault', viewer: 'role:viewer', editor: 'role:editor', admin: 'admin' },
  request_id: ['x-request-id', 'request-id', 'x-correlation-id'],
  api_call: {
    // Headers of the published operation that needs no project.
    headers: { ...NO_PROJECT_BEARER, ...COMMON_HEADERS },
    request: { account: 'account', method: 'method', endpoint: 'endpoint', body: 'body' },
    answer: { status: 'status', headers: 'headers', body: 'body' },
    answers: [],
  },
};

export default service;
