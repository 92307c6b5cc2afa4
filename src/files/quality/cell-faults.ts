import { type Code, problemWords } from '../../core/cell-problems.ts';
import type { Sheet } from '../../core/format.ts';
import { present } from '../../core/objects.ts';
import type { Operation } from '../../core/operation.ts';
import { grouped } from '../../core/plain-text.ts';
import type { Reading } from '../../core/reading.ts';
import { FIRST_ROWS_SHOWN, type InputRow, type RowNumber } from '../../core/row.ts';
import { inputOf } from '../../core/steps.ts';
import type { CellFaultObject, ColumnFaultsObject } from '../../objects/list-object.ts';
import type { KindName } from '../../values/kind.ts';
import { problemOf, readAs } from '../../values/kinds.ts';
import type { CellIssueKind } from '../../values/mend.ts';
import { lostDigitChoices } from '../../values/number.ts';
import type { ReadTerms } from '../../values/reading.ts';
import { acnInputs, kindByName, kindOfInput } from '../columns/column-kind.ts';
import { readContent } from '../columns/columns.ts';
import { DAMAGE_WORDS, type IssueOf, issuesAsRead } from './job-issues.ts';
import { NearHosts, nearWords } from './near-hosts.ts';

/**
 * What is wrong with each cell of a list, by the rules by which a row is read before it is asked: a cell that
 * is mended is judged as it was before. What can be known of a cell's first form is offered, and nothing is
 * mended here.
 */

/** A wrong cell, and what it is wrong by: damage of that kind, or `not` a value of its column. */
export interface CellFault extends CellFaultObject {
  readonly kind: CellIssueKind | 'not';
}

export interface JudgedColumn {
  readonly name: string;
  /** Its place in a row. */
  readonly at: number;
  readonly kind: KindName;
  /** Undefined for a cell that is right or blank. */
  faultOf(cell: string): CellFault | undefined;
}

/** By what the cells of a list are asked, and what its job says of them. */
export interface AskedBy extends Omit<ReadTerms, 'acnIn'> {
  /** Input ← column. */
  readonly columns: Readonly<Record<string, string>>;
}

/**
 * The columns with cells that can be judged. Identifiers of the lookup are judged as strictly as by a run.
 * Columns that hold addresses or numbers, by name or cells, are judged where a cell has something else
 * altogether.
 * @throws StopError `input` where the file is damaged, as `issuesAsRead` for the reading.
 */
export async function judgedColumns(
  sheet: Pick<Sheet, 'header' | 'groups'>,
  reading: Reading,
  { columns, ...terms }: AskedBy,
  operations: Iterable<Operation>,
): Promise<readonly JudgedColumn[]> {
  const header = await sheet.header();
  const known = [...operations];
  const issueOf = await issuesAsRead(reading);
  const content = await readContent(sheet, header.length);
  const inputs = Object.entries(columns);
  const readTerms: ReadTerms = { ...terms, acnIn: acnInputs(columns) };
  return header.flatMap((name, at): JudgedColumn | readonly JudgedColumn[] => {
    const fed = inputs.flatMap(([input, column]) => (column === name ? inputOf(input) : []));
    const inputKind = fed.map(kindOfInput).find((each) => each !== undefined);
    if (inputKind !== undefined) {
      const faultOf = STRICT.has(inputKind)
        ? strictly(inputKind, issueOf, readTerms)
        : ifMeant(inputKind, issueOf);
      return { name, at, kind: inputKind, faultOf };
    }
    const kind = kindByName(name, known) ?? content.kind(at);
    return STRICT.has(kind) ? { name, at, kind, faultOf: leniently(kind, issueOf) } : [];
  });
}

type FaultOf = JudgedColumn['faultOf'];

/** Kinds whose values have a form. Nearly any text may be a name. */
const STRICT: ReadonlySet<KindName> = new Set([
  'abn',
  'email',
  'website',
  'domain',
  'profile_url',
  'profile_slug',
  'phone',
  'number',
]);

/** A cell by which a row should be asked, and cannot be as it is. */
const strictly =
  (kind: KindName, issueOf: IssueOf, terms: ReadTerms): FaultOf =>
  (cell) => {
    const readValue = readAs(kind, cell, terms);
    return readValue?.kind === 'unusable' ? faultIn(kind, cell, issueOf, readValue) : undefined;
  };

/** A cell that no one is asked by: only where it is surely damaged, or something else altogether. */
const leniently =
  (kind: KindName, issueOf: IssueOf): FaultOf =>
  (cell) => {
    const readValue = readAs(kind, cell);
    if (readValue?.kind !== 'unusable') return undefined;
    const fault = faultIn(kind, cell, issueOf, readValue);
    return fault.meant !== undefined || kind === 'abn' || problemOf(cell, kind) ? fault : undefined;
  };

