import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { typedAt } from '../cli/typed.ts';
import { some } from '../combinations.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a store that is restored from an older copy, deleted or taken away buys nothing twice (protocol, rule 2): the run
 * stops and says what may be bought again, what only looks goes on, and a person may accept the loss.
 * Method: the real commands over folders that are copied, deleted and moved between runs and under a run. The vendor's
 * book says what was bought.
 */

const ROWS = 12;

async function workplaceWith(...lists: readonly string[]): Promise<Workplace> {
  const workplace = await Workplace.open();
  for (const list of lists) workplace.writeList(domainsOf(list, ROWS), `${list}.csv`);
  return workplace;
}

const listOf = (name: string) => ({ input: `${name}.csv`, output: `${name}-out.csv` });

function type(workplace: Workplace, words: readonly string[]) {
  const env = {
    ROWONCE_CONFIG: workplace.path('config'),
    ROWONCE_STORE: workplace.path('store'),
    XDG_STATE_HOME: workplace.path('state'),
  };
  return typedAt(words, { cwd: workplace.folder, env });
}

async function requestsAt(workplace: Workplace): Promise<number> {
  return (await workplace.vendor.book()).requests;
}

describe.concurrent('a store that is lost', () => {
  test('restored from a backup, it buys nothing until that is accepted; status, export, plan and settle go on', async () => {
    await using workplace = await workplaceWith('one', 'two');
    expect((await workplace.runHere(listOf('one'))).code).toBe(0);
    cpSync(workplace.path('store'), workplace.path('backup'), { recursive: true });
    expect((await workplace.runHere(listOf('two'))).code).toBe(0);
    rmSync(workplace.path('store'), { recursive: true });
    renameSync(workplace.path('backup'), workplace.path('store'));

    const refused = await workplace.runHere(listOf('two'));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^The store .* is not the newest one: requests were made with its ledger, the last known one at 20.*Z, and that one is missing\. What it bought after 20.*Z would be bought again\.\nRestore the newest store, or let a run continue without it by --accept store\.\n$/,
    );
    for (const words of [
      ['status'],
      ['status', 'last'],
      ['export', 'last', '-o', 'again.csv'],
      ['plan', 'enrich-company', 'two.csv', '--account', 'data'],
      ['settle', 'last'],
    ]) {
      const { code, stderr } = await type(workplace, words);
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(stderr).toMatch(/is not the newest one: .* Nothing is bought from it in this state\.$/m);
    }
    expect(readFileSync(workplace.path('again.csv'))).toEqual(readFileSync(workplace.path('one-out.csv')));
    expect(await requestsAt(workplace)).toBe(2 * ROWS);

    const accepted = await workplace.runHere({ ...listOf('two'), more: ['--accept', 'store'] });
    expect(accepted).toMatchObject({ code: 0, report: { requests: ROWS } });
    expect(accepted.stderr).toMatch(/^Accepted with --accept store: The store .* is not the newest one/);
    expect(await workplace.runHere(listOf('two'))).toMatchObject({ code: 0, report: { requests: 0 } });
    expect((await type(workplace, ['status'])).stderr).toBe('');
  });
});

describe.concurrent('a store that is taken away under a run', () => {
  const TAKEN: readonly [what: string, take: (workplace: Workplace) => void][] = [
    ['deleted', (workplace) => rmSync(workplace.path('store'), { recursive: true })],
    ['moved', (workplace) => renameSync(workplace.path('store'), workplace.path('moved'))],
    [
      'with an empty folder in its place, as a disk leaves it',
      (workplace) => {
        renameSync(workplace.path('store'), workplace.path('moved'));
        mkdirSync(workplace.path('store'));
      },
    ],
  ];

  test.each(some(TAKEN, 1))('%s: nothing more is sent, by the next command neither', async (_what, take) => {
    await using workplace = await Workplace.open({ latencyMs: 200, concurrency: 2 });
    workplace.writeList(domainsOf('taken', 30));
    const program = workplace.start();
    await program.until(() => workplace.vendor.loggedBytes > 0);
    take(workplace);
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
    if (!existsSync(workplace.path('moved'))) return;
    // What was in flight is in the store, wherever it is, so the list costs what it costs.
    expect((await workplace.runHere({ store: 'moved' })).code).toBe(0);
    expect((await workplace.vendor.book()).charged_twice).toEqual([]);
    expect(await requestsAt(workplace)).toBe(30);
  });
});
