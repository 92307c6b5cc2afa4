import type { Call } from '../core/operation.ts';
import { ATTENTION_KINDS, type OutcomeKind, type RowNumber } from '../core/row.ts';
import { type AnswerRecord, type Batch, type Credits, credits, type RowRecord } from './ledger.ts';

/** What is counted while the output is written, for the report and the summary. */

export interface IdentifierTally {
  /** Rows for which this identifier was asked about, and those of them that it found. */
  asked: number;
  found: number;
}

export interface AttentionRow {
  readonly row: RowNumber;
  readonly kind: OutcomeKind;
  readonly reason: string;
  /** Its cell in the column by which a person knows it; cut. */
  readonly name: string;
}

/** The report shows this many rows that need attention; the file beside it holds all of them. */
const ATTENTION_ROWS_SHOWN = 1_000;

/** More of a cell than this nobody needs to know a row by. */
const NAME_SHOWN = 80;

/**
 * The column by which a person knows a row: one that is called a name, else the first that the job sends.
 * @param used headers of the columns that the job uses.
 */
export function nameColumnIn(header: readonly string[], used: readonly string[]): string | undefined {
  const called = header.filter((each) => /\bname\b/i.test(each.replaceAll(/[_-]|(?<=[a-z])(?=[A-Z])/g, ' ')));
  return called[0] ?? header.find((each) => used.includes(each));
}

export class Tally {
  readonly counts = new Map<OutcomeKind | 'pending', number>();
  readonly identifiers = new Map<string, IdentifierTally>();
  readonly attention: AttentionRow[] = [];
  /** The header of the column whose cells are the names of rows; undefined where none was told. */
  nameColumn: string | undefined;
  /** What went into the file of results, for an operation that has one and found any. */
  results: { readonly file: string; readonly count: number } | undefined;
  /** Cells of all files that would have begun a formula and got a mark. */
  formulas = 0;
  /** Rows that were sent repaired. */
  repaired = 0;
  #saved = 0;

  /** What the shared and the earlier bought answers would have cost had every row bought its own. */
  get saved(): Credits {
    return credits(this.#saved);
  }

  /** @param name of the row, for whoever looks at it later. */
  add(batch: Batch, row: RowNumber, record: RowRecord | undefined, name = ''): void {
    const kind = record?.outcome.kind ?? 'pending';
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (record === undefined) return;
    const { outcome, answers } = record;
    for (const answer of answers) {
      this.#addIdentifier(answer);
      if (!isPaidBy(batch, row, answer)) this.#saved += answer.charged;
    }
    if (ATTENTION_KINDS.has(outcome.kind) && this.attention.length < ATTENTION_ROWS_SHOWN) {
      this.attention.push({
        row,
        kind: outcome.kind,
        reason: outcome.reason ?? '',
        name: name.slice(0, NAME_SHOWN),
      });
    }
  }

  /** A row that a repair mends and that is invalid all the same, or pending, was not sent. */
  addRepaired(record: RowRecord | undefined): void {
    if (record !== undefined && record.outcome.kind !== 'invalid') this.repaired += 1;
  }

  #addIdentifier({ call, kind }: AnswerRecord): void {
    // A change is told by what it does: all of a kind ask by the same parameters.
    const name = call.change === undefined ? identifierOf(call) : call.operation;
    const tally = this.identifiers.get(name) ?? { asked: 0, found: 0 };
    tally.asked += 1;
    if (kind === 'found') tally.found += 1;
    this.identifiers.set(name, tally);
  }
}

/** What a call asks about, as a waterfall names it: `abn`, or `abn+domain` for two in one call. */
export function identifierOf({ parameters }: Call): string {
  // A call that brings its own request is known by where it goes.
  if (typeof parameters.endpoint === 'string') return parameters.endpoint;
  const names = Object.keys(parameters);
  const [only = ''] = names;
  return names.length > 1 ? names.join('+') : only;
}

/** A shared call is paid by its lowest row; one of another batch by none of this one. */
export function isPaidBy(batch: Batch, row: RowNumber, answer: AnswerRecord): boolean {
  return answer.batch === batch.id && answer.paidRow === row;
}
