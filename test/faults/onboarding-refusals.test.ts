import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { Gateway, refusingInvites } from './gateway.ts';
import { runToTheEnd, settleByHand } from './hand-settling.ts';
import { PROJECT, TeamWorkplace } from './team-workplace.ts';

/*
 * Goal: when the service refuses the new role after the old invite was deleted, the old one is created again, wherever
 * the program dies on the way and whether or not somebody accepts just then; when it refuses that as well, the row says
 * that there is no invite now.
 * Method: a door before the sandbox refuses every invite as editor, and of one person every invite but the first. Each
 * case has a person of its own. The state and the mails are the vendor's. Each of the three requests is lost, and is kept
 * before the next; whether somebody accepts matters most where a request was lost.
 */

/** The three requests of a person: the old invite is deleted, the new one refused, the old one created again. */
const KILLS: readonly (readonly [string, 'waits' | 'accepts'])[] = [
  ...[1, 2, 3].flatMap((step) => [
    [`after-close:${step}`, 'waits'] as const,
    [`after-send:${step}`, 'accepts'] as const,
  ]),
  ['after-intent:2', 'waits'],
  ['after-record:2', 'waits'],
  ['after-close:1', 'accepts'],
  ['before-row:1', 'accepts'],
];

const cases = KILLS.map(([crashAt, then], index) => ({
  crashAt,
  then,
  email: `restored-${index}@team.example`,
}));

const SHUT_OUT = 'shut-out@team.example';

let door: Gateway;
let team: TeamWorkplace;

beforeAll(async () => {
  team = await TeamWorkplace.open({ concurrency: 1 });
  const weather = refusingInvites(
    ({ email, role, before }) => role === 'role:editor' || (email === SHUT_OUT && before > 0),
  );
  door = await Gateway.before(team.vendor.url, weather);
  team.writeAccount({ base_url: door.url });
  const everybody = [...cases.map(({ email }) => email), SHUT_OUT];
  const viewers = everybody.map((email) => ({ email, role: 'viewer' }));
  const { code } = await team.apply(viewers, { input: 'all.csv', output: 'all-out.csv' });
  expect(code).toBe(0);
});

afterAll(async () => {
  await team[Symbol.asyncDispose]();
  await door[Symbol.asyncDispose]();
});

describe('a role change that the service refuses after the delete', () => {
  test.each(some(cases, 1))(
    'killed at $crashAt, and who is invited $then',
    async ({ crashAt, then, email }) => {
      const order = { input: `${email}.csv`, output: `${email}-out.csv` };
      team.writeSheet([{ email, role: 'editor' }], order.input);
      const { signal, code, stderr } = await team.run({ ...order, crashAt });
      expect(signal, `${crashAt} was not reached: exit ${code}, ${stderr}`).toBe('SIGKILL');
      if (then === 'accepts') await team.vendor.accept(email);
      await runToTheEnd(team, order);

      const state = await team.state();
      const standing = state.standing(PROJECT, email);
      const row = team.row(email, order.output);
      expect(state.invitedTwice()).toEqual([]);
      expect(standing?.role, 'what they had before').toBe('viewer');
      expect(row).toMatchObject({ _status: 'refused' });
      // One to invite, and one for the invite that was created again.
      expect(state.mailsTo(PROJECT, email).length).toBeLessThanOrEqual(2);
      if (then === 'accepts') return;
      expect(standing?.as).toBe('invited');
      expect(state.mailsTo(PROJECT, email)).toEqual(['viewer', 'viewer']);
      expect(row._reason).toMatch(/no seats are left.*viewer was created again/);
    },
  );
});

test('a service that refuses the old role as well: the row says that there is no invite now', async () => {
  const order = { input: 'shut.csv', output: 'shut-out.csv' };
  const email = SHUT_OUT;
  expect((await team.apply([{ email, role: 'editor' }], order)).code).toBe(3);
  expect(team.row(email, order.output)).toMatchObject({ _status: 'refused' });
  expect(team.row(email, order.output)._reason).toMatch(/no invite now/);
  expect((await team.state()).standing(PROJECT, email)).toBeUndefined();
});

test('settle --retry is carried out by the next run, also when another row of the list has something to do again', async () => {
  const [one, other] = ['retried-1@team.example', 'retried-2@team.example'];
  await team.apply([one, other].map((email) => ({ email, role: 'viewer' })));
  team.writeSheet([one, other].map((email) => ({ email, role: 'editor' })));
  // Both invites are deleted; the first creation is in doubt, the second one is refused and its old role restored.
  expect((await team.run({ crashAt: 'after-intent:3' })).signal).toBe('SIGKILL');
  expect((await team.runHere()).code).toBe(3);
  expect(await settleByHand(team)).toBe(1);
  await team.runHere();
  expect(team.place.ledger().doubts).toEqual([]);
  expect((await team.state()).standing(PROJECT, one)).toEqual({ as: 'invited', role: 'viewer' });
});
