/**
 * Goal: a row whose lost call is to be sent again is pending from the moment that was decided, a plan counts what it may cost, and
 * where the extra credits or the budget do not cover it the run ends with 4 and what to type to go on.
 * Method: the sandbox charges lookups and loses their answers; the real commands go on from there, and its book says what was
 * sent and charged after the plan.
 */
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { type Desk, openDesk } from './desk.ts';

/** A list whose first answers are lost. */
async function doubtfulDesk(rows: number, faults: string): Promise<Desk> {
  const desk = await openDesk({ faults, concurrency: 1 });
  desk.list(rows);
  expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
  return desk;
}

const PLAN = ['plan', 'enrich-company', 'list.csv'];

test('the row of a call that is to be sent again is pending on every face, and its story says what was decided', async () => {
  const desk = await doubtfulDesk(3, 'charged-reset:x2');
  expect((await desk.json(['status', 'last', '2'])).attempts[0].decided).toBeNull();
  await desk.type(['settle', 'last', '2', '--retry']);

  expect((await desk.type(['settle', 'last'])).stdout).toMatch(/^row 3, .*\n1 in doubt/);
  expect((await desk.json(['settle', 'last'])).in_doubt).toMatchObject([{ row: 3 }]);
  const status = await desk.type(['status', 'last']);
  expect(status.stdout).toContain('  matched   1\n  in_doubt  1\n  pending   1\n');
  expect(status.stderr).toContain('\nTo continue: npx rowonce run ');
  expect((await desk.type(['status', 'last', '2'])).stdout).toMatch(
    /\n {4}decided at 20.*Z: retry asked for by the user\n/,
  );
  const [lost] = (await desk.json(['status', 'last', '2'])).attempts;
  expect(lost).toMatchObject({ decision: null, decided: { kind: 'retry', by: 'person' } });

  await desk.type(desk.run());
  const { attempts } = await desk.json(['status', 'last', '2']);
  expect(attempts).toMatchObject([
    { decision: null, decided: null },
    { decision: { kind: 'retry' }, decided: null, closure: { charged: 1 } },
  ]);
  expect((await desk.type(['settle', 'last'])).stderr).toMatch(/^Decide with --retry/);
});

test('a plan counts what may be sent again, and the run is charged no more of it than the extra credits', async () => {
  const desk = await doubtfulDesk(7, 'charged-reset:x1,422:x1,charged-reset:x2,422:x1,charged-reset:x1');
  expect(await desk.json(PLAN)).toMatchObject({ in_doubt: 4, credits: { most: 0 } });
  await desk.type(['settle', 'last', '2', '--not-done']);
  await desk.type(['settle', 'last', '--retry', '--extra-credits', '2']);
  const before = await desk.place.vendor.book();
  const planned = await desk.json(PLAN);
  expect(planned).toMatchObject({ to_buy: 1, sent_again: { rows: 3, credits: 3 }, credits: { most: 4 } });
  await desk.type(desk.run());
  const after = await desk.place.vendor.book();
  expect([after.credits - before.credits, after.requests - before.requests]).toEqual([3, 3]);
  expect(await desk.json(PLAN)).toMatchObject({ sent_again: { rows: 1, credits: 1 }, credits: { most: 1 } });
});

test('a run ends with 4 where the extra credits do not cover all that is to be sent again, and says what does', async () => {
  const desk = await doubtfulDesk(4, 'charged-reset:x3');
  const decided = await desk.type(['settle', 'last', '--retry', '--extra-credits', '1']);
  expect(decided).toMatchObject({ code: 0, stdout: 'Noted for 3 calls: retry.\n' });
  expect(await desk.requests(), 'the next run does that').toBe(4);
  const ran = await desk.type(desk.run());
  const { batch, counts } = await desk.json(['status', 'last']);
  const next = `settle ${batch} --retry --extra-credits 3`;
  expect(ran.code).toBe(4);
  expect(ran.stderr).toContain(
    '2 calls in doubt will be sent again, for at most 2 credits, and 0 of 1 extra credit is left.',
  );
  expect(ran.stderr).toContain(next);
  expect(counts, 'two are pending').toEqual({ matched: 2 });
  expect(desk.place.statuses()).toEqual(['matched', 'pending', 'pending', 'matched']);
  expect(await desk.json(desk.run())).toMatchObject({ requests: 0, stopped: { code: 'extra_credits' } });
  await desk.type(next.split(' '));
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched', 'matched']);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 7, credits: 7 });
});

