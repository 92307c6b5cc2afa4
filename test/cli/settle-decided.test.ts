/**
 * Goal: a decision to send lost calls again is shown from the moment it was noted, a plan counts what it may cost, and where
 * the extra credits hold it back every command says so, with what to type to go on.
 * Method: the sandbox charges lookups and loses their answers; the real commands go on from there, and its book says what was
 * sent and charged after the plan.
 */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { type Desk, type JsonResult, openDesk } from './desk.ts';

/** A list whose first answers are lost. */
async function doubtfulDesk(rows: number, faults: string): Promise<Desk> {
  const desk = await openDesk({ faults, concurrency: 1 });
  desk.list(rows);
  expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
  return desk;
}

const PLAN = ['plan', 'enrich-company', 'list.csv'];

/** Runs what was planned. @returns what the plan promised, and what was charged from then on. */
async function plannedAndRun(
  desk: Desk,
  plan: readonly string[] = PLAN,
  run: readonly string[] = desk.run(),
): Promise<{ readonly planned: JsonResult; readonly charged: number; readonly requests: number }> {
  const before = await desk.place.vendor.book();
  const planned = await desk.json(plan);
  await desk.type(run);
  const { credits, requests } = await desk.place.vendor.book();
  return { planned, charged: credits - before.credits, requests: requests - before.requests };
}

test('what was decided is shown by settle, by status and by the story of the row, until the next run', async () => {
  const desk = await doubtfulDesk(3, 'charged-reset:x2');
  expect((await desk.json(['status', 'last', '2'])).attempts[0].decided).toBeNull();
  await desk.type(['settle', 'last', '2', '--retry']);

  const { stdout, stderr } = await desk.type(['settle', 'last']);
  expect(stdout).toMatch(
    /^row 2, .*\n.*\n {4}decided at 20.*Z: retry asked for by the user\nrow 3, .*\n.*\n2 in/,
  );
  expect(stderr).toContain('Decided about 1 of 2; the next run does that:\nnpx --no rowonce run ');
  expect(stderr).toContain('\nDecide about the other 1 with --retry ');
  expect((await desk.json(['settle', 'last'])).in_doubt).toMatchObject([
    { row: 2, decision: { kind: 'retry', by: 'person', at: expect.stringMatching(/^20.*Z$/) } },
    { row: 3, decision: null },
  ]);
  const status = await desk.type(['status', 'last']);
  expect(status.stdout).toContain('\nDecided    1 call in doubt will be sent again, for at most 1 credit\n');
  expect(status.stderr).toContain('\nTo continue: npx --no rowonce run ');
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
  expect((await desk.type(['status', 'last'])).stdout).not.toContain('Decided');
  expect((await desk.type(['settle', 'last'])).stderr).toMatch(/^Decide with --retry/);
});

proof('a plan counts what decided retries may cost, and never less than the run is charged', async () => {
  const desk = await doubtfulDesk(4, 'charged-reset:x3');
  expect(await desk.json(PLAN)).toMatchObject({ in_doubt: 3, credits: { most: 0 } });
  await desk.type(['settle', 'last', '--retry']);
  expect((await desk.type(PLAN)).stdout).toContain(
    '  to buy         0\n  sent again     3 of those in doubt, for at most 3 credits\n  credits        at most 3,',
  );
  const { planned, charged } = await plannedAndRun(desk);
  expect(planned).toMatchObject({
    to_buy: 0,
    sent_again: { rows: 3, credits: 3 },
    credits: { most: 3, expected: 3 },
  });
  expect(charged).toBe(3);
  expect((await desk.json(PLAN)).sent_again).toBeUndefined();
});

proof(
  'a plan goes as far as the extra credits, and counts what is bought like any other beside them',
  async () => {
    const desk = await doubtfulDesk(7, 'charged-reset:x1,422:x1,charged-reset:x2,422:x1,charged-reset:x1');
    await desk.type(['settle', 'last', '2', '--not-done']);
    await desk.type(['settle', 'last', '--retry', '--extra-credits', '2']);
    const { planned, charged, requests } = await plannedAndRun(desk);
    expect(planned).toMatchObject({ to_buy: 1, sent_again: { rows: 3, credits: 2 }, credits: { most: 3 } });
    expect({ charged, requests }).toEqual({ charged: 3, requests: 3 });
    expect(await desk.json(PLAN)).toMatchObject({
      sent_again: { rows: 1, credits: 0 },
      credits: { most: 0 },
    });
  },
);

