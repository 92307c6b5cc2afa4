/**
 * Goal: a vendor whose answers are not read right is noticed after a few of them, with what to write in the dialect, and
 * what was bought until then is read without another request once that is written.
 * Method: the real command before a vendor that answers in a shape of its own.
 */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { proof, some } from '../combinations.ts';
import { type Desk, openDesk, vendorThat } from './desk.ts';

const BUDGET = ['--budget', '100', '-o', 'out.csv'] as const;

/** A desk whose account is at a vendor that always answers so, one request at a time. @returns how often it was asked. */
async function deskBefore(
  answer: object | ((asked: number) => object),
  dialect: object,
): Promise<{ desk: Desk; asked(): number }> {
  const desk = await openDesk();
  let asked = 0;
  const base_url = await vendorThat((response) => {
    asked += 1;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(typeof answer === 'function' ? answer(asked) : answer));
  });
  await writeFile(desk.place.path('odd.yaml'), JSON.stringify(dialect));
  const data = { vendor: 'provider', base_url, key: 'key-1', dialect: desk.place.path('odd.yaml') };
  const limits = { concurrency: 1, per_second: 100 };
  await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data: { ...data, limits } } }));
  return { desk, asked: () => asked };
}

test('matches without a field where they should stand stop the run; corrected, they are read and not bought again', async () => {
  const { desk, asked } = await deskBefore(
    (at) => ({ person: { full_name: `Jo ${at}`, emails: ['jo@a.example'] } }),
    { fields_at: 'data' },
  );
  desk.list(12);
  const { code, stderr } = await desk.type(['run', 'enrich-company', 'list.csv', ...BUDGET]);
  expect(code).toBe(2);
  expect(stderr).toContain('5 matches in a row hold no field at `data`; the last, of status 200: {"person":');
  expect(stderr).toContain('Say `fields_at: person` in the dialect');
  expect(stderr).toContain('- { status: [200], body: { path: …, matches: … }, means: no_match }');
  expect(asked()).toBe(5);

  await writeFile(desk.place.path('odd.yaml'), JSON.stringify({ fields_at: 'person' }));
  expect(await desk.json(['run', 'enrich-company', 'list.csv', ...BUDGET])).toMatchObject({ stopped: null });
  expect(asked()).toBe(12);
  expect(desk.place.rows().map(({ emails }) => emails)).toEqual(Array(12).fill('jo@a.example'));
});

proof(
  'so does a search whose list is at no usual place, and its rows say what there is; one at a usual place is read',
  async () => {
    const { desk, asked } = await deskBefore({ payload: { team: [{ name: 'Jo' }] }, meta: {} }, {});
    await desk.write(
      'list.csv',
      `Company\n${Array.from({ length: 9 }, (_, at) => `Company ${at}`).join('\n')}\n`,
    );
    const run = ['run', 'search-people', 'list.csv', '--budget', '1000', '-o', 'out.csv'];
    const { code, stderr } = await desk.type(run);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '5 matches in a row hold no list at `results`; the last, of status 200: {"payload":',
    );
    expect(stderr).toContain('operations.search-people.results');
    expect(asked()).toBe(5);
    await desk.type(['export', 'last']);
    expect(desk.place.rows()[0]).toMatchObject({
      _status: 'matched',
      _reason:
        'the answer has no list of people that can be found, only payload.team (a list of 1), meta (an object); set its place in the dialect, under operations.search-people.results',
    });

    // Each was booked at the most that it may have cost. What is counted now is less, and nothing is given back.
    const results = { operations: { 'search-people': { results: 'payload.team' } } };
    await writeFile(desk.place.path('odd.yaml'), JSON.stringify(results));
    const corrected = await desk.json([...run, '--yes']);
    expect(corrected).toMatchObject({ counts: { matched: 9 }, stopped: null });
    expect((await desk.read('out.people.csv')).split('\n')).toHaveLength(11);
    expect(asked()).toBe(9);
  },
);

