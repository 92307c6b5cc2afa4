import {
  type AnswerPlace,
  hasAccounts,
  jsonIn,
  ownBodyIn,
  parsedResultsOf,
  readBody,
} from '../../core/answer-body.ts';
import { isoTime } from '../../core/clock.ts';
import { messageOf, StopError, stop } from '../../core/errors.ts';
import { unreadableWords } from '../../core/finding-words.ts';
import { present } from '../../core/objects.ts';
import type { JsonValue, Operation } from '../../core/operation.ts';
import { ourColumnsIn, outputStart } from '../../core/our-columns.ts';
import { isLeftOut, reasonOf } from '../../core/outcome.ts';
import { isNightJob, listFolderOf } from '../../core/paths.ts';
import { asField, faces, phrase } from '../../core/phrase.ts';
import { foreignName, foreignWords } from '../../core/plain-text.ts';
import {
  FOUND_PREFIX,
  type InputRow,
  OUR_COLUMNS,
  type RowStatus,
  sourceColumn,
  verdictColumn,
} from '../../core/row.ts';
import { stepNames, suffixOf } from '../../core/steps.ts';
import type { Job } from '../../job/job.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../ledger/ledger.ts';
import { asItIs, type CellSafety, type FormulaMode, safeCell, safetyIn } from '../../lib/formulas.ts';
import {
  type AnswerFields,
  cellText,
  FieldSurvey,
  parsedSaidIn,
  saidAt,
  saidFields,
  saidIn,
} from '../../values/answer-fields.ts';
import type { KindName } from '../../values/kind.ts';
import { isFilled } from '../../values/kinds.ts';
import { identifierNames, kindOfFilled } from '../columns/column-kind.ts';
import { PART_ROWS, recordParts } from '../kept-rows.ts';
import type { RowMatch } from './match.ts';
import { accountAt, answersOf, type ShownAnswer, shownAnswer } from './shown-answer.ts';
import { columnWords } from './summary-words.ts';
import { isPaidBy } from './tally.ts';

/**
 * The columns that an output gets: those of the job's `add`, else one for every value that any answer has.
 */

interface AddedColumn {
  readonly name: string;
  /** Dotted path into the answer. */
  readonly path: string;
  /** The path is a name of `wholeFields`. */
  readonly isField?: true;
  /** The input's own column of that name: its filled cells stay: all, or those that `replaces` leaves. */
  readonly fills?: number;
  /** Tells which words of its cells are blank. Left out: only those that are so in every cell. */
  readonly kind?: KindName;
  /** A found value replaces a filled cell as well. */
  readonly replaces?: true;
  /** The column says where the cells of the one before it are from, or what the finder says of them. */
  readonly beside?: Beside['kind'];
}

export interface Addition {
  readonly columns: readonly AddedColumn[];
  /** Columns of the input that are left out of the copy, because ours take their place. */
  readonly dropped: ReadonlySet<string>;
  /**
   * Those of the dropped columns that an earlier run added. The others are the user's. They stay where a file
   * brings the user's rows back as they came.
   */
  readonly ours: ReadonlySet<string>;
}

/** What is done when the input already has a column that `add` names. */
export type OnExisting = NonNullable<Job['on_existing']> | 'refuse';

/**
 * @param isOfOther whether the input is known as the output of another job, so that no column of it is ours.
 * @param place says whether several accounts are asked.
 * @throws StopError `job` when the input has a column that `add` names and no setting says what to do with
 * it, or when another column has the name of one about sources.
 */
export function additionOf(
  header: readonly string[],
  add: Readonly<Record<string, string>>,
  onExisting: OnExisting = 'refuse',
  isOfOther = false,
  place: AnswerPlace = {},
): Addition {
  const names = Object.keys(add);
  const beside = columnsBeside(add, onExisting, place);
  const besideNames = beside.map(({ name }) => name);
  const known = new Set([...names, ...(beside.length === 0 ? [] : sourcedIn(header)), ...besideNames]);
  // The columns of another job share some of these names at most, and none of their cells may be lost.
  const earlierBy = (marks: readonly (readonly string[])[]): ReadonlySet<string> =>
    isOfOther ? new Set() : earlierAdded(header, known, marks);
  const earlier = earlierBy(names.map((name) => earlierNames(name, [])));
  const block = earlierBy([]);
  const others = header.filter((column) => !block.has(column));
  requireFree(beside, others, names);
  const ours = new Set([...ourColumnsIn(header), ...besideNames.filter((name) => block.has(name))]);
  const dropped = new Set(ours);
  const columns = Object.entries(add).flatMap(([name, path]): readonly AddedColumn[] => {
    const at = header.findIndex((column) => column.toLowerCase() === name.toLowerCase());
    const existing = header[at];
    const added = addedBeside(existing, at, { name, path }, onExisting, earlier);
    if (added === undefined) return [];
    if (existing !== undefined) dropped.add(existing);
    const besideColumns = beside.filter((each) => each.of === name);
    return [added, ...besideColumns.map((each) => ({ ...added, name: each.name, beside: each.kind }))];
  });
  // With `refuse`, a column of the user's would have been refused, so all dropped ones are ours.
  return { columns, dropped, ours: onExisting === 'refuse' ? dropped : ours };
}

