import type { RowNumber } from '../../core/row.ts';

/**
 * Finds the rows of a result in a file that its user has sorted, cut or added to since. What was sent says which row is meant,
 * and where several rows were sent alike, or with nothing, their other cells do. The number of a row only says which of rows that
 * are the same to their user is the one.
 */

export interface IntoLine {
  /** Its number in its file; of a row of a result in the list that it was made of. */
  readonly row: RowNumber;
  /** Its identifiers as they would be sent, in one text; empty where it has none. */
  readonly key: string;
  /** Its cells that are sent, as a row that was finished from them has them. */
  readonly input: string;
  /** What its other cells were before anybody edited one, in one text; undefined where nobody can tell, or they say nothing. */
  readonly other: string | undefined;
}

export interface ResultLine extends IntoLine {
  /** What it was told, where nobody knows what was sent. Rows that were told different things were not sent alike. */
  readonly answer: string;
}

export interface Matches {
  /** The position of the result by the row that gets it. */
  readonly byRow: ReadonlyMap<RowNumber, number>;
  /** Rows that get the answer to what they say, though another row may be the one whose cells the result has. */
  readonly doubtful: ReadonlySet<RowNumber>;
  /** Positions of results that no row gets. */
  readonly nowhere: readonly number[];
}

/**
 * @param sentAs what each row of the list was finished from, as far as it is known; undefined where only the rows of the result say it.
 * @param isWhole whether no cell of the user's is left out of the other cells, so that rows that agree in them are the same to her.
 */
export function matchRows(
  results: readonly ResultLine[],
  into: readonly IntoLine[],
  sentAs: ReadonlyMap<RowNumber, string> | undefined,
  isWhole = true,
): Matches {
  return new Matching(results, into, sentAs, isWhole).matches();
}

type KeyOf<Line> = (line: Line) => string | undefined;

interface Sent extends ResultLine {
  readonly at: number;
  readonly sent: string;
  /** Whether it says something else where it is sent by now. */
  readonly isMended: boolean;
}

