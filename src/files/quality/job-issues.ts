import type { FactsOf } from '../../core/findings.ts';
import { present } from '../../core/objects.ts';
import type { NullNames, Operation, Prepared, RowInput } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Reading } from '../../core/reading.ts';
import { type InputRow, RowCount, type RowNumber } from '../../core/row.ts';
import { inputOf } from '../../core/steps.ts';
import type { Job } from '../../job/job.ts';
import type { DamageObject } from '../../objects/list-object.ts';
import type { BlankWordObject, PlanObject, RedirectObject } from '../../objects/plan-object.ts';
import { isBlankCell } from '../../values/blank.ts';
import { numbersAsRead } from '../../values/country-numbers.ts';
import { isRole } from '../../values/email.ts';
import type { KindName } from '../../values/kind.ts';
import { askedBehind, cellIssueOf, isFilled } from '../../values/kinds.ts';
import type { CellIssue, CellIssueKind } from '../../values/mend.ts';
import { kindOfFilled, kindOfInput } from '../columns/column-kind.ts';
import type { ColumnMap } from '../columns/columns.ts';
import { NearHosts } from './near-hosts.ts';

/** Tells the damage of a cell in a list that is read as was said. */
export type IssueOf = (kind: KindName, cell: string) => CellIssue | undefined;

/** The columns of a list that is read, and what is damage in them. */
export interface InputColumns extends ColumnMap {
  readonly header: readonly string[];
  readonly issueOf: IssueOf;
  readonly nullNames: NullNames;
}

/** @throws StopError as `numbersAsRead`. */
export async function issuesAsRead(reading: Reading): Promise<IssueOf> {
  const numbers = await numbersAsRead(reading);
  return (kind, cell) => cellIssueOf(kind, cell, numbers);
}

/** What follows a count of damaged cells. */
export const DAMAGE_WORDS: Readonly<Record<CellIssueKind, string>> = {
  scientific_notation: 'in scientific notation',
  number_format: 'written as a number',
  rounded: 'rounded, so that the last digits are lost',
  lost_digit: 'of ten digits, so one is lost',
  lost_zero: 'without the zero in front',
  mistyped: 'with a wrong checksum',
  near_host: 'at a domain that may be mistyped',
  mojibake: 'with letters of a wrong encoding',
  invisible_character: 'with invisible characters',
  wrapped_address: 'with more than the address',
  punctuation: 'with punctuation around',
  sheet_value: 'that a spreadsheet took for a date, a truth value or a number',
  misspelled: 'with other signs than an address has',
  entities: 'with signs of a web page, such as &amp;',
  pronouns: 'with pronouns beside the name',
  tracking: 'with a tail that tracks readers',
};

const MOST_EXAMPLES = 3;

class IssueCount extends RowCount {
  repairable = 0;
  readonly examples: DamageObject['examples'] = [];
}

/** The issues of one column, in memory that does not grow with its rows. */
export class IssueTally {
  readonly #kind: KindName;
  readonly #issueOf: IssueOf;
  readonly #counts = new Map<CellIssueKind, IssueCount>();
  readonly #hosts = new NearHosts();

  constructor(kind: KindName, issueOf: IssueOf) {
    this.#kind = kind;
    this.#issueOf = issueOf;
  }

  add(row: RowNumber, cell: string): CellIssue | undefined {
    const issue = this.#issueOf(this.#kind, cell);
    if (issue !== undefined) this.#count(row, cell, issue);
    else if (this.#kind === 'email') this.#hosts.add(row, cell);
    return issue;
  }

  #count(row: RowNumber, cell: string, { kind, repaired }: CellIssue): void {
    const found = this.#counts.get(kind) ?? new IssueCount();
    this.#counts.set(kind, found);
    found.add(row);
    if (repaired !== undefined) found.repairable += 1;
    if (found.examples.length < MOST_EXAMPLES) found.examples.push({ row, cell, ...present({ repaired }) });
  }

