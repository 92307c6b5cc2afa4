/**
 * Goal: in a list of which every second row is found, no other answer is taken for a find, nor one that is still to come for a miss,
 * and what is booked is what the vendor has charged.
 * Method: the real command before a vendor in another process, with a book of its own, which knows every second person or company and
 * answers to the others with one shape that was once misread.
 */
import { describe, expect, test } from 'vitest';
import { type ScriptedRequest, ScriptedVendor } from './scripted-vendor.ts';
import { domainsOf, Workplace } from './workplace.ts';

/** What came of the rows that are not found: `waits` are in doubt, or wait for a run that somebody has mended. */
type Outcome = 'no_match' | 'waits';

interface Shape {
  readonly about: string;
  readonly operation: 'enrich-person' | 'enrich-company';
  readonly says: readonly [status: number, body: object];
  readonly outcome: Outcome;
  readonly finds?: (asked: string) => object;
  readonly dialect?: object;
}

const PERSON = (asked: string) => ({ email: asked, name: `Jo ${asked}`, title: 'Head of Operations' });
const COMPANY = (asked: string) => ({ name: `The people of ${asked}`, employees: asked.length });

const SHAPES: readonly Shape[] = [
  {
    about: 'a word under `email_status` beside no address',
    operation: 'enrich-person',
    says: [200, { email: null, email_status: 'not_found' }],
    outcome: 'no_match',
  },
  {
    about: 'a blank address with a reason, and the company of the domain',
    operation: 'enrich-person',
    says: [
      200,
      {
        email: '',
        confidence: 'UNDETERMINED',
        company_name: 'Acme',
        failure_reason: 'Unable to determine it',
      },
    ],
    outcome: 'no_match',
  },
  {
    about: 'a sentence in a list, marked as an error',
    operation: 'enrich-person',
    says: [
      200,
      {
        content: [{ type: 'text', text: 'No contact information was found for this profile.' }],
        isError: true,
      },
    ],
    outcome: 'no_match',
  },
  {
    about: 'a register that does not answer',
    operation: 'enrich-company',
    says: [200, { valid: false, database: 'failure', country: 'LU', vat: '26375245', company_name: '' }],
    outcome: 'no_match',
  },
  {
    about: 'a 202 whose state is under a name of its own',
    operation: 'enrich-company',
    says: [202, { overview: { status: 'InProgress', name: 'Acme' } }],
    outcome: 'waits',
  },
  {
    about: 'a 201 that is pending',
    operation: 'enrich-company',
    says: [201, { id: 'b-17', name: 'Acme', status: 'pending', created: '2026-08-13', addresses: [] }],
    outcome: 'waits',
  },
  {
    about: 'an empty place beside work in progress',
    operation: 'enrich-person',
    says: [200, { enrichmentId: 'enr_1', enrichmentStatus: 'in-progress', data: {} }],
    outcome: 'waits',
  },
  {
    about: 'a flag that says that the vendor is searching',
    operation: 'enrich-person',
    says: [200, { name: 'Jo', company: { name: 'Acme' }, email: null, searching: true }],
    outcome: 'waits',
  },
  {
    about: 'an answer of another shape than that which `gives` is about',
    operation: 'enrich-company',
    says: [200, { profile: { headline: 'This is a card', theme: 'dark', color: 'blue' } }],
    outcome: 'waits',
    finds: (asked) => ({ data: { ...COMPANY(asked), website: `https://${asked}` } }),
    dialect: {
      vendor: 'provider',
      operations: { 'enrich-company': { gives: { name: 'data.name', employees: 'data.employees' } } },
    },
  },
];

const ROWS = 100;

function valueIn({ body }: ScriptedRequest): string {
  const { email, domain } = JSON.parse(body) as { email?: string; domain?: string };
  return email ?? domain ?? '';
}

describe.concurrent.each(SHAPES)('$about', ({ operation, says, outcome, finds, dialect }) => {
  test('is no find beside finds, and what is booked is what the vendor has charged', async () => {
    const isPerson = operation === 'enrich-person';
    const asked = domainsOf('row', ROWS).map((domain) => (isPerson ? `jo@${domain}` : domain));
    const known = new Set(asked.filter((_, at) => at % 2 === 0));
    const price = isPerson ? 2 : 1;
    const found = finds ?? (isPerson ? PERSON : COMPANY);
    let book = 0;
    await using vendor = await ScriptedVendor.start((request, response) => {
      const value = valueIn(request);
      const [status, body] = known.has(value) ? [200, found(value)] : says;
      if (known.has(value)) book += price;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    await using workplace = await Workplace.open();
    if (dialect !== undefined) workplace.writeDialect(dialect);
    workplace.writeAccount(vendor.url, dialect === undefined ? {} : { dialect: 'dialect.yaml' });
    workplace.writeList(asked, 'list.csv', isPerson ? 'Email' : 'Domain');
    const { report } = await workplace.run({ job: operation, more: ['--yes'] });
    const ofOthers = outcome === 'waits' ? ['in_doubt', 'pending'] : [outcome];
    const wrong = workplace
      .statuses()
      .filter((status, at) => !(at % 2 === 0 ? ['matched', 'pending'] : ofOthers).includes(status));
    expect(wrong).toEqual([]);
    expect(report?.credits.spent).toBe(book);
    if (outcome === 'no_match') expect(report?.counts).toMatchObject({ matched: 50, no_match: 50 });
  });
});
