import type { AnswerPlace } from '../core/answer-body.ts';
import { makesProject } from '../core/described.ts';
import { sayAll, sayBesideCells } from '../core/finding-words.ts';
import type { Finding, Findings } from '../core/findings.ts';
import { present } from '../core/objects.ts';
import type { JsonObject } from '../core/operation.ts';
import { FOUND_PREFIX, type InputRow, OUR_COLUMNS, type RowNumber } from '../core/row.ts';
import { stepNames } from '../core/steps.ts';
import { hasLists, PART_ROWS } from '../files/kept-rows.ts';
import { changedSoFar } from '../files/output/changes-done.ts';
import {
  type Addition,
  addedCells,
  additionFor,
  type CellWriter,
  cellsOrWhy,
  FreeNames,
  type Matching,
  matchingOf,
  ourCells,
  ourFacts,
  type RowMatch,
  resultCells,
  resultsIn,
  shownAnswer,
  surveyResults,
  textCells,
} from '../files/output/output.ts';
import { CALLED } from '../files/output/summary-words.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../ledger/ledger.ts';
import { asItIs, type CellSafety } from '../lib/formulas.ts';
import type { TableColumnObject, TableObject, TableRowObject } from '../objects/batch-object.ts';
import { actionDone, keptWorks } from '../operations/team/change-action.ts';
import {
  allOf,
  type ColumnValues,
  columnValues,
  firstOf,
  isEverything,
  mayBeIn,
  queryOf,
  type Searched,
  type SearchedRow,
  type TableOrder,
  USUAL_ROWS,
} from './table-order.ts';

/**
 * The table of a list: its own cells, and beside them those that an output would have, as soon as they are
 * found. A page of the list's order, or of some states, costs the same in a list of any length.
 */

export async function tableOf(ledger: LedgerReader, batch: Batch, order: TableOrder): Promise<TableObject> {
  const { limit: wantedRows = USUAL_ROWS } = order;
  const limit = Math.min(wantedRows, rowsPerRead(batch, wantedRows));
  const table = await tableIn(ledger, batch);
  const searched = searchedIn(table);
  const query = queryOf(searched, order);
  const found = isEverything(query)
    ? await ledger.rowsAt(batch.id, { from: order.from ?? 0 }, limit + 1, query.states)
    : await firstOf(searched, query, order.from, limit + 1);
  const rows = found.slice(0, limit).map(numberOf);
  const inputs = await ledger.cellsOf(batch.id, rows);
  const last = await ledger.lastSubmitted(batch.id);
  const beyond = await beyondIn(ledger, batch, rows, last);
  const listed = rows.map((row) => inputs.get(row) ?? { row, cells: beyond.get(row) ?? [] });
  return {
    batch: batch.id,
    operation: batch.operation,
    input: batch.inputPath,
    sandbox: batch.sandbox,
    columns: [...table.columns],
    ...(table.resultFields.length > 0 && { result_columns: resultColumns(table) }),
    more_columns: table.more,
    last,
    rows: (await shownIn(table, listed)).map((row) => inPageWords(table, row)),
    next: found[limit]?.row ?? null,
  };
}

/**
 * Every row that is wanted, in the order that is asked for, with the cells that an output has.
 * @param safety of the cells that were bought.
 */
export async function wholeTable(
  ledger: LedgerReader,
  batch: Batch,
  order: TableOrder,
  safety: CellSafety,
): Promise<WholeTable> {
  const table = { ...(await tableIn(ledger, batch, Number.POSITIVE_INFINITY)), cells: textCells(safety) };
  const searched = searchedIn(table);
  const query = queryOf(searched, order);
  const last = await ledger.lastSubmitted(batch.id);
  async function* rows(): WholeTable['rows'] {
    for await (const part of allOf(searched, query, ({ row }) => ({ row, cells: [] }))) {
      for (let at = 0; at < part.length; at += ROWS_SURVEYED) {
        const numbers = part.slice(at, at + ROWS_SURVEYED).map(numberOf);
        const inputs = await ledger.cellsOf(batch.id, numbers);
        const beyond = await beyondIn(ledger, batch, numbers, last);
        const listed = numbers.map((row) => inputs.get(row) ?? { row, cells: beyond.get(row) ?? [] });
        yield await shownIn(table, listed);
      }
    }
  }
  return { columns: table.columns, rows: rows() };
}

