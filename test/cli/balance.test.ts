/**
 * Goal: what the vendor itself has counted stands beside our books, wherever these are shown; it costs nothing, and changes no budget.
 * Method: the real commands before a vendor whose balance falls by what it charges, which is less than our books have.
 */
import { expect, test } from 'vitest';
import { type DeskBefore, deskBefore } from './desk.ts';

test('the vendor’s balance stands beside our books', async () => {
  let left = 1000;
  const { desk, asked, speak } = await deskBefore(({ path }) => {
    if (path === '/left') return { credits_left: left };
    left -= 1;
    return { name: 'Jo' };
  });
  speak({ balance: { method: 'GET', path: '/left', credits: 'credits_left' } });
  await desk.write('list.csv', 'Email\njo@one.example\nflo@two.example\n');
  await desk.type(['run', 'enrich-person', 'list.csv', '--budget', '9', '-o', 'out.csv']);
  const { stdout } = await desk.type(['accounts', 'test']);
  expect(stdout).toContain('data: the vendor says that 998 credits are left; our books have 4 spent.\n');
  const { accounts } = await desk.json(['accounts', 'test']);
  expect(accounts).toMatchObject([{ name: 'data', key_tried: true, balance: 998, booked: 4 }]);
  expect(asked.filter(({ path }) => path !== '/left')).toHaveLength(2);
});

/** One whose key is ours alone: it charges one credit a person, where nobody states a price. */
async function countingDesk(account: object): Promise<DeskBefore & { readonly books: { left: number } }> {
  const books = { left: 1000 };
  const before = await deskBefore(({ path }) => {
    if (path === '/left') return { credits_left: books.left };
    books.left -= 1;
    return { name: 'Jo' };
  }, account);
  const at = Object.assign(before, { books });
  at.speak({ balance: { method: 'GET', path: '/left', credits: 'credits_left' } });
  await at.desk.write('list.csv', 'Email\njo@one.example\nflo@two.example\nkim@three.example\n');
  return at;
}

const RUN = ['run', 'enrich-person', 'list.csv', '--budget', '9', '-o', 'out.csv'];

test('the vendor’s own count stands beside ours in spend, report and accounts test, over several runs of a list', async () => {
  const at = await countingDesk({ exclusive_key: true });
  const { desk } = at;
  await desk.type([...RUN, '--limit', '1']);
  // Somebody adds credits between two runs: that is none of the count.
  at.books.left += 500;
  const { figures } = await desk.json(RUN);
  expect(figures).toMatchObject({ vendor_counted: 3 });
  expect((await desk.type(['spend'])).stdout).toContain('at most 6 credits; the vendor counted 3, ');
  expect((await desk.json(['spend', '--by', 'batch'])).groups).toMatchObject([
    { spent: 6, vendor_counted: 3 },
  ]);
  expect(await desk.read('out.report.html')).toContain('It cost at most 6 credits; the vendor counted 3.');
  const tested = (await desk.type(['accounts', 'test'])).stdout;
  expect(tested).toContain('1,497 credits are left; our books have 6 spent; the vendor counted 3.\n');
  const { credits } = await desk.json(['status', 'last']);
  expect(credits).toMatchObject({ spent: 6, budget: 9 });
});

test.each([
  ['others may use the key', {}, 0],
  ['credits were added while it ran', { exclusive_key: true }, 50],
])('no count is shown where %s', async (_why, account, added) => {
  const at = await countingDesk(account);
  const { answer } = at;
  at.answer = (asked, nth) => {
    if (asked.path !== '/left' && nth === 3) at.books.left += added;
    return answer(asked, nth);
  };
  expect((await at.desk.json(RUN)).figures).not.toHaveProperty('vendor_counted');
  expect((await at.desk.type(['spend'])).stdout).not.toContain('the vendor counted');
});
