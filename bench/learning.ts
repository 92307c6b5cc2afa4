import { askFor, KINDS, startVendor } from './rate.ts';
import type { VendorKind } from './rate-vendor.ts';

/**
 * How fast an unknown limit is found: limiter and transport as they are, no ledger, against vendors of three kinds in a
 * process of their own that say nothing but 200 and 429.
 */

/** Requests a second. All kinds are measured at once: together they are far below what this machine can do. */
const LIMITS = [20, 100] as const;

const CURVE_MS = 100_000;
const SLICE_MS = 10_000;
const CONCURRENCY = 8;

interface Slice {
  accepted: number;
  refused: number;
}

interface Curve {
  readonly limit: number;
  /** Of each second, oldest first. */
  readonly seconds: readonly Slice[];
}

export async function measureLearning(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const limit of LIMITS) {
    const curves = await Promise.all(KINDS.map((kind) => measureCurve(kind, limit)));
    lines.push('', `An unknown limit of ${limit} a second: share of it that was used, and 429s`, '');
    lines.push(`| seconds | ${KINDS.join(' | ')} |`, '|---|---|---|---|');
    for (let from = 0; from < CURVE_MS / 1000; from += SLICE_MS / 1000) {
      const cells = curves.map((curve) => cellOf(curve, from, from + SLICE_MS / 1000));
      lines.push(`| ${from} to ${from + SLICE_MS / 1000} | ${cells.join(' | ')} |`);
    }
    lines.push(`| first at 90 % | ${curves.map(firstAtNineTenths).join(' | ')} |`);
    lines.push(`| 429s of all | ${curves.map(refusedShare).join(' | ')} |`);
  }
  return lines;
}

async function measureCurve(kind: VendorKind, limit: number): Promise<Curve> {
  const vendor = await startVendor(kind, limit);
  const seconds: Slice[] = Array.from({ length: CURVE_MS / 1000 }, () => ({ accepted: 0, refused: 0 }));
  const startedMs = performance.now();
  try {
    await askFor(CURVE_MS, { concurrency: CONCURRENCY, windows: [] }, vendor.url, (status) => {
      const slice = seconds[Math.floor((performance.now() - startedMs) / 1000)];
      if (slice === undefined) return;
      if (status === 429) slice.refused += 1;
      else slice.accepted += 1;
    });
  } finally {
    vendor.stop();
  }
  return { limit, seconds };
}

function cellOf({ limit, seconds }: Curve, from: number, to: number): string {
  const { accepted, refused } = sum(seconds.slice(from, to));
  return `${((accepted / (limit * (to - from))) * 100).toFixed(1)} %, ${refused}`;
}

/** The second from which ten in a row together used nine tenths. */
function firstAtNineTenths({ limit, seconds }: Curve): string {
  const slice = SLICE_MS / 1000;
  const at = seconds.findIndex(
    (_, from) => sum(seconds.slice(from, from + slice)).accepted >= 0.9 * limit * slice,
  );
  return at === -1 ? 'never' : `second ${at}`;
}

function refusedShare({ seconds }: Curve): string {
  const { accepted, refused } = sum(seconds);
  return `${refused} of ${accepted + refused}, ${((refused / (accepted + refused)) * 100).toFixed(2)} %`;
}

function sum(slices: readonly Slice[]): Slice {
  return {
    accepted: slices.reduce((total, { accepted }) => total + accepted, 0),
    refused: slices.reduce((total, { refused }) => total + refused, 0),
  };
}
