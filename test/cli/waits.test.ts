/**
 * Goal: a limit that says nothing of its end locks nobody out. Each start asks once at once, unless the vendor itself gave a time that is
 * not over; what the vendor said is quoted to whoever meets its limit later, with times as the clock on the wall shows them.
 * Method: the real command before a vendor on a real socket, with an account that costs money.
 */
import { expect, test } from 'vitest';
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

test('a limit of a day holds no start: each asks once at once, keeps the words, and goes on when the vendor is well', async () => {
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
