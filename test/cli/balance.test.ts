/**
 * Goal: `accounts test` shows what the vendor says is left, and how far our books are off; it spends nothing and changes no call.
 * Method: the real commands before a vendor whose balance falls by what it charges, which is less than our books have.
 */
import { expect, test } from 'vitest';
import { deskBefore } from './desk.ts';

test('the vendor’s balance stands beside our books, with how far they are apart', async () => {
  let left = 1000;
  const { desk, asked, speak } = await deskBefore(({ path }) => {
    if (path === '/left') return { credits_left: left };
    left -= 1;
    return { name: 'Jo' };
  });
  speak({ balance: { method: 'GET', path: '/left', credits: 'credits_left' } });
  const run = (list: string) => ['run', 'enrich-person', list, '--budget', '9', '-o', 'out.csv'];
  await desk.write('first.csv', 'Email\nbo@three.example\n');
  await desk.type(run('first.csv'));

  const first = await desk.type(['accounts', 'test']);
  expect(first.stdout).toContain('data: the vendor says that 999 credits are left.\n');
  expect(first.stdout).not.toContain('the vendor took');
  await desk.write('list.csv', 'Email\njo@one.example\nflo@two.example\n');
  await desk.type(run('list.csv'));
  const { accounts } = await desk.json(['accounts', 'test']);
  expect(accounts).toMatchObject([
    { name: 'data', key_tried: true, balance: 997, drift: { left: 997, taken: 2, booked: 4 } },
  ]);
  const today = new Date().toISOString().slice(0, 10);
  const words = `data: since ${today} the vendor took 2 credits, and our books have 4: 2 more`;
  expect((await desk.type(['accounts', 'test'])).stdout).toContain(`${words}.\n`);
  expect(asked.filter(({ path }) => path !== '/left')).toHaveLength(3);

  // Credits that were bought meanwhile are no drift: it is counted from then on.
  left += 5000;
  expect((await desk.type(['accounts', 'test'])).stdout).not.toContain('the vendor took');
});
