import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { brokenPromises, NONE_BROKEN } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: one process at a time spends from a store, whatever state the others are in. That one which was stopped sends nothing late
 * when it wakes up is shown by `client/transport.test.ts`.
 * Method: real processes, stopped and killed by signals. The vendor's log says who sent something.
 */

const FIRST = { input: 'first.csv', output: 'first-out.csv' };
const SECOND = { input: 'second.csv', output: 'second-out.csv' };

test('while one process spends from a store a second one is told so with 76 and sends nothing, even while the first is stopped', async () => {
  // Half a minute: longer than the second needs to be turned away three times, however busy the machine is.
  await using workplace = await Workplace.open({ latencyMs: 300, concurrency: 2 });
  workplace.writeList(domainsOf('first', 200), FIRST.input);
  workplace.writeList(domainsOf('second', 6), SECOND.input);
  const first = workplace.start(FIRST);
  await first.said(/^Batch /m);

  const second = await workplace.run(SECOND);
  expect(second).toMatchObject({ code: 76, report: { stopped: { code: 'busy' } } });
  expect(second.stderr).toMatch(new RegExp(`process ${first.pid}, ".*first\\.csv.*"`));

  first.signal('SIGSTOP');
  expect((await workplace.run(SECOND)).code, 'the first is stopped, not gone').toBe(76);
  first.signal('SIGCONT');
  expect((await workplace.run(SECOND)).code, 'the first goes on').toBe(76);

  expect(JSON.stringify(workplace.vendor.requests())).not.toContain('second-');

  const waiting = workplace.start({ ...SECOND, more: ['--wait', '1m'] });
  first.signal('SIGTERM');
  expect((await first.ended).code).toBe(143);
  expect((await waiting.ended).code, 'who waits goes on by itself').toBe(0);
  workplace.hurry();
  expect((await workplace.runHere(FIRST)).code).toBe(0);
  expect(await brokenPromises(workplace, { lists: [FIRST, SECOND] })).toEqual(NONE_BROKEN);
});

test('a store that millions of processes have had gives each request a number of its own, so that each is in the books', async () => {
  await using workplace = await Workplace.open({ concurrency: 8 });
  workplace.writeList(domainsOf('first', 2), FIRST.input);
  expect((await workplace.runHere(FIRST)).code).toBe(0);
  const ledger = new Database(workplace.path('store/ledger.db'));
  const newest = `INSERT INTO workers (id, host, pid, command, since, seen_at)
    SELECT 2097151, host, pid, command, since, seen_at FROM workers LIMIT 1`;
  expect(ledger.prepare(newest).run().changes).toBe(1);
  ledger.close();
  workplace.writeList(domainsOf('second', 40), SECOND.input);
  expect((await workplace.runHere(SECOND)).code).toBe(0);
  expect(await brokenPromises(workplace, { lists: [SECOND] })).toEqual(NONE_BROKEN);
  expect((await workplace.typeHere(['store', 'check', '--store', workplace.path('store')])).code).toBe(0);
});
