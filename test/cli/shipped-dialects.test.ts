/**
 * Goal: a dialect that comes with Rowonce sends the request that its vendor documents, nobody is asked about it, and nothing shows or keeps a key
 * that stands in a query.
 * Method: the real command, an account that names the dialect by its word, and a vendor on a real socket that keeps what arrives.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deskBefore } from './desk.ts';

const KEY = '0f8e7d6c-key-of-data';

interface Documented {
  readonly dialect: string;
  readonly asked: readonly string[];
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const BEARER = { authorization: `Bearer ${KEY}` };

const DOCUMENTED: readonly Documented[] = [
  {
    dialect: 'abr',
    asked: ['enrich-company', 'abn=51824753556'],
    line: `GET /json/AbnDetails.aspx?callback=c&guid=${KEY}&abn=51824753556`,
    headers: {},
  },
  {
    dialect: 'companieshouse',
    asked: ['enrich-company', 'domain=acme.co.uk'],
    line: 'GET /search/companies?q=acme.co.uk',
    headers: { authorization: `Basic ${btoa(`${KEY}:`)}` },
  },
  {
    dialect: 'dropcontact',
    asked: ['enrich-person', 'email=mia.tran@acme.com.au'],
    line: 'POST /v1/enrich/all',
    headers: { 'x-access-token': KEY },
    body: { data: [{ email: 'mia.tran@acme.com.au' }], siren: true, language: 'en' },
  },
  {
    dialect: 'fullenrich',
    asked: ['enrich-person', 'profile_url=https://www.linkedin.com/in/mia-tran'],
    line: 'POST /api/v1/contact/enrich/bulk',
    headers: BEARER,
    body: {
      name: 'rowonce',
      datas: [
        {
          linkedin_url: 'https://www.linkedin.com/in/mia-tran',
          enrich_fields: ['contact.emails', 'contact.phones'],
        },
      ],
    },
  },
  {
    dialect: 'crustdata',
    asked: ['enrich-company', 'domain=acme.com.au'],
    line: 'POST /company/enrich',
    headers: { ...BEARER, 'x-api-version': '2025-11-01' },
    body: { domains: ['acme.com.au'] },
  },
  {
    dialect: 'crustdata',
    asked: ['enrich-person', 'email=mia.tran@acme.com.au'],
    line: 'POST /person/enrich',
    headers: { ...BEARER, 'x-api-version': '2025-11-01' },
    body: { business_emails: ['mia.tran@acme.com.au'] },
  },
  {
    dialect: 'hunter',
    asked: ['enrich-person', 'email=mia.tran@acme.com.au'],
    line: 'GET /v2/people/find?email=mia.tran%40acme.com.au',
    headers: { 'x-api-key': KEY },
  },
];

test.each(DOCUMENTED)('$dialect: $asked', async ({ dialect, asked: question, line, headers, body }) => {
  const { desk, asked } = await deskBefore(() => ({ name: 'Acme' }), { dialect, key: KEY });
  const words = ['try', ...question, '--account', 'data', '--yes'];
  const { stdout, stderr } = await desk.type(words);
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([line]);
  expect(asked[0]?.headers).toMatchObject(headers);
  const sent = asked[0]?.body ?? '';
  expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(body);
  expect(stdout + stderr).not.toContain(KEY);
  const files = readdirSync(desk.place.path('store'), { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile()))
    expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), `the key is in ${file.name}`).toBe(
      false,
    );
});

test('an answer in the form of a script, as the register of companies of Australia sends it, is read', async () => {
  const company = {
    Abn: '51824753556',
    AbnStatus: 'Active',
    EntityName: 'Australian Taxation Office',
    Message: '',
  };
  const { desk } = await deskBefore(() => `c(${JSON.stringify(company)})`, { dialect: 'abr', key: KEY });
  const words = ['try', 'enrich-company', 'abn=51824753556', '--account', 'data', '--yes'];
  const { stdout } = await desk.type(words);
  expect(stdout).toContain('Australian Taxation Office');
  expect(stdout).toMatch(/^Answer +found/m);
});
