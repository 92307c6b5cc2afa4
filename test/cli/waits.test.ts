/**
 * Goal: a limit that says nothing of its end locks no one out. Each start asks once at once, unless the vendor itself gave a time that is
 * not over; what the vendor said is quoted to whoever meets its limit later, with times as the clock on the wall shows them.
 * Method: the real command before a vendor on a real socket, with an account that costs money.
 */
import { describe, expect, test } from 'vitest';
import { type Answer, deskBefore } from './desk.ts';

const TIRED: Answer = () =>
  Response.json({ message: 'You have used up your daily allowance.' }, { status: 403 });
const KNOWS: Answer = ({ input }) => ({ name: `Kauri ${input.domain}` });
const restsFor =
  (seconds: number): Answer =>
  () =>
    Response.json({ error: 'slow down' }, { status: 429, headers: { 'retry-after': String(seconds) } });

/** Five hours and a half ahead of UTC all year. */
const IN_INDIA = { env: { TZ: 'Asia/Kolkata' } };

async function openList(answer: Answer) {
  const at = await deskBefore(answer);
  at.desk.list(3);
  const run = (...more: readonly string[]) =>
    at.desk.type(at.desk.run('--yes', '--max-pause', '10m', ...more));
  return { ...at, at, run };
}

test('a limit of a day holds no start: each, with another key as well, asks once at once, keeps the words, and goes on when the vendor is well', async () => {
  const { at, asked, run, desk } = await openList(TIRED);
  const first = await desk.start(desk.run('--yes', '--max-pause', '10m'), IN_INDIA);
  expect(first).toMatchObject({ code: 75, stderr: expect.stringContaining('used up your daily allowance') });
  expect(first.stderr).toMatch(/Run the same command again after 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \+05:30\./);
  expect(asked).toHaveLength(1);
  for (const words of [[], ['--refresh']]) {
    const before = asked.length;
    const { code, stderr } = await run(...words);
    expect([code, asked.length - before]).toEqual([75, 1]);
    expect(stderr).toContain('used up your daily allowance');
  }
  const tried = ['try', 'enrich-company', 'domain=other.example', '--yes', '--max-pause', '10m'];
  expect(await desk.type(tried)).toMatchObject({ code: 75 });
  expect(asked).toHaveLength(4);
  const { base_url: url } = JSON.parse(await desk.read('config/accounts.yaml')).accounts.data;
  desk.place.writeAccount(url, { dialect: 'ours.yaml', key: 'another-key', limits: { concurrency: 1 } });
  expect(await run()).toMatchObject({ code: 75 });
  expect(asked).toHaveLength(5);
  at.answer = KNOWS;
  expect(await desk.type(tried)).toMatchObject({ code: 0 });
  expect(await run()).toMatchObject({ code: 0 });
  expect(desk.place.rows().every(({ _status }) => _status === 'matched')).toBe(true);
});

test("a time that the vendor gave holds the next start, which quotes the vendor's words and sends nothing", async () => {
  const { at, asked, run } = await openList(restsFor(7_200));
  expect((await run()).code).toBe(75);
  at.answer = KNOWS;
  const { code, stderr } = await run();
  expect([code, asked.length]).toEqual([75, 1]);
  expect(stderr).toContain('the vendor asked to wait (status 429, "slow down")');
  expect(stderr).toMatch(/would have to wait for (?:2 h|1 h 59 min|1 h 60 min)/);
});

describe('a 503 with a time, to a lookup', () => {
  const busy = (body: string, type = 'application/json'): Response =>
    new Response(body, { status: 503, headers: { 'content-type': type, 'retry-after': '0.05' } });
  /** Busy for the first requests, and well from then on. */
  const busyFor = (busyTimes: number, body: string, type?: string): Answer => {
    let asked = 0;
    return (question, nth) => {
      asked += 1;
      return asked <= busyTimes ? busy(body, type) : KNOWS(question, nth);
    };
  };

  async function openOne(answer: Answer) {
    const at = await openList(answer);
    at.desk.list(1);
    const status = async () => (await at.desk.json(['status', 'last'])).counts;
    return { ...at, status };
  }

  test.each([
    ["in the vendor's own JSON", '{"error":"Busy"}'],
    ['without a body', ''],
  ])('%s waits and is sent again once', async (_, body) => {
    const { asked, run, desk } = await openOne(busyFor(1, body));
    expect(await run()).toMatchObject({ code: 0 });
    expect(asked).toHaveLength(2);
    const { credits } = await desk.json(['status', 'last']);
    expect(credits).toMatchObject({ spent: 1, in_doubt: 0 });
  });

  test('a second one is in doubt with its credit, and is not sent again by itself', async () => {
    const { asked, run, status, desk } = await openOne(busyFor(2, '{"error":"Busy"}'));
    expect(await run()).toMatchObject({ code: 3 });
    expect(await run()).toMatchObject({ code: 3 });
    expect([asked.length, await status()]).toEqual([2, { in_doubt: 1 }]);
    expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 0, in_doubt: 1 });
  });

  test("HTML is not the vendor's word: the first one is in doubt", async () => {
    const { asked, run, status } = await openOne(busyFor(1, '<html>Busy</html>', 'text/html'));
    expect(await run()).toMatchObject({ code: 3 });
    expect([asked.length, await status()]).toEqual([1, { in_doubt: 1 }]);
  });

  test.each(['after-keep', 'after-judge', 'after-end'])(
    'a program that dies between the two (%s) sends it no third time',
    async (point) => {
      const { asked, run, status, desk } = await openOne(busyFor(9, '{"error":"Busy"}'));
      const env = { ROWONCE_TEST_HOOKS: '1', ROWONCE_CRASH_AT: point };
      const died = await desk.start(desk.run('--yes'), { env });
      expect(died.code).not.toBe(3);
      expect(asked).toHaveLength(1);
      expect(await run()).toMatchObject({ code: 3 });
      expect([asked.length, await status()]).toEqual([2, { in_doubt: 1 }]);
      await run();
      expect(asked).toHaveLength(2);
    },
  );
});
