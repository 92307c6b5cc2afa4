/**
 * Goal: what is in doubt is shown with the money at risk, only a person decides to pay again, and what was decided is what the next run
 * does: a row whose call is to be sent again is pending from then on, a plan counts what it may cost, and where the extra credits do not
 * cover it the run ends with 4 and what to type.
 * Method: the sandbox charges lookups and loses their answers; the real commands go on from there, and its book says what was sent and
 * charged.
 */
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { type Desk, deskBefore, openDesk } from './desk.ts';

/** A list whose first answers are lost. */
async function lostDesk(rows: number, faults: string, ...more: readonly string[]): Promise<Desk> {
  const desk = await openDesk({ faults, concurrency: 1 });
  desk.list(rows);
  expect(await desk.type(desk.run(...more))).toMatchObject({ code: 3 });
  return desk;
}

/** Three rows, two of which the vendor has charged without an answer. */
async function doubtfulDesk(): Promise<Desk> {
  const desk = await lostDesk(3, 'charged-reset:x2');
  expect(desk.place.statuses()).toEqual(['in_doubt', 'in_doubt', 'matched']);
  return desk;
}

test('the list says which rows, since when, and how much is at risk; listing decides nothing', async () => {
  const desk = await doubtfulDesk();
  const { code, stdout, stderr } = await desk.type(['settle', 'last']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^row 2, domain list\.csv-1\.example: in doubt since 20.*Z, 1 credit at risk: no answer came \(.*\)\nrow 3, .*\n2 in doubt, 2 credits at risk\.\n$/,
  );
  expect(stderr).toContain(
    '--retry (may be paid for twice), --skip (its credits stay in doubt), --answer key=value, or --not-done if you know that nothing was charged',
  );
  expect(await desk.json(['settle', 'last'])).toMatchObject({
    at_risk: 2,
    in_doubt: [
      {
        row: 2,
        credits: 1,
        parameters: { domain: 'list.csv-1.example' },
        since: expect.stringMatching(/^20.*Z$/),
        looks: [],
      },
      { row: 3, credits: 1 },
    ],
  });
  expect((await desk.json(['settle', 'last', '3'])).in_doubt).toHaveLength(1);
  await desk.type(desk.run());
  expect(await desk.requests()).toBe(3);
  // A list that waits for the request of another one has none of its credits.
  await desk.write('other.csv', 'Domain\nlist.csv-1.example\n');
  const other = ['run', 'enrich-company', 'other.csv', '--budget', '9', '-o', 'other-out.csv'];
  expect(await desk.type(other)).toMatchObject({ code: 3 });
  expect((await desk.type(['settle', 'last'])).stdout).toMatch(
    /^row 2, .*, 1 credit at risk, counted in list\.csv: .*\n1 in doubt, 1 credit at risk, counted in list\.csv\.\n$/,
  );
  expect(await desk.read('other-out.csv')).toMatch(/, 1 credit at risk in batch [0-9a-f]{8}: /);
  expect((await desk.type(['status'])).stdout).toMatch(
    / 0 credits, 1 row in doubt .*\n.* 1 credit, 2 rows in doubt /,
  );
  expect((await desk.json(['spend'])).groups).toMatchObject([{ spent: 1, in_doubt: 2 }]);
  expect(await desk.place.vendor.book()).toMatchObject({ requests: 3, credits: 3 });
});

test('a doubt of an earlier list is named by the list of batches, and where the last one has none', async () => {
  const desk = await doubtfulDesk();
  const { batches } = await desk.json(['status']);
  const [{ batch }] = batches as [{ batch: string }];
  desk.list(2, 'other.csv');
  const other = ['run', 'enrich-company', 'other.csv', '--budget', '9', '-o', 'other-out.csv', '--yes'];
  expect(await desk.type(other)).toMatchObject({ code: 0 });
  expect((await desk.type(['status'])).stdout).toMatch(
    new RegExp(`^${batch} .*3/3 rows, .*, 2 rows in doubt `, 'm'),
  );
  expect((await desk.type(['settle', 'last'])).stderr).toMatch(
    new RegExp(`^2 rows of .*list\\.csv in doubt: .*rowonce settle ${batch}$`, 'm'),
  );
});

