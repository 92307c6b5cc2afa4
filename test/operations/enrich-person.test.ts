import { describe, expect, test } from 'vitest';
import type { RowInput } from '../../src/core/operation.ts';
import enrichPerson from '../../src/operations/enrich-person.ts';
import { callsAsked, parametersAsked } from './asked.ts';

/**
 * Goal: a user knows from the documentation which lookups a row of people leads to, and pays for no other.
 * Method: rows as they stand in real sheets; every lookup misses, so that all that would be asked is seen.
 */

describe('the lookups of a row', () => {
  test('e-mail, profile URL, profile slug: each alone, in this order', () => {
    const row = {
      profile_slug: 'flo-other',
      profile_url: 'linkedin.com/in/jo-citizen/',
      email: 'Jo@Acme.org.au',
    };
    expect(parametersAsked(enrichPerson, row)).toEqual([
      { email: 'jo@acme.org.au' },
      { profile_url: 'https://www.linkedin.com/in/jo-citizen' },
      { profile_slug: 'flo-other' },
    ]);
    expect(callsAsked(enrichPerson, row).map(({ operation, ifLost }) => [operation, ifLost])).toEqual([
      ['enrich-person', 'hold'],
      ['enrich-person', 'hold'],
      ['enrich-person', 'hold'],
    ]);
  });

  test('the slug of a profile URL is asked for only when the job names it, and not besides the URL', () => {
    const row = { profile_url: 'https://au.linkedin.com/in/Jo-Citizen?trk=x' };
    expect(parametersAsked(enrichPerson, row)).toEqual([
      { profile_url: 'https://www.linkedin.com/in/jo-citizen' },
    ]);
    expect(parametersAsked(enrichPerson, { ...row, profile_slug: 'jo-citizen' })).toEqual(
      parametersAsked(enrichPerson, row),
    );
    expect(parametersAsked(enrichPerson, row, ['profile_slug', 'profile_url'])).toEqual([
      { profile_slug: 'jo-citizen' },
    ]);
  });

  test('a bare slug in the column of URLs, and a URL in the column of slugs, are both taken as a slug', () => {
    expect(parametersAsked(enrichPerson, { profile_url: 'Jo-Citizen' })).toEqual([
      { profile_slug: 'jo-citizen' },
    ]);
    expect(
      parametersAsked(enrichPerson, { profile_slug: 'https://www.linkedin.com/in/jo-citizen/' }),
    ).toEqual([{ profile_slug: 'jo-citizen' }]);
  });

  test('a job that joins two sends both in one call', () => {
    expect(
      parametersAsked(enrichPerson, { email: 'jo@acme.org.au', profile_url: 'jo-citizen' }, [
        'email+profile_slug',
      ]),
    ).toEqual([{ email: 'jo@acme.org.au', profile_slug: 'jo-citizen' }]);
  });
});

test.each<readonly [RowInput, string]>([
  [
    { email: 'jo@acme.org.au, flo@acme.org.au' },
    'e-mail jo@acme.org.au, flo@acme.org.au: holds more than one e-mail address',
  ],
  [{ email: '', profile_url: '' }, 'e-mail: blank; profile URL: blank'],
  [
    { profile_url: 'https://linkedin.com/company/acme' },
    'profile URL https://linkedin.com/company/acme: is not the profile of a person on LinkedIn, which starts with /in/…',
  ],
])('nothing is paid for when no identifier is usable: %j', (row, why) => {
  expect(enrichPerson.prepare(row, {})).toEqual({ kind: 'invalid', reason: `no usable identifier: ${why}` });
});
