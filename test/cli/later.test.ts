/**
 * Goal: a vendor that answers later is asked once for each call, whatever kills the program: its id is on the disk, and free
 * questions follow until the answer is there. What the questions meet changes nothing of what was accepted.
 * Method: the real command before a vendor on a real socket that accepts calls and answers when the test says so.
 */
import { describe, expect, test, vi } from 'vitest';
import { postgresServer } from '../ledger/stores/postgres-server.ts';
import { agreeToDialects } from '../support/agree.ts';
import { some } from '../support/combinations.ts';
import { Clocks } from './clocks.ts';
import { type Answer, type Asked, type DeskBefore, deskBefore, type JsonResult } from './desk.ts';
import type { Ended } from './rowonce.ts';

const LATER = { id: 'job', path: '/results/{id}', every: '100ms', gives_up: '2h' };
const finder = (later: object = LATER) => ({
  operations: {
    'find-email': {
      method: 'POST',
      path: '/find',
      by: ['first_name+last_name+domain'],
      later,
      gives: { email: 'data.email' },
      credits: { most: 3, found: 1, miss: 0 },
    },
  },
});

const PEOPLE = ['Ann,Lee,a.example', 'Bob,Poe,b.example', 'Cat,Roy,c.example'];
const listOf = (people: readonly string[]): string => `First,Last,Site\n${people.join('\n')}\n`;
const JOB = {
  account: 'data',
  columns: { first_name: 'First', last_name: 'Last', domain: 'Site' },
  operations: { 'find-email': { add: { Email: 'email' } } },
};

interface LaterDesk extends DeskBefore {
  /** What the vendor says to a question; it says that it is not done where that is left out. */
  result: Answer | undefined;
  run(...more: readonly string[]): Promise<Ended>;
  /** The calls that it was asked to make, by first names, in order. */
  bought(): readonly string[];
  /** How often it was asked for a result. */
  polls(): number;
  rows(): Promise<readonly string[]>;
  money(): Promise<JsonResult>;
}

const NOT_DONE = { status: 'IN_PROGRESS' };
const refusal = (code: number, error: string): Response => Response.json({ error }, { status: code });
const isPoll = ({ method }: Asked): boolean => method === 'GET';
const jobOf = ({ path }: Asked): string => /results\/job-(\w+)/.exec(path)?.[1] ?? '';
/** What it has for each person whom it knows. */
const knows =
  (...names: readonly string[]): Answer =>
  (asked) => {
    const name = jobOf(asked);
    return { status: 'DONE', data: { email: names.includes(name) ? `${name}@found.example` : null } };
  };

async function laterDesk({
  people = PEOPLE,
  dialect = finder(),
  job = {},
  account = {},
}: {
  people?: readonly string[];
  dialect?: object;
  job?: object;
  account?: object;
} = {}): Promise<LaterDesk> {
  const answer: Answer = (asked, nth) => {
    if (!isPoll(asked)) return { success: true, job: `job-${asked.input.first_name ?? 'one'}` };
    return at.result === undefined ? NOT_DONE : at.result(asked, nth);
  };
  const before = await deskBefore(answer, account);
  const { desk, asked } = before;
  const at: LaterDesk = Object.assign(before, {
    result: undefined as Answer | undefined,
    run: (...more: readonly string[]) =>
      desk.type(['run', 'job.yaml', 'list.csv', '--yes', '--budget', '900', '-o', 'out.csv', ...more]),
    bought: () => asked.filter((each) => !isPoll(each)).map(({ input }) => String(input.first_name)),
    polls: () => asked.filter(isPoll).length,
    rows: async () => {
      const [, ...rows] = (await desk.read('out.csv')).trim().split(/\r?\n/);
      return rows.map((row) => row.split(',').slice(3, 5).join(' '));
    },
    money: async () => (await desk.json(['status'])).batches[0].credits,
  });
  before.speak(dialect);
  await desk.write('job.yaml', JSON.stringify({ ...JOB, ...job }));
  await desk.write('list.csv', listOf(people));
  return at;
}

/** Accounts that the same vendor has, each below an address of its own. */
async function writeAccounts({ desk }: LaterDesk, names: readonly string[]): Promise<void> {
  const { base_url: url } = JSON.parse(await desk.read('config/accounts.yaml')).accounts.data;
  const account = (name: string) => ({
    vendor: 'provider',
    id: name,
    base_url: `${url.replace(/\/$/, '')}/${name}`,
    key: 'k',
    dialect: 'ours.yaml',
    limits: { per_second: 2_000, concurrency: 1 },
  });
  desk.place.writeAccounts(Object.fromEntries(names.map((name) => [name, account(name)])));
}

const lastLine = ({ stderr }: Ended): string => stderr.trimEnd().split('\n').slice(-2).join('\n');

test('a call that the vendor has accepted is asked for until its answer is there, and booked as that answer', async () => {
  const at = await laterDesk();
  at.result = (asked, nth) => (nth < 12 ? NOT_DONE : knows('Ann', 'Cat')(asked, nth));
  expect((await at.run()).code).toBe(0);
  expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
  expect(await at.rows()).toEqual(['Ann@found.example matched', ' no_match', 'Cat@found.example matched']);
  expect(await at.money()).toMatchObject({ spent: 2, in_doubt: 0, reserved: 0 });
});

test('what a vendor answers at once by a rule of its dialect is not asked for again', async () => {
  const dialect = {
    ...finder(),
    answers: [{ status: [200], body: { path: 'status', equals: 'DONE' }, means: 'found' }],
  };
  const at = await laterDesk({ dialect });
  at.answer = ({ input }) => ({
    status: 'DONE',
    job: 'job-1',
    data: { email: `${input.first_name}@found.example` },
  });
  expect((await at.run()).code).toBe(0);
  expect(at.polls()).toBe(0);
  expect(await at.rows()).toEqual(PEOPLE.map((row) => `${row.slice(0, 3)}@found.example matched`));
});

test('a vendor that takes the id in a body is asked by it', async () => {
  const later = { ...LATER, method: 'POST', path: '/status', fields: { id: 'jobs.0' }, body: { full: true } };
  const at = await laterDesk({ dialect: finder(later), people: PEOPLE.slice(0, 1) });
  at.answer = ({ path, input }) =>
    path === '/find' ? { job: 7 } : { data: { email: 'ann@found.example' }, of: input.jobs };
  expect((await at.run()).code).toBe(0);
  expect(at.asked.map(({ path, body }) => [path, body])[1]).toEqual([
    '/status',
    '{"jobs":["7"],"full":true}',
  ]);
});

