import { systemClock } from '../../../core/clock.ts';
import { type StoreFolder, sizeOf } from './folder.ts';
import { stampOf } from './seal.ts';

/**
 * What this process has checked. The page opens a ledger several times for each view, and the full check of one whose run
 * was killed takes half a minute for a million rows: it is done once for each state of the files.
 */
interface Check {
  readonly stamp: string;
  readonly untilMs: number;
  readonly done: Promise<void>;
}

const checks = new Map<string, Check>();

/** As long as a large ledger that is sealed is not read again, for the same reason. */
const VALID_MS = 24 * 60 * 60 * 1000;

/** Checks a ledger unless that was done since its files were written to. Who comes meanwhile waits for the same check. */
export async function checkedOnce(folder: StoreFolder, check: () => Promise<void>): Promise<void> {
  // A reader leaves an empty log behind, which is none.
  const files = [folder.ledger, ...((sizeOf(folder.log) ?? 0) > 0 ? [folder.log] : [])];
  const stamp = files.map(stampOf).join('; ');
  const known = checks.get(folder.path);
  const nowMs = systemClock.monotonicMs();
  if (known?.stamp === stamp && nowMs < known.untilMs) return known.done;
  const begun = { stamp, untilMs: nowMs + VALID_MS, done: check() };
  checks.set(folder.path, begun);
  try {
    await begun.done;
  } catch (error) {
    if (checks.get(folder.path) === begun) checks.delete(folder.path);
    throw error;
  }
}