/** @returns undefined where the column that the input has stays as it is. */
function addedBeside(
  existing: string | undefined,
  at: number,
  added: AddedColumn,
  onExisting: OnExisting,
  earlier: ReadonlySet<string>,
): AddedColumn | undefined {
  if (existing === undefined) return added;
  if (onExisting === 'replace') return { ...added, fills: at, replaces: true };
  const mayBeOurs = earlier.has(existing);
  if (onExisting === 'refuse' && mayBeOurs) return added;
  // A user's column that was kept looks like one that we added. If only its blanks are filled, neither loses
  // anything.
  if (onExisting === 'fill' || mayBeOurs)
    return { ...added, name: existing, fills: at, ...present({ kind: kindOfFilled(existing, added.path) }) };
  if (onExisting === 'refuse') throw clash(existing);
  return undefined;
}

/** A column of ours beside one of `add`. */
interface Beside {
  readonly name: string;
  readonly of: string;
  /** `source`: the account that found the value. `verdict`: what a check says of the address. */
  readonly kind: 'source' | 'verdict';
}

/**
 * The columns that say where the cells of the columns of `add` are from, the name of the account that
 * answered or `list`; none where only one account can have filled them. And those with the verdict of a
 * finder about the addresses that it gives, unless `add` takes the verdict itself.
 */
export function columnsBeside(
  add: Readonly<Record<string, string>> = {},
  onExisting: OnExisting = 'refuse',
  place: AnswerPlace = {},
): readonly Beside[] {
  const hasSources = onExisting === 'fill' || hasAccounts(place);
  const paths = Object.values(add);
  return Object.entries(add).flatMap(([of, path]): readonly Beside[] => {
    const hasVerdict = givesVerdict(place, path) && !paths.includes(verdictPath(path));
    return [
      ...(hasSources ? [{ name: sourceColumn(of), of, kind: 'source' } as const] : []),
      ...(hasVerdict ? [{ name: verdictColumn(of), of, kind: 'verdict' } as const] : []),
    ];
  });
}

/** Where the verdict about an address stands: `find-email.verdict` for `find-email.email`. */
const verdictPath = (path: string): string => path.replace(/(?<=^|\.)email$/, 'verdict');

/** Whether a path of `add` is an address for which any of the step's accounts has a verdict. */
function givesVerdict({ steps, ...whole }: AnswerPlace, path: string): boolean {
  const [step = '', name] = steps === undefined ? ['', path] : path.split('.', 2);
  const place = steps === undefined ? whole : (steps[step] ?? {});
  if (name !== 'email') return false;
  const all = [place, ...Object.values(place.accounts ?? {})];
  return all.some(({ gives, byKind }) => byKind === true && gives?.verdict !== undefined);
}

/**
 * The columns that have one about their sources, and the latter. An earlier job may have added other columns
 * than this one.
 */
function sourcedIn(header: readonly string[]): readonly string[] {
  const there = new Set(header);
  return header.flatMap((name) => {
    const beside = [sourceColumn(name), verdictColumn(name)].filter((each) => there.has(each));
    return beside.length === 0 ? [] : [name, ...beside];
  });
}

/** What a column beside another one says of its cells. */
const SAYS: Readonly<Record<Beside['kind'], string>> = {
  source: 'what filled each cell',
  verdict: 'what the finder says of each address',
};

