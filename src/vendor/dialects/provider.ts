import type { Dialect } from '../dialect.ts';

/** Words by which vendors say that nobody was found. */
const NO_MATCH = 'no[ _-]?(match|result)(es|s)?|not[ _-]?found';

/** JSON of a list or an object without members. */
const EMPTY = String.raw`^(\[\]|\{\})$`;

/**
 * The data provider, called directly. Operations and fields are published; everything about answers is not, so the
 * rules below read the usual meaning of HTTP and treat what they cannot read as in doubt, never as free.
 */
const provider: Dialect = {
  name: 'provider',
  vendor: 'provider',
  // Not published: that the key may be used directly, and in this header.
  headers: { authorization: 'Bearer {key}', 'content-type': 'application/json', accept: 'application/json' },
  operations: {
    'enrich-company': {
      method: 'POST',
      path: '/enrich/company',
      credits: { most: 1, found: 1, exact: true },
    },
    // Published as "about 1 to 2": booked at 2, so that the shown cost is never less than the bill.
    'enrich-person': { method: 'POST', path: '/enrich/person', credits: { most: 2, found: 2 } },
    // Published only as varying with the volume of results. Assumed: a credit for each, at most 25 of them a page.
    'search-people': {
      method: 'POST',
      path: '/search/people',
      credits: { most: 25, found: 1, per_result: 1 },
      // It is not published where the list stands, and how the next page is requested.
      results: 'results',
      paging: { parameter: 'page', next: 'next_page' },
    },
    // The job states method, path and body. It also states the cost; without that a call costs 1.
    'api-call': { method: 'POST', path: '/', credits: { most: 1, found: 1 } },
    'api-call-change': {
      method: 'POST',
      path: '/',
      credits: { most: 1, found: 1 },
      // Answers of changes are not published: any whole one that names no error says that it was done.
      answers: [
        { status: ['2xx'], body: { path: 'code', matches: 'rate.?limit|too.?many' }, means: 'rate_limited' },
        { status: ['2xx'], body: { path: 'error', matches: 'rate.?limit|too many' }, means: 'rate_limited' },
        { status: ['2xx'], body: { path: 'error', matches: '\\S' }, means: 'in_doubt' },
        { status: ['2xx'], body: { path: 'success', equals: false }, means: 'in_doubt' },
        { status: ['2xx'], means: 'found' },
      ],
    },
  },
  answers: [
    { status: [429], means: 'rate_limited' },
    { status: [204], means: 'no_match' },
    { status: ['2xx'], body: { is: 'blank' }, means: 'in_doubt' },
    { status: ['2xx'], body: { is: 'unreadable' }, means: 'in_doubt' },
    { status: ['2xx'], body: { path: 'code', matches: 'rate.?limit|too.?many' }, means: 'rate_limited' },
    { status: ['2xx'], body: { path: 'error', matches: 'rate.?limit|too many' }, means: 'rate_limited' },
    { status: ['2xx'], body: { is: 'empty' }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'error', matches: NO_MATCH }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'message', matches: NO_MATCH }, means: 'no_match' },
    // An indication beside other words, such as the id of the request, which keep the body from being empty.
    { status: ['2xx'], body: { path: 'status', matches: `^(${NO_MATCH})$` }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'code', matches: `^(${NO_MATCH})$` }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'found', equals: false }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'matched', equals: false }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'data', equals: null }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'data', matches: EMPTY }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'result', equals: null }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'results', equals: null }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'results', matches: EMPTY }, means: 'no_match' },
    { status: ['2xx'], body: { path: 'error', matches: '\\S' }, means: 'in_doubt' },
    { status: ['2xx'], body: { path: 'success', equals: false }, means: 'in_doubt' },
    { status: ['2xx'], means: 'found' },
    { status: ['3xx'], means: 'wrong_address' },
    { status: [401, 403], means: 'key_dead' },
    { status: [402], means: 'credits_used_up' },
    { status: [407], means: 'wrong_address' },
    // Without readable JSON it is not the vendor's own word: a proxy may have sent it after the vendor had charged.
    { status: [404], body: { is: 'readable' }, means: 'no_match' },
    { status: [408, 425, 499], means: 'in_doubt' },
    { status: ['4xx'], body: { is: 'readable' }, means: 'refused' },
    { status: ['1xx', '4xx', '5xx'], means: 'in_doubt' },
  ],
  request_id: ['x-request-id', 'request-id', 'x-correlation-id'],
};

export default provider;