proof('a plan counts what the job says about doubts, once for each call', async () => {
  const desk = await doubtfulDesk(4, 'charged-reset:x3');
  await writeFile(
    desk.place.path('again.yaml'),
    'operation: enrich-company\nin_doubt: { retry: { extra_credits: 2 } }\n',
  );
  const plan = ['plan', 'again.yaml', 'list.csv'];
  const run = ['run', 'again.yaml', 'list.csv', '--budget', '1000', '-o', 'out.csv'];
  await desk.place.vendor.setFaults('charged-reset:x1');
  const { planned, charged } = await plannedAndRun(desk, plan, run);
  expect(planned).toMatchObject({ sent_again: { rows: 3, credits: 2 }, credits: { most: 2 } });
  expect(charged).toBe(2);
  expect(await desk.json(plan)).toMatchObject({ in_doubt: 2, credits: { most: 0 } });
  const { stderr } = await desk.type(run);
  expect(stderr).toContain('raise extra_credits in the job to 3');
});

proof(
  'a plan counts a call in doubt that a rule may repeat, because it may be charged only now',
  async () => {
    const desk = await openDesk({ faults: 'reset:x1', concurrency: 1 });
    desk.place.writeDialect({ idempotency: { header: 'Idempotency-Key', valid_for: '24h' } });
    desk.place.writeAccount(desk.place.vendor.url, { dialect: './dialect.yaml' });
    desk.list(2);
    // A limited part leaves the batch open, and the agreed sum holds the lost request as well.
    const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv', '--limit', '1'];
    const crash = { env: { ROWONCE_TEST_HOOKS: '1', ROWONCE_CRASH_AT: 'after-close' } };
    expect((await desk.start([...words, '--yes'], crash)).code).not.toBe(0);
    expect((await desk.json(PLAN)).sent_again).toEqual({ rows: 1, credits: 1 });
    const before = await desk.place.vendor.book();
    expect(await desk.type(words)).toMatchObject({ code: 0 });
    expect((await desk.place.vendor.book()).credits - before.credits).toBe(1);
  },
);

proof('the next identifiers of a row count, too, because extra credits do not limit them', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  await desk.write('list.csv', 'ABN,Domain\n51824753556,unknown.invalid.example\n');
  await desk.type(desk.run());
  await desk.type(['settle', 'last', '--retry', '--extra-credits', '0']);
  expect(await desk.json(PLAN)).toMatchObject({ sent_again: { rows: 1, credits: 1 }, credits: { most: 1 } });
});

proof(
  'where the extra credits hold retries back, everything says so, and what it says to type goes on',
  async () => {
    const desk = await doubtfulDesk(4, 'charged-reset:x3');
    const decided = await desk.type(['settle', 'last', '--retry', '--extra-credits', '1']);
    const LIMIT =
      '3 calls in doubt will be sent again, for at most 3 credits, and 1 of 1 extra credit is left.';
    expect(decided.stderr).toContain(LIMIT);
    const held =
      '2 calls in doubt will be sent again, for at most 2 credits, and 0 of 1 extra credit is left.';
    const next = 'settle BATCH --retry --extra-credits 3';
    const ran = await desk.type(desk.run());
    const { batch } = await desk.json(['status', 'last']);
    for (const { stderr } of [
      ran,
      await desk.type(['settle', 'last']),
      await desk.type(['status', 'last']),
    ]) {
      expect(stderr).toContain(held);
      expect(stderr).toContain(next.replace('BATCH', batch));
    }
    expect(await desk.json(desk.run())).toMatchObject({ requests: 0, retries: { calls: 2, enough: 3 } });
    expect(await desk.json(['settle', 'last'])).toMatchObject({
      retries: { calls: 2, credits: 2, extra_credits: { most: 1, used: 1 }, enough: 3 },
    });
    expect(desk.place.rows().at(2)?._reason).toMatch(
      /; not sent again, because the extra credits do not cover it$/,
    );

    await desk.type(['settle', 'last', '--retry', '--extra-credits', '3']);
    expect(await plannedAndRun(desk)).toMatchObject({ planned: { credits: { most: 2 } }, charged: 2 });
    expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched', 'matched']);
  },
);

