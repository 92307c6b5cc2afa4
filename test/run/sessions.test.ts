/**
 * Goal: batches that run at once in one process share what belongs to their account, which is its limit, its pauses, its
 * key and its unfinished business, and nothing else.
 * Method: real lists, a real store and a vendor process for each account; several runs side by side on one open store.
 */
import { expect, onTestFinished, test } from 'vitest';
import { stop } from '../../src/core/errors.ts';
import { credits } from '../../src/ledger/ledger.ts';
import type { RunObject } from '../../src/objects/run-object.ts';
import type { FileOptions } from '../../src/plan/context.ts';
import { chooseJob } from '../../src/run/choose.ts';
import { openSpender, type Spender } from '../../src/run/run-job.ts';
import { Sessions } from '../../src/run/sessions.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import { connect } from './connected.ts';

async function openStore({ place }: Desk): Promise<Spender> {
  const spender = await openSpender(false, { store: place.path('store') });
  onTestFinished(() => spender.close());
  return spender;
}

test('a pause of one account does not hold another', async () => {
  const [desk, other] = [(await openDesk({ faults: '429:1' })).here(), await openDesk()];
  const [one, two] = [desk, other].map(({ place }) => ({
    vendor: 'provider',
    base_url: place.vendor.url,
    key: 'key-1',
    limits: { concurrency: 4, per_second: 10_000 },
  }));
  desk.place.writeAccounts({ one, two });
  const spender = await openStore(desk);
  const runOn = async (
    account: string,
    list: string,
    more: Partial<FileOptions> = {},
  ): Promise<RunObject> => {
    desk.list(20, list);
    const file = desk.place.path(list);
    const chosen = await chooseJob({ job: 'enrich-company', entries: { account } });
    return spender.run(chosen, { file, output: `${file}.out`, budget: credits(1_000), ...more });
  };
  const { promise: paused, resolve } = Promise.withResolvers<void>();
  const ending = new AbortController();
  const held = runOn('one', 'held.csv', {
    onEvent: ({ kind }) => kind === 'paused' && resolve(),
    signal: ending.signal,
  });
  await paused;
  expect(await runOn('two', 'free.csv')).toMatchObject({ counts: { matched: 20 }, pauses: { count: 0 } });
  ending.abort(stop('interrupted', 'Stopped.', 'Go on.'));
  expect(await held).toMatchObject({ counts: {}, stopped: { code: 'interrupted' } });
  expect((await desk.place.vendor.book()).charges).toBe(0);
});

test('what a kill left open is settled once, by the first of several runs, and the others wait for it', async () => {
  const desk = (await openDesk()).here();
  desk.list(40);
  await desk.place.run({ crashAt: 'after-send:7' });
  const { ledger } = await openStore(desk);
  const sessions = new Sessions();
  const [first, second] = [
    await connect(ledger, 'data', { sessions }),
    await connect(ledger, 'data', { sessions }),
  ];
  const recoveries = [first, second].map(({ run }) => sessions.recover(run));
  const [settledFirst, settledSecond] = await Promise.all(recoveries);
  expect(settledFirst).toBeGreaterThan(0);
  expect(settledSecond).toBe(0);
});
