/**
 * Goal: where a service says who is in a project, that is read whole and correctly; what it refuses is left to the ledger;
 * and what could be misread stops everything, because it would lead to a second invite.
 * Method: real requests to a vendor that answers as the test says; the clock skips what it waits for. What the lists mean
 * for what the ledger remembers is a pure function, held against a table.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account } from '../../../src/client/account/account.ts';
import { checkDialectFile } from '../../../src/client/dialect/file.ts';
import service from '../../../src/client/dialects/service.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import type { KnownSubject, SubjectFacts } from '../../../src/core/membership.ts';
import { type RemoteMembers, remoteMembers, withLive } from '../../../src/plan/team/remote-members.ts';
import { type ScriptedRequest, ScriptedVendor } from '../../faults/scripted-vendor.ts';
import { SkippingClock } from '../../support/doubtful.ts';
import { listsDialect } from './lists-team.ts';

const LISTS = await checkDialectFile(JSON.stringify(listsDialect()), 'lists.yaml', service);

/** What the vendor answers: a body, a body with another status, nothing at all, or a proxy's page in its place. */
type Answer = object | 'lost' | 'page';
type Answers = (request: ScriptedRequest, nth: number) => Answer;

const USER = { user_id: 'u-1', email: 'Jo@Team.example', role: 'role:editor' };
const INVITE = { invite_code: 'i-1', email: 'new@team.example', role: 'role:viewer' };
const ME = { user_id: 'u-9', email: 'Me@team.example' };

/** Somebody in the project, somebody invited, and whose key it is. */
const usual: Answers = ({ path }) => {
  if (path.endsWith('whoami')) return ME;
  return path.includes('users') ? { users: [USER] } : { invites: [INVITE] };
};

async function openService(answers: Answers) {
  const vendor = await ScriptedVendor.start((request, response) => {
    const answer = answers(request, vendor.requests.length);
    if (answer === 'lost') response.destroy();
    else if (answer === 'page') response.writeHead(404).end('<html>Not Found</html>');
    else {
      const { status = 200, headers = {}, ...body } = answer as { status?: number; headers?: object };
      response.writeHead(status, { ...headers }).end(JSON.stringify(body));
    }
  });
  onTestFinished(() => vendor[Symbol.asyncDispose]());
  const notes: string[] = [];
  const account: Account = {
    name: 'workspace',
    identity: 'workspace',
    vendor: 'service',
    baseUrl: new URL(`${vendor.url}/base/`),
    sandbox: false,
    key: { kind: 'file', reveal: () => 'key-1' },
    // Its speed is not learned, because what is learned of it is waited for in real time.
    limits: { concurrency: 8, windows: [{ requests: 2_000, windowMs: 1_000 }] },
    budget: {},
    sandboxFlags: [],
  };
  const order = {
    account,
    dialect: LISTS,
    clock: new SkippingClock(),
    emit: (event: RunEvent) => void (event.kind === 'note' && notes.push(event.message)),
    signal: new AbortController().signal,
  };
  return { vendor, notes, order, look: (...projects: readonly string[]) => remoteMembers(order, projects) };
}