test.each(
  some(
    [
      ['data.contacts', { data: { contacts: [{ name: 'Jo' }, { name: 'Al' }] } }],
      ['records', { total: 2, records: [{ name: 'Jo' }, { name: 'Al' }] }],
      ['items', { items: [{ name: 'Jo' }, { name: 'Al' }], tags: ['a'] }],
      ['hits', { tags: ['a', 'b', 'c'], hits: [{ name: 'Jo' }, { name: 'Al' }] }],
      ['hits.hits', { hits: { total: 2, hits: [{ name: 'Jo' }, { name: 'Al' }] } }],
      ['result', { result: [{ name: 'Jo' }, { name: 'Al' }] }],
      ['matches', { matches: [{ name: 'Jo' }, { name: 'Al' }] }],
      ['data.results', { data: { results: [{ name: 'Jo' }, { name: 'Al' }] } }],
      ['result.items', { result: { items: [{ name: 'Jo' }, { name: 'Al' }] } }],
    ],
    1,
  ),
)('a list at %s is one of people, each of whom is counted for the price', async (_, answer) => {
  const { desk } = await deskBefore(answer, {});
  await desk.write('list.csv', 'Company\nAcme\n');
  const run = ['run', 'search-people', 'list.csv', '--budget', '1000', '-o', 'out.csv'];
  expect(await desk.json(run)).toMatchObject({ credits: { spent: 2 }, stopped: null });
  expect(await desk.read('out.people.csv')).toContain('2,Al,Acme');
  expect(desk.place.rows()[0]?._reason).toBe('2 people');
});

proof('odd ones among others stop nothing', async () => {
  const company = { data: { name: 'Acme' } };
  const { desk, asked } = await deskBefore((at) => (at % 5 === 0 ? company : { odd: 'yes' }), {
    fields_at: 'data',
  });
  desk.list(14);
  expect(await desk.json(['run', 'enrich-company', 'list.csv', ...BUDGET])).toMatchObject({ stopped: null });
  expect(asked()).toBe(14);
});

proof('a request of one’s own may answer anything', async () => {
  const { desk, asked } = await deskBefore({ ok: 'yes', tagged: true }, { fields_at: 'data' });
  await desk.write(
    'job.yaml',
    'operation: api-call\nmethod: POST\nendpoint: /tags\nkind: read\nbody: { tag: "{{Tag}}" }\n',
  );
  await desk.write('list.csv', `Tag\n${Array.from({ length: 9 }, (_, at) => `t${at}`).join('\n')}\n`);
  const words = ['run', 'job.yaml', 'list.csv', '--yes', ...BUDGET];
  expect(await desk.json(words)).toMatchObject({ stopped: null });
  expect(asked()).toBe(9);
});

test('a vendor that says that there is no such path is asked three times, and goes on when somebody says that it means no match', async () => {
  const desk = await openDesk();
  let asked = 0;
  const base_url = await vendorThat((response) => {
    asked += 1;
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"no such path"}');
  });
  const data = { vendor: 'provider', base_url, key: 'key-1', limits: { concurrency: 1, per_second: 100 } };
  await desk.write('config/accounts.yaml', JSON.stringify({ accounts: { data } }));
  desk.list(9);
  const run = ['run', 'enrich-company', 'list.csv', ...BUDGET];
  const { code, stdout, stderr } = await desk.type(run);
  expect(code).toBe(2);
  expect(stdout).toContain("Misses     only status 404 so far, 3 answers: check the account's base_url\n");
  expect(stderr).toContain('The first 3 answers of this account were all status 404.');
  const silent = await desk.json(run);
  expect(silent, 'nothing was said').toMatchObject({ stopped: { code: 'address' }, misses: { count: 3 } });
  expect(asked).toBe(3);
  expect(await desk.json([...run, '--accept', 'no-match'])).toMatchObject({ counts: { no_match: 9 } });
  expect(asked).toBe(9);
});
