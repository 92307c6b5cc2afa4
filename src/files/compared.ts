import type { ReadOptions, Sheet } from '../core/format.ts';
import type { InputRow, RowNumber } from '../core/row.ts';
import { inputOf } from '../core/steps.ts';
import { textHash53 } from '../lib/text-hash.ts';
import { firstPlaces } from './header.ts';
import { openFile } from './input.ts';
import { guessedIn, identifierInputs, meaningOf } from './telling-columns.ts';

/**
 * Compares two versions of a list by what tells its rows, wherever they stand: a row that was moved is the
 * same row. Most rows are as they were, and of those nothing is kept but a number.
 */

export interface Compared {
  readonly same: number;
  readonly added: readonly RowNumber[];
  /** Rows that some cells tell to be a row of before, and others differ. */
  readonly changed: readonly (readonly [now: RowNumber, before: RowNumber])[];
  /** Rows of the version before. */
  readonly gone: readonly RowNumber[];
  /** Whether any column of theirs says who is meant. Else rows are told by their first cells. */
  readonly isTold: boolean;
}

/** How many rows of the smaller one of two versions are in both, of all that it has. */
export function sharedRows({ same, added, changed, gone }: Compared) {
  const shared = same + changed.length;
  return { shared, of: shared + Math.min(added.length, gone.length) };
}

/**
 * @param chosen columns by which the rows are asked, by their inputs; others are guessed.
 * @throws StopError `input` where one of the versions cannot be read.
 */
export async function compareVersions(
  read: ReadOptions,
  before: string,
  now: string,
  chosen: Readonly<Record<string, string>> = {},
): Promise<Compared> {
  const older = await openVersion(before, read, chosen);
  const newer = await openVersion(now, read, chosen);
  const pairs = columnPairs(older, newer);
  const was = new Rows(
    older,
    pairs.map(([at]) => at),
  );
  const is = new Rows(
    newer,
    pairs.map(([, at]) => at),
  );
  await pairAlike(was, is);
  const same = is.numbers.length - is.remainingRows;
  if (was.remainingRows > 0 && is.remainingRows > 0) await pairChanged(was, is);
  const isTold = [older, newer].some(({ identifiers, names }) => identifiers.length > 0 || names.length > 0);
  return { ...resultOf(was, is, same), isTold };
}

// --------------------------------------------------------------------------------------------- the columns

interface Version {
  readonly sheet: Sheet;
  readonly header: readonly string[];
  /** The places of the columns that say who is meant, the surest first, each with its input. */
  readonly identifiers: readonly (readonly [at: number, input: string])[];
  /** The places of the columns that name a row beside these. */
  readonly names: readonly number[];
}

/** The inputs that call somebody by name: the person, else the company. */
const NAMES: readonly (readonly string[])[] = [
  ['full_name', 'first_name', 'last_name'],
  ['name', 'company'],
];

async function openVersion(path: string, read: ReadOptions, chosen: Readonly<Record<string, string>>) {
  const { sheet } = await openFile(path, read);
  const header = await sheet.header();
  return { sheet, header, ...(await tellingColumns(sheet, header, chosen)) };
}

async function tellingColumns(
  sheet: Sheet,
  header: readonly string[],
  chosen: Readonly<Record<string, string>>,
): Promise<Pick<Version, 'identifiers' | 'names'>> {
  const placeOf = firstPlaces(header);
  const isIdentifier = await identifierInputs();
  // By what she has chosen her rows are asked, so that tells them first.
  const askedColumns = Object.entries(chosen).map(([name, column]) => ({ input: inputOf(name), column }));
  const all = [...askedColumns, ...(await guessedIn(sheet, header))];
  const placesOf = (isMeant: (input: string) => boolean): Map<number, string> => {
    const places = new Map<number, string>();
    for (const { input, column } of all) {
      const at = placeOf.get(column);
      if (at !== undefined && isMeant(input) && !places.has(at)) places.set(at, input);
    }
    return places;
  };
  const identifiers = placesOf((input) => isIdentifier.has(input));
  const named = NAMES.map((inputs) => [...placesOf((input) => inputs.includes(input)).keys()]);
  return { identifiers: [...identifiers], names: named.find((places) => places.length > 0) ?? [] };
}