/** Base64 and other signs that a path, a query and a body write each in their own way. */
const SIGNS = ['YWI/Y2Q+ZQ==', '/+a=%2F', '50% & more?x=1#y'];

describe('an id of any signs', () => {
  test.each([
    ['a path', {}, ({ path }: Asked) => decodeURIComponent(path.replace('/results/', ''))],
    ['a query', { path: '/results?of={id}' }, ({ input }: Asked) => input.of],
    ['a query of its own', { path: '/results' }, ({ input }: Asked) => input.id],
    ['a body', { path: '/results', method: 'POST', fields: { id: 'of' } }, ({ input }: Asked) => input.of],
  ] as const)('in %s is the id by which the vendor is asked', async (_, more, idIn) => {
    const at = await laterDesk({ dialect: finder({ ...LATER, ...more }) });
    at.answer = (asked) => {
      const { path, input } = asked;
      if (path === '/find')
        return { job: SIGNS[PEOPLE.findIndex((row) => row.startsWith(`${input.first_name},`))] };
      const name = PEOPLE[SIGNS.indexOf(idIn(asked) ?? '')]?.slice(0, 3);
      return name === undefined ? refusal(404, 'no such job') : { data: { email: `${name}@found.example` } };
    };
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(await at.rows()).toEqual(PEOPLE.map((row) => `${row.slice(0, 3)}@found.example matched`));
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
  });

  test('that would lead out of the address of the account is asked nowhere', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 1) });
    at.answer = () => ({ status: 'IN_PROGRESS', job: '../../admin' });
    expect((await at.run()).code).toBe(3);
    expect(at.polls()).toBe(0);
  });
});

describe('an id that the vendor gives to several calls', () => {
  const SHARED = ['Ann,Lee,a.example', 'Bob,Poe,b.example', 'Cat,Roy,c.example', 'Dan,Moe,d.example'];
  /** Ann and Bob get the id of Cat, and Dan his own. */
  const sharedDesk = async (more: Parameters<typeof laterDesk>[0] = {}) => {
    const at = await laterDesk({ people: SHARED, ...more });
    const { answer } = at;
    at.answer = (asked, nth) => {
      if (isPoll(asked)) return answer(asked, nth);
      return { job: asked.input.first_name === 'Dan' ? 'job-Dan' : 'job-Cat' };
    };
    return at;
  };
  const IN_DOUBT = [' in_doubt', ' in_doubt', ' in_doubt', 'Dan@found.example matched'];

  test("is nobody's: all of them are in doubt, nobody asks by it, and a person settles them", async () => {
    const at = await sharedDesk();
    at.result = (asked, nth) => (at.bought().length < 4 ? NOT_DONE : knows('Cat', 'Dan')(asked, nth));
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(3);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Dan']);
    expect(await at.rows()).toEqual(IN_DOUBT);
    expect(await at.money()).toMatchObject({ spent: 1, in_doubt: 9, reserved: 0 });
    const { desk } = at;
    const { in_doubt: doubts } = await desk.json(['settle', 'last']);
    expect(doubts.map(({ why }: { why: string }) => why)).toEqual(
      [1, 2, 3].map(() => expect.stringContaining('the vendor gave the id "job-Cat" to another call, too')),
    );
    const polls = at.polls();
    expect((await at.run()).code).toBe(3);
    await desk.type(['settle', 'last', '2', '--not-done']);
    await desk.type(['settle', 'last', '3', '--answer', 'email=bob@told.example']);
    at.answer = (asked, nth) => (isPoll(asked) ? knows('Cat', 'Ann')(asked, nth) : { job: 'job-Ann' });
    expect((await at.run()).code).toBe(3);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Dan', 'Ann']);
    expect(await at.rows()).toEqual([
      'Ann@found.example matched',
      'bob@told.example matched',
      ' in_doubt',
      'Dan@found.example matched',
    ]);
    expect(at.asked.slice(4 + polls).map(jobOf)).not.toContain('Cat');
  });

  test("is nobody's for a later list, too", async () => {
    const at = await sharedDesk({ people: SHARED.slice(0, 1) });
    expect((await at.run('--max-pause', '1s')).code).toBe(75);
    await at.desk.write('list.csv', listOf(SHARED.slice(1)));
    at.result = knows('Cat', 'Dan');
    at.result = (asked, nth) => (jobOf(asked) === 'Cat' ? NOT_DONE : knows('Dan')(asked, nth));
    expect((await at.run()).code).toBe(3);
    expect(await at.rows()).toEqual([' in_doubt', ' in_doubt', 'Dan@found.example matched']);
    await at.desk.write('list.csv', listOf(SHARED.slice(0, 1)));
    at.result = knows('Cat', 'Dan');
    expect((await at.run()).code).toBe(3);
    expect(await at.rows()).toEqual([' in_doubt']);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Dan']);
  });

  test('stops the run after five in a row, also once more at its next start, and says what to look at', async () => {
    const people = [...'abcdefghij'].map((each) => `B${each},Lee,${each}.example`);
    const at = await laterDesk({ people });
    at.answer = (asked) => (isPoll(asked) ? NOT_DONE : { job: 'job-One' });
    const stopped = await at.run();
    expect(stopped.code, stopped.stderr).toBe(75);
    expect(stopped.stderr).toContain('The vendor answers later, and gave one id to several calls');
    expect(at.bought()).toHaveLength(6);
    expect((await at.run()).code).toBe(75);
    expect(at.bought()).toHaveLength(6);
    expect((await at.run('--accept', 'later')).code).toBe(3);
    expect(at.bought()).toHaveLength(10);
  });

  test('as a mended dialect finds it in replies that are in doubt, is asked for by none of them', async () => {
    const { later: _, ...without } = finder().operations['find-email'];
    const at = await sharedDesk({ dialect: { operations: { 'find-email': without } } });
    const { answer } = at;
    at.answer = (asked, nth) => {
      const said = answer(asked, nth);
      return isPoll(asked) ? said : { status: 'IN_PROGRESS', ...(said as object) };
    };
    expect((await at.run()).code).toBe(3);
    at.speak(finder());
    at.result = knows('Cat', 'Dan');
    expect((await at.run()).code).toBe(3);
    expect(await at.rows()).toEqual(IN_DOUBT);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Dan']);
  });

  test("is nobody's wherever the program is killed meanwhile", async () => {
    const at = await sharedDesk();
    at.result = (asked, nth) => (at.bought().length < 4 ? NOT_DONE : knows('Cat', 'Dan')(asked, nth));
    for (const crashAt of [
      'after-keep',
      'after-judge:2',
      'before-commit:5',
      'after-commit:6',
      'after-end:2',
    ]) {
      const env = { ROWONCE_CRASH_AT: crashAt };
      const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv'];
      expect([null, 3]).toContain((await at.desk.type(words, { env })).code);
    }
    expect((await at.run()).code).toBe(3);
    expect(new Set(at.bought()).size).toBe(at.bought().length);
    expect((await at.rows()).slice(0, 3)).toEqual(IN_DOUBT.slice(0, 3));
    expect((await at.desk.type(['store', 'check'])).code).toBe(0);
  });
});

