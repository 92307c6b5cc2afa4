/**
 * Goal: an answer that was paid for and misread is read right once the dialect is, without another request for it.
 * Method: the real command before a vendor that says "no match" in words of its own, which keeps its own book; the rule
 * for those words comes into the dialect afterwards.
 */
import { expect, test } from 'vitest';
import { deskBefore } from './desk.ts';

const UNKNOWN = { status: [200], body: { path: 'name', matches: 'unknown' }, means: 'no_match' };
const row = (name: string): string => `${name}.example,https://www.linkedin.com/company/${name}\n`;
const LIST = `Domain,LinkedIn\n${['one', 'two', 'three'].map(row).join('')}`;

/** A vendor that knows `one.example`, and each profile; of other domains it says that it does not know them. */
async function deskAtVendor() {
  const at = await deskBefore(({ input }) => {
    const [about = ''] = Object.values(input);
    const isKnown = about === 'one.example' || about.includes('/company/');
    return { name: isKnown ? `Company of ${about}` : 'unknown company', credits: 1 };
  });
  await at.desk.write('list.csv', LIST);
  return at;
}

const planOf = (list: string) => ['plan', 'enrich-company', list];
const runOf = (list: string) => ['run', 'enrich-company', list, '--budget', '100', '-o', `${list}.out.csv`];

test('replies that were kept in doubt are read once the dialect can; nothing is asked again, and what was at risk is spent', async () => {
  const { desk, asked, speak } = await deskAtVendor();
  speak({ answers: [{ ...UNKNOWN, means: 'in_doubt' }] });
  expect(await desk.json(runOf('list.csv'))).toMatchObject({
    counts: { matched: 1, in_doubt: 2 },
    credits: { spent: 1, in_doubt: 2 },
  });
  speak({ answers: [UNKNOWN] });
  asked.length = 0;
  expect(await desk.json(planOf('list.csv'))).toMatchObject({ in_doubt: 0, to_buy: 2, credits: { most: 2 } });
  const { counts, credits } = await desk.json(runOf('list.csv'));
  expect({ counts, spent: credits.spent, in_doubt: credits.in_doubt }).toEqual({
    counts: { matched: 3 },
    spent: 5,
    in_doubt: 0,
  });
  expect(asked.filter(({ input }) => !('profile_url' in input))).toEqual([]);
  expect(asked).toHaveLength(2);
  const { stdout } = await desk.type(['status', 'last', '3']);
  expect(stdout).toMatch(/ no_match, 1 credit at /);
});
