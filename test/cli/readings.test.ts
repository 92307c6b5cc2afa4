/**
 * Goal: an answer that was paid for and misread is read right once the dialect is, without another request for it; and one that counted as an
 * answer and is none by today's dialect is bought again once, when a person agreed to it.
 * Method: the real command before a vendor that answers in words of its own and keeps its own book; the rule for those words comes into the
 * dialect afterwards.
 */
import { expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { deskBefore } from './desk.ts';

const UNKNOWN = { status: [200], body: { path: 'name', matches: 'unknown' }, means: 'no_match' };
const row = (name: string): string => `${name}.example,https://www.linkedin.com/company/${name}\n`;
const LIST = `Domain,LinkedIn\n${['one', 'two', 'three'].map(row).join('')}`;

const planOf = (list: string) => ['plan', 'enrich-company', list];
const runOf = (list: string) => ['run', 'enrich-company', list, '--budget', '100', '-o', `${list}.out.csv`];

test('replies that were kept in doubt are read once the dialect can; nothing is asked again, and what was at risk is spent', async () => {
  // It knows `one.example`, and each profile; of other domains it says that it does not know them.
  const { desk, asked, speak } = await deskBefore(({ input }) => {
    const [about = ''] = Object.values(input);
    const isKnown = about === 'one.example' || about.includes('/company/');
    return { name: isKnown ? `Company of ${about}` : 'unknown company', credits: 1 };
  });
  await desk.write('list.csv', LIST);
  speak({ answers: [{ ...UNKNOWN, means: 'in_doubt' }] });
  expect(await desk.json(runOf('list.csv'))).toMatchObject({
    counts: { matched: 1, in_doubt: 2 },
    credits: { spent: 1, in_doubt: 2 },
  });
  speak({ answers: [UNKNOWN] });
  asked.length = 0;
  expect(await desk.json(planOf('list.csv'))).toMatchObject({ in_doubt: 0, to_buy: 2, credits: { most: 2 } });
  const { counts, credits } = await desk.json(runOf('list.csv'));
  expect({ counts, spent: credits.spent, in_doubt: credits.in_doubt }).toEqual({
    counts: { matched: 3 },
    spent: 5,
    in_doubt: 0,
  });
  expect(asked.filter(({ input }) => !('profile_url' in input))).toEqual([]);
  expect(asked).toHaveLength(2);
  const { stdout } = await desk.type(['status', 'last', '3']);
  expect(stdout).toMatch(/ no_match, 1 credit at /);
});

// ------------------------------------------------------------------------------------------------ an answer that is none today

const busy = (means: string): object => ({ status: [200], body: { path: 'note', matches: 'busy' }, means });

/** A vendor that says of each `busy` domain once that it is busy, and runs of lists before it. */
async function busyVendor() {
  const busyBefore = new Set<string>();
  const at = await deskBefore(({ input: { domain = '' } }) => {
    if (!domain.startsWith('busy') || busyBefore.has(domain)) return { name: `Company of ${domain}` };
    busyBefore.add(domain);
    return { name: 'Queue', note: 'busy' };
  });
  const { desk, asked } = at;
  return {
    ...at,
    /** The domains that were asked about, in order: each was charged. */
    book: () => asked.map(({ input }) => input.domain),
    list: (name: string, ...domains: readonly string[]) =>
      desk.write(name, `Domain\n${domains.map((domain) => `${domain}.example\n`).join('')}`),
    run: (list: string, ...more: readonly string[]) => desk.json([...runOf(list), ...more]),
    cell: (list: string, row: number, name: string) => desk.place.rows(`${list}.out.csv`)[row]?.[name],
  };
}

/** A list of three rows was bought, of which the second was busy; then the rule came. */
async function misread(means = 'rate_limited') {
  const vendor = await busyVendor();
  await vendor.list('list.csv', 'one', 'busy', 'three');
  const first = await vendor.run('list.csv');
  expect(first).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3 } });
  vendor.speak({ answers: [busy(means)] });
  vendor.asked.length = 0;
  return { vendor, desk: vendor.desk, first };
}

