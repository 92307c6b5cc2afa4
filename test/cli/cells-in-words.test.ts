/**
 * Goal: a cell is read as the person meant it who left it so: a word for nothing is blank where somebody is named by the cell, and
 * itself everywhere else; and what she can mend is listed until she has, also where another cell found the row.
 * Method: the real command over small lists, before the sandbox.
 */
import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

async function ran(list: string, ...words: readonly string[]) {
  const desk = await openDesk();
  await desk.write('list.csv', list);
  const [operation = '', ...more] = words;
  const ended = await desk.type(['run', operation, 'list.csv', '-o', 'out.csv', '--budget', '9', ...more]);
  return { ...ended, desk, rows: desk.place.rows('out.csv') };
}

test('a word for nothing in place of an identifier is blank, is called so, and nobody is asked about it', async () => {
  const words = [
    'NULL',
    'nan',
    'N/A',
    'n/a',
    'NA',
    '<NA>',
    '\\N',
    'None',
    '-',
    '0',
    '000000',
    '0.0',
    '(blank)',
  ];
  const list = words.map((word, at) => `${word},${word},A\n${word},acme-${at}.com.au,B\n`);
  const { rows, desk } = await ran(`ABN,Domain,Name\n${list.join('')}`, 'enrich-company', '--budget', '99');
  for (const [at, word] of words.entries()) {
    const [blank, found] = rows.slice(2 * at, 2 * at + 2);
    expect([word, blank?._status, found?._status, found?._reason]).toEqual([word, 'invalid', 'matched', '']);
    expect(blank?._reason).toMatch(/ABN .+: counts as blank; domain .+: counts as blank/);
  }
  expect(await desk.requests()).toBe(words.length);
});

test('the same words stay what they are in a request that her cells fill, and in her other columns', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', 'Domain,Note\nacme.com.au,NULL\nbeta.com.au,0\n');
  const body = { domain: '{{Domain}}', tag: '{{Note}}' };
  const job = { operation: 'api-call', endpoint: '/tags/apply', kind: 'change', credits_max: 0, body };
  await desk.write('job.yaml', JSON.stringify(job));
  expect((await desk.type(['run', 'job.yaml', 'list.csv', '--yes'])).code).toBe(0);
  expect(desk.place.vendor.requests().map(({ body: sent }) => sent.tag)).toEqual(['NULL', '0']);
  expect(await desk.read('list.enriched.csv')).toMatch(/\nacme\.com\.au,NULL,.*\nbeta\.com\.au,0,/);
});

test('a damaged number of a row that another cell found is listed until it is mended', async () => {
  const list = (abn: string) => `ABN,Website\n${abn},https://acme.com.au\n51824753556,https://b.com.au\n`;
  const { desk, rows, code } = await ran(list('51824753557'), 'enrich-company');
  expect([code, ...rows.map(({ _status }) => _status)]).toEqual([3, 'matched', 'matched']);
  expect(desk.place.rows('out.needs-attention.csv')).toMatchObject([
    { _row: '2', _reason: 'ABN 51 824 753 557: the checksum fails, so correct it' },
  ]);
  expect(await desk.read('out.report.html')).toMatch(
    /1 row of those done has a damaged cell\.(?:.|\n)*ABN: the checksum fails</,
  );

  await desk.write('list.csv', list(''));
  const again = await desk.type(['run', 'enrich-company', 'list.csv', '--budget', '9', '-o', 'out.csv']);
  expect(again.code).toBe(0);
  expect(await desk.read('out.report.html')).toContain('Nothing needs attention.');
  await expect(desk.read('out.needs-attention.csv')).rejects.toThrow();
});

test('"can view" is never taken for a slip of "Can edit": the plan asks which role it is', async () => {
  const desk = await openDesk();
  await desk.write(
    'team.csv',
    'Email,Role\na@acme.example,Can edit\nb@acme.example,can view\nc@acme.example,N/A\n',
  );
  const plan = ['plan', 'invite-user', 'team.csv', '--account', 'sandbox-service'];
  const { stdout } = await desk.type([...plan, '--role', 'Can edit=editor']);
  expect(stdout).toContain('+ invite a@acme.example');
  expect(stdout).toContain(
    'role "can view" is not known. Say with --role "can view=…" which of viewer, editor and admin that is.',
  );
  expect(stdout).toContain('role N/A: counts as blank');
});

test.each(['Projects', 'Project Name(s)', 'Workspace'])(
  'a column called %s says where people go',
  async (name) => {
    const desk = await openDesk();
    await desk.write('team.csv', `Email,Role,${name}\na@acme.example,viewer,Atlas\n`);
    const plan = ['plan', 'onboard', 'team.csv', '--account', 'sandbox-service', '--project', 'Atlas=proj-1'];
    expect((await desk.type(plan)).stdout).toContain('+ invite a@acme.example to Atlas as viewer');
  },
);

test.each([
  [
    'a project that is to be made is one, however its rows spell it',
    ' atlas',
    /^3 changes \(1 new project, 2/m,
  ],
  ['no project is made of a word for nothing', 'N/A', /project N\/A: counts as blank\n2 changes \(1 new/],
])('%s', async (_promise, project, said) => {
  const desk = await openDesk();
  const list = `Email,Role,Project\na@acme.example,viewer,Atlas\nb@acme.example,viewer,${project}\n`;
  await desk.write('team.csv', list);
  const plan = ['plan', 'onboard', 'team.csv', '--account', 'sandbox-service', '--create-projects'];
  expect((await desk.type(plan)).stdout).toMatch(said);
});

test('--repair would repair what alters a request, and nothing else', async () => {
  const desk = await openDesk();
  const list = 'Domain,Website\nacme.com.au,"https://acme.com.au;"\nbeta.com.au;,https://gamma.com.au\n';
  await desk.write('list.csv', list);
  const { stdout } = await desk.type(['plan', 'enrich-company', 'list.csv']);
  expect(stdout).toContain('would repair what is sent for 1 row\n');
});
