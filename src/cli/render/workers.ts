import { counted } from '../../core/plain-text.ts';
import type { RangeCounts } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { WorkerView } from '../../run/tasks/workers.ts';

/** A line for each process that spends from a store which several share. */
export function workerLines(workers: readonly WorkerView[]): readonly string[] {
  return workers.map(({ host, pid, command, sinceMs, beatAgoMs, accounts }) => {
    const shares = accounts.map(({ account, inFlight, share }) => {
      const may = share === undefined ? '' : `, share ${share}`;
      return `${account}: ${inFlight} in flight${may}`;
    });
    const beat = beatAgoMs === undefined ? 'no beat yet' : `last beat ${(beatAgoMs / 1000).toFixed(1)}s ago`;
    const began = `begun ${formatDuration(sinceMs)} ago`;
    return [`Worker ${host}, process ${pid}, ${began}, ${beat}`, ...shares, command].join('; ');
  });
}

/** Undefined when no worker has to do with the batch. */
export function rangesWords(ranges: RangeCounts | undefined): string | undefined {
  const { waiting, running, setAside } = ranges ?? { waiting: 0, running: 0, setAside: 0 };
  if (waiting + running + setAside === 0) return undefined;
  const aside = setAside === 0 ? '' : `, ${counted(setAside, 'range')} set aside, which a run works on`;
  return `${waiting} waiting, ${running} running${aside}`;
}
