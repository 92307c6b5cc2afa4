import { expect, test } from 'vitest';
import { emailsOf, KEY, PROJECT, TeamWorkplace } from './team-workplace.ts';

/*
 * Goal: a key that dies in the middle of a list stops it at once, and another key goes on with it.
 * Method: the sandbox revokes the key while the program is at work; its log says how many requests came after that, and its state who
 * was invited in the end. A key that lacks the permission on one project: `run/project-access.test.ts`.
 */

const CONCURRENCY = 3;

/** What the vendor has answered by then, so that it happens in the middle. */
const ANSWERED_BEFORE = 10;

test.concurrent('a key that dies in the middle: few more requests, exit 77, and a new key goes on', async () => {
  await using team = await TeamWorkplace.open({ concurrency: CONCURRENCY, latencyMs: 100 });
  const people = emailsOf('dying', 60);
  team.writeSheet(people.map((email) => ({ email, role: 'viewer' })));

  const program = team.place.start(team.order());
  await program.until(() => team.vendor.requests().length >= ANSWERED_BEFORE);
  await team.vendor.revoke(KEY);
  const { code, report, lastLine } = await program.ended;

  expect(code).toBe(77);
  expect(report?.stopped?.code).toBe('key');
  expect(lastLine).toMatch(/^npx --no rowonce run /);
  const refused = team.vendor.requests().filter(({ status }) => status === 401);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length, 'requests after its death').toBeLessThanOrEqual(CONCURRENCY);
  const invited = Object.keys((await team.state()).roles()).length;
  expect(invited).toBeGreaterThanOrEqual(ANSWERED_BEFORE - CONCURRENCY);
  expect(report?.counts, 'all others are pending').toEqual({ applied: invited });

  // The same command while the key is dead: one try at most for each place, and nothing is lost by it.
  expect((await team.runHere()).code).toBe(77);
  team.writeAccount({ key: 'key-2' });
  expect(await team.runHere()).toMatchObject({ code: 0, report: { counts: { applied: people.length } } });
  const state = await team.state();
  expect(people.map((email) => state.mailsTo(PROJECT, email))).toEqual(people.map(() => ['viewer']));
  expect(team.place.ledger()).toMatchObject({ open: [], inDoubt: 0 });
});
