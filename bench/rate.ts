import { join } from 'node:path';
import * as undici from 'undici';
import type { Reply } from '../src/client/judge.ts';
import { Limiter, type Waiter } from '../src/client/limits/limiter.ts';
import type { Limits } from '../src/client/limits/windows.ts';
import { Transport } from '../src/client/transport.ts';
import { systemClock } from '../src/core/clock.ts';
import { startServer, type Vendor } from './program.ts';
import { type VendorBook, type VendorKind, WARM_UP } from './rate-vendor.ts';

/**
 * How much of a known limit is used, and how often the vendor says "too fast": limiter and transport as they are, no
 * ledger, against vendors of three kinds in a process of their own, with and without stalls of our event loop.
 */

const KINDS: readonly VendorKind[] = ['sliding-log', 'fixed-window', 'token-bucket'];

/** Requests a second, and so many at once that the connection is never what limits. */
const RATES = [
  { perSecond: 5, concurrency: 8 },
  { perSecond: 50, concurrency: 8 },
  { perSecond: 500, concurrency: 32 },
  { perSecond: 5000, concurrency: 64 },
] as const;

/** As long as eight of the windows; longer cells say the same. */
const CELL_MS = 8_500;

const STALL_MS = 30;
const STALL_EVERY_MS = 500;

const WARM_UP_REQUESTS = 1_000;

interface Cell {
  readonly kind: VendorKind;
  readonly perSecond: number;
  readonly concurrency: number;
  readonly stalls: boolean;
}

export async function measureRate(): Promise<readonly string[]> {
  const lines = [
    '| vendor | a second | stalls | share used | 429s | requests | longest stall of the vendor |',
  ];
  lines.push('|---|---|---|---|---|---|---|');
  for (const rate of RATES) {
    for (const kind of KINDS) {
      for (const stalls of [false, true]) {
        const book = await measureCell({ ...rate, kind, stalls });
        const share = `${(book.share * 100).toFixed(2)} %`;
        const stalled = stalls ? `${STALL_MS} ms every ${STALL_EVERY_MS} ms` : 'none';
        const vendorStall = `${book.longestStallMs.toFixed(0)} ms`;
        lines.push(
          `| ${kind} | ${rate.perSecond} | ${stalled} | ${share} | ${book.refused} | ${book.requests} | ${vendorStall} |`,
        );
      }
    }
  }
  return lines;
}

export async function measureCell(cell: Cell): Promise<VendorBook> {
  const vendor = await startVendor(cell.kind, cell.perSecond);
  await warmUp(vendor.url);
  const stalling = cell.stalls ? setInterval(stall, STALL_EVERY_MS) : undefined;
  try {
    const windows = [{ requests: cell.perSecond, windowMs: 1000 }];
    await askFor(CELL_MS, { concurrency: cell.concurrency, windows }, vendor.url);
    const answer = await fetch(vendor.url);
    return (await answer.json()) as VendorBook;
  } finally {
    clearInterval(stalling);
    vendor.stop();
  }
}

/** A process that has just begun compiles what it runs, and holds up its first requests by that. A real vendor has not. */
async function warmUp(url: string): Promise<void> {
  for (let count = 0; count < WARM_UP_REQUESTS; count += 1)
    await (await fetch(url + WARM_UP, { method: 'POST' })).text();
}

/** Keeps the event loop from doing anything else, as a long parse or a garbage collection does. */
function stall(): void {
  const untilMs = performance.now() + STALL_MS;
  while (performance.now() < untilMs);
}

/** As many requests as the limiter lets through in that time. */
async function askFor(durationMs: number, limits: Limits, origin: string): Promise<void> {
  const { concurrency } = limits;
  const limiter = new Limiter({
    limits,
    clock: systemClock,
    earlierSendsMs: [],
    pausedUntilMs: undefined,
    learnedPerSecond: undefined,
    onPause: () => {},
    onLearned: () => {},
  });
  const transport = new Transport({
    undici,
    origin,
    connections: concurrency,
    timeoutMs: 10_000,
    clock: systemClock,
    keptHeaders: [],
    keys: [],
  });
  const ending = AbortSignal.timeout(durationMs);
  const waiter: Waiter = { signal: ending, maxPauseMs: undefined };
  const workers = Array.from({ length: concurrency }, async () => {
    while (!ending.aborted) {
      await limiter.enter(waiter);
      await ask(limiter, transport, waiter).catch(() => undefined);
      limiter.leave();
    }
  });
  await Promise.all(workers);
  await limiter.close();
  await transport.close();
}

const REQUEST = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"abn":"53004085616"}'),
} as const;

async function ask(limiter: Limiter, transport: Transport, waiter: Waiter): Promise<void> {
  const permit = await limiter.permit(waiter);
  const intentAt = { monotonicMs: systemClock.monotonicMs(), wallMs: systemClock.wallMs() };
  let sentAtMs = intentAt.monotonicMs;
  const onSent = (): void => {
    sentAtMs = systemClock.monotonicMs();
    permit.sent();
  };
  const reply = await new Promise<Reply>((onReply) =>
    transport.send(REQUEST, { intentAt, mayLeave: () => permit.mayLeave(), onSent, onReply }),
  );
  if (reply.kind === 'answered') permit.answered();
  if (reply.kind === 'answered' && reply.raw.status === 429) limiter.pause(undefined, sentAtMs, 'too fast');
  else limiter.settled();
  permit.done();
}

function startVendor(kind: VendorKind, perSecond: number): Promise<Vendor> {
  return startServer([
    process.execPath,
    join(import.meta.dirname, 'rate-vendor.ts'),
    kind,
    String(perSecond),
  ]);
}
