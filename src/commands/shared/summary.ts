import { moneyWords } from '../../client/account/price.ts';
import { atMost, counted, linesOf, plainText } from '../../core/plain-text.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../../core/row.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { SampleObject } from '../../objects/plan-object.ts';
import type { RunSummary } from '../../run/summary.ts';
import { changesLines, missingIn } from './change-lines.ts';
import { timeWords } from './plan-lines.ts';

export function summaryLines(summary: RunSummary): readonly string[] {
  const { batch, rows, counts, requests, durationMs, files, changes, ...rest } = summary;
  const { sample } = rest;
  const settled = OUTCOME_KINDS.map((kind) => [kind, counts[kind] ?? 0] as const).filter(
    ([, count]) => count > 0,
  );
  const beyond = missingIn(changes);
  const pending = rows + beyond - settled.reduce((sum, [, count]) => sum + count, 0);
  return linesOf(
    `Batch ${batch}, ${counted(rows, 'row')}${beyond === 0 ? '' : `, and ${counted(beyond, 'person', 'people')} whom they do not name`}`,
    table([...settled, ...(pending > 0 ? [['pending', pending] as const] : [])]),
    changes && changesLines(changes),
    creditsLine(summary),
    `Requests   ${requests} in ${formatDuration(durationMs)}`,
    sample && sampleLines(sample),
    fileLine('Output', files.output),
    fileLine('Attention', files.attention),
    fileLine('Results', files.results),
    fileLine('Report', files.report),
  );
}

/** The line about credits. Changes usually cost nothing, and then there is no such line. */
function creditsLine({ money, spentNow, figures, changes }: RunSummary): string | undefined {
  const saved = figures?.saved;
  if (changes !== undefined && money.spent + money.inDoubt === 0) return undefined;
  const doubt = money.inDoubt > 0 ? `, ${money.inDoubt} in doubt` : '';
  const asked = saved === undefined ? '' : `, ${saved} saved by asking once`;
  const now = atMost(spentNow, money.isAtMost, `${spentNow} spent`);
  const all = atMost(money.spent, money.isAtMost, `${money.spent} in all`);
  const cost = !figures?.cost ? '' : ` (${moneyWords(figures.cost)})`;
  const spent = spentNow === money.spent ? now : `${now} in this run, ${all}`;
  return `Credits    ${spent}${cost}${doubt}${asked}`;
}

function table(counts: readonly (readonly [string, number])[]): readonly string[] {
  const width = Math.max(...counts.map(([, count]) => String(count).length), 1);
  return counts.map(([kind, count]) => `  ${kind.padEnd(9)} ${String(count).padStart(width)}`);
}

function fileLine(name: string, path: string | undefined): string | undefined {
  return path && `${name.padEnd(11)}${plainText(path)}`;
}

function sampleLines({ rows, matched, identifiers, forecast }: SampleObject): readonly string[] {
  const width = Math.max(...identifiers.map(({ name }) => name.length));
  return linesOf(
    `Sample     ${matched} of ${counted(rows, 'row')} matched`,
    identifiers.map(
      ({ name, asked, found }) =>
        `  ${name.padEnd(width)}  ${found} of ${asked} found, ${((found / asked) * 100).toFixed(0)} %`,
    ),
    forecast?.rows === 0 && 'Rest       nothing is left to buy',
    forecast !== null && forecast.rows > 0 && restLines(forecast),
  );
}

function restLines({
  rows,
  credits: { most, expected },
  seconds,
}: NonNullable<SampleObject['forecast']>): readonly string[] {
  return [
    `Rest       ${counted(rows, 'row')} to buy`,
    `  credits  at most ${most}, probably ${expected}`,
    `  time     ${timeWords(seconds)}`,
  ];
}

type Counts = Readonly<Partial<Record<OutcomeKind, number>>>;

/** `2 matched, 1 invalid`. @param none the words for no row at all. */
export function countWords(counts: Counts, none = 'none finished yet'): string {
  const parts = OUTCOME_KINDS.flatMap((kind) => ((counts[kind] ?? 0) > 0 ? [`${counts[kind]} ${kind}`] : []));
  return parts.length === 0 ? none : parts.join(', ');
}
