import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { some } from '../combinations.ts';
import { JumpingClock } from '../jumping-clock.ts';
import { OpenTeam } from './open-team.ts';
import { type ScriptedRequest, ScriptedVendor } from './scripted-vendor.ts';
import { TeamWorkplace } from './team-workplace.ts';

/*
 * Goal: every line of the table of answers (protocol, rule 9) leaves a change as promised, for every operation of the
 * service: what was applied is said so, what was refused is not done, what is lost is repeated where that is harmless
 * and held where it is not.
 * Method: a vendor that answers each request by what is written in it: `s-404.ok-s` in an e-mail address, an id or a name is
 * answered with 404 and then well. Each operation works through a list with one row for each answer. Answers that stop
 * the run have a list each. Time jumps, so that a pause and the spacing of repeats take none.
 */

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

interface Operation {
  readonly name: string;
  readonly path: RegExp;
  readonly header: string;
  /** The row that leads to a request with that word in it. */
  row(word: string): string;
  /** What makes its answer a good one. */
  readonly good: string;
  /** A lost request may be sent again by itself. */
  readonly repeats: boolean;
  /** A 404 to the repeat says that the lost one has done it. */
  readonly goneIsDone: boolean;
}

/** Sent again by itself: to do it twice does no harm. */
const REPEATS = { good: '{}', repeats: true };

/** Held: a second one would be a second mail, or a second project. */
const HELD = { repeats: false, goneIsDone: false };

const OPERATIONS: readonly Operation[] = [
  {
    name: 'create-project',
    path: /projects\/create$/,
    header: 'Name,Description',
    row: (word) => `${word},`,
    good: '{"project_id":"project-1"}',
    ...HELD,
  },
  {
    name: 'invite-user',
    path: /invite\/create$/,
    header: 'Email,Role',
    row: (word) => `${word}@team.example,viewer`,
    good: '{"invite_code":"invite-1"}',
    ...HELD,
  },
  {
    name: 'change-role',
    path: /users\/[^/]+\/update$/,
    header: 'User_ID,Role',
    row: (word) => `${word},editor`,
    goneIsDone: false,
    ...REPEATS,
  },
  {
    name: 'delete-invite',
    path: /invite\/delete$/,
    header: 'Invite_Code',
    row: (word) => word,
    goneIsDone: true,
    ...REPEATS,
  },
  {
    name: 'remove-user',
    path: /users\/[^/]+\/delete$/,
    header: 'User_ID',
    row: (word) => word,
    goneIsDone: true,
    ...REPEATS,
  },
];

type Outcome = 'applied' | 'refused' | 'in_doubt';

interface Line {
  /** What the vendor answers, one after the other, the last for ever. */
  readonly answers: string;
  outcome(operation: Operation): Outcome;
  requests(operation: Operation): number;
  readonly reason?: RegExp;
}

const REFUSED = { outcome: (): Outcome => 'refused', requests: () => 1 };
const APPLIED = { outcome: (): Outcome => 'applied' };

/** Nobody knows whether it was done. */
const LOST = ['500', '502', '503', '504', '408', '425', '499', 'reset', 'truncated'];

/** Nothing at all: for a creation, whose id is published, that is no answer; of the others nothing is. */
const EMPTY = ['blank', '204'];

const LINES: readonly Line[] = [
  { answers: 'ok', ...APPLIED, requests: () => 1 },
  ...['400', '409', '418', '422'].map((status) => ({
    answers: status,
    ...REFUSED,
    reason: new RegExp(`status ${status}, "no, on purpose"`),
  })),
  // To a first request it is never taken for done.
  { answers: '404', ...REFUSED },
  ...LOST.map(
    (lost): Line => ({
      answers: `${lost}.ok`,
      outcome: ({ repeats }) => (repeats ? 'applied' : 'in_doubt'),
      requests: ({ repeats }) => (repeats ? 2 : 1),
    }),
  ),
  {
    answers: '500.404',
    outcome: ({ repeats, goneIsDone }) => (goneIsDone ? 'applied' : repeats ? 'refused' : 'in_doubt'),
    requests: ({ repeats }) => (repeats ? 2 : 1),
  },
  // Three repeats and no more.
  { answers: '500', outcome: () => 'in_doubt', requests: ({ repeats }) => (repeats ? 4 : 1) },
  // A pause is not an attempt, so the request after it is a first one.
  ...['429.ok', '429.429.ok', 'limited.ok'].map((answers) => ({
    answers,
    ...APPLIED,
    requests: () => answers.split('.').length,
  })),
  { answers: '429.404', ...REFUSED, requests: () => 2 },
  ...EMPTY.map(
    (answers): Line => ({
      answers,
      outcome: ({ repeats }) => (repeats ? 'applied' : 'in_doubt'),
      requests: () => 1,
    }),
  ),
  // A success that says it is none, with a mark or in words. Of a creation an id may have been lost with it.
  ...['failed.ok', 'error.ok'].map(
    (answers): Line => ({
      answers,
      outcome: ({ repeats }) => (repeats ? 'refused' : 'in_doubt'),
      requests: () => 1,
    }),
  ),
  // A page came whole, so what is asked once more is asked no third time.
  { answers: 'garbage', outcome: () => 'in_doubt', requests: ({ repeats }) => (repeats ? 2 : 1) },
];

