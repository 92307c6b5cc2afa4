import { type StopError, stop, suggestion } from '../../core/errors.ts';
import type { Sheet } from '../../core/format.ts';
import { inputWords } from '../../core/input-words.ts';
import type { InputField, Operation } from '../../core/operation.ts';
import { isOutput } from '../../core/our-columns.ts';
import { asField, asFlag, byFlag, faces, type Phrase, phrase, typing } from '../../core/phrase.ts';
import { counted, foreignName, listed as listedWords } from '../../core/plain-text.ts';
import { isFoundColumn } from '../../core/row.ts';
import { shellWord } from '../../lib/command-line.ts';
import { identifierText } from '../../values/blank.ts';
import type { KindName } from '../../values/kind.ts';
import { isDate } from '../../values/text.ts';
import { domain } from '../../values/website.ts';
import { lookedAt } from '../shape/list-start.ts';
import {
  BY_CONTENT,
  isAboutAnother,
  isAboutValue,
  kindByName,
  kindOfInput,
  SHARE_THAT_DECIDES,
} from './column-kind.ts';
import { isNamedWithin, isNameOf, lettersAndDigits } from './column-names.ts';

/**
 * Guesses which column feeds which input. A name outranks content. Content decides where several names say
 * the same, where no name says anything, or where most cells below the name are blank, as addresses are in
 * LinkedIn's list. Beside other columns, content adds only columns with a checksum, and those with a word of
 * their kind in the name, which are judged by that kind: another address that looks right may be anybody's,
 * and would be paid for.
 */

/** A column that was taken for an input, and why, as a phrase: `by its name`. */
export interface GuessedColumn {
  readonly column: string;
  readonly because: string;
}

/** A column that is probably meant for an input. Nothing is sent because of it. */
export interface LikelyColumn extends GuessedColumn {
  readonly input: string;
}

export const BY_NAME = 'by its name';

export interface Guess {
  readonly sure: ReadonlyMap<string, GuessedColumn>;
  /** A sentence about a column that has the name of an input, and is about others. */
  readonly note?: string;
  /** Why the operation cannot be run with the sure columns; undefined when it can. */
  readonly problem?: StopError;
}

/** One damaged cell in ten is still a column of that kind; with its word in the name two are. */
const SURE_SHARE = 0.9;

/** A single cell may look like anything. */
const SURE_CELLS = 2;

/**
 * The least share of different cells. A column with fewer is about a few that come again and again: a seller,
 * a directory, the user's own company.
 */
const SURE_DISTINCT = 0.5;

/**
 * The least share of filled cells. A column with more blanks has identifiers in remarks, which are about
 * anybody.
 */
const SURE_ROWS = 0.1;

/**
 * Above this share of right cells, a second column is a rival, and only the user knows which of the two is
 * meant.
 */
const RIVAL_SHARE = 0.1;

/**
 * Below this share of right cells, an identifier in a column is a remark, and not the purpose of the column.
 */
const LIKELY_SHARE = 0.5;

export interface ColumnHints {
  readonly columns: ReadonlyMap<string, GuessedColumn>;
  /** Inputs that shall have no column. */
  readonly except: readonly string[];
}

const NOTHING_SAID: ColumnHints = { columns: new Map(), except: [] };

/** @param content left out: only the header counts. */
export function guessColumns(
  operation: Operation,
  header: readonly string[],
  content?: ColumnContent,
  { columns, except }: ColumnHints = NOTHING_SAID,
): Guess {
  const named = [...columns.keys(), ...except];
  const inputs = operation.inputs.filter(({ name, needsBy }) => !needsBy && !named.includes(name));
  const open = { ...operation, inputs };
  const { sure, unclear } = byName(open, header, content, columns);
  if (unclear !== undefined) return { sure, problem: unclear };
  const others = content === undefined ? [] : aboutOthers(open, header, content, sure);
  for (const { input } of others) sure.delete(input);
  if (content !== undefined) addByContent(open, header, content, sure);
  const likely = content === undefined ? [] : likelyColumns(open, header, content, sure);
  const problem = missingColumns(operation, header, sure, likely[0]);
  const note = others.map(({ column }) => othersNote(operation, column)).join(' ');
  return { sure, ...(problem === undefined ? {} : { problem }), ...(note === '' ? {} : { note }) };
}

