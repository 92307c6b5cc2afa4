/**
 * Goal: a change that counted as done, and would not count as that by today's dialect, puts its row in doubt at the next run of its list,
 * on every face alike. It is never sent again by that: a person says what is so, or the dialect is mended.
 * Method: the real command before a service that answers one of three invites oddly, which counts what it was sent; the rule
 * that reads the odd answer is another one afterwards.
 */
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { deskBefore, SERVICE } from './desk.ts';

async function invited() {
  const { desk, asked, speak } = await deskBefore(
    (_, nth) => ({ invite_code: `invite-${nth}`, ...(nth === 2 ? { note: 'odd' } : {}) }),
    SERVICE,
  );
  const readsAs = (odd: string): void => {
    const rule = { status: [200], body: { path: 'note', equals: 'odd' }, means: odd };
    speak({ vendor: 'service', operations: { 'create-invite': { answers: [rule] } } });
  };
  const people = ['jo', 'al', 'mo'].map((name) => `${name}@team.example,viewer\n`).join('');
  await desk.write('list.csv', `Email,Role\n${people}`);
  const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
  readsAs('found');
  const { batch } = await desk.json(run);
  expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 } });
  return { desk, asked, readsAs, run, batch };
}

const IN_DOUBT = { applied: 2, in_doubt: 1 };

test.each(some(['in_doubt', 'refused', 'rate_limited'], 1))(
  'a change that reads as %s today is in doubt, and sent by no run; once the dialect is mended it is applied again',
  async (means) => {
    const { desk, asked, readsAs, run, batch } = await invited();
    readsAs(means);
    for (const time of ['first', 'again'])
      expect(await desk.json(run), time).toMatchObject({ batch, counts: IN_DOUBT, requests: 0 });
    expect(await desk.type(run)).toMatchObject({ code: 3 });
    expect(await desk.json(['status', batch])).toMatchObject({ counts: IN_DOUBT });
    const reason =
      /it counted as done, but today's dialect does not read that in what came: .*; check at the service whether it was done/;
    expect(desk.place.rows('out.csv')[1]).toMatchObject({
      _status: 'in_doubt',
      _reason: expect.stringMatching(reason),
    });
    const { in_doubt } = await desk.json(['settle', batch]);
    expect(in_doubt).toMatchObject([{ row: 3, credits: 0 }]);
    for (const word of ['--retry', '--skip'])
      expect(await desk.type(['settle', batch, '3', word])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('counted as done, so it is not sent again'),
      });

    readsAs('found');
    expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 }, requests: 0 });
    expect(asked).toHaveLength(3);
  },
);

test('a person says that it was done: it is applied, and no dialect reads it any more', async () => {
  const { desk, asked, readsAs, run, batch } = await invited();
  readsAs('in_doubt');
  await desk.type(run);
  expect(await desk.type(['settle', batch, '3', '--answer', 'invite_code=invite-9'])).toMatchObject({
    code: 0,
  });
  expect(await desk.json(['status', batch])).toMatchObject({ counts: { applied: 3 } });
  readsAs('refused');
  expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 }, requests: 0 });
  expect(asked).toHaveLength(3);
});

test('a person says that it was not done: the row is refused, and the next run of the list asks for it once more', async () => {
  const { desk, asked, readsAs, run, batch } = await invited();
  readsAs('in_doubt');
  await desk.type(run);
  expect(await desk.type(['settle', batch, '3', '--not-done'])).toMatchObject({ code: 0 });
  expect(await desk.json(['status', batch])).toMatchObject({ counts: { applied: 2, refused: 1 } });
  expect((await desk.json(['status', batch, '3'])).outcome).toEqual({
    kind: 'refused',
    reason: 'not done: run the list again',
  });
  const next = await desk.json(run);
  expect(next.batch).not.toBe(batch);
  expect(next).toMatchObject({ counts: { applied: 1, unchanged: 2 }, requests: 1 });
  expect(asked).toHaveLength(4);
  expect(desk.place.rows('out.csv')[1]).toMatchObject({ Email: 'al@team.example', _status: 'applied' });
});
