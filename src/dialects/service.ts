import type { Dialect } from '../dialect.ts';

/**
 * The governance platform, as far as other vendors are reached through its "API Call" step. The inputs of that step are
 * published: account, method, endpoint, body. Its own HTTP request is not, nor is the shape of its answer, so all of
 * this is an assumption that a dialect file may correct.
 */
const service: Dialect = {
  name: 'service',
  vendor: 'service',
  headers: { authorization: 'Bearer :{key}', 'content-type': 'application/json', accept: 'application/json' },
  operations: {},
  answers: [],
  request_id: ['x-request-id', 'request-id', 'x-correlation-id'],
  api_call: {
    // The header of the published operation that needs no project.
    headers: {
      authorization: 'Bearer :{key}',
      'content-type': 'application/json',
      accept: 'application/json',
    },
    request: { account: 'account', method: 'method', endpoint: 'endpoint', body: 'body' },
    answer: { status: 'status', headers: 'headers', body: 'body' },
    answers: [
      { status: [429], means: 'rate_limited' },
      { status: [401, 403], means: 'key_dead' },
      { status: [402], means: 'credits_used_up' },
      // It is the step itself that is not there: what the vendor does not have comes inside of a 200.
      { status: ['3xx', 404, 405, 410], means: 'wrong_address' },
      { status: [408, 425, 499], means: 'in_doubt' },
      { status: ['4xx'], means: 'refused' },
      // A 2xx without an answer in it, and whatever broke behind the service: the vendor may have been asked.
      { status: ['1xx', '2xx', '5xx'], means: 'in_doubt' },
    ],
  },
};

export default service;
