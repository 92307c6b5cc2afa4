import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { some } from '../support/combinations.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a store that is restored from an older copy, deleted or taken away buys nothing twice (protocol, rule 2): the run
 * stops and says what may be bought again, what only looks goes on, and a person may accept the loss.
 * Method: the real commands over folders that are copied, deleted and moved between runs and under a run. The vendor's
 * book says what was bought.
 */

const requestsAt = async ({ vendor }: Workplace): Promise<number> => (await vendor.book()).requests;

test('a store that was restored from a backup buys nothing until that is accepted; what only looks goes on', async () => {
  await using workplace = await Workplace.open();
  for (const list of ['one', 'two']) workplace.writeList(domainsOf(list, 12), `${list}.csv`);
  const run = (list: string, ...more: readonly string[]) =>
    workplace.runHere({ input: `${list}.csv`, output: `${list}-out.csv`, more });
  const store = workplace.path('store');
  expect((await run('one')).code).toBe(0);
  cpSync(store, workplace.path('backup'), { recursive: true });
  expect((await run('two')).code).toBe(0);
  rmSync(store, { recursive: true });
  renameSync(workplace.path('backup'), store);

  const refused = await run('two');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /^The store .* is not the newest one: requests were made with its ledger, the last known one at 20.*Z, and that one is missing\. What it bought after 20.*Z would be bought again\.\nRestore the newest store, or let a run continue without it by --accept store\.\n$/,
  );
  const stopOf = async (...words: readonly string[]) =>
    JSON.parse((await workplace.typeHere([...words, '--store', store, '--json'])).stdout).stopped;
  const list = workplace.path('two.csv');
  const buying = ['run', 'enrich-company', list, '--account', 'data', '--budget', '50'];
  expect(await stopOf(...buying)).toMatchObject({ code: 'store_lost', answers: ['store'] });
  // A stop offers no answer that its command does not take.
  const tried = await stopOf(
    'try',
    'enrich-company',
    'domain=a.example',
    '--account',
    'data',
    '--budget',
    '9',
  );
  expect(tried.code).toBe('store_lost');
  expect(tried).not.toHaveProperty('answers');
  const type = (...words: readonly string[]) => workplace.typeHere([...words, '--store', store]);
  const again = workplace.path('again.csv');
  for (const words of [
    ['status'],
    ['status', 'last'],
    ['export', 'last', '-o', again],
    ['plan', 'enrich-company', workplace.path('two.csv'), '--account', 'data'],
    ['settle', 'last'],
  ]) {
    const { code, stderr } = await type(...words);
    expect({ words, code }).toEqual({ words, code: 0 });
    expect(stderr).toMatch(/is not the newest one: .* Nothing is bought from it in this state\.$/m);
  }
  expect(readFileSync(again)).toEqual(readFileSync(workplace.path('one-out.csv')));
  expect(await requestsAt(workplace)).toBe(2 * 12);

  const accepted = await run('two', '--accept', 'store');
  expect(accepted).toMatchObject({ code: 0, report: { requests: 12 } });
  expect(accepted.stderr).toMatch(/^Accepted with --accept store: The store .* is not the newest one/);
  expect(await run('two')).toMatchObject({ code: 0, report: { requests: 0 } });
  expect((await type('status')).stderr).toBe('');
});

describe.concurrent('a store that is taken away under a run', () => {
  const TAKEN = ['deleted', 'moved', 'replaced by an empty folder, as a disk leaves it'] as const;

  test.each(some(TAKEN, 1))('%s: nothing more is sent, by the next command neither', async (what) => {
    await using workplace = await Workplace.open({ latencyMs: 200, concurrency: 2 });
    workplace.writeList(domainsOf('taken', 30));
    const [store, moved] = [workplace.path('store'), workplace.path('moved')];
    const program = workplace.start();
    await program.until(() => workplace.vendor.loggedBytes > 0);
    if (what === 'deleted') rmSync(store, { recursive: true });
    else renameSync(store, moved);
    if (what === TAKEN[2]) mkdirSync(store);
    const atMost = (await requestsAt(workplace)) + workplace.concurrency;
    const { code, report, stderr } = await program.ended;
    expect({ code, stopped: report?.stopped?.code }, stderr).toEqual({ code: 2, stopped: 'store_lost' });
    expect(stderr).toContain(
      'was deleted, moved, replaced or unmounted while it was in use; nothing new is sent',
    );
    const requests = await requestsAt(workplace);
    expect(requests).toBeLessThanOrEqual(atMost);

    expect(await workplace.runHere()).toMatchObject({ code: 2, report: { stopped: { code: 'store_lost' } } });
    expect(await requestsAt(workplace)).toBe(requests);
    if (!existsSync(moved)) return;
    // What was in flight is in the store, wherever it is, so the list costs what it costs.
    expect((await workplace.runHere({ store: 'moved' })).code).toBe(0);
    expect(await workplace.vendor.book()).toMatchObject({ requests: 30, charged_twice: [] });
  });
});
