import type { RowNumber } from '../../core/row.ts';

/**
 * Finds the rows of a result in a file that its user has sorted, cut or added to since. What was sent says which row is meant,
 * and where several rows were sent alike, or with nothing, their other cells do. The number of a row only says which of rows that
 * are the same to their user is the one.
 */

/** A row of a result. */
export interface ResultLine {
  /** Its number in the list that it was made of. */
  readonly row: RowNumber;
  /** Its identifiers as they would be sent, in one text; empty where it has none. */
  readonly key: string;
  /** Its cells that are sent, as a row that was finished from them has them. */
  readonly input: string;
  /** What its other cells were before anybody edited one, in one text; undefined where nobody can tell, or they say nothing. */
  readonly other: string | undefined;
}

/** A row of the file that gets the result. */
export type IntoLine = ResultLine;

export interface Matches {
  /** The position of the result by the row that gets it. */
  readonly byRow: ReadonlyMap<RowNumber, number>;
  /** Rows that get the answer to what they say, though another row may be the one whose cells the result has. */
  readonly doubtful: ReadonlySet<RowNumber>;
  /** Positions of results that no row gets. */
  readonly nowhere: readonly number[];
}

/**
 * @param sentAs what each row of the list was finished from, as far as it is known.
 * @param isWhole whether no cell of the user's is left out of the other cells, so that rows that agree in them are the same to her.
 */
export function matchRows(
  results: readonly ResultLine[],
  into: readonly IntoLine[],
  sentAs: ReadonlyMap<RowNumber, string>,
  isWhole = true,
): Matches {
  return new Matching(results, into, sentAs, isWhole).matches();
}

type KeyOf<Line> = (line: Line, at: number) => string | undefined;

/** Whether a result may be that of a row. */
type MayBe = (at: number, line: IntoLine) => boolean;

class Matching {
  readonly #results: readonly ResultLine[];
  readonly #into: readonly IntoLine[];
  readonly #sentAs: ReadonlyMap<RowNumber, string>;
  readonly #isWhole: boolean;
  readonly #known: ReadonlySet<string>;
  /** How many rows of the list were sent alike, also those that are not in the result any more. */
  readonly #sentCounts: ReadonlyMap<string, number>;
  readonly #inputCounts: ReadonlyMap<string, number>;
  readonly #foundCounts = new Map<string, number>();
  readonly #byRow = new Map<RowNumber, number>();
  readonly #doubtful = new Set<RowNumber>();
  readonly #matched = new Set<number>();

  constructor(
    results: readonly ResultLine[],
    into: readonly IntoLine[],
    sentAs: ReadonlyMap<RowNumber, string>,
    isWhole: boolean,
  ) {
    this.#results = results;
    this.#into = into;
    this.#sentAs = sentAs;
    this.#isWhole = isWhole;
    this.#known = new Set(sentAs.values());
    const unsent = results.filter(({ row }) => !sentAs.has(row)).map(({ input }) => input);
    this.#sentCounts = counted([...sentAs.values(), ...unsent]);
    this.#inputCounts = counted(into.map(({ input }) => input));
  }

