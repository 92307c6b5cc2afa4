import { Hono } from 'hono';
import type { Batch, LedgerReader } from '../../ledger/ledger.ts';
import { METRICS_TYPE, metricsText, type Sample } from '../../lib/metrics.ts';
import { rowsOf } from '../../plan/batch.ts';
import { unlessStopped } from '../../run/known-account.ts';
import { eachLedgerThere, finishedIn } from '../../run/open-ledger.ts';
import type { Server } from './server.ts';

/** For monitoring: figures by account and job, without any name of a list or a person. */
export function healthRoutes({ store, sweeps }: Server): Hono {
  return new Hono()
    .get('/healthz', async (context) => {
      const alive = (await unlessStopped(eachLedgerThere(store, async () => {}))) !== undefined;
      return context.json({ alive }, alive ? 200 : 503);
    })
    .get('/metrics', async (context) => {
      const found = await eachLedgerThere(store, async (ledger) => {
        const batches = await ledger.batches();
        return Promise.all(batches.map((batch) => samplesOf(ledger, batch)));
      });
      const text = metricsText([...found.flat(2), ...sweeps.samples()]);
      return context.body(text, 200, { 'content-type': METRICS_TYPE });
    });
}

async function samplesOf(ledger: LedgerReader, batch: Batch): Promise<readonly Sample[]> {
  const { id, accountName: account, accountIdentity, state, pausedSinceMs } = batch;
  const counts = await ledger.counts(id);
  const { spent, inDoubt } = await ledger.batchMoney(id);
  const isPaused = state === 'open' && (pausedSinceMs ?? (await ledger.account(accountIdentity)).pausedForMs);
  const rows = Object.entries({ ...counts, pending: rowsOf(batch) - finishedIn(counts) });
  return [
    ...rows.map(([status, n]): Sample => ['rows', { account, status }, n]),
    ['spent_credits_total', { account }, spent],
    ['in_doubt_credits', { account }, inDoubt],
    ['paused_batches', { account }, isPaused ? 1 : 0],
  ];
}
