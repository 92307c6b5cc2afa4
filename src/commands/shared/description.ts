import { counted, linesOf } from '../../core/plain-text.ts';
import type { CellLook } from '../../files/columns/column-kind.ts';
import { columnFlag, guessWords } from '../../files/columns/columns.ts';
import type { ListDescription, OperationFit } from '../../objects/list-object.ts';
import { duplicateLines, findingWords } from './cell-issues.ts';

const LOOKS: Readonly<Record<string, string>> = {
  ABN: 'an ABN',
  'e-mail': 'an e-mail address',
  website: 'a website',
  date: 'a date',
  phone: 'a telephone number',
  number: 'a number',
  text: 'text',
  blank: 'a blank cell',
} satisfies Record<CellLook | 'blank', string>;

export function descriptionLines(
  path: string,
  { rows, encoding, delimiter, columns, duplicates, operations, unreadable }: ListDescription,
): readonly string[] {
  const width = Math.max(...columns.map(({ name }) => name.length));
  // Nothing stands between the cells of a workbook, or of JSON lines.
  const separated = delimiter === 'cells' ? [] : [`separated by ${delimiter}`];
  return linesOf(
    `${path}: ${[counted(rows, 'row'), counted(columns.length, 'column'), encoding, ...separated].join(', ')}`,
    columns.flatMap(({ name, looks_like: looks, filled, examples, odd, damage }) =>
      linesOf(
        `  ${name.padEnd(width)}  ${looks.padEnd(7)}${filledWords(filled, examples)}`,
        odd.count > 0 &&
          `  ${' '.repeat(width)}  ${odd.count} ${odd.count === 1 ? 'does' : 'do'} not look like ${LOOKS[looks]}: row ${odd.first_rows.join(', ')}`,
        damage.map((finding) => `  ${' '.repeat(width)}  ${findingWords(finding)}`),
      ),
    ),
    unreadableLines(unreadable),
    duplicateLines(duplicates),
    fitLines(operations),
  );
}

function unreadableLines({ count, first }: ListDescription['unreadable']): readonly string[] {
  if (count === 0) return [];
  const more = count - first.length;
  return [
    `unreadable ${counted(count, 'row')}, which a run sets aside as invalid and --strict refuses:`,
    ...first.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(more === 0 ? [] : [`  and ${counted(more, 'other')}`]),
  ];
}

/** How many cells are filled; nothing for a column that is blank, because its kind says so already. */
function filledWords(filled: number, examples: readonly string[]): string {
  return filled === 0 ? '' : `  ${filled} filled, such as ${examples.join(' | ')}`;
}

// ---------------------------------------------------------------------------------------------------- operations

function fitLines(fits: readonly OperationFit[]): readonly string[] {
  const sure = fits.filter(({ problem }) => problem === null);
  const likely = fits.filter((fit) => mayFit(fit));
  // All operations that do not fit share one line, because they are many; `--json` has the reasons.
  const others = fits.filter((fit) => fit.problem !== null && !mayFit(fit));
  return linesOf(
    sure.flatMap((fit) => [line('fits', `${fit.operation}: ${sureWords(fit)}`), ...likelyLines(fit)]),
    likely.flatMap((fit) => [line('may fit', `${fit.operation}, ${NOT_BY_ITSELF}`), ...likelyLines(fit)]),
    others.length > 0 && line('does not fit', others.map(({ operation }) => operation).join(', ')),
  );
}

const NOT_BY_ITSELF = 'if you choose the columns';

function mayFit({ problem, likely }: OperationFit): boolean {
  return problem !== null && likely.length > 0;
}

function sureWords({ columns, because }: OperationFit): string {
  return guessWords({ columns, because: new Map(Object.entries(because)) });
}

function likelyLines({ likely }: OperationFit): readonly string[] {
  const [first] = likely;
  if (first === undefined) return [];
  const words = likely.map(({ input, column, because }) => `${input} ← ${column} (${because})`);
  return [line('', `likely: ${words.join(', ')}`), line('', `if so:  ${columnFlag(first)}`)];
}

function line(label: string, words: string): string {
  return `${label.padEnd(13)} ${words}`;
}
