import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { connect } from '../../../src/ledger/stores/postgres/connection.ts';
import { postgresLedger } from '../../../src/ledger/stores/postgres/postgres-ledger.ts';
import { layOut } from '../../../src/ledger/stores/postgres/schema-laid-out.ts';
import { ACCOUNT, answered, batchNamed, batchSpec, begin, MATCHED, NOON_MS } from './book.ts';
import { postgresServer } from './postgres-server.ts';

// Goal: a spender whose lock is gone, because its connection broke, may still write while the next one is at work; what both write of
// batches, rows, accounts and the time stays whole. Method: ledgers over one database, none of which has asked for the lock.

const LOCK = { refusal: () => undefined, release: async () => {} };
let databases = 0;

async function ledgersBeside(count: number): Promise<readonly Ledger[]> {
  const server = await postgresServer();
  databases += 1;
  const name = `beside_${process.pid}_${databases}`;
  await server.createDatabase(name);
  const ledgers: Ledger[] = [];
  for (let at = 0; at < count; at += 1) {
    const database = await connect(server.url(name));
    if (at === 0) await layOut(database);
    const ledger = postgresLedger(database, {
      ...{ clock: systemClock, lock: LOCK, operator: undefined, newest: 0 },
    });
    onTestFinished(() => ledger.close());
    ledgers.push(ledger);
  }
  return ledgers;
}

async function two(): Promise<readonly [Ledger, Ledger]> {
  const [one, other] = await ledgersBeside(2);
  if (one === undefined || other === undefined) throw new Error('there are two');
  return [one, other];
}

test('the same batch that many begin at once is one', async () => {
  const ledgers = await ledgersBeside(5);
  const begun = await Promise.all(ledgers.map((ledger) => begin(ledger)));
  expect(new Set(begun.map(({ batch }) => batch.id)).size).toBe(1);
  expect(begun.filter(({ start }) => start === 'new')).toHaveLength(1);
});

test('of lists with other content at the same place, begun at once, one is open', async () => {
  const ledgers = await ledgersBeside(5);
  await Promise.all(ledgers.map((ledger, at) => ledger.beginBatch(batchSpec({ key: `key-${at}` }))));
  const states = (await ledgers[0]?.batches())?.map(({ state }) => state) ?? [];
  expect(states.toSorted()).toEqual(['open', ...new Array(4).fill('superseded')]);
});

test('rows that two finish at once are finished: alike is no error, and of two outcomes one is refused', async () => {
  const ledgers = await two();
  const batch = await batchNamed(ledgers[0], 'a');
  const list = Array.from({ length: 500 }, (_, at) => ({
    batch,
    row: at + 2,
    outcome: MATCHED,
    answers: [],
  }));
  await Promise.all(
    ledgers.flatMap((ledger) => [ledger.finishRows(list), ledger.finishRows(list.toReversed())]),
  );
  expect(await ledgers[1].counts(batch)).toEqual({ matched: 500 });
  for (let row = 1_000; row < 1_020; row += 1) {
    const outcomes = [MATCHED, { kind: 'no_match', reason: 'nobody' } as const];
    const tried = await Promise.allSettled(
      ledgers.map((ledger, at) =>
        ledger.finishRows([{ batch, row, outcome: outcomes[at] ?? MATCHED, answers: [] }]),
      ),
    );
    expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [kept] = await ledgers[0].rows(batch, row, 1);
    expect(kept?.outcome).toEqual(outcomes[tried.findIndex(({ status }) => status === 'fulfilled')]);
  }
});

test('what both have asked is counted, and misses that follow the answer of the other', async () => {
  const [one, other] = await two();
  const batch = await batchNamed(one, 'a');
  const buying = async (ledger: Ledger, name: string) => {
    for (let at = 0; at < 10; at += 1) await answered(ledger, batch, `${name}${at}`);
  };
  await Promise.all([buying(one, 'one'), buying(other, 'other')]);
  const missed = { kind: 'no_match', charged: 0, status: 404 } as const;
  await answered(one, batch, 'missed', missed);
  await answered(other, batch, 'found');
  await answered(one, batch, 'missed again', missed);
  expect(await other.metrics(batch)).toEqual({ requests: 23, calls: 23 });
  expect(await other.account(ACCOUNT)).toMatchObject({ answers: 23, found: 21, misses: { count: 1 } });
  expect(await other.retractMisses(ACCOUNT)).toBe(1);
  expect(await one.metrics(batch)).toEqual({ requests: 23, calls: 22 });
});

test('a host whose clock is behind keeps its own time, and the latest that was confirmed is the floor of both', async () => {
  const [one, other] = await two();
  const boot = { id: 'boot', uptimeMs: 1_000 };
  await one.atBoot(boot, NOON_MS);
  await other.atBoot(boot, NOON_MS);
  await one.keepConfirmedTime({ atMs: NOON_MS + 500, uptimeMs: 1_100 }, ACCOUNT);
  await other.keepConfirmedTime({ atMs: NOON_MS + 300, uptimeMs: 1_100 }, ACCOUNT);
  expect(await other.confirmedTime()).toBe(NOON_MS + 500);
  const later = await other.atBoot({ id: 'boot of another host', uptimeMs: 5 }, NOON_MS);
  expect(later).toMatchObject({ floorMs: NOON_MS + 500 });
});

test('a pause that a vendor asked one for is not shortened by what it asked the other', async () => {
  const [one, other] = await two();
  const pause = { fromMs: NOON_MS, why: 'too fast', asked: true };
  await one.notePause(ACCOUNT, { ...pause, untilMs: NOON_MS + 500 });
  await other.notePause(ACCOUNT, { ...pause, untilMs: NOON_MS + 100 });
  expect((await one.account(ACCOUNT)).pausedUntilMs).toBe(NOON_MS + 500);
  expect(await one.pauses(ACCOUNT, NOON_MS, NOON_MS)).toHaveLength(2);
});