describe('a program that is killed', () => {
  const run = async (at: LaterDesk, crashAt: string) => {
    const env = { ROWONCE_CRASH_AT: crashAt };
    const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv'];
    expect((await at.desk.type(words, { env })).code).toBe(null);
  };

  test.each(some(['after-keep', 'after-keep:2', 'after-judge', 'after-judge:2', 'after-end:3'], 3))(
    'at %s sends nothing again, because it has the id or the reply in which the id stands',
    async (point) => {
      const at = await laterDesk();
      await run(at, point);
      at.result = knows('Ann', 'Bob', 'Cat');
      expect((await at.run()).code).toBe(0);
      expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
      expect(await at.rows()).toEqual(PEOPLE.map((row) => `${row.slice(0, 3)}@found.example matched`));
      expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
    },
  );

  test.each(['after-send', 'before-keep'])(
    'at %s has the call in doubt, and sends it no more',
    async (point) => {
      const at = await laterDesk();
      await run(at, point);
      at.result = knows('Ann', 'Bob', 'Cat');
      expect((await at.run()).code).toBe(3);
      expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
      expect(await at.money()).toMatchObject({ spent: 2, in_doubt: 3 });
    },
  );

  test('at the end of a call has at most the call behind it in doubt', async () => {
    const at = await laterDesk();
    await run(at, 'after-end');
    at.result = knows('Ann', 'Bob', 'Cat');
    expect([0, 3]).toContain((await at.run()).code);
    expect(new Set(at.bought()).size).toBe(at.bought().length);
    expect((await at.money()).in_doubt).toBeLessThanOrEqual(3);
  });
});

describe('a question for an answer', () => {
  test.each([
    ['a 404', () => refusal(404, 'no such job')],
    ['another 4xx', () => refusal(400, 'bad id')],
    ['a 402', () => refusal(402, 'no credits')],
    ['a 5xx', () => refusal(503, 'oops')],
    ['silence', (): undefined => undefined],
    ['an answer that nobody can read', () => '<html>'],
    ['a success that says no', () => ({ error: 'invalid input', success: false })],
  ] satisfies readonly [string, () => ReturnType<Answer>][])(
    'that meets %s says "not yet", and the next one is asked',
    async (_, said) => {
      const at = await laterDesk();
      at.result = (asked, nth): ReturnType<Answer> =>
        nth < 25 ? said() : knows('Ann', 'Bob', 'Cat')(asked, nth);
      expect((await at.run()).code).toBe(0);
      expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
      expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
    },
  );

  test('that lacks the place of what is looked for says "not yet", unless a rule of the dialect reads it', async () => {
    const answers = [{ status: [200], body: { path: 'status', equals: 'READY' }, means: 'as_stated' }];
    const at = await laterDesk({ dialect: { ...finder(), answers } });
    at.result = (asked, nth): object => {
      if (nth < 25) return { status: 'working' };
      return jobOf(asked) === 'Bob' ? { status: 'READY' } : (knows('Ann', 'Cat')(asked, nth) as object);
    };
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
    expect(await at.rows()).toEqual(['Ann@found.example matched', ' no_match', 'Cat@found.example matched']);
    expect(await at.money()).toMatchObject({ spent: 2, in_doubt: 0, reserved: 0 });
  });

  test('that meets a dead key stops the run with 77, and leaves what was accepted as it is', async () => {
    const at = await laterDesk();
    at.result = () => Response.json({ error: 'Invalid API key' }, { status: 401 });
    expect((await at.run()).code).toBe(77);
    const bought = at.bought();
    expect(await at.money()).toMatchObject({ in_doubt: 0, reserved: 3 * bought.length });
    at.result = knows('Ann', 'Bob', 'Cat');
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
  });

  test('that meets a 403 stops the run with 77 until its time is over, and then no more', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 2) });
    const clocks = new Clocks(at.desk.place.path('clock.json'));
    const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv'];
    const run = () => at.desk.type(words, { env: clocks.env });
    let date = new Date().toUTCString();
    at.result = (asked, nth) => {
      if (jobOf(asked) !== 'Ann') return Response.json(knows('Bob')(asked, nth), { headers: { date } });
      const answer = refusal(403, 'This result is not yours');
      answer.headers.set('date', date);
      return answer;
    };
    expect((await run()).code).toBe(77);
    expect((await run()).code).toBe(77);
    const dayMs = 24 * 3_600_000;
    clocks.set({ wallMs: dayMs });
    date = new Date(Date.now() + dayMs).toUTCString();
    expect((await run()).code).toBe(3);
    expect(await at.rows()).toEqual([' in_doubt', 'Bob@found.example matched']);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
    expect((await run()).code).toBe(3);
  });

  test('that comes too fast makes the account wait, and is asked again', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 1) });
    let refusedAt = 0;
    at.result = (asked, nth) => {
      if (refusedAt > 0) return knows('Ann')(asked, nth);
      refusedAt = Date.now();
      return Response.json({ error: 'Too many requests' }, { status: 429, headers: { 'retry-after': '1' } });
    };
    expect((await at.run()).code).toBe(0);
    expect(Date.now() - refusedAt).toBeGreaterThan(900);
    expect(at.bought()).toEqual(['Ann']);
  });

  test('takes at most every second permit while rows wait to be bought', async () => {
    const letters = [...'abcdefghij'].flatMap((one) => [...'aeio'].map((other) => `B${other}${one}`));
    const people = letters.map((name) => `${name},Lee,${name.toLowerCase()}.example`);
    const account = { limits: { per_second: 50, concurrency: 1 } };
    const at = await laterDesk({ people, account, dialect: finder({ ...LATER, every: '0s' }) });
    const names = people.map((row) => row.split(',')[0] ?? '');
    at.result = (asked, nth) => (at.bought().length < 40 ? NOT_DONE : knows(...names)(asked, nth));
    expect((await at.run()).code).toBe(0);
    const kinds = at.asked.map((each) => (isPoll(each) ? 'poll' : 'buys'));
    const buying = kinds.slice(1, kinds.lastIndexOf('buys'));
    expect(buying.filter((kind) => kind === 'poll').length).toBeLessThanOrEqual(buying.length / 2 + 1);
    expect(at.bought()).toEqual(names);
  });
});

