import { formatDuration } from '../../core/duration.ts';
import { present } from '../../core/objects.ts';
import { counted, plainText } from '../../core/plain-text.ts';
import { OUTCOME_KINDS } from '../../core/row.ts';
import { actionCounts } from '../../plan/team/diff-words.ts';
import type { RunSummary } from '../../run/summary.ts';
import { onlyMissesWords } from '../../vendor/misses.ts';
import { stoppedObject } from '../shell/console.ts';
import { forecastLines, forecastObject } from './forecast.ts';

/** Shows the summary of a run, for a person and for `--json`. */

export function summaryLines(summary: RunSummary): readonly string[] {
  const { batch, rows, counts, requests, durationMs, files, forecast, changes, repaired, onlyMisses } =
    summary;
  const settled = OUTCOME_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map(
    (kind) => [kind, counts[kind] ?? 0] as const,
  );
  const beyond = changes?.beyond.planned ?? 0;
  const pending = rows + beyond - settled.reduce((sum, [, count]) => sum + count, 0);
  return [
    `Batch ${batch}, ${counted(rows, 'row')}${beyond === 0 ? '' : `, and ${counted(beyond, 'person', 'people')} whom they do not name`}`,
    ...table([...settled, ...(pending > 0 ? [['pending', pending] as const] : [])]),
    ...(changes === undefined ? [] : [`Changes    ${actionCounts(changes.done) || 'none'}`]),
    ...creditsLine(summary),
    ...(repaired === undefined ? [] : [`Repaired   ${counted(repaired, 'row')}, and none of your own cells`]),
    `Requests   ${requests} in ${formatDuration(durationMs)}`,
    ...(onlyMisses === undefined ? [] : [`Misses     ${onlyMissesWords(onlyMisses)}`]),
    ...(forecast === undefined ? [] : forecastLines(forecast)),
    ...formulasLine(summary),
    ...fileLine('Output', files.output),
    ...fileLine('Attention', files.attention),
    ...fileLine('Results', files.results),
    ...fileLine('Removed', files.removed),
    ...fileLine('Report', files.report),
  ];
}

/** The line about credits. Changes usually cost nothing, and then there is no such line. */
function creditsLine({ money, spentNow, saved, changes }: RunSummary): readonly string[] {
  if (changes !== undefined && money.spent + money.inDoubt === 0) return [];
  const doubt = money.inDoubt > 0 ? `, ${money.inDoubt} in doubt` : '';
  const asked = saved === undefined ? '' : `, ${saved} saved by asking once`;
  const spent =
    spentNow === money.spent ? `${spentNow} spent` : `${spentNow} spent in this run, ${money.spent} in all`;
  return [`Credits    ${spent}${doubt}${asked}`];
}

function formulasLine({ tally }: RunSummary): readonly string[] {
  const count = tally?.formulas ?? 0;
  if (count === 0) return [];
  return [`Formulas   ${counted(count, 'cell')} of the vendor's made safe with an apostrophe in front`];
}

function table(counts: readonly (readonly [string, number])[]): readonly string[] {
  const width = Math.max(...counts.map(([, count]) => String(count).length), 1);
  return counts.map(([kind, count]) => `  ${kind.padEnd(9)} ${String(count).padStart(width)}`);
}

function fileLine(name: string, path: string | undefined): readonly string[] {
  return path === undefined ? [] : [`${name.padEnd(11)}${plainText(path)}`];
}

/** The one object of `run --json`. */
export function summaryObject(summary: RunSummary): object {
  const { batch, rows, calls, counts, money, spentNow, saved, requests, pauses, durationMs, files, stopped } =
    summary;
  return {
    batch,
    rows,
    calls,
    counts,
    credits: { spent: money.spent, spent_now: spentNow, in_doubt: money.inDoubt, saved: saved ?? null },
    requests,
    pauses: { count: pauses.count, seconds: Math.round(pauses.ms / 100) / 10 },
    seconds: Math.round(durationMs / 100) / 10,
    output: files.output ?? null,
    needs_attention: files.attention ?? null,
    ...present({ results: files.results, repaired: summary.repaired }),
    ...removedObject(summary),
    ...((summary.tally?.formulas ?? 0) === 0 ? {} : { formulas_made_safe: summary.tally?.formulas }),
    ...(summary.forecast === undefined ? {} : { sample: forecastObject(summary.forecast) }),
    ...(summary.onlyMisses === undefined ? {} : { misses: { count: summary.onlyMisses, kept: false } }),
    stopped: stopped === undefined ? null : stoppedObject(stopped),
  };
}

/** How many people a batch removed because the file does not name them, and the file that lists them. */
function removedObject({ changes, files }: RunSummary): object {
  if (changes === undefined || changes.beyond.planned === 0) return {};
  return { removed: changes.beyond.removed, removed_file: files.removed ?? null };
}
