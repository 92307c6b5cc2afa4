import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { BootTime } from '../../../../src/core/clock.ts';
import { invariant } from '../../../../src/core/errors.ts';
import type { Digests } from '../../../../src/core/format.ts';
import {
  type AccountCaps,
  type Act,
  type Admission,
  type Agreement,
  type AttemptId,
  admitted,
  type Batch,
  type BatchChange,
  type BatchId,
  type BatchSpec,
  type BatchStart,
  type CallEntry,
  type Credits,
  credits,
  type DecisionId,
  type EntryOf,
  type FinishedRow,
  type Intent,
  type KeptTime,
  type LearnedRate,
  type Ledger,
  type Look,
  type MissesMark,
  type Notices,
  type OpenAttempt,
  type Outcomes,
  type OutcomesOf,
  type PauseRecord,
  type PlannedRow,
  type Reading,
  rankOf,
  type TimeMark,
  type UsageMark,
  WRITTEN,
  type Written,
} from '../../../../src/ledger/ledger.ts';
import {
  holds,
  isUnanswered,
  type KeptAttempt,
  type KeptBatch,
  type KeptBoot,
  type KeptCall,
  type MemoryBook,
  NO_MISSES,
  newestAnswer,
  priceKey,
} from './book.ts';
import { noticesIn } from './notices.ts';
import { MemoryReader } from './reader.ts';
import { addReading, isFree } from './readings.ts';
import {
  movedOn,
  overBudget,
  refuseAttempt,
  refuseSandbox,
  refuseTimeOfSandbox,
  refuseTurnedBack,
} from './rules.ts';
import { moveSubject, refusedChange } from './subjects.ts';

const PAUSES_KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Every write checks first and changes after, so a write that is refused has changed nothing. */
export class MemoryLedger extends MemoryReader implements Ledger {
  readonly notices: Notices;
  readonly #openedAt: number;
  /** The boot that attempts are made in; undefined: unknown. */
  #boot: KeptBoot | undefined;

  readonly #by: (() => Pick<Act, 'operator' | 'atMs'>) | undefined;

  /** @param by who is at work, and when. */
  constructor(book: MemoryBook, by?: () => Pick<Act, 'operator' | 'atMs'>) {
    super(book);
    this.notices = noticesIn(book.notices);
    this.#by = by;
    this.#openedAt = book.attempts.length;
  }

  async beginBatch(spec: BatchSpec, renew = false, plan: readonly PlannedRow[] = []): Promise<BatchStart> {
    const started = this.#begun(spec, renew, plan);
    this.#noteAct(started.start === 'new' ? 'begun' : 'gone_on', started.batch.id);
    return started;
  }

