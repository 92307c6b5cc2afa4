/**
 * Goal: what a job describes is sent for each row, and no cell can make anything else of it; a change is sent once.
 * Method: the operation as jobs shape it, rows of plain and of hostile text, and teams in which a change is known.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finding } from '../../src/core/finding.ts';
import { sayAll } from '../../src/core/finding-words.ts';
import type { Call, JsonObject, Operation, RowInput } from '../../src/core/operation.ts';
import apiCall from '../../src/operations/api-call.ts';

const BODY = {
  domain: '{{Domain}}',
  note: '{{ Name }} and {{Domain}}',
  list: [{ deep: '{{Name}}' }],
  n: 3,
  no: null,
};

const shaped = (settings: JsonObject): Operation => apiCall.shapedBy?.(settings) ?? apiCall;
const tagging = (more: JsonObject = {}): Operation => shaped({ endpoint: '/tags', body: BODY, ...more });

function firstCall(operation: Operation, row: RowInput, settings: JsonObject = {}): Call {
  const prepared = operation.preparer({ settings })(row);
  if (prepared.kind === 'invalid') throw new Error(sayAll(prepared.findings, 'file'));
  const step = operation.next(prepared.input, () => undefined);
  if (step.kind === 'end') throw new Error('nothing is sent');
  return step.call;
}

const bodyFor = (Domain: string, Name: string) => firstCall(tagging(), { Domain, Name }).parameters.body;

describe('a body', () => {
  test('a body holds whatever a cell says as that text and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (domain, name) => {
        fc.pre(domain.trim() !== '' && name.trim() !== '');
        const sent = JSON.parse(JSON.stringify(bodyFor(domain, name)));
        expect(sent).toEqual({
          domain,
          note: `${name} and ${domain}`,
          list: [{ deep: name }],
          n: 3,
          no: null,
        });
      }),
    );
  });

  test('a body of blank cells alone is not sent; one that is filled will do', () => {
    expect(tagging().preparer({})({ Domain: ' ', Name: '' })).toEqual({
      kind: 'invalid',
      findings: finding('nothing_to_send', { columns: ['Domain', 'Name'] }),
    });
    expect(tagging().preparer({})({ Domain: '', Name: 'Jo' }).kind).toBe('ready');
  });
});

describe('a blank cell', () => {
  const sparse = (body: JsonObject, row: RowInput): Call =>
    firstCall(shaped({ endpoint: '/x/{{Id}}', body }), { Id: '1', ...row });

  test('a blank cell is left out of what is sent, with the objects and lists in which nothing else stood', () => {
    const body = {
      name: '{{Name}}',
      tags: ['{{Tag}}', 'fixed'],
      only: { deep: ['{{Tag}}'] },
      note: 'Dear {{Name}}',
      both: '{{Name}} {{Id}}',
      own: '',
      none: {},
    };
    expect(sparse(body, { Name: ' ', Tag: '' }).parameters.body).toEqual({
      tags: ['fixed'],
      both: '  1',
      own: '',
      none: {},
    });
  });
});

describe('a cell in the path', () => {
  const people = shaped({ method: 'GET', endpoint: '/people/{{Id}}/tags?like={{Tag}}' });
  const endpointFor = (Id: string, Tag = 't'): string => {
    const prepared = people.preparer({})({ Id, Tag });
    return prepared.kind === 'invalid'
      ? `invalid: ${sayAll(prepared.findings, 'file')}`
      : String(firstCall(people, { Id, Tag }).parameters.endpoint);
  };

  test('a cell in the path is one encoded segment, or one value of the query', () => {
    expect(endpointFor(' a/b?c#d%é ', '..&x=1')).toBe('/people/a%2Fb%3Fc%23d%25%C3%A9/tags?like=..%26x%3D1');
    expect(people.inputs.map(({ name }) => name)).toEqual(['Id', 'Tag']);
  });

  test.each([
    ['', 'invalid: Id: blank'],
    [' ', 'invalid: Id: blank'],
    ['.', 'invalid: the path "/people/./tags?like=t" would lead elsewhere'],
    ['..', 'invalid: the path "/people/../tags?like=t" would lead elsewhere'],
    ['../admin', 'would lead elsewhere'],
    ['x\\..\\admin', 'would lead elsewhere'],
    ['%2e%2E', 'would lead elsewhere'],
    ['%2%65%2e', 'would lead elsewhere'],
    ['..;jsessionid=1', 'would lead elsewhere'],
    ['..?x', 'would lead elsewhere'],
    ['a\nb', 'has a line break'],
    ['\ud800', 'has a line break or another character'],
    ['#N/A', 'is an error of a formula'],
  ])('%j makes the row invalid, and nothing is sent', (cell, words) => {
    expect(endpointFor(cell)).toContain(words);
  });

  test('whatever it says, the request stays below the path of the job', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (id, tag) => {
        const endpoint = endpointFor(id, tag);
        if (endpoint.startsWith('invalid')) return;
        const { pathname, search, hash, origin } = new URL(endpoint, 'https://vendor.example');
        expect(pathname.split('/')).toHaveLength(4);
        expect(decodeURIComponent(pathname.split('/')[2] ?? '')).toBe(id.trim());
        expect(new URLSearchParams(search).get('like')).toBe(tag.trim());
        expect(origin + hash).toBe('https://vendor.example');
      }),
    );
  });
});

test('a read is a GET or a POST; a PUT, a PATCH or a DELETE is a change, and refused where the job says that it only reads', () => {
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    expect(shaped({ endpoint: '/x', method }).change, method).toBeDefined();
    expect(() => shaped({ endpoint: '/x', method, kind: 'read' })).toThrow(
      expect.objectContaining({
        code: 'job',
        message: `api-call: a read is a GET or a POST, and this job sends ${method}.`,
      }),
    );
  }
  for (const method of ['GET', 'POST'])
    expect(shaped({ endpoint: '/x', method, kind: 'read' }).change).toBeUndefined();
  expect(shaped({ endpoint: '/x' }).change).toBeUndefined();
});

describe('what the job says', () => {
  test.each<[JsonObject, string]>([
    [{}, 'api-call needs an `endpoint`'],
    [{ endpoint: 'tags' }, 'is not a path'],
    [{ endpoint: '//other.example/tags' }, 'is not a path'],
    [{ endpoint: '/companies/{{Domain}' }, 'is not closed by }}'],
    [{ endpoint: '/companies/%2{{Domain}}' }, 'half escape sequence'],
    [{ endpoint: '/../admin' }, 'must not have "." or ".."'],
    [{ endpoint: '/a/%2e%2E/{{Domain}}' }, 'must not have "." or ".."'],
    [{ endpoint: '/a/..;x/{{Domain}}' }, 'must not have "." or ".."'],
    [{ endpoint: 'https://other.example/tags' }, 'is not a path'],
    [{ endpoint: '/a', body: { x: '{{Domain}' } }, 'is not closed by }}'],
    [{ endpoint: '/a', body: { x: [{ '{{Domain}}': 1 }] } }, 'cannot be a placeholder'],
  ])('what the job says is refused before anything is read when it cannot be sent: %j', (settings, words) => {
    expect(() => shaped(settings)).toThrow(
      expect.objectContaining({ code: 'job', message: expect.stringContaining(words) }),
    );
  });
});
