import { invariant } from '../../../core/errors.ts';
import {
  type Appending,
  type AttemptId,
  type BatchId,
  type CallEntry,
  type DecisionId,
  type EntryKind,
  type EntryOf,
  type FinishedRow,
  type Outcomes,
  type OutcomesOf,
  type RefusedEntry,
  rankOf,
  WRITTEN,
} from '../../ledger.ts';
import { attemptOf } from '../../rules/drafts.ts';
import { admitAll, type Question } from './admissions.ts';
import { historyOf, historyWith } from './attempt-records.ts';
import type { Connection } from './connection.ts';
import { type Asked, askedBy, insertEnds, insertReplies, keptCalls } from './entries.ts';
import { follow, type NoteEntry } from './follow.ts';
import { type GroupCommit, toldOne } from './group-commit.ts';
import { lostAmong } from './notes.ts';
import { keepPrice, pricedBy } from './prices.ts';
import { insertOutcomes } from './rows.ts';
import { leftBy, logChange } from './subjects.ts';

type Outcome = Outcomes[EntryKind] | RefusedEntry;

const isNote = (entry: CallEntry): entry is NoteEntry =>
  entry.kind !== 'intent' && entry.kind !== 'reply' && entry.kind !== 'end';

const isInFlight = ({ kind }: CallEntry): boolean => kind === 'reply' || kind === 'end';

/**
 * That a question was answered is known by its reply, which is on the disk, and its slot is given on with that. So the end
 * waits for the replies that come next. The next change of a subject waits for the end of the one before.
 */
const isPatient = (entry: CallEntry): boolean =>
  entry.kind === 'end' && entry.closure.kind === 'answered' && entry.left === undefined;

const LATE = { kind: 'late' } as const;

interface Beside {
  /** Runs before a decision of that batch is written. */
  readonly deciding: (batch: BatchId) => void;
}

/** What is written of calls, and of the rows that they finish: all that comes until the next commit together. */
export class CallWrites implements Appending {
  readonly #connection: Connection;
  /** What this process wrote of attempts for which no row is finished yet. Changes are not among them. */
  readonly #questions = new Map<AttemptId, Question>();
  readonly #beside: Beside;
  readonly #add: ReturnType<typeof GroupCommit.prototype.together<CallEntry, Outcome>>;
  readonly #finish: ReturnType<typeof GroupCommit.prototype.together<readonly FinishedRow[], undefined>>;

  constructor(connection: Connection, group: GroupCommit, beside: Beside) {
    this.#connection = connection;
    this.#beside = beside;
    this.#add = group.together({ work: (entries) => this.#write(entries), isInFlight, isPatient, rankOf });
    this.#finish = group.together({
      work: (lists) => this.#insertOutcomes(lists.flat()),
      isPatient: () => true,
      sizeOf: ({ length }) => length,
    });
  }

  append<const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>> {
    return new Promise((tell) => {
      if (list.length === 0) tell([] as unknown as OutcomesOf<List>);
      else this.#add(list, tell as (outcomes: Outcome[]) => void);
    });
  }

  /** Finishes rows, all of them or none. */
  finishRows(rows: readonly FinishedRow[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (rows.length === 0) resolve();
      else this.#finish([rows], toldOne(resolve, reject));
    });
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

  #write(entries: readonly CallEntry[]): readonly Outcome[] {
    const replies = entries.filter((entry) => entry.kind === 'reply');
    const ends = entries.filter((entry) => entry.kind === 'end');
    const notes = entries.filter(isNote);
    const intents = entries.filter((entry) => entry.kind === 'intent');
    const kept = this.#insertReplies(replies);
    this.#insertEnds(ends);
    const noted = notes.map((entry) => this.#note(entry));
    const admissions = admitAll(
      this.#connection,
      intents.map(({ intent }) => intent),
      { questions: this.#questions },
    );
    return [...kept, ...ends.map(() => WRITTEN), ...noted, ...admissions];
  }

  #insertReplies(replies: readonly EntryOf<'reply'>[]): readonly Outcome[] {
    if (replies.length === 0) return [];
    const attempts = replies.map(({ attempt }) => attempt);
    insertReplies(
      this.#connection,
      replies,
      attempts.map((attempt) => this.#askedBy(attempt)),
    );
    const late = lostAmong(this.#connection, attempts);
    return replies.map(({ attempt, reply }) => {
      const question = this.#questions.get(attempt);
      if (question !== undefined) question.status = reply.status;
      return late.has(attempt) ? LATE : WRITTEN;
    });
  }

  #insertEnds(ends: readonly EntryOf<'end'>[]): void {
    if (ends.length === 0) return;
    const connection = this.#connection;
    const left = ends.map(({ attempt, closure, left }) =>
      closure.kind !== 'answered' || this.#questions.has(attempt)
        ? undefined
        : leftBy(connection, attempt, left),
    );
    const asked = ends.map(({ attempt }) => this.#askedBy(attempt));
    insertEnds(connection, ends, asked);
    for (let at = 0; at < ends.length; at += 1) {
      const { attempt, closure } = ends[at] as EntryOf<'end'>;
      logChange(connection, left[at]);
      if (closure.kind !== 'answered') this.#questions.delete(attempt);
      else if (closure.showsPrice) {
        const pricedFor = this.#questions.get(attempt)?.pricedFor ?? pricedBy(connection, attempt);
        keepPrice(connection, pricedFor, closure.charged);
      }
    }
  }

  #note(entry: NoteEntry): Outcome {
    const connection = this.#connection;
    if (entry.kind !== 'decision') {
      follow(connection, historyWith(connection, attemptOf(entry) ?? 0), entry);
      return WRITTEN;
    }
    const { key, by, batch } = entry.decision;
    const call = keptCalls(connection, [key]).get(0);
    invariant(call !== undefined, `call ${key} is not in doubt`);
    if (by === 'person') this.#beside.deciding(batch);
    const decision = follow(connection, historyOf(connection, call.id), entry) as DecisionId;
    return { kind: 'decided', decision };
  }

  #askedBy(attempt: AttemptId): Asked {
    return this.#questions.get(attempt) ?? askedBy(this.#connection, attempt);
  }
}
