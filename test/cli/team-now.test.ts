/**
 * Goal: a run of a list of a team says what is so now: what another batch has left in doubt is said.
 * Method: the real commands before a sandbox service, killed where an answer is on its way; the service's own state is the judge.
 */
import { expect, test } from 'vitest';
import type { TeamWorkplace, Wanted } from '../faults/team-workplace.ts';
import type { JsonResult } from './desk.ts';
import { openTeam } from './team.ts';

const [JO, MO, VI] = ['jo@team.example', 'mo@team.example', 'vi@team.example'];

const as = (role: string, ...emails: readonly string[]): readonly Wanted[] =>
  emails.map((email) => ({ email, role }));

/** Kills an undo at a point, by the real process. */
async function undoKilled(team: TeamWorkplace, batch: string, crashAt: string): Promise<void> {
  const words = ['undo', batch, '--yes', '--store', team.place.path('store')];
  const killed = await team.place.type(words, { ROWONCE_CRASH_AT: crashAt }).ended;
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
}

interface Ran {
  readonly code: number | null;
  readonly report: JsonResult;
}

async function run(team: TeamWorkplace): Promise<Ran> {
  const { code, report } = await team.runHere();
  return { code, report };
}

test('a list whose undo was killed after the deletions had reached the service: nobody is told as applied', async () => {
  const team = await openTeam({ concurrency: 3, latencyMs: 300 });
  await team.apply(as('viewer', JO, MO, VI));
  const { batch } = await team.json('status', 'last');
  // All three are on their way before the first answer comes, which is seconds later.
  await team.vendor.setFaults('slow@delete-invite:x3');
  await undoKilled(team, batch, 'after-send:3');
  await expect.poll(async () => (await team.state()).roles()).toEqual({});

  const { code, report } = await run(team);
  expect(code).toBe(3);
  expect(report.counts).toEqual({ refused: 3 });
  expect(team.row(JO)._reason).toMatch(
    /the result of an earlier delete-invite of jo.* is in doubt.*Settle row 2 of batch/,
  );
  // It has said so once, and says it again by the same batch.
  const again = await run(team);
  expect(again.report).toMatchObject({ batch: report.batch, counts: { refused: 3 }, requests: 0 });

  expect((await team.json('undo', batch, '--yes')).counts).toEqual({ applied: 3 });
  expect((await run(team)).report.counts).toEqual({ applied: 3 });
  expect(Object.keys((await team.state()).roles())).toHaveLength(3);
});