/**
 * The columns that were taken by their names alone, with cells about others: by a person's link no company is
 * looked up, so nothing is promised by it, and no row complains.
 */
function aboutOthers(
  { inputs }: Operation,
  header: readonly string[],
  content: ColumnContent,
  sure: Guess['sure'],
): readonly { readonly input: string; readonly column: string }[] {
  return inputs.flatMap(({ name: input, isOthers, looksRight }) => {
    const { column, because } = sure.get(input) ?? {};
    if (isOthers === undefined || looksRight === undefined || column === undefined || because !== BY_NAME)
      return [];
    const at = header.indexOf(column);
    const isOfOthers = shareOf(content.share(at, isOthers)) >= SHARE_THAT_DECIDES;
    return isOfOthers && content.share(at, looksRight).right === 0 ? [{ input, column }] : [];
  });
}

const othersNote = ({ name }: Operation, column: string): string =>
  `The column ${foreignName(column)} has links that ${name} cannot look up, so it is not read.`;

/** Columns for inputs that have no sure column. Rivals and columns with too few right cells are included. */
export function likelyColumns(
  operation: Operation,
  header: readonly string[],
  content: ColumnContent,
  sure: Guess['sure'],
): readonly LikelyColumn[] {
  const taken = new Set([...sure.values()].map(({ column }) => column));
  return operation.inputs.flatMap(({ name: input, looksRight }) => {
    if (looksRight === undefined || sure.has(input)) return [];
    const likely = header.flatMap((column, at) => {
      const share = content.share(at, looksRight);
      const isFree = !taken.has(column) && !isFoundColumn(column) && !areRecords(input, share);
      return isFree && shareOf(share) >= LIKELY_SHARE ? [{ column, share }] : [];
    });
    // A domain is a website as well. The column goes to the first input that fits, which is the better one.
    for (const { column } of likely) taken.add(column);
    return likely.map(({ column, share }) => ({ input, column, because: becauseLikely(column, share) }));
  });
}

function becauseLikely(column: string, share: Share): string {
  if (isAboutAnother(column)) return `${byContent(share)}, though its name suggests another person`;
  const doubt = doubtOf(share);
  return doubt === undefined ? byContent(share) : `${byContent(share)}, ${doubt}`;
}

/**
 * Why a column is not taken although most of its cells look right, as a clause; undefined when it may be
 * taken.
 */
function doubtOf({ right, distinct, filled, rows }: Share): string | undefined {
  if (distinct < right * SURE_DISTINCT) return 'few different values';
  return filled <= rows * SURE_ROWS ? 'the others are blank' : undefined;
}

/**
 * Whether the cells of a column are different pages of one host, such as the records of a CRM. None of them
 * is a company's website.
 */
function areRecords(input: string, { pagesOfOne }: Share): boolean {
  const kind = kindOfInput(input);
  return pagesOfOne > 1 && (kind === 'website' || kind === 'domain');
}

/**
 * Whether the columns that were taken before agree with the names of the header, so that only cells may say
 * otherwise.
 */
export function agreesByName(
  { inputs }: Operation,
  header: readonly string[],
  columns: Readonly<Record<string, string>>,
): boolean {
  const isThere = Object.values(columns).every((column) => header.includes(column));
  return (
    isThere &&
    inputs.every((input) => {
      const claimants = namesakesOf(input, header);
      return claimants.length === 0 || claimants.includes(columns[input.name] ?? '');
    })
  );
}

