/**
 * Goal: companies and people of one list are looked up in one go: one plan, one budget, one file; and whatever stops it, the same
 * command goes on.
 * Method: the real command before a vendor that keeps its own book.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { openDesk } from './desk.ts';

const BOTH = 'enrich-company,enrich-person';
/** The command of the last line, without the program's name. */
const lastCommand = (stderr: string): readonly string[] =>
  (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').slice(3);

const LIST = 'Domain,Email\na.example,jo@a.example\nb.example,none\nc.example,al@c.example\n';

test('one plan, one budget and one file, in which a name that is taken has a word of its operation behind it', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const plan = await desk.type(['plan', BOTH, 'list.csv']);
  expect(plan.stdout).toContain('Together at most 7 credits');
  expect(await desk.json(['plan', BOTH, 'list.csv'])).toMatchObject({
    plans: [{ to_buy: 3 }, { to_buy: 2, invalid: 1 }],
    credits: { most: 7 },
  });
  expect(await desk.type(['run', BOTH, 'list.csv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('could spend up to 7 credits'),
  });
  expect(await desk.requests()).toBe(0);

  const stopped = await desk.type(['run', BOTH, 'list.csv', '--budget', '5']);
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toContain('--budget 7');
  const spent = async (): Promise<number> => (await desk.place.vendor.book()).credits;
  expect(await spent()).toBeLessThanOrEqual(5);

  const done = await desk.json(['run', BOTH, 'list.csv', '--budget', '7']);
  expect(done).toMatchObject({
    runs: [{ counts: { matched: 3 } }, { counts: { matched: 2, invalid: 1 } }],
    credits: { spent: 7, exact: false },
    output: desk.place.path('list.enriched.csv'),
    stopped: null,
  });
  const output = await desk.read('list.enriched.csv');
  const [header = ''] = output.split('\n');
  expect(header).toMatch(/^Domain,Email,.*_status,.*_as_of,.*_status_person,.*_as_of_person$/);
  expect(new Set(header.split(',')).size).toBe(header.split(',').length);
  expect(await desk.read('list.enriched.needs-attention.csv')).toMatch(
    /\nb\.example,none,3,"?enrich-person: /,
  );

  const again = await desk.json(['run', BOTH, 'list.csv', '--budget', '7']);
  expect(again.runs).toMatchObject([{ requests: 0 }, { requests: 0 }]);
  expect(await desk.read('list.enriched.csv')).toBe(output);
  await desk.write('again.csv', output);
  expect(await desk.json(['run', BOTH, 'again.csv', '--budget', '7'])).toMatchObject({
    credits: { spent: 0 },
  });
  const [headerAgain] = (await desk.read('again.enriched.csv')).split('\n');
  expect(headerAgain).toBe(header);
  await desk.type(['export', done.runs[1].batch]);
  expect(await desk.read('list.enriched.csv')).toBe(output);
  expect(existsSync(desk.place.path('list.enrich-person.csv'))).toBe(true);
});

test('a job of several says of each entry whose it is, and a slip is answered by what there is', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Firm,Site,Person\nA,a.example,jo@a.example\n');
  const job = (columns: string, more = '') =>
    desk.write('job.yaml', `operations: [enrich-company, enrich-person]\ncolumns: ${columns}\n${more}`);
  await job(
    '{ domain: Site, email: Person }',
    'waterfall: [domain, email]\nbudget: { credits: 3 }\nadd: { city: enrich-company.location.city, title: enrich-person.job_title }\n',
  );
  const done = await desk.json(['run', 'job.yaml', 'list.csv', '-o', 'out.csv']);
  expect(done).toMatchObject({ runs: [{ counts: { matched: 1 } }, { counts: { matched: 1 } }] });
  expect(await desk.read('out.csv')).toMatch(/^Firm,Site,Person,city,_status,.*_as_of,title,_status_person,/);
  await job('{ domian: Site }');
  expect((await desk.type(['run', 'job.yaml', 'list.csv'])).stderr).toContain('Did you mean domain?');
  const strange = await desk.type(['plan', 'enrich-company,enrich-persn', 'list.csv']);
  expect(strange.stderr).toContain('Did you mean enrich-person?');
  await desk.write('one.yaml', 'operations: [enrich-company]\n');
  expect((await desk.type(['plan', 'one.yaml', 'list.csv'])).stderr).toMatch(
    /operations has 1 entry\.\nName two or more, or write operation: and the only one\.\n$/,
  );
  const changing = await desk.type(['plan', 'enrich-company,onboard', 'list.csv']);
  expect(changing.stderr).toContain('onboard cannot run together with others');
});

