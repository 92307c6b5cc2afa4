import { formatDuration } from './duration.ts';
import { counted } from './plain-text.ts';
import type { Plan } from './plan.ts';

/** A plan, for a person and for `--json`. */

export function planLines(plan: Plan): readonly string[] {
  const { rows, invalid, duplicates, boughtBefore, inDoubt, toBuy, credits, seconds, reasons } = plan;
  const { tooOld = 0, sample } = plan;
  const counts: readonly (readonly [string, number])[] = [
    ['rows', rows],
    ['invalid', invalid],
    ['duplicates', duplicates],
    ['bought before', boughtBefore],
    ['in doubt', inDoubt],
    ['to buy', toBuy],
  ];
  const width = String(rows).length;
  const shown = counts.filter(([name, count]) => count > 0 || name === 'to buy');
  return [
    ...shown.map(([name, count]) => `  ${name.padEnd(14)} ${String(count).padStart(width)}`),
    ...(tooOld === 0
      ? []
      : [`  of them        ${String(tooOld).padStart(width)} again, their answers are too old`]),
    `  credits        at most ${credits.most}, probably ${credits.expected}`,
    ...(seconds === undefined || toBuy === 0
      ? []
      : [`  time           about ${formatDuration(seconds * 1000)}`]),
    ...(sample === undefined
      ? []
      : [`  this sample    ${counted(sample.rows, 'row')}, at most ${counted(sample.most, 'credit')}`]),
    ...reasons.slice(0, REASONS_SHOWN).map(reasonLine),
    ...(reasons.length > REASONS_SHOWN ? [`  and ${reasons.length - REASONS_SHOWN} other reasons`] : []),
  ];
}

const REASONS_SHOWN = 10;

function reasonLine({ reason, count, firstRows }: Plan['reasons'][number]): string {
  const more = count > firstRows.length ? ', …' : '';
  return `  row ${firstRows.join(', ')}${more}: ${reason}`;
}

/** The one object of `plan --json`. */
export function planObject({
  rows,
  invalid,
  duplicates,
  boughtBefore,
  inDoubt,
  toBuy,
  tooOld,
  credits,
  seconds,
}: Plan): object {
  return {
    rows,
    invalid,
    duplicates,
    bought_before: boughtBefore,
    in_doubt: inDoubt,
    to_buy: toBuy,
    ...(tooOld === undefined ? {} : { too_old: tooOld }),
    credits,
    seconds: seconds ?? null,
  };
}
