import PQueue from 'p-queue';
import { wasKept } from '../client/client.ts';
import { dialectOperationOf, type Later, laterOperationOf, vendorReply } from '../client/dialect.ts';
import {
  isNoMatchByLack,
  judge,
  type LaterFailure,
  laterFailureOf,
  NOT_YET,
  type Verdict,
  wordsOf,
} from '../client/judge.ts';
import { laterRequestOf } from '../client/request.ts';
import { isoTime, sleepUnless } from '../core/clock.ts';
import { type StopDetail, StopError } from '../core/errors.ts';
import { finding, together } from '../core/finding.ts';
import { sayAll } from '../core/finding-words.ts';
import type { Findings } from '../core/findings.ts';
import { DO_AGAIN, phrase } from '../core/phrase.ts';
import { counted } from '../core/plain-text.ts';
import type { AttemptId, AttemptRecord } from '../ledger/ledger.ts';
import { formatDuration, parseDurationMs } from '../lib/duration.ts';
import { applyVerdict, stopNow } from './apply-verdict.ts';
import { endOf } from './buy.ts';
import type { AccountRun, RunReply } from './session.ts';

/**
 * This file asks for the answers to calls that a vendor has accepted. A question is free and changes nothing
 * until its reply is the answer: the reply and the end of the call are then one commit, so a crash only means
 * to ask once more. The call itself is never sent again.
 */

/** How often it is looked which calls another process of the ledger does not ask for any more. */
const LOOK_EVERY_MS = 5_000;

/** So many questions stand in line for a permit at most. */
const ASKED_AT_ONCE = 64;

interface AcceptedCall {
  readonly record: AttemptRecord;
  readonly everyMs: number;
  dueMs: number;
  isBeingAsked: boolean;
  /** Whether a row of this run waits for the answer. */
  isWanted: boolean;
}

/** The accepted calls of one account, for as long as a run lasts. */
export class LaterAnswers {
  readonly #run: AccountRun;
  readonly #stopAll: (error: unknown) => void;
  readonly #calls = new Map<AttemptId, AcceptedCall>();
  /** The calls that have ended. A row may have read the ledger just before. */
  readonly #over = new Set<AttemptId>();
  readonly #queue = new PQueue({ concurrency: ASKED_AT_ONCE });
  #isAsking = false;
  #changed = Promise.withResolvers<void>();
  /** When an attempt of any account has last ended. */
  #movedAtMs: number;
  readonly #closing = new AbortController();
  /** The number of calls that have ended since the rows were last looked at. */
  ended = 0;

