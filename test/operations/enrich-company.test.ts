import { describe, expect, test } from 'vitest';
import type { RowInput } from '../../src/core/operation.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';
import { parametersAsked } from './asked.ts';

/**
 * Goal: a user knows from the documentation which lookups a row of companies leads to, and pays for no other.
 * Method: rows as they stand in real sheets; every lookup misses, so that all that would be asked is seen.
 */

const reasonOf = (row: RowInput) => {
  const prepared = enrichCompany.prepare(row, {});
  return prepared.kind === 'invalid' ? prepared.reason : undefined;
};

describe('the lookups of a row', () => {
  test('ABN, domain, profile URL, website: each alone, in this order', () => {
    const row = {
      website: 'https://shop.acme.example/',
      profile_url: 'au.linkedin.com/company/Acme/',
      domain: 'www.acme.org.au',
      abn: '51 824 753 556',
    };
    expect(parametersAsked(enrichCompany, row)).toEqual([
      { abn: '51824753556' },
      { domain: 'acme.org.au' },
      { profile_url: 'https://www.linkedin.com/company/acme' },
      { website: 'https://shop.acme.example' },
    ]);
  });

  test('a website gives the domain, and is not asked for once more', () => {
    expect(
      parametersAsked(enrichCompany, { abn: '51824753556', website: 'http://www.acme.org.au/about' }),
    ).toEqual([{ abn: '51824753556' }, { domain: 'acme.org.au' }]);
    expect(parametersAsked(enrichCompany, { website: 'info@acme.org.au' })).toEqual([
      { domain: 'acme.org.au' },
    ]);
  });

  test('a job that names them gets them', () => {
    const row = { abn: '51824753556', website: 'www.acme.org.au' };
    expect(parametersAsked(enrichCompany, row, ['website', 'abn+domain'])).toEqual([
      { website: 'https://www.acme.org.au' },
      { abn: '51824753556', domain: 'acme.org.au' },
    ]);
  });
});

describe('nothing is paid for', () => {
  test.each<readonly [RowInput, string]>([
    [{ abn: '51824753557', website: '' }, 'ABN 51 824 753 557: the checksum fails; website: blank'],
    [{ abn: '5.18E+10' }, 'ABN 5.18E+10: looks like a rounded number from a spreadsheet (5.18E+10)'],
    [
      { domain: 'gmail.com' },
      'domain gmail.com: gmail.com belongs to a mailbox provider, not to one company',
    ],
    [
      { website: 'facebook.com/acme' },
      'website facebook.com/acme: facebook.com hosts the pages of many companies',
    ],
  ])('when no identifier is usable: %j', (row, why) => {
    expect(reasonOf(row)).toBe(`no usable identifier: ${why}`);
  });
});