/** @throws StopError `job` for another column with the name of one of these, in any case of letters. */
function requireFree(beside: readonly Beside[], others: readonly string[], added: readonly string[]): void {
  for (const column of [...others, ...added]) {
    const ours = beside.find(({ name }) => name.toLowerCase() === column.toLowerCase());
    if (ours === undefined) continue;
    const where = others.includes(column) ? 'The input' : faces("The job's `add`", 'What is to be added');
    const fact = phrase`${where} has a column ${foreignName(column)}, but the output gets a column
      ${foreignName(ours.name)}, which says ${SAYS[ours.kind]}.`;
    throw stop('job', fact, 'Rename that column.');
  }
}

interface Naming {
  /** Names that some operation would take for an identifier; left out: none. */
  readonly isIdentifier?: (name: string) => boolean;
  /** Whether the input is known as the output of another job, so that no column of it is ours. */
  readonly isOfOther?: boolean | undefined;
  /** The words of its steps tell columns of one name apart. */
  readonly operation?: string;
  /** Whether the names are words for people, such as `Employee count`. */
  readonly inWords?: boolean;
}

/**
 * The columns without `add`. A name that the input already has gets a prefix, so that none of the user's
 * cells is touched. The name of a field is the vendor's, so it is made safe like any cell of the vendor's.
 */
export function automaticAddition(
  header: readonly string[],
  fields: readonly string[],
  safety: CellSafety,
  naming: Naming = {},
): Addition {
  const { isIdentifier = () => false, isOfOther = false, operation = '', inWords = false } = naming;
  const steps = stepNames(operation);
  const wordsOf = (field: string) => columnWords(steps.length > 1 ? field : `${operation}.${field}`);
  const known = new Set(fields.flatMap((field) => earlierNames(field, steps)));
  const mark = fields[0] === undefined ? [] : earlierNames(fields[0], steps);
  const dropped = new Set<string>([
    ...ourColumnsIn(header),
    ...(isOfOther ? [] : earlierAdded(header, known, mark.length === 0 ? [] : [mark])),
    ...(isOfOther || !inWords ? [] : earlierInWords(header, fields.map(wordsOf))),
  ]);
  const names = new FreeNames(header.filter((column) => !dropped.has(column)));
  const given = new Set<string>();
  const byField = (field: string): string => {
    const [bare = field, behind = bare] = namesOf(field, steps);
    const safeName = safety(given.has(bare.toLowerCase()) ? behind : bare);
    given.add(bare.toLowerCase());
    return names.take(isIdentifier(bare) ? prefixed(safeName) : safeName, FOUND_PREFIX);
  };
  const byWords = (field: string): string => {
    const [bare, withStep, asFound] = wordsOf(field);
    const usual = isIdentifier(bare) ? [] : [safety(bare), safety(withStep)];
    return names.take(usual.find((name) => names.isFree(name)) ?? safety(asFound), '');
  };
  const nameOf = inWords ? byWords : byField;
  const columns = fields.map((field) => ({ name: nameOf(field), path: field, isField: true as const }));
  return { columns, dropped, ours: dropped };
}

/**
 * The columns that an earlier download has in words. They stand in the order of the fields. Words are names
 * that her own columns may have as well, so that most of the fields must have theirs.
 */
function earlierInWords(header: readonly string[], fields: readonly (readonly string[])[]): string[] {
  const found: string[] = [];
  let end = fields.length;
  for (const column of header.slice(0, Math.max(0, outputStart(header))).toReversed()) {
    end = fields.findLastIndex((words, at) => at < end && words.includes(column));
    if (end === -1) break;
    found.push(column);
  }
  return found.length * 2 > fields.length ? found : [];
}

const prefixed = (field: string): string => FOUND_PREFIX + field;

/** The names that an earlier run may have given to the column of a field, with or without formulas. */
export function earlierNames(field: string, steps: readonly string[]): readonly string[] {
  return namesOf(field, steps).flatMap((name) =>
    [name, safeCell(name)].flatMap((each) => [each, prefixed(each)]),
  );
}

/**
 * The names that the column of a field may have. In an operation of several steps, the step's word follows
 * the name where an earlier step uses that name.
 */
function namesOf(field: string, steps: readonly string[]): readonly string[] {
  const step = steps.find((each) => field.startsWith(`${each}.`));
  if (step === undefined) return [field];
  const bare = field.slice(step.length + 1);
  return [bare, `${bare}_${suffixOf(step)}`];
}