test('--skip of one row ends that row, keeps its credits in doubt, and leaves the others', async () => {
  const desk = await doubtfulDesk();
  expect(await desk.type(['settle', 'last', '2', '--skip'])).toMatchObject({
    code: 0,
    stdout: 'Noted for 1 call: skip.\n',
  });
  expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
  expect(desk.place.statuses()).toEqual(['skipped', 'in_doubt', 'matched']);
  expect(desk.place.rows()[0]?._reason).toMatch(/^skipped by the user: no answer came/);
  expect(await desk.requests()).toBe(3);
  expect((await desk.json(['settle', 'last'])).in_doubt).toMatchObject([{ row: 3 }]);
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 1, in_doubt: 2 });
  const listed = await desk.type(['settle', 'last']);
  expect(listed.stdout, 'what still holds credits is listed').toMatch(
    /^row 2, domain list\.csv-1\.example: left out, in doubt since 20.*Z, 1 credit at risk: .*\n1 left out, 1 credit at risk\.$/m,
  );
  await desk.type(['settle', 'last', '2', '--not-done']);
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 1, in_doubt: 1 });
});

test('the command that sends a lost request again has the budget that this needs', async () => {
  const desk = await lostDesk(2, 'charged-reset:x1', '--budget', '2');
  const { stderr } = await desk.type(['settle', 'last', '--retry', '--extra-credits', '1']);
  const [next = ''] = /run .* --budget 3.*/.exec(stderr) ?? [];
  expect(await desk.type(next.split(' '))).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(['matched', 'matched']);
});

test('a call that is to be sent again is sent once its list is as it was, whatever was begun over another version', async () => {
  const desk = await lostDesk(3, 'charged-reset:x1');
  const list = await desk.read('list.csv');
  const { batch } = await desk.json(['status', 'last']);
  await desk.write(
    'list.csv',
    list.replace('list.csv-2', 'list.csv-20').replace('list.csv-3', 'list.csv-30'),
  );
  expect(await desk.type(['run', 'enrich-company', 'list.csv', '--budget', '1'])).toMatchObject({ code: 4 });
  await desk.write('list.csv', list);
  await desk.type(['settle', batch, '2', '--retry', '--extra-credits', '9']);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched']);
});

test('a row that a person leaves out is left out of the next version of the list, which neither asks nor buys it', async () => {
  const desk = await doubtfulDesk();
  await desk.type(['settle', 'last', '2', '--skip']);
  const list = await desk.read('list.csv');
  const first = (await desk.json(['status', 'last'])).batch;
  await desk.write('list.csv', list.replace('list.csv-3', 'list.csv-30'));
  expect(await desk.json(['plan', 'enrich-company', 'list.csv'])).toMatchObject({
    to_buy: 1,
    in_doubt: 1,
    skipped: 1,
  });
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['skipped', 'in_doubt', 'matched']);
  const second = (await desk.json(['status', 'last'])).batch;
  expect(second).not.toBe(first);
  // What is decided about all that is in doubt is not about what was left out.
  expect((await desk.json(['settle', 'last', '--retry', '--extra-credits', '9'])).calls).toBe(1);
  await desk.type(desk.run());
  expect(await desk.requests()).toBe(5);
  // The file is put back: what was left out stays so, and what was bought meanwhile is there.
  await desk.write('list.csv', list);
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['skipped', 'matched', 'matched']);
  expect(await desk.requests()).toBe(5);
  // Who names the row again has it asked once more.
  await desk.type(['settle', 'last', '2', '--retry', '--extra-credits', '9']);
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched']);
  expect(await desk.requests()).toBe(6);
});

test('a row that is left out of a later version is left out of an earlier one at once', async () => {
  const desk = await doubtfulDesk();
  const first = (await desk.json(['status', 'last'])).batch;
  await desk.write('list.csv', `${await desk.read('list.csv')}\n`);
  await desk.type(desk.run());
  await desk.type(['settle', 'last', '2', '--skip']);
  expect((await desk.json(['status', first])).counts).toEqual({ in_doubt: 1, matched: 1, skipped: 1 });
  expect((await desk.json(['settle', first])).in_doubt).toMatchObject([{ row: 3 }]);
});

test('--answer: what a person found out is the answer, counts as paid, and is used by every later list', async () => {
  const desk = await doubtfulDesk();
  const told = await desk.type(['settle', 'last', '2', '--answer', 'industry=Law = Order', 'city=Perth']);
  expect(told).toMatchObject({ code: 0, stdout: 'Noted for 1 call: your answer.\n' });
  await desk.type(desk.run());
  expect(desk.place.rows()[0]).toMatchObject({
    _status: 'matched',
    _reason: '',
    industry: 'Law = Order',
    city: 'Perth',
  });
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 2, in_doubt: 1 });
  await desk.write('other.csv', 'Domain\nlist.csv-1.example\n');
  const other = await desk.json(['run', 'enrich-company', 'other.csv', '--budget', '9']);
  expect(other).toMatchObject({ requests: 0, counts: { matched: 1 } });
  expect(await desk.requests()).toBe(3);
});

