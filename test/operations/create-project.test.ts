/**
 * Goal: a project is made once however often its list is run, because it cannot be deleted again.
 * Method: rows against what may be known of the name.
 */
import { expect, test } from 'vitest';
import createProject from '../../src/operations/create-project.ts';
import { DOUBT, done, OPTIONS, planned, shown } from './team.ts';

const MADE = { kind: 'found', fields: { project_id: 'p-1' } } as const;
const alpha = {
  subject: { name: 'project:alpha' },
  sequence: 1,
  facts: { state: 'done', projectId: 'p-1' },
} as const;

test('a project is made with its description, and the row says its id', () => {
  const walked = done(createProject, { name: ' Alpha ', description: 'Team A' }, [], [MADE]);
  expect(shown(walked)).toEqual(['create-project@0 Alpha Team A org-1']);
  expect(walked.calls[0]).toMatchObject({
    ifLost: 'hold',
    change: { subject: { name: 'project:alpha' }, leaves: { state: 'done' } },
  });
  expect(walked.outcome).toEqual({ kind: 'applied', reason: 'created: project_id p-1' });
});

test.each(['Alpha', 'ALPHA'])('one that was made before is not made again: %s', (name) => {
  expect(done(createProject, { name }, [alpha])).toEqual({
    calls: [],
    outcome: { kind: 'unchanged', reason: `the project "${name}" was created before: project_id p-1` },
  });
});

test('one of which an answer was lost is asked for by the call that waits', () => {
  expect(shown(done(createProject, { name: 'Alpha' }, [{ ...alpha, doubt: DOUBT }], [MADE]))).toEqual([
    'create-project@1 Alpha  org-1',
  ]);
});

test('two rows that describe one project differently want different things', () => {
  const [one, other] = ['', 'Team A'].map((description) =>
    planned(createProject, { name: 'Alpha', description }),
  );
  expect(one).toMatchObject({ input: { subject: { name: 'project:alpha' }, to: 'project' } });
  expect(other).toMatchObject({ input: { subject: { name: 'project:alpha' }, to: 'project (Team A)' } });
});

test.each([
  [{ name: '' }, OPTIONS, /^name: blank$/],
  [{ name: 'A\nB' }, OPTIONS, /^name "A B" has a line break/],
  [{ name: 'Alpha' }, {}, /^the account has no organization_id\. Give it one/],
])('%j is invalid', (row, options, reason) => {
  expect(createProject.prepare(row, options)).toMatchObject({
    kind: 'invalid',
    reason: expect.stringMatching(reason),
  });
});
