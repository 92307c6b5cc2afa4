import { meantWord, type StopError, stop } from '../../core/errors.ts';
import type { Sheet } from '../../core/format.ts';
import { inputWords } from '../../core/input-words.ts';
import { present } from '../../core/objects.ts';
import type { Operation, RowInput } from '../../core/operation.ts';
import { byFlag, faces, phrase } from '../../core/phrase.ts';
import { foreignName, plainText } from '../../core/plain-text.ts';
import type { InputRow } from '../../core/row.ts';
import { entriesOf } from '../../core/steps.ts';
import type { Job } from '../../job/job.ts';
import { shellWord } from '../../lib/command-line.ts';
import { requireOnce } from '../header.ts';
import {
  agreesByName,
  BY_NAME,
  type ColumnHints,
  type Guess,
  guessColumns,
  type LikelyColumn,
  missingColumns,
  passedOverStop,
  readContent,
  unheededColumns,
} from './guess.ts';

export * from './guess.ts';

export interface ColumnMap {
  /** Input → column, in the order in which the operation documents its inputs. */
  readonly columns: Readonly<Record<string, string>>;
  /** Whether no one chose the columns, so that the user must be shown which ones were taken. */
  readonly guessed: boolean;
  /** Input → why its column was guessed, as a phrase; empty for columns that were chosen. */
  readonly because: ReadonlyMap<string, string>;
  /** A sentence for the user about inputs or columns that are not read. */
  readonly note?: string;
  read(row: InputRow): RowInput;
}

export interface ChosenColumns {
  /** Input → column. A blank column says that the input has none. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns of the other inputs are guessed. Left out: the other inputs have no columns. */
  readonly guesses?: true | undefined;
  /** The columns that steps add, so that a later step may read one that the list does not have. */
  readonly added?: readonly string[];
  /** The stop for an operation that has none of these columns. Left out: it names no place. */
  readonly refused?: (problem: StopError, operation: Operation) => StopError;
}

/** The columns by which an earlier batch worked on the same list, perhaps with other cells. */
export interface EarlierGuess {
  readonly batch: string;
  /** Whether the file is the output of that batch, and so has added columns beside those of the list. */
  readonly isOutput: boolean;
  /** Input → column. */
  readonly columns: Readonly<Record<string, string>>;
}

/**
 * Maps the columns of a file to the inputs of an operation: as the job chose, else by sure guesses. Rows are
 * read only where the header does not decide, or where cells may add a column.
 * @param earlier stays in force until the header says otherwise. If one changed cell led to other columns,
 * everything that was bought would be bought again.
 * @throws StopError as `mapped`, and `input` when rows are read and damaged.
 */
export async function findColumns(
  operation: Operation,
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
  chosen: ChosenColumns = { columns: {}, guesses: true },
  earlier?: EarlierGuess,
): Promise<ColumnMap> {
  if (operation.steps === undefined) return columnsOfOne(operation, sheet, header, chosen, earlier);
  // Each operation is mapped by itself, because one column may serve two of them.
  const maps: { readonly step: Operation; readonly map: ColumnMap }[] = [];
  for (const step of operation.steps) {
    const stepChoice = { ...chosen, columns: entriesOf(step, chosen.columns) };
    const before = earlier && { ...earlier, columns: entriesOf(step, earlier.columns) };
    const fed = Object.values(stepChoice.columns).filter(
      (column) => chosen.added?.includes(column) === true && !header.includes(column),
    );
    // The cells of a column that the list does not have are blank.
    maps.push({ step, map: await columnsOfOne(step, sheet, [...header, ...fed], stepChoice, before) });
  }
  return inOne(maps);
}

function inOne(maps: readonly { readonly step: Operation; readonly map: ColumnMap }[]): ColumnMap {
  const called = <Value>(of: (map: ColumnMap) => Iterable<readonly [string, Value]>) =>
    maps.flatMap(({ step, map }) =>
      [...of(map)].map(([name, value]) => [`${step.name}.${name}`, value] as const),
    );
  const notes = new Set(maps.flatMap(({ map }) => map.note ?? []));
  return {
    columns: Object.fromEntries(called(({ columns }) => Object.entries(columns))),
    guessed: maps.some(({ map }) => map.guessed),
    because: new Map(called(({ because }) => because)),
    ...(notes.size === 0 ? {} : { note: [...notes].join(' ') }),
    read: (row) => Object.fromEntries(called((map) => Object.entries(map.read(row)))),
  };
}

