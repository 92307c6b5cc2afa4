import type { CallKey } from '../../../../src/core/call-key.ts';
import type { BootTime } from '../../../../src/core/clock.ts';
import type { DigestedPiece, Position } from '../../../../src/core/format.ts';
import { present } from '../../../../src/core/objects.ts';
import type { Call } from '../../../../src/core/operation.ts';
import type { OutcomeKind, RowNumber } from '../../../../src/core/row.ts';
import type {
  AccountState,
  Act,
  Agreement,
  AnswerRecord,
  AttemptId,
  AttemptRecord,
  AttemptsAbout,
  Batch,
  BatchId,
  BatchLine,
  CallState,
  Credits,
  Detail,
  Doubt,
  FinishedInput,
  FoundReply,
  FreshSince,
  KeptTime,
  KnownSubject,
  LedgerReader,
  LoggedOf,
  LoggedPart,
  Money,
  PauseRecord,
  PlannedRow,
  ReadAs,
  RowKind,
  RowRecord,
  SavedPart,
  Sent,
  SentPart,
  SpentPart,
} from '../../../../src/ledger/ledger.ts';
import { answeredCall, credits, isAnswer, rowAnswersOf } from '../../../../src/ledger/ledger.ts';
import {
  answerOf,
  doubtOf,
  isUnanswered,
  type KeptAttempt,
  type KeptCall,
  lostRefreshes,
  type MemoryBook,
  NO_MISSES,
  priceKey,
  releaseOf,
  usesDecision,
} from './book.ts';
import { isRetryOf } from './rules.ts';
import { knownSubjects } from './subjects.ts';

const DAY_MS = 86_400_000;

export class MemoryReader implements LedgerReader {
  protected readonly book: MemoryBook;

  constructor(book: MemoryBook) {
    this.book = book;
  }

  async batches(): Promise<readonly Batch[]> {
    return this.book.batches.map(({ batch }) => batch).reverse();
  }

  async batchLines(): Promise<readonly BatchLine[]> {
    const batches = await this.batches();
    return Promise.all(
      batches.map(async (batch) => ({
        ...batch,
        hasDoubts: ((await this.counts(batch.id)).in_doubt ?? 0) > 0,
      })),
    );
  }

  async written(path: string): Promise<readonly string[]> {
    return this.book.files.get(path) ?? [];
  }

  async agreement(sha256: string): Promise<Agreement | undefined> {
    return this.book.agreements.get(sha256);
  }

  async heldSince(batch: BatchId): Promise<number | undefined> {
    return this.book.holds.get(batch);
  }

  async batch(id: BatchId): Promise<Batch | undefined> {
    return this.book.batch(id)?.batch;
  }

  async batchByKey(key: string): Promise<Batch | undefined> {
    const goesOn = ({ key: other, state }: Batch) =>
      other === key && (state === 'open' || state === 'finished');
    return (await this.batches()).find(goesOn);
  }

  async openRequests(batch: BatchId): Promise<number> {
    const isOpen = ({ intent, closure }: KeptAttempt) => intent.batch === batch && closure === undefined;
    return this.book.attempts.filter(isOpen).length;
  }

  async batchMoney(batch: BatchId, scope: 'batch' | 'extra' = 'batch'): Promise<Money> {
    const kept = this.book.batch(batch);
    if (scope === 'extra') return this.book.money(kept?.extraCredits, isRetryOf(batch));
    return this.book.money(kept?.budget, ({ intent }) => intent.batch === batch);
  }

  async accountMoney(accountIdentity: string, scope: 'day' | 'month' | 'ever', atMs: number): Promise<Money> {
    return this.book.periodMoney(accountIdentity, scope, atMs);
  }

  async isSpentAtMost(of: { readonly batch: BatchId } | { readonly account: string }): Promise<boolean> {
    const isOf = ({ id, accountIdentity }: Batch): boolean =>
      'batch' in of ? id === of.batch : accountIdentity === of.account;
    return this.book.batches.some(({ batch }) => isOf(batch) && this.book.estimates.has(batch.id));
  }

  async account(accountIdentity: string): Promise<AccountState> {
    const account = this.book.accounts.get(accountIdentity);
    const {
      answers = 0,
      answersNot404 = 0,
      misses = NO_MISSES,
      pausedUntilMs,
      learned,
      usage,
    } = account ?? {};
    return {
      answers,
      answersNot404,
      found: this.#settled(accountIdentity).filter(isFound).length,
      misses,
      ...(pausedUntilMs === undefined ? {} : { pausedUntilMs }),
      ...(learned === undefined ? {} : { learned }),
      ...(usage === undefined ? {} : { usage }),
    };
  }

