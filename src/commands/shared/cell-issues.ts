import { counted, foreignWords } from '../../core/plain-text.ts';
import type { CellIssueKind } from '../../files/quality/cell-issues.ts';
import type {
  DamagedCellObject,
  DamageObject,
  DuplicatesObject,
  RowsObject,
} from '../../objects/list-object.ts';
import type { JobDamageObject } from '../../objects/plan-object.ts';
import { formatAbn, readAbn } from '../../operations/lookup/abn.ts';

/** Words that follow a count: "3 in scientific notation". */
const WORDS: Readonly<Record<string, string>> = {
  scientific_notation: 'in scientific notation',
  number_format: 'written as a number',
  rounded: 'rounded by a spreadsheet, whose last digits are lost',
  lost_digit: 'of ten digits, so one is lost',
  lost_zero: 'without the zero in front',
  mistyped: 'with a wrong checksum',
  mojibake: 'once read in the wrong encoding',
  invisible_character: 'with invisible characters',
  wrapped_address: 'with more than the address',
  punctuation: 'with punctuation around',
  tracking: 'with tracking parameters',
} satisfies Record<CellIssueKind, string>;

/** `2 with more than the address: row 3, 7; such as Jo <jo@x.com> → jo@x.com`. */
export function findingWords({ kind, cure, examples, ...rows }: DamageObject): string {
  const [example] = examples.filter((each) => cure !== 'repair' || each.repaired !== undefined);
  const what = `${rows.count} ${WORDS[kind]}: ${rowWords(rows)}`;
  return example === undefined ? what : `${what}${exampleWords(example)}`;
}

function rowWords({ count, first_rows: rows }: RowsObject): string {
  return `row ${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
}

const LONGEST_SHOWN = 60;

function exampleWords({ cell, repaired, candidates }: DamagedCellObject): string {
  if (repaired !== undefined) return `; such as ${shortened(cell.trim())} → ${shortened(repaired)}`;
  if (candidates === undefined) return `; such as ${shortened(cell.trim())}`;
  return `; such as ${shortened(cell.trim())}, perhaps ${candidates.map(grouped).join(' or ')}`;
}

/** Eleven digits are an ABN; a telephone number of so many begins with its international code. */
function grouped(candidate: string): string {
  return readAbn(candidate).kind === 'usable' ? formatAbn(candidate) : candidate;
}

function shortened(text: string): string {
  return foreignWords(text, LONGEST_SHOWN);
}

/** The lines below the plan of a job. */
export function jobDamageLines(
  damage: readonly JobDamageObject[],
  repairableRows: number,
  repairs: boolean,
): readonly string[] {
  const found = damage.map((each) => `  damage         ${each.column}: ${findingWords(each)}`);
  const rows = counted(repairableRows, 'row');
  if (repairs) return [...found, `  repaired       ${rows}`];
  return repairableRows === 0 ? found : [...found, `  --repair       would repair what is sent for ${rows}`];
}

export function duplicateLines({ same }: DuplicatesObject): readonly string[] {
  return same.count === 0
    ? []
    : [`duplicates ${counted(same.count, 'row')} the same as an earlier row: ${rowWords(same)}`];
}
