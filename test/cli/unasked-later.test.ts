/**
 * Goal: a vendor that answers later in a way that the dialect cannot follow stops a list after five calls, and the stop names what
 * the dialect needs: nothing of the list is sent into doubt, and what was accepted by then is asked for once the dialect says how.
 * Method: the real command before a vendor on a real socket, which keeps its own book of what it accepted.
 */
import { describe, expect, test } from 'vitest';
import { type Answer, type DeskBefore, deskBefore, type JsonResult } from './desk.ts';
import type { Ended } from './rowonce.ts';

const FIND = {
  method: 'POST',
  path: '/find',
  by: ['full_name+domain'],
  gives: { email: 'data.email' },
  credits: { most: 3, found: 1, miss: 0 },
};
const finder = (more: object = {}, answers: readonly object[] = []) => ({
  operations: { 'find-email': { ...FIND, ...more } },
  answers,
});
const later = (id: string) => ({ later: { id, path: '/results/{id}', every: '100ms', gives_up: '2h' } });

interface LaterDesk extends DeskBefore {
  run(list?: string, ...more: readonly string[]): Promise<Ended>;
  /** The names of whom it was asked to find, in order. */
  bought(): readonly string[];
  money(): Promise<JsonResult>;
  stopped(): Promise<JsonResult>;
}

const isPoll = ({ method }: { readonly method: string }): boolean => method === 'GET';
const nameOf = (asked: { readonly input: Readonly<Record<string, string>> }): string =>
  `${asked.input.full_name}`;

/** @param first what it says first to each person; it knows everybody. */
async function laterDesk(
  first: (name: string, nth: number) => object,
  dialect: object,
  rows = 30,
): Promise<LaterDesk> {
  const answer: Answer = (asked) => {
    if (!isPoll(asked)) return first(nameOf(asked), at.bought().length);
    return { data: { email: `${asked.path.split('-').at(-1)}@found.example` } };
  };
  const before = await deskBefore(answer);
  const { desk, asked } = before;
  const at: LaterDesk = Object.assign(before, {
    run: (list = 'list.csv', ...more: readonly string[]) =>
      desk.type(['run', 'job.yaml', list, '--yes', '--budget', '900', '-o', `out-${list}`, ...more]),
    bought: () => asked.filter((each) => !isPoll(each)).map(nameOf),
    money: async () => (await desk.json(['status'])).batches[0].credits,
    stopped: async () => {
      const { batch } = (await desk.json(['status'])).batches[0];
      return (await desk.json(['status', batch])).stopped;
    },
  });
  before.speak(dialect);
  const columns = { full_name: 'Name', domain: 'Site' };
  await desk.write('job.yaml', JSON.stringify({ account: 'data', columns, operation: 'find-email' }));
  await desk.write('list.csv', listOf('Ann', rows));
  return at;
}

const listOf = (name: string, rows: number): string =>
  `Name,Site\n${Array.from({ length: rows }, (_, nth) => `${name} L${wordOf(nth)},${wordOf(nth)}.example\n`).join('')}`;

const wordOf = (nth: number): string => [...String(nth)].map((digit) => 'aeioubdfgk'[Number(digit)]).join('');

const jobOf = (name: string): string => `job-${name.replace(' ', '')}`;

test('five calls that are accepted stop a list, the stop names the entry with the place of the id, and with it all is asked for', async () => {
  const at = await laterDesk((name) => Response.json({ requestId: jobOf(name) }, { status: 201 }), finder());
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(75);
  expect(at.bought()).toHaveLength(5);
  expect(ended.stderr).toContain(
    'The vendor answers later, and the dialect ours does not say how to ask for the answer',
  );
  expect(ended.stderr).toContain('status 201');
  expect(ended.stderr).toContain(
    '`later: { id: requestId, path: "/RESULTS/{id}", every: 10s, gives_up: 2h }`',
  );
  expect(await at.money(), 'held').toMatchObject({ spent: 0, in_doubt: 15 });
  expect((await at.run()).code, 'the same').toBe(75);
  expect(at.bought(), 'and nothing is sent').toHaveLength(5);
  at.speak(finder(later('requestId')));
  const mended = await at.run();
  expect(mended.code, mended.stderr).toBe(0);
  expect(at.bought()).toHaveLength(30);
  expect(new Set(at.bought()).size).toBe(30);
  expect(await at.money()).toMatchObject({ spent: 30, in_doubt: 0, reserved: 0 });
});

