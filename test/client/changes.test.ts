/**
 * Goal: what is remembered of somebody is what the change did and what the service said of it, and nothing is taken for
 * remembered that no answer said.
 * Method: the pure rule, with the built-in dialect of the service and with one that says more.
 */
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/client/dialect.ts';
import service from '../../src/client/dialects/service.ts';
import { leftBy } from '../../src/client/judge.ts';
import type { Call } from '../../src/core/operation.ts';

const SUBJECT = { project: 'proj-1', name: 'jo@x.example' };

const invite: Call = {
  operation: 'create-invite',
  parameters: { email: 'jo@x.example', role: 'editor' },
  ifLost: 'hold',
  project: 'proj-1',
  after: 0,
  change: { subject: SUBJECT, leaves: { state: 'invited', role: 'editor', email: 'jo@x.example' } },
};

const removal: Call = {
  operation: 'delete-invite',
  parameters: { invite_code: 'invite-1' },
  ifLost: { repeat: 'an invite can only be deleted once' },
  project: 'proj-1',
  after: 1,
  change: { subject: SUBJECT, leaves: { state: 'gone' }, missing: { state: 'unsure', role: 'editor' } },
};

/** A service that tells more, at other places. */
const talkative: Dialect = {
  ...service,
  fields_at: 'data',
  operations: {
    ...service.operations,
    'create-invite': {
      method: 'POST',
      path: '/invites',
      credits: { most: 0, found: 0 },
      answer_fields: { invite_code: 'invite.code', user_id: 'user' },
      accepted: { path: 'invite.state', equals: 'accepted' },
    },
  },
};

const body = (value: unknown) => ({ body: Buffer.from(JSON.stringify(value)) });

test('a service that says so is believed that somebody was accepted at once, and who that is', () => {
  const answer = { data: { invite: { code: 7, state: 'accepted' }, user: 'user-1' } };
  expect(leftBy(invite, 'found', body(answer), talkative)).toEqual({
    state: 'member',
    role: 'editor',
    email: 'jo@x.example',
    inviteCode: '7',
    userId: 'user-1',
  });
  const waiting = { data: { invite: { code: 7, state: 'pending' } } };
  expect(leftBy(invite, 'found', body(waiting), talkative)).toMatchObject({ state: 'invited' });
});

test('what the service does not have any more leaves what the call says about that', () => {
  expect(leftBy(removal, 'no_match', body({}), service)).toEqual({ state: 'unsure', role: 'editor' });
  expect(leftBy(invite, 'no_match', body({}), service)).toBeUndefined();
});

test('a refusal changes nothing, and neither does a call that only reads', () => {
  expect(leftBy(removal, 'refused', body({}), service)).toBeUndefined();
  const { change: _, ...read } = invite;
  expect(leftBy(read, 'found', body({ invite_code: 'invite-7' }), service)).toBeUndefined();
});