  async counts(batch: BatchId): Promise<Readonly<Partial<Record<OutcomeKind, number>>>> {
    const counts: Partial<Record<OutcomeKind, number>> = {};
    for (const { outcome } of this.#rows(batch)) counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    return counts;
  }

  async metrics(batch: BatchId): Promise<{ readonly requests: number; readonly calls: number }> {
    const ended = this.book.attempts.filter(
      ({ intent, closure }) => intent.batch === batch && closure !== undefined,
    );
    const settled = ended.filter(
      (attempt) =>
        !attempt.retracted && (attempt.closure?.kind === 'answered' || attempt.toldAsAnswer || attempt.read),
    );
    return {
      requests: ended.filter(({ closure }) => closure?.kind !== 'not_sent').length,
      calls: settled.length,
    };
  }

  async rowKinds(batch: BatchId, fromRow: RowNumber, beforeRow: RowNumber): Promise<readonly RowKind[]> {
    return this.#rows(batch)
      .filter(({ row }) => row >= fromRow && row < beforeRow)
      .map(({ row, outcome: { kind } }) => ({ row, kind }));
  }

  async positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined> {
    const starts = this.book
      .batch(batch)
      ?.digests.flatMap(({ pieces = [] }) => pieces.map(({ start }) => start));
    return starts
      ?.filter((start) => start.row <= row)
      .sort((a, b) => a.row - b.row)
      .at(-1);
  }

  async piecesOf(batch: BatchId, reading: string): Promise<readonly DigestedPiece[]> {
    const kept = this.book.batch(batch)?.digests.filter((digests) => digests.reading === reading) ?? [];
    return kept.flatMap(({ pieces = [] }) => pieces).sort((a, b) => a.start.row - b.start.row);
  }

  async rows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly RowRecord[]> {
    return this.#records(batch, fromRow).slice(0, limit).map(recordFrom);
  }

  async rowsReadOtherwise(
    batch: BatchId,
    dialect: number,
    fromRow: RowNumber,
    limit: number,
  ): Promise<readonly RowRecord[]> {
    const isOther = ({ attempt: id, dialect: by }: AnswerRecord<ReadAs>): boolean => {
      const attempt = this.book.attempt(id);
      const now = attempt && answerOf(this.book, attempt);
      const isNone = now !== undefined && !isAnswer(now.kind);
      return (by !== dialect || isNone) && attempt?.told === undefined;
    };
    const rows = this.#records(batch, fromRow).filter(({ answers }) => answers.some(isOther));
    return rows.slice(0, limit).map(recordFrom);
  }

  async rowsUnanswered(batch: BatchId): Promise<readonly RowNumber[]> {
    return this.#rows(batch)
      .filter(({ outcome, answers }) => outcome.kind === 'in_doubt' && this.#waitsFor(answers))
      .map(({ row }) => row);
  }

  #waitsFor(answers: readonly AttemptId[]): boolean {
    return this.#attempts(answers).some(
      (attempt) => attempt.call.answer === attempt && isUnanswered(this.book, attempt.call),
    );
  }

