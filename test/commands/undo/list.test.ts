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
  ])('%s', (_, story, reason) => {
    expect(undoOf(story)).toEqual({
      rows: [],
      left: [{ row: 4, subject: expect.any(String), reason: expect.stringMatching(reason) }],
    });
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
