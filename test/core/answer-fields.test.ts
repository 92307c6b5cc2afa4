import { describe, expect, test } from 'vitest';
import { FieldSurvey, missingWords, PathSearch, wholeFields } from '../../src/core/answer-fields.ts';
import type { JsonValue } from '../../src/core/operation.ts';

const fieldsOf = (answer: unknown): object => Object.fromEntries(wholeFields(answer as JsonValue));

describe('an answer is written whole', () => {
  test('a person with e-mails, phones, company and location', () => {
    expect(
      fieldsOf({
        full_name: 'Jo',
        emails: ['jo@a.example', 'j@b.example'],
        phones: ['+61 2 5550 0001', '0412 000 000'],
        company: { name: 'A', abn: '05182475355', tags: [] },
        location: null,
        social: {},
      }),
    ).toEqual({
      full_name: 'Jo',
      emails: 'jo@a.example; j@b.example',
      phones: '+61 2 5550 0001; 0412 000 000',
      'company.name': 'A',
      'company.abn': '05182475355',
      'company.tags': '',
      location: '',
      social: '',
    });
  });

  test('lists of objects are numbered, as a path names them, and those after the third are counted', () => {
    const jobs = ['CEO', 'CFO', 'Clerk', 'Intern', 'Temp'].map((title) => ({ title, at: { city: 'Perth' } }));
    expect(fieldsOf({ jobs: jobs.slice(0, 2), more: [jobs[0], 'odd', ['a', 'b'], null] })).toEqual({
      'jobs.0.title': 'CEO',
      'jobs.0.at.city': 'Perth',
      'jobs.1.title': 'CFO',
      'jobs.1.at.city': 'Perth',
      'more.0.title': 'CEO',
      'more.0.at.city': 'Perth',
      'more.1': 'odd',
      'more.2': 'a; b',
      'more.more': '1',
    });
    expect(fieldsOf({ jobs })).toMatchObject({ 'jobs.2.title': 'Clerk', 'jobs.more': '2' });
    expect(fieldsOf(jobs)).toMatchObject({ '0.title': 'CEO', more: '2' });
  });
});

describe('the fields of many answers', () => {
  const surveyOf = (...answers: readonly JsonValue[]): FieldSurvey => {
    const survey = new FieldSurvey();
    for (const answer of answers) survey.add(answer);
    return survey;
  };

  test('the fields of many answers come as they first appear; what some leave empty is told by its members alone', () => {
    const { names } = surveyOf(
      { name: 'A', location: null, emails: [], note: null },
      { location: { city: 'Perth' }, emails: [{ address: 'a@b.example' }] },
    );
    expect(names).toEqual(['name', 'note', 'location.city', 'emails.0.address']);
    expect(surveyOf({ at: 'Perth' }, { at: { city: 'Perth' } }).names).toEqual(['at', 'at.city']);
  });

  test('the fields of many answers are no more than a sheet can have, however many ids a vendor uses as names', () => {
    const survey = surveyOf(
      ...Array.from({ length: 50 }, (_, row) =>
        Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`id${row * 50 + at}`, at] as const)),
      ),
    );
    expect(survey.isCut).toBe(true);
    expect(survey.names).toHaveLength(1_000);
  });
});

describe('a path that is in no answer', () => {
  const searched = (path: string, ...answers: readonly JsonValue[]): readonly string[] => {
    const paths = new PathSearch([path]);
    for (const answer of answers) paths.look(answer);
    return paths.missing().map(missingWords);
  };
  const company = { legalName: 'A', location: { city: 'Perth' }, former: null };

  test('a path that is in no answer is said with the field that was probably meant', () => {
    expect(searched('legalNam', company, company, company)).toEqual([
      '`legalNam` is in none of 3 answers; did you mean `legalName`?',
    ]);
    expect(searched('location.cty', company)).toEqual([
      '`location.cty` is not in the one answer so far; did you mean `location.city`?',
    ]);
  });

  test('nothing is said of one that any answer has, also empty, nor before there is an answer', () => {
    expect(searched('location', {}, company)).toEqual([]);
    expect(searched('former', company)).toEqual([]);
    expect(searched('legalNam')).toEqual([]);
  });
});
