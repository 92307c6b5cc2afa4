import { commandLine } from '../../core/command-line.ts';
import { formatDuration } from '../../core/duration.ts';
import { present } from '../../core/objects.ts';
import { atMost, counted, plainText, sentence } from '../../core/plain-text.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../../core/row.ts';
import type { Estimate, Forecast, RestForecast } from '../../plan/sample.ts';
import type { SweepSummary, SweptFile } from '../../run/nightly.ts';
import { retriesObjectIfAny } from '../../run/story-objects.ts';
import type { RunSummary } from '../../run/summary.ts';
import { unprovenObject, unprovenWords } from '../../run/unproven-changes.ts';
import { onlyMissesWords } from '../../vendor/misses.ts';
import { stoppedObject } from '../shell/console.ts';
import { changesLines, changesObject, missingIn } from './changes.ts';

/** Shows the summary of a run, of its sample and of a sweep, for a person and for `--json`. */

export function summaryLines(summary: RunSummary): readonly string[] {
  const {
    batch,
    rows,
    counts,
    requests,
    durationMs,
    files,
    forecast,
    changes,
    unproven,
    repaired,
    onlyMisses,
  } = summary;
  const settled = OUTCOME_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).map(
    (kind) => [kind, counts[kind] ?? 0] as const,
  );
  const beyond = missingIn(changes);
  const pending = rows + beyond - settled.reduce((sum, [, count]) => sum + count, 0);
  return [
    `Batch ${batch}, ${counted(rows, 'row')}${beyond === 0 ? '' : `, and ${counted(beyond, 'person', 'people')} whom they do not name`}`,
    ...table([...settled, ...(pending > 0 ? [['pending', pending] as const] : [])]),
    ...(changes === undefined ? [] : changesLines(changes)),
    ...(unproven === undefined ? [] : [`Unproven   ${unprovenWords(unproven)}`]),
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
    ...fileLine('Held back', files.notRemoved),
    ...fileLine('Report', files.report),
  ];
}

/** The line about credits. Changes usually cost nothing, and then there is no such line. */
function creditsLine({ money, spentNow, saved, changes }: RunSummary): readonly string[] {
  if (changes !== undefined && money.spent + money.inDoubt === 0) return [];
  const doubt = money.inDoubt > 0 ? `, ${money.inDoubt} in doubt` : '';
  const asked = saved === undefined ? '' : `, ${saved} saved by asking once`;
  const now = atMost(spentNow, money.isExact, `${spentNow} spent`);
  const all = atMost(money.spent, money.isExact, `${money.spent} in all`);
  const spent = spentNow === money.spent ? now : `${now} in this run, ${all}`;
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
    credits: {
      spent: money.spent,
      exact: money.isExact,
      spent_now: spentNow,
      in_doubt: money.inDoubt,
      saved: saved ?? null,
    },
    requests,
    pauses: { count: pauses.count, seconds: Math.round(pauses.ms / 100) / 10 },
    seconds: Math.round(durationMs / 100) / 10,
    output: files.output ?? null,
    needs_attention: files.attention ?? null,
    ...present({ results: files.results, repaired: summary.repaired }),
    ...changesObjects(summary),
    ...present({ unproven: summary.unproven && unprovenObject(summary.unproven) }),
    ...((summary.tally?.formulas ?? 0) === 0 ? {} : { formulas_made_safe: summary.tally?.formulas }),
    ...(summary.forecast === undefined ? {} : { sample: forecastObject(summary.forecast) }),
    ...(summary.onlyMisses === undefined ? {} : { misses: { count: summary.onlyMisses, kept: false } }),
    ...present({ retries: retriesObjectIfAny(summary.retries) }),
    ...(summary.unanswered === 0 ? {} : { unanswered: summary.unanswered }),
    ...present({ budget_to_finish: enoughFor(summary) }),
    stopped: stoppedObject(stopped),
  };
}

/** The budget with which a run would not have stopped; undefined where its own budget did not stop it. */
function enoughFor({ stopped, budgetToFinish }: RunSummary): number | undefined {
  return stopped?.code === 'budget' ? budgetToFinish : undefined;
}

/** What was changed and is not so any more; how many people were removed because the file does not name them. */
function changesObjects({ changes, files }: RunSummary): object {
  if (changes === undefined) return {};
  const { removed, notRemoved } = changes;
  return {
    changes: changesObject(changes),
    ...(missingIn(changes) === 0
      ? {}
      : {
          removed: removed.length,
          removed_file: files.removed ?? null,
          not_removed: notRemoved.length,
          not_removed_file: files.notRemoved ?? null,
        }),
  };
}

// ---------------------------------------------------------------------------------------------------- a sample

function forecastLines({ rows, matched, identifiers, rest }: Forecast): readonly string[] {
  if (rows === 0)
    return ['Sample     nothing was found out: no row of it is settled, or nothing is left to buy'];
  const width = Math.max(...identifiers.map(({ name }) => name.length));
  return [
    `Sample     ${matched} of ${counted(rows, 'row')} matched`,
    ...identifiers.map(
      ({ name, asked, found, matchRate }) =>
        `  ${name.padEnd(width)}  ${found} of ${asked} found, ${shareWords(matchRate)}`,
    ),
    ...(rest === undefined ? ['Rest       nothing is left to buy'] : restLines(rest)),
  ];
}

function restLines({ rows, matchRate, credits, seconds }: RestForecast): readonly string[] {
  return [
    `Rest       ${counted(rows, 'row')} to buy; the truth lies within the brackets for 95 of 100 samples`,
    `  matches  ${shareWords(matchRate)}`,
    `  credits  ${words(credits, String)}`,
    `  time     ${seconds === undefined ? 'not known yet: the account has no limit, and none was met' : words(seconds, (value) => formatDuration(value * 1000))}`,
  ];
}