/** The cells of people whom the list does not name, by what is planned for them. They have the last rows. */
async function beyondIn(
  ledger: LedgerReader,
  { id, header, settings, rowsBeyond = 0 }: Batch,
  rows: readonly RowNumber[],
  last: RowNumber,
): Promise<ReadonlyMap<RowNumber, readonly string[]>> {
  const first = rows.find((row) => row > last - rowsBeyond);
  if (first === undefined) return new Map();
  const { columns } = settingsKept(settings);
  const planned = await ledger.plannedRows(id, first, (rows.at(-1) ?? first) - first + 1);
  const cells = planned.map(({ row, work }) => {
    const [of] = work === undefined ? [] : keptWorks(work);
    const project = of?.subject.project;
    const facts = { email: of?.email, project: of?.project ?? project, project_id: project, role: of?.from };
    const cellOfColumn = new Map(Object.entries(facts).map(([input, text]) => [columns[input], text]));
    return [row, header.map((name) => cellOfColumn.get(name) ?? '')] as const;
  });
  return new Map(cells);
}

/** @throws StopError `usage` for a column that the batch does not have. */
export async function valuesInBatch(
  ledger: LedgerReader,
  batch: Batch,
  column: string,
  search: string,
): Promise<ColumnValues> {
  return columnValues(searchedIn(await tableIn(ledger, batch)), column, search);
}

/** Rows in any number, which are read no faster than they are taken. */
export interface WholeTable {
  readonly columns: readonly TableColumnObject[];
  readonly rows: AsyncGenerator<readonly SearchedRow[], void, undefined>;
}

/**
 * The same of rows that belong to no batch of the ledger yet.
 * @param batch as a start would begin it.
 */
export async function tableAhead(
  ledger: LedgerReader,
  batch: Batch,
  rows: readonly InputRow[],
  source: TableSource,
): Promise<Pick<TableObject, 'columns' | 'result_columns' | 'rows'>> {
  const table = await tableIn(ledger, batch, MOST_ADDED, source);
  return {
    columns: [...table.columns],
    ...(table.resultFields.length > 0 && { result_columns: resultColumns(table) }),
    rows: (await shownIn(table, rows)).map((row) => inPageWords(table, row)),
  };
}

const numberOf = ({ row }: { readonly row: RowNumber }): RowNumber => row;

// --------------------------------------------------------------------------------------------- its columns

/** What is known of the rows of a table. */
export interface TableSource {
  recordsOf(rows: readonly InputRow[]): Promise<ReadonlyMap<RowNumber, RowRecord>>;
  /** The first rows that have answers: their fields are columns. */
  firstAnswers(): Promise<readonly RowRecord[]>;
}

interface Table {
  readonly ledger: LedgerReader;
  readonly source: TableSource;
  readonly batch: Batch;
  readonly columns: readonly TableColumnObject[];
  /** The places in the list of its columns that are shown: an output has those of an earlier run once. */
  readonly shownPlaces: readonly number[];
  readonly added: Addition['columns'];
  /** The fields of what a row finds, where one row finds many. */
  readonly resultFields: readonly string[];
  readonly more: number;
  readonly matching: Matching;
  /** How the cells are written that were bought. */
  readonly cells: CellWriter;
}

/** The fields of so many answers become columns. Those of others are in the output. */
const ROWS_SURVEYED = 200;

/** The output has every column; a table for the eye has an end. */
export const MOST_ADDED = 40;

/** A page shows texts and runs no formula. */
const CELLS = textCells(asItIs);

/** How many rows are read at once: answers that are lists are large, so fewer of them are. */
const rowsPerRead = (batch: Batch, usual: number): number =>
  hasLists(batch) ? Math.min(usual, PART_ROWS.lists) : usual;