test.each(
  some(
    [
      ['rate_limited', 'paused'],
      ['in_doubt', 'in_doubt'],
      ['credits_used_up', 'stopped'],
    ],
    1,
  ),
)(
  'a finished list of which an answer is %s today keeps its rows; a run says so, and buys it again with --yes',
  async (means, kind) => {
    const { vendor, desk, first } = await misread(means);
    const before = await desk.read('list.csv.out.csv');
    const reread = { batch: first.batch, rows: 1, most: 1 };
    const plan = await desk.json(['plan', 'enrich-company', 'list.csv']);
    expect(plan).toMatchObject({
      to_buy: 1,
      unanswered: { rows: 1, credits: 1 },
      credits: { most: 1 },
      reread,
    });
    const fact = `1 row of batch ${first.batch} was settled by answers that today's dialect reads differently; to settle it again costs at most 1 credit.`;
    expect((await desk.type(['plan', 'enrich-company', 'list.csv'])).stdout).toContain(
      `${fact} A run does that with --yes.`,
    );
    const kept = await desk.type(runOf('list.csv'));
    expect(kept.stderr).toContain(`${fact} They keep their outcome; to settle them again, agree with --yes.`);
    expect(await desk.read('list.csv.out.csv')).toBe(before);
    expect((await desk.type(['status', 'last', '3'])).stdout).toContain(`read as ${means} by `);
    expect(vendor.book()).toEqual([]);

    const anew = await vendor.run('list.csv', '--yes');
    expect(anew).toMatchObject({ counts: { matched: 3 }, credits: { spent: 1 }, requests: 1 });
    expect(anew.batch).not.toBe(first.batch);
    expect(vendor.book()).toEqual(['busy.example']);
    expect(vendor.cell('list.csv', 1, 'name')).toBe('Company of busy.example');
    const [old, bought] = (await desk.json(['status', anew.batch, '3'])).attempts;
    expect(old).toMatchObject({ batch: first.batch, closure: { answer: kind, charged: 1 } });
    expect(bought).toMatchObject({
      batch: anew.batch,
      closure: { answer: 'found' },
    });
    // What it had cost stays spent, and its row says where it is now.
    expect(await desk.json(['status', first.batch])).toMatchObject({
      counts: { matched: 2, skipped: 1 },
      credits: { spent: 3 },
    });
    expect((await desk.json(['status', first.batch, '3'])).outcome.reason).toBe(
      `its call was answered; batch ${anew.batch} goes on with this list`,
    );
    expect(await vendor.run('list.csv', '--yes'), 'and that is all').toMatchObject({ batch: anew.batch });
    expect(vendor.book()).toHaveLength(1);
  },
);

test('another list counts what is no answer as to buy, holds its rows back unasked, and buys it once somebody agreed', async () => {
  const { vendor, desk, first } = await misread();
  await vendor.list('other.csv', 'busy', 'four', 'one');
  const plan = ['plan', 'enrich-company', 'other.csv'];
  const counted = {
    bought_before: 1,
    to_buy: 2,
    unanswered: { rows: 1, credits: 1 },
    credits: { most: 2 },
  };
  expect(await desk.json(plan)).toMatchObject(counted);
  expect((await desk.type(plan)).stdout).toContain("1 again, today's dialect finds no answer in what came");
  const held = await vendor.run('other.csv');
  const credits = { spent: 1, in_doubt: 0 };
  expect(held).toMatchObject({ counts: { matched: 2, in_doubt: 1 }, credits });
  expect(vendor.book()).toEqual(['four.example']);
  expect(vendor.cell('other.csv', 0, 'name')).toBe('');
  expect(vendor.cell('other.csv', 0, '_reason')).toMatch(
    /^today's dialect reads the response of 20.*Z as a rate limit, not as an answer: status 200; run the list with --yes to buy it again$/,
  );
  expect((await desk.type(['settle', held.batch])).stdout).toMatch(
    /^row 2 waits: today's dialect reads the response of .*\nNothing in batch \w+ is for you to decide\.\n$/,
  );
  const retried = await desk.type(['settle', held.batch, '2', '--retry']);
  expect(retried).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('run the list with --yes to buy it again'),
  });
  const again = await desk.type(runOf('other.csv'));
  expect(again).toMatchObject({ code: 3 });
  expect(again.stderr).toContain('to settle it again costs at most 1 credit.');
  expect(vendor.book()).toHaveLength(1);

  const agreed = await vendor.run('other.csv', '--yes');
  expect(agreed).toMatchObject({ counts: { matched: 3 }, credits: { spent: 1 } });
  expect(vendor.book()).toEqual(['four.example', 'busy.example']);
  // By now there is an answer, so the first list's row, which was in doubt since the reading, has it for nothing.
  const last = await vendor.run('list.csv', '--yes');
  expect(last).toMatchObject({ batch: first.batch, counts: { matched: 3 }, requests: 0 });
  expect(vendor.book()).toHaveLength(2);
});

test.each(
  some(
    [
      ['before-intent', 'matched'],
      ['after-intent', 'in_doubt'],
      ['after-send', 'in_doubt'],
      ['after-keep', 'matched'],
      ['before-row', 'matched'],
    ],
    1,
  ),
)(
  'the answer in its place is bought once though the run is killed %s; the same command ends it',
  async (crashAt, ended) => {
    const { vendor, desk, first } = await misread();
    // The first row is settled before it comes to the second.
    const point = crashAt === 'before-row' ? 'before-row:3' : crashAt;
    const killed = await desk.type([...runOf('list.csv'), '--yes'], { env: { ROWONCE_CRASH_AT: point } });
    expect(killed.code, killed.stderr).toBeNull();
    const end = await vendor.run('list.csv');
    const counts = ended === 'matched' ? { matched: 3 } : { matched: 2, in_doubt: 1 };
    expect(end.batch).not.toBe(first.batch);
    expect(end).toMatchObject({ counts, credits: ended === 'matched' ? { spent: 1 } : { in_doubt: 1 } });
    expect(vendor.book().length).toBe(crashAt === 'after-intent' ? 0 : 1);
    expect(await vendor.run('list.csv', '--yes')).toMatchObject({ batch: end.batch, requests: 0 });
    expect(await desk.json(['status', first.batch])).toMatchObject({ credits: { spent: 3, in_doubt: 0 } });
    expect(vendor.book().length).toBeLessThanOrEqual(1);
  },
);
