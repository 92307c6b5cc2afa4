import { ATTENTION_KINDS } from '../../core/counts.ts';
import { sayInShort } from '../../core/finding-words.ts';
import { isTaking } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import { isFilledBefore, isLeftOut, needsPerson } from '../../core/outcome.ts';
import { type OutcomeKind, RowCount, type RowNumber } from '../../core/row.ts';
import { stepNames } from '../../core/steps.ts';
import {
  type Batch,
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
  /** Rows for which nothing was asked, because the job leaves them out. */
  leftOut = 0;
  /** Those of them whose cells were filled before. */
  filledBefore = 0;
  /** Rows that are done, and have a damaged cell. */
  damaged = 0;
  /** Rows whose answer is about another company or person, and which need a person for nothing else. */
  mismatched = 0;
  /** Rows that were found by what this batch has bought for them; the other found ones were free. */
  bought = 0;
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

  /** What shared answers and earlier bought ones would have cost if every row had bought its own. */
  get saved(): Credits {
    return credits(this.#saved);
  }

  /** @param match left out: nobody asks whether the answer is the right one. */
  add(batch: Batch, row: RowNumber, record: RowRecord | undefined, match?: RowMatch): void {
    const { outcome, answers = [] } = record ?? {};
    this.rows += 1;
    if (outcome === undefined) return;
    this.ended += 1;
    if (isLeftOut(outcome)) this.leftOut += 1;
    if (isFilledBefore(outcome)) this.filledBefore += 1;
    this.#addAnswers(batch, row, answers);
    if (outcome.kind === 'matched') this.#addSteps(answers);
    const isBought = answers.some((answer) => isFilling(answer) && isPaidBy(batch, row, answer));
    if (outcome.kind === 'matched' && isBought) this.bought += 1;
    if (needsPerson(outcome)) {
      if (!ATTENTION_KINDS.has(outcome.kind)) this.damaged += 1;
      this.#addAttention(row, outcome.kind, sayInShort(outcome, CALLED));
    } else if (match?.needsPerson === true) {
      this.mismatched += 1;
      this.#addAttention(row, outcome.kind, match.inShort, true);
    }
  }

  #addAnswers(batch: Batch, row: RowNumber, answers: readonly RowAnswer[]): void {
    const asked = new Map<string, boolean>();
    for (const answer of answers) {
      if (!isPaidBy(batch, row, answer)) this.#saved += answer.charged;
      if (!isLookup(batch, answer.call)) continue;
      const name = nameAsked(batch, answer.call);
      asked.set(name, isFilling(answer) || asked.get(name) === true);
    }
    for (const [name, isFound] of asked) this.#addIdentifier(name, isFound);
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

  #addAttention(row: RowNumber, kind: OutcomeKind, own: string, isOther?: true): void {
    const isRoom = this.#reasons.has(own) || this.#reasons.size < MOST_REASONS;
    const words = isRoom ? own : 'other reasons';
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
