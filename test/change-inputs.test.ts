/**
 * Goal: what stands in a cell of a team's sheet is either understood or said to be wrong; it never turns a request into
 * another one, and never makes somebody more than the sheet says.
 * Method: cells as people write them, the ones that do harm, and arbitrary ones, up to the request that would leave.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deleteInvite, updateUser } from '../src/change-calls.ts';
import { checkedProjectId, readRole, readText, readUserId } from '../src/change-inputs.ts';
import service from '../src/dialects/service.ts';
import { requestOf } from '../src/request.ts';

const VALUES = { key: 'k', project_id: 'p', organization_id: 'o' };
const subject = { project: 'proj-1', name: 'jo@x.org' };

describe('a role', () => {
  test.each([
    ['viewer', 'viewer'],
    [' Editor ', 'editor'],
    ['ADMIN', 'admin'],
    ['role:viewer', 'viewer'],
    ['Role:Editor', 'editor'],
  ])('%j is %s', (cell, value) => {
    expect(readRole(cell)).toEqual({ kind: 'read', value });
  });

  test.each([
    ['', 'role: blank'],
    ['admn', 'role "admn" is not known. Did you mean admin?'],
    ['role:admin', 'role "role:admin" is not known. Did you mean admin?'],
    ['viewer, editor', /^role "viewer, editor" is not known\./],
    ['none', 'role "none" is not known. People are removed by remove-user or `remove_missing`.'],
    ['owner\u001b[31m', /^role "owner" is not known\. Known are: viewer, editor, admin\.$/],
  ])('%j is wrong', (cell, problem) => {
    expect(readRole(cell)).toMatchObject({ kind: 'wrong', problem: expect.stringMatching(problem) });
  });
});

describe('a user id', () => {
  test.each(['.', '..', ' .. ', 'a/b', '/', 'a\\b', '../admin'])(
    '%j cannot be part of an address',
    (cell) => {
      expect(readUserId(cell)).toEqual({
        kind: 'wrong',
        problem: `user_id "${cell.trim()}" cannot be part of an address`,
      });
    },
  );

  test.each(['a\nb', 'a\u0000b', '\u007f', 'a\ud800'])('%j holds what cannot be sent', (cell) => {
    expect(readUserId(cell)).toMatchObject({
      kind: 'wrong',
      problem: expect.stringMatching(/character that cannot be sent$/),
    });
  });

  test('that is taken is one segment of the address, whatever it is', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('.', '/', '%2e', 'a') })),
        (cell) => {
          const id = readUserId(cell);
          if (id.kind === 'wrong') return;
          taken += 1;
          const { path } = requestOf(
            service,
            '',
            updateUser({ subject, sequence: 0 }, id.value, 'viewer'),
            VALUES,
          );
          const segments = new URL(path, 'https://service.example').pathname.split('/');
          expect(segments).toHaveLength(6);
          expect(decodeURIComponent(segments[4] ?? '')).toBe(id.value);
        },
      ),
    );
    expect(taken).toBeGreaterThan(0);
  });
});

test('a project id that is taken stands in the header as it is, in front of the only colon', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (cell) => {
      const id = checkedProjectId('project_id', cell);
      if (id.kind === 'wrong') return;
      taken += 1;
      const call = deleteInvite({ subject: { ...subject, project: id.value }, sequence: 0 }, 'c', 'gone');
      const { authorization = '' } = requestOf(service, '', call, VALUES).headers;
      expect(new Headers({ authorization }).get('authorization')).toBe(`Bearer ${id.value}:k`);
      expect(authorization.split(':')).toHaveLength(2);
    }),
  );
  expect(taken).toBeGreaterThan(0);
});

test('a long cell is cut where it is quoted', () => {
  const text = readText('name', `${'a'.repeat(100)}\n`.repeat(2));
  expect(text).toMatchObject({
    kind: 'wrong',
    problem: expect.stringMatching(/^name "a{80}…" holds a line end/),
  });
});