  #noteAct(kind: Act['kind'], batch: BatchId): void {
    const by = this.#by?.();
    const newest = this.book.acts.findLast((act) => act.batch === batch);
    const goesOn = kind === 'gone_on' || kind === 'settled';
    if (by === undefined || (goesOn && newest?.operator === by.operator)) return;
    this.book.acts.push({ batch, kind, ...by, after: this.book.attempts.at(-1)?.id ?? 0 });
  }

  #begun(spec: BatchSpec, renew: boolean, plan: readonly PlannedRow[]): BatchStart {
    const newest = this.book.batches.findLast(({ batch }) => batch.key === spec.key);
    if (newest?.batch.state === 'open' || (newest?.batch.state === 'finished' && !renew)) {
      const { lineage, inputPath, accountName } = spec;
      newest.batch = { ...newest.batch, lineage, inputPath, accountName };
      const start = newest.batch.state === 'open' ? 'resumed' : 'finished';
      return { batch: newest.batch, start, superseded: this.#supersedeLineage(spec) };
    }
    invariant(new Set(plan.map(({ row }) => row)).size === plan.length, 'a row is planned once');
    const superseded = this.#supersedeLineage(spec);
    this.book.account(spec.accountIdentity);
    const id = randomInt(2 ** 32)
      .toString(16)
      .padStart(8, '0') as BatchId;
    const batch: Batch = {
      ...spec,
      ...(plan.length === 0 ? {} : { plannedRows: plan.length }),
      id,
      generation: (newest?.batch.generation ?? 0) + 1,
      state: 'open',
    };
    refuseTimeOfSandbox(this.book, batch);
    this.book.batches.push({
      batch,
      budget: undefined,
      extraCredits: undefined,
      rows: new Map(),
      digests: [],
      plan: plan.toSorted((a, b) => a.row - b.row),
    });
    return { batch, start: 'new', superseded };
  }

  async changeBatch(id: BatchId, change: BatchChange): Promise<void> {
    const kept = this.#batch(id);
    const { budget, extraCredits, ...rest } = change;
    const ended = kept.batch.state === 'superseded' || kept.batch.state === 'cancelled';
    invariant(
      !ended || rest.state === undefined || rest.state === kept.batch.state,
      'an ended batch never resumes',
    );
    kept.batch = { ...kept.batch, ...rest };
    if (budget !== undefined) kept.budget = budget ?? undefined;
    if (extraCredits !== undefined) kept.extraCredits = extraCredits;
    if (rest.state === 'cancelled') this.#noteAct('cancelled', id);
  }

  async noteWritten(path: string, sha256s: readonly string[]): Promise<void> {
    this.book.files.set(path, sha256s);
  }

  async noteAgreement(agreement: Agreement): Promise<void> {
    if (!this.book.agreements.has(agreement.sha256)) this.book.agreements.set(agreement.sha256, agreement);
  }

  async noteHold(batch: BatchId, held: boolean, atMs: number): Promise<void> {
    if (held !== this.book.holds.has(batch)) this.#noteAct(held ? 'paused' : 'resumed', batch);
    if (!held) this.book.holds.delete(batch);
    else if (!this.book.holds.has(batch)) this.book.holds.set(batch, Math.floor(atMs));
  }

  async setAccountCaps(accountIdentity: string, caps: AccountCaps): Promise<void> {
    this.book.account(accountIdentity).caps = caps;
  }

  async notePause(accountIdentity: string, pause: PauseRecord): Promise<void> {
    const account = this.book.account(accountIdentity);
    const oldestMs = pause.fromMs - PAUSES_KEPT_MS;
    account.pauses = [...account.pauses.filter(({ untilMs }) => untilMs >= oldestMs), pause];
    if (pause.asked) account.pausedUntilMs = pause.untilMs;
  }

  async setLearnedRate(accountIdentity: string, learned: LearnedRate | undefined): Promise<void> {
    this.book.account(accountIdentity).learned = learned;
  }

  async setUsage(accountIdentity: string, usage: UsageMark | undefined): Promise<void> {
    this.book.account(accountIdentity).usage = usage;
  }

  async atBoot(asked: BootTime, atMs: number): Promise<KeptTime> {
    const kept = await this.keptTime(asked, atMs);
    let boot = this.book.boots.find(({ id }) => id === asked.id);
    if (boot === undefined) {
      boot = { id: asked.id, seen: kept.seen, confirmed: undefined, isRefuted: false };
      this.book.boots.push(boot);
    }
    this.#boot = boot;
    return kept;
  }

  async keepSeenTime(mark: TimeMark): Promise<void> {
    invariant(this.#boot !== undefined, 'a time is kept of a boot');
    this.#boot.seen = mark;
  }

  async keepConfirmedTime(mark: TimeMark, accountIdentity: string): Promise<void> {
    invariant(this.#boot !== undefined, 'a time is kept of a boot');
    refuseTurnedBack(this.#boot.confirmed, mark);
    refuseSandbox(this.book, accountIdentity);
    this.#boot.confirmed = mark;
  }

  async refuteTimes(afterMs: number): Promise<void> {
    for (const boot of this.book.boots) {
      if (boot.confirmed === undefined || (boot.confirmed.atMs <= afterMs && boot !== this.#boot)) continue;
      Object.assign(boot, { confirmed: undefined, isRefuted: true });
    }
  }

  async append<const List extends readonly CallEntry[]>(list: List): Promise<OutcomesOf<List>> {
    const outcomes: unknown[] = [];
    for (const [at, entry] of [...list.entries()].toSorted(([, a], [, b]) => rankOf(a) - rankOf(b))) {
      try {
        outcomes[at] = this.#written(entry);
      } catch (error) {
        outcomes[at] = { kind: 'refused', error };
      }
    }
    return outcomes as unknown as OutcomesOf<List>;
  }

  #written(entry: CallEntry): Outcomes[CallEntry['kind']] {
    switch (entry.kind) {
      case 'intent':
        return this.#admit(entry.intent);
      case 'reply':
        return this.#record(entry);
      case 'end':
        return this.#close(entry);
      case 'reading':
        return this.#read(entry.reading);
      case 'look':
        return this.#look(entry.look);
      case 'release':
        return this.#release(entry);
      case 'decision':
        return { kind: 'decided', decision: this.#decide(entry) };
    }
  }

  #admit(asked: Intent): Admission {
    const kept = this.#batch(asked.batch);
    const call = this.#callOf(asked);
    if (asked.ifUnknown && (call.answer ?? call.doubt) !== undefined) return { kind: 'known' };
    const decided = this.book.decisions.find(({ decision }) => decision.id === asked.decision);
    const isRepeat = asked.request !== undefined && decided?.decision.kind === 'repeat';
    const price = this.book.prices.get(priceKey(call.accountIdentity, call.call)) ?? 0;
    const reserve = isRepeat ? asked.reserve : credits(Math.max(asked.reserve, price));
    const intent = { ...asked, reserve };
    const over =
      refusedChange(this.book, intent) ??
      movedOn(this.book, call, intent) ??
      overBudget(this.book, kept, intent, decided?.decision);
    if (over !== undefined) return over;
    const boot = intent.uptimeMs === undefined ? undefined : this.#boot;
    refuseAttempt(this.book, { batch: kept.batch, call, intent, boot, decided });
    this.book.calls.set(call.key, call);
    if (call.subject !== undefined) this.book.keepSubject(call.subject);
    const id = (this.book.attempts.length + 1) as AttemptId;
    this.book.attempts.push({
      id,
      intent,
      boot,
      call,
      decision: decided?.decision,
      reply: undefined,
      closure: undefined,
      told: undefined,
      read: false,
      toldAsAnswer: false,
      retracted: false,
      newest: undefined,
      looks: [],
      released: undefined,
      freedBy: undefined,
      paidRow: intent.row,
    });
    return admitted(id, reserve);
  }

  #record({ attempt: id, reply }: EntryOf<'reply'>): Outcomes['reply'] {
    const attempt = this.book.attempt(id);
    const isLate = attempt?.closure?.kind === 'in_doubt';
    const isOpen = attempt !== undefined && attempt.closure === undefined;
    invariant(isOpen || isLate, `attempt ${id} is over`);
    invariant(attempt.reply === undefined, `attempt ${id} has a reply`);
    attempt.reply = reply;
    return isLate ? { kind: 'late' } : WRITTEN;
  }

  #close({ attempt: id, closure, atMs, left }: EntryOf<'end'>): Written {
    const attempt = this.#openAttempt(id);
    const { call, reply } = attempt;
    if (closure.kind === 'answered') {
      invariant(closure.charged >= 0, 'nothing is charged less than nothing');
      invariant(reply !== undefined, `an answer needs its raw reply, and attempt ${id} has none`);
      moveSubject(attempt, left, atMs);
      Object.assign(call, { answer: attempt, doubt: undefined });
      noteStatus(this.book, attempt, reply.status);
      const repeated = this.book.repeated(attempt);
      for (const held of repeated) held.freedBy = attempt;
      const atMost = closure.isAtMost && closure.charged > 0 ? [attempt, ...repeated] : [];
      for (const each of atMost) this.book.estimate(each);
      if (closure.showsPrice) this.#keepPrice(call, closure.charged);
    }
    if (closure.kind === 'in_doubt' && (call.answer === undefined || isUnanswered(this.book, call))) {
      Object.assign(call, { answer: undefined, doubt: attempt });
      if (attempt.decision?.kind === 'repeat') call.repeats += 1;
    }
    attempt.closure = { ...closure, closedAtMs: atMs };
    return WRITTEN;
  }

  #read(reading: Reading): Written {
    const { attempt, charged } = addReading(this.book, reading);
    if (reading.showsPrice) this.#keepPrice(attempt.call, charged);
    return WRITTEN;
  }

  async openAttempts(): Promise<readonly OpenAttempt[]> {
    return this.book.attempts
      .filter(({ id, closure }) => closure === undefined && id <= this.#openedAt)
      .map(({ id, intent, reply }) => ({
        attempt: id,
        key: intent.key,
        accountIdentity: intent.accountIdentity,
        call: intent.call,
        batch: intent.batch,
        row: intent.row,
        reserved: intent.reserve,
        ...(reply === undefined ? {} : { reply }),
      }));
  }

  #look(look: Look): Written {
    const attempt = this.book.attempt(look.attempt);
    invariant(attempt?.closure?.kind === 'in_doubt', 'only a lost attempt is looked at');
    attempt.looks.push(look);
    return WRITTEN;
  }

  #release({ attempt: id, why, atMs }: EntryOf<'release'>): Written {
    const attempt = this.book.attempt(id);
    invariant(attempt !== undefined && attempt.call.doubt === attempt, 'only a doubt is released');
    const said = attempt.looks.some((look) => look.said === 'not_happened');
    invariant(said, 'nobody said that it did not happen');
    const ofCall = this.book.attempts.filter(({ call }) => call === attempt.call);
    invariant(!ofCall.some(({ closure }) => closure === undefined), 'the call is being sent again');
    attempt.released = { why, atMs };
    for (const held of [...this.book.repeated(attempt), attempt]) held.freedBy = attempt;
    const { call } = attempt;
    call.doubt = ofCall.findLast(holds);
    if (call.doubt === undefined) call.answer = newestAnswer(this.book, call);
    return WRITTEN;
  }

  #decide({ decision: spec, told, left }: EntryOf<'decision'>): DecisionId {
    invariant(
      (spec.kind === 'told') === (told !== undefined),
      'a decision is told with a reply, and only then',
    );
    const call = this.book.calls.get(spec.key);
    invariant(call?.doubt !== undefined, `call ${spec.key} is not in doubt`);
    invariant(this.#batch(spec.batch).batch.accountIdentity === call.accountIdentity, 'of another account');
    if (spec.by === 'person') this.#noteAct('settled', spec.batch);
    const id = (this.book.decisions.length + 1) as DecisionId;
    const decision = { ...spec, id };
    this.book.decisions.push({ decision, doubt: call.doubt });
    if (told === undefined) return id;
    for (const attempt of this.book.attempts) {
      if (attempt.call !== call || !holds(attempt)) continue;
      attempt.told = { decision, reply: told };
      if (attempt.intent.reserve > 0) this.book.estimate(attempt);
    }
    call.doubt.toldAsAnswer = true;
    moveSubject(call.doubt, left, spec.atMs);
    Object.assign(call, { answer: call.doubt, doubt: undefined });
    return id;
  }

  async retractMisses(accountIdentity: string): Promise<number> {
    const account = this.book.account(accountIdentity);
    const retracted = this.#retract(accountIdentity, () => this.#miss(accountIdentity));
    account.misses = NO_MISSES;
    return retracted;
  }

  async retractRefusals(accountIdentity: string, answers: readonly AttemptId[]): Promise<number> {
    return this.#retract(accountIdentity, () =>
      this.book.attempts.find(
        (attempt) =>
          answers.includes(attempt.id) &&
          attempt.intent.accountIdentity === accountIdentity &&
          attempt.call.answer === attempt &&
          attempt.call.subject === undefined &&
          isFree(this.book, attempt, 'refused'),
      ),
    );
  }

  #retract(accountIdentity: string, next: () => KeptAttempt | undefined): number {
    let retracted = 0;
    for (let taken = next(); taken !== undefined; taken = next()) {
      taken.retracted = true;
      taken.call.answer = newestAnswer(this.book, taken.call);
      this.book.account(accountIdentity).answers -= 1;
      retracted += 1;
    }
    if (retracted > 0) for (const kept of this.book.batches) this.#reopenRetracted(kept);
    return retracted;
  }

  async markMisses(accountIdentity: string, mark: MissesMark): Promise<void> {
    const account = this.book.account(accountIdentity);
    const { count } = account.misses;
    if (count > 0) account.misses = { count, ...mark };
  }

  #finishRow(row: FinishedRow): void {
    const { rows } = this.#batch(row.batch);
    const earlier = rows.get(row.row);
    if (earlier !== undefined && earlier.outcome.kind !== 'in_doubt') {
      const { readTo: _, ...kept } = earlier;
      if (isDeepStrictEqual(kept, row)) return;
    }
    invariant(
      earlier === undefined || earlier.outcome.kind === 'in_doubt',
      `row ${row.row} is settled, and a final outcome is never changed`,
    );
    for (const id of row.answers)
      invariant(this.book.attempt(id)?.closure !== undefined, `there is no closed attempt ${id}`);
    rows.set(row.row, { ...row, readTo: this.book.readings.length });
    if (row.outcome.kind === 'in_doubt') return;
    for (const id of row.answers) {
      const attempt = this.book.attempt(id);
      if (attempt?.intent.batch === row.batch) attempt.paidRow = Math.min(attempt.paidRow, row.row);
    }
  }

  async finishRows(rows: readonly FinishedRow[]): Promise<void> {
    const before = this.book.batches.map(({ rows: finished }) => new Map(finished));
    try {
      for (const row of rows) this.#finishRow(row);
    } catch (error) {
      for (const [at, { rows: finished }] of this.book.batches.entries()) {
        finished.clear();
        for (const [row, record] of before[at] ?? []) finished.set(row, record);
      }
      throw error;
    }
  }

  async keepPieces(batch: BatchId, digests: Digests): Promise<void> {
    this.#batch(batch).digests.push(digests);
  }

  override async close(): Promise<void> {
    this.book.spender = undefined;
  }

  #supersedeLineage(spec: BatchSpec): readonly BatchId[] {
    const ended = this.book.batches.filter(
      ({ batch }) => batch.lineage === spec.lineage && batch.key !== spec.key && batch.state === 'open',
    );
    for (const kept of ended) kept.batch = { ...kept.batch, state: 'superseded' };
    return ended.map(({ batch }) => batch.id);
  }

  #keepPrice({ accountIdentity, call }: KeptCall, charged: Credits): void {
    const key = priceKey(accountIdentity, call);
    this.book.prices.set(key, credits(Math.max(charged, this.book.prices.get(key) ?? 0)));
  }

  #batch(id: BatchId): KeptBatch {
    const kept = this.book.batch(id);
    invariant(kept !== undefined, `there is no batch ${id}`);
    return kept;
  }

  #callOf({ key, accountIdentity, call }: Intent): KeptCall {
    const known = this.book.calls.get(key);
    if (known !== undefined) return known;
    const subject = call.change && this.book.subject(accountIdentity, call.change.subject);
    return { key, accountIdentity, call, subject, answer: undefined, doubt: undefined, repeats: 0 };
  }

  #openAttempt(id: AttemptId): KeptAttempt {
    const attempt = this.book.attempt(id);
    invariant(attempt !== undefined && attempt.closure === undefined, `attempt ${id} is not open`);
    return attempt;
  }

  /** An answer of the account that was a free 404, after which it answered nothing else. */
  #miss(accountIdentity: string): KeptAttempt | undefined {
    const { lastOther } = this.book.account(accountIdentity);
    return this.book.attempts.find((attempt) => {
      const { call, intent, reply } = attempt;
      return (
        intent.accountIdentity === accountIdentity &&
        call.answer === attempt &&
        (attempt.newest ?? 0) >= lastOther &&
        call.subject === undefined &&
        isFree(this.book, attempt, 'no_match') &&
        reply?.status === 404
      );
    });
  }

  #reopenRetracted(kept: KeptBatch): void {
    const ended = [...kept.rows.values()].filter(({ answers }) =>
      answers.some((id) => this.book.attempt(id)?.retracted),
    );
    for (const { row } of ended) kept.rows.delete(row);
    if (ended.length === 0 || kept.batch.state !== 'finished') return;
    const position = this.book.batches.indexOf(kept);
    const replaced = this.book.batches
      .slice(position + 1)
      .some(({ batch }) => batch.lineage === kept.batch.lineage);
    kept.batch = { ...kept.batch, state: replaced ? 'superseded' : 'open' };
  }
}

/** Another answer says something of those misses only that had been answered before its own request left. */
function noteStatus(book: MemoryBook, attempt: KeptAttempt, status: number): void {
  const account = book.account(attempt.intent.accountIdentity);
  account.answers += 1;
  if (status === 404) {
    attempt.newest = book.attempts.length;
    account.misses = { ...account.misses, count: account.misses.count + 1 };
  } else {
    account.answersNot404 += 1;
    account.lastOther = Math.max(account.lastOther, attempt.id);
    account.misses = NO_MISSES;
  }
}