/** The places of the columns that both have: by their names, else by the input that they serve. */
export function columnPairs(
  older: Pick<Version, 'header'> & Partial<Version>,
  newer: Pick<Version, 'header'> & Partial<Version>,
): readonly (readonly [before: number, now: number])[] {
  const placeOf = firstPlaces(newer.header);
  const inputOf = new Map(older.identifiers);
  return older.header.flatMap((name, at): readonly (readonly [number, number])[] => {
    const [served] = newer.identifiers?.find(([, input]) => input === inputOf.get(at)) ?? [];
    const place = placeOf.get(name) ?? served;
    return place === undefined ? [] : [[at, place]];
  });
}

// ------------------------------------------------------------------------------------------------ the rows

/** The rows of one version, by their order. */
class Rows {
  readonly version: Version;
  /** The places of the columns that both versions have. */
  readonly #compared: readonly number[];
  readonly numbers: RowNumber[] = [];
  /** The place of the row of the other version that is the same; -1 for none. */
  other: Int32Array = new Int32Array();
  readonly isChanged = new Set<number>();
  remainingRows = 0;

  constructor(version: Version, compared: readonly number[]) {
    this.version = version;
    this.#compared = compared;
  }

  /** A number for all cells of each row. */
  async wholes(): Promise<readonly number[]> {
    const wholes: number[] = [];
    for await (const group of this.version.sheet.groups())
      for (const { row, cells, unreadable } of group) {
        this.numbers.push(row);
        wholes.push(textHash53(unreadable === undefined ? textOf(cells, this.#compared) : cells.join('\0')));
      }
    this.other = new Int32Array(wholes.length).fill(-1);
    this.remainingRows = wholes.length;
    return wholes;
  }

  /** What tells the rows that are left, and by what the others are told. */
  async rest(): Promise<Rest> {
    const { sheet, identifiers, names } = this.version;
    const telling = identifiers.map(([at]) => at);
    const namesAt = telling.length + names.length === 0 ? [0] : names;
    const others = this.#compared.filter((at) => !telling.includes(at));
    const rest: Rest = { unmatched: [], known: [] };
    let at = -1;
    for await (const group of sheet.groups())
      for (const { cells, unreadable } of group) {
        at += 1;
        if (unreadable !== undefined) continue;
        const written = telling.map((place) => cells[place] ?? '');
        const name = keyOf('name', textOf(cells, namesAt).toLowerCase());
        if (this.other[at] !== -1) {
          rest.known.push(name);
          for (const text of written) rest.known.push(keyOf('written', text));
          continue;
        }
        const meanings = written.map(meaningOf);
        rest.unmatched.push({
          at,
          identity: keyOf('all', meanings.map(({ text }) => text).join('\0')),
          each: meanings.map(({ text }) => keyOf('each', text)),
          written: written.map((text) => keyOf('written', text)),
          name,
          others: keyOf('others', textOf(cells, others)),
          isUsable: meanings.some(({ isUsable }) => isUsable),
        });
      }
    return rest;
  }
}

const textOf = (cells: InputRow['cells'], places: readonly number[]): string =>
  places.map((at) => cells[at] ?? '').join('\0');

/** 0 for what is blank, which tells nothing. */
const keyOf = (kind: string, text: string): number =>
  /[^\0\s]/.test(text) ? textHash53(`${kind}\0${text}`) : 0;

interface Rest {
  /** The rows that have no like yet. */
  readonly unmatched: RowKeys[];
  /** The keys of the others, by which a row that is left is not alone. */
  readonly known: number[];
}

/** What tells a row; 0 stands for nothing. */
interface RowKeys {
  readonly at: number;
  /** Of all its identifiers, and of each. */
  readonly identity: number;
  readonly each: readonly number[];
  /** The same as they are written. */
  readonly written: readonly number[];
  readonly name: number;
  /** Of its cells beside the identifiers. */
  readonly others: number;
  /** Whether any of its identifiers can be used. */
  readonly isUsable: boolean;
}

// ----------------------------------------------------------------------------------------------- the pairs

function join(was: Rows, before: number, is: Rows, now: number): void {
  was.other[before] = now;
  is.other[now] = before;
  was.remainingRows -= 1;
  is.remainingRows -= 1;
}

async function pairAlike(was: Rows, is: Rows): Promise<void> {
  const [before, now] = [await was.wholes(), await is.wholes()];
  const pairs = pairsInOrder(before, now);
  for (const [one, other] of pairs) join(was, one, is, other);
}

/** The places of equal keys, each once, in the order of the lists. */
function* pairsInOrder(
  before: readonly number[],
  now: readonly number[],
): Generator<readonly [number, number]> {
  const first = new Map<number, number>();
  const next = new Int32Array(before.length).fill(-1);
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const key = before[at] ?? 0;
    next[at] = first.get(key) ?? -1;
    first.set(key, at);
  }
  for (const [at, key] of now.entries()) {
    const place = key === 0 ? -1 : (first.get(key) ?? -1);
    if (place === -1) continue;
    first.set(key, next[place] ?? -1);
    yield [place, at];
  }
}

/** Each step pairs what is less sure than the step before it, of the rows that are left. */
async function pairChanged(was: Rows, is: Rows): Promise<void> {
  const before = await was.rest();
  const now = await is.rest();
  const known = new Set(
    [...before.unmatched, ...now.unmatched].flatMap(({ name, written }) => [name, ...written]),
  );
  // The rows that are as before have the same keys in both.
  const taken = new Set(now.known.filter((key) => known.has(key)));
  const isFree =
    (rows: Rows) =>
    (row: RowKeys): boolean =>
      rows.other[row.at] === -1;
  const change = (one: number, other: number): void => {
    join(was, one, is, other);
    is.isChanged.add(other);
  };
  const inOrder = (by: (row: RowKeys) => number): void => {
    const [older, newer] = [before.unmatched.filter(isFree(was)), now.unmatched.filter(isFree(is))];
    for (const [one, other] of pairsInOrder(older.map(by), newer.map(by)))
      change(older[one]?.at ?? 0, newer[other]?.at ?? 0);
  };
  /** Only by a key that no other row of either list has. */
  const alone = (
    by: (row: RowKeys) => readonly number[],
    mayBe: (one: RowKeys, other: RowKeys) => boolean,
  ): void => {
    const older = aloneBy(before.unmatched, by);
    for (const [key, row] of aloneBy(now.unmatched, by)) {
      const other = older.get(key);
      if (!row || !other || !isFree(was)(other) || !isFree(is)(row)) continue;
      if (mayBe(other, row)) change(other.at, row.at);
    }
  };
  const always = (): boolean => true;
  // The address of a company may stand in the rows of many people: then their names tell them.
  inOrder(({ identity, name }) => (identity === 0 || name === 0 ? 0 : textHash53(`${identity} ${name}`)));
  inOrder(({ identity, name }) => (name === 0 ? identity : 0));
  alone(({ each, written }) => each.filter((_, at) => !taken.has(written[at] ?? 0)), always);
  alone(({ name }) => (taken.has(name) ? [] : [name]), always);
  // A damaged identifier that was mended since is another one: the other cells tell the row.
  alone(
    ({ others }) => [others],
    (one, other) => !(one.isUsable && other.isUsable),
  );
}

/** The row that alone has each key; undefined where several have it. */
function aloneBy(
  rows: readonly RowKeys[],
  by: (row: RowKeys) => readonly number[],
): Map<number, RowKeys | undefined> {
  const found = new Map<number, RowKeys | undefined>();
  for (const row of rows)
    for (const key of new Set(by(row))) if (key !== 0) found.set(key, found.has(key) ? undefined : row);
  return found;
}

function resultOf(was: Rows, is: Rows, same: number): Omit<Compared, 'isTold'> {
  const added: RowNumber[] = [];
  const changed: [RowNumber, RowNumber][] = [];
  for (const [at, row] of is.numbers.entries()) {
    const before = was.numbers[is.other[at] ?? -1];
    if (before === undefined) added.push(row);
    else if (is.isChanged.has(at)) changed.push([row, before]);
  }
  return { same, added, changed, gone: was.numbers.filter((_, at) => was.other[at] === -1) };
}
