import { ATTENTION_KINDS } from '../../core/counts.ts';
import { sayAll, sayInShort } from '../../core/finding-words.ts';
import { isTaking } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import { isFilledBefore, isLeftOut, needsPerson } from '../../core/outcome.ts';
import { type Outcome, type OutcomeKind, RowCount, type RowNumber } from '../../core/row.ts';
import { stepNames } from '../../core/steps.ts';
import {
  type AttemptId,
  type Batch,
  type BatchId,
  type Credits,
  credits,
  type Money,
  type RowAnswer,
  type RowRecord,
} from '../../ledger/ledger.ts';
import type { FiguresObject, SpentObject } from '../../objects/batch-view.ts';
import type { RowMatch } from './match.ts';

import { CALLED } from './summary-words.ts';

/** Counts what became of rows, one after the other: while an output is written, or from the ledger alone. */

/** Ends of rows that rest on no answer, whatever an identifier before has brought. */
const WITHOUT_ANSWER: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>(['invalid', 'in_doubt', 'skipped']);

/** Rows for which an identifier was asked about; `found` counts those that it found. */
type IdentifierTally = FiguresObject['identifiers'][number];

/** A reason may be another one for each row. Rows with a reason after these are told together. */
const MOST_REASONS = 100;

export class Tally {
  /** The rows of the list, and how many of them have ended. */
  rows = 0;
  ended = 0;
  /** The added columns in their order, and how many rows were found with a value in them. */
  columns: readonly { readonly name: string; readonly path: string }[] = [];
  readonly filled = new Map<string, number>();
  #saved = 0;
  /** How many of the found rows have something of each step. */
  readonly #foundOf = new Map<string, number>();
  /** Rows that the job has left out, or a person, whose doubt may be one of an earlier start. */
  leftOut = 0;
  /** Those of them whose cells were filled before. */
  filledBefore = 0;
  /** Rows that are done, and have a damaged cell. */
  damaged = 0;
  /** Rows whose answer is about another company or person, and which need a person for nothing else. */
  mismatched = 0;
  /** Rows that were found with another ABN than the list has. */
  readonly otherAbn = new RowCount();
  /** Rows that were found by what this batch has bought for them; the other found ones were free. */
  bought = 0;
  /** Rows in which nothing was found, and for which this batch has paid. */
  missedPaid = 0;
  /** Rows for which nothing was asked: their answers were known before, or are those of another row. */
  known = 0;
  twice = 0;
  /** Those of the known rows with answers that an earlier start of the list has bought. */
  askedBefore = 0;
  twiceBefore = 0;
  /** Those of the found rows that an earlier start of the list has bought, and not this one. */
  boughtBefore = 0;
  /** What earlier starts have bought, and by which a row of this one is found. */
  readonly #foundBefore = new Set<AttemptId>();
  readonly #before: ReadonlySet<BatchId>;
  /** A row of an earlier version had another number, so the first one that meets an answer has it. */
  readonly #met = new Set<AttemptId>();
  readonly #leftOut = new Map<string, number>();
  readonly #identifiers = new Map<string, IdentifierTally>();
  readonly #reasons = new Map<
    string,
    {
      readonly kind: OutcomeKind;
      readonly words: string;
      readonly isOther: true | undefined;
      readonly rows: RowCount;
    }
  >();

  /** @param before the earlier starts of the same list. */
  constructor(before: ReadonlySet<BatchId> = new Set()) {
    this.#before = before;
  }

  /** What shared answers and earlier bought ones would have cost if every row had bought its own. */
  get saved(): Credits {
    return credits(this.#saved);
  }

  /** @param match left out: no one asks whether the answer is the right one. */
  add(batch: Batch, row: RowNumber, record: RowRecord | undefined, match?: RowMatch): void {
    const { outcome, answers } = countedIn(record);
    this.rows += 1;
    if (outcome === undefined) return;
    this.ended += 1;
    if (outcome.kind === 'skipped') this.#addSkipped(outcome);
    this.#addAnswers(batch, row, answers);
    if (outcome.kind === 'matched') this.#addSteps(answers);
    const paid = answers.filter((answer) => isPaidBy(batch, row, answer));
    this.#addPaid(outcome.kind, paid);
    // A row without any answer, such as one in doubt, was asked all the same.
    const isFree = answers.length > 0 && paid.length === 0 && !WITHOUT_ANSWER.has(outcome.kind);
    const isTwice = isFree && answers.some((answer) => answer.batch === batch.id);
    if (isTwice) this.twice += 1;
    else if (isFree) this.known += 1;
    this.#addBefore(outcome.kind, answers, paid, isFree && !isTwice);
    if (match?.hasOtherAbn === true) this.otherAbn.add(row);
    if (needsPerson(outcome)) {
      if (!ATTENTION_KINDS.has(outcome.kind)) this.damaged += 1;
      this.#addAttention(
        row,
        outcome.kind,
        sayInShort({ ...outcome, isChange: batch.vendor === 'service' }, CALLED),
      );
    } else if (match?.needsPerson === true) {
      this.mismatched += 1;
      this.#addAttention(row, outcome.kind, match.inShort, true);
    }
  }

