import { StopError } from '../core/errors.ts';
import type { Operation } from '../core/operation.ts';
import {
  ColumnContent,
  guessColumns,
  isGenericGuess,
  type LikelyColumn,
  likelyColumns,
} from './columns/columns.ts';

/** Which operations a file fits, by which of its columns, and how sure that is. */

export interface Fit {
  readonly operation: string;
  readonly summary: string;
  /** Input → column, by sure guesses: what a run without `columns` would take. */
  readonly columns: Readonly<Record<string, string>>;
  /** Input → why, as a phrase. */
  readonly because: Readonly<Record<string, string>>;
  /** Columns that a run would not take, and that a user who knows the file may name in a job. */
  readonly likely: readonly LikelyColumn[];
  /** Why a run would be refused; undefined when it would not. */
  readonly problem?: string;
}

/** An operation as it is without a job, or why it is nothing without one. */
type Candidate =
  | { readonly kind: 'shaped'; readonly operation: Operation }
  | { readonly kind: 'unshaped'; readonly operation: Operation; readonly problem: string };

/** Takes the rows of a file in order, and knows in the end which operations the file fits. */
export class FitFinder {
  readonly #header: readonly string[];
  readonly #candidates: readonly Candidate[];
  readonly #content: ColumnContent;

  constructor(header: readonly string[], operations: Iterable<Operation>) {
    this.#header = header;
    this.#candidates = [...operations].map(candidateOf);
    this.#content = new ColumnContent(
      header.length,
      this.#candidates.map(({ operation }) => operation),
    );
  }

  add(cells: readonly string[]): void {
    this.#content.add(cells);
  }

  fits(): readonly Fit[] {
    return this.#candidates.map((candidate) => {
      const { name, summary } = candidate.operation;
      if (candidate.kind === 'shaped')
        return { operation: name, summary, ...this.#fitOf(candidate.operation) };
      const { problem } = candidate;
      return { operation: name, summary, columns: {}, because: {}, likely: [], problem };
    });
  }

  #fitOf(operation: Operation): Omit<Fit, 'operation' | 'summary'> {
    const { sure, problem } = guessColumns(operation, this.#header, this.#content);
    const generic = [...sure].find(([, { column }]) => isGenericGuess(operation, this.#header, column));
    if (generic !== undefined)
      return { columns: {}, because: {}, likely: [], problem: genericWords(...generic) };
    const entries = operation.inputs.flatMap(({ name }) => {
      const guessed = sure.get(name);
      return guessed === undefined ? [] : [{ name, ...guessed }];
    });
    return {
      columns: Object.fromEntries(entries.map(({ name, column }) => [name, column])),
      because: Object.fromEntries(entries.map(({ name, because }) => [name, because])),
      likely: likelyColumns(operation, this.#header, this.#content, sure),
      ...(problem === undefined ? {} : { problem: problem.message }),
    };
  }
}

function genericWords(input: string, { column }: { readonly column: string }): string {
  return `a column called ${JSON.stringify(column)} may hold the names of anything; say ${input}: ${column} under columns: in a job if it is meant`;
}

/** Some operations take their inputs from the job, and say without one what they need. */
function candidateOf(operation: Operation): Candidate {
  try {
    return { kind: 'shaped', operation: operation.shapedBy?.({}) ?? operation };
  } catch (error) {
    if (!(error instanceof StopError)) throw error;
    return { kind: 'unshaped', operation, problem: error.message };
  }
}
