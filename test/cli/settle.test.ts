/**
 * Goal: what is in doubt is shown with the money at risk, only a person decides to pay again, and what was decided
 * is what the next run does.
 * Method: the sandbox charges two lookups and loses their answers; the real commands go on from there, and its book
 * says what was paid.
 */
import { expect, test } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

/** Three rows, two of which the vendor has charged without an answer. */
async function doubtfulDesk(): Promise<Desk> {
  const desk = await openDesk({ faults: 'charged-reset:x2', concurrency: 1 });
  desk.list(3);
  expect(await desk.type(desk.run())).toMatchObject({ code: 3 });
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
});

test('a doubt that another list has asked about has here the row that waits for it, which is what a decision takes', async () => {
  const desk = await doubtfulDesk();
  await desk.write('other.csv', 'Domain\nnew.example\nlist.csv-1.example\nlist.csv-2.example\n');
  await desk.type(['run', 'enrich-company', 'other.csv', '--budget', '9']);
  const { batch, in_doubt: doubts } = await desk.json(['settle', 'last']);
  expect(doubts).toMatchObject([
    { row: 3, own: false },
    { row: 4, own: false },
  ]);
  expect((await desk.json(['settle', batch, '4', '--skip'])).calls).toBe(1);
  expect((await desk.json(['settle', batch])).in_doubt).toMatchObject([{ row: 3 }]);
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

test('--answer: what an error said of itself is no part of the answer that a person gives', async () => {
  const desk = await openDesk({ faults: '500:x1', concurrency: 1 });
  desk.list(1);
  await desk.type(desk.run());
  await desk.type(['settle', 'last', '2', '--answer', 'city=Perth']);
  await desk.type(desk.run());
  const [row = {}] = desk.place.rows();
  expect(row).toMatchObject({ _status: 'matched', city: 'Perth' });
  expect(Object.keys(row).filter((name) => !name.startsWith('_'))).toEqual(['No', 'Name', 'Domain', 'city']);
});

test('--not-done gives the money back, for every batch, and the same command buys the row like any other', async () => {
  const desk = await doubtfulDesk();
  const noted = await desk.type(['settle', 'last', '2', '--not-done']);
  expect(noted).toMatchObject({ code: 0, stdout: 'Noted for 1 call: not done.\n' });
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 1, in_doubt: 1 });
  expect((await desk.type(['status', 'last', '2'])).stdout).toContain('a person checked');
  await desk.type(desk.run());
  expect(desk.place.statuses()).toEqual(['matched', 'in_doubt', 'matched']);
  expect(await desk.requests()).toBe(4);
  expect((await desk.json(['status', 'last'])).credits).toMatchObject({ spent: 2, in_doubt: 1 });
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
