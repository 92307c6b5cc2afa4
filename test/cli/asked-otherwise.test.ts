/**
 * Goal: a row that an earlier build asked by another value than today's reading of its cells is not bought again by itself: a finished
 * batch stays, the plan counts such rows, a run buys them after a yes alone, and a row whose earlier call is in doubt waits for that.
 * Method: the real command before a vendor that keeps what arrives, at an account that is not play money, over a store in which the
 * calls of a run, and the mark of its build, are those of an earlier build.
 */
import { expect, test } from 'vitest';
import { asEarlierBuild } from '../support/earlier-build.ts';
import { type DeskBefore, deskBefore } from './desk.ts';

const COMPANY = { path: '/company', method: 'POST', gives: { name: 'name' }, credits: { most: 1, found: 1 } };
const LINK = 'https://www.google.com/url?q=https%3A%2F%2Facme.example%2Fabout';
const LIST = ['Website', LINK, 'https://beta.example'];

const run = (...more: readonly string[]): readonly string[] => [
  ...['run', 'enrich-company', 'list.csv', '--account', 'data', '--budget', '90', '-o', 'out.csv', ...more],
];

const plan = ({ desk }: DeskBefore, ...more: readonly string[]) =>
  desk.json(['plan', 'enrich-company', 'list.csv', '--account', 'data', ...more]);

const domains = ({ asked }: DeskBefore): readonly unknown[] => asked.map(({ input }) => input.domain);

const shown = ({ desk }: DeskBefore): readonly string[] =>
  desk.place.rows().map(({ _status, name }) => `${_status} ${name}`);

/** The list as an earlier build has asked it, which took a redirect for the website of its host. */
async function askedByEarlierBuild(isLost = false): Promise<DeskBefore & { readonly batch: string }> {
  const at = await deskBefore(({ input }) => ({ name: `Company of ${input.domain}` }));
  at.speak({ operations: { 'enrich-company': COMPANY } });
  await at.desk.write('list.csv', `${LIST.join('\n')}\n`);
  const answer = at.answer;
  if (isLost)
    at.answer = (asked, nth) =>
      asked.input.domain === 'acme.example' ? new Response('{}', { status: 500 }) : answer(asked, nth);
  const { batch } = await at.desk.json(run());
  at.answer = answer;
  asEarlierBuild(at.desk.place.path('store/ledger.db'), 'acme.example', 'google.com');
  at.asked.length = 0;
  return Object.assign(at, { batch });
}

const EDITED = [...LIST, 'https://gamma.example'].join('\n');

test('a finished batch stays as it is: the plan counts the row, and a run asks by the new address after --yes alone', async () => {
  const at = await askedByEarlierBuild();
  const before = await at.desk.read('out.csv');
  const planned = await plan(at);
  expect(planned).toMatchObject({
    bought_before: 1,
    to_buy: 1,
    credits: { most: 1 },
    asked_otherwise: { rows: 1, credits: 1 },
    reread: { batch: at.batch, rows: 1, most: 1, asked_otherwise: 1 },
  });
  const { stdout } = await at.desk.type(['plan', 'enrich-company', 'list.csv', '--account', 'data']);
  expect(stdout).toContain('1 row is asked by another address or name than before');
  for (const words of [run(), run('--plan', planned.id)]) {
    const kept = await at.desk.type(words);
    expect(kept.stderr).toContain('agree with --yes');
    expect(await at.desk.read('out.csv')).toBe(before);
  }
  expect(domains(at)).toEqual([]);
  expect((await at.desk.type(run('--yes'))).code).toBe(0);
  expect(domains(at)).toEqual(['acme.example']);
  expect(shown(at)).toEqual(['matched Company of acme.example', 'matched Company of beta.example']);
  expect(await plan(at)).not.toHaveProperty('asked_otherwise');
  expect((await at.desk.type(run())).code).toBe(0);
  expect(domains(at)).toHaveLength(1);
});

test('an edited list buys its new rows, and the row that was asked otherwise after a yes alone, with each later edit', async () => {
  const at = await askedByEarlierBuild();
  await at.desk.write('list.csv', `${EDITED}\n`);
  const otherwise = { asked_otherwise: { rows: 1, credits: 1 } };
  expect(await plan(at)).toMatchObject({ bought_before: 1, to_buy: 2, credits: { most: 2 }, ...otherwise });
  expect((await at.desk.type(run())).code).toBe(3);
  expect(domains(at)).toEqual(['gamma.example']);
  const [held] = at.desk.place.rows();
  expect(held).toMatchObject({
    _status: 'in_doubt',
    name: '',
    _reason:
      'it was asked by google.com before, and is asked by acme.example today; run the list with --yes to buy that',
  });
  expect((await at.desk.type(run())).code).toBe(3);
  await at.desk.write('list.csv', `${EDITED}\nhttps://delta.example\n`);
  expect(await plan(at)).toMatchObject({ to_buy: 2, ...otherwise });
  expect((await at.desk.type(run())).code).toBe(3);
  expect(domains(at)).toEqual(['gamma.example', 'delta.example']);
  expect((await at.desk.type(run('--yes'))).code).toBe(0);
  expect(domains(at)).toEqual(['gamma.example', 'delta.example', 'acme.example']);
  expect(shown(at)[0]).toBe('matched Company of acme.example');
});

test.each(['the same list', 'an edited list'])(
  'a row whose earlier call is in doubt is asked by no other one before that is settled: %s',
  async (which) => {
    const at = await askedByEarlierBuild(true);
    if (which === 'an edited list') await at.desk.write('list.csv', `${EDITED}\n`);
    const news = which === 'an edited list' ? ['gamma.example'] : [];
    expect(await plan(at)).toMatchObject({ in_doubt: 1, to_buy: news.length });
    for (const words of [run(), run('--yes')]) {
      expect((await at.desk.type(words)).code).toBe(3);
      expect(domains(at)).toEqual(news);
      expect(at.desk.place.rows()[0]).toMatchObject({
        _status: 'in_doubt',
        _reason: expect.stringContaining(
          'it was asked by google.com before, and whether that was charged is not known',
        ),
      });
    }
    const settled = await at.desk.type(['settle', at.batch, '2', '--not-done']);
    expect(settled, settled.stderr).toMatchObject({ code: 0 });
    expect((await at.desk.type(run('--yes'))).code).toBe(0);
    expect(domains(at)).toEqual([...news, 'acme.example']);
  },
);

test('--refresh asks it by the new address without another question', async () => {
  const at = await askedByEarlierBuild();
  expect((await at.desk.type(run('--refresh'))).code).toBe(0);
  expect(domains(at)).toEqual(['acme.example', 'beta.example']);
});