/** The row is pending, and the same command goes on when the vendor answers well. */
const STOPS: readonly (readonly [string, string])[] = [
  ['401', 'key'],
  ['402', 'vendor_credits'],
  ['301', 'address'],
  ['307', 'address'],
  // Nobody was asked: it is about the path, and no word about a person who is gone.
  ['noroute', 'address'],
];

let vendor: ScriptedVendor;
let team: TeamWorkplace;
let open: OpenTeam;

beforeAll(async () => {
  vendor = await ScriptedVendor.start(answerAsAsked);
  team = await TeamWorkplace.open({ concurrency: 1, reachedAt: vendor.url });
  open = await OpenTeam.open(team, new JumpingClock(NOW));
});

afterAll(async () => {
  vi.useRealTimers();
  await open[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

describe.each(some(OPERATIONS, 2))('$name', (operation) => {
  const input = `${operation.name}.csv`;
  const output = `${operation.name}-out.csv`;
  const run = () => open.run({ job: operation.name, input, output });

  beforeAll(async () => {
    writeList(
      operation,
      LINES.map(({ answers }) => answers),
    );
    const { stopped } = await run();
    expect(stopped).toBeNull();
  });

  test.each(LINES)('$answers', (line) => {
    const { answers, reason } = line;
    const row = team.place.rows(output)[LINES.indexOf(line)];
    expect(row?._status, row?._reason).toBe(line.outcome(operation));
    if (reason !== undefined) expect(row?._reason).toMatch(reason);
    expect(requestsOf(operation, answers)).toHaveLength(line.requests(operation));
  });

  test('the same list again: what was refused may be asked again, and nothing else is', async () => {
    const others = LINES.filter((line) => line.outcome(operation) !== 'refused');
    const before = others.map(({ answers }) => requestsOf(operation, answers).length);
    await run();
    expect(others.map(({ answers }) => requestsOf(operation, answers).length)).toEqual(before);
  });

  test.each(STOPS)('%s: stops the run (%s), and goes on later', async (status, code) => {
    const answers = `${status}.ok`;
    writeList(operation, [answers]);
    const stopping = await run();
    expect(stopping.stopped?.code).toBe(code);
    expect(stopping.counts, 'the row is pending').toEqual({});
    expect((await run()).counts).toEqual({ applied: 1 });
    expect(requestsOf(operation, answers)).toHaveLength(2);
  });

  test.runIf(operation.goneIsDone)(
    'a 404 about the path is no sign that a lost request has done it',
    async () => {
      const answers = '500.noroute.ok';
      writeList(operation, [answers]);
      const stopping = await run();
      expect(stopping.stopped?.code).toBe('address');
      expect(stopping.counts, 'what became of the first one nobody knows yet').toEqual({ in_doubt: 1 });
      expect((await run()).counts).toEqual({ applied: 1 });
      expect(requestsOf(operation, answers)).toHaveLength(3);
    },
  );
});

// ------------------------------------------------------------------------------------------------ the vendor

/** Stands in the part of a request that a row chooses, with the answers to it. */
const ANSWERS = /s-([a-z0-9.]+)-s/;

function wordOf({ name }: Operation, answers: string): string {
  return `${name}-s-${answers}-s`;
}

function writeList(operation: Operation, answers: readonly string[]): void {
  const rows = answers.map((each) => operation.row(wordOf(operation, each)));
  writeFileSync(team.place.path(`${operation.name}.csv`), `${[operation.header, ...rows].join('\n')}\n`);
}

function requestsOf(operation: Operation, answers: string): readonly ScriptedRequest[] {
  const word = wordOf(operation, answers);
  return vendor.requests.filter(
    ({ path, body }) => operation.path.test(path) && (path + body).includes(word),
  );
}

function answerAsAsked({ path, body }: ScriptedRequest, response: ServerResponse): void {
  const operation = OPERATIONS.find((each) => each.path.test(path));
  const answers = ANSWERS.exec(path + body)?.[1];
  if (operation === undefined || answers === undefined) throw new Error(`nobody asks for ${path} ${body}`);
  const words = answers.split('.');
  const asked = requestsOf(operation, answers).length;
  answer(words[Math.min(asked, words.length) - 1] ?? 'ok', operation, response);
}

/** Whole answers with status 200 that are no good ones. */
const SAID: Readonly<Record<string, string>> = {
  limited: '{"error":"Rate limit exceeded."}',
  failed: '{"success":false}',
  error: '{"error":"no idea"}',
  blank: '',
  garbage: '<html>Bad gat',
};

function answer(word: string, { good }: Operation, response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', location: '/moved' };
  if (word === 'reset') response.socket?.resetAndDestroy();
  else if (word === 'truncated') {
    response.writeHead(200, { ...headers, 'content-length': good.length + 9 }).write(good);
    response.socket?.end();
  } else if (word === 'noroute') response.writeHead(404, headers).end('{"message":"Cannot POST /latest/x"}');
  else if (word === '204') response.writeHead(204).end();
  else if (/^\d+$/.test(word)) response.writeHead(Number(word), headers).end('{"error":"no, on purpose"}');
  else response.writeHead(200, headers).end(word === 'ok' ? good : SAID[word]);
}