async function columnsOfOne(
  operation: Operation,
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
  chosen: ChosenColumns,
  earlier: EarlierGuess | undefined,
): Promise<ColumnMap> {
  const columns = Object.fromEntries(Object.entries(chosen.columns).filter(([, column]) => column !== ''));
  const except = Object.keys(chosen.columns).filter((input) => chosen.columns[input] === '');
  const found =
    chosen.guesses === undefined
      ? columnMapOf(operation, header, asChosen(operation, header, { ...chosen, columns }))
      : await guessed(operation, sheet, header, saidOf(operation, header, columns, except), earlier);
  const label = await labelIn(operation, sheet, header, found);
  if (label !== undefined) {
    const { input, column, words } = label;
    const fact =
      `Most rows say ${foreignName(words)} in the column ${foreignName(column)}, ` +
      'so the column names no person or company.';
    if (chosen.guesses === undefined || columns[input] !== undefined)
      throw stop(
        'job',
        fact,
        phrase`Leave it unread ${byFlag('--column', `${input}=`)}, or name another column.`,
      );
    const others = { ...chosen, columns: { ...chosen.columns, [input]: '' } };
    return {
      ...(await columnsOfOne(operation, sheet, header, others, earlier)),
      note: `${fact} It is not read.`,
    };
  }
  const passedOver = unheededColumns(operation, header, found.columns).find(
    ({ input }) => !except.includes(input),
  );
  if (passedOver !== undefined) throw passedOverStop(operation, passedOver);
  return found;
}

/**
 * Finds a column that should tell each person apart, but has the same word in most rows. A purchase by that
 * word would give the data of one stranger to everybody.
 */
async function labelIn(
  { inputs }: Operation,
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
  { columns }: ColumnMap,
): Promise<{ readonly input: string; readonly column: string; readonly words: string } | undefined> {
  const ones = inputs.find(({ name, isOnes }) => isOnes && columns[name] !== undefined);
  const column = ones && columns[ones.name];
  if (ones === undefined || column === undefined) return undefined;
  const words = (await readContent(sheet, header.length)).label(header.indexOf(column));
  return words === undefined ? undefined : { input: ones.name, column, words };
}

async function guessed(
  operation: Operation,
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
  hints: ColumnHints,
  before: EarlierGuess | undefined,
): Promise<ColumnMap> {
  const earlier = before !== undefined && isAsSaid(before, hints) ? before : undefined;
  const byHeader = guessColumns(operation, header, undefined, hints);
  // Columns that were added to an output may have the better names. Their cells are about the person or
  // company in the answer, so a run that read them would buy answers about answers.
  const isThere = (column: string): boolean => header.includes(column);
  if (earlier?.isOutput && Object.values(earlier.columns).every(isThere))
    return asBefore(operation, header, earlier, new Map());
  if (earlier !== undefined && agreesByName(operation, header, earlier.columns))
    return asBefore(operation, header, earlier, byHeader.sure);
  const mayAdd = operation.inputs.some(
    ({ name, looksRight, isOthers }) => isOthers || (looksRight && !byHeader.sure.has(name)),
  );
  const isSure = !mayAdd && byHeader.problem === undefined;
  const content = isSure ? undefined : await readContent(sheet, header.length);
  return columnMapOf(operation, header, guessColumns(operation, header, content, hints));
}

function isAsSaid({ columns }: EarlierGuess, hints: ColumnHints): boolean {
  return (
    [...hints.columns].every(([input, { column }]) => columns[input] === column) &&
    hints.except.every((input) => columns[input] === undefined)
  );
}

function asBefore(
  operation: Operation,
  header: readonly string[],
  { batch, columns, isOutput }: EarlierGuess,
  byHeader: Guess['sure'],
): ColumnMap {
  const asIn = `as in batch ${batch}${isOutput ? ', which made this output' : ''}`;
  const because = (input: string, column: string): string => {
    const named = byHeader.get(input);
    return named?.column === column ? named.because : asIn;
  };
  return columnMapOf(operation, header, asChosen(operation, header, { columns }, because));
}

/** @throws StopError `job` when a guess is not sure, or no column is usable. */
export function columnMapOf(
  operation: Operation,
  header: readonly string[],
  { sure: mapping, problem, note }: Guess,
): ColumnMap {
  if (problem !== undefined) throw problem;
  for (const { column } of mapping.values()) requireOnce(header, column);
  const pairs = operation.inputs.flatMap(({ name }) => {
    const found = mapping.get(name);
    return found === undefined ? [] : [{ name, ...found, index: header.indexOf(found.column) }];
  });
  const guessed = pairs.some(({ because }) => because !== SAID);
  return {
    // We build the object from entries, because an assignment to "__proto__" would be lost.
    columns: Object.fromEntries(pairs.map(({ name, column }) => [name, column])),
    guessed,
    because: new Map(guessed ? pairs.map(({ name, because }) => [name, because]) : []),
    ...present({ note: operation.needsNoColumn && pairs.length === 0 ? alikeNote(operation) : note }),
    read: ({ cells }) => inputIn(pairs, cells),
  };
}

/**
 * Reads the inputs of a row of a list. Only the names and the cells of the list are known.
 * @param columns input → column.
 */