function byName(
  operation: Operation,
  header: readonly string[],
  content: ColumnContent | undefined,
  givenColumns: ColumnHints['columns'],
): { readonly sure: Map<string, GuessedColumn>; readonly unclear?: StopError } {
  const sure = new Map(givenColumns);
  const taken = new Set([...givenColumns.values()].map(({ column }) => column));
  for (const input of operation.inputs) {
    const claimants = claimantsOf(input, header).filter((column) => !taken.has(column));
    const [column, ...others] = claimants;
    if (column === undefined) continue;
    // In an earlier output, the first of several columns is meant, because we add ours to the right.
    if (others.every((other) => other === column) || isOutput(header))
      sure.set(input.name, { column, because: BY_NAME });
    else {
      const decided = content && soleColumn(input, claimants, header, content);
      if (decided === undefined) return { sure, unclear: notSure(operation, input, claimants) };
      sure.set(input.name, { column: decided.column, because: decided.because });
    }
  }
  return { sure };
}

/** Columns with the input's name; where there are none, those of a program that have it within theirs. */
function claimantsOf(input: InputField, header: readonly string[]): readonly string[] {
  const namesakes = namesakesOf(input, header);
  if (namesakes.length > 0) return namesakes;
  return header.filter((column) => isNamedWithin(input, column) && !isFoundColumn(column));
}

function namesakesOf(input: InputField, header: readonly string[]): readonly string[] {
  const isNamed = input.required === true && header.includes(input.name);
  if (isNamed) return [input.name];
  return header.filter((column) => isNameOf(input, column) && !isFoundColumn(column));
}

/**
 * Columns that tell the place of a person in the service, or the identity of the person, and that feed no
 * input. An operation that only looks up has none.
 */
export function unheededColumns(
  { heeds = [] }: Operation,
  header: readonly string[],
  columns: Readonly<Record<string, string>>,
): readonly Pick<LikelyColumn, 'input' | 'column'>[] {
  const read = Object.values(columns);
  return heeds.flatMap((input) => {
    const column = claimantsOf(input, header).find((each) => !read.includes(each));
    return column === undefined || columns[input.name] !== undefined ? [] : [{ input: input.name, column }];
  });
}

/**
 * Columns that nothing reads and that may say where a person goes, whatever their names are: text that comes
 * again from row to row, or too few cells to tell. A person's own facts, such as a name, come once.
 */
export async function sortingColumns(
  sheet: Pick<Sheet, 'groups'>,
  header: readonly string[],
  columns: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const read = Object.values(columns);
  const isOpen = (column: string): boolean =>
    column !== '' && !read.includes(column) && !isFoundColumn(column);
  if (!header.some(isOpen)) return [];
  const content = await readContent(sheet, header.length);
  return header.filter((column, at) => isOpen(column) && content.sorts(at));
}

const takesOut = ({ described: { calls } }: Operation): boolean =>
  Object.values(calls).every(({ changes }) => changes === 'takes_invite_back' || changes === 'removes');

export function passedOverStop(
  operation: Operation,
  { input, column }: Pick<LikelyColumn, 'input' | 'column'>,
): StopError {
  const what = input === 'user_id' ? 'who a person is' : 'where a person goes';
  const typed = `${operation.name} would not read the column ${foreignName(column)}, which says ${what}.`;
  const fact = faces(typed, `Nothing reads the column ${foreignName(column)}, which says ${what}.`);
  const isInput = operation.inputs.some(({ name }) => name === input);
  const read = isInput
    ? phrase`Read it ${byFlag('--column', shellWord(`${input}=${column}`))}`
    : faces('Use onboard, which reads it', 'Invite a team, which reads it');
  // A user who takes people out is not sent to an operation that invites them.
  const advice = takesOut(operation) && !isInput ? 'Say' : phrase`${read}, or say`;
  return stop('job', fact, phrase`${advice} ${byFlag('--column', `${input}=`)} that it is left unread.`);
}