describe('a rule of the dialect that reads a later answer as a failure ends the wait', () => {
  const CANCELED = { status: 'CANCELED', reason: 'The queue was closed' };
  const failing = (rule: object): object => ({
    ...finder(),
    answers: [{ status: [200], body: { path: 'status', equals: 'CANCELED' }, ...rule }],
  });
  const annFails: Answer = (asked, nth) =>
    jobOf(asked) === 'Ann' ? CANCELED : knows('Bob', 'Cat')(asked, nth);
  const reason = async (at: LaterDesk): Promise<string> =>
    (await at.desk.read('out.csv')).split('\n')[1] ?? '';

  test.each([
    ['at most', {}, { spent: 5, exact: false }],
    ['at nothing', { charged: false }, { spent: 2 }],
    ['as a match', { charged: true }, { spent: 3 }],
  ])('refused, and booked %s', async (_, charged, money) => {
    const at = await laterDesk({ dialect: failing({ means: 'refused', ...charged }) });
    at.result = annFails;
    expect((await at.run()).code).toBe(3);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
    expect(await at.rows()).toEqual([' refused', 'Bob@found.example matched', 'Cat@found.example matched']);
    expect(await reason(at)).toContain('The queue was closed');
    expect(await at.money()).toMatchObject({ ...money, in_doubt: 0, reserved: 0 });
    expect((await at.run()).code).toBe(3);
    expect(at.bought(), 'and is not sent again').toEqual(['Ann', 'Bob', 'Cat']);
  });

  test('in doubt, with what the vendor said last in the row, in settle and on the terminal', async () => {
    const at = await laterDesk({ dialect: failing({ means: 'in_doubt' }) });
    at.result = annFails;
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('The queue was closed');
    expect(await at.rows()).toEqual([' in_doubt', 'Bob@found.example matched', 'Cat@found.example matched']);
    expect(await reason(at)).toContain('The queue was closed');
    expect(await at.money()).toMatchObject({ spent: 2, in_doubt: 3, reserved: 0 });
    const { batch } = (await at.desk.json(['status'])).batches[0];
    expect((await at.desk.type(['settle', batch])).stdout).toContain('The queue was closed');
    expect((await at.run()).code).toBe(3);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
    at.speak(failing({ means: 'refused', charged: false }));
    expect((await at.run()).code, 'and a mended rule ends it').toBe(3);
    expect(await at.rows()).toEqual([' refused', 'Bob@found.example matched', 'Cat@found.example matched']);
    expect(await at.money()).toMatchObject({ spent: 2, in_doubt: 0, reserved: 0 });
  });

  test('used-up credits that were free stop the run, and the same command sends the call again', async () => {
    const at = await laterDesk({ dialect: failing({ means: 'credits_used_up', charged: false }) });
    at.result = annFails;
    const stopped = await at.run();
    expect(stopped.code, stopped.stderr).toBe(4);
    expect((await at.rows())[0]).toBe(' pending');
    expect((await at.money()).in_doubt).toBe(0);
    const before = at.bought();
    at.result = knows('Ann', 'Bob', 'Cat');
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(at.bought().filter((name) => name === 'Ann')).toHaveLength(2);
    expect(at.bought().slice(before.length)).toContain('Ann');
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
  });

  test('used-up credits of what an earlier run had accepted stop nothing: all is sent again in one run', async () => {
    const at = await laterDesk({ dialect: failing({ means: 'credits_used_up', charged: false }) });
    expect((await at.run('--max-pause', '1s')).code).toBe(75);
    const failed = new Set<string>();
    at.result = (asked, nth) => {
      const name = jobOf(asked);
      if (failed.has(name)) return knows('Ann', 'Bob', 'Cat')(asked, nth);
      failed.add(name);
      return CANCELED;
    };
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Ann', 'Bob', 'Cat']);
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
  });

  test('used-up credits that may have been charged stop the run once, and the call is in doubt', async () => {
    const at = await laterDesk({
      dialect: failing({ means: 'credits_used_up' }),
      people: PEOPLE.slice(0, 2),
    });
    at.result = annFails;
    expect((await at.run()).code).toBe(4);
    const next = await at.run();
    expect(next.code, next.stderr).toBe(3);
    expect(await at.rows()).toEqual([' in_doubt', 'Bob@found.example matched']);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
  });

  test.each([
    ['refused', ['/one/find', '/two/find'], 'Two@found.example'],
    ['in_doubt', ['/one/find'], ''],
  ])('and after %s the next account is asked: %j', async (means, asks, found) => {
    const at = await laterDesk({
      people: PEOPLE.slice(0, 1),
      dialect: failing({ means }),
      job: {
        account: undefined,
        operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } },
      },
    });
    await writeAccounts(at, ['one', 'two']);
    at.answer = ({ method, path }) => {
      if (method === 'POST') return { job: path.startsWith('/one') ? 'job-Ann' : 'job-Two' };
      return path.startsWith('/one') ? CANCELED : { data: { email: 'Two@found.example' } };
    };
    const ended = await at.run();
    expect([0, 3]).toContain(ended.code);
    expect(at.asked.filter((each) => !isPoll(each)).map(({ path }) => path)).toEqual(asks);
    expect((await at.rows())[0]).toContain(found);
  });

  /** What each account was asked to make, such as `one Ann`, in order. */
  const boughtAt = (at: LaterDesk): readonly string[] =>
    at.asked
      .filter((each) => !isPoll(each))
      .map(({ path, input }) => `${path.split('/')[1]} ${input.first_name}`);

  /** Account one accepts each call, and says later that its credits are used up. */
  async function usedUpAtOne(rule: object, job: object = {}): Promise<LaterDesk> {
    const operations = { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } };
    const at = await laterDesk({
      dialect: failing({ means: 'credits_used_up', ...rule }),
      job: { account: undefined, operations, ...job },
    });
    await writeAccounts(at, ['one', 'two']);
    at.answer = ({ method, path, input }) => {
      if (method === 'POST') return { job: `job-${input.first_name}` };
      if (path.startsWith('/one')) return CANCELED;
      return { status: 'DONE', data: { email: `${path.split('-').at(-1)}@two.example` } };
    };
    return at;
  }

  const ALL_AT_TWO = PEOPLE.map((row) => `${row.slice(0, 3)}@two.example two`);

  test('used-up credits that were free lead on to the next account in the same run', async () => {
    const at = await usedUpAtOne({ charged: false });
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(await at.rows()).toEqual(ALL_AT_TWO);
    expect(boughtAt(at).filter((each) => each.startsWith('two'))).toEqual(['two Ann', 'two Bob', 'two Cat']);
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 0 });
    const before = at.asked.length;
    expect((await at.run()).code).toBe(0);
    expect(at.asked.length, 'and nothing is asked again').toBe(before);
  });

  test('used-up credits of a call leave the questions for what the account had accepted, beside the next account', async () => {
    const at = await usedUpAtOne({ charged: false });
    const { answer: usual } = at;
    let isDone = false;
    at.answer = (asked, nth) => {
      const { method, path, input } = asked;
      if (path.startsWith('/two')) return usual(asked, nth);
      if (method === 'POST') return input.first_name === 'Ann' ? { job: 'job-Ann' } : CANCELED;
      return isDone ? knows('Ann')(asked, nth) : NOT_DONE;
    };
    const stopped = await at.run('--max-pause', '10s');
    expect(stopped.code, stopped.stderr).toBe(4);
    isDone = true;
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(await at.rows()).toEqual(['Ann@found.example one', ...ALL_AT_TWO.slice(1)]);
    expect(boughtAt(at).filter((each) => each.endsWith('Ann'))).toEqual(['one Ann']);
  });

  test.each(some(['refused', 'in_doubt'], 1))(
    '%s, as well where the program is killed at each commit',
    async (means) => {
      const at = await laterDesk({ dialect: failing({ means }) });
      at.result = annFails;
      const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv'];
      for (let nth = 1; nth < 9; nth += 1) {
        const env = { ROWONCE_CRASH_AT: `after-commit:${nth}` };
        expect([null, 3]).toContain((await at.desk.type(words, { env })).code);
      }
      expect((await at.run()).code).toBe(3);
      expect(new Set(at.bought()).size, 'nothing is sent twice').toBe(at.bought().length);
      expect((await at.rows())[0], 'what was lost with its id is in doubt').toMatch(/ (?:refused|in_doubt)$/);
    },
  );
});