  /** @param paid the answers that this batch has bought for the row. */
  #addPaid(kind: OutcomeKind, paid: readonly RowAnswer[]): void {
    if (kind === 'matched' && paid.some(isFilling)) this.bought += 1;
    if (kind === 'no_match' && paid.some(({ charged }) => charged > 0)) this.missedPaid += 1;
  }

  /**
   * @param paid the answers that this batch has bought for the row.
   * @param isKnown whether this start counts the row as known, and not as one that stands twice.
   */
  #addBefore(
    kind: OutcomeKind,
    answers: readonly RowAnswer[],
    paid: readonly RowAnswer[],
    isKnown: boolean,
  ): void {
    if (this.#before.size === 0) return;
    const before = answers.filter(({ batch }) => this.#before.has(batch));
    if (before.length === 0) return;
    const newAnswers = before.filter(({ attempt }) => !this.#met.has(attempt));
    for (const { attempt } of before) this.#met.add(attempt);
    if (kind === 'matched') {
      for (const answer of before) if (isFilling(answer)) this.#foundBefore.add(answer.attempt);
      if (!paid.some(isFilling) && newAnswers.some(isFilling)) this.boughtBefore += 1;
    }
    if (!isKnown) return;
    if (newAnswers.length > 0) this.askedBefore += 1;
    else this.twiceBefore += 1;
  }

  /** Whether no row is found any more by what an earlier start has bought for one of its rows. */
  isGone(finds: readonly AttemptId[]): boolean {
    return !finds.some((attempt) => this.#foundBefore.has(attempt));
  }

  #addSkipped(outcome: Outcome): void {
    this.leftOut += 1;
    if (isFilledBefore(outcome)) this.filledBefore += 1;
    if (isFilledBefore(outcome) || !isLeftOut(outcome)) return;
    const ownReason = sayAll(outcome.findings, 'short');
    const isRoom = this.#leftOut.has(ownReason) || this.#leftOut.size < MOST_REASONS;
    const words = isRoom ? ownReason : 'other reasons';
    this.#leftOut.set(words, (this.#leftOut.get(words) ?? 0) + 1);
  }

  /** Why the job leaves rows out, the most frequent reason first. */
  get reasonsLeftOut(): readonly { readonly words: string; readonly rows: number }[] {
    const all = [...this.#leftOut].map(([words, rows]) => ({ words, rows }));
    return all.sort((one, other) => other.rows - one.rows);
  }

  #addAnswers(batch: Batch, row: RowNumber, answers: readonly RowAnswer[]): void {
    const askedIdentifiers = new Map<string, boolean>();
    for (const answer of answers) {
      if (!isPaidBy(batch, row, answer)) this.#saved += answer.charged;
      if (!isLookup(batch, answer.call)) continue;
      const name = nameAsked(batch, answer.call);
      askedIdentifiers.set(name, isFilling(answer) || askedIdentifiers.get(name) === true);
    }
    for (const [name, isFound] of askedIdentifiers) this.#addIdentifier(name, isFound);
  }

  #addSteps(answers: readonly RowAnswer[]): void {
    const found = new Set<string>();
    for (const answer of answers) if (isFilling(answer)) found.add(answer.call.operation);
    for (const name of found) this.#foundOf.set(name, (this.#foundOf.get(name) ?? 0) + 1);
  }

  /** In how many found rows the step of this path found something; undefined where there is one step. */
  foundAt({ operation }: Batch, path: string): number | undefined {
    const steps = stepNames(operation);
    const step = steps.length > 1 ? steps.find((name) => path.startsWith(`${name}.`)) : undefined;
    return step === undefined ? undefined : (this.#foundOf.get(step) ?? 0);
  }

  /** Counts what was found for a row, by its path in the answer. */
  addFound(path: string, value: string): void {
    if (value !== '') this.filled.set(path, (this.filled.get(path) ?? 0) + 1);
  }

  /** Why rows need attention, the most frequent reason first. */
  get reasons(): FiguresObject['reasons'] {
    return [...this.#reasons.values()]
      .map(({ kind, words, isOther, rows: { count, first_rows } }) => {
        return { kind, words, rows: count, first_rows, ...present({ is_other: isOther }) };
      })
      .sort((one, other) => other.rows - one.rows);
  }

  get identifiers(): FiguresObject['identifiers'] {
    return [...this.#identifiers.values()];
  }

  #addAttention(row: RowNumber, kind: OutcomeKind, ownReason: string, isOther?: true): void {
    const isRoom = this.#reasons.has(ownReason) || this.#reasons.size < MOST_REASONS;
    const words = isRoom ? ownReason : 'other reasons';
    const entry = this.#reasons.get(words) ?? { kind, words, isOther, rows: new RowCount() };
    this.#reasons.set(words, entry);
    entry.rows.add(row);
  }

  #addIdentifier(name: string, isFound: boolean): void {
    const tally = this.#identifiers.get(name) ?? { name, asked: 0, found: 0 };
    this.#identifiers.set(name, tally);
    tally.asked += 1;
    if (isFound) tally.found += 1;
  }
}

/** What a row that is left out keeps of before is no part of this start. */
function countedIn({ outcome, answers = [] }: Partial<RowRecord> = {}): Omit<RowRecord, 'row'> {
  return { outcome, answers: outcome !== undefined && isLeftOut(outcome) ? [] : answers };
}

const isFilling = ({ kind, fills = kind === 'found' }: RowAnswer): boolean => fills;

/** Whether a call asks for what is wanted: it does not take what another has found, and checks no address. */
const isLookup = ({ operation }: Batch, call: Call): boolean =>
  call.change !== undefined || (!isTaking(call) && stepNames(operation).includes(call.operation));

/** A change is named by its operation: all changes of a kind ask by the same parameters. */
const nameAsked = (batch: Batch, call: Call): string =>
  call.change === undefined ? askedBy(batch, call) : call.operation;

/** What a call asks about, in the words of a waterfall: `abn`, or `abn+domain` for two in one call. */
export function identifierOf({ parameters }: Call): string {
  // A call that brings its own request is named by its endpoint.
  if (typeof parameters.endpoint === 'string') return parameters.endpoint;
  const names = Object.keys(parameters);
  const [only = ''] = names;
  return names.length > 1 ? names.join('+') : only;
}

/** The same in a batch of several steps, where two may ask by a profile URL: `enrich-person.profile_url`. */
export function askedBy({ operation }: Pick<Batch, 'operation'>, call: Call): string {
  const identifier = identifierOf(call);
  return stepNames(operation).length > 1 ? `${call.operation}.${identifier}` : identifier;
}

/**
 * The lowest row of a batch pays for a shared call; no row of this one pays for an answer of another batch.
 */
export function isPaidBy(batch: Batch, row: RowNumber, answer: RowAnswer): boolean {
  return answer.batch === batch.id && answer.paidRow === row;
}

/** Money as programs are told of it. */
export function spentOf(money: Pick<Money, 'spent' | 'isAtMost' | 'inDoubt'>): SpentObject {
  return { spent: money.spent, exact: money.isAtMost !== true, in_doubt: money.inDoubt };
}

/** What several batches have spent together. */
export const spentTogether = (each: readonly SpentObject[]): SpentObject => ({
  spent: each.reduce((sum, { spent }) => sum + spent, 0),
  exact: each.every(({ exact }) => exact),
  in_doubt: each.reduce((sum, { in_doubt }) => sum + in_doubt, 0),
});

/** The vendor's own count of what batches have spent; undefined where it is not known of all that. */
export function vendorCountOf(
  batches: Iterable<Pick<Batch, 'vendorCount'>>,
  spent: number,
): number | undefined {
  const counts = Array.from(batches, ({ vendorCount = { credits: 0, spent: 0 } }) => vendorCount);
  const known = counts.reduce((sum, count) => sum + count.spent, 0);
  return spent > 0 && known === spent ? counts.reduce((sum, { credits }) => sum + credits, 0) : undefined;
}

/** Whether credits are told of a batch: the service's changes cost none. */
export const hasCosts = (
  { vendor }: Pick<Batch, 'vendor'>,
  { spent, inDoubt, reserved }: Pick<Money, 'spent' | 'inDoubt' | 'reserved'>,
): boolean => vendor === 'provider' || spent + inDoubt + reserved > 0;