export async function surveyFields(
  ledger: Pick<LedgerReader, 'rows'>,
  batch: Batch,
  { answerPlace, ...job }: FieldsOf,
): Promise<FieldSurvey> {
  const survey = new FieldSurvey();
  const listsApart = resultsFilesOf(job).length > 0;
  // Answers with lists are large, so fewer of them are kept at a time.
  const partRows = listsApart ? PART_ROWS.lists : PART_ROWS.single;
  for await (const part of recordParts(ledger, batch.id, partRows)) {
    for (const record of part) {
      const shown = shownAnswer(answersOf(record), answerPlace);
      if (shown !== undefined) survey.addFields(answerFields(shown, listsApart));
    }
  }
  return survey;
}

/** Every value of an answer under its name. @param listsApart whether the list of results is left out. */
export function answerFields({ body, place }: ShownAnswer, listsApart: boolean): ReadonlyMap<string, string> {
  // The body is parsed once: the list is left out by identity, so fields and list must come from one object.
  const ownBody = ownBodyIn(jsonIn(body), place);
  const { envelope: _, ...inside } = place;
  return saidFields(parsedSaidIn(ownBody, inside), listsApart ? parsedResultsOf(ownBody, inside) : undefined);
}

/** Receives an answer, and its fields where every field becomes a column. */
export type AnswerReader = (
  answer: AnswerFields | undefined,
  fields: ReadonlyMap<string, string> | undefined,
) => void;

/**
 * Tells the values of an answer, by the paths of the added columns.
 * @param paths undefined: every field has become a column.
 */
export function tellFound(
  tell: (path: string, value: string) => void,
  paths: Iterable<string> | undefined,
  ...[answer, fields]: Parameters<AnswerReader>
): void {
  if (paths === undefined) {
    for (const [path, value] of fields ?? []) tell(path, value);
  } else for (const path of paths) tell(path, cellText(answer && saidAt(answer, path)));
}

/**
 * The cells of the added columns for one row. A cell that is kept from the user's own column may be a
 * formula.
 * @param onAnswer receives the answer and its fields, so that they are not read a second time.
 */
export function addedCells(
  columns: readonly AddedColumn[],
  row: InputRow,
  shown: ShownAnswer | undefined,
  batch: Pick<Batch, 'accounts'>,
  cells: CellWriter,
  onAnswer?: AnswerReader,
): readonly string[] {
  const answer = shown && saidIn(shown.body, shown.place);
  const fields = answer && columns.some(({ isField }) => isField) ? saidFields(answer) : undefined;
  if (answer !== undefined) onAnswer?.(answer, fields);
  const found = ({ path, isField }: AddedColumn): string => {
    const value = answer && (cells.isJson || !isField) ? saidAt(answer, path) : undefined;
    return isField === true && value === undefined
      ? cells.foreignText(fields?.get(path) ?? '')
      : cells.value(value);
  };
  // A row that cannot be read keeps all its cells where they are.
  const ownIn = ({ fills }: AddedColumn): string =>
    fills === undefined || row.unreadable !== undefined ? '' : (row.cells[fills] ?? '');
  const isOwn = (column: AddedColumn): boolean =>
    isFilled(ownIn(column), column.kind) && (column.replaces !== true || found(column) === '');
  const sourceOf = (column: AddedColumn): string => {
    if (isOwn(column)) return cells.ownText(OF_LIST);
    const account = shown && accountAt(batch, shown, column.path);
    return account === undefined || found(column) === '' ? '' : cells.foreignText(account);
  };
  const verdictOf = (column: AddedColumn): string => {
    if (isOwn(column) || found(column) === '') return '';
    return cells.value(answer && saidAt(answer, verdictPath(column.path)));
  };
  return columns.map((column) => {
    if (column.beside === 'source') return sourceOf(column);
    if (column.beside === 'verdict') return verdictOf(column);
    const ownCell = ownIn(column);
    const value = isOwn(column) ? '' : found(column);
    if (value !== '' || ownCell.trim() === '') return value;
    // Cells of the user's are not made safe, because no one else wrote them.
    return cells.isJson ? cells.ownText(ownCell) : ownCell;
  });
}

/** The source of a cell that the list has. */
const OF_LIST = 'list';

/**
 * The cells of an answer. If one answer cannot be written, its cells are blank and a reason is given, so that
 * the user still gets all other answers.
 */
