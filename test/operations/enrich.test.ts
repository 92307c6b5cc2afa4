import { describe, expect, test } from 'vitest';
import { callKeyOf } from '../../src/core/call-key.ts';
import { finding, together } from '../../src/core/finding.ts';
import type { Findings } from '../../src/core/findings.ts';
import type { Call, Operation, RowInput } from '../../src/core/operation.ts';
import enrichCompany from '../../src/operations/enrich-company.ts';
import enrichPerson from '../../src/operations/enrich-person.ts';

/**
 * Goal: a user knows from the documentation which lookups a row of companies or people leads to, and pays for no other.
 * Method: rows as they stand in real sheets; every lookup misses, so that all that would be asked is seen.
 */

/** Every call that a row would lead to if nothing were ever found, in order. */
function callsAsked(operation: Operation, row: RowInput): readonly Call[] {
  const prepared = operation.preparer({})(row);
  const asked: Call[] = [];
  for (;;) {
    if (prepared.kind === 'invalid') return asked;
    const isAsked = (call: Call) => asked.some((each) => callKeyOf('a', each) === callKeyOf('a', call));
    const step = operation.next(prepared.input, (call) => (isAsked(call) ? { kind: 'no_match' } : undefined));
    if (step.kind === 'end') return asked;
    asked.push(step.call);
  }
}

/** What those calls send. */
const parametersAsked = (operation: Operation, row: RowInput) =>
  callsAsked(operation, row).map(({ parameters }) => parameters);

describe('the lookups of a company', () => {
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
    const row = { abn: '51824753556', website: 'http://www.acme.org.au/about' };
    expect(parametersAsked(enrichCompany, row)).toEqual([{ abn: '51824753556' }, { domain: 'acme.org.au' }]);
    expect(parametersAsked(enrichCompany, { website: 'info@acme.org.au' })).toEqual([
      { domain: 'acme.org.au' },
    ]);
  });
});

describe('the lookups of a person', () => {
  test('e-mail, profile URL, profile slug: each alone, in this order, and never again by themselves', () => {
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
    expect(callsAsked(enrichPerson, row).map(({ ifLost }) => ifLost)).toEqual(['hold', 'hold', 'hold']);
  });
});

test.each<readonly [typeof enrichPerson, RowInput, Findings]>([
  [
    enrichCompany,
    { abn: '51824753557', website: '' },
    together(
      finding('checksum_fails', { input: 'abn', cell: '51 824 753 557' }),
      finding('blank', { input: 'website' }),
    ),
  ],
  [
    enrichCompany,
    { domain: 'gmail.com' },
    finding('mailbox_host', { input: 'domain', cell: 'gmail.com', about: 'gmail.com' }),
  ],
  [
    enrichPerson,
    { email: '', profile_url: '' },
    together(finding('blank', { input: 'email' }), finding('blank', { input: 'profile_url' })),
  ],
])('nothing is paid for when no identifier is usable: %o', ({ preparer }, row, why) => {
  const findings = together(finding('nothing_usable', {}), why);
  expect(preparer({})(row)).toMatchObject({ kind: 'invalid', findings });
});
