import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenTeam } from '../plan/team/open-team.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { type ScriptedRequest, ScriptedVendor } from './scripted-vendor.ts';
import { TeamWorkplace } from './team-workplace.ts';

/*
 * Goal: a change of which no one knows whether it was done is repeated where that is harmless, and held where it would be a second mail
 * (protocol, rules 9 and 10). What is not there any more was taken away by the lost request, and by that alone. Who is refused another
 * role keeps the invite that they had.
 * Method: a vendor that answers each request by what is written in it: `s-404.ok-s` in an e-mail address or an id is answered with 404
 * and then well. Time jumps, so that a pause and the spacing of repeats take none.
 */

/** Where a request goes, the header of a list, and what stands in a row behind the word. */
const OPERATIONS = {
  'invite-user': { path: /invite\/create$/, header: 'Email,Role', rest: '@team.example,viewer' },
  'change-role': { path: /users\/[^/]+\/update$/, header: 'User_ID,Role', rest: ',editor' },
  'delete-invite': { path: /invite\/delete$/, header: 'Invite_Code,Name', rest: ',Jo Doe' },
  'remove-user': { path: /users\/[^/]+\/delete$/, header: 'User_ID', rest: '' },
} as const;

type Name = keyof typeof OPERATIONS;

/** What the vendor answers, the last for ever; what an invite, another role and a removal come to, and after how many requests. */
const LINES: readonly (readonly [answers: string, invite: string, role: string, removal: string])[] = [
  ['ok', 'applied, 1', 'applied, 1', 'applied, 1'],
  ['422', 'refused, 1', 'refused, 1', 'refused, 1'],
  // To a first request it is never taken for done. A pause is not an attempt, so the request after it is a first one.
  ['404', 'refused, 1', 'refused, 1', 'refused, 1'],
  ['429.404', 'refused, 2', 'refused, 2', 'refused, 2'],
  ['limited.ok', 'applied, 2', 'applied, 2', 'applied, 2'],
  ...['500.ok', 'reset.ok'].map((answers) => [answers, 'in_doubt, 1', 'applied, 2', 'applied, 2'] as const),
  ['500.404', 'in_doubt, 1', 'refused, 2', 'applied, 2'],
  // Three repeats and no more.
  ['500', 'in_doubt, 1', 'in_doubt, 4', 'in_doubt, 4'],
  // Nothing at all: for a creation, whose id is published, that is no answer; of the others nothing is.
  ['204', 'in_doubt, 1', 'applied, 1', 'applied, 1'],
  // A success that says it is none, with a mark or in words. Of a creation an id may have been lost with it.
  ...['failed.ok', 'error.ok'].map(
    (answers) => [answers, 'in_doubt, 1', 'refused, 1', 'refused, 1'] as const,
  ),
  // A page came whole, so what is asked once more is asked no third time.
  ['garbage', 'in_doubt, 1', 'in_doubt, 2', 'in_doubt, 2'],
];

let vendor: ScriptedVendor;
let team: TeamWorkplace;
let open: OpenTeam;

beforeAll(async () => {
  vendor = await ScriptedVendor.start(answerAsAsked);
  team = await TeamWorkplace.open({ concurrency: 1, reachedAt: vendor.url });
  open = await OpenTeam.open(team, new JumpingClock(Date.parse('2026-11-20T12:00:00.000Z')));
});