/**
 * Whether a column is taken for an input by a name that may mean anything, in a list that also has columns
 * about other things. A user who names the operation means that column. A user who asks for operations that
 * fit the file may not mean it.
 */
export function isGenericGuess(operation: Operation, header: readonly string[], column: string): boolean {
  const { inputs } = operation;
  if (!inputs.some(({ generic = [] }) => generic.includes(lettersAndDigits(column)))) return false;
  return header.some((each) => inputs.every((input) => claimantsOf(input, [each]).length === 0));
}

/**
 * Adds required inputs, inputs with a checksum, columns with a word of their kind in the name, and any input
 * where most rows are blank in the columns that the header gives.
 */
function addByContent(
  { inputs }: Operation,
  header: readonly string[],
  content: ColumnContent,
  sure: Map<string, GuessedColumn>,
): void {
  const named = [...sure.values()].map(({ column }) => header.indexOf(column));
  const isOpen = !content.fillsMost(named);
  const isFree = ({ name, required, checksummed }: InputField): boolean =>
    (!sure.has(name) && (isOpen || required === true || checksummed === true)) ||
    (checksummed === true && content.isBlank(header.indexOf(sure.get(name)?.column ?? '')));
  for (const input of inputs) {
    const isAny = isFree(input);
    if (sure.has(input.name) && !isAny) continue;
    const taken = new Set([...sure.values()].map(({ column }) => column));
    const free = header.filter((column) => !taken.has(column) && !isFoundColumn(column));
    const sole = soleColumn(input, isAny ? free : free.filter(hasWordOf(input)), header, content);
    if (sole === undefined || isAboutAnother(sole.column) || doubtOf(sole.share) !== undefined) continue;
    sure.set(input.name, { column: sole.column, because: sole.because });
  }
}

/** Whether a name has a word of the kind: `E-mail addr`. */
const hasWordOf =
  ({ name }: Pick<InputField, 'name'>) =>
  (column: string): boolean =>
    kindByName(column, []) === (kindOfInput(name) ?? 'none') && !isAboutValue(column);

/**
 * The only column whose cells are of that kind; undefined when there is none, or when a second one may be
 * meant.
 */
function soleColumn(
  { name, looksRight }: InputField,
  columns: readonly string[],
  header: readonly string[],
  content: ColumnContent,
): (GuessedColumn & { readonly share: Share }) | undefined {
  if (looksRight === undefined) return undefined;
  const wanted = new Set(columns);
  const rivals = header.flatMap((column, at) => {
    const share = wanted.has(column) ? content.share(at, looksRight) : undefined;
    const isRival = share !== undefined && shareOf(share) > RIVAL_SHARE && !areRecords(name, share);
    return isRival ? [{ column, share }] : [];
  });
  const [first, second] = rivals;
  if (first === undefined || (second !== undefined && !isOutput(header))) return undefined;
  const { column, share } = first;
  const least = hasWordOf({ name })(column) ? SHARE_THAT_DECIDES : SURE_SHARE;
  const isSure = share.right >= SURE_CELLS && shareOf(share) >= least;
  return isSure ? { column, share, because: byContent(share) } : undefined;
}

function shareOf({ right, filled }: Share): number {
  return filled === 0 ? 0 : right / filled;
}

function byContent({ right, filled }: Share): string {
  return `by its content, ${right} of ${counted(filled, 'cell')}`;
}

/** Where a column is named for an input. */
const byColumn = (input: string): Phrase =>
  typing`: ${asFlag('--column', `${input}=…`)}, or under \`${asField('columns')}:\` in a job`;

function notSure(operation: Operation, input: InputField, claimants: readonly string[]): StopError {
  const typed = `${operation.name}: the columns ${listed(claimants)} could all be ${foreignName(input.name)}.`;
  const fact = faces(typed, `The columns ${listed(claimants)} could all be ${inputWords(input.name)}.`);
  return stop('job', fact, phrase`Name the right one${byColumn(input.name)}.`);
}