  constructor(run: AccountRun, stopAll: (error: unknown) => void) {
    this.#run = run;
    this.#stopAll = stopAll;
    this.#movedAtMs = run.session.clock.monotonicMs();
    run.waiter.signal.addEventListener('abort', () => this.#change(), { once: true });
  }

  /** Begins to ask for whatever the account has accepted, of any batch. */
  async begin(): Promise<void> {
    await noteIds(this.#run);
    await this.#takeOver();
    void this.#watch();
    if (this.#run.session.ledger.spenders !== undefined) void this.#takeOverFromOthers();
  }

  async #takeOver(): Promise<void> {
    const { ledger, account } = this.#run.session;
    for (const record of await ledger.acceptedCalls(account.identity))
      if (!this.#calls.has(record.attempt) && !this.#over.has(record.attempt)) this.#add(record, 0);
  }

  /** Rows of this run may wait for the money that such a call holds, and no other process gives back. */
  async #takeOverFromOthers(): Promise<void> {
    while (!this.#isOver) {
      await this.#run.session.clock.sleep(LOOK_EVERY_MS, this.#closing.signal).catch(() => {});
      if (!this.#isOver)
        await this.#takeOver()
          .then(() => this.lookAgain())
          .catch(this.#stopAll);
    }
  }

  /** A call may be accepted no longer: another call has its id, or a person has settled it. */
  async lookAgain(): Promise<void> {
    const records = await this.#run.session.ledger.attempts([...this.#calls.keys()]);
    for (const { attempt, end } of records) if (end?.kind !== 'accepted') this.#end(attempt);
  }

  #end(attempt: AttemptId): void {
    this.#over.add(attempt);
    if (this.#calls.delete(attempt)) this.ended += 1;
    this.#change();
  }

  /** A row waits for the answer. */
  wait(record: AttemptRecord): void {
    if (this.#over.has(record.attempt)) {
      this.ended += 1;
      this.#change();
      return;
    }
    const ageMs = this.#run.session.clock.wallMs() - acceptedAtMs(record);
    const leftMs = Math.max(0, everyMsOf(this.#run, record) - Math.max(0, ageMs));
    const call = this.#calls.get(record.attempt) ?? this.#add(record, leftMs);
    call.isWanted = true;
  }

  #add(record: AttemptRecord, leftMs: number): AcceptedCall {
    const dueMs = this.#run.session.clock.monotonicMs() + leftMs;
    const everyMs = everyMsOf(this.#run, record);
    const call = { record, everyMs, dueMs, isBeingAsked: false, isWanted: false };
    this.#calls.set(record.attempt, call);
    this.#change();
    if (!this.#isAsking) void this.#askOn();
    return call;
  }

  /** The calls for which rows of this run wait, and which are still asked for. */
  get wanted(): readonly { readonly dueMs: number; readonly isBeingAsked: boolean }[] {
    if (this.#isOver) return [];
    return [...this.#calls.values()].filter(({ isWanted }) => isWanted);
  }

  /** Resolves when a call has come, was asked for, or has ended, and when no more are asked for. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.onIdle();
  }

  get #isOver(): boolean {
    return this.#closing.signal.aborted || this.#run.waiter.signal.aborted;
  }

  async #watch(): Promise<void> {
    const { ledger, clock } = this.#run.session;
    while (!this.#isOver) {
      await ledger.nextEnds();
      this.#movedAtMs = clock.monotonicMs();
    }
  }

  async #askOn(): Promise<void> {
    const { clock } = this.#run.session;
    this.#isAsking = true;
    while (!this.#isOver && this.#calls.size > 0) {
      const nowMs = clock.monotonicMs();
      this.#askDue(nowMs);
      this.#stopIfStill(nowMs);
      await sleepUnless([this.changed], clock, this.#nextMs() - nowMs, this.#closing.signal).catch(() => {});
    }
    this.#isAsking = false;
  }

  #askDue(nowMs: number): void {
    for (const call of this.#calls.values()) {
      if (call.isBeingAsked || call.dueMs > nowMs) continue;
      call.isBeingAsked = true;
      void this.#queue.add(() => this.#ask(call));
    }
  }

  /** When the next question is due, or the run has stood still for too long. */
  #nextMs(): number {
    const due = [...this.#calls.values()].filter(({ isBeingAsked }) => !isBeingAsked);
    return Math.min(this.#stillMs, ...due.map(({ dueMs }) => dueMs));
  }

  /** The end of the wait where nothing is answered, by the wall clock; undefined where there is none. */
  get untilMs(): number | undefined {
    const { clock } = this.#run.session;
    const untilMs = clock.wallMs() + this.#stillMs - clock.monotonicMs();
    return Number.isFinite(untilMs) ? untilMs : undefined;
  }

  get #stillMs(): number {
    return this.#movedAtMs + (this.#run.waiter.maxPauseMs ?? Number.POSITIVE_INFINITY);
  }

  async #ask(call: AcceptedCall): Promise<void> {
    if (this.#isOver) return;
    try {
      const { attempt } = call.record;
      if (await askLater(this.#run, call.record)) this.#end(attempt);
    } catch (error) {
      if (!(error instanceof StopError)) this.#stopAll(error);
      else {
        stopNow(this.#run, error);
        this.#closing.abort();
      }
    }
    call.dueMs = this.#run.session.clock.monotonicMs() + call.everyMs;
    call.isBeingAsked = false;
    this.#change();
  }

  /** Every run ends: also one that has nothing left but accepted calls. */
  #stopIfStill(nowMs: number): void {
    if (nowMs < this.#stillMs) return;
    const { maxPauseMs = 0 } = this.#run.waiter;
    this.#run.stopAll(laterStop(this.#calls.size, `in ${formatDuration(maxPauseMs)}`, { code: 'paused' }));
  }
}

/** @param since for how long there is no answer. */
export function laterStop(
  calls: number,
  since: string,
  of: Pick<StopDetail, 'code' | 'resumeAtMs'>,
): StopError {
  const message = `The vendor has accepted ${counted(calls, 'call')}, and nothing was answered ${since}.`;
  const next = phrase`${DO_AGAIN} later: it asks for the answers, and sends none of the calls again.`;
  return new StopError({ ...of, message, next });
}

const everyMsOf = (run: AccountRun, record: AttemptRecord): number =>
  parseDurationMs(laterOf(run, record)?.every ?? '') ?? 0;

const acceptedAtMs = ({ reply, sentAtMs }: AttemptRecord): number => reply?.receivedAtMs ?? sentAtMs;

function laterOf({ session: { client } }: AccountRun, { call }: AttemptRecord): Later | undefined {
  const { dialect } = client;
  return Object.hasOwn(dialect.operations, call.operation)
    ? dialectOperationOf(dialect, call).later
    : undefined;
}

/**
 * Today's dialect may find ids in replies that an earlier dialect left in doubt. All of them are noted before
 * any of them is asked for, because two calls may have the same id.
 */
async function noteIds(run: AccountRun): Promise<void> {
  const { ledger, client, account, clock } = run.session;
  const { dialect } = client;
  if (!Object.values(dialect.operations).some(({ later }) => later !== undefined)) return;
  for (const record of await ledger.doubtsWithoutId(account.identity)) {
    const { attempt, reply, call } = record;
    if (reply === undefined || laterOf(run, record) === undefined) continue;
    const verdict = judge({ kind: 'answered', raw: reply }, dialect, dialectOperationOf(dialect, call), call);
    if (verdict.kind === 'accepted') await ledger.giveId(attempt, verdict, clock.wallMs());
  }
}

/**
 * Asks once for the answer to a call that is accepted, or in doubt and was accepted once.
 * @returns whether the call has ended by that.
 * @throws StopError when the run may send nothing more.
 */
export async function askLater(run: AccountRun, record: AttemptRecord): Promise<boolean> {
  const { client } = run.session;
  const later = laterOf(run, record);
  if (later === undefined && record.end?.kind !== 'accepted') return false;
  if (later === undefined)
    return doubt(
      run,
      record,
      together(NOT_YET, finding('no_way_to_ask', { accepted_at: isoTime(acceptedAtMs(record)) })),
    );
  const { vendorId } = record;
  if (vendorId === undefined || record.sharesId === true) return false;
  const request = laterRequestOf(client.dialect, client.basePath, later, vendorId, client.values);
  const sent = await client.ask(run.waiter, request, { isPoll: true });
  const { attempt, reserved, call, key, row, batch } = record;
  const operation = laterOperationOf(client.dialect, call);
  const about = { row, call: key };
  const replied: RunReply = { attempt, reserved, operation, call, about, isRepeat: false, ...sent };
  const verdict = judge(sent.reply, client.dialect, operation, call);
  // The rows of another batch are no news of this run.
  const heardBy = batch === run.batch ? run : { ...run, emit: () => {} };
  return conclude({ run, heardBy, record, vendorId, replied, verdict }, later);
}

/** What came of a question. */
interface LaterReply {
  readonly run: AccountRun;
  /** The run that hears of it. */
  readonly heardBy: AccountRun;
  readonly record: AttemptRecord;
  readonly vendorId: string;
  readonly replied: RunReply;
  readonly verdict: Verdict;
}

async function conclude(laterReply: LaterReply, later: Later): Promise<boolean> {
  const { run, heardBy, record, vendorId, replied, verdict } = laterReply;
  const { reply } = replied;
  const failure = failureIn(laterReply);
  if (failure !== undefined) return endFailed(laterReply, failure);
  const isLate = isTooLate(run, record, later);
  if (isOfAccount(run, replied, verdict, isLate)) {
    const next = await applyVerdict(heardBy, replied, verdict);
    if (next instanceof StopError) throw next;
    return false;
  }
  if (isEnd(laterReply)) return endAnswered(laterReply, verdict, {});
  if (reply.kind === 'not_sent' || !isLate) return false;
  const last =
    reply.kind === 'answered' ? wordsOf(reply.raw, run.session.client.dialect) : finding('said_nothing', {});
  const facts = { accepted_at: isoTime(acceptedAtMs(record)), id: vendorId, in: later.gives_up };
  return doubt(run, record, together(NOT_YET, finding('gave_up', facts), last));
}

/** Keeps the answer and ends its call in one commit. */
async function endAnswered(
  { run, heardBy, record, vendorId, replied }: LaterReply,
  verdict: Verdict,
  price: { readonly isAtMost?: true },
): Promise<boolean> {
  const { ledger, clock } = run.session;
  if (replied.reply.kind !== 'answered') return false;
  const end = { ...endOf(run, replied, verdict), vendorId, ...price };
  const ending = ledger.endLater(record.attempt, replied.reply.raw, end, clock.wallMs());
  const hearing = applyVerdict(heardBy, replied, verdict);
  if (hearing instanceof Promise) ledger.concluding(hearing);
  await ending;
  stopNow(run, await hearing);
  return true;
}

/**
 * "Too fast" and a dead key concern the account, and leave what was accepted as it is. So do used-up credits
 * in a success. But a vendor that has dropped the call may say so, or answer 403, forever, and must not stop
 * every later run: after the call's time only a 401 is about the key.
 */
function isOfAccount(run: AccountRun, replied: RunReply, verdict: Verdict, isLate: boolean): boolean {
  if (verdict.kind === 'paused') return true;
  if (verdict.kind !== 'stopped') return false;
  if (isLate) return ownStatus(run, replied) === 401;
  return verdict.stop.code === 'key' || isSuccess(run, replied);
}

/** Only a success that was read as an answer ends a call. Whatever else came says "not yet". */
function isEnd({ run, replied, verdict }: LaterReply): boolean {
  const { reply, operation, call } = replied;
  const isAnswer = verdict.kind === 'answered' && verdict.answer !== 'refused' && isSuccess(run, replied);
  if (!isAnswer || reply.kind !== 'answered') return false;
  return !isNoMatchByLack(reply.raw, run.session.client.dialect, operation, call);
}

function failureIn({ run, replied }: LaterReply): LaterFailure | undefined {
  const { reply, operation, call } = replied;
  if (reply.kind !== 'answered' || !isSuccess(run, replied)) return undefined;
  return laterFailureOf(reply.raw, run.session.client.dialect, operation, call);
}

function isSuccess(run: AccountRun, replied: RunReply): boolean {
  if (replied.reply.kind === 'answered' && wasKept(replied.reply.raw)) return false;
  return Math.floor((ownStatus(run, replied) ?? 0) / 100) === 2;
}

/** The status of the vendor's own reply; undefined where none came. */
const ownStatus = ({ session: { client } }: AccountRun, { reply }: RunReply): number | undefined =>
  reply.kind === 'answered' ? vendorReply(reply.raw, client.dialect)?.status : undefined;

const isTooLate = ({ session: { clock } }: AccountRun, record: AttemptRecord, { gives_up }: Later): boolean =>
  clock.wallMs() - acceptedAtMs(record) >= (parseDurationMs(gives_up) ?? 0);

/**
 * Ends the wait for a call that brought nothing. What neither the rule nor the answer prices is booked at the
 * most. Used-up credits end the account for this run. Where they were free, by the rule, the call is one that
 * was never made: it is sent again once there are credits. A crash before such a call is released leaves it
 * in doubt, and the next question releases it.
 * @returns whether the call has ended by that.
 */
async function endFailed(laterReply: LaterReply, failure: LaterFailure): Promise<boolean> {
  const { run, heardBy, record, replied, verdict } = laterReply;
  const { means, charged, isFree, words: saidFindings } = failure;
  if (means === 'refused' || (means === 'in_doubt' && isFree)) {
    const most = charged ?? record.reserved;
    const isAtMost = charged === undefined && most > 0;
    const refused: Verdict = { kind: 'answered', answer: 'refused', charged: most, why: saidFindings };
    return endAnswered(laterReply, refused, isAtMost ? { isAtMost } : {});
  }
  const why = together(finding('failed_later', { accepted_at: isoTime(acceptedAtMs(record)) }), saidFindings);
  const fact = sayAll(why, 'terminal');
  const isNews = await doubt(run, record, why);
  if (means === 'in_doubt') {
    if (isNews) sayOfFailure(heardBy, fact);
    return isNews;
  }
  // A doubt that stays has stopped the run that heard of it.
  if (!isNews && !isFree) return false;
  if (isFree) await release(laterReply, fact);
  // Credits may have been bought since an earlier run had it accepted, so the next request finds out.
  if (acceptedAtMs(record) < run.beganAtMs) run.session.client.limiter.settled();
  else await applyVerdict(heardBy, replied, verdict);
  return true;
}

/** The vendor's own word that nothing came of the call is kept like a read-back. */
async function release({ run, record: { attempt }, replied: { reply } }: LaterReply, why: string) {
  const { ledger, clock } = run.session;
  if (reply.kind !== 'answered') return;
  const { status, body } = reply.raw;
  const atMs = clock.wallMs();
  await ledger.look({ attempt, kind: 'read_back', said: 'not_happened', why, status, body, atMs });
  await ledger.release(attempt, why, atMs);
}

function sayOfFailure({ session: { saidNotes }, emit }: AccountRun, message: string): void {
  if (saidNotes.has('failed')) return;
  saidNotes.add('failed');
  emit({ kind: 'note', message: `A call is in doubt: ${message}.` });
}

/** Puts an accepted call in doubt. A call that is in doubt stays so. @returns whether it was accepted. */
async function doubt(run: AccountRun, record: AttemptRecord, why: Findings): Promise<boolean> {
  const { ledger, clock } = run.session;
  if (record.end?.kind !== 'accepted') return false;
  await ledger.end(record.attempt, { kind: 'in_doubt', why }, clock.wallMs());
  run.emit({ kind: 'in_doubt', credits: record.reserved, row: record.row, call: record.key });
  return true;
}
