import { stringify } from 'yaml';
import { guessWords } from '../../files/columns/columns.ts';
import type { FileDescription } from '../../files/describe-file.ts';

type Fit = FileDescription['operations'][number];

/** Shows which operations a file fits, for a person and for `--json`. */

export function fitLines(fits: readonly Fit[]): readonly string[] {
  const sure = fits.filter(({ problem }) => problem === undefined);
  const likely = fits.filter((fit) => mayFit(fit));
  // All operations that do not fit share one line, because they are many; `--json` has the reasons.
  const others = fits.filter((fit) => fit.problem !== undefined && !mayFit(fit));
  return [
    ...sure.flatMap((fit) => [line('fits', `${fit.operation}: ${sureWords(fit)}`), ...likelyLines(fit)]),
    ...likely.flatMap((fit) => [line('may fit', `${fit.operation}, ${NOT_BY_ITSELF}`), ...likelyLines(fit)]),
    ...(others.length === 0
      ? []
      : [line('does not fit', others.map(({ operation }) => operation).join(', '))]),
  ];
}

const NOT_BY_ITSELF = 'when a job says so';

function mayFit({ problem, likely }: Fit): boolean {
  return problem !== undefined && likely.length > 0;
}

function sureWords({ columns, because }: Fit): string {
  return guessWords({ columns, because: new Map(Object.entries(because)) });
}

function likelyLines({ columns, likely }: Fit): readonly string[] {
  const [first] = likely;
  if (first === undefined) return [];
  const words = likely.map(({ input, column, because }) => `${input} ← ${column} (${because})`);
  const entry = { columns: { ...columns, [first.input]: first.column } };
  const yaml = stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trim().slice(1, -1).trim();
  return [line('', `likely: ${words.join(', ')}`), line('', `in the job, if so:  ${yaml}`)];
}

function line(label: string, words: string): string {
  return `${label.padEnd(13)} ${words}`;
}

export function fitObject({ operation, columns, because, likely, problem }: Fit): object {
  return { operation, columns, because, likely, problem: problem ?? null };
}