class Matching {
  readonly #results: readonly Sent[];
  readonly #into: readonly IntoLine[];
  readonly #sentAs: ReadonlyMap<RowNumber, string> | undefined;
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
    sentAs: ReadonlyMap<RowNumber, string> | undefined,
    isWhole: boolean,
  ) {
    this.#results = results.map((line, at) => {
      const sent = sentAs?.get(line.row) ?? line.input;
      return { ...line, at, sent, isMended: sent !== line.input };
    });
    this.#into = into;
    this.#sentAs = sentAs;
    this.#isWhole = isWhole;
    const said = results.map(({ input }) => input);
    const listed = sentAs === undefined ? said : [...sentAs.values()];
    this.#known = new Set(listed);
    const unlisted = results.filter((line) => !this.#isListed(line)).map(({ input }) => input);
    this.#sentCounts = counted([...listed, ...unlisted]);
    this.#inputCounts = counted(into.map(({ input }) => input));
  }

  matches(): Matches {
    this.#matchAgreeing();
    this.#matchSentAlike();
    this.#matchMended();
    this.#matchSpelledOtherwise();
    this.#matchMendedInBoth();
    this.#matchNameless();
    const nowhere = this.#left().map(({ at }) => at);
    return { byRow: this.#byRow, doubtful: this.#doubtful, nowhere };
  }

  /** What was sent and all other cells: nothing says more about which row is meant. */
  #matchAgreeing(): void {
    this.#pairAgreeing(
      ({ sent }) => sent,
      ({ input }) => input,
      (one, { key }) => one.isMended || one.key === key,
    );
    // Of rows that are alike in everything each may have the answer to what all of them say.
    this.#pairInOrder(
      ({ sent, key, other, isMended }) =>
        key !== '' && (this.#isWhole || !isMended) ? textOf(sent, key, other) : undefined,
      ({ input, key, other }) => textOf(input, key, other),
      () => true,
    );
  }

  /** Whatever its other cells are by now, the answer to what was sent is that of a row that says the same. */
  #matchSentAlike(): void {
    this.#pairInOrder(
      ({ sent, key }) => (key === '' ? undefined : textOf(sent, key)),
      ({ input, key }) => textOf(input, key),
      ({ input }) => this.#isOnly(input),
    );
  }

  /** A row that was mended since is known by what it was when it was sent, where no other row was the same. */
  #matchMended(): void {
    this.#pairInOrder(
      ({ sent, isMended }) => (isMended ? sent : undefined),
      ({ input, key }) => (key !== '' && this.#isOnly(input) ? input : undefined),
      () => true,
    );
  }

  /** What is written in another way may have been sent in several ways, with an answer to each of them. */
  #matchSpelledOtherwise(): void {
    const keyOf: KeyOf<Sent> = ({ key, isMended }) => (key === '' || isMended ? undefined : key);
    this.#pairAgreeing(
      keyOf,
      ({ key }) => key,
      (one, line) => this.#mayBelong(one, line) || this.#isOver(line),
    );
    const listed = this.#results.filter((line) => this.#isListed(line));
    const isSentInSeveralWays = severalOf(listed, keyOf, ({ sent }) => sent);
    const [ones, rows] = [counted(this.#results.map(keyOf)), counted(this.#into.map(({ key }) => key))];
    this.#pairInOrder(
      keyOf,
      ({ input, key }) => (this.#known.has(input) || isSentInSeveralWays.has(key) ? undefined : key),
      ({ key }) => ones.get(key) === 1 && rows.get(key) === 1,
    );
  }

  /** Its new identifiers may be those of another row, which is known by what that was. */
  #matchMendedInBoth(): void {
    const keyOf: KeyOf<Sent> = ({ key, isMended }) => (key !== '' && isMended ? key : undefined);
    this.#pairAgreeing(
      keyOf,
      ({ key }) => key,
      (one, line) => this.#mayBelong(one, line),
    );
    const [ones, rows] = [counted(this.#left().map(keyOf)), counted(this.#open().map(({ key }) => key))];
    this.#pairInOrder(
      keyOf,
      ({ input, key }) =>
        this.#known.has(input) || ones.get(key) !== 1 || rows.get(key) !== 1 ? undefined : key,
      () => true,
    );
  }

  /** Rows without identifiers that are alike were told the same, unless theirs were deleted in the result. */
  #matchNameless(): void {
    this.#pairAgreeing(
      ({ key, isMended }) => (key === '' && !isMended ? key : undefined),
      ({ key }) => (key === '' ? key : undefined),
      () => true,
    );
    this.#pairInOrder(
      ({ sent, key, other = '' }) => (key === '' ? textOf(sent, other) : undefined),
      ({ input, key, other = '' }) => (key === '' ? textOf(input, other) : undefined),
      () => false,
    );
  }

  /** The only ones in both files whose keys and other cells are the same; where several rows are the same to all, by the number. */
  #pairAgreeing(
    ofResult: KeyOf<Sent>,
    ofInto: KeyOf<IntoLine>,
    mayBe: (one: Sent, line: IntoLine) => boolean,
  ): void {
    const ones = grouped(this.#results, (one) => textOf(ofResult(one), one.other));
    const rows = grouped(this.#into, (line) => textOf(ofInto(line), line.other));
    for (const [text, found] of ones) {
      const lines = rows.get(text) ?? [];
      const isOnly = found.length === 1 && lines.length === 1;
      const isAlike = this.#isWhole && new Set(found.map(({ answer }) => answer)).size === 1;
      const byNumber = new Map(isAlike ? lines.map((line) => [line.row, line]) : []);
      for (const one of found) {
        const line = isOnly ? lines[0] : byNumber.get(one.row);
        if (line !== undefined && mayBe(one, line)) this.#match(one, line);
      }
    }
  }

  /**
   * Of several that may be meant the one with the row's number, then the first that is left; none where they were not sent alike.
   * @param isSure whether nothing else can be meant.
   */
  #pairInOrder(ofResult: KeyOf<Sent>, ofInto: KeyOf<IntoLine>, isSure: (line: IntoLine) => boolean): void {
    const match = (one: Sent | undefined, line: IntoLine | undefined): void => {
      if (one === undefined || line === undefined) return;
      this.#match(one, line);
      if (!isSure(line)) this.#doubtful.add(line.row);
    };
    const unlike = severalOf(this.#results, ofResult, ({ answer }) => answer);
    const ofAlike: KeyOf<Sent> = (one) => {
      const key = ofResult(one);
      return key === undefined || unlike.has(key) ? undefined : key;
    };
    const numbered = grouped(this.#left(), (one) => textOf(ofAlike(one), `${one.row}`));
    for (const [text, [line]] of grouped(this.#open(), (line) => textOf(ofInto(line), `${line.row}`)))
      match(numbered.get(text)?.[0], line);
    const waiting = grouped(this.#left(), ofAlike);
    for (const [key, lines] of grouped(this.#open(), ofInto)) {
      for (const [at, line] of lines.entries()) match(waiting.get(key)?.[at], line);
    }
  }

  #match(one: Sent, line: IntoLine): void {
    if (this.#matched.has(one.at) || this.#byRow.has(line.row)) return;
    this.#byRow.set(line.row, one.at);
    this.#matched.add(one.at);
    this.#foundCounts.set(one.sent, (this.#foundCounts.get(one.sent) ?? 0) + 1);
  }

  #isListed({ row }: ResultLine): boolean {
    return this.#sentAs?.has(row) ?? true;
  }

  /** Results that have no row yet. */
  #left(): readonly Sent[] {
    return this.#results.filter(({ at }) => !this.#matched.has(at));
  }

  /** Rows that have no result yet. */
  #open(): readonly IntoLine[] {
    return this.#into.filter(({ row }) => !this.#byRow.has(row));
  }

  #isOnly(input: string): boolean {
    return this.#sentCounts.get(input) === 1 && this.#inputCounts.get(input) === 1;
  }

  #mayBelong({ sent }: Sent, { input }: IntoLine): boolean {
    return !this.#known.has(input) || sent === input;
  }

  /** Whether each row that was sent so has been found elsewhere. */
  #isOver({ input }: IntoLine): boolean {
    return this.#sentCounts.get(input) === this.#foundCounts.get(input);
  }
}

function textOf(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

export function counted<Key>(keys: Iterable<Key>): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function grouped<Line>(lines: readonly Line[], keyOf: KeyOf<Line>): ReadonlyMap<string, readonly Line[]> {
  const groups = Map.groupBy(lines, keyOf);
  groups.delete(undefined);
  return groups as Map<string, Line[]>;
}

function severalOf<Line>(
  lines: readonly Line[],
  keyOf: KeyOf<Line>,
  said: (line: Line) => string,
): ReadonlySet<string> {
  const groups = [...grouped(lines, keyOf)];
  return new Set(groups.flatMap(([key, group]) => (new Set(group.map(said)).size > 1 ? key : [])));
}
