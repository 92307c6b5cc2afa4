import { Hono } from 'hono';
import { isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import { listNameOf } from '../../files/list-name.ts';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { SpentObject } from '../../objects/batch-object.ts';
import { LogEntryObject } from '../../objects/log-object.ts';
import { eachLedgerThere } from '../../run/open-ledger.ts';
import { aboutOf, type LogEntry, logOf } from '../../run/tasks/log.ts';
import { monthOf, pricesOfAccounts, type SpendBy, type SpendGroup, spendOf } from '../../run/tasks/spend.ts';
import { BatchOfMonth, type HistoryBatch, type HistoryView, type SubjectView } from '../api.ts';
import type { Server } from './server.ts';

export function historyRoutes({ store, clock }: Server): Hono {
  return new Hono()
    .get('/history', async (context) => {
      const last = isoTime(clock.wallMs()).slice(0, 7);
      const month = monthOf(context.req.query('month') ?? last);
      return context.json((await historyOf(store, month, last)) satisfies HistoryView);
    })
    .get('/subjects', async (context) =>
      context.json(await subjectView(store, context.req.query('text') ?? '', context.req.raw.signal)),
    );
}

async function historyOf(store: string | undefined, month: string, last: string): Promise<HistoryView> {
  const spent = async (by: SpendBy): Promise<SpendGroup[]> => [
    ...(await spendOf({ store, month, by })).groups,
  ];
  const parts = await eachLedgerThere(store, async (ledger) => {
    const all = await ledger.batches();
    const begun = all.filter((each) => monthBegun(each) === month);
    const batches = await Promise.all(begun.map((batch) => historyBatch(ledger, batch)));
    return { batches, first: all.map(monthBegun).sort()[0] };
  });
  return {
    ...{ month, last, first: parts.flatMap(({ first }) => first ?? []).sort()[0] ?? null },
    accounts: await spent('account'),
    operators: await spent('operator'),
    days: await spent('day'),
    batches: parts
      .flatMap(({ batches }) => batches)
      .sort((one, other) => other.created_at.localeCompare(one.created_at)),
  };
}

const monthBegun = ({ createdAtMs }: Batch): string => isoTime(createdAtMs).slice(0, 7);

async function historyBatch(ledger: LedgerReader, batch: Batch): Promise<HistoryBatch> {
  const { requests } = await ledger.metrics(batch.id);
  return {
    ...BatchOfMonth.of({ batch, name: listNameOf(batch.inputPath) }),
    ...SpentObject.of(await ledger.batchMoney(batch.id)),
    saved: await ledger.saved(batch.id),
    requests,
    can_undo: batch.vendor === 'service' && batch.state !== 'open',
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
