import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CRASH_POINTS, type CrashPoint } from '../../src/lib/faults.ts';
import { some } from '../combinations.ts';
import { runToTheEnd } from './hand-settling.ts';
import { PROJECT, TeamWorkplace } from './team-workplace.ts';
import type { Order } from './workplace.ts';

/*
 * Goal: a role that is changed by deleting an invite and creating it anew ends well wherever the program dies between
 * the two, also when the invite is accepted at that very moment: one invite with the new role, or a member whose row
 * says so; never two invites, never a second mail of the same kind, and nobody loses what they had.
 * Method: two people who are invited as viewers are to be editors, one request at a time, so that the visits of a crash
 * point are the steps of both. The program kills itself at one of them, the second person accepts whatever waits for
 * them by then, and the command is typed again, with doubts settled by looking at the service, until it ends. Each case
 * has two people of its own, so that one vendor and one store serve many. Their state is the vendor's.
 */

/** Passed by every request. Two people and two steps each make four visits: both are deleted, then both are created. */
const STEPS = [1, 2, 3, 4];
const OF_A_CALL: readonly CrashPoint[] = ['after-intent', 'after-send', 'after-close'];

/**
 * The same, between those above. A step of whoever accepts is enough for each: the store knows the same there as at one of
 * those above, which are visited at every step.
 */
const BETWEEN = ['before-intent:2', 'before-record:2', 'after-record:4', 'after-judge:2'];

const OF_A_ROW = ['before-row:2', 'after-row:1'];

/** Passed by every commit, of which there are some more than are visited here. */
const OF_A_COMMIT = ['before-commit:2', 'after-commit:4', 'before-commit:7', 'after-commit:10'];

const ONCE: readonly CrashPoint[] = [
  'batch-created',
  'before-finish',
  'output-written',
  'output-renamed',
  'after-output',
];

/** Needs something to recover: the last step of whoever accepts, lost before. */
const RECOVERING: readonly CrashPoint[] = ['recovering'];

/** Only a vendor that can be asked about lost calls leads there, or a list without a plan. */
const ELSEWHERE: readonly CrashPoint[] = ['after-look', 'submitting', 'copying', 'copy-taken', 'copy-left'];

/** Each is what the program dies at, one after the other. */
const KILLS: readonly (readonly string[])[] = [
  ...OF_A_CALL.flatMap((point) => STEPS.map((step) => [`${point}:${step}`])),
  ...[...BETWEEN, ...OF_A_ROW, ...OF_A_COMMIT, ...ONCE].map((visit) => [visit]),
  ...RECOVERING.map((point) => ['after-send:4', point]),
  // A deletion that is lost, sent again, answered with 404, and then the program dies with that answer.
  ...[1, 2].map((visit) => ['after-send:1', `after-record:${visit}`]),
  ['after-send:1', 'after-intent:1', 'after-judge:1'],
];

test('the cases are all the crash points that there are', () => {
  const visited = new Set([...KILLS.flat().map((visit) => visit.split(':')[0]), ...ELSEWHERE]);
  expect([...visited].sort()).toEqual([...CRASH_POINTS].sort());
});

interface Case {
  readonly kills: readonly string[];
  readonly name: string;
  /** Nobody accepts. */
  readonly waiting: string;
  /** Accepts what waits for them when the program has died. */
  readonly accepting: string;
}

function casesOf(kills: readonly (readonly string[])[], prefix: string): readonly Case[] {
  return kills.map((each, index) => ({
    kills: each,
    name: each.join(', then '),
    waiting: `${prefix}-waiting-${index}@team.example`,
    accepting: `${prefix}-accepting-${index}@team.example`,
  }));
}

/** Everybody of all cases, as viewers. */
async function inviteAll(team: TeamWorkplace, cases: readonly Case[]): Promise<void> {
  const people = cases.flatMap(({ waiting, accepting }) => [waiting, accepting]);
  const { code } = await team.apply(
    people.map((email) => ({ email, role: 'viewer' })),
    { input: 'all.csv', output: 'all-out.csv' },
  );
  expect(code).toBe(0);
}

