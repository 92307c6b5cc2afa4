/**
 * Goal: a vendor whose answers are not read right is noticed after a few of them, with what to write in the dialect, and
 * what was bought until then is read without another request once that is written.
 * Method: the real command before a vendor that answers in a shape of its own.
 */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
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
  expect(stderr).toContain(
    '5 matches of this account hold no field at `data`, and it has answered nothing else; the last: status 200, {"person":',
  );
  expect(stderr).toContain('Say `fields_at: person` in the dialect');
  expect(stderr).toContain('- { status: [200], body: { path: …, matches: … }, means: no_match }');
  expect(asked()).toBe(5);

  await writeFile(desk.place.path('odd.yaml'), JSON.stringify({ fields_at: 'person' }));
  expect(await desk.json(['run', 'enrich-company', 'list.csv', ...BUDGET])).toMatchObject({ stopped: null });
  expect(asked()).toBe(12);
  expect(desk.place.rows().map(({ emails }) => emails)).toEqual(Array(12).fill('jo@a.example'));
});
