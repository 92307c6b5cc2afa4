import { join } from 'node:path';
import type { Account } from './account.ts';
import { resolveKey } from './account-key.ts';
import type { Spending } from './attempt.ts';
import { invariant, type StopError } from './errors.ts';
import type { BatchId, Ledger } from './ledger.ts';
import { Limiter, type Limits } from './limiter.ts';
import type { RunOrder } from './order.ts';
import type { RequestValues } from './request.ts';
import { spawnSandbox } from './sandbox/spawn.ts';
import { Transport } from './transport.ts';

/** The open way to one account: its vendor's address, its key, its limits, and what the ledger remembers of them. */
export interface Connection {
  readonly spending: Spending;
  close(): Promise<void>;
}

/** Answers take seconds, not minutes; an answer that comes later is taken for lost, so this is generous. */
const ANSWER_TIMEOUT_MS = 60_000;

export async function openConnection(
  order: RunOrder,
  batch: BatchId,
  signal: AbortSignal,
  stopAll: (error: StopError) => void,
): Promise<Connection> {
  const { account, ledger, clock, dialect, emit } = order;
  const requestValues = await requestValuesOf(account);
  const vendor = await reachVendor(order);
  const { answers, answersNot404 } = await ledger.account(account.identity);
  const transport = new Transport({
    origin: vendor.baseUrl.origin,
    connections: account.limits.concurrency,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
    clock,
    keptHeaders: dialect.request_id,
  });
  const spending: Spending = {
    accountIdentity: account.identity,
    dialect,
    basePath: vendor.baseUrl.pathname.replace(/\/+$/, ''),
    requestValues,
    ledger,
    limiter: await openLimiter(order, signal),
    transport,
    clock,
    batch,
    emit,
    history: { answers, answersNot404 },
    stopAll,
  };
  await ledger.setAccountCaps(account.identity, account.budget);
  return {
    spending,
    async close() {
      await transport.close();
      await vendor.stop();
    },
  };
}

/** @throws StopError `account` when the key is not where the account says. */
async function requestValuesOf(account: Account): Promise<RequestValues> {
  return {
    key: await resolveKey(account),
    ...(account.projectId === undefined ? {} : { project_id: account.projectId }),
    ...(account.organizationId === undefined ? {} : { organization_id: account.organizationId }),
  };
}

interface ReachedVendor {
  readonly baseUrl: URL;
  stop(): Promise<void>;
}

/** A sandbox account's vendor is a process of its own, so that what it booked is never our own word. */
async function reachVendor({ account, sandboxFolder }: RunOrder): Promise<ReachedVendor> {
  if (!account.sandbox) {
    invariant(account.baseUrl !== undefined, `account ${account.name} has no address`);
    return { baseUrl: account.baseUrl, stop: async () => {} };
  }
  const sandbox = await spawnSandbox({
    bookPath: join(sandboxFolder, 'book.jsonl'),
    flags: account.sandboxFlags,
  });
  return { baseUrl: new URL(sandbox.url), stop: () => sandbox.stop() };
}

async function openLimiter(order: RunOrder, signal: AbortSignal): Promise<Limiter> {
  const { account, ledger, clock, maxPauseMs, emit } = order;
  const { pausedUntilMs } = await ledger.account(account.identity);
  return new Limiter({
    limits: account.limits,
    clock,
    maxPauseMs,
    signal,
    earlierSendsMs: await earlierSends(ledger, account.identity, account.limits, clock.wallMs()),
    pausedUntilMs,
    onPause({ untilMs, why, asked }) {
      emit({ kind: 'paused', untilMs, why });
      // Our own backing off is over with the run. Not awaited: a lost note costs one more "too fast", never a credit.
      if (asked) void ledger.setAccountPause(account.identity, untilMs).catch(() => {});
    },
  });
}

/** The sends that still count against some window, so that starting again does not burst. */
async function earlierSends(
  ledger: Ledger,
  accountIdentity: string,
  { windows }: Limits,
  nowMs: number,
): Promise<readonly number[]> {
  if (windows.length === 0) return [];
  const longestMs = Math.max(...windows.map(({ windowMs }) => windowMs));
  const most = Math.max(...windows.map(({ requests }) => requests));
  return ledger.sendTimes(accountIdentity, nowMs - longestMs, most);
}