proof(
  'without a limit of its own a finished batch asks about retries, and keeps the limit that it has',
  async () => {
    const desk = await openDesk({ faults: 'charged-reset:x2', concurrency: 1 });
    desk.list(2);
    const words = ['run', 'enrich-company', 'list.csv', '-o', 'out.csv'];
    await desk.type([...words, '--yes']);
    await desk.type(['settle', 'last', '2', '--not-done']);
    const bought = await desk.type(words);
    expect(bought.code, bought.stderr).toBe(3);
    await desk.type(['settle', 'last', '--retry']);
    expect(await desk.type(words)).toMatchObject({ code: 4 });
    expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 1, in_doubt: 1, budget: 2 });
  },
);

proof('a change that costs something and is sent again stands in the plan of its list, too', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  desk.list(2);
  await desk.write(
    'change.yaml',
    'operation: api-call\nkind: change\nendpoint: /enrich/company\nbody: { domain: "{{Domain}}" }\n',
  );
  const run = ['run', 'change.yaml', 'list.csv', '-o', 'out.csv'];
  expect(await desk.type([...run, '--yes'])).toMatchObject({ code: 3 });
  await desk.type(['settle', 'last', '--retry', '--extra-credits', '1']);
  // What was agreed to with --yes has a credit for each of two calls, and the lost one still holds its own.
  expect(await desk.type(run)).toMatchObject({ code: 4 });
  const plan = ['plan', 'change.yaml', 'list.csv'];
  expect((await desk.type(plan)).stdout).toContain('\nAt most 1 credit.\n');
  const { planned, charged } = await plannedAndRun(desk, plan, [...run, '--budget', '3']);
  expect(planned).toMatchObject({ to_buy: 0, sent_again: { rows: 1, credits: 1 }, credits: { most: 1 } });
  expect(charged).toBe(1);
});

/** The words of the command that goes on, as it was printed; no shell reads them. */
function printedIn(stderr: string): readonly string[] {
  const [, line = ''] = /^npx --no rowonce ((?:run|try) .*)$/m.exec(stderr) ?? [];
  return line.split(' ');
}

test.each(
  some(
    [
      ['--retry', 4],
      ['--skip', 3],
      ['--not-done', 4],
      ['--answer name=Told', 3],
    ],
    1,
  ),
)(
  'of a batch that was refreshed, the printed command carries %s out once, and buys nothing anew',
  async (decision, requests) => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    desk.list(3);
    expect(await desk.type(desk.run('--yes', '--refresh'))).toMatchObject({ code: 3 });
    const { batch } = await desk.json(['status', 'last']);
    const { stderr } = await desk.type(['settle', batch, '2', ...decision.split(' ')]);
    const words = printedIn(stderr);
    expect(words).toEqual(desk.run('--yes'));
    expect((await desk.json(['status', batch])).next).toBe(`npx --no rowonce ${words.join(' ')}`);
    for (const _ of ['once', 'and again']) {
      await desk.type(words);
      expect(await desk.requests()).toBe(requests);
    }
    expect((await desk.json(['status'])).batches).toHaveLength(1);
  },
);

proof(
  'a refresh that is stopped goes on by the typed command, and by the printed one, which begins no other',
  async () => {
    const desk = await openDesk({ faults: '401:x1', concurrency: 1 });
    desk.list(3);
    const stopped = await desk.type(desk.run('--refresh'));
    expect(stopped.code).toBe(77);
    const { batch } = await desk.json(['status', 'last']);
    const words = printedIn(stopped.stderr);
    expect(words).toEqual(desk.run());
    expect(await desk.json(desk.run('--refresh'))).toMatchObject({ batch, stopped: null });
    const requests = await desk.requests();
    expect(await desk.json(words)).toMatchObject({ batch, stopped: null });
    expect(await desk.requests()).toBe(requests);
  },
);

