import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { moneyFor } from '../../client/account/price.ts';
import { type Clock, isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { listNameOf } from '../../files/list-name.ts';
import type { Batch, BatchId, LedgerReader } from '../../ledger/ledger.ts';
import { SpentObject } from '../../objects/batch-object.ts';
import { LogEntryObject } from '../../objects/log-object.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import { finishedIn } from '../../run/tasks/batch-status.ts';
import { aboutOf, type LogEntry, logOf } from '../../run/tasks/log.ts';
import { pricesOfAccounts, spendOf } from '../../run/tasks/spend.ts';
import {
  type AccountMonth,
  BatchOfMonth,
  type HistoryBatch,
  type HistoryView,
  Month,
  type SubjectView,
} from '../api.ts';
import { Paced } from './paced.ts';
import type { Server } from './server.ts';

export function historyRoutes(server: Server, savings: Savings): Hono {
  const { store, clock } = server;
  return new Hono()
    .get('/history', async (context) => {
      const last = isoTime(clock.wallMs()).slice(0, 7);
      const month = monthIn(context.req.query('month') ?? last);
      return context.json((await historyOf({ store, month, last, savings })) satisfies HistoryView);
    })
    .get('/subjects', async (context) =>
      context.json(await subjectView(store, context.req.query('text') ?? '', context.req.raw.signal)),
    );
}

function monthIn(text: string): string {
  if (Month.safeParse(text).success) return text;
  throw stop('usage', 'The month is not written as 2026-11.', 'Give a year and a month.');
}

/** So many are some milliseconds; then others are answered. */
const BATCHES_AT_ONCE = 50;

interface Wanted {
  readonly store: string | undefined;
  readonly month: string;
  readonly last: string;
  readonly savings: Savings;
}

async function historyOf({ store, month, last, savings }: Wanted): Promise<HistoryView> {
  const prices = await pricesOfAccounts();
  const parts = await eachLedgerThere(store, async (ledger) => {
    const all = await ledger.batches();
    const batches: HistoryBatch[] = [];
    for (const batch of all.filter((each) => monthOf(each) === month)) {
      batches.push(await historyBatch(ledger, batch, { savings }));
      if (batches.length % BATCHES_AT_ONCE === 0) await setImmediate();
    }
    const accounts: AccountMonth[] = [];
    for (const of of Map.groupBy(all, ({ accountIdentity }) => accountIdentity).values())
      accounts.push(await accountMonth(ledger, of, { month, batches, prices }));
    const first = all.toSorted((one, other) => one.createdAtMs - other.createdAtMs)[0];
    return { accounts: accounts.filter(isUsed), batches, first: first && monthOf(first) };
  });
  const savedBy = savedIn(savings);
  const { groups } = await spendOf({ store, month, by: 'operator', savedBy });
  return {
    month,
    operators: groups,
    first: parts.flatMap(({ first }) => first ?? []).sort()[0] ?? null,
    last,
    accounts: parts.flatMap(({ accounts }) => accounts),
    batches: parts
      .flatMap(({ batches }) => batches)
      .sort((one, other) => other.created_at.localeCompare(one.created_at)),
  };
}

/** It is kept as long as it stays, so that a month is not added up anew for each look. */
const savedIn = (savings: Savings) => async (ledger: LedgerReader, id: BatchId) => {
  const batch = await ledger.batch(id);
  return batch === undefined ? 0 : savings.of(ledger, batch, finishedIn(await ledger.counts(id)));
};

const monthOf = ({ createdAtMs }: Pick<Batch, 'createdAtMs'>): string => isoTime(createdAtMs).slice(0, 7);

const isUsed = ({ spent, in_doubt, batches }: AccountMonth): boolean => spent + in_doubt + batches > 0;

async function historyBatch(
  ledger: LedgerReader,
  batch: Batch,
  { savings }: Pick<Wanted, 'savings'>,
): Promise<HistoryBatch> {
  const { requests } = await ledger.metrics(batch.id);
  return {
    ...BatchOfMonth.of({ batch, name: listNameOf(batch.inputPath) }),
    ...SpentObject.of(await ledger.batchMoney(batch.id)),
    saved: await savings.of(ledger, batch, finishedIn(await ledger.counts(batch.id))),
    requests,
    can_undo: batch.vendor === 'service' && batch.state !== 'open',
  };
}

interface MonthOf {
  readonly month: string;
  /** Those of the month, of which the account's own are counted. */
  readonly batches: readonly HistoryBatch[];
  readonly prices: Awaited<ReturnType<typeof pricesOfAccounts>>;
}

async function accountMonth(
  ledger: LedgerReader,
  [newest, ...older]: readonly Batch[],
  { month, batches, prices }: MonthOf,
): Promise<AccountMonth> {
  const { accountIdentity = '', accountName = '', sandbox = false } = newest ?? {};
  const ids = new Set([newest, ...older].map((batch) => batch?.id));
  const own = batches.filter(({ batch }) => ids.has(batch as Batch['id']));
  const [year = 0, number = 0] = month.split('-').map(Number);
  const days: { spent: number; in_doubt: number }[] = [];
  for (let day = 1; day <= new Date(Date.UTC(year, number, 0)).getUTCDate(); day += 1) {
    const atMs = Date.UTC(year, number - 1, day);
    const { spent, inDoubt } = await ledger.accountMoney(accountIdentity, 'day', atMs);
    days.push({ spent, in_doubt: inDoubt });
  }
  const whole = await ledger.accountMoney(accountIdentity, 'month', Date.UTC(year, number - 1));
  const price = prices.get(accountIdentity);
  const sum = (of: 'saved' | 'requests'): number => own.reduce((all, each) => all + each[of], 0);
  return {
    account: accountName,
    sandbox,
    ...SpentObject.of(whole),
    saved: sum('saved'),
    requests: sum('requests'),
    batches: own.length,
    money: price === undefined ? null : moneyFor(whole.spent, price),
    per_month: whole.cap ?? null,
    days,
  };
}

const MOST_ENTRIES = 500;

/** @param leaving ends the search when nobody waits for it any more. */
async function subjectView(
  store: string | undefined,
  text: string,
  leaving: AbortSignal,
): Promise<SubjectView> {
  if (text.trim() === '')
    throw stop(
      'usage',
      'There is nothing to search for.',
      'Give an e-mail address, an ABN or a web address.',
    );
  const about = await aboutOf(text, store);
  const enough = new AbortController();
  const found: LogEntry[] = [];
  await logOf({ store, about, leaving: AbortSignal.any([leaving, enough.signal]) }, (entry) => {
    found.push(entry);
    if (found.length > MOST_ENTRIES) enough.abort();
  });
  const prices = await pricesOfAccounts();
  const entries = found.sort((one, other) => other.atMs - one.atMs).slice(0, MOST_ENTRIES);
  return {
    values: about.kind === 'values' ? [...about.values] : about.kind === 'batch' ? [about.batch] : [],
    entries: entries.map((entry) =>
      LogEntryObject.of({ ...entry, price: prices.get(entry.batch?.accountIdentity ?? '') }),
    ),
    more: found.length > MOST_ENTRIES,
  };
}

/** Each is a number, and a month that is told asks for all of its batches at once. */
const MOST_KEPT = 20_000;

/** What batches saved by answers that were shared or bought before. It is added up from their rows. */
export class Savings {
  readonly #paced: Paced<number>;

  constructor(clock: Clock) {
    this.#paced = new Paced(clock, MOST_KEPT);
  }

  /** @param settled the number of its rows that have ended: as long as it stays, so does what was saved. */
  of(ledger: LedgerReader, { id }: Batch, settled: number): Promise<number> {
    return this.#paced.of(id, settled, () => ledger.saved(id));
  }
}
