/**
 * A vendor with a rate limit, as a process of its own: `node rate-vendor.ts KIND REQUESTS_PER_SECOND`. It prints its
 * address, answers every POST with 200 or 429 by the time at which it arrived, and tells by `GET /book` what it saw.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Requests to this path are not counted. */
export const WARM_UP = '/warm-up';

/** What the vendor saw: the figures of one cell. */
export interface VendorBook {
  readonly requests: number;
  readonly refused: number;
  /** Answers of the steady state in relation to what the plan allows in that time. */
  readonly share: number;
  /** The longest stall of the vendor's own loop: while it stalls, requests only seem to arrive together. */
  readonly longestStallMs: number;
}

/** Says whether a request that arrives now is within the limit, and counts it if so. */
type Admits = (nowMs: number) => boolean;

const WINDOW_MS = 1000;

/** The strictest: so many in any second. Refused ones do not count. */
export function slidingLog(requests: number): Admits {
  const times = new Float64Array(requests).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return (nowMs) => {
    if (nowMs - (times[next] ?? 0) < WINDOW_MS) return false;
    times[next] = nowMs;
    next = (next + 1) % requests;
    return true;
  };
}

/** Seconds that begin at any of these phases: whichever of them is the worst for the client refuses. */
const PHASES = 20;

function fixedWindow(requests: number): Admits {
  const windows = Array.from({ length: PHASES }, (_, at) => ({
    offsetMs: (at * WINDOW_MS) / PHASES,
    number: -1,
    count: 0,
  }));
  return (nowMs) => {
    for (const window of windows) {
      const number = Math.floor((nowMs - window.offsetMs) / WINDOW_MS);
      if (number !== window.number) Object.assign(window, { number, count: 0 });
    }
    if (windows.some(({ count }) => count >= requests)) return false;
    for (const window of windows) window.count += 1;
    return true;
  };
}

/** Holds a second's worth at most, and is full at the start. */
function tokenBucket(requests: number): Admits {
  let tokens = requests;
  let filledMs = performance.now();
  return (nowMs) => {
    tokens = Math.min(requests, tokens + ((nowMs - filledMs) * requests) / WINDOW_MS);
    filledMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

const KINDS = {
  'sliding-log': slidingLog,
  'fixed-window': fixedWindow,
  'token-bucket': tokenBucket,
} as const;

export type VendorKind = keyof typeof KINDS;

/** Start and tail of a run say nothing about how much of the limit it uses. */
const START_MS = 2000;
const TAIL_MS = 500;
const OFFSETS = 200;

/** Accepted requests of so many whole seconds, on average over where those seconds begin. */
export function shareUsed(accepted: readonly number[], perSecond: number): number {
  const fromMs = (accepted[0] ?? 0) + START_MS;
  const untilMs = (accepted.at(-1) ?? 0) - TAIL_MS;
  const seconds = Math.floor((untilMs - fromMs) / WINDOW_MS) - 1;
  let count = 0;
  for (let offset = 0; offset < OFFSETS; offset += 1) {
    const beginMs = fromMs + (offset * WINDOW_MS) / OFFSETS;
    const endMs = beginMs + seconds * WINDOW_MS;
    for (const atMs of accepted) if (atMs >= beginMs && atMs < endMs) count += 1;
  }
  return count / (OFFSETS * seconds * perSecond);
}

/** When a request arrives must not depend on what else the machine is busy with, as far as we may say so. */
export function beFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGH);
  } catch {
    // Not everybody may; the longest stall, which is among the figures, says whether it matters.
  }
}

function serve(kind: VendorKind, perSecond: number): void {
  const admits = KINDS[kind](perSecond);
  const accepted: number[] = [];
  let refused = 0;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const server = createServer((request, response) => {
    const nowMs = performance.now();
    if (request.method === 'GET') {
      const share = shareUsed(accepted, perSecond);
      const book = { requests: accepted.length + refused, refused, share, longestStallMs: delay.max / 1e6 };
      response.end(JSON.stringify(book satisfies VendorBook));
      return;
    }
    const isAdmitted = request.url === WARM_UP || admits(nowMs);
    if (!isAdmitted) refused += 1;
    else if (request.url !== WARM_UP) accepted.push(nowMs);
    response.writeHead(isAdmitted ? 200 : 429, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ at: performance.timeOrigin + nowMs }));
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  // The measuring process holds our standard input, so that we end with it, whatever ends it.
  process.stdin.on('end', () => process.exit(0)).resume();
}

if (import.meta.main) {
  const [kind = '', perSecond] = process.argv.slice(2);
  if (!(kind in KINDS)) throw new Error(`no vendor is a "${kind}"`);
  beFirst();
  serve(kind as VendorKind, Number(perSecond));
}
