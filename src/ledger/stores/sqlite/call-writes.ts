import { invariant } from '../../../core/errors.ts';
import type { RowNumber } from '../../../core/row.ts';
import {
  type Appending,
  type AttemptId,
  type CallEntry,
  type DecisionId,
  type EntryKind,
  type EntryOf,
  type FinishedRow,
  type Intent,
  type Outcomes,
  type OutcomesOf,
  type RefusedEntry,
  rankOf,
  WRITTEN,
} from '../../ledger.ts';
import { admitAll } from './admissions.ts';
import type { Connection } from './connection.ts';
import { type Asked, askedBy, insertEnds, insertReplies, keptCalls } from './entries.ts';
import type { GroupCommit } from './group-commit.ts';
import { insertDecision, insertLook, insertReading, insertRelease, insertTold, lostAmong } from './notes.ts';
import { keepPrice, type Priced, pricedBy } from './prices.ts';
import { insertOutcomes } from './rows.ts';
import { leftBy, logChange } from './subjects.ts';

/** What this process wrote of an attempt, so that it is not read back. */
interface Question {
  readonly row: RowNumber;
  readonly pricedFor: Priced;
  readonly asked: Asked;
  status?: number;
}

type Outcome = Outcomes[EntryKind] | RefusedEntry;

/** What is written of calls, and of the rows that they finish: all that comes until the next commit together. */
export class CallWrites implements Appending {
  readonly #connection: Connection;
  /** What this process wrote of attempts for which no row is finished yet. Changes are not among them. */
  readonly #questions = new Map<AttemptId, Question>();
  /** The number of the boot in which attempts are made; undefined when it is unknown. */
  readonly #boot: () => number | undefined;
  readonly #add: ReturnType<typeof GroupCommit.prototype.together<CallEntry, Outcome>>;
  readonly #finish: ReturnType<typeof GroupCommit.prototype.together<readonly FinishedRow[], undefined>>;

