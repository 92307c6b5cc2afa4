/**
 * Goal: what a job describes is sent for each row, once, directly and through the service, and a cell arrives as it
 * stands in the file.
 * Method: the real command before the sandbox; what arrived is read from the sandbox's own state and log.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Way } from '../faults/ways.ts';
import { some } from '../support/combinations.ts';
import { deskBefore, openDesk } from './desk.ts';

const NASTY = 'say "hi", \\u0041 {{Domain}} $& ünï🙂\n\'}, "admin": true';

/** A CSV in which every cell is in quotes. */
const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()}\n`).join('');

const LIST = csvOf([
  ['Domain', 'Tag', 'Of'],
  ['a.example', NASTY, ''],
  ['b.example', 'two', ''],
  ['b.example', 'two', ''],
  ['', ' ', 'nobody'],
]);

const TAG = {
  operation: 'api-call',
  endpoint: '/tags/apply',
  kind: 'change',
  credits_max: 0,
  body: { domain: '{{Domain}}', tag: '{{Tag}}, {{Domain}}' },
};

test.each<Way>(some(['direct', 'via'], 1))('a change is done once for each body, %s', async (way) => {
  const desk = await openDesk({ way, concurrency: 1 });
  const { place } = desk;
  const tags = async () =>
    ((await (await fetch(`${place.vendor.url}/sandbox/state`)).json()) as { tags: object }).tags;
  await desk.write('list.csv', LIST);
  await desk.write('job.yaml', JSON.stringify(TAG));
  const unasked = await place.runHere({ job: 'job.yaml' });
  expect({ code: unasked.code, tags: await tags() }).toEqual({ code: 2, tags: [] });

  const order = { job: 'job.yaml', more: ['--yes'] };
  // Of one row alone: the request of a second one may be on its way while the first is closed.
  const first = { ...order, more: ['--yes', '--limit', '1'] };
  const killed = await place.run({ ...first, crashAt: 'after-end' });
  expect(killed.signal).toBe('SIGKILL');
  const { code, report } = await place.runHere(order);
  expect({ code, counts: report?.counts }).toEqual({
    code: 3,
    counts: { applied: 2, unchanged: 1, invalid: 1 },
  });
  const wanted = [
    { domain: 'a.example', tag: `${NASTY}, a.example`, times: 1 },
    { domain: 'b.example', tag: 'two, b.example', times: 1 },
  ];
  expect(await tags()).toEqual(wanted);

  // A mended list does the difference only.
  await desk.write('list.csv', LIST.replace('""," "', '"c.example",""'));
  await place.runHere(order);
  expect(place.statuses()).toEqual(['unchanged', 'unchanged', 'unchanged', 'applied']);
  expect(await tags()).toEqual([...wanted, { domain: 'c.example', tag: ', c.example', times: 1 }]);
});

test('a read is bought once and its fields become columns, by POST and by GET', async () => {
  const desk = await openDesk({ concurrency: 1 });
  const { place } = desk;
  await desk.write('list.csv', LIST);
  const read = { operation: 'api-call', endpoint: '/enrich/company', body: { domain: '{{Domain}}' } };
  await desk.write('job.yaml', JSON.stringify(read));
  const { report } = await place.runHere({ job: 'job.yaml', more: ['--yes'] });
  expect(report).toMatchObject({ counts: { matched: 3, invalid: 1 }, credits: { spent: 2, saved: 1 } });
  expect(place.rows()[1]).toMatchObject({ found_domain: 'b.example', _matched_by: 'domain', _credits: '1' });
  expect(place.vendor.requests().map(({ body }) => body.domain)).toEqual(['a.example', 'b.example']);

  const plan = { operation: 'api-call', method: 'GET', endpoint: '/account/plan', credits_max: 0 };
  await desk.write('job.yaml', JSON.stringify(plan));
  await place.runHere({ job: 'job.yaml' });
  expect(new Set(place.rows().map(({ plan: name }) => name))).toEqual(new Set(['Growth (sandbox)']));
  expect(place.vendor.requests()).toHaveLength(3);
});

test.each(some(['PATCH', 'DELETE'], 1))(
  '%s reaches the path of each row once, also under an idempotency key',
  async (method) => {
    const { desk, asked: received, speak } = await deskBefore(() => ({ done: true, tags: ['a'] }));
    speak({ idempotency: { header: 'idempotency-key', valid_for: '24h' } });
    await desk.write('list.csv', 'Id,Name\na/b ?,Rex\n..,Tom\n,Ann\nc,\na/b ?,Rex\n');
    const body = { name: '{{Name}}' };
    await desk.write(
      'job.yaml',
      JSON.stringify({ operation: 'api-call', method, endpoint: '/pets/{{Id}}', body }),
    );
    const order = { job: 'job.yaml', more: ['--yes'] };
    const { code, report, stderr } = await desk.place.runHere(order);
    expect({ code, counts: report?.counts }, stderr).toEqual({
      code: 3,
      counts: { applied: 2, unchanged: 1, invalid: 2 },
    });
    const sent = () => received.map((request) => [request.method, request.path, request.body]).sort();
    const asked = [
      [method, '/pets/a%2Fb%20%3F', '{"name":"Rex"}'],
      [method, '/pets/c', method === 'DELETE' ? '' : '{}'],
    ];
    expect(sent()).toEqual(asked);
    expect(desk.place.rows().map(({ _reason }) => _reason)).toEqual([
      '',
      expect.stringContaining('would lead elsewhere'),
      'Id: blank',
      '',
      'the same as row 2',
    ]);
    await desk.place.runHere(order);
    expect(sent()).toEqual(asked);
  },
);

// Goal: a key belongs where a vendor wants it, and nowhere else. Method: a vendor that loses the first request, and what it was asked.
test('{key} in query and body is agreed to once, filled in as the request leaves, also when it is sent again, and stands in no file', async () => {
  const key = 'sk"1\\2&3=4/5+6{7}8';
  const answer = (_: object, times: number) => (times === 1 ? undefined : { name: 'Acme', echoed: key });
  const { desk, asked, speak } = await deskBefore(answer, { key });
  const { place } = desk;
  speak({ idempotency: { header: 'idempotency-key', valid_for: '24h' } });
  await desk.write('list.csv', csvOf([['Domain'], ['a.example'], ['{key}'], ['key']]));
  const body = {
    auth: { token: 'Key {key}' },
    domain: '{{Domain}}',
    as: '{{{Domain}}}',
    query: '{ me(id: {x}) { name } }',
  };
  const job = { operation: 'api-call', endpoint: '/look?api_key={key}', body };
  await desk.write('job.yaml', JSON.stringify(job));
  const unasked = await place.runHere({ job: 'job.yaml', more: ['--yes'] });
  expect([unasked.code, asked.length]).toEqual([2, 0]);
  expect(unasked.stderr).toContain('POST /look?api_key={key}');
  expect(unasked.stderr).toContain(JSON.stringify(body));
  const agreed = /--accept (dialect:[0-9a-f]{32})\b/.exec(unasked.stderr)?.[1] ?? '';
  const { report } = await place.runHere({ job: 'job.yaml', more: ['--yes', '--accept', agreed] });
  expect(report?.counts).toEqual({ matched: 1, invalid: 2 });
  expect(
    place
      .rows()
      .map(({ _reason }) => _reason)
      .slice(1),
  ).toEqual([
    'its cells contain {key}, which only a job may contain',
    'its cells contain {key}, which only a job may contain',
  ]);
  const sent = { auth: { token: `Key ${key}` }, domain: 'a.example', as: '{a.example}', query: body.query };
  expect(asked.map(({ input }) => input)).toEqual([sent, sent]);
  for (const { path } of asked) expect(path).toBe(`/look?api_key=${encodeURIComponent(key)}`);
  const entries = readdirSync(place.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'accounts.yaml');
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['ledger.db', 'out.csv']));
  for (const { parentPath, name } of files)
    for (const trace of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])
      expect(readFileSync(`${parentPath}/${name}`).includes(trace), `${name} has ${trace}`).toBe(false);

  await desk.write(
    'job.yaml',
    JSON.stringify({ ...job, method: 'GET', body: { t: '{key}', q: '{{Domain}}' } }),
  );
  await desk.write('list.csv', csvOf([['Domain'], ['b.example']]));
  expect((await place.runHere({ job: 'job.yaml', more: ['--yes'] })).code, 'another request').toBe(2);
});