describe('a vendor that takes its time', () => {
  const shortly = ['--max-pause', '1s'];

  test('ends the run with 75, its rows are pending, and nothing is to settle or to buy', async () => {
    const at = await laterDesk();
    const ended = await at.run(...shortly);
    expect(ended.code).toBe(75);
    expect(lastLine(ended)).toContain('rowonce run job.yaml list.csv');
    expect(ended.stderr).toContain('Account data answers later, and is asked until it has answered.');
    expect(ended.stderr).toContain('The vendor has accepted 3 calls, and nothing was answered in 1 s.');
    expect(await at.rows()).toEqual(PEOPLE.map(() => ' pending'));
    expect(await at.money()).toMatchObject({ spent: 0, in_doubt: 0, reserved: 9 });
    const { desk } = at;
    const batch = (await desk.json(['status'])).batches[0].batch;
    expect((await desk.json(['settle', batch])).in_doubt).toEqual([]);
    expect((await desk.type(['status', batch, '2'])).stdout).toMatch(
      /accepted at .* \(the vendor answers later, by its id "?job-Ann"?\)/,
    );
    expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ to_buy: 0, accepted: 3 });
    expect((await desk.type(['plan', 'job.yaml', 'list.csv'])).stdout).toMatch(/answered later +3\n/);
  });

  test('leaves in the plan what may be bought where it has nothing', async () => {
    const by = ['first_name+last_name+domain', 'full_name+domain'];
    const { 'find-email': entry } = finder().operations;
    const at = await laterDesk({
      dialect: { operations: { 'find-email': { ...entry, by } } },
      job: { operations: { 'find-email': { waterfall: by, add: { Email: 'email' } } } },
    });
    expect((await at.run(...shortly)).code).toBe(75);
    const planned = await at.desk.json(['plan', 'job.yaml', 'list.csv']);
    expect(planned).toMatchObject({ to_buy: 0, accepted: 3, credits: { most: 9 } });
  });

  test('is asked by the next run, before anything is bought, and that run finishes the rows', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 2) });
    await at.run('--limit', '1', ...shortly);
    const before = at.asked.length;
    at.result = knows('Ann', 'Bob');
    expect((await at.run()).code).toBe(0);
    expect(at.asked.slice(before).map(({ path }) => path)[0]).toBe('/results/job-Ann');
    expect(at.bought()).toEqual(['Ann', 'Bob']);
  });

  test('is not given up by a day that has passed, but by a question that still says "not yet"', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 2) });
    const clocks = new Clocks(at.desk.place.path('clock.json'));
    const run = (maxPause: string) =>
      at.desk.type(
        ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv', '--max-pause', maxPause],
        { env: clocks.env },
      );
    expect((await run('1s')).code).toBe(75);
    const dayMs = 24 * 3_600_000;
    clocks.set({ wallMs: dayMs });
    const date = new Date(Date.now() + dayMs).toUTCString();
    at.result = (asked, nth) =>
      Response.json(jobOf(asked) === 'Ann' ? knows('Ann')(asked, nth) : NOT_DONE, { headers: { date } });
    expect((await run('10m')).code).toBe(3);
    expect(await at.rows()).toEqual(['Ann@found.example matched', ' in_doubt']);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
    expect(await at.money()).toMatchObject({ spent: 1, in_doubt: 3, reserved: 0 });
  });

  test('whose answer comes after it was given up is asked once by each run, before anything else is done', async () => {
    const at = await laterDesk({
      people: PEOPLE.slice(0, 1),
      dialect: finder({ ...LATER, gives_up: '1s' }),
      job: { in_doubt: { retry: { extra_credits: 9 } } },
    });
    expect((await at.run()).code).toBe(3);
    const [before, batch] = [at.polls(), (await at.desk.json(['status'])).batches[0].batch];
    expect((await at.desk.json(['settle', batch])).in_doubt).toHaveLength(1);
    expect((await at.run()).code).toBe(3);
    expect(at.polls()).toBe(before + 1);
    await at.desk.type(['settle', batch, '--retry', '--yes']);
    at.result = knows('Ann');
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual(['Ann']);
    expect(await at.rows()).toEqual(['Ann@found.example matched']);
    expect(await at.money()).toMatchObject({ spent: 1, in_doubt: 0, reserved: 0 });
  });

  test('and had said the answer at once, by a dialect that is mended after it was given up, is believed', async () => {
    const later = { ...LATER, gives_up: '1s' };
    const at = await laterDesk({ people: PEOPLE.slice(0, 1), dialect: finder(later) });
    const said = { job: 'job-Ann', data: { email: 'Ann@found.example' } };
    at.answer = (asked) => (isPoll(asked) ? NOT_DONE : said);
    expect((await at.run()).code).toBe(3);
    const found = { status: [200], body: { path: 'data.email', matches: '@' }, means: 'found' };
    at.speak({ ...finder(later), answers: [found] });
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(at.bought()).toEqual(['Ann']);
    expect(await at.rows()).toEqual(['Ann@found.example matched']);
    expect(await at.money()).toMatchObject({ in_doubt: 0, reserved: 0 });
  });

  test('and says it to the question after it was given up has it in all rows that wait for it', async () => {
    const dialect = finder({ ...LATER, every: '1100ms', gives_up: '1s' });
    const at = await laterDesk({ people: ['Ann,Lee,a.example', 'Ann,Lee,a.example'], dialect });
    at.result = (asked, nth) => (at.polls() < 2 ? NOT_DONE : knows('Ann')(asked, nth));
    expect((await at.run()).code).toBe(0);
    expect(await at.rows()).toEqual(['Ann@found.example matched', 'Ann@found.example matched']);
    expect(at.bought()).toEqual(['Ann']);
  });
});

