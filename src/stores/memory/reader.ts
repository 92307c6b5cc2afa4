import type { CallKey } from '../../call-key.ts';
import type {
  AccountState,
  AttemptRecord,
  Batch,
  BatchId,
  CallState,
  Doubt,
  LedgerReader,
  Money,
  RowRecord,
} from '../../ledger.ts';
import type { OutcomeKind, RowNumber } from '../../row.ts';
import { answerOf, doubtOf, type KeptAttempt, type KeptCall, type MemoryBook, usesDecision } from './book.ts';

const SETTLED_PAGE = 10_000;

export class MemoryReader implements LedgerReader {
  protected readonly book: MemoryBook;

  constructor(book: MemoryBook) {
    this.book = book;
  }

  async batches(): Promise<readonly Batch[]> {
    return this.book.batches.map(({ batch }) => batch).reverse();
  }

  async batch(id: BatchId): Promise<Batch | undefined> {
    return this.book.batch(id)?.batch;
  }

  async batchByKey(key: string): Promise<Batch | undefined> {
    const goesOn = ({ key: other, state }: Batch) =>
      other === key && (state === 'open' || state === 'finished');
    return (await this.batches()).find(goesOn);
  }

  async batchMoney(batch: BatchId): Promise<Money> {
    return this.book.money(this.book.batch(batch)?.budget, ({ intent }) => intent.batch === batch);
  }

  async accountMoney(accountIdentity: string, scope: 'day' | 'month', atMs: number): Promise<Money> {
    return this.book.periodMoney(accountIdentity, scope, atMs);
  }

  async account(accountIdentity: string): Promise<AccountState> {
    const account = this.book.accounts.get(accountIdentity);
    const { answers = 0, answersNot404 = 0, pausedUntilMs } = account ?? {};
    return { answers, answersNot404, ...(pausedUntilMs === undefined ? {} : { pausedUntilMs }) };
  }

  async counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>> {
    const counts: Partial<Record<OutcomeKind, number>> = {};
    for (const { outcome } of this.#rows(batch)) counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    return counts;
  }

  async traffic(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }> {
    const ended = this.book.attempts.filter(
      ({ intent, closure }) => intent.batch === batch && closure !== undefined,
    );
    const settled = ended.filter((attempt) => attempt.call.answer === attempt);
    return {
      requests: ended.filter(({ closure }) => closure?.kind !== 'not_sent').length,
      calls: settled.length,
    };
  }

  async rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> {
    return this.#rows(batch)
      .filter(({ row }) => row >= fromRow)
      .slice(0, limit)
      .map(({ row, outcome, answers }) => ({
        row,
        outcome,
        answers: this.#attempts(answers).flatMap((attempt) => answerOf(attempt) ?? []),
      }));
  }

  async *settledRows(batch: BatchId): AsyncGenerator<readonly RowNumber[]> {
    const settled = this.#rows(batch).filter(({ outcome }) => outcome.kind !== 'in_doubt');
    for (let first = 0; first < settled.length; first += SETTLED_PAGE) {
      yield settled.slice(first, first + SETTLED_PAGE).map(({ row }) => row);
    }
  }

  async sendTimes(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly number[]> {
    const sent = this.book.attempts.filter(
      ({ intent, closure }) =>
        intent.accountIdentity === accountIdentity && intent.atMs >= sinceMs && closure?.kind !== 'not_sent',
    );
    const times = sent.map(({ intent }) => intent.atMs).sort((a, b) => a - b);
    return times.slice(Math.max(0, times.length - limit));
  }

  async find(keys: readonly CallKey[], batch?: BatchId): Promise<readonly CallState[]> {
    return keys.map((key) => this.#state(key, batch));
  }

  async doubts(batch: BatchId): Promise<readonly Doubt[]> {
    const waiting = this.#rows(batch).filter(({ outcome }) => outcome.kind === 'in_doubt');
    const waitedFor = new Set(
      waiting.flatMap(({ answers }) => this.#attempts(answers).map(({ call }) => call)),
    );
    const lostHere = ({ intent, closure }: KeptAttempt) =>
      intent.batch === batch && closure?.kind === 'in_doubt';
    for (const { call } of this.book.attempts.filter(lostHere)) waitedFor.add(call);
    return [...this.book.calls.values()]
      .flatMap((call) =>
        waitedFor.has(call) && call.doubt !== undefined ? [{ call, doubt: call.doubt }] : [],
      )
      .filter(({ doubt }) => this.#lastDecision(doubt, batch)?.kind !== 'skip')
      .sort((a, b) => a.doubt.intent.row - b.doubt.intent.row)
      .map(({ call, doubt }) => doubtOf(call, doubt));
  }

  async history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]> {
    const calls = new Set<KeptCall>();
    for (const { call, intent } of this.book.attempts)
      if (intent.batch === batch && intent.row === row) calls.add(call);
    const answers = this.book.batch(batch)?.rows.get(row)?.answers ?? [];
    for (const { call } of this.#attempts(answers)) calls.add(call);
    return this.book.attempts.filter(({ call }) => calls.has(call)).map(recordOf);
  }

  async matchRate(accountIdentity: string, operation: string): Promise<number | undefined> {
    const answers = this.book.attempts.filter(
      ({ intent, closure, retracted }) =>
        intent.accountIdentity === accountIdentity &&
        intent.call.operation === operation &&
        closure?.kind === 'settled' &&
        !retracted,
    );
    const found = answers.filter(({ closure }) => closure?.kind === 'settled' && closure.answer === 'found');
    return answers.length === 0 ? undefined : found.length / answers.length;
  }

  async close(): Promise<void> {}

  #rows(batch: BatchId) {
    return [...(this.book.batch(batch)?.rows.values() ?? [])].sort((a, b) => a.row - b.row);
  }

  #attempts(ids: readonly number[]): readonly KeptAttempt[] {
    return this.book.attempts
      .filter(({ id }) => ids.includes(id))
      .sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  }

  #state(key: CallKey, batch: BatchId | undefined): CallState {
    const call = this.book.calls.get(key);
    const answer = call?.answer && answerOf(call.answer);
    if (answer !== undefined) return { kind: 'answered', answer };
    if (call?.doubt === undefined) return { kind: 'unknown' };
    const decision = batch === undefined ? undefined : this.#lastDecision(call.doubt, batch);
    const usedUp = this.book.attempts.some(
      (attempt) => attempt.decision === decision && usesDecision(attempt),
    );
    if (decision === undefined || usedUp) return { kind: 'in_doubt', doubt: doubtOf(call, call.doubt) };
    return { kind: 'in_doubt', doubt: doubtOf(call, call.doubt), decision };
  }

  #lastDecision(doubt: KeptAttempt, batch: BatchId) {
    return this.book.decisions.findLast((kept) => kept.doubt === doubt && kept.decision.batch === batch)
      ?.decision;
  }
}

function recordOf(attempt: KeptAttempt): AttemptRecord {
  const { id, intent, reply, closure, told } = attempt;
  const decision = told?.decision ?? attempt.decision;
  return {
    attempt: id,
    batch: intent.batch,
    row: intent.row,
    call: intent.call,
    reserved: intent.reserve,
    intentAtMs: intent.atMs,
    ...(reply === undefined ? {} : { reply }),
    ...(closure === undefined ? {} : { closure }),
    ...(decision === undefined ? {} : { decision }),
  };
}