  matches(): Matches {
    this.#matchAgreeing();
    this.#matchSentAlike();
    this.#matchMended();
    this.#matchSpelledOtherwise();
    this.#matchMendedInBoth();
    this.#matchNameless();
    const nowhere = [...this.#results.keys()].filter((at) => this.#isFree(at));
    return { byRow: this.#byRow, doubtful: this.#doubtful, nowhere };
  }

  /** What was sent and all other cells: nothing says more about which row is meant. */
  #matchAgreeing(): void {
    const mayBe: MayBe = (at, { key }) => this.#isMended(at) || this.#keyAt(at) === key;
    this.#pairAgreeing(
      (_, at) => this.#sentAt(at),
      ({ input }) => input,
      mayBe,
    );
    // Of rows that are alike in everything each may have the answer to what all of them say.
    const isAlike = (at: number): boolean => this.#keyAt(at) !== '' && (this.#isWhole || !this.#isMended(at));
    const ones = grouped(this.#results, ({ key, other }, at) =>
      isAlike(at) ? textOf(this.#sentAt(at), key, other) : undefined,
    );
    this.#pairInOrder(({ input, key, other }) => ones.get(textOf(input, key, other) ?? ''));
  }

  /** Whatever its other cells are by now, the answer to what was sent is that of a row that says the same. */
  #matchSentAlike(): void {
    const ones = grouped(this.#results, ({ key }, at) =>
      key === '' ? undefined : textOf(this.#sentAt(at), key),
    );
    const isSure = ({ input }: IntoLine): boolean => this.#isOnly(input);
    this.#pairInOrder(({ input, key }) => ones.get(textOf(input, key) ?? ''), isSure);
  }

  /** A row that was mended since is known by what it was when it was sent, where no other row was the same. */
  #matchMended(): void {
    const ones = grouped(this.#results, (_, at) => (this.#isMended(at) ? this.#sentAt(at) : undefined));
    for (const line of this.#left()) {
      const [at] = ones.get(line.input) ?? [];
      if (at !== undefined && line.key !== '' && this.#isOnly(line.input)) this.#match(line, at);
    }
  }

  /** What is written in another way may have been sent in several ways, with an answer to each of them. */
  #matchSpelledOtherwise(): void {
    const keyOf: KeyOf<ResultLine> = ({ key }, at) => (key === '' || this.#isMended(at) ? undefined : key);
    this.#pairAgreeing(
      keyOf,
      ({ key }) => key,
      (at, line) => this.#mayBelong(at, line) || this.#isOver(line),
    );
    const ones = grouped(this.#results, keyOf);
    const rows = counted(this.#into.map(({ key }) => key));
    const sents = grouped(this.#results, (line, at) =>
      this.#sentAs.has(line.row) ? keyOf(line, at) : undefined,
    );
    const isOneAnswer = (key: string): boolean =>
      new Set((sents.get(key) ?? []).map((at) => this.#sentAt(at))).size <= 1;
    this.#pairInOrder(
      (line) => {
        const [first, ...more] = ones.get(line.key) ?? [];
        if (first === undefined || !isOneAnswer(line.key)) return undefined;
        return [first, ...more].filter((at) => this.#mayBelong(at, line));
      },
      ({ key }) => ones.get(key)?.length === 1 && rows.get(key) === 1,
    );
  }

  /** Its new identifiers may be those of another row, which is known by what that was. */
  #matchMendedInBoth(): void {
    const keyOf: KeyOf<ResultLine> = ({ key }, at) => (key !== '' && this.#isMended(at) ? key : undefined);
    this.#pairAgreeing(
      keyOf,
      ({ key }) => key,
      (at, line) => this.#mayBelong(at, line),
    );
    const ones = grouped(this.#results, (line, at) => (this.#isFree(at) ? keyOf(line, at) : undefined));
    const rows = grouped(this.#left(), ({ key }) => key);
    for (const line of this.#left()) {
      const [at, ...more] = ones.get(line.key) ?? [];
      const isSure = more.length === 0 && rows.get(line.key)?.length === 1;
      if (at !== undefined && isSure && this.#mayBelong(at, line)) this.#match(line, at);
    }
  }

  #matchNameless(): void {
    const keyOf: KeyOf<ResultLine> = ({ key }) => (key === '' ? key : undefined);
    this.#pairAgreeing(keyOf, keyOf, () => true);
  }

  /** The only ones in both files whose keys and other cells are the same; where several rows are the same to her, by the number. */
  #pairAgreeing(ofResult: KeyOf<ResultLine>, ofInto: KeyOf<IntoLine>, mayBe: MayBe): void {
    const ones = grouped(this.#results, (line, at) => textOf(ofResult(line, at), line.other));
    const rows = grouped(this.#into, (line, at) => textOf(ofInto(line, at), line.other));
    for (const [text, found] of ones) {
      const lines = (rows.get(text) ?? []).map((at) => this.#into[at]);
      const isOnly = found.length === 1 && lines.length === 1;
      const byNumber = new Map(this.#isWhole ? lines.map((line) => [line?.row, line]) : []);
      for (const at of found) {
        const line = isOnly ? lines[0] : byNumber.get(this.#results[at]?.row);
        if (line !== undefined && mayBe(at, line)) this.#match(line, at);
      }
    }
  }

  /**
   * Of several that may be meant the one with the row's number, then the first that is left.
   * @param isSure whether nothing else can be meant; left out: they are all alike.
   */
  #pairInOrder(
    candidatesOf: (line: IntoLine) => readonly number[] | undefined,
    isSure: (line: IntoLine) => boolean = () => true,
  ): void {
    const match = (line: IntoLine, at: number | undefined): void => {
      if (at === undefined) return;
      this.#match(line, at);
      if (!isSure(line)) this.#doubtful.add(line.row);
    };
    for (const line of this.#left())
      match(
        line,
        candidatesOf(line)?.find((at) => this.#isFree(at) && this.#results[at]?.row === line.row),
      );
    for (const line of this.#left())
      match(
        line,
        candidatesOf(line)?.find((at) => this.#isFree(at)),
      );
  }

  #match(line: IntoLine, at: number): void {
    if (!this.#isFree(at) || this.#byRow.has(line.row)) return;
    this.#byRow.set(line.row, at);
    this.#matched.add(at);
    const sent = this.#sentAt(at);
    this.#foundCounts.set(sent, (this.#foundCounts.get(sent) ?? 0) + 1);
  }

  #isFree(at: number): boolean {
    return !this.#matched.has(at);
  }

  #left(): readonly IntoLine[] {
    return this.#into.filter(({ row }) => !this.#byRow.has(row));
  }

  #keyAt(at: number): string {
    return this.#results[at]?.key ?? '';
  }

  #sentAt(at: number): string {
    const { row = 0, input = '' } = this.#results[at] ?? {};
    return this.#sentAs.get(row) ?? input;
  }

  #isMended(at: number): boolean {
    return this.#sentAt(at) !== this.#results[at]?.input;
  }

  /** Whether one row alone was sent so, and one alone says so now. */
  #isOnly(input: string): boolean {
    return this.#sentCounts.get(input) === 1 && this.#inputCounts.get(input) === 1;
  }

  /** Whether the row does not say what another one was sent with. */
  #mayBelong(at: number, { input }: IntoLine): boolean {
    return !this.#known.has(input) || this.#sentAt(at) === input;
  }

  /** Whether each row that was sent so has been found elsewhere. */
  #isOver({ input }: IntoLine): boolean {
    return this.#sentCounts.get(input) === this.#foundCounts.get(input);
  }
}

/** Undefined where one of them is not known. */
function textOf(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

function counted<Key>(keys: readonly Key[]): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The positions of those that have the same key; those without one are in no group. */
function grouped<Line, Key>(
  lines: readonly Line[],
  keyOf: (line: Line, at: number) => Key | undefined,
): ReadonlyMap<Key, readonly number[]> {
  const groups = new Map<Key, number[]>();
  for (const [at, line] of lines.entries()) {
    const key = keyOf(line, at);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [at]);
    else group.push(at);
  }
  return groups;
}