export function cellsOrWhy(
  columns: number,
  cells: () => readonly string[],
  shown: ShownAnswer | undefined,
): { readonly cells: readonly string[]; readonly why?: string } {
  try {
    const made = cells();
    const read = shown && made.every((cell) => cell === '') ? readBody(shown.body) : undefined;
    return read?.kind === 'unreadable' && read.why !== undefined
      ? { cells: made, why: `its answer cannot be written: ${unreadableWords(read.why)}` }
      : { cells: made };
  } catch (error) {
    if (error instanceof StopError) throw error;
    const blank = Array<string>(columns).fill('');
    return { cells: blank, why: `its answer cannot be written: ${foreignWords(messageOf(error))}` };
  }
}

/** What our columns say of a row, by their names. A text is blank where there is nothing to say. */
export type OurFacts = Readonly<
  Record<Exclude<(typeof OUR_COLUMNS)[number], '_status' | '_credits'>, string>
> & {
  readonly _status: RowStatus;
  readonly _credits: number;
};

/** @param why says why the cells before these are blank. */
export function ourFacts(
  batch: Batch,
  { row }: Pick<InputRow, 'row'>,
  record: RowRecord | undefined,
  { words: match }: Pick<RowMatch, 'words'>,
  why?: string,
): OurFacts {
  const { outcome, answers = [] } = record ?? {};
  let credits = 0;
  for (const answer of answers) if (isPaidBy(batch, row, answer)) credits += answer.charged;
  const kind = outcome?.kind ?? 'pending';
  const isUnanswered = kind === 'in_doubt' || (kind === 'skipped' && outcome && !isLeftOut(outcome));
  const last = isUnanswered ? undefined : answers.at(-1);
  const reason = [outcome && reasonOf(outcome), why]
    .filter((part) => part !== undefined && part !== '')
    .join('; ');
  return {
    _status: kind,
    _reason: reason,
    _matched_by: outcome?.matchedBy ?? '',
    _match: match,
    _credits: credits,
    _source: sourceOf(batch, row, last),
    _as_of: last === undefined ? '' : isoTime(last.answeredAtMs),
  };
}

/** The facts as cells, in the order of our columns. */
export function ourCells(
  facts: Readonly<Record<string, string | number>>,
  cells: CellWriter,
): readonly string[] {
  return OUR_COLUMNS.map((name) => {
    const fact = facts[name] ?? '';
    return typeof fact === 'number' ? cells.ownText(fact) : cells.foreignText(fact);
  });
}

function sourceOf(batch: Batch, row: number, answer: RowRecord['answers'][number] | undefined): string {
  if (answer === undefined) return '';
  if (answer.batch !== batch.id) return 'ledger';
  if (answer.paidRow !== row) return `row ${answer.paidRow}`;
  if (batch.sandbox) return 'sandbox';
  return answer.call.change === undefined ? 'bought' : 'sent';
}

/**
 * The columns that an earlier run added stand without a gap before our first column. Columns further left are
 * the user's. A column is also the user's if we had to prefix its name for a column of ours. Another
 * operation may have added columns with some of these names, such as `location.city`; those keep all their
 * cells.
 * @param marks by which the columns are known for this operation's: one name of each must be among them.
 */
function earlierAdded(
  header: readonly string[],
  names: ReadonlySet<string>,
  marks: readonly (readonly string[])[],
): ReadonlySet<string> {
  const added = new Set<string>();
  const firstOfOurs = outputStart(header);
  for (let at = firstOfOurs - 1; at >= 0; at -= 1) {
    const column = header[at];
    if (column === undefined || !names.has(column) || added.has(prefixed(column))) break;
    added.add(column);
  }
  const isOfThis = marks.every((mark) => mark.some((name) => added.has(name)));
  return isOfThis ? added : new Set();
}

function clash(column: string): Error {
  const fact = `The input already has a column ${foreignName(column)}, and nothing says which of its cells stay.`;
  const add = phrase`Add \`${asField('on_existing')}: keep\`, \`fill\` or \`replace\` to the job`;
  const next = phrase`${faces(add, 'Say which of its cells stay')}, or give the new column another name.`;
  return stop('job', fact, next);
}

/**
 * Gives names to columns that have to stand beside others; case does not count. A name that is taken gets a
 * prefix, and then a number.
 */