test('--answer: where the job says what it reads, a name that no column reads is refused, and a path is one', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  desk.list(1);
  const run = [...desk.run(), '--add', 'town=location.city'];
  expect(await desk.type(run)).toMatchObject({ code: 3 });
  const answer = (pair: string) => desk.type(['settle', 'last', '2', '--answer', pair]);
  expect(await answer('location.ctiy=Perth')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^No column of this batch reads location\.ctiy\.\n.*location\.city/),
  });
  expect(await answer('location.city=Perth')).toMatchObject({ code: 0 });
  expect(await desk.type(run)).toMatchObject({ code: 0 });
  expect(desk.place.rows()).toMatchObject([{ _status: 'matched', town: 'Perth' }]);
});

test('--not-done gives the money back, for every batch, and the same command buys the row like any other', async () => {
  const desk = await doubtfulDesk();
  const noted = await desk.type(['settle', 'last', '2', '--not-done']);
  expect(noted).toMatchObject({ code: 0, stdout: 'Noted for 1 call: not done.\n' });
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 1, in_doubt: 1 });
  expect((await desk.type(['status', 'last', '2'])).stdout).toMatch(/^ *at \S+Z a person checked/m);
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['matched', 'in_doubt', 'matched']);
  expect(await desk.requests()).toBe(4);
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 2, in_doubt: 1 });
});

test('--not-done of a row that was sent again and answered frees what it holds of its first request', async () => {
  const desk = await lostDesk(2, 'reset:x2');
  await desk.type(['settle', 'last', '--retry', '--extra-credits', '9']);
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  const before = desk.place.rows();
  const money = async () => (await desk.json(['status', 'last'])).credits;
  expect(await money()).toMatchObject({ spent: 2, in_doubt: 2 });
  const { batch } = await desk.json(['status', 'last']);
  const end = `settle ${batch} 2 --not-done`;
  expect((await desk.type(['status', 'last'])).stderr).toContain(`rowonce settle ${batch}\n`);
  expect((await desk.type(['status', 'last', '2'])).stderr).toContain(end);
  const listed = await desk.type(['settle', 'last']);
  expect(listed.stdout).toMatch(
    /^row 2, domain list\.csv-1\.example: in doubt beside its answer since 20.*Z, 1 credit at risk: no answer came \(.*\)\nrow 3, .*\n2 in doubt beside an answer, 2 credits at risk\.\n$/,
  );
  expect(listed.stderr).toContain('If you know that it was not charged, --not-done with its row frees them.');
  for (const other of [['--skip'], ['--retry'], ['--answer', 'name=Told']]) {
    const { code, stderr } = await desk.type(['settle', 'last', '2', ...other]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(end) });
  }
  expect((await desk.type(['settle', 'last', '--skip'])).stdout).toMatch(
    /^Nothing in batch .* is in doubt\.\n$/,
  );
  expect(await desk.type(['settle', 'last', '2', '--not-done'])).toMatchObject({
    code: 0,
    stdout: 'Noted for 1 call: not done.\n',
    stderr: '',
  });
  expect(await money()).toMatchObject({ spent: 2, in_doubt: 1 });
  expect(await desk.json(['settle', 'last'])).toMatchObject({
    in_doubt: [],
    beside: [{ row: 3, credits: 1 }],
  });
  expect(await desk.type(['settle', 'last', '--not-done'])).toMatchObject({ code: 0 });
  expect(await money()).toMatchObject({ spent: 2, in_doubt: 0 });
  expect(await desk.type(desk.run())).toMatchObject({ code: 0 });
  expect(desk.place.rows()).toEqual(before);
  expect(await desk.requests()).toBe(4);
  expect(await desk.type(['store', 'check'])).toMatchObject({ code: 0 });
});

test('--not-done of a row that was sent again and lost again frees all that its call holds', async () => {
  const desk = await lostDesk(1, 'reset:x2');
  await desk.type(['settle', 'last', '2', '--retry', '--extra-credits', '9']);
  expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ in_doubt: 2 });
  await desk.type(['settle', 'last', '2', '--not-done']);
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ in_doubt: 0 });
});

