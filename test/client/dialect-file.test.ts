/**
 * Goal: a dialect file changes exactly what it names, and a wrong one is refused with its place before anything is sent,
 * so that no entry can lead to a request with a hole in it.
 * Method: files as a user would write them, over the built-in dialects, as text; real files where the path matters.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAccounts } from '../../src/client/account/account.ts';
import { dialectSchema } from '../../src/client/dialect/check.ts';
import { checkDialectFile } from '../../src/client/dialect/file.ts';
import { type Dialect, dialectOf, differencesOf } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import service from '../../src/client/dialects/service.ts';
import { StopError } from '../../src/core/errors.ts';
import { temporaryFolder } from '../ledger/stores/places.ts';

const merged = async (text: string, builtIn: Dialect = provider): Promise<Dialect> =>
  checkDialectFile(text, 'mine.yaml', builtIn);

describe('no path of a dialect leaves the address of the account', () => {
  const ANSWERS = 'answers: [{ status: [200], says: happened }]';
  test.each([
    '/../admin',
    '/a/%2e%2E/b',
    '/a/%252e./b',
    '/a/..;x/b',
    '/a/.%2509./b',
    '/%09/other.example/a',
    '/a\\\\..\\\\b',
    '//other.example/a',
    '/%2fother.example/a',
    'https://other.example/a',
    '/people/.{email}',
  ])('%s is refused with its place, for a call and for a question about one', async (path) => {
    const call = `operations: { enrich-person: { path: "${path}" } }`;
    await expect(merged(call)).rejects.toThrow('mine.yaml:1:38: operations.enrich-person.path: a path ');
    const question = `operations: { enrich-person: { read_back: { method: GET, path: "${path}", ${ANSWERS} } } }`;
    await expect(merged(question)).rejects.toThrow('enrich-person.read_back.path: a path ');
    await expect(merged(`usage: { method: GET, path: "${path}", credits: a }`)).rejects.toThrow('usage.path');
  });

  test('dots in a name, and a field that is a whole segment, are a path like any other', async () => {
    const only = 'fields: { profile_url: null, profile_slug: null }';
    for (const path of ['/v1.2/...x/{email}', '/.well-known/{email}', '/{email}.json?next=../x']) {
      const { operations } = await merged(`operations: { enrich-person: { path: "${path}", ${only} } }`);
      expect(operations['enrich-person']?.path).toBe(path);
    }
  });
});

describe('what a file changes', () => {
  test('one entry of one operation, and everything around it stays', async () => {
    const dialect = await merged('operations: { enrich-person: { credits: { most: 3 } } }');
    expect(dialect.operations['enrich-person']).toEqual({
      method: 'POST',
      path: '/enrich/person',
      credits: { most: 3, found: 2 },
    });
    expect(dialect.operations['enrich-company']).toEqual(provider.operations['enrich-company']);
    expect(dialect.answers).toEqual(provider.answers);
  });

  test('a header is replaced whatever the case of its name, added, or taken away by null', async () => {
    const { headers } = await merged(
      'headers: { Authorization: null, ACCEPT: text/json, User-Agent: Acme/2, X-Api-Key: "{key}" }',
    );
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'text/json',
      'user-agent': 'Acme/2',
      'x-api-key': '{key}',
    });
  });

  test('a field that the vendor does not have stays null, so that nobody is asked by it', async () => {
    const dialect = await merged(
      'operations: { enrich-company: { fields: { website: null, domain: fqdn } } }',
    );
    expect(dialect.operations['enrich-company']?.fields).toEqual({ website: null, domain: 'fqdn' });
  });
});

describe('what is refused, with line and column', () => {
  test.each<[text: string, fact: string, next?: string]>([
    ['anwsers: []', '1:1: "anwsers" is not known here', 'Did you mean answers?'],
    [
      'operations: { enrich-company: { fields: { domian: d } } }',
      '1:43: the operation has no parameter "domian"',
      'Did you mean domain?',
    ],
    [
      'answers:\n  - { status: [500], means: nomatch }',
      '2:29: answers[1].means cannot be "nomatch"',
      'Did you mean no_match?',
    ],
    [
      'answers: [{ status: [200], body: { matches: "(" }, means: found }]',
      '1:45: answers[1].body.matches: this is not a regular expression of RE2, missing closing ): "("',
      'Correct it; lookaround and back references are not supported.',
    ],
    [
      'answers: [{ status: [200], body: { matches: "(?:[a-z]{0,900}){1}!" }, means: found }]',
      '1:45: answers[1].body.matches: this regular expression has 1803 steps; the most is 256',
      'Write it with fewer alternatives and repeats, or as several rules.',
    ],
    ...['query.', '.abn', 'a..b', 'companies.1.abn', '0.abn'].map((field): [string, string, string?] => [
      `operations: { enrich-company: { fields: { abn: ${field} } } }`,
      '1:48: operations.enrich-company.fields.abn: a field is a name, or names with single dots between them for nested objects',
    ]),
    [
      'headers: { Content-Length: "5" }',
      '1:12: the name "Content-Length" cannot be used',
      'Choose another: this header is set by Rowonce itself.',
    ],
    ...['Host', 'content_length', 'Proxy-Authorization'].map((name): [string, string, string?] => [
      `idempotency: { header: ${name}, valid_for: 1d }`,
      '1:24: idempotency.header: this header is set by Rowonce itself',
    ]),
    [
      'operations: { enrich-company: { credits: { found: 4 } } }',
      '1:51: a successful answer is booked at 4 credits, and only 1 are reserved for it',
      'Write most: 4, or more.',
    ],
    [
      'headers: { authorization: "Token {keey}" }',
      '1:27: {keey} has no meaning in a header here',
      'Did you mean key?',
    ],
    ['auth: { basic: [user, kei] }', '1:16: "kei" is neither the key nor a slot', 'Did you mean key?'],
    [
      'auth: { basic: [key] }\nheaders: { Authorization: "Bearer {key}" }',
      '2:10: `auth` says the same',
      'Keep one of them.',
    ],
    [
      'operations: { enrich-company: { timeout: 500ms } }',
      '1:42: operations.enrich-company.timeout: write a timeout as 30s or 2m, from 1s to 1h',
    ],
    [
      'operations: { enrich-person: { path: "/people/{email}" } }',
      '1:38: the path has {email}, which a call by profile_url does not have',
      'Remove {email} from the path, or write null for every other field.',
    ],
    [
      'operations:\n  enrich-company:\n    read_back:\n      method: GET\n      path: "/charges/{idempotency_key}"\n      answers: [{ status: [200], says: happened }]',
      '5:13: the read-back asks by {idempotency_key}, but no request has one',
      'Add idempotency: { header: …, valid_for: … }.',
    ],
    [
      'headers: { Content-Type: application/x-www-form-urlencoded }',
      '1:10: a body is sent as JSON, and not as "application/x-www-form-urlencoded"',
      'Leave it out. A vendor that takes only forms cannot be asked.',
    ],
    [
      'operations:\n  enrich-company:\n    fields:\n      domain: domains[]',
      '4:15: operations.enrich-company.fields.domain: a list is written with .0 in the place of [], and stands in a JSON body alone',
    ],
    [
      'vendor: service',
      "1:9: this dialect is for a service, but the account's vendor is a provider",
      'Give the account another dialect.',
    ],
  ])('%s: %s', async (text, fact, next = 'Correct it.') => {
    const error = await merged(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StopError);
    expect(error).toMatchObject({ code: 'account', message: `mine.yaml:${fact}`, next });
  });
});

test('a name that the step of a service or the pages of a list have otherwise is a difference', async () => {
  const list = `list_users: { ${LIST}, path: "/{project_id}/users", next_page: { next: a, parameter: p } }`;
  const dialect = await merged(`api_call: { request: { endpoint: target } }\n${list}`, service);
  expect(differencesOf(dialect, service)?.words).toEqual(
    expect.arrayContaining([
      'list_users.next_page.parameter: "p", which is not built in',
      'api_call.request.endpoint: "target" instead of "endpoint"',
    ]),
  );
});

const LIST = 'method: GET, items: users, email: email';

describe('what is refused of a service, with line and column', () => {
  test.each<[text: string, fact: string, next?: string]>([
    [
      `list_users: { ${LIST}, path: /users }`,
      '1:1: neither the path nor a header of list_users has {project_id}, so it could be the list of any project',
      'Put {project_id} into one of them.',
    ],
    [
      'operations: { create-project: { fields: { description: null } } }',
      '1:56: every create-project has description, so the vendor needs a field for it',
      'Name the field.',
    ],
    [
      'operations: { remove-user: { path: "/{project_id}/{user_id}" } }',
      '1:36: the path has {project_id}, but no call has such a field',
      'Use one of these: user_id.',
    ],
    [
      'operations: { remove-user: { headers: { authorization: "Bearer {key}" } } }',
      '1:39: no header of remove-user has {project_id}, so the service would not know which project is meant',
      'Put {project_id} into a header, such as authorization: Bearer {project_id}:{key}.',
    ],
  ])('%s: %s', async (text, fact, next = 'Correct it.') => {
    const error = await merged(text, service).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'account', message: `mine.yaml:${fact}`, next });
  });
});

test.each([provider, service])('the built-in dialect $name is one that a file could say', (builtIn) => {
  expect(dialectSchema.parse(builtIn)).toEqual(builtIn);
});

describe("an account's dialect", () => {
  async function dialectFor(entries: string, dialect: string): Promise<Dialect> {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'mine.yaml'), dialect);
    await writeFile(join(folder, 'accounts.yaml'), `accounts:\n${entries}`, { mode: 0o600 });
    const [account] = (await loadAccounts(join(folder, 'accounts.yaml'))).configured;
    if (account === undefined) throw new Error('no account was read');
    return dialectOf(account);
  }
  const DATA = '  data: { vendor: provider, base_url: https://a.example, key: k, dialect: ./mine.yaml }\n';

  test('an account’s dialect with a header that this account cannot fill is refused, and not sent with a hole in it', async () => {
    await expect(dialectFor(DATA, 'headers: { x-org: "{organization_id}" }')).rejects.toMatchObject({
      code: 'account',
      message: 'The dialect mine has a header with {organization_id}, and the account data has none.',
    });
  });

  test.each([
    'then: { id: data.0.id, path: /collect, headers: { x-org: "{organization_id}" }, credits: { most: 1 } }',
    'later: { id: job, path: "/jobs/{id}", headers: { x-org: "{organization_id}" }, every: 1s, gives_up: 1h }',
  ])('so is one whose second request has it: %s', async (second) => {
    const dialect = `operations: { enrich-person: { ${second} } }`;
    await expect(dialectFor(DATA, dialect)).rejects.toMatchObject({
      message: 'The dialect mine has a header with {organization_id}, and the account data has none.',
    });
  });

  test('an account’s dialect through a service has its envelope, and nothing that a header would have to carry', async () => {
    const entries = `  data: { vendor: provider, via: space, connected_account: acme, api_call_url: "https://s.example/call", dialect: ./mine.yaml }
  space: { vendor: service, base_url: https://s.example, key: k }
`;
    const readBack = (path: string) =>
      `read_back: { method: GET, path: "${path}", answers: [{ status: [200], says: happened }] }`;
    const dialect = await dialectFor(
      entries,
      `idempotency: { header: idempotency-key, valid_for: 24h }
operations:
  enrich-company: { ${readBack('/charges/{idempotency_key}')} }
  enrich-person: { ${readBack('/charges')} }
`,
    );
    expect(dialect.through).toEqual({ envelope: service.api_call, connectedAccount: 'acme' });
    expect(dialect.idempotency).toBeUndefined();
    expect(dialect.operations['enrich-company']?.read_back).toBeUndefined();
    expect(dialect.operations['enrich-person']?.read_back?.path).toBe('/charges');
  });
});