describe('the lists', () => {
  test('the lists say who is in each project and who is invited, whose key it is, and what was asked is noted', async () => {
    const { vendor, notes, look } = await openService(usual);
    const live = await look('proj-1', 'proj-2', 'proj-1');
    expect(live?.ownUser).toEqual({ userId: 'u-9', email: 'me@team.example' });
    expect(live?.projects).toEqual([
      { project: 'proj-1', users: true, invites: true },
      { project: 'proj-2', users: true, invites: true },
    ]);
    const [invited, member] = live?.subjects ?? [];
    expect(invited).toEqual({
      subject: { project: 'proj-1', name: 'new@team.example' },
      sequence: 0,
      facts: { state: 'invited', role: 'viewer', email: 'new@team.example', inviteCode: 'i-1' },
    });
    expect(member).toEqual({
      subject: { project: 'proj-1', name: 'jo@team.example' },
      sequence: 0,
      facts: { state: 'member', role: 'editor', email: 'jo@team.example', userId: 'u-1' },
    });
    expect(
      vendor.requests.map(({ method, path, headers }) => `${method} ${path} ${headers.authorization}`),
    ).toEqual([
      'GET /base/latest/auth/whoami Bearer :key-1',
      'GET /base/latest/auth/invites Bearer proj-1:key-1',
      'GET /base/latest/auth/users Bearer proj-1:key-1',
      'GET /base/latest/auth/invites Bearer proj-2:key-1',
      'GET /base/latest/auth/users Bearer proj-2:key-1',
    ]);
    expect(vendor.requests.every(({ body }) => body === '')).toBe(true);
    expect(notes).toEqual([
      'The service was asked who is in 2 projects (list_invites, list_users, whoami); these requests change nothing and cost nothing.',
    ]);
  });

  test('the lists of a project that the key may not see are left to the ledger, with a note, and the others are read', async () => {
    const { notes, look } = await openService((request, nth) =>
      request.headers.authorization === 'Bearer secret:key-1'
        ? { status: 403, error: 'not\u001b[31m yours' }
        : usual(request, nth),
    );
    const live = await look('secret', 'proj-1');
    expect(live?.projects[0]).toEqual({ project: 'secret', users: false, invites: false });
    expect(live?.subjects.map(({ subject }) => subject.project)).toEqual(['proj-1', 'proj-1']);
    expect(notes[0]).toBe(
      'The service does not give list_invites of project secret (status 403, "not yours"); the ledger\'s record is used there.',
    );
  });

  test('the lists are asked for again after "too fast", after a 500 and after a lost answer', async () => {
    const backoff: Answer[] = [{ status: 429, headers: { 'retry-after': '30' } }, { status: 500 }, 'lost'];
    const { order, vendor, look } = await openService(
      (request, nth) => backoff[nth - 1] ?? usual(request, nth),
    );
    expect((await look('proj-1'))?.subjects).toHaveLength(2);
    expect(vendor.requests).toHaveLength(3 + 3);
    expect(Math.max(...order.clock.sleptMs)).toBeGreaterThan(29_000);
  });

  test('the lists that never come stop the plan: five times is enough', async () => {
    const { vendor, look } = await openService(() => ({ status: 503 }));
    await expect(look('proj-1')).rejects.toMatchObject({
      code: 'paused',
      message: 'The service did not answer GET /base/latest/auth/whoami in 5 tries: status 503.',
    });
    expect(vendor.requests).toHaveLength(5);
  });

  test.each<[string, object, string]>([
    ['no list where it should be', { people: [] }, 'there is no list at "users"'],
    [
      'nobody with an e-mail',
      { users: [{ user_id: 'u-1', mail: 'a@b.example' }] },
      'no member in it has an e-mail at "email"',
    ],
    ['a page that leads to itself', { users: [], next: 'a' }, 'its page "a" comes twice'],
    [
      'a part of it that says that there is more',
      { users: [USER], has_more: true },
      'it says that it has more pages, and not how to ask for the next one',
    ],
    [
      'fewer people than it says that there are',
      { users: [USER], pagination: { total: 2 } },
      'it says that it has 2, and only 1 came',
    ],
  ])('the lists with %s stop it, and say which entry of the dialect is wrong', async (_, users, why) => {
    const { look } = await openService((request, nth) =>
      request.path.includes('users') ? users : usual(request, nth),
    );
    await expect(look('proj-1')).rejects.toMatchObject({
      code: 'account',
      message: `The answer to list_users does not match the dialect lists: ${why}.`,
      next: 'Correct list_users in the dialect file, or remove it.',
    });
  });

  test('a key whose owner the service does not tell is no problem, but for a note', async () => {
    const { notes, look } = await openService((request, nth) =>
      request.path.endsWith('whoami') ? { status: 404 } : usual(request, nth),
    );
    expect(await look('proj-1')).not.toHaveProperty('ownUser');
    expect(notes[0]).toBe('The service does not name the owner of this key (status 404).');
  });
});

// ---------------------------------------------------------------------------------------------------- with the ledger

const NAME = 'jo@team.example';
const WHOLE = { project: 'proj-1', users: true, invites: true };

const remembered = (facts: SubjectFacts | undefined, name = NAME): KnownSubject => ({
  subject: { project: 'proj-1', name },
  sequence: 7,
  batch: 'b-1',
  ...(facts === undefined ? {} : { facts }),
});

const lists = (subjects: readonly KnownSubject[], at = WHOLE): RemoteMembers => ({
  subjects,
  projects: [at],
});

const INVITED = { state: 'invited', role: 'viewer', email: NAME, inviteCode: 'i-1' } as const;
const MEMBER = { state: 'member', role: 'viewer', email: NAME, userId: 'u-1' } as const;
const GONE = { state: 'gone', email: NAME } as const;

describe('what the ledger remembers', () => {
  const onlyUsers = { ...WHOLE, invites: false };
  const onlyInvites = { ...WHOLE, users: false };
  const neither = { ...WHOLE, users: false, invites: false };
  test.each<[string, SubjectFacts, typeof WHOLE, SubjectFacts]>([
    ['a member who is in neither list', MEMBER, WHOLE, { ...GONE, userId: 'u-1' }],
    ['a member who is not among the users', MEMBER, onlyUsers, { ...GONE, userId: 'u-1' }],
    ['a member, by the invites alone', MEMBER, onlyInvites, MEMBER],
    ['an invite that is in neither list', INVITED, WHOLE, GONE],
    [
      'an invite that is not among the invites',
      INVITED,
      onlyInvites,
      { ...GONE, state: 'accepted_or_deleted' },
    ],
    ['an invite, by the users alone', INVITED, onlyUsers, INVITED],
    [
      'somebody who accepted or was deleted, and is in neither list',
      { ...GONE, state: 'accepted_or_deleted' },
      WHOLE,
      GONE,
    ],
    [
      'somebody who accepted or was deleted, by one list',
      { ...GONE, state: 'accepted_or_deleted' },
      onlyUsers,
      { ...GONE, state: 'accepted_or_deleted' },
    ],
    ['somebody whose next invite is due', { ...GONE, state: 'reinvite_due' }, WHOLE, GONE],
    ['anybody in a project that could not be looked at', MEMBER, neither, MEMBER],
    ['somebody who is gone', GONE, WHOLE, GONE],
  ])('%s', (_, facts, at, now) => {
    expect(withLive([remembered(facts)], lists([], at))).toEqual([remembered(now)]);
  });
});
