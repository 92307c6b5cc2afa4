import { version } from '../../core/families.ts';
import type { Dialect } from '../dialect.ts';
import { COMMON_WORDS, NO_RIGHT } from '../usual-words.ts';

/**
 * The data provider, called directly. Operations and fields are published; everything about answers is not.
 * So the rules below read the usual meaning of HTTP. An answer that they cannot read is in doubt, never free.
 */
const provider: Dialect = {
  name: 'provider',
  vendor: 'provider',
  // Two things are not published: that the key may be used directly, and that it stands in this header.
  headers: {
    authorization: 'Bearer {key}',
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': `rowonce/${version()}`,
  },
  operations: {
    'enrich-company': {
      method: 'POST',
      path: '/enrich/company',
      credits: { most: 1, found: 1, exact: true },
    },
    // The price is published as "about 1 to 2". It is booked at 2, so that the shown cost is never less than
    // the bill.
    'enrich-person': { method: 'POST', path: '/enrich/person', credits: { most: 2, found: 2 } },
    // The price is published only as varying with the volume of results. Assumed: a credit for each result,
    // at most 25 results a search.
    'search-people': {
      method: 'POST',
      path: '/search/people',
      credits: { most: 25, found: 1, per_result: 1 },
      // The place of the list is not published.
      results: 'results',
    },
    // The job states method, path and body. It also states the cost; without that, a call costs 1.
    'api-call': { method: 'POST', path: '/', credits: { most: 1, found: 1 } },
    'api-call-change': { method: 'POST', path: '/', credits: { most: 1, found: 1 } },
  },
  answers: [],
  words: { ...COMMON_WORDS, key_dead: [...COMMON_WORDS.key_dead, ...NO_RIGHT] },
  request_id: ['x-request-id', 'request-id', 'x-correlation-id'],
};

export default provider;