/** @returns undefined when every required input has a column. */
export function missingColumns(
  operation: Operation,
  header: readonly string[],
  mapped: ReadonlyMap<string, unknown>,
  likely?: LikelyColumn,
): StopError | undefined {
  const missing = operation.inputs.find(({ name, required }) => required && !mapped.has(name));
  if (missing !== undefined) {
    const { name, about } = missing;
    const fact = `The list has no column for the ${inputWords(name)} (${about}).`;
    const meant = likely?.input === name ? likelyWords(likely) : suggestion(name, header);
    return stop('job', fact, phrase`${meant} ${typing`If so${byColumn(name)}.`}`);
  }
  const lacking = mapped.size === 0 ? undefined : operation.lacks?.([...mapped.keys()]);
  if (lacking !== undefined) {
    const by = operation.by?.map((each) => each.split('+').map(inputWords).join(' + ')).join(', or ') ?? '';
    const fact = `A row is looked up by ${by}, and the list has no column for the ${inputWords(lacking)}.`;
    const next = phrase`Name the column that is missing${byColumn(lacking)}.`;
    return stop('job', fact, next);
  }
  if (mapped.size > 0 || operation.inputs.length === 0 || operation.needsNoColumn) return undefined;
  const names = operation.inputs.map(({ name }) => name);
  const typed =
    `A row is looked up by ${names.map(inputWords).join(', or ')}; ` +
    `none was recognized among the columns ${listed(header)}.`;
  const ways = operation.inputs.filter(({ needsBy }) => !needsBy).map(({ name }) => inputWords(name));
  const fact = faces(typed, `No column is recognized as ${anyOf(ways)}.`);
  const next = phrase`Name a column that has one of them${byColumn(names[0] ?? '')}${typing`; the inputs are ${names.join(', ')}`}.`;
  return stop('job', fact, likely === undefined ? next : phrase`${likelyWords(likely)} ${next}`);
}

const anyOf = (names: readonly string[]): string => listedWords(names).replace(/ and (?=[^,]*$)/, ' or ');

function likelyWords({ input, column, because }: LikelyColumn): Phrase {
  const named = foreignName(column);
  const typed = `${foreignName(input)} may be ${named}, ${because}.`;
  return faces(typed, `${named} may be the ${inputWords(input)}, ${because}.`);
}

/** More names than these help no one, and a sheet may have 100,000. */
const COLUMNS_SHOWN = 30;

function listed(columns: readonly string[]): string {
  const shown = columns.slice(0, COLUMNS_SHOWN).map(foreignName).join(', ');
  const more = columns.length - COLUMNS_SHOWN;
  return more > 0 ? `${shown} and ${more} others` : shown;
}

// ---------------------------------------------------------------------------------------- what the cells say

/**
 * The cells of the first rows, and what they tell about their columns. Only these rows count, so that a guess
 * is the same every time.
 */

/** More rows change no guess: nine in ten of so many are never nine in ten by chance. */
const ROWS_LOOKED_AT = 1_000;

/**
 * A sheet of 100,000 columns is looked at in some rows only. Otherwise the guess would take longer than the
 * run.
 */
const CELLS_LOOKED_AT = 1_000_000;

/** The least number of filled cells. Fewer may all be one person's by chance. */
const FEWEST_OF_LABEL = 5;

type LooksRight = NonNullable<InputField['looksRight']>;

interface Share {
  readonly right: number;
  readonly distinct: number;
  /** How many different pages these are, where all of them are pages of one host; else 0. */
  readonly pagesOfOne: number;
  readonly filled: number;
  /** How many rows were looked at, including rows where the cell is blank. */
  readonly rows: number;
}

export class ColumnContent {
  readonly #rows: (readonly string[])[] = [];
  readonly #most: number;
  readonly #shares = new Map<LooksRight, Map<number, Share>>();