test.for(
  some(
    [
      ['--limit', 9],
      ['--sample', 9],
    ] as const,
    1,
  ),
)(
  'behind a reached budget the numbers are those of all operations, and the budget that is printed ends them all: %s %i',
  async ([flag, count]) => {
    const desk = await openDesk({ matchRate: 1, concurrency: 1 });
    const rows = Array.from({ length: 30 }, (_, at) => `c${at}.example,p${at}@c${at}.example`);
    await desk.write('list.csv', `Domain,Email\n${rows.join('\n')}\n`);
    const run = (size: number, budget: number): readonly string[] => [
      ...['run', BOTH, 'list.csv', flag, String(size), '--budget', String(budget)],
    ];
    // A company costs a credit, and a person two at most.
    const inFirst = await desk.type(run(count, 4));
    expect(lastCommand(inFirst.stderr).slice(-2)).toEqual(['--budget', String(3 * count)]);
    for (const [budget, spent] of [
      [count + 4, count + 4],
      [count + 7, count + 6],
    ] as const) {
      const inSecond = await desk.type(run(count, budget));
      expect(inSecond).toMatchObject({ code: 4 });
      expect(inSecond.stderr).toContain(
        `The budget of all operations is reached: ${spent} of ${budget} credits spent.`,
      );
      expect(inSecond.stderr).toContain(` with a --budget of at least ${spent + 2}.`);
    }
    const least = await desk.type(run(count, count + 8));
    expect(least.stderr).toContain(`is reached: ${count + 8} of ${count + 8} credits spent.`);
    expect(await desk.type(lastCommand(least.stderr))).toMatchObject({ code: 0 });
    expect(await desk.requests()).toBe(2 * count);

    // Of the operation that waits some rows are bought already, and its new ones count.
    const all = 3 * count;
    const wider = await desk.json(run(count + 3, all + 1));
    expect(wider).toMatchObject({ stopped: { code: 'budget' }, waiting: ['enrich-person'] });
    expect(wider.runs[0].stopped).toMatchObject({ message: wider.stopped.message, next: wider.stopped.next });
    expect(wider.budget_to_finish).toBe(all + 3 * 3);
    expect(await desk.read('list.enriched.csv')).toMatch(/^Domain,Email,.*,_status_person,/);
    const said = await desk.type(run(count + 3, all + 1));
    expect(said.stdout).toMatch(/^enrich-person: this run did not come to it$/m);
    expect(await desk.type(lastCommand(said.stderr))).toMatchObject({ code: 0 });
    expect(await desk.requests()).toBe(2 * (count + 3));
  },
);

test('a list with a column called as one of a later operation is no output of ours, and keeps every column', async () => {
  const desk = await openDesk();
  const list = 'Domain,Email,full_name,_status_person\na.example,jo@a.example,Jo of hers,to call\n';
  await desk.write('list.csv', list);
  await desk.json(['run', BOTH, 'list.csv', '--budget', '9']);
  const [header = '', row] = (await desk.read('list.enriched.csv')).split('\n');
  expect(header).toMatch(/^Domain,Email,full_name,_status_person,/);
  expect(row).toMatch(/^a\.example,jo@a\.example,Jo of hers,to call,/);
  // It is hers in that output as well, beside all of ours.
  await desk.write('again.csv', await desk.read('list.enriched.csv'));
  await desk.json(['run', BOTH, 'again.csv', '--budget', '9']);
  expect((await desk.read('again.enriched.csv')).split('\n')[0]).toBe(header);
});
