/**
 * Goal: whatever way a vendor has of saying that there are more pages, the next one is asked for by its own parameter and
 * by nothing else, and the last page is known as the last.
 * Method: bodies as vendors send them, for each way of paging that a dialect may have.
 */
import { describe, expect, test } from 'vitest';
import type { DialectOperation } from '../../../src/client/dialect.ts';
import type { Call, JsonValue } from '../../../src/core/operation.ts';
import { nextPage } from '../../../src/plan/row-walk/in-dialect.ts';

type Paging = NonNullable<DialectOperation['paging']>;

const people = (count: number): readonly JsonValue[] =>
  Array.from({ length: count }, (_, at) => ({ name: `Jo ${at}` }));

function nextAfter(
  paging: Paging,
  { body = {}, found = 25, page }: { body?: JsonValue; found?: number; page?: JsonValue },
): object {
  const call: Call = {
    operation: 'search-people',
    parameters: page === undefined ? {} : { page },
    ifLost: 'hold',
  };
  const results = people(found);
  return nextPage(call, paging, { body, results });
}

describe('a value that the answer names', () => {
  const paging: Paging = { parameter: 'cursor', next: 'meta.next' };

  test.each<[JsonValue]>([
    ['Y3Vyc29yPQ=='],
    ['/9j/4AAQ'],
    ['b?a=1'],
    [3],
    [[1700000000, 'id-9']],
    [{ after: 'x' }],
  ])('%j is sent as it is', (next) => {
    expect(nextAfter(paging, { body: { meta: { next } } })).toEqual({ more: next });
  });

  test.each<[JsonValue]>([[null], [''], [' '], [false], [0], [[]], [{}]])(
    '%j is that of the last page',
    (next) => {
      expect(nextAfter(paging, { body: { meta: { next } } })).toEqual({});
    },
  );

  test.each([['has_more'], ['hasMore'], ['has_next_page']])('is of no use where %s is false', (flag) => {
    for (const body of [
      { [flag]: false },
      { pagination: { [flag]: false } },
      { meta: { [flag]: false, next: 'b' } },
    ])
      expect(nextAfter(paging, { body: { meta: { next: 'b' }, ...body } })).toEqual({});
    expect(nextAfter(paging, { body: { meta: { next: 'b' }, [flag]: true } })).toEqual({ more: 'b' });
  });
});

describe('an address', () => {
  const paging: Paging = { parameter: 'page', next: 'links.next' };

  test.each<[string, JsonValue]>([
    ['https://api.example/people?page=2&size=25', 2],
    ['https://elsewhere.example/else?page=b%2Fc#top', 'b/c'],
    ['/v2/people?company=Acme&page=03', '03'],
    ['?page=12345678901234567890', '12345678901234567890'],
    ['../people?page=x', 'x'],
  ])('%s gives what is asked for: %j', (next, more) => {
    expect(nextAfter(paging, { body: { links: { next } } })).toEqual({ more });
  });

  test.each([['https://api.example/people?cursor=b'], ['https://api.example/people/2'], ['/people?page=']])(
    '%s is not asked for, and why is said',
    (next) => {
      const whyNoMore = `the next page is named by the address ${next}, which has no "page"`;
      expect(nextAfter(paging, { body: { links: { next } } })).toEqual({ whyNoMore });
    },
  );
});

describe('results that are counted', () => {
  const bare: Paging = { parameter: 'skip', offset: 0 };
  const sized: Paging = { ...bare, size: { parameter: 'limit', results: 25 } };

  test('go on where the last page stopped, whatever number of them was asked for', () => {
    expect(nextAfter(bare, { found: 25 })).toEqual({ more: 25 });
    expect(nextAfter(sized, { found: 25, page: 25 })).toEqual({ more: 50 });
    expect(nextAfter(sized, { found: 30, page: 25 })).toEqual({ more: 55 });
    expect(nextAfter({ ...bare, offset: 1 }, { found: 10 })).toEqual({ more: 11 });
  });

  test('end at a page that is empty, or not full, unless the vendor says that there are more', () => {
    expect(nextAfter(bare, { found: 0, page: 25 })).toEqual({});
    expect(nextAfter(bare, { found: 3 })).toEqual({ more: 3 });
    expect(nextAfter(sized, { found: 24 })).toEqual({});
    expect(nextAfter(sized, { found: 10, body: { has_more: true } })).toEqual({ more: 10 });
    expect(nextAfter(sized, { found: 25, body: { has_more: false } })).toEqual({});
  });
});

test('pages that are counted end at one that is not full, where the dialect says how many results it asks for', () => {
  const paging: Paging = { parameter: 'p', from: 1, size: { parameter: 'per_page', results: 25 } };
  expect(nextAfter(paging, { found: 25 })).toEqual({ more: 2 });
  expect(nextAfter(paging, { found: 25, page: 2 })).toEqual({ more: 3 });
  expect(nextAfter(paging, { found: 7, page: 3 })).toEqual({});
});
