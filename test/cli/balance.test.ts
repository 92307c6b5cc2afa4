/**
 * Goal: `accounts test` shows what the vendor says is left beside what our books have spent; it spends nothing.
 * Method: the real commands before a vendor whose balance falls by what it charges, which is less than our books have.
 */
import { expect, test } from 'vitest';
import { deskBefore } from './desk.ts';

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
