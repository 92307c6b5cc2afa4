import { stringify } from 'csv-stringify/sync';
import { type AnswerPlace, jsonIn, parsedResultsOf, placeOfAnswer } from '../../core/answer-body.ts';
import type { Sheet } from '../../core/format.ts';
import type { JsonValue } from '../../core/operation.ts';
import { statusColumn } from '../../core/our-columns.ts';
import { needsPerson, reasonOf } from '../../core/outcome.ts';
import { ATTENTION_COLUMNS, type InputRow, isSetAside } from '../../core/row.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';
import type { CellSafety } from '../../lib/formulas.ts';
import { cellText, FieldSurvey, isPlain, wholeFields } from '../../values/answer-fields.ts';
import { PART_ROWS, recordParts, rowMaker } from '../kept-rows.ts';
import { type Additions, automaticAddition, type CellWriter, FreeNames } from './added-columns.ts';
import type { Matching } from './match.ts';
import { shownAnswers } from './shown-answer.ts';

/**
 * The file of results, for operations where one row finds many. It has one line for each member of the lists
 * in the answers, with the number and the own cells of the row that asked. It is made of the ledger alone and
 * comes out the same every time. The ledger is read twice, once for the columns and once for the lines, so
 * that memory does not grow with the results.
 */

type Rows = Pick<LedgerReader, 'rows'>;

interface FoundResults {
  readonly count: number;
  /** Fields that any result has, in the order in which they first appear. */
  readonly fields: readonly string[];
}

const [ROW] = ATTENTION_COLUMNS;

export async function surveyResults(ledger: Rows, batch: Batch, place: AnswerPlace): Promise<FoundResults> {
  const survey = new FieldSurvey();
  for await (const part of resultParts(ledger, batch, place)) {
    for (const result of part.flatMap(({ results }) => results)) survey.add(fieldsOf(result));
  }
  return { count: survey.answers, fields: survey.names };
}

/**
 * Writes the results. Each line ends with the cells of the row that asked. Their names get `input_` in front
 * where a column of the result has the same name.
 * @param dropped columns that are not repeated: those that an earlier output added.
 */
export async function* resultsCopy(
  ledger: Rows & Pick<LedgerReader, 'cellsOf'>,
  batch: Batch,
  place: AnswerPlace,
  { fields }: FoundResults,
  mark: string,
  safety: CellSafety,
  dropped: ReadonlySet<string>,
): AsyncIterable<Buffer> {
  const { columns } = automaticAddition([ROW], fields, safety);
  const names = [ROW, ...columns.map(({ name }) => name)];
  const free = new FreeNames(names);
  const repeated = batch.header.flatMap((column, at) =>
    dropped.has(column) ? [] : [{ name: free.take(column, 'input_'), at }],
  );
  yield Buffer.from(mark + linesOf([[...names, ...repeated.map(({ name }) => name)]]));
  for await (const part of resultParts(ledger, batch, place)) {
    const numbers = part.map(({ row }) => row);
    const asking = await ledger.cellsOf(batch.id, numbers);
    const lines = part.flatMap(({ row, results }) => {
      const repeatedCells = repeated.map(({ at }) => asking.get(row)?.cells[at] ?? '');
      return results.map((result) => [
        String(row),
        ...resultCells(result, fields).map(safety),
        ...repeatedCells,
      ]);
    });
    yield Buffer.from(linesOf(lines));
  }
}

/** The results of each row that has some, also where a later part of a row is in doubt. */
async function* resultParts(ledger: Rows, batch: Batch, place: AnswerPlace) {
  for await (const part of recordParts(ledger, batch.id, PART_ROWS.lists)) {
    const found = part.map((record) => ({ row: record.row, results: resultsIn(record, place) }));
    yield found.filter(({ results }) => results.length > 0);
  }
}

