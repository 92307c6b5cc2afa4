import { stoppedObject } from '../../console.ts';
import { formatDuration } from '../../duration.ts';
import { OUTCOME_KINDS } from '../../row.ts';
import type { RunSummary } from '../../summary.ts';
import { forecastLines, forecastObject } from './forecast-words.ts';

/** A run's summary, for a person and for `--json`. */

export function summaryLines(summary: RunSummary): readonly string[] {
  const { batch, rows, counts, money, saved, requests, durationMs, files, forecast } = summary;
  const settled = OUTCOME_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map(
    (kind) => [kind, counts[kind] ?? 0] as const,
  );
  const pending = rows - settled.reduce((sum, [, count]) => sum + count, 0);
  const doubt = money.inDoubt > 0 ? `, ${money.inDoubt} in doubt` : '';
  return [
    `Batch ${batch}, ${rows} rows`,
    ...table([...settled, ...(pending > 0 ? [['pending', pending] as const] : [])]),
    `Credits    ${money.spent} spent${doubt}${saved === undefined ? '' : `, ${saved} saved by asking once`}`,
    `Requests   ${requests} in ${formatDuration(durationMs)}`,
    ...(forecast === undefined ? [] : forecastLines(forecast)),
    ...fileLine('Output', files.output),
    ...fileLine('Attention', files.attention),
    ...fileLine('Report', files.report),
  ];
}

function table(counts: readonly (readonly [string, number])[]): readonly string[] {
  const width = Math.max(...counts.map(([, count]) => String(count).length), 1);
  return counts.map(([kind, count]) => `  ${kind.padEnd(9)} ${String(count).padStart(width)}`);
}

function fileLine(name: string, path: string | undefined): readonly string[] {
  return path === undefined ? [] : [`${name.padEnd(11)}${path}`];
}

/** The one object of `run --json`. */
export function summaryObject(summary: RunSummary): object {
  const { batch, rows, calls, counts, money, saved, requests, pauses, durationMs, files, stopped } = summary;
  return {
    batch,
    rows,
    calls,
    counts,
    credits: { spent: money.spent, in_doubt: money.inDoubt, saved: saved ?? null },
    requests,
    pauses: { count: pauses.count, seconds: Math.round(pauses.ms / 100) / 10 },
    seconds: Math.round(durationMs / 100) / 10,
    output: files.output ?? null,
    needs_attention: files.attention ?? null,
    ...(summary.forecast === undefined ? {} : { sample: forecastObject(summary.forecast) }),
    stopped: stopped === undefined ? null : stoppedObject(stopped),
  };
}