  #records(batch: BatchId, fromRow: RowNumber) {
    return this.#rows(batch)
      .filter(({ row }) => row >= fromRow)
      .map(({ row, outcome, answers, input, readTo }) => ({
        row,
        outcome,
        answers: this.#attempts(answers).flatMap((attempt) => answerOf(this.book, attempt, readTo) ?? []),
        ...(input === undefined ? {} : { input }),
      }));
  }

  async finishedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly FinishedInput[]> {
    return this.#rows(batch)
      .filter(({ row, outcome }) => row >= fromRow && outcome.kind !== 'in_doubt')
      .slice(0, limit)
      .map(({ row, input }) => (input === undefined ? { row } : { row, input }));
  }

  async sends(accountIdentity: string, sinceMs: number, limit: number): Promise<readonly Sent[]> {
    const sent = this.book.attempts.filter(
      ({ intent, closure }) =>
        intent.accountIdentity === accountIdentity && intent.atMs >= sinceMs && closure?.kind !== 'not_sent',
    );
    const sends = sent
      .map(({ intent, closure }) => ({
        atMs: intent.atMs,
        ...(closure?.kind === 'answered' ? { answeredAtMs: closure.closedAtMs } : {}),
      }))
      .sort((a, b) => a.atMs - b.atMs);
    return sends.slice(Math.max(0, sends.length - limit));
  }

  async find<Level extends Detail = 'whole'>(
    keys: readonly CallKey[],
    { detail, batch }: { readonly detail?: Level; readonly batch?: BatchId | undefined } = {},
  ): Promise<readonly CallState<Level>[]> {
    const states = keys.map((key) => inDetail(this.#state(key, batch), detail ?? 'whole'));
    return states as unknown as readonly CallState<Level>[];
  }

  async doubts(batch: BatchId, { withSkipped } = { withSkipped: false }): Promise<readonly Doubt[]> {
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
      .filter(({ doubt }) => withSkipped || this.#lastDecision(doubt, batch)?.kind !== 'skip')
      .sort((a, b) => a.doubt.intent.row - b.doubt.intent.row)
      .map(({ call, doubt }) => doubtOf(this.book, call, doubt));
  }

  async history(batch: BatchId, row: RowNumber): Promise<readonly AttemptRecord[]> {
    const calls = new Set<KeptCall>();
    for (const { call, intent } of this.book.attempts)
      if (intent.batch === batch && intent.row === row) calls.add(call);
    const answers = this.book.batch(batch)?.rows.get(row)?.answers ?? [];
    for (const { call } of this.#attempts(answers)) calls.add(call);
    return this.book.attempts.filter(({ call }) => calls.has(call)).map((attempt) => this.#record(attempt));
  }

  async attempts(ids: readonly AttemptId[]): Promise<readonly AttemptRecord[]> {
    return ids.flatMap((id) => this.book.attempt(id) ?? []).map((attempt) => this.#record(attempt));
  }

  async matchRate(accountIdentity: string, operation: string): Promise<number | undefined> {
    const answers = this.#settled(accountIdentity).filter(
      ({ intent }) => intent.call.operation === operation,
    );
    const found = answers.filter(isFound);
    return answers.length === 0 ? undefined : found.length / answers.length;
  }

  async newestFound(accountIdentity: string, most: number): Promise<readonly FoundReply[]> {
    const found = this.#settled(accountIdentity).filter(isFound).toReversed();
    const replies = found.flatMap(({ intent, reply }) =>
      reply === undefined ? [] : [{ call: intent.call, reply }],
    );
    return replies.slice(0, most);
  }

  async attemptsAbout(values: readonly string[], after: number, most: number): Promise<AttemptsAbout> {
    const calls = [...this.book.calls.values()];
    const looked = new Set(calls.slice(after, after + most));
    const attempts = this.book.attempts
      .filter(({ call, intent }) => looked.has(call) && isAbout(intent.call, values))
      .map((attempt) => this.#record(attempt));
    return after + most < calls.length ? { attempts, next: after + most } : { attempts };
  }

  async acts(batch: BatchId): Promise<readonly Act[]> {
    return this.book.acts
      .filter((act) => act.batch === batch)
      .map(({ kind, operator, atMs, after }) => ({ kind, operator, atMs: Math.floor(atMs), after }));
  }

  /** Nothing is erased from this store. */
  async erasures(): Promise<readonly Act[]> {
    return [];
  }

  async logged(
    { batch, changes = false }: LoggedOf,
    before = Number.MAX_SAFE_INTEGER,
    most: number,
  ): Promise<LoggedPart> {
    const earlier = this.book.attempts.filter(({ id }) => id < before).toReversed();
    const page = earlier.slice(0, most);
    const attempts = page
      .filter(({ intent }) => batch === undefined || intent.batch === batch)
      .filter(({ intent }) => !changes || intent.call.change !== undefined)
      .map((attempt) => this.#record(attempt));
    const last = page.at(-1);
    return earlier.length > most && last !== undefined ? { attempts, next: last.id } : { attempts };
  }

  async spentBetween(fromMs: number, untilMs: number, after: number, most: number): Promise<SpentPart> {
    const later = this.book.attempts.filter(({ id }) => id > after);
    const page = later.slice(0, most);
    const placed = page
      .filter(({ intent }) => intent.atMs >= fromMs && intent.atMs < untilMs)
      .map((attempt) => {
        const { id, intent } = attempt;
        const dayMs = Math.floor(intent.atMs / DAY_MS) * DAY_MS;
        const act = this.book.acts.findLast((each) => each.batch === intent.batch && each.after < id);
        const key = JSON.stringify([intent.batch, dayMs, act?.operator]);
        return { attempt, key, batch: intent.batch, dayMs, operator: act?.operator };
      });
    const parts = [...Map.groupBy(placed, ({ key }) => key).values()].map((those) => {
      const own = new Set(those.map(({ attempt }) => attempt));
      const { spent, inDoubt } = this.book.money(undefined, (attempt) => own.has(attempt));
      const { batch, dayMs, operator } = those[0] as (typeof those)[0];
      const sent = [...own].filter(({ closure }) => closure !== undefined && closure.kind !== 'not_sent');
      return { batch, dayMs, ...(operator && { operator }), spent, inDoubt, requests: sent.length };
    });
    const last = page.at(-1);
    return later.length > most && last !== undefined ? { parts, next: last.id } : { parts };
  }

  async saved(batch: BatchId, fromRow: RowNumber, most: number): Promise<SavedPart> {
    const rows = await this.rows(batch, fromRow, most);
    const saved = rows.flatMap(({ row, answers }) =>
      answers.map((answer) => (answer.batch === batch && answer.paidRow === row ? 0 : answer.charged)),
    );
    const last = rows.at(-1);
    return {
      credits: credits(saved.reduce<number>((sum, each) => sum + each, 0)),
      ...(rows.length < most || last === undefined ? {} : { next: last.row + 1 }),
    };
  }

  async price(
    accountIdentity: string,
    call: Pick<Call, 'operation' | 'creditsMost'>,
  ): Promise<Credits | undefined> {
    return this.book.prices.get(priceKey(accountIdentity, call));
  }

  async hasOlderThan(batch: BatchId, freshSince: FreshSince): Promise<boolean> {
    const used = this.#rows(batch).flatMap(({ answers }) => this.#attempts(answers));
    return used.some((attempt) => {
      const answer = answerOf(this.book, attempt);
      const { foundMs, noMatchMs } = freshSince;
      const isNone = answer !== undefined && !isAnswer(answer.kind);
      const least =
        foundMs === undefined || noMatchMs === undefined ? undefined : Math.min(foundMs, noMatchMs);
      const cutOffMs = isNone ? least : answer?.kind === 'found' ? foundMs : noMatchMs;
      if (answer === undefined || cutOffMs === undefined) return false;
      const lost = lostRefreshes(this.book, attempt.id).some(({ intent }) => intent.atMs >= cutOffMs);
      return answer.answeredAtMs < cutOffMs && !lost;
    });
  }

  async lostRefresh(answer: AttemptId): Promise<number | undefined> {
    const times = lostRefreshes(this.book, answer).map(({ intent }) => intent.atMs);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  async pauses(accountIdentity: string, fromMs: number, untilMs: number): Promise<readonly PauseRecord[]> {
    const all = this.book.accounts.get(accountIdentity)?.pauses ?? [];
    return all
      .filter((pause) => pause.untilMs >= fromMs && pause.fromMs <= untilMs)
      .sort((a, b) => a.fromMs - b.fromMs);
  }

  async sent(batch: BatchId, fromRow: RowNumber, rows: number): Promise<SentPart> {
    const own = this.book.attempts.filter(({ intent }) => intent.batch === batch && intent.row >= fromRow);
    const later = own.map(({ intent }) => intent.row).filter((row) => row >= fromRow + rows);
    const sent = own.flatMap(({ intent: { row, atMs }, closure }) =>
      row >= fromRow + rows || closure === undefined || closure.kind === 'not_sent'
        ? []
        : [
            {
              atMs,
              endedAtMs: closure.closedAtMs,
              credits: closure.kind === 'answered' ? closure.charged : 0,
            },
          ],
    );
    return later.length === 0 ? { sent } : { sent, next: Math.min(...later) };
  }

  async subjects(accountIdentity: string): Promise<readonly KnownSubject[]> {
    return knownSubjects(this.book, accountIdentity);
  }

  async plannedRows(batch: BatchId, fromRow: RowNumber, limit: number): Promise<readonly PlannedRow[]> {
    const plan = this.book.batch(batch)?.plan ?? [];
    return plan.filter(({ row }) => row >= fromRow).slice(0, limit);
  }

  async confirmedTime(): Promise<number | undefined> {
    return this.book.confirmedTime();
  }

  /** A ledger in memory forgets nobody. */
  async forgettingAccounts(): Promise<readonly string[]> {
    return [];
  }

  async keptTime({ id, uptimeMs }: BootTime, atMs: number): Promise<KeptTime> {
    const floorMs = this.book.confirmedTime();
    const boot = this.book.boots.find((each) => each.id === id);
    const seen = boot?.seen ?? { atMs: Math.max(atMs, floorMs ?? atMs), uptimeMs };
    const isPlay = this.book.isPlay();
    const dated = boot && this.book.newestDate(boot);
    return { seen, isPlay, ...present({ confirmed: boot?.confirmed, floorMs, dated }) };
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

  /** Attempts that brought the account an answer which stands. */
  #settled(accountIdentity: string): readonly KeptAttempt[] {
    return this.book.attempts.filter(
      ({ intent, closure, retracted }) =>
        intent.accountIdentity === accountIdentity && closure?.kind === 'answered' && !retracted,
    );
  }

  #state(key: CallKey, batch: BatchId | undefined): CallState {
    const call = this.book.calls.get(key);
    const answer = call?.answer && answerOf(this.book, call.answer);
    if (answer !== undefined) return answeredCall(answer);
    if (call?.doubt === undefined) {
      const open = this.book.attempts.find((each) => each.call === call && each.closure === undefined);
      return open === undefined ? { kind: 'unknown' } : { kind: 'in_flight', attempt: open.id };
    }
    const decision = batch === undefined ? undefined : this.#lastDecision(call.doubt, batch);
    const usedUp = this.book.attempts.some(
      (attempt) => attempt.decision === decision && usesDecision(attempt),
    );
    if (decision === undefined || usedUp)
      return { kind: 'in_doubt', doubt: doubtOf(this.book, call, call.doubt) };
    return { kind: 'in_doubt', doubt: doubtOf(this.book, call, call.doubt), decision };
  }

  #record(attempt: KeptAttempt): AttemptRecord {
    const readings = this.book.readings.filter((reading) => reading.attempt === attempt.id);
    const decisions = this.book.decisions.filter(({ doubt }) => doubt === attempt);
    return { ...recordOf(attempt), readings, decisions: decisions.map(({ decision }) => decision) };
  }

  #lastDecision(doubt: KeptAttempt, batch: BatchId) {
    return this.book.decisions.findLast((kept) => kept.doubt === doubt && kept.decision.batch === batch)
      ?.decision;
  }
}

function isFound({ closure }: KeptAttempt): boolean {
  return closure?.kind === 'answered' && closure.answer === 'found';
}

/** Nothing more than the contract promises, so that nothing comes to rely on it. */
function inDetail(state: CallState, detail: Detail): CallState<Detail> {
  if (detail === 'whole' || state.kind === 'unknown' || state.kind === 'in_flight') return state;
  if (state.kind === 'in_doubt') {
    const { attempt, batch } = state.doubt;
    return { kind: 'in_doubt', doubt: { attempt, batch } };
  }
  const { attempt, batch, kind, why, answeredAtMs, dialect } = state.answer;
  const answer = { attempt, batch, kind, why, ...(dialect === undefined ? {} : { dialect }) };
  return answeredCall(detail === 'kind' ? answer : { ...answer, answeredAtMs });
}

function recordFrom<Row extends { readonly answers: readonly AnswerRecord<ReadAs>[] }>(row: Row) {
  return { ...row, answers: row.answers.flatMap(rowAnswersOf) };
}

function recordOf(attempt: KeptAttempt): Omit<AttemptRecord, 'readings' | 'decisions'> {
  const { id, intent, reply, closure, told, looks } = attempt;
  const decision = told?.decision ?? attempt.decision;
  const released = releaseOf(attempt);
  return {
    attempt: id,
    key: intent.key,
    batch: intent.batch,
    row: intent.row,
    call: intent.call,
    reserved: intent.reserve,
    intentAtMs: intent.atMs,
    ...(reply === undefined ? {} : { reply }),
    ...(closure === undefined ? {} : { closure }),
    ...(decision === undefined ? {} : { decision }),
    ...(intent.replaces === undefined ? {} : { replaces: intent.replaces }),
    ...(intent.request === undefined ? {} : { request: intent.request }),
    looks,
    ...(released === undefined ? {} : { released }),
  };
}

/** Whether one of the texts is a whole value anywhere in the question. */
function isAbout(question: unknown, values: readonly string[]): boolean {
  if (typeof question === 'string') return values.includes(question);
  if (question === null || typeof question !== 'object') return false;
  return Object.values(question).some((each) => isAbout(each, values));
}
