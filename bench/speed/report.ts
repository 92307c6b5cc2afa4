import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GOALS } from './goals.ts';
import { type Business, businessWords, type Machine, machineWords } from './machine.ts';
import type { Line, Measured } from './measure.ts';

/** What a run of the bench found: as text for a terminal, as the same text in the page of figures, and as JSON. */
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

const FIGURES = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'speed.md');
const BEGIN = '<!-- speed -->';
const END = '<!-- end of speed -->';

/** Puts the tables into the page of figures, instead of those of an earlier run. */
export function writeFigures(report: Report): void {
  const page = readFileSync(FIGURES, 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${FIGURES} has no place for the figures of speed`);
  const { command, at, machine, before, after } = report;
  const told = machineWords(machine).replaceAll('\n', '. ');
  const busy = `before: ${businessWords(before)}; after: ${businessWords(after)}`;
  const text = [`\`${command}\`, ${at.slice(0, 10)}, ${busy}. ${told}.`, '', ...tables(report)];
  writeFileSync(
    FIGURES,
    `${page.slice(0, begin + BEGIN.length)}\n\n${text.join('\n')}\n\n${page.slice(end)}`,
  );
}