test('a row that is given up while the run works on its doubts has the answer that an equal row gets', async () => {
  const people = ['Cat,Roy,c.example', 'Ann,Lee,a.example', 'Ann,Lee,a.example'];
  const account = { limits: { per_second: 2_000, concurrency: 2 } };
  const at = await laterDesk({ people, account, dialect: finder({ ...LATER, gives_up: '1s' }) });
  const { desk } = at;
  const clocks = new Clocks(desk.place.path('clock.json'));
  const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '90', '-o', 'out.csv'];
  const run = (...more: readonly string[]) => desk.type([...words, ...more], { env: clocks.env });
  expect((await run('--limit', '1')).code).toBe(3);
  at.speak(finder({ ...LATER, gives_up: '10m' }));
  expect((await run('--max-pause', '1s')).code).toBe(75);
  expect(await at.rows()).toEqual([' in_doubt', ' pending', ' pending']);
  const { batch } = (await desk.json(['status'])).batches[0];
  const doubts = async () => (await desk.json(['settle', batch])).in_doubt.length;
  let aheadMs = 0;
  let isGivenUp = false;
  at.result = async (asked, nth) => {
    if (jobOf(asked) === 'Cat') {
      aheadMs = 20 * 60_000;
      clocks.set({ wallMs: aheadMs });
      await vi.waitUntil(async () => (await doubts()) === 2, { timeout: 30_000, interval: 100 });
      isGivenUp = true;
    }
    const answer = isGivenUp ? knows('Ann', 'Cat')(asked, nth) : NOT_DONE;
    return Response.json(answer, { headers: { date: new Date(Date.now() + aheadMs).toUTCString() } });
  };
  expect((await run()).code).toBe(0);
  expect(await at.rows()).toEqual(['Cat', 'Ann', 'Ann'].map((name) => `${name}@found.example matched`));
  expect(at.bought()).toEqual(['Cat', 'Ann']);
});

