/**
 * Goal: one row is one search with all that it says.
 * Method: the operation itself, given the answers of a vendor.
 */
import { describe, expect, test } from 'vitest';
import { finding, together } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';
import type { Answer } from '../../src/core/operation.ts';
import searchPeople from '../../src/operations/search-people.ts';

const row = { company: ' Acme  Pty\tLtd ', position: 'CEO', seniority: ' ' };

function endOf(answer: Answer): unknown {
  const prepared = searchPeople.preparer({})(row);
  if (prepared.kind === 'invalid') throw new Error(sayAll(prepared.findings, 'file'));
  const step = searchPeople.next(prepared.input, () => answer);
  return step.kind === 'end' ? step.outcome : undefined;
}

const people = (count: number): Answer => ({
  kind: 'found',
  fields: {},
  results: Array.from({ length: count }, (_, at) => ({ name: `Jo ${at}` })),
});

describe('how a row ends', () => {
  const by = { kind: 'matched', matchedBy: 'company+position' };
  const none = { kind: 'no_match', findings: finding('nobody_found', { by: 'company+position' }) };

  test.each<[string, Answer, object]>([
    ['27 people', people(27), { ...by, findings: finding('people_found', { count: 27 }) }],
    ['one person', people(1), { ...by, findings: finding('people_found', { count: 1 }) }],
    [
      'an answer without a list',
      { kind: 'found', fields: { name: 'Jo' } },
      { ...by, findings: finding('no_list_in_answer', {}) },
    ],
    ['nobody', { kind: 'no_match' }, none],
    ['an empty list', people(0), none],
    [
      'a refusal',
      { kind: 'refused', findings: finding('answer', { status: 422 }) },
      { kind: 'refused', findings: finding('refused', { by: 'company+position', status: 422 }) },
    ],
  ])('%s', (_, answer, outcome) => {
    expect(endOf(answer)).toEqual(outcome);
  });
});

describe('a row', () => {
  test('a row that says nothing is invalid, also when the job has filters: it would be everybody', () => {
    expect(
      searchPeople.preparer({ settings: { filters: { country: 'Australia' } } })({ company: ' ' }),
    ).toEqual({
      kind: 'invalid',
      findings: together(finding('nothing_to_search_by', {}), finding('blank', { input: 'company' })),
    });
  });

  test('a row of a list with no published filter is asked for by those of the job, and is invalid where all it says is blank', () => {
    const settings = { filters: { state: '{{State}}', city: '{{City}}', country: 'Australia' } };
    expect(searchPeople.preparer({ settings })({ State: 'VIC', City: ' ' })).toMatchObject({
      input: { by: 'state', parameters: { state: 'VIC', country: 'Australia' } },
    });
    expect(searchPeople.preparer({ settings })({ State: ' ', City: '' })).toEqual({
      kind: 'invalid',
      findings: together(
        finding('nothing_to_search_by', {}),
        finding('blank', { input: 'State' }),
        finding('blank', { input: 'City' }),
      ),
    });
  });

  test('a row that says what the vendor has no field for is invalid: without it, it would be a larger search', () => {
    expect(searchPeople.preparer({ unaskable: ['position'] })(row)).toEqual({
      kind: 'invalid',
      findings: finding('unaskable', { input: 'position', cell: 'CEO' }),
    });
  });
});

test('a filter that would take the place of a column is refused', () => {
  expect(() => searchPeople.shapedBy?.({ filters: { company: 'Acme' } })).toThrow(
    expect.objectContaining({
      code: 'job',
      message: expect.stringContaining('company is taken from each row'),
    }),
  );
});