const shareWords = (share: Estimate): string => words(share, (value) => `${(value * 100).toFixed(0)} %`);

/** `70 % [56 % to 81 %]`. */
function words({ low, expected, high }: Estimate, shown: (value: number) => string): string {
  return `${shown(expected)} [${shown(low)} to ${shown(high)}]`;
}

/** The member `sample` of `run --json`. */
function forecastObject({ rows, matched, identifiers, rest, plan }: Forecast): object {
  return {
    rows,
    matched,
    identifiers: identifiers.map(({ name, asked, found, matchRate }) => ({
      name,
      asked,
      found,
      match_rate: rounded(matchRate),
    })),
    forecast:
      rest === undefined
        ? null
        : {
            rows: rest.rows,
            match_rate: rounded(rest.matchRate),
            credits: rest.credits,
            seconds: rest.seconds ?? null,
          },
    ...present({ plan }),
  };
}

/** Shares to a hundredth of a percent: more digits would only look exact. */
function rounded({ low, expected, high }: Estimate): Estimate {
  const share = (value: number): number => Math.round(value * 10_000) / 10_000;
  return { low: share(low), expected: share(expected), high: share(high) };
}

// ---------------------------------------------------------------------------------------------------- a sweep

type Counts = Readonly<Partial<Record<OutcomeKind, number>>>;

export function sweepLines(sweep: SweepSummary, store: string | undefined): readonly string[] {
  const { files, left } = sweep;
  const { rows, counts, spent, isExact, inDoubt } = totalsOf(sweep);
  const doubt = inDoubt > 0 ? `, ${inDoubt} in doubt` : '';
  return [
    ...files.flatMap((file) => fileLines(file, store)),
    ...left.map(({ path, why }) => `Left       ${path}: ${why}`),
    `Files      ${files.length} done or tried, ${left.length} left`,
    `Rows       ${[String(rows), countWords(counts)].filter((text) => text !== '').join(': ')}`,
    `Credits    ${atMost(spent, isExact, `${spent} spent`)}${doubt}`,
  ];
}

function fileLines(file: SweptFile, store: string | undefined): readonly string[] {
  const { path, summary, stopped, spent, movedTo } = file;
  const files = summary?.files;
  return [
    path,
    ...(summary === undefined
      ? []
      : [
          `  Batch      ${summary.batch}, ${counted(summary.rows, 'row')}: ${countWords(summary.counts)}`,
          `  Credits    ${atMost(spent, summary.money.isExact, `${spent} spent`)}`,
        ]),
    ...detail('Moved to', movedTo),
    ...detail('Output', files?.output),
    ...detail('Attention', files?.attention),
    ...(stopped === undefined ? [] : [`  Stopped    ${sentence(stopped.message)}`]),
    ...detail('Next', nextOf(file, store)),
  ];
}

function detail(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`  ${name.padEnd(11)}${value}`];
}

/** `2 matched, 1 invalid`. @param none the words for no row at all. */
export function countWords(counts: Counts, none = 'none settled yet'): string {
  const parts = OUTCOME_KINDS.flatMap((kind) => ((counts[kind] ?? 0) > 0 ? [`${counts[kind]} ${kind}`] : []));
  return parts.length === 0 ? none : parts.join(', ');
}

/** What the user should do about the file; undefined when there is nothing to do. */
function nextOf({ summary, stopped }: SweptFile, store: string | undefined): string | undefined {
  if (stopped !== undefined) return stopped.next;
  if (summary === undefined || (summary.counts.in_doubt ?? 0) === 0) return undefined;
  return commandLine(['settle', summary.batch, ...(store === undefined ? [] : ['--store', store])]);
}

interface Totals {
  readonly rows: number;
  readonly counts: Counts;
  readonly spent: number;
  readonly isExact: boolean;
  readonly inDoubt: number;
}

function totalsOf({ files }: SweepSummary): Totals {
  const summaries = files.flatMap(({ summary }) => summary ?? []);
  const counts: Partial<Record<OutcomeKind, number>> = {};
  for (const kind of OUTCOME_KINDS) {
    const count = sum(summaries.map((summary) => summary.counts[kind] ?? 0));
    if (count > 0) counts[kind] = count;
  }
  return {
    rows: sum(summaries.map(({ rows }) => rows)),
    counts,
    spent: sum(files.map(({ spent }) => spent)),
    isExact: files.every(isExact),
    inDoubt: sum(summaries.map(({ money }) => money.inDoubt)),
  };
}

function isExact({ spent, summary }: SweptFile): boolean {
  return spent === 0 || summary?.money.isExact !== false;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The one object of `nightly --json`. Credits spent are those of this sweep; counts are those of the batches. */
export function sweepObject(sweep: SweepSummary): object {
  const { rows, counts, spent, isExact, inDoubt } = totalsOf(sweep);
  const { stopped } = sweep;
  return {
    files: sweep.files.map(fileObject),
    left: sweep.left.map(({ path, why }) => ({ file: path, why })),
    rows,
    counts,
    credits: { spent, exact: isExact, in_doubt: inDoubt },
    stopped: stoppedObject(stopped),
  };
}

function fileObject(file: SweptFile): object {
  const { path, job, movedTo, summary, spent, stopped } = file;
  return {
    file: path,
    job,
    moved_to: movedTo ?? null,
    batch: summary?.batch ?? null,
    rows: summary?.rows ?? null,
    counts: summary?.counts ?? {},
    credits: { spent, exact: isExact(file), in_doubt: summary?.money.inDoubt ?? 0 },
    output: summary?.files.output ?? null,
    needs_attention: summary?.files.attention ?? null,
    ...present({ results: summary?.files.results }),
    stopped: stoppedObject(stopped),
  };
}