afterAll(async () => {
  vi.useRealTimers();
  await open[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

/** A run of a list with one row for each of these. */
function run(name: Name, answers: readonly string[]) {
  const { header, rest } = OPERATIONS[name];
  const rows = answers.map((each) => `${wordOf(name, each)}${rest}\n`);
  writeFileSync(team.place.path(`${name}.csv`), `${header}\n${rows.join('')}`);
  return open.run({ job: name, input: `${name}.csv`, output: `${name}-out.csv` });
}

test.each([
  ['invite-user', 1],
  ['change-role', 2],
  ['delete-invite', 3],
  ['remove-user', 3],
] as const)(
  '%s does what the table says, and the same list asks no more but for what was refused',
  async (name, at) => {
    const answers = LINES.map(([each]) => each);
    const requests = () => answers.map((each) => requestsOf(name, each).length);
    expect((await run(name, answers)).stopped).toBeNull();
    const statuses = team.place.statuses(`${name}-out.csv`);
    const came = requests();
    expect(LINES.map((line, row) => [line[0], `${statuses[row]}, ${came[row]}`])).toEqual(
      LINES.map((line) => [line[0], line[at]]),
    );
    await run(name, answers);
    const askedAgain = requests().map((count, row) => count > (came[row] ?? 0));
    expect(askedAgain.filter((_, row) => statuses[row] !== 'refused')).not.toContain(true);
  },
);

test('a 404 about the path stops the run, and is no sign that a person is gone, or that a lost request has done it', async () => {
  for (const [answers, counts] of [
    ['noroute.ok', {}],
    ['500.noroute.ok', { in_doubt: 1 }],
  ] as const) {
    const stopping = await run('remove-user', [answers]);
    expect([stopping.stopped?.code, stopping.counts]).toEqual(['address', counts]);
    expect((await run('remove-user', [answers])).counts).toEqual({ applied: 1 });
    expect(requestsOf('remove-user', answers)).toHaveLength(answers.split('.').length);
  }
});

test.each([
  ['ok.422.ok', /, on purpose.*viewer was created again$/],
  ['ok.422', /^the service refused the invite as editor .*; .* as viewer .*; .* has no invite now$/],
])('another role that is refused after the old invite was deleted (%s)', async (answers, reason) => {
  const email = `${wordOf('invite-user', answers)}@team.example`;
  for (const [role, counts] of [
    ['viewer', { applied: 1 }],
    ['editor', { refused: 1 }],
  ] as const) {
    team.writeSheet([{ email, role }]);
    expect((await open.run()).counts).toEqual(counts);
  }
  expect(team.row(email)._reason).toMatch(reason);
  expect(requestsOf('invite-user', answers), 'viewer, editor, viewer').toHaveLength(3);
});

// ------------------------------------------------------------------------------------------------ the vendor

/** Stands in the part of a request that a row chooses, with the answers to it. */
const ANSWERS = /s-([a-z0-9.]+)-s/;

const wordOf = (name: Name, answers: string): string => `${name}-s-${answers}-s`;

function requestsOf(name: Name, answers: string): readonly ScriptedRequest[] {
  const { path: pattern } = OPERATIONS[name];
  return vendor.requests.filter(
    ({ path, body }) => pattern.test(path) && ANSWERS.exec(path + body)?.[1] === answers,
  );
}

function answerAsAsked({ path, body }: ScriptedRequest, response: ServerResponse): void {
  const names = Object.keys(OPERATIONS) as Name[];
  const name = names.find((each) => OPERATIONS[each].path.test(path));
  const answers = ANSWERS.exec(path + body)?.[1];
  if (name === undefined || answers === undefined) throw new Error(`nobody asks for ${path} ${body}`);
  const words = answers.split('.');
  const asked = requestsOf(name, answers).length;
  // The code of an invite has its word in it.
  const good = name === 'invite-user' ? `{"invite_code":"${wordOf(name, answers)}"}` : '{}';
  answer(words[Math.min(asked, words.length) - 1] ?? 'ok', good, response);
}

/** Whole answers with status 200 that are no good ones. */
const SAID: Readonly<Record<string, string>> = {
  limited: '{"error":"Rate limit exceeded."}',
  failed: '{"success":false}',
  error: '{"error":"no idea"}',
  garbage: '<html>Bad gat',
};

function answer(word: string, good: string, response: ServerResponse): void {
  const headers = { 'content-type': 'application/json' };
  if (word === 'reset') response.socket?.resetAndDestroy();
  else if (word === 'noroute') response.writeHead(404, headers).end('{"message":"Cannot POST /latest/x"}');
  else if (word === '204') response.writeHead(204).end();
  else if (/^\d+$/.test(word)) response.writeHead(Number(word), headers).end('{"error":"no, on purpose"}');
  else response.writeHead(200, headers).end(word === 'ok' ? good : SAID[word]);
}
