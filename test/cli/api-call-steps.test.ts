/**
 * Goal: a request that a job states itself is one of its steps: it asks by what an earlier step has found, what it gives has the names that
 * the job says, and an answer that has none of them is a miss.
 * Method: the real command and accounts that are not play money, before a vendor on a real socket.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

const FINDER = {
  operations: {
    'find-email': {
      method: 'POST',
      path: '/find',
      by: ['first_name+domain'],
      gives: { email: 'mail' },
      credits: { most: 1, found: 1 },
    },
  },
};

const JOB = {
  columns: { first_name: 'First', domain: 'Site' },
  operations: {
    'find-email': { account: 'data', add: { Email: 'email' } },
    'api-call': {
      account: 'data',
      endpoint: '/people',
      body: { of: { mail: '{{Email}}' } },
      credits_max: 2,
      gives: { title: 'person.role[kind=job].name' },
      add: { Title: 'title' },
    },
  },
  on_existing: 'fill',
};

const LIST = 'First,Site,Email\nAnn,a.example,\nBob,b.example,bob@list.example\nCat,c.example,\n';

const TITLES: Readonly<Record<string, string>> = { 'ann@a.example': 'Boss', 'bob@list.example': 'Clerk' };

function deskWith(job: object = JOB): Promise<DeskBefore> {
  return deskBefore(({ path, input, body }) => {
    if (path === '/find') return { mail: input.first_name === 'Cat' ? null : `ann@${input.domain}` };
    const title = TITLES[JSON.parse(body).of.mail];
    const role = [
      { kind: 'team', name: 'Ops' },
      ...(title === undefined ? [] : [{ kind: 'job', name: title }]),
    ];
    return { person: { id: 7, role } };
  }).then(async (at) => {
    at.speak(FINDER);
    await at.desk.write('list.csv', LIST);
    await at.desk.write('job.yaml', JSON.stringify(job));
    return at;
  });
}

const RUN = ['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '99'];

test('an api-call is a step that asks by what was found before, and gives what the job names', async () => {
  const { desk, asked } = await deskWith();
  expect((await desk.json(['plan', 'job.yaml', 'list.csv'])).credits.most).toBe(2 * 1 + 3 * 2);
  const { credits } = await desk.json(RUN);
  expect(desk.place.rows().map(({ Email, Title, _status }) => [Email, Title, _status])).toEqual([
    ['ann@a.example', 'Boss', 'matched'],
    ['bob@list.example', 'Clerk', 'matched'],
    ['', '', 'no_match'],
  ]);
  expect(
    asked.map(({ path, input }) => `${path} ${JSON.stringify(input.of ?? input.first_name)}`).sort(),
  ).toEqual([
    '/find "Ann"',
    '/find "Cat"',
    '/people {"mail":"ann@a.example"}',
    '/people {"mail":"bob@list.example"}',
  ]);
  expect(credits).toMatchObject({ spent: 1 + 2 * 2, in_doubt: 0 });
  await desk.json(RUN);
  expect(asked).toHaveLength(4);
});

test('an answer without what the job names is a miss, also where the job has that request alone', async () => {
  const { desk } = await deskWith({
    operation: 'api-call',
    endpoint: '/people',
    body: { of: { mail: '{{Email}}' } },
    gives: { title: 'person.role[kind=job].name' },
    add: { Title: 'title' },
  });
  await desk.write('list.csv', 'Email\nann@a.example\nnobody@x.example\n');
  const { credits } = await desk.json(RUN);
  expect(desk.place.rows().map(({ Title, _status }) => [Title, _status])).toEqual([
    ['Boss', 'matched'],
    ['', 'no_match'],
  ]);
  expect(credits.spent).toBe(1);
});

test.each([
  [{ method: 'DELETE' }, 'api-call changes something at the vendor, and steps read.'],
  [{ endpoint: undefined }, 'api-call needs an `endpoint`'],
])('a step that cannot be one says so: %j', async (other, says) => {
  const step = { ...JOB.operations['api-call'], ...other };
  const { desk, asked } = await deskWith({ ...JOB, operations: { ...JOB.operations, 'api-call': step } });
  const { code, stderr } = await desk.type(RUN);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(asked).toEqual([]);
});
