import { GOALS } from './goals.ts';
import type { Business, Machine } from './machine.ts';
import type { Line, Measured } from './measure.ts';

/** What a run of the bench found: as text for a terminal, and as JSON. */
export interface Report extends Measured {
  readonly at: string;
  /** The flags that the figures were made with. */
  readonly command: string;
  readonly machine: Machine;
  readonly before: Business;
  readonly after: Business;
}

const CONTESTANTS = ['contestant', 'rows', 'seconds', 'rows a second', 'processor a row', 'peak memory'];

export function tables({ figures, lines }: Measured): readonly string[] {
  const goals = figures.map(({ name, now }) => {
    const { what, must, goal } = GOALS[name];
    return [what, now, must, goal];
  });
  const first = tableOf(['measure', 'now', 'must', 'goal'], goals);
  if (lines.length === 0) return first;
  const costs = lines.map((line) => [line.measure, line.contestant, ...cells(line)]);
  return [...first, '', ...tableOf(['measure', ...CONTESTANTS], costs)];
}

/** A table as pages have them. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (each: readonly string[]): string => `| ${each.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function cells({ rows, cost }: Line): readonly string[] {
  const { seconds, processorSeconds, peakMiB } = cost;
  const whole = (count: number): string => Math.round(count).toLocaleString('en');
  return [
    ...[whole(rows), seconds.toFixed(2), whole(rows / seconds)],
    ...[`${((processorSeconds / rows) * 1000).toFixed(3)} ms`, `${peakMiB.toFixed(0)} MiB`],
  ];
}
