/**
 * Goal: what stands in a cell of a team's sheet is either understood or said to be wrong; it never turns a request into
 * another one, and never makes somebody more than the sheet says.
 * Method: cells as people write them, the ones that do harm, and arbitrary ones, up to the request that would leave.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import service from '../../../src/client/dialects/service.ts';
import { requestOf } from '../../../src/client/request.ts';
import { finding } from '../../../src/core/finding.ts';
import type { OperationOptions, RowInput } from '../../../src/core/operation.ts';
import createProject from '../../../src/operations/create-project.ts';
import { checkedProjectId, readRole, readUserId } from '../../../src/operations/team/change-inputs.ts';
import { deleteInvite, updateUser } from '../../../src/operations/team/change-steps.ts';
import { done } from '../team.ts';

const VALUES = { key: 'k', project_id: 'p', organization_id: 'o' };
const subject = { project: 'proj-1', name: 'jo@x.org' };

test('a role that nobody knows is never taken for another', () => {
  for (const cell of ['viewer', ' Editor ', 'ADMIN', 'role:viewer'])
    expect(readRole(cell).kind).toBe('ready');
  for (const cell of ['', 'admn', 'role:admin', 'viewer, editor', 'none', 'owner\u001b[31m'])
    expect(readRole(cell).kind, cell).toBe('invalid');
});

describe('a user id', () => {
  test.each(['.', '..', ' .. ', 'a/b', '/', 'a\\b', '../admin'])(
    '%j cannot be part of an address',
    (cell) => {
      expect(readUserId(cell)).toEqual({
        kind: 'invalid',
        findings: finding('unfit_for_address', { input: 'user_id', cell: cell.trim() }),
      });
    },
  );

  test('a user id that is taken is one segment of the address, whatever it is', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('.', '/', '%2e', 'a') })),
        (cell) => {
          const id = readUserId(cell);
          if (id.kind === 'invalid') return;
          taken += 1;
          const { path } = requestOf(
            service,
            '',
            updateUser({ subject, sequence: 0 }, id.input, 'viewer'),
            VALUES,
          );
          const segments = new URL(path, 'https://service.example').pathname.split('/');
          expect(segments).toHaveLength(6);
          expect(decodeURIComponent(segments[4] ?? '')).toBe(id.input);
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
      const id = checkedProjectId(cell);
      if (id.kind === 'invalid') return;
      taken += 1;
      const call = deleteInvite({ subject: { ...subject, project: id.input }, sequence: 0 }, 'c', 'gone');
      const { authorization = '' } = requestOf(service, '', call, VALUES).headers;
      expect(new Headers({ authorization }).get('authorization')).toBe(`Bearer ${id.input}:k`);
      expect(authorization.split(':')).toHaveLength(2);
    }),
  );
  expect(taken).toBeGreaterThan(0);
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
});