test.each(
  some(
    [
      ['--retry', 2],
      ['--skip', 1],
      ['--not-done', 2],
      ['--answer name=Told', 1],
    ],
    1,
  ),
)(
  'of a trial that asked again, the printed command carries %s out once, and asks nothing more',
  async (decision, requests) => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    const words = ['try', 'enrich-company', 'domain=lost.example', '--yes'];
    expect(await desk.type([...words, '--refresh'])).toMatchObject({ code: 3 });
    const { batch } = await desk.json(['status', 'last']);
    const { stderr } = await desk.type(['settle', batch, ...decision.split(' ')]);
    expect(printedIn(stderr)).toEqual(words);
    for (const _ of ['once', 'and again']) {
      await desk.type(printedIn(stderr));
      expect(await desk.requests()).toBe(requests);
    }
    const { counts } = await desk.json(['status', batch]);
    expect(counts).toEqual(decision === '--skip' ? { skipped: 1 } : { matched: 1 });
  },
);

proof(
  'what was decided is carried out by the printed command also when the other answers are too old by then',
  async () => {
    const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
    desk.list(3);
    await desk.write('job.yaml', 'operation: enrich-company\nrefresh_after: 0s\n');
    await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv']);
    const { batch } = await desk.json(['status', 'last']);
    const { stderr } = await desk.type(['settle', batch, '--retry', '--extra-credits', '1']);
    expect((await desk.type(printedIn(stderr))).code).toBe(0);
    expect((await desk.json(['status', batch])).counts).toEqual({ matched: 3 });
    expect(await desk.requests()).toBe(4);
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
      `^No run goes on with batch ${batch}, because batch ${next} .*\\n.* settle ${next} --retry\\n$`,
    ),
  );
  await desk.type(['settle', next, '--retry', '--extra-credits', '1']);
  expect((await desk.json(desk.run())).counts).toEqual({ matched: 3 });
});

test('a lost call of a list that has changed is not sent again, and no command is told that is refused', async () => {
  const desk = await doubtfulDesk(3, 'charged-reset:x1');
  const { batch } = await desk.json(['status', 'last']);
  await writeFile(desk.place.path('list.csv'), 'Domain\nlist.csv-3.example\n');
  for (const words of [['status'], ['settle'], ['settle', '--retry']]) {
    const [command = '', ...flags] = words;
    expect((await desk.type([command, batch, ...flags])).stderr).not.toContain('rowonce run ');
  }
  expect((await desk.json(['status', batch])).counts).toEqual({ in_doubt: 1, matched: 2 });
});

test('where the budget does not cover what is to be sent again, it is not told as waiting for a run that could only stop', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x2', concurrency: 1 });
  desk.list(3);
  const run = (budget: string) => ['run', 'enrich-company', 'list.csv', '--budget', budget, '-o', 'out.csv'];
  await desk.type(run('3'));
  const raised = / --budget 5\b/;
  const settled = await desk.type(['settle', 'last', '--retry']);
  expect(settled.stderr).toContain(
    '2 calls in doubt will be sent again, for at most 2 credits, and 0 of budget 3',
  );
  expect(settled.stderr).toMatch(raised);
  for (const command of ['status', 'settle']) {
    const { stderr } = await desk.type([command, 'last']);
    expect(stderr).toMatch(raised);
    expect(stderr).not.toContain('--budget 3 ');
  }
  expect((await desk.json(['status', 'last'])).counts).toEqual({ matched: 1 });
  expect(await desk.type(run('3'))).toMatchObject({ code: 4 });
  expect((await desk.json(['status', 'last'])).counts).toEqual({ matched: 1, in_doubt: 2 });
  expect((await desk.json(run('5'))).counts).toEqual({ matched: 3 });
});
