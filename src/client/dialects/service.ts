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
 * A person who is in the organization already is in the project at once, and there is no invite with a code. How the
 * service says so is not published; these shapes occur, and each of them counts.
 */
const ACCEPTED_AT_ONCE = [
  { path: 'status', matches: '^accepted$' },
  { path: 'accepted', equals: true },
  { matches: '^\\{\\}$' },
];

/** A repeat finds nothing if the lost first request has deleted it; only the service itself can say so. */
const GONE_ALREADY: AnswerRule[] = [{ status: [404], body: { is: 'readable' }, means: 'found' }];

/**
 * The governance platform. Paths, Authorization headers and bodies are published, and differ from operation to operation;
 * of the answers only the ids are, so the rules below read the usual meaning of HTTP. Of its "API Call" step, through
 * which other vendors are reached, the inputs are published, its own HTTP request and the shape of its answer are not: a
 * dialect file may correct all of that.
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
      // The user id of a person who is in the project at once is not published. Where it comes, an undo can remove them by it.
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
  answers: [
    { status: [429], means: 'rate_limited' },
    { status: ['2xx', '4xx', '5xx'], means: 'as_stated' },
    { status: [420], body: { is: 'readable' }, means: 'rate_limited' },
    { status: ['3xx'], means: 'wrong_address' },
    { status: [401], means: 'key_dead' },
    { status: [402], means: 'credits_used_up' },
    { status: [407], means: 'wrong_address' },
    // Without readable JSON it is not the service's own word, and no row may end because of it.
    { status: [403], body: { is: 'readable' }, means: 'project_refused' },
    { status: [403], means: 'key_dead' },
    { status: [404], body: { is: 'readable' }, means: 'no_match' },
    { status: [408, 425, 499], means: 'in_doubt' },
    { status: ['4xx'], body: { is: 'readable' }, means: 'refused' },
    { status: ['1xx', '4xx', '5xx'], means: 'in_doubt' },
  ],
  words: { ...COMMON_WORDS, project_refused: NO_RIGHT },
  permissions: { item: 'serviceDefault', viewer: 'role:viewer', editor: 'role:editor', admin: 'admin' },
  request_id: ['x-request-id', 'request-id', 'x-correlation-id'],
  api_call: {
    // Headers of the published operation that needs no project.
    headers: { ...NO_PROJECT_BEARER, ...COMMON_HEADERS },
    request: { account: 'account', method: 'method', endpoint: 'endpoint', body: 'body' },
    answer: { status: 'status', headers: 'headers', body: 'body' },
    answers: [
      { status: [429], means: 'rate_limited' },
      { status: ['2xx', '4xx', '5xx'], means: 'as_stated' },
      { status: [401, 403], means: 'key_dead' },
      { status: [402], means: 'credits_used_up' },
      // The step itself does not exist: when the vendor lacks something, that comes inside of a 200.
      { status: ['3xx', 404, 405, 407, 410], means: 'wrong_address' },
      { status: [408, 425, 499], means: 'in_doubt' },
      { status: ['4xx'], body: { is: 'readable' }, means: 'refused' },
      // A 2xx without an answer in it, a proxy's word, and whatever broke behind: the vendor may have been asked.
      { status: ['1xx', '2xx', '4xx', '5xx'], means: 'in_doubt' },
    ],
  },
};

export default service;
