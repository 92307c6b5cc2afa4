/**
 * Goal: somebody with a list whose columns are called anything sees which of them would be used and why, and nothing is
 * bought with a column that is only likely to be the right one; what is meant is said on the command line.
 * Method: the real command before a vendor that keeps its own book.
 */
import { expect, test } from 'vitest';
import { deskBefore, openDesk } from './desk.ts';

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
  await desk.write('list.csv', `${NUMBERS}Delta,later\nEpsilon,unknown\n`);
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

test('a run goes on by the same flags, which the command that goes on has, and adds what they say', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', LIST);
  const flags = ['--column', 'domain=Webseite', '--add', 'town=location.city', '--waterfall', 'domain,abn'];
  const run = (...more: readonly string[]) => desk.run(...flags, ...more);
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

test('--column with nothing behind it leaves an input unread, also one that the operation does not have', async () => {
  const desk = await openDesk();
  desk.list(1);
  expect(await desk.type(desk.run('--column', 'nosuch='))).toMatchObject({ code: 0 });
  expect((await desk.type(desk.run('--column', 'nosuch=Domain'))).stderr).toContain('has no input "nosuch"');
});

test('plan of a file says where several columns have the name of one that would be read', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'ABN,Note,ABN,Note\n51824753556,a,33051775556,b\n');
  const { code, stderr } = await desk.type(['plan', 'list.csv']);
  expect([code, stderr]).toEqual([0, 'Several columns are called "ABN": a run needs a name for each.\n']);
});

test('a row that would get nothing is skipped and costs nothing, and another on_existing asks it', async () => {
  const desk = await openDesk();
  await desk.write(
    'list.csv',
    'Domain,size,Trade\none.example,5,x\ntwo.example,,y\nthree.example,7,\nfour.example,8,z\nfive.example,n/a,0\n',
  );
  const job = (onExisting: string) =>
    desk.write(
      'job.yaml',
      `operation: enrich-company\nadd: { Size: employee_count, Trade: industry }\non_existing: ${onExisting}\n`,
    );
  const run = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];

  await job('keep');
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ rows: 5, skipped: 5, to_buy: 0 });
  expect(await desk.json(run)).toMatchObject({ counts: { skipped: 5 }, requests: 0 });

  await job('fill');
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({ skipped: 2, to_buy: 3 });
  expect((await desk.type(run)).code, 'needs no attention').toBe(0);
  expect(await desk.requests()).toBe(3);
  const [first = ''] = (await desk.read('out.csv')).split('\n').slice(1);
  expect(first).toMatch(/^one\.example,5,list,x,list,skipped,.*so the row would get nothing/);
  expect(await desk.json(run), 'the same again').toMatchObject({ counts: { skipped: 2 }, requests: 0 });

  await job('replace');
  expect(await desk.json(run)).toMatchObject({ requests: 2, credits: { spent: 2 } });
});

test('on_existing: replace leaves a cell of hers as it is where nothing is found, and merge knows it for hers', async () => {
  const { desk } = await deskBefore(({ input }) =>
    input.domain === 'one.example'
      ? { employee_count: 7, name: 'One' }
      : Response.json({ error: 'No match' }, { status: 404 }),
  );
  await desk.write('list.csv', 'Domain,Size,Name\none.example,5,First\ntwo.example,6,\nno domain,8,Eight\n');
  await desk.write(
    'job.yaml',
    'operation: enrich-company\nadd: { Size: employee_count, Name: name }\non_existing: replace\n',
  );
  const run = ['run', 'job.yaml', 'list.csv', '--budget', '9', '--limit', '3', '-o'];
  const cells = async (file: string): Promise<unknown> =>
    (await desk.read(file)).split('\n').map((line) => line.split(',').slice(0, 4).join());
  const wanted = ['Domain,Size,Name,_status', 'one.example,7,One,matched'];
  await desk.type([...run, 'out.csv']);
  expect(await cells('out.csv')).toEqual([
    ...wanted,
    ...['two.example,6,,no_match', 'no domain,8,Eight,invalid', ''],
  ]);
  await desk.write('list.csv', (await desk.read('list.csv')).replace('two.example,6', 'two.example,60'));
  expect((await desk.type(['merge', 'out.csv', 'list.csv', '-o', 'merged.csv'])).code).toBe(0);
  expect(await cells('merged.csv')).toEqual([
    ...wanted,
    ...['two.example,60,,no_match', 'no domain,8,Eight,invalid', ''],
  ]);
});

test('a path of add that no match has is said with the nearest, in plan as well, and needs attention where one is near', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain\none.example\ntwo.example\n');
  const run = (path: string) => [
    ...['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'out.csv', '--add', `Size=${path}`],
  ];
  const near = await desk.type(run('employe_count'));
  expect(near.stderr).toContain('`employe_count` is in none of 2 answers; did you mean `employee_count`?');
  expect(near.code).toBe(3);
  const quiet = await desk.type([...run('employe_count'), '--quiet']);
  expect(quiet).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^`employe_count` is in none .*\n$/),
  });
  expect((await desk.type([...run('employe_count'), '--attention-ok'])).code).toBe(0);
  expect(await desk.json(run('employe_count'))).toMatchObject({
    missing_paths: [{ path: 'employe_count', answers: 2, nearest: 'employee_count' }],
  });
  const plan = await desk.type(['plan', 'enrich-company', 'list.csv', '--add', 'Size=employe_count']);
  expect(plan.stderr + plan.stdout).toContain('did you mean `employee_count`?');

  const far = await desk.type(run('zzzzzzzzzzzz'));
  expect(far.stderr).toContain('`zzzzzzzzzzzz` is in none of 2 answers; they have');
  expect(far.code, 'so few answers may all lack it').toBe(0);
  expect((await desk.type(run('employee_count'))).stderr).not.toContain('is in none of');
  expect(await desk.requests()).toBe(2);
});