test('a list that was killed before the fifth stops at the fifth, and one that was killed at it sends nothing more', async () => {
  const at = await laterDesk((name) => ({ requestId: jobOf(name), message: 'accepted' }), finder());
  const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '900', '-o', 'out.csv'];
  const killed = await at.desk.type(words, { env: { ROWONCE_CRASH_AT: 'after-end:3' } });
  expect(killed.code).toBe(null);
  // The next call may have been on its way: it is in doubt, and it is not known what the vendor said of it.
  const before = at.bought().length;
  expect(before).toBeLessThan(5);
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(75);
  const { length } = at.bought();
  expect(length).toBeGreaterThanOrEqual(5);
  expect(length).toBeLessThanOrEqual(6);
  const again = await at.desk.type(words, { env: { ROWONCE_CRASH_AT: 'recovering' } });
  expect(again.code).toBe(75);
  expect(at.bought()).toHaveLength(length);
  expect(new Set(at.bought()).size).toBe(length);
});

test('small lists stop at the fifth of them all, and with --accept later they go on', async () => {
  const at = await laterDesk((name) => ({ requestId: jobOf(name) }), finder(), 3);
  expect((await at.run()).code).toBe(3);
  await at.desk.write('next.csv', listOf('Bob', 9));
  expect((await at.run('next.csv', '--accept', 'later')).code, 'nothing was shown yet').toBe(75);
  expect(at.bought()).toHaveLength(5);
  expect((await at.run('next.csv', '--yes')).code, '--yes answers no stop').toBe(75);
  const ended = await at.run('next.csv', '--accept', 'later');
  expect(ended.code, ended.stderr).toBe(3);
  expect(ended.stderr).toContain(
    '7 calls of this run will be answered later, and the dialect does not say how to ask for that',
  );
  expect((await at.run('next.csv')).code).toBe(3);
  expect(at.bought()).toHaveLength(12);
});

test('answers that come in between do not hide them at the beginning; after something was found, five in a row stop it', async () => {
  const found = (name: string): object => ({ data: { email: `${name[0]}@found.example` } });
  const at = await laterDesk(
    (name, nth) => (nth % 2 === 0 ? { data: { email: null } } : { requestId: jobOf(name) }),
    finder(),
  );
  expect((await at.run()).code).toBe(75);
  expect(at.bought()).toHaveLength(9);
  const other = await laterDesk(
    (name, nth) => (nth % 5 === 1 ? found(name) : { requestId: jobOf(name) }),
    finder(),
    20,
  );
  expect((await other.run()).code, 'four in a row').toBe(3);
  other.answer = (asked) => ({ requestId: jobOf(nameOf(asked)) });
  await other.desk.write('next.csv', listOf('Bob', 9));
  expect((await other.run('next.csv')).code).toBe(75);
  expect(other.bought()).toHaveLength(21);
});

test('a vendor that has some answers later by a rule of its dialect goes on, and the end says how many', async () => {
  const rule = { status: ['2xx'], body: { path: 'status', equals: 'searching' }, means: 'pending' };
  const at = await laterDesk(
    (name, nth) =>
      nth % 5 === 0
        ? { data: { email: `${name.slice(4)}@found.example` } }
        : { status: 'searching', id: jobOf(name) },
    finder({}, [rule]),
  );
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(3);
  expect(at.bought()).toHaveLength(30);
  expect(ended.stderr).toContain('24 calls of this run will be answered later');
  at.answer = (asked) => ({ status: 'searching', id: jobOf(nameOf(asked)) });
  await at.desk.write('next.csv', listOf('Bob', 9));
  const next = await at.run('next.csv');
  expect(next.code, next.stderr).toBe(75);
  expect(at.bought()).toHaveLength(35);
});