describe('a person decides about what the vendor has accepted', () => {
  const WHO = { Ann: '2', Bob: '3', Cat: '4' };
  /** Three calls are accepted, and the run has ended. */
  const waitingDesk = async (more: Parameters<typeof laterDesk>[0] = {}): Promise<LaterDesk> => {
    const at = await laterDesk(more);
    expect((await at.run('--max-pause', '1s')).code).toBe(75);
    return at;
  };

  test('who sees in `settle` what waits, since when and what is at risk', async () => {
    const { desk } = await waitingDesk();
    const { stdout, stderr } = await desk.type(['settle', 'last']);
    expect(stdout).toMatch(/^row 2, .*: accepted since 20.*Z, 3 credits at risk: the vendor answers later/);
    expect(stdout).toMatch(/\n3 accepted, 9 credits at risk\.\n$/);
    expect(stderr).toContain('--skip (books the most)');
    expect(await desk.json(['settle', 'last'])).toMatchObject({
      at_risk: 0,
      in_doubt: [],
      accepted: [2, 3, 4].map((row) => ({ row, credits: 3, account: 'data' })),
    });
  });

  test('by --skip, which books the most and ends the row, by --not-done, which frees it, and by --answer', async () => {
    const at = await waitingDesk();
    const { desk } = at;
    const settle = (...words: readonly string[]) => desk.type(['settle', 'last', ...words]);
    expect(await settle(WHO.Ann, '--skip')).toMatchObject({ code: 0, stdout: 'Noted for 1 call: skip.\n' });
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 6 });
    expect((await settle(WHO.Bob, '--not-done')).code).toBe(0);
    expect(await at.money()).toMatchObject({ spent: 3, in_doubt: 0, reserved: 3 });
    expect((await settle(WHO.Cat, '--answer', 'email=cat@told.example')).code).toBe(0);
    expect(await at.money()).toMatchObject({ spent: 6, in_doubt: 0, reserved: 0 });
    expect((await desk.type(['settle', 'last'])).stdout).toMatch(/^Nothing in batch .* is in doubt\.\n$/);
    at.result = knows('Ann', 'Bob', 'Cat');
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Bob']);
    expect(await at.rows()).toEqual([' skipped', 'Bob@found.example matched', 'cat@told.example matched']);
    expect(await at.money()).toMatchObject({ spent: 7, in_doubt: 0, reserved: 0 });
    expect((await desk.type(['store', 'check'])).code).toBe(0);
  });

  test('by --retry of its row, which sends it again beside the first one', async () => {
    const at = await waitingDesk({ people: PEOPLE.slice(0, 1) });
    await at.desk.type(['settle', 'last', '2', '--retry', '--extra-credits', '3']);
    at.result = (asked, nth) => (at.bought().length < 2 ? NOT_DONE : knows('Ann')(asked, nth));
    expect((await at.run()).code).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Ann']);
  });

  test('of which every row of the list that waits for a skipped call is skipped, and another list holds it', async () => {
    const at = await waitingDesk({ people: [PEOPLE[0] ?? '', PEOPLE[0] ?? ''] });
    await at.desk.type(['settle', 'last', '--skip']);
    at.result = knows('Ann');
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(0);
    expect(await at.rows()).toEqual([' skipped', ' skipped']);
    await at.desk.write('other.csv', listOf([PEOPLE[0] ?? '', PEOPLE[1] ?? '']));
    at.result = knows('Ann', 'Bob');
    const words = ['run', 'job.yaml', 'other.csv', '--budget', '90', '-o', 'out.csv'];
    expect((await at.desk.type(words)).code).toBe(3);
    expect(await at.rows()).toEqual([' in_doubt', 'Bob@found.example matched']);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
    expect((await at.desk.type([...words, '--yes'])).code).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Ann']);
  });

  test('also where its account was taken out of accounts.yaml, and where the batch was cancelled', async () => {
    const at = await waitingDesk();
    const { desk } = at;
    const { batch } = (await desk.json(['status'])).batches[0];
    const cancelled = await desk.type(['cancel', batch]);
    expect(cancelled.stdout).toContain('What is in doubt or answered later keeps 9 credits.');
    expect(cancelled.stderr).toContain(`settle ${batch}\n`);
    expect(await at.money()).toMatchObject({ spent: 0, reserved: 9 });
    desk.place.writeAccounts({
      other: { vendor: 'provider', id: 'other', base_url: 'http://127.0.0.1:9', key: 'k' },
    });
    expect((await desk.json(['settle', batch])).accepted).toHaveLength(3);
    for (const [row, decision] of [
      ['2', '--skip'],
      ['3', '--not-done'],
    ] as const) {
      const noted = await desk.type(['settle', batch, row, decision]);
      expect(noted.code, noted.stderr).toBe(0);
    }
    const told = await desk.type(['settle', batch, '--answer', 'no_match']);
    expect(told.code, told.stderr).toBe(0);
    expect(await at.money()).toMatchObject({ spent: 6, in_doubt: 0, reserved: 0 });
    expect((await desk.type(['settle', batch])).stdout).toMatch(/^Nothing in batch .* is in doubt\.\n$/);
  });

  test('and without a row only about it where nothing is in doubt', async () => {
    const at = await laterDesk({ people: PEOPLE.slice(0, 2) });
    const { answer } = at;
    at.answer = (asked, nth) => (asked.input.first_name === 'Ann' ? undefined : answer(asked, nth));
    expect((await at.run('--max-pause', '1s')).code).toBe(75);
    const { desk } = at;
    expect((await desk.type(['settle', 'last', '--not-done'])).stdout).toBe('Noted for 1 call: not done.\n');
    expect(await desk.json(['settle', 'last'])).toMatchObject({ in_doubt: [], accepted: [{ row: 3 }] });
    expect(await at.money()).toMatchObject({ in_doubt: 0, reserved: 3 });
  });
});

test('a run that has nothing left but later answers writes its output at once, and says for whom and until when', async () => {
  const at = await laterDesk();
  let early: readonly string[] = [];
  at.result = async (asked, nth) => {
    if (jobOf(asked) === 'Ann') return knows('Ann')(asked, nth) as object;
    await vi.waitUntil(
      async () => {
        early = early[0]?.startsWith('Ann@') ? early : await at.rows().catch(() => []);
        return early[0]?.startsWith('Ann@');
      },
      { timeout: 30_000, interval: 50 },
    );
    return knows('Bob', 'Cat')(asked, nth) as object;
  };
  const ended = await at.run('--max-pause', '5m');
  expect(ended.code, ended.stderr).toBe(0);
  expect(early).toEqual(['Ann@found.example matched', ' pending', ' pending']);
  expect(ended.stderr).toMatch(/Nothing is left but \d answers? of data, which come later\. .* until 20/);
});