/** The role change of one case, killed and typed again until it has ended. */
async function killAndEnd(team: TeamWorkplace, { kills, waiting, accepting }: Case): Promise<Order> {
  const order = { input: `${waiting}.csv`, output: `${waiting}-out.csv` };
  team.writeSheet(
    [waiting, accepting].map((email) => ({ email, role: 'editor' })),
    order.input,
  );
  for (const crashAt of kills) {
    const { signal, code, stderr } = await team.run({ ...order, crashAt });
    expect(signal, `${crashAt} was not reached: exit ${code}, ${stderr}`).toBe('SIGKILL');
  }
  await team.vendor.accept(accepting);
  await runToTheEnd(team, order);
  return order;
}

// ------------------------------------------------------------------------------------------------ delete, create

/** One after the other, because only one program at a time may spend from a store. */
const IN_TURN = { concurrent: false };

/** Two of them side by side, each with a vendor and a store. */
const LANES = [0, 1].map((lane) => ({
  lane,
  cases: casesOf(some(KILLS, 2), 'crash').filter((_, index) => index % 2 === lane),
}));

describe.concurrent.each(LANES)('a role change, killed, and accepted meanwhile ($lane)', ({ cases }) => {
  let team: TeamWorkplace;

  beforeAll(async () => {
    team = await TeamWorkplace.open({ concurrency: 1 });
    await inviteAll(team, cases);
  });

  afterAll(() => team[Symbol.asyncDispose]());

  test.each(cases)('$name', IN_TURN, async (each) => {
    const { output } = await killAndEnd(team, each);
    const { waiting, accepting } = each;
    const state = await team.state();

    expect(team.row(waiting, output)._status).toBe('applied');
    expect(state.standing(PROJECT, waiting)).toEqual({ as: 'invited', role: 'editor' });
    expect(state.mailsTo(PROJECT, waiting)).toEqual(['viewer', 'editor']);

    const row = team.row(accepting, output);
    const standing = state.standing(PROJECT, accepting);
    // Accepted as viewer, before the delete: nothing could be done, and the row says what to do.
    if (row._status === 'refused') {
      expect(standing).toEqual({ as: 'member', role: 'viewer' });
      expect(row._reason).toMatch(/accepted|already a user/);
    } else {
      expect(row._status).toBe('applied');
      expect(standing?.role).toBe('editor');
    }
    const mails = state.mailsTo(PROJECT, accepting);
    expect(mails).toEqual(['viewer', 'editor'].slice(0, mails.length));
    expect(state.invitedTwice()).toEqual([]);
  });
});

// ------------------------------------------------------------------------------------------------ a project first

describe.concurrent('a project that is made for a list, killed on the way', () => {
  const JOB = {
    columns: { email: 'Email', role: 'Role', project: 'Project' },
    create_projects: true,
  };
  const PEOPLE = ['one', 'two', 'three'].map((name) => ({
    email: `${name}@team.example`,
    project: 'Atlas',
    role: 'viewer',
  }));

  // The first request makes the project for all rows, the second invites somebody to it. What the store knows at other
  // points is the same as at one of these, or as in the role changes above.
  test.each(some(['after-send:1', 'after-record:1', 'after-send:2'], 1))(
    '%s: is made once, and everybody is invited to it once',
    async (crashAt) => {
      await using team = await TeamWorkplace.open({ concurrency: 2, job: JOB });
      team.writeSheet(PEOPLE);
      expect((await team.run({ crashAt })).signal).toBe('SIGKILL');
      expect((await runToTheEnd(team)).code).toBe(0);
      const state = await team.state();
      expect(state.projects.map(({ name }) => name)).toEqual(['Atlas']);
      const project = state.projects[0]?.project ?? '';
      for (const { email } of PEOPLE) expect(state.mailsTo(project, email)).toEqual(['viewer']);
      expect(await team.runHere(), 'the same once more').toMatchObject({ code: 0, report: { requests: 0 } });
    },
  );
});