export class FreeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  isFree(name: string): boolean {
    return !this.#taken.has(name.toLowerCase());
  }

  take(name: string, prefix: string): string {
    let free = name;
    for (let number = 1; !this.isFree(free); number += 1)
      free = `${prefix}${name}${number === 1 ? '' : `_${number}`}`;
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

// ------------------------------------------------------------------------------------------ which columns

export interface Additions extends Pick<Job, 'add' | 'on_existing' | 'formulas'> {
  readonly operation?: Pick<Operation, 'resultsFile'>;
}

export function resultsFilesOf({ operation }: Additions): readonly string[] {
  return operation?.resultsFile === undefined ? [] : [operation.resultsFile];
}

interface ColumnChoice {
  readonly ledger: Pick<LedgerReader, 'rows'>;
  readonly job: Additions;
  readonly answerPlace: AnswerPlace;
  readonly safety: CellSafety;
  readonly note: (sentence: string) => void;
}

/** The columns of an output. Where the job names none, every answer is read for them. */
export async function additionFor(
  choice: ColumnChoice,
  header: readonly string[],
  batch: Batch,
): Promise<Addition> {
  const { ledger, job, answerPlace, note } = choice;
  if (job.add !== undefined) return additionWith(choice, header, batch, []);
  const { names, isCut } = await surveyFields(ledger, batch, { ...job, answerPlace });
  if (isCut) {
    note(
      `The answers have more than ${names.length} different fields, so only the first became columns. ` +
        'Name those that you need under add: in a job.',
    );
  }
  return additionWith(choice, header, batch, names);
}

/** @param fields all that the answers have; needed where the job names no columns. */
export async function additionWith(
  { job, answerPlace, safety }: Pick<ColumnChoice, 'job' | 'answerPlace' | 'safety'>,
  header: readonly string[],
  batch: Batch,
  fields: readonly string[],
): Promise<Addition> {
  const isOfOther = settingsKept(batch.settings).input_of_other;
  if (job.add !== undefined) return additionOf(header, job.add, job.on_existing, isOfOther, answerPlace);
  return automaticAddition(header, fields, safety, {
    isIdentifier: await identifierNames(),
    isOfOther,
    operation: batch.operation,
    inWords: isInWords(batch),
  });
}

/** The names of the columns in a batch that takes every value of its answers, with and without formulas. */
export async function automaticNames(
  ledger: LedgerReader,
  batch: Batch,
  job: FieldsOf,
): Promise<readonly string[]> {
  const { names } = await surveyFields(ledger, batch, job);
  const { columns } = await additionWith({ ...job, job, safety: asItIs }, batch.header, batch, names);
  return columns.flatMap(({ name }) => [name, safeCell(name)]);
}

/** The columns of a list that was brought to the page are read by people, and those of a night made there. */
const isInWords = ({ inputPath, settings: { job } }: Batch): boolean =>
  listFolderOf(inputPath) !== undefined || (typeof job === 'string' && isNightJob(job));

type FieldsOf = Additions & { readonly answerPlace: AnswerPlace };

// ------------------------------------------------------------------------------------- how a cell is written

/** How an appended cell is written: as text for spreadsheets and people, or as JSON for programs. */
export interface CellWriter {
  readonly isJson: boolean;
  /** A word, a number or a time of ours. */
  ownText(text: string | number): string;
  /** Words of a vendor or of a job. */
  foreignText(text: string): string;
  /** A value of an answer; blank where there is none. */
  value(value: JsonValue | undefined): string;
}

/** Text for spreadsheets never becomes a formula in one. */
export function textCells(safety: CellSafety): CellWriter {
  return {
    isJson: false,
    ownText: String,
    foreignText: safety,
    value: (value) => safety(cellText(value)),
  };
}

/** Values as the vendor wrote them: numbers, booleans, lists and objects stay what they are. */
export const JSON_CELLS: CellWriter = {
  isJson: true,
  ownText: (text) => (text === '' ? '' : JSON.stringify(text)),
  foreignText: (text) => (text === '' ? '' : JSON.stringify(text)),
  value: (value) => (value === undefined || value === null ? '' : JSON.stringify(value)),
};

/**
 * How the cells of an output are written. Neither text in a workbook nor a value of JSON ever becomes a
 * formula.
 */
export function cellsFor(
  { isWorkbook, isJson }: { readonly isWorkbook: boolean; readonly isJson: boolean },
  mode: FormulaMode,
): { readonly safety: CellSafety; readonly cells: CellWriter } {
  const safety = isWorkbook || isJson ? asItIs : safetyIn(mode);
  return { safety, cells: isJson ? JSON_CELLS : textCells(safety) };
}
