/**
 * Goal: what stands in a cell of a team's sheet is either understood or said to be wrong; it never turns a request into
 * another one, and never makes somebody more than the sheet says.
 * Method: cells as people write them, the ones that do harm, and arbitrary ones, up to the request that would leave.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import service from '../../../src/client/dialects/service.ts';
import { requestOf } from '../../../src/client/request.ts';
import { callKeyOf } from '../../../src/core/call-key.ts';
import { subjectWords } from '../../../src/core/membership.ts';
import type { Call, JsonObject, OperationOptions, RowInput } from '../../../src/core/operation.ts';
import createProject from '../../../src/operations/create-project.ts';
import onboard from '../../../src/operations/onboard.ts';
import {
  checkedProjectId,
  readRole,
  readRowRole,
  readUserId,
} from '../../../src/operations/team/change-inputs.ts';
import { deleteInvite, updateUser } from '../../../src/operations/team/change-steps.ts';
import { done } from '../team.ts';

const VALUES = { key: 'k', project_id: 'p', organization_id: 'o' };
const subject = { project: 'proj-1', name: 'jo@x.org' };

test('a role that nobody knows is never taken for another', () => {
  for (const cell of ['viewer', ' Editor ', 'ADMIN', 'role:viewer']) expect(readRole(cell).kind).toBe('read');
  for (const cell of ['', 'admn', 'role:admin', 'viewer, editor', 'none', 'owner\u001b[31m'])
    expect(readRole(cell).kind, cell).toBe('wrong');
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

  test('a user id that is taken is one segment of the address, whatever it is', () => {
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

describe('roles that the job gives', () => {
  const roleFor = (role: string | undefined, settings: JsonObject) => {
    const read = readRowRole(role === undefined ? {} : { role }, { settings });
    return read.kind === 'read' ? read.value : read.problem;
  };

  test('roles that the job gives are the role of every row, or stand for words of the sheet, in whatever case', () => {
    expect(roleFor('admin', { role: 'Viewer' })).toBe('viewer');
    expect(roleFor(undefined, { role: 'role:editor' })).toBe('editor');
    const roles = { 'Read only': 'viewer', Owner: 'admin', Admin: 'editor' };
    expect(roleFor(' READ  only ', { roles })).toBe('viewer');
    expect(roleFor('owner', { roles })).toBe('admin');
    expect(roleFor('admin', { roles }), 'the word of the job counts').toBe('editor');
    expect(roleFor('editor', { roles })).toBe('editor');
    expect(roleFor('Read onyl', { roles })).toBe('role "Read onyl" is not known. Did you mean Read only?');
    expect(roleFor('', { roles })).toBe('role: blank');
  });

  test.each<[JsonObject, string[]]>([
    [{ role: 'viewer', roles: { Reader: 'viewer' } }, []],
    [{ role: 'viewer' }, ['role']],
    [{ roles: { Reader: 'viewer', ' reader ': 'editor' } }, []],
  ])('roles that the job gives are refused where they are said twice: %j %j', (settings, mapped) => {
    expect(() => onboard.shapedBy?.(settings, mapped)).toThrow(expect.objectContaining({ code: 'job' }));
  });
});

describe('the organization of a project', () => {
  const OPTIONS = { organizationId: 'org-1' };
  const callOf = (row: RowInput, options: OperationOptions = OPTIONS) =>
    done(createProject, row, [], [], options).calls[0];

  test("the organization of a project is the row's, else the account's", () => {
    expect(callOf({ name: 'Sales' })?.parameters.organization_id).toBe('org-1');
    const own = callOf({ name: 'Sales', organization_id: ' org-2 ' });
    expect(own?.parameters.organization_id).toBe('org-2');
    expect(callOf({ name: 'Sales', organization_id: 'org-2' }, {})?.parameters.organization_id).toBe('org-2');
    expect(done(createProject, { name: 'Sales' }, [], [], {}).outcome.kind).toBe('invalid');
  });

  test('the organization of a project tells two projects of one name apart, and leaves those of the account known as they were', () => {
    const own = callOf({ name: 'Sales', organization_id: 'org-1' });
    expect(callKeyOf('a', own as Call)).toBe(callKeyOf('a', callOf({ name: 'Sales' }) as Call));
    const other = callOf({ name: 'Sales', organization_id: 'org-2' });
    expect(other?.change?.subject).not.toEqual(own?.change?.subject);
    expect(subjectWords(other?.change?.subject ?? { name: '' })).toBe('project sales of org-2');
    const team = [
      { subject: { name: 'project:sales' }, sequence: 1, facts: { state: 'done', projectId: 'p-1' } },
    ] as const;
    const made = (organization_id: string) =>
      done(createProject, { name: 'Sales', organization_id }, team, [], OPTIONS).outcome.kind;
    expect(made('org-1')).toBe('unchanged');
    expect(made('org-2')).not.toBe('unchanged');
  });
});