export function resultsIn({ answers }: RowRecord, place: AnswerPlace): readonly JsonValue[] {
  return shownAnswers(answers).flatMap(
    ({ body, call, accountIdentity }) =>
      parsedResultsOf(jsonIn(body), placeOfAnswer(place, call.operation, accountIdentity)) ?? [],
  );
}

export function resultCells(result: JsonValue, fields: readonly string[]): readonly string[] {
  const values = wholeFields(fieldsOf(result));
  return fields.map((name) => values.get(name) ?? '');
}

/** A result that is not an object stands in one column. */
function fieldsOf(result: JsonValue): JsonValue {
  return isPlain(result) || Array.isArray(result) ? { value: cellText(result) } : result;
}

/**
 * Our CSV reader refuses a zero byte, so each becomes U+FFFD, the sign for a character that cannot be shown.
 */
export function linesOf(lines: readonly (readonly string[])[]): string {
  return stringify(lines.map((cells) => cells.map((cell) => cell.replaceAll('\0', '\uFFFD'))));
}

// ---------------------------------------------------------------------------------- rows that need attention

export interface AttentionWriting {
  readonly ledger: LedgerReader;
  readonly job: Additions;
  readonly matching: Matching;
  /** Copies the input with cells appended, in the format of the destination. */
  readonly copy: Sheet['copy'];
  readonly cells: CellWriter;
  /** Says a sentence once, even if it is true of several copies. */
  readonly note: (sentence: string) => void;
}

/**
 * The rows that a person has to look at, as they came, with their number and the reason. The file is valid as
 * an input again. The user may have columns with our names, such as a number in a file of results. They then
 * stand before ours under other names, because a file with two columns of one name could not be an input
 * again.
 */
export function attentionCopy(
  { ledger, matching, copy, note, cells: { isJson, ownText, foreignText } }: AttentionWriting,
  batch: Batch,
  { header, ours }: { readonly header: readonly string[]; readonly ours: ReadonlySet<string> },
): AsyncIterable<Buffer> {
  const names = new FreeNames([...header, ...ATTENTION_COLUMNS]);
  const theirs = [...header.entries()].filter(([, name]) => isAttentionName(name) && !ours.has(name));
  const renamed = theirs.map(([at, name]) => ({ at, name, as: names.take(name, '') }));
  const columns = [...renamed.map(({ as }) => as), ...ATTENTION_COLUMNS];
  const dropped = new Set([...ours, ...renamed.map(({ name }) => name)]);
  const cellsOf = (row: InputRow, record: RowRecord | undefined): readonly string[] | undefined => {
    const outcome = record?.outcome;
    if (outcome === undefined) return undefined;
    const match = matching.of(row, record);
    if (!needsPerson(outcome) && !match.needsPerson) return undefined;
    const reasons = [reasonOf(outcome), match.needsPerson ? match.words : undefined];
    const reason = reasons.filter((each) => each !== undefined).join('; ');
    const movedCells = renamed.map(({ at }) => movedCell(row, at, header, isJson));
    return [
      ...movedCells.map((cell) => (isJson ? ownText(cell) : cell)),
      ownText(row.row),
      foreignText(reason),
    ];
  };
  return copy({ note, columns, dropped, isJson, isPart: true }, rowMaker(ledger, batch, cellsOf));
}

/** In any case of letters, because spreadsheets and databases ignore it. */
const isAttentionName = (name: string): boolean =>
  ATTENTION_COLUMNS.some((ours) => ours === name.trim().toLowerCase());

/**
 * The cell of the user's column that gets another name. In a row that cannot be read, cells stay where they
 * are, unless the row looks like one that we have set aside: the copy leaves out our cells of such a row.
 */
function movedCell(
  { cells, unreadable }: InputRow,
  at: number,
  header: readonly string[],
  isJson: boolean,
): string {
  const cell = cells[at] ?? '';
  const isMoved = !isJson && isSetAside((name) => cells[header.indexOf(name)], statusColumn(header));
  return unreadable === undefined || isMoved ? cell : '';
}