test('what was decided is said by log and status, beside why and since when it was in doubt', async () => {
  const desk = await doubtfulDesk();
  const status = async (): Promise<string> => (await desk.type(['status', 'last', '2'])).stdout;
  const [doubt = ''] = /^ *in_doubt at .*$/m.exec(await status()) ?? [];
  await desk.type(['settle', 'last', '2', '--answer', 'no_match']);
  const log = (await desk.type(['log', 'list.csv-1.example'])).stdout;
  expect(log).toContain('domain list.csv-1.example: no_match, at most 1 credit (answered by the user)');
  expect(await status()).toContain(`${doubt}\n    no_match, at most 1 credit at `);
});

test('the command that goes on names the output where a person wanted it, below whatever folder', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  await mkdir(desk.place.path('lists'));
  await desk.write('lists/list.csv', 'Domain\na.example\n');
  await desk.type(['run', 'enrich-company', 'lists/list.csv', '--budget', '9', '-o', 'out.csv']);
  const { stderr } = await desk.type(['settle', 'last', '--answer', 'no_match']);
  expect(stderr).toContain(
    'The next run does that:\nnpx rowonce run enrich-company lists/list.csv -o out.csv',
  );
});

test('--answer no_match says that a lookup found nothing: its row goes on to its next identifier, which the same command asks for', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x1', concurrency: 1 });
  await desk.write('list.csv', 'Domain,Profile\nacme.example,https://www.linkedin.com/company/acme\n');
  await desk.write(
    'job.yaml',
    '{ operation: enrich-company, account: data, columns: { domain: Domain, profile_url: Profile }, waterfall: [domain, profile_url] }',
  );
  const run = ['run', 'job.yaml', 'list.csv', '--budget', '5', '-o', 'out.csv'];
  await desk.type(run);
  const told = await desk.type(['settle', 'last', '2', '--answer', 'no_match']);
  expect(told).toMatchObject({ code: 0, stdout: 'Noted for 1 call: your answer.\n' });
  expect(await desk.json(['status', 'last'])).toMatchObject({
    state: 'open',
    counts: {},
    credits: { spent: 1, in_doubt: 0 },
  });
  expect((await desk.json(run)).counts).toEqual({ matched: 1 });
  const { attempts } = await desk.json(['status', 'last', '2']);
  expect(attempts).toHaveLength(2);
});

test.each([
  ['garbage', ['--answer', 'no_match'], 'your answer'],
  ['500', ['--skip'], 'skip'],
])(
  '--all-like: rows that were answered alike (%s) are decided about at once',
  async (fault, decision, noted) => {
    const desk = await openDesk({ faults: `${fault}:x2,reset:x1`, concurrency: 1 });
    desk.list(4);
    await desk.type(desk.run());
    expect(desk.place.statuses()).toEqual(['in_doubt', 'in_doubt', 'in_doubt', 'matched']);
    const words = ['settle', 'last', '--all-like', '2', ...decision];
    expect(await desk.type(words)).toMatchObject({ code: 0, stdout: `Noted for 2 calls: ${noted}.\n` });
    const alone = await desk.type(['settle', 'last', '--all-like', '4', '--skip']);
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not in doubt, or got no answer'),
    });
  },
);