  constructor(width: number) {
    this.#most = Math.min(ROWS_LOOKED_AT, Math.ceil(CELLS_LOOKED_AT / Math.max(width, 1)));
  }

  /** Whether enough rows were looked at. Rows that are added later are ignored. */
  get isComplete(): boolean {
    return this.#rows.length === this.#most;
  }

  add(cells: readonly string[]): void {
    if (!this.isComplete) this.#rows.push(lookedAt(cells));
  }

  /** Whether every cell of a column is blank. @param at the column, from 0. */
  isBlank(at: number): boolean {
    return this.#filled(at).length === 0;
  }

  /** Whether most rows have a filled cell in one of the columns. */
  fillsMost(columns: readonly number[]): boolean {
    const isFilled = (cells: readonly string[]) => columns.some((at) => (cells[at] ?? '').trim() !== '');
    return columns.length > 0 && this.#rows.filter(isFilled).length * 2 >= this.#rows.length;
  }

  /** The text in more than half of the filled cells of a column that has at least five of them. */
  label(at: number): string | undefined {
    const filled = this.#filled(at);
    if (filled.length < FEWEST_OF_LABEL) return undefined;
    const counts = new Map<string, number>();
    for (const cell of filled.map((each) => each.trim().toLowerCase()))
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    return [...counts].find(([, count]) => count > filled.length / 2)?.[0];
  }

  /** Whether the cells are text by which the rows may be sorted: some come again, or they are few. */
  sorts(at: number): boolean {
    const filled = this.#filled(at).map((each) => each.trim().toLowerCase());
    const isText = this.kind(at) === 'text' && !filled.every(isDate);
    return isText && (filled.length < FEWEST_OF_LABEL || new Set(filled).size < filled.length);
  }

  /** The caller asks for a share only after it has added all rows. */
  share(at: number, looksRight: LooksRight): Share {
    const known = this.#shares.get(looksRight) ?? new Map<number, Share>();
    this.#shares.set(looksRight, known);
    const share = known.get(at) ?? this.#shareOf(at, looksRight);
    known.set(at, share);
    return share;
  }

  /** The kind that the cells of a column tell. */
  kind(at: number): KindName {
    const found = BY_CONTENT.find(
      ([, looksRight]) => shareOf(this.share(at, looksRight)) >= SHARE_THAT_DECIDES,
    );
    return found?.[0] ?? 'text';
  }

  #shareOf(at: number, looksRight: LooksRight): Share {
    const filled = this.#filled(at);
    const right = filled.filter((cell) => looksRight(cell));
    const distinct = new Set(right.map(whomItIsAbout)).size;
    const pagesOfOne = distinct === 1 ? new Set(right.map(pageBelowHost)).size : 0;
    return { right: right.length, distinct, pagesOfOne, filled: filled.length, rows: this.#rows.length };
  }

  #filled(at: number): readonly string[] {
    return this.#rows.map((cells) => cells[at] ?? '').filter((cell) => identifierText(cell) !== '');
  }
}

/**
 * The host of a website. Pages below one host are about one company: in a column of sources, the directory's
 * own.
 */
function whomItIsAbout(cell: string): string {
  const host = cell.includes('.') && !cell.includes('@') ? domain.read(cell) : undefined;
  return host?.kind === 'usable' ? host.value : cell;
}

/** What stands behind the host of an address, with what it keeps behind `#`. */
const pageBelowHost = (cell: string): string => cell.trim().replace(/^(?:[a-z]+:\/\/)?[^/?#]*\/?/i, '');

/** Reads the first rows of a file, up to the limits of `ColumnContent`. */
export async function readContent(sheet: Pick<Sheet, 'groups'>, width: number): Promise<ColumnContent> {
  const content = new ColumnContent(width);
  for await (const group of sheet.groups()) {
    for (const { cells, unreadable } of group) if (unreadable === undefined) content.add(cells);
    if (content.isComplete) break;
  }
  return content;
}