describe('what the vendor has accepted', () => {
  test('holds its money, and what no budget is left for waits until an answer gives some back', async () => {
    const at = await laterDesk();
    const held: number[] = [];
    at.result = (asked, nth) => {
      held.push(at.bought().length);
      return nth < 10 ? NOT_DONE : knows('Bob')(asked, nth);
    };
    const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '6', '-o', 'out.csv'];
    expect((await at.desk.type(words)).code).toBe(0);
    expect(held.slice(0, 5).every((bought) => bought <= 2)).toBe(true);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
    expect(await at.money()).toMatchObject({ spent: 1, reserved: 0 });
  });

  test('ends a run with 75 also where the budget is held by it', async () => {
    const at = await laterDesk();
    const words = [
      'run',
      'job.yaml',
      'list.csv',
      '--yes',
      '--budget',
      '6',
      '-o',
      'out.csv',
      '--max-pause',
      '1s',
    ];
    expect((await at.desk.type(words)).code).toBe(75);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
  });

  test('by a batch that was cancelled is asked for by the next run of the account', async () => {
    const at = await laterDesk();
    await at.run('--max-pause', '1s');
    const batch = (await at.desk.json(['status'])).batches[0].batch;
    expect((await at.desk.type(['cancel', batch])).code).toBe(0);
    at.result = knows('Ann', 'Bob', 'Cat');
    await at.desk.write('other.csv', listOf(['Dan,Moe,d.example']));
    at.result = knows('Ann', 'Bob', 'Cat', 'Dan');
    expect(
      (await at.desk.type(['run', 'job.yaml', 'other.csv', '--yes', '--budget', '90', '-o', 'o.csv'])).code,
    ).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat', 'Dan']);
    expect((await at.desk.json(['status', batch])).credits).toMatchObject({ spent: 3, reserved: 0 });
  });

  test('about a person who is forgotten is booked at the most that it may cost, and is never asked for again', async () => {
    const at = await laterDesk({
      people: ['Ann,Lee,ann@a.example'],
      dialect: {
        operations: {
          'enrich-person': { method: 'POST', path: '/find', later: LATER, credits: { most: 3, found: 1 } },
        },
      },
      job: { columns: { email: 'Site' }, operations: { 'enrich-person': { add: { Title: 'title' } } } },
    });
    expect((await at.run('--max-pause', '1s')).code).toBe(75);
    const { desk } = at;
    const forgot = await desk.type(['forget', 'ann@a.example', '--yes']);
    expect(forgot.code, forgot.stderr).toBe(0);
    expect(await at.money()).toMatchObject({
      spent: 3,
      exact: false,
      reserved: 0,
    });
    const asked = at.asked.length;
    await desk.write('list.csv', listOf(['Ann,Lee,ann@a.example']));
    const again = await at.run();
    expect(again.code, again.stderr).toBe(0);
    expect(at.asked.length).toBe(asked);
    expect((await desk.type(['store', 'check'])).code).toBe(0);
  });

  test('by one worker is asked for by another, and bought by nobody else', async () => {
    const at = await laterDesk();
    const server = await postgresServer();
    const database = `later_${process.pid}`;
    await server.createDatabase(database);
    const store = server.url(database);
    expect((await at.desk.type(['store', 'init', store])).code).toBe(0);
    const words = [
      'run',
      'job.yaml',
      'list.csv',
      '--yes',
      '--budget',
      '90',
      '-o',
      'out.csv',
      '--store',
      store,
    ];
    expect((await at.desk.type([...words, '--max-pause', '1s'])).code).toBe(75);
    const money = async () => (await at.desk.json(['status', '--store', store])).batches[0].credits;
    expect(await money()).toMatchObject({ spent: 0, reserved: 9, in_doubt: 0 });
    at.result = knows('Ann', 'Cat');
    const worker = at.desk.place.type(['worker', '--store', store, '--json']);
    await expect.poll(money, { timeout: 30_000, interval: 300 }).toMatchObject({ spent: 2, reserved: 0 });
    worker.signal('SIGTERM');
    await worker.ended;
    expect((await at.desk.type(words)).code).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob', 'Cat']);
    expect(await at.rows()).toEqual(['Ann@found.example matched', ' no_match', 'Cat@found.example matched']);
  });

  test('by a process that was killed gives its money back to another one that is at work', async () => {
    const at = await laterDesk({
      people: PEOPLE.slice(0, 1),
      account: { budget: { per_day: 3 }, limits: { timeout: '5s' } },
    });
    const server = await postgresServer();
    const database = `later_held_${process.pid}`;
    await server.createDatabase(database);
    const store = server.url(database);
    expect((await at.desk.type(['store', 'init', store])).code).toBe(0);
    const path = (name: string): string => at.desk.place.path(name);
    const list = path('list.csv');
    const where = ['-o', path('out.csv'), '--store', store];
    const words = ['run', path('job.yaml'), list, '--yes', '--budget', '90', ...where];
    const killed = at.desk.place.type(words);
    await expect.poll(() => at.polls(), { timeout: 30_000 }).toBeGreaterThan(0);
    await killed.kill();
    at.result = knows('Bob');
    await at.desk.write('list.csv', listOf(PEOPLE.slice(1, 2)));
    const ended = await at.desk.type(words);
    expect(ended.code, ended.stderr).toBe(0);
    expect(at.bought()).toEqual(['Ann', 'Bob']);
    expect(await at.rows()).toEqual(['Bob@found.example matched']);
  });

  test('by an account whose key has died since holds its credits, and the run ends without them', async () => {
    const at = await laterDesk({
      people: PEOPLE.slice(0, 2),
      job: {
        account: undefined,
        operations: { 'find-email': { account: ['one', 'two'], add: { Email: 'email' } } },
      },
    });
    await writeAccounts(at, ['one', 'two']);
    const { answer } = at;
    at.answer = (asked, nth) => (isPoll(asked) ? refusal(401, 'bad key') : answer(asked, nth));
    const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '4', '-o', 'out.csv'];
    const ended = await at.desk.type([...words, '--max-pause', '12s']);
    expect(ended.code, ended.stderr).toBe(77);
    expect(at.bought()).toEqual(['Ann']);
    expect(await at.money()).toMatchObject({ spent: 0, reserved: 3, in_doubt: 0 });
  });

  test('by one account of a step keeps the next account from being asked, and other steps go on', async () => {
    const dialect = finder();
    const at = await laterDesk({
      people: PEOPLE.slice(0, 1),
      dialect: {
        operations: {
          ...dialect.operations,
          'enrich-company': { method: 'POST', path: '/company', credits: { most: 1, found: 1 } },
        },
      },
      job: {
        account: undefined,
        operations: {
          'find-email': { account: ['one', 'two'], add: { Email: 'email' } },
          'enrich-company': { account: 'one', add: { Company: 'name' } },
        },
      },
    });
    await writeAccounts(at, ['one', 'two']);
    const answer = at.answer;
    at.answer = (asked, nth) => (asked.path.endsWith('/company') ? { name: 'Acme' } : answer(asked, nth));
    const { place } = at.desk;
    await agreeToDialects(place.path('config'));
    const words = ['run', place.path('job.yaml'), place.path('list.csv'), '--store', place.path('store')];
    const killed = place.type([...words, '--yes', '--budget', '900']);
    const pollsAfterCompany = (): number => {
      const company = at.asked.findIndex(({ path }) => path === '/one/company');
      return company < 0 ? 0 : at.asked.slice(company).filter(isPoll).length;
    };
    // The account has one slot, so a question after the company shows that the company was answered.
    await expect.poll(pollsAfterCompany, { timeout: 60_000 }).toBeGreaterThan(2);
    await killed.kill();
    expect(at.asked.filter((each) => !isPoll(each)).map(({ path }) => path)).toEqual([
      '/one/find',
      '/one/company',
    ]);
    at.result = knows();
    at.answer = (asked, nth) =>
      asked.path === '/two/find' ? { job: 'job-Two' } : (knows('Two')(asked, nth) as object);
    expect((await at.run()).code).toBe(0);
    expect(at.asked.filter((each) => !isPoll(each)).map(({ path }) => path)).toEqual([
      '/one/find',
      '/one/company',
      '/two/find',
    ]);
    expect(await at.rows()).toEqual([expect.stringContaining('Two@found.example')]);
  });
});