  /** The more frequent first. */
  findings(): DamageObject[] {
    this.#counts.delete('near_host');
    for (const { row, cell } of this.#hosts.found()) this.#count(row, cell, { kind: 'near_host' });
    return [...this.#counts]
      .map(([kind, found]): DamageObject => ({ kind, words: DAMAGE_WORDS[kind], ...found }))
      .sort((a, b) => b.count - a.count);
  }
}

/** What a row says of a cell that it leaves out is not asked. */
const askedWords = (prepared: Prepared<unknown>): string =>
  JSON.stringify(prepared, (key, value) => (key === 'remark' ? undefined : value));

/** What a plan says of the cells, in its words. */
interface JobIssues extends Pick<PlanObject, 'damage' | 'blank_words' | 'role_addresses' | 'redirects'> {
  readonly repairableRows: number;
}

/** A column with cells that decide what is asked. */
interface DecidingColumn {
  readonly column: string;
  /** Its position in the list. */
  readonly at: number;
  readonly isBlank: (cell: string, row: RowInput) => boolean;
}

function decidingColumns(
  { header, columns, nullNames }: Pick<InputColumns, 'header' | 'columns' | 'nullNames'>,
  { operation, add = {}, on_existing: onExisting }: Pick<Job, 'operation' | 'add' | 'on_existing'>,
): readonly DecidingColumn[] {
  const askedInputs = Object.entries(columns).map(([input, column]) => {
    const { countsAsBlank } = operation.inputs.find(({ name }) => name === input) ?? {};
    const step = input.slice(0, -inputOf(input).length);
    const isBlank = (cell: string, row: RowInput): boolean =>
      countsAsBlank === undefined
        ? isBlankCell(cell, kindOfInput(input))
        : countsAsBlank(cell, (other) => row[step + other], nullNames);
    return { column, isBlank };
  });
  const filled = Object.entries(onExisting === 'fill' ? add : {}).map(([column, path]) => {
    const kind = kindOfFilled(column, path);
    return { column, isBlank: (cell: string) => !isFilled(cell, kind) };
  });
  const names = header.map((name) => name.toLowerCase());
  const all = [...askedInputs, ...filled].map((each) => ({
    ...each,
    at: names.indexOf(each.column.toLowerCase()),
  }));
  return [...new Map(all.filter(({ at }) => at >= 0).map((each) => [each.at, each])).values()];
}

/** Different spellings of words for nothing that are kept. */
const MOST_WORDS = 100;

/** The words for nothing in the deciding columns, in memory that does not grow with the rows. */
class BlankTally {
  readonly #columns: readonly DecidingColumn[];
  readonly #words = new Map<
    string,
    { readonly column: string; readonly word: string; readonly count: RowCount }
  >();

  constructor(columns: readonly DecidingColumn[]) {
    this.#columns = columns;
  }

  /** @param text the cells by the inputs that they feed. */
  add({ row, cells }: InputRow, text: RowInput): void {
    for (const { column, at, isBlank } of this.#columns) {
      const word = cells[at]?.trim() ?? '';
      if (word === '' || !isBlank(word, text)) continue;
      const key = `${at} ${word}`;
      const found = this.#words.get(key) ?? { column, word: foreignWords(word), count: new RowCount() };
      found.count.add(row);
      if (this.#words.size < MOST_WORDS) this.#words.set(key, found);
    }
  }

  /** Undefined where there is none. */
  all(): BlankWordObject[] | undefined {
    if (this.#words.size === 0) return undefined;
    return [...this.#words.values()]
      .map(({ column, word, count }) => ({ column, word, ...count }))
      .sort((one, other) => other.count - one.count);
  }
}

/** The redirects in one column. */
class RedirectTally {
  readonly #column: string;
  readonly #kind: KindName;
  readonly #rows = new RowCount();
  #first: Pick<RedirectObject, 'cell' | 'asked'> | undefined;

  constructor(column: string, kind: KindName) {
    this.#column = column;
    this.#kind = kind;
  }

  add(row: RowNumber, cell: string): void {
    const identifier = askedBehind(this.#kind, cell);
    if (identifier === undefined) return;
    this.#first ??= { cell, asked: identifier };
    this.#rows.add(row);
  }

  found(): readonly RedirectObject[] {
    return this.#first === undefined ? [] : [{ column: this.#column, ...this.#first, ...this.#rows }];
  }
}

const LINKS: readonly KindName[] = ['website', 'domain', 'profile_url'];

/**
 * The file need not be read twice: each row is counted when the returned columns read it, once.
 * @param prepare what a row would be asked by; a repair that alters nothing of it repairs nothing.
 */
export function watchIssues(
  columns: InputColumns,
  job: Pick<Job, 'operation' | 'add' | 'on_existing'>,
  prepare: (row: RowInput) => Prepared<unknown>,
): { readonly watched: InputColumns; found(): JobIssues } {
  const tallies = Object.entries(columns.columns).flatMap(([input, column]) => {
    const kind = kindOfInput(input);
    return kind === undefined ? [] : [{ input, column, tally: new IssueTally(kind, columns.issueOf) }];
  });
  const redirects = Object.entries(columns.columns).flatMap(([input, column]) => {
    const kind = kindOfInput(input);
    const isOfLinks = kind !== undefined && LINKS.includes(kind);
    return isOfLinks ? [{ input, tally: new RedirectTally(column, kind) }] : [];
  });
  const blanks = new BlankTally(decidingColumns(columns, job));
  const addresses = Object.keys(columns.columns).filter((input) => kindOfInput(input) === 'email');
  const roles = new RowCount();
  let repairableRows = 0;
  let last = 0;
  const isCured = (row: RowInput): boolean => {
    const repaired = prepare(repairedRow(job.operation, row, columns.issueOf).text);
    return repaired.kind === 'ready' && askedWords(repaired) !== askedWords(prepare(row));
  };
  const read: ColumnMap['read'] = (row) => {
    const text = columns.read(row);
    // A list that is planned again is read again.
    if (row.row <= last) return text;
    last = row.row;
    blanks.add(row, text);
    if (addresses.some((input) => isRole((text[input] ?? '').trim().toLowerCase()))) roles.add(row.row);
    for (const { input, tally } of redirects) tally.add(row.row, text[input] ?? '');
    const issues = tallies.map(({ input, tally }) => tally.add(row.row, text[input] ?? ''));
    if (issues.some((issue) => issue?.repaired !== undefined) && isCured(text)) repairableRows += 1;
    return text;
  };
  return {
    watched: { ...columns, read },
    found() {
      const damage = tallies.flatMap(({ input, column, tally }) =>
        tally.findings().map((found) => ({ input, column, ...found })),
      );
      const role_addresses = roles.count === 0 ? undefined : { ...roles };
      const behind = redirects.flatMap(({ tally }) => tally.found());
      return {
        damage,
        repairableRows,
        ...(behind.length > 0 && { redirects: behind }),
        ...present({ blank_words: blanks.all(), role_addresses }),
      };
    },
  };
}

/**
 * Only sure damage is repaired, and only in requests: the cells of the file come back as they are, and the
 * reason of each such row says how its cells were read.
 */

/** The row as it is to be sent. `cells`: what its repaired cells were read as, by their inputs. */
export function repairedRow(
  { inputs }: Pick<Operation, 'inputs'>,
  row: RowInput,
  issueOf: IssueOf = cellIssueOf,
): { readonly text: RowInput; readonly cells: FactsOf<'repaired'>['cells'] } {
  const cells: FactsOf<'repaired'>['cells'] = [];
  let text = row;
  for (const { name } of inputs) {
    const kind = kindOfInput(name);
    if (kind === undefined) continue;
    const { repaired } = issueOf(kind, row[name] ?? '') ?? {};
    if (repaired === undefined) continue;
    text = { ...text, [name]: repaired };
    cells.push({ input: inputOf(name), value: repaired });
  }
  return { text, cells };
}