async function tableIn(
  ledger: LedgerReader,
  batch: Batch,
  most = MOST_ADDED,
  source = sourceIn(ledger, batch),
): Promise<Table> {
  const first: Answers = { rows: async (_, from) => (from > 0 ? [] : source.firstAnswers()) };
  const { answer_at: answerPlace, ...job } = settingsKept(batch.settings);
  const choice = { ledger: first, job, answerPlace, safety: asItIs, note() {} };
  // The columns of the job, else the fields of the first answers.
  const { columns: all, dropped } = await additionFor(choice, batch.header, batch);
  const added = all.slice(0, most);
  const results = hasLists(batch) ? await surveyResults(first, batch, placeIn(batch)) : { fields: [] };
  const stepOf = (path: string) => stepNames(batch.operation).find((step) => path.startsWith(`${step}.`));
  const shownPlaces = [...batch.header.keys()].filter((at) => !dropped.has(batch.header[at] ?? ''));
  const columns: readonly TableColumnObject[] = [
    ...shownPlaces.map((at) => ({ name: batch.header[at] ?? '', from: 'list' as const })),
    ...added.map(({ name, path }) => ({
      name,
      from: 'bought' as const,
      path,
      ...present({ operation: stepOf(path) }),
    })),
    ...OUR_COLUMNS.map((name) => ({ name, from: 'ours' as const })),
  ];
  const resultFields = results.fields.slice(0, MOST_ADDED);
  const matching = await matchingOf(ledger, batch);
  const more = all.length - added.length;
  const shown = { columns, shownPlaces, added, resultFields, more };
  return { ledger, source, batch, ...shown, matching, cells: CELLS };
}

const placeIn = ({ settings }: Batch): AnswerPlace => settingsKept(settings).answer_at;

/** The fields of results as columns; no two columns of a table have one name. */
function resultColumns({ columns, resultFields }: Table): string[] {
  const names = new FreeNames(columns.map(({ name }) => name));
  return resultFields.map((field) => names.take(field, FOUND_PREFIX));
}

type Answers = Pick<LedgerReader, 'rows'>;

const sourceIn = (ledger: LedgerReader, batch: Batch): TableSource => ({
  recordsOf: (rows) => ledger.recordsOf(batch.id, rows.map(numberOf)),
  async firstAnswers() {
    const most = rowsPerRead(batch, ROWS_SURVEYED);
    const answered = await ledger.rowsAt(batch.id, { from: 0 }, most, ['matched', 'applied']);
    const begun = await ledger.rowsAsked(batch.id, most - answered.length);
    const records = await ledger.recordsOf(batch.id, [...answered, ...begun].map(numberOf));
    return [...records.values()];
  },
});

// ----------------------------------------------------------------------------------------------- its cells

async function shownIn(table: Table, rows: readonly InputRow[]): Promise<readonly TableRowObject[]> {
  const { source, batch, resultFields, matching } = table;
  const records = await source.recordsOf(rows);
  await matching.meet([...records.values()]);
  const place = placeIn(batch);
  const works = await worksOf(table, [...records.values()]);
  return rows.map((row) => {
    const record = records.get(row.row);
    const soFar = changedSoFar(works.get(row.row), record);
    const found = record === undefined || resultFields.length === 0 ? [] : resultsIn(record, place);
    const action = batch.plannedRows === undefined ? undefined : actionIn(record);
    const { findings = soFar } = record?.outcome ?? {};
    const match = matching.of(row, record);
    return {
      row: row.row,
      cells: [...ownCells(table, row), ...cellsBeside(table, row, record, match, soFar)],
      ...(findings.length > 0 && { findings: [...findings] }),
      ...present({ action, other_abn: match.hasOtherAbn || undefined }),
      ...(found.length > 0 && { results: found.map((result) => [...resultCells(result, resultFields)]) }),
    };
  });
}

/** What is planned for the rows that have not ended, although something was changed. */
async function worksOf(
  { ledger, batch }: Table,
  records: readonly RowRecord[],
): Promise<ReadonlyMap<RowNumber, JsonObject>> {
  const begun = records.filter(({ outcome }) => outcome === undefined && batch.plannedRows !== undefined);
  const planned = await Promise.all(begun.map(({ row }) => ledger.plannedRows(batch.id, row, 1)));
  return new Map(planned.flat().flatMap(({ row, work }) => (work === undefined ? [] : [[row, work]])));
}

