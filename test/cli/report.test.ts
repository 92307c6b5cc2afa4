/**
 * Goal: a manager who never typed a command reads on one page, in the order of her questions, what was found, what it cost, where it was
 * lost, and what needs whom; every figure adds up, and no word of it is one of a terminal.
 * Method: the real command before a vendor, and its report read as a browser shows it.
 */
import { expect, test } from 'vitest';
import { domainsOf } from '../faults/workplace.ts';
import { type Desk, deskBefore, openDesk } from './desk.ts';

/** What is read before the first fold, one line for each element. */
async function readIn(desk: Desk): Promise<readonly string[]> {
  const html = await desk.read('out.report.html');
  const [, main = ''] = (html.split('<details')[0] ?? '').split('<main class="a4">');
  const isEnd = /<\/(?:p|h\d|li|dd|tr|header)>|(?<=class="soft">[^<]*)<\/span>/g;
  const lines = main.replaceAll(isEnd, '\n').replaceAll(/<[^>]*>/g, ' ');
  return lines.split('\n').flatMap((line) => line.replaceAll(/\s+/g, ' ').trim() || []);
}

test('a manager reads what was found, what each one cost, where the others were lost, and who can help', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' }, concurrency: 1 });
  const [first = '', ...others] = domainsOf('list.csv', 3);
  await desk.write('list.csv', ['Website', first, ...others, first, 'a domain of ours', ''].join('\n'));
  const add = { Staff: 'employee_count', Twitter: 'social.nothing' };
  await desk.write('job.yaml', JSON.stringify({ operation: 'enrich-company', account: 'data', add }));
  const words = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9', '--as', 'Jo Citizen'];
  await desk.type([...words, '--attention-ok']);
  const lines = await readIn(desk);
  expect(lines[0]).toMatch(/^list\.csv · \d+ \w+ 20\d\d, \d\d:\d\d \(.+\) · Jo Citizen · account data$/);
  expect(lines.slice(1)).toEqual([
    '4 of 5 companies found, 80 %',
    'It cost 3 credits (A$0.12). That is 1 credit (A$0.04) for each one bought. ' +
      '1 row shares an answer with another row: free of charge. 1 row needs attention.',
    ...['Rows 5', 'Looked up 3', 'Share an answer 1, free', 'Cannot be used 1'],
    ...['Found 4, 1 of them free', 'Need attention 1'],
    ...['Cost', 'Credits 3', 'Never more than 9 credits', 'In money A$0.12'],
    ...['What came back, of 4 companies', 'Staff 4', 'Twitter 0, 0 %', 'Found by web domain 4 of 4, 100 %'],
    'Needs attention: 1 row. Correct the list.',
    ...['Row 6', 'a domain of ours website: contains a space or several values'],
  ]);
});

test('columns have the names that they have in the workbook, and each account says what it found at which price', async () => {
  const desk = await openDesk({ account: { price: '0.04 AUD' }, concurrency: 1 });
  const [one, two] = domainsOf('list.csv', 2);
  await desk.write('list.csv', `Domain,name,Industry\n${one},Own,\n${two},Own,\n`);
  await desk.type(desk.run());
  const [header = ''] = (await desk.read('out.csv')).split('\n');
  const added = header.split(',').slice(3, header.split(',').indexOf('_status'));
  const lines = await readIn(desk);
  const first = lines.findIndex((line) => line.startsWith('What came back')) + 1;
  // Those that every found row has filled stand together.
  expect(lines[first]).toMatch(new RegExp(`^${added.slice(0, 10).join(', ')}\\b`));
  expect(added).toContain('found_name');
  const { figures } = await desk.json(desk.run());
  expect(figures.columns.map(({ name }: { name: string }) => name)).toEqual(added);
  expect(figures.each).toEqual({ rows: 2, credits: 1, cost: [{ amount: 0.04, currency: 'AUD' }] });
});

test('of two things each column is a share of the rows in which its own thing was found', async () => {
  const { desk } = await deskBefore(({ path }) =>
    path.includes('company') ? { name: 'Acme', employee_count: 5 } : { full_name: 'Jo', job_title: 'Head' },
  );
  await desk.write('list.csv', 'Website,Email\na.example,\n,jo@b.example\nc.example,\n');
  const job = {
    account: 'data',
    operations: {
      'enrich-company': { add: { Staff: 'employee_count' } },
      'enrich-person': { add: { Title: 'job_title' } },
    },
  };
  await desk.write('job.yaml', JSON.stringify(job));
  await desk.type(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9']);
  const lines = await readIn(desk);
  expect(lines).toEqual(expect.arrayContaining(['Staff 2', 'Title 1']));
});

test('people who are left as they are need nobody: the row that may mean them does, in every face', async () => {
  const desk = await openDesk();
  const write = (...lines: readonly string[]) =>
    desk.write('team.csv', ['Email,Project,Role', ...lines, ''].join('\n'));
  const job = { operation: 'onboard', account: 'sandbox-service', create_projects: true };
  const removing = { remove_missing: true, guards: { max_removals: '90%' } };
  await desk.write('job.yaml', JSON.stringify({ ...job, ...removing }));
  const run = ['run', 'job.yaml', 'team.csv', '-o', 'out.csv', '--yes'];
  await write('jo@team.example,Harbour,viewer', 'al@team.example,Harbour,editor');
  await desk.type(run);
  await write('jo@team.example,Harbour,viewer', 'al@@team,Harbour,viewer');
  const { figures, counts } = await desk.json(run);
  expect(counts).toEqual({ unchanged: 2, invalid: 1 });
  expect(figures).toMatchObject({ attention: 1, reasons: [{ kind: 'invalid', rows: 1 }] });
  const lines = await readIn(desk);
  expect(lines.join('\n')).toContain('Of these people 2 stay as they were, 1 needs attention.');
  const why = 'row 3 (&quot;al@@team&quot;) may mean them; correct it first';
  expect(lines.join()).toContain(`Harbour,al@team.example held back: ${why}`);
  const { stdout } = await desk.type(['plan', 'job.yaml', 'team.csv']);
  expect(stdout).toContain('because row 3 ("al@@team") is invalid and may mean them.');
});
