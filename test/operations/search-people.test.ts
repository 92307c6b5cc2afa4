/**
 * Goal: one row is one search with all that it says, page by page and never a page more than the job wants, and what was
 * found is never lost to what comes after it.
 * Method: the operation itself, given the answers of a vendor page by page.
 */
import { describe, expect, test } from 'vitest';
import type { Answer, Call, JsonObject, JsonValue, Operation } from '../../src/core/operation.ts';
import searchPeople from '../../src/operations/search-people.ts';

const row = { company: ' Acme  Pty\tLtd ', position: 'CEO', seniority: ' ' };

interface Walked {
  readonly asked: readonly Call[];
  readonly end: unknown;
}

/** Answers the calls in turn until the row ends. */
function walk(answers: readonly Answer[], settings: JsonObject = {}, cells = row): Walked {
  const operation: Operation = searchPeople.shapedBy?.(settings) ?? searchPeople;
  const prepared = operation.prepare(cells, { settings });
  if (prepared.kind === 'invalid') throw new Error(prepared.reason);
  const asked: Call[] = [];
  for (;;) {
    const step = operation.next(prepared.input, (call) => {
      const at = asked.findIndex(({ parameters }) => parameters.page === call.parameters.page);
      return at === -1 ? undefined : answers[at];
    });
    if (step.kind === 'end') return { asked, end: step.outcome };
    asked.push(step.call);
  }
}

let met = 0;

/** A page of people who were never met before. */
function page(people: number, more?: JsonValue): Answer {
  met += people;
  const results = Array.from({ length: people }, (_, at) => ({ name: `Jo ${met - at}` }));
  return { kind: 'found', fields: {}, results, more };
}

const RESULTS = 'set its place in the dialect, under operations.search-people.results';

describe('how a row ends', () => {
  const by = { kind: 'matched', matchedBy: 'company+position' };

  test.each<[string, readonly Answer[], object]>([
    ['one page', [page(27)], { ...by, reason: '27 people' }],
    ['one person', [page(1)], { ...by, reason: '1 person' }],
    ['several pages', [page(25, 2), page(2)], { ...by, reason: '27 people' }],
    [
      'more than it wanted',
      [page(25, 2), page(25, 3)],
      { ...by, reason: '50 people; the vendor has more pages' },
    ],
    ['a later page that finds nothing', [page(25, 2), { kind: 'no_match' }], { ...by, reason: '25 people' }],
    [
      'a later page that is refused',
      [page(25, 2), { kind: 'refused', words: 'status 400' }],
      { ...by, reason: '25 people; page 2 was refused (status 400)' },
    ],
    [
      'an answer without a list',
      [{ kind: 'found', fields: { name: 'Jo' } }],
      { ...by, reason: `the answer has no list of people that can be found; ${RESULTS}` },
    ],
    [
      'a page whose list nobody knows',
      [page(25, 2), { kind: 'found', fields: {} }],
      {
        ...by,
        reason: `25 people; page 2 has no list of people that can be found; ${RESULTS}`,
      },
    ],
    ['nobody', [{ kind: 'no_match' }], { kind: 'no_match', reason: 'nobody found by company+position' }],
    ['an empty list', [page(0)], { kind: 'no_match', reason: 'nobody found by company+position' }],
    [
      'a refusal',
      [{ kind: 'refused', words: 'status 422' }],
      { kind: 'refused', reason: 'the vendor refused company+position (status 422)' },
    ],
  ])('%s', (_, answers, outcome) => {
    expect(walk(answers, { pages: 2 }).end).toEqual(outcome);
  });
});

describe('a row', () => {
  test('that says nothing is invalid, also when the job has filters: it would be everybody', () => {
    expect(
      searchPeople.prepare({ company: ' ' }, { settings: { filters: { country: 'Australia' } } }),
    ).toEqual({
      kind: 'invalid',
      reason: 'nothing to search by: company: blank',
    });
  });

  test('that has a published filter blank is invalid, whatever the filters of the job take from it', () => {
    const settings = { filters: { state: '{{State}}' } };
    expect(searchPeople.prepare({ company: ' ', State: 'VIC' }, { settings })).toMatchObject({
      reason: 'nothing to search by: company: blank',
    });
  });

  test('of a list with no published filter is asked for by those of the job, and is invalid where all it says is blank', () => {
    const settings = { filters: { state: '{{State}}', city: '{{City}}', country: 'Australia' } };
    expect(searchPeople.prepare({ State: 'VIC', City: ' ' }, { settings })).toMatchObject({
      input: { by: 'state', parameters: { state: 'VIC', country: 'Australia' } },
    });
    expect(searchPeople.prepare({ State: ' ', City: '' }, { settings })).toEqual({
      kind: 'invalid',
      reason: 'nothing to search by: State: blank; City: blank',
    });
  });

  test('of a list without a column is asked for by what the job says, and is invalid where that says nothing', () => {
    expect(searchPeople.prepare({}, { settings: { filters: { country: 'Australia' } } })).toMatchObject({
      input: { by: 'country', parameters: { country: 'Australia' } },
    });
    expect(searchPeople.prepare({}, {})).toEqual({
      kind: 'invalid',
      reason: 'nothing to search by: no column is chosen for a filter',
    });
  });

  test('that says what the vendor has no field for is invalid: without it, it would be a larger search', () => {
    expect(searchPeople.prepare(row, { unaskable: ['position'] })).toEqual({
      kind: 'invalid',
      reason: 'position: the vendor cannot look it up',
    });
  });
});

test.each([
  [{ company: 'Acme' }, 'company is taken from each row'],
  [{ page: 2 }, 'Rowonce asks for the pages of a search itself'],
])('filters that would take the place of something else are refused: %j', (filters, words) => {
  expect(() => searchPeople.shapedBy?.({ filters })).toThrow(
    expect.objectContaining({ code: 'job', message: expect.stringContaining(words) }),
  );
});
