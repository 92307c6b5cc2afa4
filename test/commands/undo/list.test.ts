/**
 * Goal: an undo restores exactly what its batch did to each person, and says of the rest why it stays.
 * Method: the pure list over what was known before, what was carried out and how somebody stands now; a row for every
 * pair of them that a batch can leave.
 */
import { describe, expect, test } from 'vitest';
import { type UndoList, undoList } from '../../../src/commands/undo/list.ts';
import { type KnownSubject, type SubjectFacts, Team } from '../../../src/core/membership.ts';
import type { BatchId } from '../../../src/ledger/ledger.ts';

const BATCH = 'b0000001' as BatchId;
const PROJECT = 'proj-1';
const JO = 'jo@team.example';

interface Story {
  readonly operations: readonly string[];
  readonly before?: SubjectFacts;
  readonly now?: SubjectFacts;
  readonly name?: string;
  /** What else the ledger knows. */
  readonly known?: Partial<KnownSubject>;
  /** Each undo, with the batch that it takes back. */
  readonly undos?: Readonly<Record<string, string>>;
  /** The undo that goes on. */
  readonly begun?: string;
  readonly after?: SubjectFacts;
}

/** What undoing that batch would do about its one subject. */
function undoOf(story: Story): UndoList {
  const { operations, before, now, name = JO, known = {}, undos = {}, after } = story;
  const begun = story.begun as BatchId | undefined;
  const subject = name.startsWith('project:') ? { name } : { project: PROJECT, name };
  const standing = {
    subject,
    sequence: operations.length,
    batch: BATCH,
    ...(now && { facts: now }),
    ...known,
  };
  const left = after ?? now ?? gone;
  const touched = { row: 4, subject, operations, after: left, ...(before && { before }) };
  const team = new Team([standing]);
  return undoList({
    ...{ batch: BATCH, touched: [touched], team, undos: new Map(Object.entries(undos)) },
    begun,
  });
}

const invited = (role: 'viewer' | 'editor' | 'admin' = 'editor'): SubjectFacts => ({
  state: 'invited',
  role,
  email: JO,
  inviteCode: 'i-9',
});
const member = (role: 'viewer' | 'editor' | 'admin' = 'editor'): SubjectFacts => ({
  state: 'member',
  role,
  email: JO,
  userId: 'u-1',
});
const gone: SubjectFacts = { state: 'gone', email: JO };
const between: SubjectFacts = { state: 'between', email: JO };
const ofUndo = { batch: 'u0000001', row: 2, operation: 'delete-invite', isOpen: true } as const;

describe('what is sent', () => {
  const row = (role: string, userId = '') => ({ email: JO, project_id: PROJECT, role, user_id: userId });

  test.each<readonly [string, Story, ReturnType<typeof row>]>([
    [
      'so is that of somebody who had left before',
      { operations: ['create-invite'], before: gone, now: invited() },
      row('none'),
    ],
    [
      'who was accepted at once is removed, by the user id',
      { operations: ['create-invite'], now: member() },
      row('none', 'u-1'),
    ],
    [
      "a user's role is set back, by the user id",
      { operations: ['update-user'], before: member('viewer'), now: member('admin') },
      row('viewer', 'u-1'),
    ],
    [
      'somebody whom a later batch changed, and its undo put back',
      {
        operations: ['create-invite'],
        now: invited(),
        known: { batch: 'u0000002' },
        undos: { u0000002: 'b0000002' },
      },
      row('none'),
    ],
    [
      'an invite that was deleted, and by a cancelled batch never created anew, is created as it was',
      { operations: ['delete-invite'], before: invited('viewer'), now: between },
      row('viewer'),
    ],
  ])('%s', (_, story, expected) => {
    expect(undoOf(story)).toMatchObject({ rows: [expected], left: [] });
  });

  test('somebody who is known by a user id alone is named by it', () => {
    const story = {
      name: 'user:u-1',
      operations: ['update-user'],
      before: { state: 'member', role: 'viewer', userId: 'u-1' },
      now: { state: 'member', role: 'admin', userId: 'u-1' },
    } as const;
    expect(undoOf(story).rows).toMatchObject([
      { email: '', project_id: PROJECT, role: 'viewer', user_id: 'u-1' },
    ]);
  });

  test('the id of an earlier stay does not go with an invite that waits', () => {
    const now = { ...invited(), userId: 'u-old' };
    expect(undoOf({ operations: ['create-invite'], before: gone, now }).rows[0]?.user_id).toBe('');
  });
});

describe('what stays, and why', () => {
  test.each<readonly [string, Story, RegExp]>([
    [
      'an invite that was deleted by its code, of which nothing was known',
      { operations: ['delete-invite'], now: gone },
      /^was removed, .* with them$/,
    ],
    [
      'who was accepted at once, and nobody knows as which user',
      { operations: ['create-invite'], now: { state: 'member', role: 'editor', email: JO } },
      /^has accepted, and the user_id is not known; run remove-user with it$/,
    ],
    [
      'a role that was set over one that nobody knew',
      { operations: ['update-user'], now: member() },
      /^the earlier role is not known/,
    ],
    [
      'who was put back by the undo of another batch as somebody else than this batch left them',
      {
        operations: ['create-invite'],
        now: invited('viewer'),
        after: invited('editor'),
        known: { batch: 'u0000002' },
        undos: { u0000002: 'b0000002' },
      },
      /^changed since by batch u0000002/,
    ],
    [
      'who is in doubt since an undo that does not go on',
      { operations: ['create-invite'], now: invited(), known: { doubt: ofUndo }, undos: { u0000001: BATCH } },
      /^the answer to delete-invite has not come yet, .* settle row 2 of batch u0000001 first$/,
    ],
    [
      'who is in doubt, with the batch and the row that settle it',
      {
        operations: ['delete-invite'],
        before: invited('viewer'),
        now: between,
        known: { doubt: { batch: BATCH, row: 4, operation: 'create-invite' } },
      },
      /^the result of create-invite is in doubt, .* settle row 4 of batch b0000001 first$/,
    ],
  ])('%s', (_, story, reason) => {
    expect(undoOf(story)).toEqual({
      rows: [],
      left: [{ row: 4, subject: expect.any(String), reason: expect.stringMatching(reason) }],
    });
  });

  test('a subject is named as a person reads it', () => {
    const subjects = [JO, 'user:u-1', 'project:Sales'].map(
      (name) => undoOf({ name, operations: ['remove-user'], now: gone }).left[0]?.subject,
    );
    expect(subjects).toEqual([`${JO} in proj-1`, 'user u-1 in proj-1', 'project Sales']);
  });
});

describe('there is nothing to do for', () => {
  test.each<readonly [string, Story]>([
    [
      'a role that was refused, so that the old one was created again',
      { operations: ['delete-invite', 'create-invite'], before: invited('viewer'), now: invited('viewer') },
    ],
  ])('%s', (_, story) => {
    expect(undoOf(story)).toEqual({ rows: [], left: [] });
  });
});