export function inputReader(
  columns: Readonly<Record<string, string>>,
  header: readonly string[],
): (row: InputRow) => RowInput {
  const pairs = Object.entries(columns).map(([name, column]) => ({ name, index: header.indexOf(column) }));
  return ({ cells }) => inputIn(pairs, cells);
}

function inputIn(
  pairs: readonly { readonly name: string; readonly index: number }[],
  cells: readonly string[],
): RowInput {
  // The object has no prototype, because a job may give an input any name.
  const input: Record<string, string> = Object.create(null);
  for (const { name, index } of pairs) input[name] = cells[index] ?? '';
  return input;
}

function alikeNote({ name }: Operation): string {
  return (
    `No column is used for ${name}, so all rows ask the same, and it is bought once. ` +
    'To make them differ, name columns: --column INPUT=COLUMN.'
  );
}

/**
 * The columns, with the reason of each guess that is not by the column's name:
 * `abn ← Number (by its content, 40 of 40 cells)`.
 */
export function guessWords({ columns, because }: Pick<ColumnMap, 'columns' | 'because'>): string {
  const words = Object.entries(columns).map(([input, column]) => {
    const why = because.get(input) ?? BY_NAME;
    // A column's name comes from a file, and is shown on a terminal.
    return `${input} ← ${plainText(column)}${isByHeader(why) ? '' : ` (${why})`}`;
  });
  return words.length === 0 ? 'none' : words.join(', ');
}

export function columnFlag({ input, column }: Pick<LikelyColumn, 'input' | 'column'>): string {
  return `--column ${shellWord(plainText(`${input}=${column}`))}`;
}

/** How the columns were guessed. */
export function guessedHow({ because }: Pick<ColumnMap, 'because'>): 'by their names' | 'guessed' {
  return [...because.values()].every(isByHeader) ? 'by their names' : 'guessed';
}

/** Why a column was taken that the user or the job named. */
const SAID = 'as you said';

function isByHeader(why: string): boolean {
  return why === BY_NAME || why === SAID;
}

/**
 * Input → column as the job chose; every name is known. A required input that the job left out takes the
 * column with exactly its name.
 */
function asChosen(
  operation: Operation,
  header: readonly string[],
  { columns, refused = (problem) => problem }: ChosenColumns,
  becauseOf: (input: string, column: string) => string = () => SAID,
): Guess {
  const named = operation.inputs.filter(({ name, required }) => required && header.includes(name));
  const mapping = new Map([...named.map(({ name }) => [name, name] as const), ...Object.entries(columns)]);
  requireKnown(operation, header, mapping);
  const sure = new Map(
    [...mapping].map(([input, column]) => [input, { column, because: becauseOf(input, column) }]),
  );
  const problem = missingColumns(operation, header, mapping);
  return { sure, ...present({ problem: problem && refused(problem, operation) }) };
}

function requireKnown(
  { name, inputs: fields }: Operation,
  header: readonly string[],
  mapping: ReadonlyMap<string, string>,
): void {
  const inputs = fields.map((field) => field.name);
  for (const [input, column] of mapping) {
    if (!inputs.includes(input)) {
      const fact = `columns: ${foreignName(input)} is not an input of ${name}.`;
      throw stop('job', fact, meantWord(input, inputs));
    }
    if (!header.includes(column)) {
      const named = foreignName(column);
      const typed = `columns: ${input} should come from ${named}, but the file has no such column.`;
      const fact = faces(
        typed,
        `The list has no column ${named}, which was chosen as the ${inputWords(input)}.`,
      );
      throw stop('job', fact, meantWord(column, header));
    }
  }
}

/** @throws StopError `job` for a column of `only_if` or `unless` that the list does not have. */
export function requireConditioned(
  { only_if = {}, unless = {}, problem }: Pick<Job, 'only_if' | 'unless' | 'problem'>,
  header: readonly string[],
): void {
  for (const [entry, columns] of Object.entries({ only_if, unless })) {
    for (const column of Object.keys(columns)) {
      requireOnce(header, column);
      if (header.includes(column)) continue;
      const lacks = `the list has no column ${foreignName(column)}`;
      const fact = faces(`${entry}: ${lacks}`, `${lacks}, by which rows are left out`);
      const next = meantWord(column, header);
      throw problem?.([entry, column], 'name', fact, next) ?? stop('job', phrase`${fact}.`, next);
    }
  }
}

function saidOf(
  operation: Operation,
  header: readonly string[],
  columns: ChosenColumns['columns'],
  except: ColumnHints['except'],
): ColumnHints {
  const mapping = new Map(Object.entries(columns));
  requireKnown(operation, header, mapping);
  const givenColumns = [...mapping].map(([input, column]) => [input, { column, because: SAID }] as const);
  return { columns: new Map(givenColumns), except };
}