  constructor(connection: Connection, group: GroupCommit, boot: () => number | undefined) {
    this.#connection = connection;
    this.#boot = boot;
    this.#add = group.together({
      work: (entries) => this.#write(entries),
      urgencyOf: ({ kind }) => (kind === 'reply' || kind === 'end' ? 'in_flight' : 'usual'),
      rankOf,
    });
    this.#finish = group.together({
      work: (lists) => this.#insertOutcomes(lists.flat()),
      urgencyOf: () => 'patient',
      sizeOf: ({ length }) => length,
    });
  }

  append<const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>> {
    return this.#add(list) as Promise<unknown> as Promise<OutcomesOf<List>>;
  }

  /** Finishes rows, all of them or none. */
  async finishRows(rows: readonly FinishedRow[]): Promise<void> {
    const [refused] = await this.#finish([rows]);
    if (refused !== undefined) throw refused.error;
  }

  #insertOutcomes(rows: readonly FinishedRow[]): readonly undefined[] {
    // A row that bought an answer itself, or comes after the row that did, is not the lowest that used it. One in doubt uses
    // none yet, and may be settled by others.
    const isLower = ({ row, outcome, answers }: FinishedRow): boolean =>
      outcome.kind !== 'in_doubt' &&
      answers.some((answer) => (this.#questions.get(answer)?.row ?? Infinity) > row);
    for (const [batch, ofBatch] of Map.groupBy(rows, (row) => row.batch))
      insertOutcomes(this.#connection, batch, ofBatch, ofBatch.filter(isLower));
    for (const { answers } of rows) for (const answer of answers) this.#questions.delete(answer);
    return [];
  }

  /** @param entries in the order of their ranks. */
  #write(entries: readonly CallEntry[]): readonly Outcome[] {
    const replies = entries.filter((entry) => entry.kind === 'reply');
    const ends = entries.filter((entry) => entry.kind === 'end');
    const kept = this.#insertReplies(replies);
    this.#insertEnds(ends);
    const noted = entries.flatMap((entry) => this.#noted(entry));
    const intents = entries.filter((entry) => entry.kind === 'intent').map(({ intent }) => intent);
    return [...kept, ...ends.map(() => WRITTEN), ...noted, ...this.#admit(intents)];
  }

  #insertReplies(replies: readonly EntryOf<'reply'>[]): readonly Outcome[] {
    if (replies.length === 0) return [];
    const returned = replies.map((each) => ({ ...each, call: this.#askedBy(each.attempt).call }));
    insertReplies(this.#connection, returned);
    const late = lostAmong(
      this.#connection,
      replies.map(({ attempt }) => attempt),
    );
    return replies.map(({ attempt, reply }) => {
      const question = this.#questions.get(attempt);
      if (question !== undefined) question.status = reply.status;
      return late.has(attempt) ? { kind: 'late' } : WRITTEN;
    });
  }

  #insertEnds(ends: readonly EntryOf<'end'>[]): void {
    const connection = this.#connection;
    const left = ends.map(({ attempt, closure, left }) =>
      closure.kind !== 'answered' || this.#questions.has(attempt)
        ? undefined
        : leftBy(connection, attempt, left),
    );
    insertEnds(
      connection,
      ends.map((end) => ({
        ...end,
        asked: this.#askedBy(end.attempt),
        status: this.#questions.get(end.attempt)?.status,
      })),
    );
    for (const [at, { attempt, closure }] of ends.entries()) {
      logChange(connection, left[at]);
      const question = this.#questions.get(attempt);
      if (closure.kind !== 'answered') this.#questions.delete(attempt);
      else if (closure.showsPrice)
        keepPrice(connection, question?.pricedFor ?? pricedBy(connection, attempt), closure.charged);
    }
  }

  /** Writes what happens to an attempt after its end. @returns nothing for other entries. */
  #noted(entry: CallEntry): readonly Outcome[] {
    const connection = this.#connection;
    switch (entry.kind) {
      case 'decision':
        return [{ kind: 'decided', decision: this.#decide(entry) }];
      case 'look':
        insertLook(connection, entry.look);
        return [WRITTEN];
      case 'release':
        insertRelease(connection, entry.attempt, entry.why, entry.atMs);
        return [WRITTEN];
      case 'reading': {
        const { attempt, showsPrice } = entry.reading;
        const booked = insertReading(connection, entry.reading);
        if (showsPrice) keepPrice(connection, pricedBy(connection, attempt), booked);
        return [WRITTEN];
      }
      default:
        return [];
    }
  }

  #decide({ decision, told, left }: EntryOf<'decision'>): DecisionId {
    const isTold = decision.kind === 'told';
    invariant(isTold === (told !== undefined), 'a decision is told with a reply, and only then');
    const connection = this.#connection;
    const call = keptCalls(connection, [decision.key]).get(0);
    invariant(call?.state === 'doubt' && call.stands !== null, `call ${decision.key} is not in doubt`);
    const { id, stands } = call;
    if (told === undefined) return insertDecision(connection, decision, id, stands) as DecisionId;
    const change = leftBy(connection, stands, left);
    const sees = insertTold(connection, decision, id, stands, told);
    logChange(connection, change);
    return sees as DecisionId;
  }

  #admit(intents: readonly Intent[]): readonly Outcome[] {
    return admitAll(this.#connection, intents, this.#boot()).map(({ admission, begun }, at) => {
      const { row, call } = intents[at] as Intent;
      // A number that a group did not commit is given again, so what was said about it is replaced.
      if (begun !== undefined && call.change === undefined)
        this.#questions.set(begun.attempt, { ...begun, row });
      else if (begun !== undefined) this.#questions.delete(begun.attempt);
      return admission;
    });
  }

  #askedBy(attempt: AttemptId): Asked {
    return this.#questions.get(attempt)?.asked ?? askedBy(this.#connection, attempt);
  }
}