/** The words of the command that goes on, as it was printed; no shell reads them. */
function printedIn(stderr: string): readonly string[] {
  const [, line = ''] = /^npx rowonce ((?:run|try) .*)$/m.exec(stderr) ?? [];
  return line.split(' ');
}

const ASK_AGAIN = {
  'a batch': {
    words: ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'],
    agreed: ['--budget', '9'],
    rows: 3,
  },
  'a trial': {
    words: ['try', 'enrich-company', 'domain=lost.example', '--account', 'data'],
    agreed: ['--yes'],
    rows: 1,
  },
} as const;

test.each(
  (['a batch', 'a trial'] as const).flatMap((what) =>
    some(['--retry', '--skip', '--not-done', '--answer name=Told'], 1).map((each) => [what, each] as const),
  ),
)(
  'of %s that asked again, the printed command carries %s out once, and buys nothing anew',
  async (what, said) => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    desk.list(3);
    const { words, agreed, rows } = ASK_AGAIN[what];
    expect(await desk.type([...words, ...agreed, '--refresh'])).toMatchObject({ code: 3 });
    const { batch } = await desk.json(['status', 'last']);
    const { stderr } = await desk.type(['settle', batch, '2', ...said.split(' ')]);
    const printed = printedIn(stderr);
    expect(printed).toEqual(words);
    for (const _ of ['once', 'and again']) {
      await desk.type([...printed, ...agreed]);
      expect(await desk.requests()).toBe(/retry|not-done/.test(said) ? rows + 1 : rows);
    }
    expect((await desk.json(['status'])).batches).toHaveLength(1);
  },
);

test('a lost call of a batch that a newer one has followed is decided about there, and the old one says where', async () => {
  const desk = await doubtfulDesk(3, 'charged-reset:x1');
  const { batch } = await desk.json(['status', 'last']);
  await desk.type([...desk.run(), '--refresh']);
  const { batch: next } = await desk.json(['status', 'last']);
  expect(next).not.toBe(batch);

  expect((await desk.json(['status', batch])).counts).toEqual({ in_doubt: 1, matched: 2 });
  expect((await desk.type(['status', batch])).stderr).not.toContain('To continue');
  const refused = await desk.type(['settle', batch, '--retry']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    new RegExp(
      `^No run goes on with batch ${batch}, because batch ${next} .*\\nDecide in batch ${next} .*\\n.* settle ${next}\\n$`,
    ),
  );
  await desk.type(['settle', next, '--retry', '--extra-credits', '1']);
  expect((await desk.json(desk.run())).counts).toEqual({ matched: 3 });
});

test('where the budget does not cover what is to be sent again, the run says which one does, and nothing is lost', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x2', concurrency: 1 });
  desk.list(3);
  const run = (budget: string) => ['run', 'enrich-company', 'list.csv', '--budget', budget, '-o', 'out.csv'];
  await desk.type(run('3'));
  const settled = await desk.type(['settle', 'last', '--retry']);
  expect(settled.stderr).toMatch(/^The next run does that:\n/);
  const ran = await desk.type(run('3'));
  expect(ran.code).toBe(4);
  expect(ran.stderr).toMatch(/ --budget 5\b/);
  expect((await desk.json(['status', 'last'])).counts, 'two are pending').toEqual({ matched: 1 });
  expect((await desk.json(run('5'))).counts).toEqual({ matched: 3 });
});