/** A name is wrong where it is known what it was. */
const ifMeant =
  (kind: KindName, issueOf: IssueOf): FaultOf =>
  (cell) => {
    const issue = issueOf(kind, cell);
    if (issue?.repaired === undefined) return undefined;
    return { kind: issue.kind, says: DAMAGE_WORDS[issue.kind], meant: [issue.repaired] };
  };

function faultIn(
  kind: KindName,
  cell: string,
  issueOf: IssueOf,
  problem: { readonly code: Code; readonly about?: string },
): CellFault {
  const issue = issueOf(kind, cell);
  const choices = issue?.repaired === undefined ? lostDigitsIn(kind, cell) : [issue.repaired];
  const meant = choices.length === 0 ? undefined : [...choices];
  const says = problem.code === 'wrong_length' ? `${problem.about} digits of 11` : problemWords(problem);
  return { kind: meant === undefined ? 'not' : (issue?.kind ?? 'not'), says, ...present({ meant }) };
}

const lostDigitsIn = (kind: KindName, cell: string): readonly string[] =>
  kind === 'abn' ? lostDigitChoices(cell) : [];

// -------------------------------------------------------------------------------------------------- counting

/** What values of a kind are called: one, and several. */
const CALLED: { readonly [Kind in KindName]?: readonly [one: string, several: string] } = {
  abn: ['an ABN', 'ABNs'],
  email: ['an e-mail', 'e-mails'],
  website: ['a website', 'websites'],
  domain: ['a website', 'websites'],
  profile_url: ['a profile', 'profiles'],
  profile_slug: ['a profile', 'profiles'],
  phone: ['a phone number', 'phone numbers'],
  number: ['a register number', 'register numbers'],
};

/** The rows with a wrong cell in a column. */
interface Wrong {
  readonly column: JudgedColumn;
  /** Those with a known right value, and what is wrong with each. */
  readonly meant: RowNumber[];
  readonly kinds: Set<CellFault['kind']>;
  readonly others: RowNumber[];
  readonly hosts: NearHosts;
}

/** The wrong cells of a list, in memory that grows with these alone. */
export class FaultTally {
  readonly #wrong: readonly Wrong[];

  constructor(columns: readonly JudgedColumn[]) {
    this.#wrong = columns.map((column) => {
      return { column, meant: [], kinds: new Set(), others: [], hosts: new NearHosts() };
    });
  }

  add({ row, cells, unreadable }: InputRow): void {
    // It is not known which of its cells stands below which name.
    if (unreadable !== undefined) return;
    for (const { column, meant, kinds, others, hosts } of this.#wrong) {
      const cell = cells[column.at] ?? '';
      const fault = column.faultOf(cell);
      if (fault === undefined) {
        if (column.kind === 'email') hosts.add(row, cell);
      } else if (fault.meant === undefined) others.push(row);
      else {
        meant.push(row);
        kinds.add(fault.kind);
      }
    }
  }

  /** The columns that have any, in the order of the list. */
  columns(): ColumnFaultsObject[] {
    return this.#wrong
      .map((each) => ({ ...each, near: each.hosts.found() }))
      .filter(({ meant, others, near }) => meant.length + others.length + near.length > 0)
      .map(({ column: { name, kind }, meant, kinds, others, near }) => ({
        column: name,
        ...(meant.length > 0 && { meant: alike(meant, meantWords(kinds)) }),
        ...(others.length > 0 && { others: alike(others, otherWords(kind, others.length)) }),
        ...(near.length > 0 && {
          near: {
            ...alike(
              near.map(({ row }) => row),
              '',
            ),
            says: nearWords(near),
          },
        }),
      }));
  }

  /** The rows with a wrong cell in that column. */
  rowsIn(column: string, which: 'meant' | 'others' | 'near'): readonly RowNumber[] {
    const wrong = this.#wrong.find((each) => each.column.name === column);
    return (which === 'near' ? wrong?.hosts.found().map(({ row }) => row) : wrong?.[which]) ?? [];
  }
}

/** `10 lost a digit`. */
const alike = (rows: readonly RowNumber[], words: string): ColumnFaultsObject['meant'] & object => ({
  says: `${grouped(rows.length)} ${words}`,
  count: rows.length,
  first_rows: rows.slice(0, FIRST_ROWS_SHOWN),
});

function meantWords(kinds: ReadonlySet<CellFault['kind']>): string {
  const [kind = 'not', ...others] = kinds;
  if (kind === 'not' || others.length > 0) return 'can be mended';
  return kind === 'lost_digit' ? 'lost a digit' : DAMAGE_WORDS[kind];
}

function otherWords(kind: KindName, count: number): string {
  const [one, several] = CALLED[kind] ?? ['right', 'right'];
  return count === 1 ? `is not ${one}` : `are not ${several}`;
}