test.each([
  ['{ jobId }', (name: string) => ({ jobId: jobOf(name) }), 'jobId'],
  ['a job with its state', (name: string) => ({ jobId: jobOf(name), state: 'queued', eta: 5 }), 'jobId'],
  [
    'an id in an object',
    (name: string) => ({ data: { task: { id: jobOf(name) } }, ok: true }),
    'data.task.id',
  ],
  ['an object in its place', (name: string) => ({ job: { id: jobOf(name) } }), 'job.id'],
])(
  'an id that is not where `later` says stops a list at the fifth, and its place is named: %s',
  async (_, says, place) => {
    const at = await laterDesk(says, finder(later('job')));
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(75);
    expect(at.bought()).toHaveLength(5);
    expect(ended.stderr).toContain('nothing at `job` can be used as the id by which it is asked');
    expect(ended.stderr).toContain(`An id-like value stands at \`${place}\`: write \`id: ${place}\``);
    at.speak(finder(later(place)));
    const mended = await at.run();
    expect(mended.code, mended.stderr).toBe(0);
    expect(new Set(at.bought()).size).toBe(30);
    expect(at.bought()).toHaveLength(30);
  },
);

test('a webhook alone is not possible, and the stop says so', async () => {
  const at = await laterDesk(() => ({ message: 'The results will be delivered to your webhook' }), finder());
  const ended = await at.run();
  expect(ended.code, ended.stderr).toBe(75);
  expect(at.bought()).toHaveLength(5);
  expect(ended.stderr).toContain('results that come by a webhook alone cannot be taken');
  expect(ended.stderr).toContain('--accept later');
});

describe('an id that is not where `then` says', () => {
  const taking = (id: string) =>
    finder({
      gives: { email: 'email' },
      then: { id, path: '/collect', fields: { id: 'id' }, credits: { most: 1 } },
    });
  const people = (name: string): object => ({
    results: [{ personId: `p-${name.slice(4)}`, city: 'Perth' }],
    took: 3,
  });

  async function takingDesk(first: (name: string, nth: number) => object): Promise<LaterDesk> {
    const at = await laterDesk(first, taking('people.0.id'));
    const { answer } = at;
    at.answer = (asked, nth) =>
      asked.path === '/collect' ? { email: `${asked.input.id}@found.example` } : answer(asked, nth);
    return at;
  }
  const searched = ({ asked }: LaterDesk): readonly string[] =>
    asked.filter(({ path }) => path === '/find').map(nameOf);

  test('stops a list at the fifth, also where it was killed, and what was answered is read again and not bought again', async () => {
    const at = await takingDesk(people);
    const words = ['run', 'job.yaml', 'list.csv', '--yes', '--budget', '900', '-o', 'out.csv'];
    expect((await at.desk.type(words, { env: { ROWONCE_CRASH_AT: 'after-end:5' } })).code).toBe(null);
    const ended = await at.run();
    expect(ended.code, ended.stderr).toBe(2);
    expect(searched(at).length).toBeLessThanOrEqual(6);
    expect(ended.stderr).toContain('nothing at `people.0.id` can be used as the id');
    expect(ended.stderr).toContain('An id-like value stands at `results.0.personId`');
    const before = searched(at).length;
    expect((await at.run()).code, 'the same').toBe(2);
    expect(searched(at), 'and nothing is sent').toHaveLength(before);
    at.speak(taking('results.0.personId'));
    const mended = await at.run();
    expect([0, 3], mended.stderr).toContain(mended.code);
    expect(searched(at)).toHaveLength(30);
    expect(new Set(searched(at)).size, 'nobody is asked for twice').toBe(30);
  });

  test('is a miss once that is accepted, and where something was found before', async () => {
    const at = await takingDesk(people);
    expect((await at.run()).code).toBe(2);
    const ended = await at.run('list.csv', '--accept', 'no-match');
    expect(ended.code, ended.stderr).toBe(0);
    expect(searched(at)).toHaveLength(30);
    const found = (name: string): object => ({ people: [{ id: `p-${name.slice(4)}` }] });
    const other = await takingDesk((name, nth) => (nth === 1 ? found(name) : people(name)));
    expect(
      (await other.desk.type(['run', 'job.yaml', 'list.csv', '--limit', '15', '--yes', '--budget', '90']))
        .code,
    ).toBe(0);
    expect(searched(other)).toHaveLength(15);
  });

  test('is looked for among what was found, and not among ids of the request', async () => {
    const at = await takingDesk((_, nth) => ({ search_id: `s-${nth}`, request: { id: nth }, note: 'fine' }));
    expect((await at.run('list.csv', '--limit', '15')).code).not.toBe(2);
    expect(searched(at)).toHaveLength(15);
  });
});