function inPageWords({ batch }: Table, row: TableRowObject): TableRowObject {
  const { findings } = row;
  if (findings === undefined) return row;
  const ofSteps = Map.groupBy(findings, ({ step }) => step ?? '');
  ofSteps.delete('');
  const steps = [...ofSteps].map(([step, stepFindings]) => {
    return [
      step,
      sayAll(
        stepFindings.map(({ step: _, ...each }) => each as Finding),
        'page',
        CALLED,
      ),
    ] as const;
  });
  const isOfTeam = batch.plannedRows !== undefined;
  const all = isOfTeam ? sayBesideCells(findings, CALLED) : sayAll(findings, 'page', CALLED);
  return { ...row, says: { all, steps: Object.fromEntries(steps) } };
}

function actionIn(record: RowRecord | undefined) {
  if (record?.outcome?.kind !== 'applied') return undefined;
  const answers = record.answers.filter(({ kind }) => kind === 'found').map(({ call }) => call);
  const done = answers.filter(({ operation }) => !makesProject(operation));
  if (done.length < answers.length && done.length === 0) return 'create_project';
  const ofPlaces = [...Map.groupBy(done, ({ project }) => project).values()];
  const actions = new Set(ofPlaces.map((calls) => actionDone(calls.map(({ operation }) => operation))));
  const [action] = actions;
  // Where a person came into one project and left another, the place in all of them has changed.
  return actions.size > 1 ? 'change_role' : action;
}

const ownCells = ({ shownPlaces }: Table, { cells }: InputRow): readonly string[] =>
  shownPlaces.map((at) => cells[at] ?? '');

function cellsBeside(
  table: Table,
  row: InputRow,
  record: RowRecord | undefined,
  match: RowMatch,
  soFar: Findings,
): readonly string[] {
  const { batch, added, cells } = table;
  const { answer_at: answerPlace } = settingsKept(batch.settings);
  const shown = shownAnswer(match.answers, answerPlace);
  const made = cellsOrWhy(added.length, () => addedCells(added, row, shown, batch, cells), shown);
  const why = soFar.length > 0 ? sayAll(soFar, 'terminal') : made.why;
  return [...made.cells, ...ourCells(ourFacts(batch, row, record, match, why), cells)];
}

// -------------------------------------------------------------------------------------------- which of them

/** So many rows of a list are looked at together, which takes some milliseconds. */
const LISTED_AT_ONCE = 2_000;

function searchedIn(table: Table): Searched {
  const { ledger, batch, columns, shownPlaces, added } = table;
  const isOfList = (at: number): boolean => at < shownPlaces.length;
  return {
    name: `Batch ${batch.id}`,
    columns,
    hasStates: true,
    isSearched(at) {
      const bought = added[at - shownPlaces.length];
      const isOfResults = at >= columns.length;
      // What stands beside a cell about it, such as its account, is not what a person looks for.
      return isOfList(at) || isOfResults || (bought !== undefined && bought.beside === undefined);
    },
    async *parts(query, from, most = LISTED_AT_ONCE) {
      const { search, sort = 0, action, hasOtherAbn, looksAt } = query;
      const isOwn = [...looksAt, sort].every(isOfList);
      const readsAnswers = search !== '' || action !== undefined || hasOtherAbn || !isOwn;
      // A search reads the answers of few rows.
      const usual = readsAnswers ? rowsPerRead(batch, isOwn ? most : PART_ROWS.single) : most;
      const answerText = search === '' ? {} : { answerText: search };
      const sought = { states: query.states, mayBe: mayBeIn(query, isOfList), ...answerText };
      for await (const part of ledger.listed(batch.id, from, Math.min(usual, most), sought)) {
        if (readsAnswers) yield (await shownIn(table, part)).map(soughtIn);
        else yield part.map((row) => ({ row: row.row, cells: ownCells(table, row) }));
      }
    },
  };
}

/** What a row has found is looked through with its cells. */
const soughtIn = ({ row, cells, results = [], action, other_abn }: TableRowObject): SearchedRow => ({
  row,
  ...present({ action, other_abn }),
  cells: [...cells, ...results.flat()],
});
