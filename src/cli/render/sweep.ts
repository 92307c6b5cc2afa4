import { commandLine } from '../../core/command-line.ts';
import { present } from '../../core/objects.ts';
import { counted, plainText, sentence } from '../../core/plain-text.ts';
import { OUTCOME_KINDS, type OutcomeKind } from '../../core/row.ts';
import type { SweepSummary, SweptFile } from '../../run/nightly.ts';
import { stoppedObject } from '../shell/console.ts';

/** Shows the summary of a sweep, for a person and for `--json`. */

type Counts = Readonly<Partial<Record<OutcomeKind, number>>>;

export function sweepLines(sweep: SweepSummary, store: string | undefined): readonly string[] {
  const { files, left } = sweep;
  const { rows, counts, spent, inDoubt } = totalsOf(sweep);
  const doubt = inDoubt > 0 ? `, ${inDoubt} in doubt` : '';
  return [
    ...files.flatMap((file) => fileLines(file, store)),
    ...left.map(({ path, why }) => `Left       ${path}: ${why}`),
    `Files      ${files.length} done or tried, ${left.length} left`,
    `Rows       ${[String(rows), countsText(counts)].filter((text) => text !== '').join(': ')}`,
    `Credits    ${spent} spent${doubt}`,
  ].map(plainText);
}

function fileLines(file: SweptFile, store: string | undefined): readonly string[] {
  const { path, summary, stopped, spent, movedTo } = file;
  const files = summary?.files;
  return [
    path,
    ...(summary === undefined
      ? []
      : [
          `  Batch      ${summary.batch}, ${counted(summary.rows, 'row')}: ${countsText(summary.counts)}`,
          `  Credits    ${spent} spent`,
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

function countsText(counts: Counts): string {
  const parts = OUTCOME_KINDS.flatMap((kind) => ((counts[kind] ?? 0) > 0 ? [`${counts[kind]} ${kind}`] : []));
  return parts.length === 0 ? 'none settled yet' : parts.join(', ');
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
    inDoubt: sum(summaries.map(({ money }) => money.inDoubt)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The one object of `nightly --json`. Credits spent are those of this sweep; counts are those of the batches. */
export function sweepObject(sweep: SweepSummary): object {
  const { rows, counts, spent, inDoubt } = totalsOf(sweep);
  const { stopped } = sweep;
  return {
    files: sweep.files.map(fileObject),
    left: sweep.left.map(({ path, why }) => ({ file: path, why })),
    rows,
    counts,
    credits: { spent, in_doubt: inDoubt },
    stopped: stopped === undefined ? null : stoppedObject(stopped),
  };
}

function fileObject({ path, job, movedTo, summary, spent, stopped }: SweptFile): object {
  return {
    file: path,
    job,
    moved_to: movedTo ?? null,
    batch: summary?.batch ?? null,
    rows: summary?.rows ?? null,
    counts: summary?.counts ?? {},
    credits: { spent, in_doubt: summary?.money.inDoubt ?? 0 },
    output: summary?.files.output ?? null,
    needs_attention: summary?.files.attention ?? null,
    ...present({ results: summary?.files.results }),
    stopped: stopped === undefined ? null : stoppedObject(stopped),
  };
}
