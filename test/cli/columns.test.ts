/**
 * Goal: somebody with a list whose columns are called anything sees which of them would be used and why, and nothing is
 * bought with a column that is only likely to be the right one; what is meant is said on the command line.
 * Method: the real command before a vendor that keeps its own book.
 */
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

const NUMBERS = 'Company,Number\nAcme,51 824 753 556\nBeta,44676848475\nGamma,44735928039\n';

test('a column is known by its cells: plan says so, run takes it and says so, and a saved job keeps it', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', NUMBERS);
  const why = 'by its content, 3 of 3 cells';
  expect((await desk.type(['plan', 'list.csv'])).stdout).toContain(
    `fits          enrich-company: abn ← Number (${why})\n`,
  );
  expect((await desk.type(['plan', 'enrich-company', 'list.csv'])).stdout).toContain(
    `  columns        abn ← Number (${why}) (guessed)\n`,
  );
  const { code, stderr } = await desk.type(desk.run('--save-job', 'job.yaml'));
  expect(code).toBe(0);
  expect(stderr).toContain(`Columns, guessed: abn ← Number (${why}).\n`);
  expect(await desk.read('job.yaml')).toContain(`\n  abn: Number  # abn ← Number, ${why}\n`);
  expect(await desk.requests()).toBe(3);

  const again = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];
  expect(await desk.json(again)).toMatchObject({ rows: 3, requests: 0, credits: { spent: 3 } });
});

test('a likely column is named with the flag that takes it, and a run without that is refused before anything is sent', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', `${NUMBERS}Delta,none\nEpsilon,unknown\n`);
  const why = 'by its content, 3 of 5 cells';
  const { stdout } = await desk.type(['plan', 'list.csv']);
  expect(stdout).toContain(
    `may fit       enrich-company, if you choose the columns\n              likely: abn ← Number (${why})\n` +
      '              if so:  --column abn=Number\n',
  );
  const { operations } = await desk.json(['plan', 'list.csv']);
  expect(operations).toContainEqual(
    expect.objectContaining({
      operation: 'enrich-company',
      columns: {},
      likely: [{ input: 'abn', column: 'Number', because: why }],
      problem: expect.stringContaining('none was recognized among the columns'),
    }),
  );
  const { code, stderr } = await desk.type(desk.run());
  expect(code).toBe(2);
  expect(stderr).toContain(`"abn" may be "Number", ${why}.`);
  expect(await desk.requests()).toBe(0);
});

const LIST =
  'Company,ABN,Webseite\nAcme,51824753556,acme.example\nBeta,,beta.example\nGamma,,gamma.example\n';

test('a column that --column names is taken beside the one that was guessed', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const plan = (column: string) => desk.type(['plan', 'enrich-company', 'list.csv', '--column', column]);
  const { stdout } = await plan('domain=Webseite');
  expect(stdout).toContain('  columns        abn ← ABN, domain ← Webseite (guessed)\n');
  const stderr = expect.stringContaining('Did you mean Webseite?');
  expect(await plan('domain=Webseit')).toMatchObject({ code: 2, stderr });
});

test('a run goes on by the same flags, which the command that goes on has, and adds what they say', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const flags = ['--column', 'domain=Webseite', '--add', 'town=location.city', '--waterfall', 'domain,abn'];
  const run = (...more: readonly string[]) => [
    'run',
    'enrich-company',
    'list.csv',
    '-o',
    'out.csv',
    ...flags,
    ...more,
  ];
  const stopped = await desk.type(run('--budget', '1'));
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toContain(
    '--column domain=Webseite --add town=location.city --waterfall domain,abn',
  );
  const done = await desk.json(run('--budget', '9'));
  expect(done).toMatchObject({ counts: { matched: 3 }, credits: { spent: 3 }, requests: 2 });
  expect(await desk.read('out.csv')).toMatch(/^Company,ABN,Webseite,town,_status,/);
});

test('a column of the job that --add takes out is not added, and what was said so is read by every later command', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const add = 'add: { town: location.city, phone: "phones[0]" }\n';
  await desk.write('job.yaml', `operation: enrich-company\ncolumns: { domain: Webseite }\n${add}`);
  const run = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9', '--add', 'town='];
  expect((await desk.type(run)).code).toBe(0);
  expect(await desk.read('out.csv')).toMatch(/^Company,ABN,Webseite,phone,_status,/);
  expect((await desk.type(['export', 'last', '-o', 'again.csv'])).code).toBe(0);
  desk.list(1, 'other.csv');
  const other = ['run', 'enrich-company', 'other.csv', '-o', 'out2.csv', '--budget', '1'];
  expect((await desk.type(other)).code).toBe(0);
});