test('a decision that cannot be carried out is refused, and nothing is noted', async () => {
  const desk = await doubtfulDesk();
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [['--retry', '--skip'], 'More than one decision is given.'],
    [['--skip', '--not-done'], 'More than one decision is given.'],
    [['--extra-credits', '5'], '--extra-credits belongs to --retry.'],
    [['--retry', '--extra-credits', 'many'], '--extra-credits many is not a whole number.'],
    [['--answer', 'name=Acme'], '2 calls are in doubt, but an answer belongs to one.'],
    [['2', '--answer', 'Acme'], '--answer Acme is not key=value.'],
    [['4', '--skip'], 'is not in doubt.'],
    [['two', '--skip'], 'is not in doubt.'],
  ];
  for (const [words, fact] of refusals) {
    const { code, stdout, stderr } = await desk.type(['settle', 'last', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toContain(fact);
  }
  // What tells about a row that has ended is another command than the one that lists doubts.
  const next = async (row: string) => (await desk.type(['settle', 'last', row, '--skip'])).stderr;
  expect(await next('4')).toMatch(/See its state\.\n.* status [0-9a-f]{8} 4\b/);
  expect(await next('99')).toMatch(/See which rows are\.\n.* settle [0-9a-f]{8}\b/);
  expect((await desk.json(['settle', 'last'])).at_risk).toBe(2);
});

test('after a kill what was on its way may be decided about at once; beside a run nothing is taken for in doubt', async () => {
  const desk = await openDesk({ latencyMs: 60_000, concurrency: 3 });
  const { place } = desk;
  desk.list(8);
  const program = place.start();
  await program.until(() => place.vendor.requests().length === 3);
  const beside = await desk.type(['settle', 'last']);
  expect(beside).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing in batch') });
  expect(beside.stdout).toContain('3 requests have no answer yet; if no run is at work,');
  expect(place.ledger().open).toHaveLength(3);
  await program.kill();
  expect((await desk.type(['status', 'last'])).stdout).toContain(
    'Open       3 requests have no answer yet; if no run is at work, the next run or settle counts them as in doubt.',
  );
  const decided = await desk.type(['settle', 'last', '--skip']);
  expect(decided).toMatchObject({ code: 0, stdout: 'Noted for 3 calls: skip.\n' });
  expect(await desk.requests()).toBe(3);
});

// ------------------------------------------------------------------------------------------------ what was decided is carried out

const PLAN = ['plan', 'enrich-company', 'list.csv'];

test('a plan counts what may be sent again, and the run is charged no more of it than the extra credits', async () => {
  const desk = await lostDesk(7, 'charged-reset:x1,422:x1,charged-reset:x2,422:x1,charged-reset:x1');
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
  const desk = await lostDesk(4, 'charged-reset:x3');
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

test('a person may give more extra credits than the job has, and a job that is lowered takes none of them back', async () => {
  const desk = await openDesk({ faults: 'charged-reset:x3', concurrency: 1 });
  desk.list(4);
  const jobOf = (extra: number) => ({
    operation: 'enrich-company',
    columns: { domain: 'Domain' },
    budget: { credits: 99 },
    in_doubt: { retry: { extra_credits: extra } },
  });
  const run = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv'];
  await desk.write('job.yaml', JSON.stringify(jobOf(1)));
  await desk.type(run);
  await desk.type(['settle', 'last', '--retry']);
  const { code, stderr } = await desk.type(run);
  expect(code, stderr).toBe(4);
  const [next = ''] = /settle \w+ --retry --extra-credits 3/.exec(stderr) ?? [];
  await desk.type(next.split(' '));
  await desk.write('job.yaml', JSON.stringify(jobOf(0)));
  expect((await desk.type(run)).code).toBe(0);
  expect(desk.place.statuses()).toEqual(['matched', 'matched', 'matched', 'matched']);
});

test.each(some(['--retry', '--skip', '--not-done', '--answer name=Told'], 1))(
  'of a batch that asked again, the printed command carries %s out once, and buys nothing anew',
  async (said) => {
    const desk = await lostDesk(3, 'charged-reset:x1', '--refresh');
    const { batch } = await desk.json(['status', 'last']);
    const { stderr } = await desk.type(['settle', batch, '2', ...said.split(' ')]);
    const [, printed = ''] = /^npx rowonce (run .*)$/m.exec(stderr) ?? [];
    for (const _ of ['once', 'and again']) {
      await desk.type([...printed.split(' '), '--budget', '9']);
      expect(await desk.requests()).toBe(/retry|not-done/.test(said) ? 4 : 3);
    }
    expect((await desk.json(['status'])).batches).toHaveLength(1);
  },
);

test('a lost call of a batch that a newer one has followed is decided about there, and the old one says where', async () => {
  const desk = await lostDesk(3, 'charged-reset:x1');
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

test('a row is left out with all that is in doubt of it', async () => {
  const at = await deskBefore(({ input }) =>
    input.profile_url?.endsWith('p0') === true ? undefined : Response.json({ code: 99 }, { status: 422 }),
  );
  const { desk } = at;
  const rows = ['p0', 'p1', 'p2', 'p3'].map((name) => `${name}@acme.example,linkedin.com/in/${name}`);
  await desk.write('list.csv', `Email,LinkedIn\n${rows.join('\n')}\n`);
  await desk.write('job.yaml', 'operation: enrich-person\nwaterfall: [email, profile_url]\n');
  const run = ['run', 'job.yaml', 'list.csv', '--budget', '99', '-o', 'out.csv'];
  // The refusals are of one shape, so they are taken back, and the e-mail of the first row is asked again.
  expect(await desk.json(run)).toMatchObject({ counts: { in_doubt: 1 } });
  at.answer = ({ input }) =>
    input.email?.startsWith('p0') === true ? undefined : { full_name: input.email };
  await desk.type(run);
  const { in_doubt: doubts } = await desk.json(['settle', 'last']);
  expect(doubts.map(({ row }: { row: number }) => row)).toEqual([2, 2]);
  expect(await desk.json(['settle', 'last', '2', '--skip'])).toMatchObject({ calls: 2 });
  expect(await desk.json(['settle', 'last'])).toMatchObject({ in_doubt: [] });
});
